#include "config.h"

#include "fuzz.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

void fuzz_fail(const char *file, int line, const char *condition, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s:%d: %s: ", file, line, condition);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    abort();
}

void fuzz_check_error(const Error *error)
{
    FUZZ_CHECK(error->kind != ERROR_NONE, "a failure without an error");
    FUZZ_CHECK(error->message[0] != '\0', "an error without a message");
    FUZZ_CHECK(memchr(error->message, '\0', sizeof error->message) != NULL, "a message without an end");
    size_t length = strlen(error->message);
    for (size_t at = 0; at < length;) {
        uint32_t c;
        size_t used = text_decode_utf8(error->message + at, length - at, &c);
        FUZZ_CHECK(used != 0 && c >= 0x20 && c != 0x7f, "byte %zu of the message: %s", at, error->message);
        at += used;
    }
}

/* ---- choices ---- */

uint32_t fuzz_byte(Bytes *bytes)
{
    return bytes->next < bytes->end ? *bytes->next++ : 0;
}

uint32_t fuzz_number(Bytes *bytes, unsigned size)
{
    uint32_t number = 0;
    for (unsigned i = 0; i < size; i++) {
        number |= fuzz_byte(bytes) << (8 * i);
    }
    return number;
}

uint32_t fuzz_below(Bytes *bytes, uint32_t limit)
{
    return fuzz_number(bytes, limit > 256 ? 2 : 1) % limit;
}

/* ---- phases ---- */

/* Sizes around which something changes: instruction fields, the receive of 52 words, the longest transfer. */
static const uint16_t turning_points[] = {1,  2,   3,   4,   5,    6,    8,    51,   52,   53,   63,  64,
                                          65, 127, 128, 129, 1023, 1024, 1025, 2048, 4096, 4097, 4148};

static uint16_t fuzz_words(Bytes *bytes, Width width)
{
    uint32_t choice = fuzz_byte(bytes);
    uint32_t words = choice < 160 ? 1 + choice % 16
                     : choice < 240
                         ? turning_points[choice % (sizeof turning_points / sizeof *turning_points)]
                         : 1 + fuzz_below(bytes, TRANSFER_WORDS_MAX);
    if (width == WIDTH_PAIRED64 && words % 2 != 0) {
        words = words == 1 ? 2 : words - 1;
    }
    return (uint16_t)words;
}

/* Where a capture's data, staging buffers and the ends of memory are. */
static const uint32_t regions[] = {0x10000, 0x4c000, 0x64000, 0x80000, 0, 0xe8000, ADDRESS_BYTES_END};

static uint32_t fuzz_address(Bytes *bytes, uint32_t words, Width width, uint32_t continued)
{
    uint32_t choice = fuzz_byte(bytes);
    uint32_t step = width == WIDTH_PAIRED64 ? 8 : 4;
    uint32_t last = (ADDRESS_BYTES_END - 4 * words) / step * step;
    uint32_t address = choice < 96 ? continued : regions[choice % (sizeof regions / sizeof *regions)];
    address += step * (choice & 1 ? 0 : fuzz_byte(bytes) % 32);
    address = address / step * step;
    return address > last ? last : address;
}

enum { FUZZ_RECEIVERS = 8, FUZZ_REPEATS = 5 };

typedef struct Places { /* where the last transfer from and to a tile ended */
    uint32_t read[FUZZ_RECEIVERS], written[FUZZ_RECEIVERS];
} Places;

static bool fuzz_transfer(Bytes *bytes, Phase *phase, const uint16_t *tiles, uint32_t tile_kinds,
                          Places *places)
{
    uint32_t form = fuzz_byte(bytes);
    Width width = form % 8 == 7 ? WIDTH_PAIRED64 : WIDTH_WORD32;
    uint16_t words = fuzz_words(bytes, width);
    uint32_t from = fuzz_below(bytes, tile_kinds);
    uint32_t repeat = form & 0x40 ? 1 + fuzz_byte(bytes) % FUZZ_REPEATS : 1;
    uint32_t addresses[FUZZ_REPEATS];
    for (uint32_t r = 0; r < repeat; r++) {
        addresses[r] = fuzz_address(bytes, words, width, r == 0 ? places->read[from] : addresses[r - 1]);
    }
    places->read[from] = addresses[0] + 4u * words;

    uint16_t receivers[FUZZ_RECEIVERS];
    uint32_t receiver_addresses[FUZZ_RECEIVERS];
    uint32_t count = 0;
    uint32_t chosen = form & 0x80 ? fuzz_byte(bytes) : 1u << fuzz_below(bytes, tile_kinds);
    for (uint32_t k = 0; k < tile_kinds; k++) {
        if (chosen >> k & 1) {
            receivers[count] = tiles[k];
            receiver_addresses[count] = fuzz_address(bytes, words, width, places->written[k]);
            places->written[k] = receiver_addresses[count] + 4u * words;
            count++;
        }
    }
    if (count == 0) {
        receivers[0] = tiles[(from + 1) % tile_kinds];
        receiver_addresses[0] = fuzz_address(bytes, words, width, 0x64000);
        count = 1;
    }
    if (form & 0x20 && count > 1) { /* the order of the file need not be that of the tiles */
        uint16_t tile = receivers[0];
        uint32_t address = receiver_addresses[0];
        receivers[0] = receivers[count - 1];
        receiver_addresses[0] = receiver_addresses[count - 1];
        receivers[count - 1] = tile;
        receiver_addresses[count - 1] = address;
    }
    return phase_append(phase, tiles[from], words, width, addresses, repeat, receivers, receiver_addresses,
                        count, NULL);
}

Phase *fuzz_phase(Bytes *bytes, uint32_t transfers_max, uint64_t cost_max, uint16_t *tile_count)
{
    static const uint16_t tile_counts[] = {2, 3, 5, 8, 64, FABRIC_TILES, 1, 200};
    *tile_count = tile_counts[fuzz_byte(bytes) % 8];
    uint32_t tile_kinds = *tile_count < FUZZ_RECEIVERS ? *tile_count : 1 + fuzz_byte(bytes) % FUZZ_RECEIVERS;
    uint16_t tiles[FUZZ_RECEIVERS];
    Places places;
    for (uint32_t k = 0; k < tile_kinds; k++) { /* distinct tiles, near or far */
        tiles[k] =
            (uint16_t)((k * (*tile_count / tile_kinds) + (*tile_count > 8 ? fuzz_byte(bytes) % 8 : 0)) %
                       *tile_count);
        for (uint32_t j = 0; j < k; j++) {
            if (tiles[j] == tiles[k]) {
                tiles[k] = (uint16_t)((tiles[k] + 1) % *tile_count);
                j = UINT32_MAX; /* from the start */
            }
        }
        places.read[k] = 0x4c000;
        places.written[k] = 0x64000;
    }
    Phase *phase = phase_new(7, NULL);
    bool good = phase != NULL;
    uint64_t cost = 0;
    while (good && bytes->next < bytes->end && phase->transfers < transfers_max && cost < cost_max) {
        good = fuzz_transfer(bytes, phase, tiles, tile_kinds, &places);
        uint32_t last = phase->transfers - 1;
        cost += (uint64_t)phase->words[last] * (phase->repeat[last] + phase_receivers(phase, last));
    }
    Error error = {0};
    FUZZ_CHECK(good && phase_check(phase, *tile_count, &error), "%s", error.message);
    return phase;
}

const char fuzz_capture[] =
    "{\"schema_version\":4,\"tile_count\":6,\"phase_labels\":{\"3\":\"<b>\\u001b[31m\\\"=1+1\","
    "\"9\":\"\\u202e right to left \\u0000\"},\"phases\":["
    "{\"phase\":3,\"transfers\":["
    "{\"source\":0,\"source_addresses\":[327680,327688],\"destinations\":[[1,458752]],\"words\":2},"
    "{\"source\":0,\"source_addresses\":[327688,327696],\"destinations\":[[1,458760]],\"words\":2},"
    "{\"source\":2,\"source_addresses\":[327680],\"destinations\":[[3,458752],[2,458752]],\"words\":60},"
    "{\"source\":4,\"source_addresses\":[327680],\"destinations\":[[1,458768]],\"words\":2,"
    "\"width\":\"Paired64\"}]},"
    "{\"phase\":9,\"transfers\":["
    "{\"source\":0,\"source_addresses\":[327680],\"destinations\":[[1,458752]],\"words\":4},"
    "{\"source\":1,\"source_addresses\":[458756],\"destinations\":[[2,458752]],\"words\":2},"
    "{\"source\":2,\"source_addresses\":[327680],\"destinations\":[[1,458756]],\"words\":1}]},"
    "{\"phase\":4,\"transfers\":[]}]}";

/* ---- files ---- */

static char folder[64];

static void fuzz_clear(const char *path)
{
    DIR *directory = opendir(path);
    for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
        char inside[600];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
            continue;
        }
        snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name);
        if (unlink(inside) != 0) {
            fuzz_clear(inside);
            rmdir(inside);
        }
    }
    if (directory != NULL) {
        closedir(directory);
    }
}

static void fuzz_folder_remove(void)
{
    fuzz_clear(folder);
    rmdir(folder);
}

const char *fuzz_folder(void)
{
    if (folder[0] == '\0') {
        struct stat status;
        snprintf(folder, sizeof folder, "%s/exscope-fuzz-XXXXXX",
                 stat("/dev/shm", &status) == 0 ? "/dev/shm" : "/tmp");
        FUZZ_CHECK(mkdtemp(folder) != NULL && chdir(folder) == 0, "%s", folder);
        atexit(fuzz_folder_remove);
    }
    return folder;
}

void fuzz_folder_clear(void)
{
    fuzz_clear(fuzz_folder());
}

void fuzz_write(const char *path, const void *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    FUZZ_CHECK(file != NULL && fwrite(bytes, 1, length, file) == length && fclose(file) == 0, "%s", path);
}

/* ---- comparing ---- */

static void fuzz_check_same_phase(const Phase *one, const Phase *other)
{
    FUZZ_CHECK(one->number == other->number, "%u, %u", one->number, other->number);
    FUZZ_CHECK(one->transfers == other->transfers, "%u, %u", one->transfers, other->transfers);
    size_t n = one->transfers;
    if (n == 0) {
        return;
    }
    FUZZ_CHECK(memcmp(one->source, other->source, n * sizeof *one->source) == 0, "phase %u", one->number);
    FUZZ_CHECK(memcmp(one->words, other->words, n * sizeof *one->words) == 0, "phase %u", one->number);
    FUZZ_CHECK(memcmp(one->width, other->width, n * sizeof *one->width) == 0, "phase %u", one->number);
    FUZZ_CHECK(memcmp(one->repeat, other->repeat, n * sizeof *one->repeat) == 0, "phase %u", one->number);
    FUZZ_CHECK(memcmp(one->address_start, other->address_start, (n + 1) * sizeof *one->address_start) == 0,
               "phase %u", one->number);
    FUZZ_CHECK(memcmp(one->receiver_start, other->receiver_start, (n + 1) * sizeof *one->receiver_start) == 0,
               "phase %u", one->number);
    size_t addresses = one->address_start[n], receivers = one->receiver_start[n];
    FUZZ_CHECK(memcmp(one->addresses, other->addresses, addresses * sizeof *one->addresses) == 0, "phase %u",
               one->number);
    FUZZ_CHECK(memcmp(one->receiver_tile, other->receiver_tile, receivers * sizeof *one->receiver_tile) == 0,
               "phase %u", one->number);
    FUZZ_CHECK(memcmp(one->receiver_address, other->receiver_address,
                      receivers * sizeof *one->receiver_address) == 0,
               "phase %u", one->number);
}

void fuzz_check_same_capture(const Capture *one, const Capture *other)
{
    FUZZ_CHECK(one->schema_version == other->schema_version, "schema version");
    FUZZ_CHECK(one->tile_count == other->tile_count, "tile count");
    FUZZ_CHECK(one->transfers == other->transfers, "transfers");
    FUZZ_CHECK(one->phase_count == other->phase_count, "phases");
    FUZZ_CHECK(one->spelling == other->spelling, "spelling");
    FUZZ_CHECK(one->extra_count == other->extra_count, "unknown members");
    FUZZ_CHECK(one->label_count == other->label_count, "labels");
    for (size_t i = 0; i < one->extra_count; i++) {
        FUZZ_CHECK(strcmp(one->extra_members[i], other->extra_members[i]) == 0, "unknown member %zu", i);
    }
    for (size_t i = 0; i < one->label_count; i++) {
        FUZZ_CHECK(one->labels[i].phase == other->labels[i].phase &&
                       strcmp(one->labels[i].text, other->labels[i].text) == 0,
                   "label %zu", i);
    }
    for (size_t i = 0; i < one->phase_count; i++) {
        fuzz_check_same_phase(one->phases[i], other->phases[i]);
        FUZZ_CHECK(one->phases[i]->extra_count == other->phases[i]->extra_count, "unknown members of %zu", i);
    }
}
