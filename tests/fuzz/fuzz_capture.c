/* The capture reader on arbitrary text. What it accepts must keep the rules of the format, mean the same to
 * cJSON, be read the same through a window of any size, and survive being written and read again. */
#include "config.h"

#include <cJSON.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "capture/reader.h"
#include "fuzz.h"

/* ---- the same with a window of another size, and in pieces ---- */

typedef struct Pieces {
    const uint8_t *bytes;
    size_t length, taken, piece;
} Pieces;

static bool pieces_read(void *context, void *buffer, size_t capacity, size_t *got, Error *error)
{
    (void)error;
    Pieces *pieces = context;
    size_t left = pieces->length - pieces->taken;
    *got = left < pieces->piece ? left : pieces->piece;
    *got = *got < capacity ? *got : capacity;
    if (*got > 0) {
        memcpy(buffer, pieces->bytes + pieces->taken, *got);
    }
    pieces->taken += *got;
    return true;
}

static uint64_t pieces_consumed(const void *context)
{
    return ((const Pieces *)context)->taken;
}

static void check_windows(const uint8_t *data, size_t size, const Capture *capture, const Error *error)
{
    static const struct {
        size_t window, piece;
    } cases[] = {{JSON_WINDOW_MIN, 1}, {61, 7}, {4096, 4096}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Pieces pieces = {data, size, 0, cases[i].piece};
        JsonSource source = {pieces_read, pieces_consumed, &pieces};
        Error again = {0};
        Capture *other = reader_load("fuzz", source, cases[i].window, NULL, NULL, &again);
        FUZZ_CHECK((other == NULL) == (capture == NULL), "window %zu: %s", cases[i].window, again.message);
        if (capture == NULL) {
            FUZZ_CHECK(strcmp(error->message, again.message) == 0, "window %zu: \"%s\", \"%s\"",
                       cases[i].window, error->message, again.message);
        } else {
            fuzz_check_same_capture(capture, other);
        }
        capture_free(other);
    }
}

/* ---- the oracle ---- */

static double number_of(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    FUZZ_CHECK(cJSON_IsNumber(item), "%s", key);
    return item->valuedouble;
}

static void check_transfer(const Phase *phase, uint32_t i, const cJSON *transfer)
{
    FUZZ_CHECK(number_of(transfer, "source") == phase->source[i], "transfer %u", i);
    FUZZ_CHECK(number_of(transfer, "words") == phase->words[i], "transfer %u", i);
    const cJSON *width = cJSON_GetObjectItemCaseSensitive(transfer, "width");
    bool paired = width != NULL && strcmp(width->valuestring, "Paired64") == 0;
    FUZZ_CHECK((phase->width[i] == WIDTH_PAIRED64) == paired, "transfer %u", i);

    const cJSON *addresses = cJSON_GetObjectItemCaseSensitive(transfer, "source_addresses"), *item;
    FUZZ_CHECK((uint32_t)cJSON_GetArraySize(addresses) == phase->repeat[i], "transfer %u", i);
    uint32_t r = 0;
    cJSON_ArrayForEach(item, addresses)
    {
        FUZZ_CHECK(item->valuedouble == phase_address(phase, i, r), "transfer %u, iteration %u", i, r);
        r++;
    }
    uint32_t k = phase->receiver_start[i];
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(transfer, "destinations"))
    {
        bool array = cJSON_IsArray(item);
        double tile = array ? cJSON_GetArrayItem(item, 0)->valuedouble : number_of(item, "tile");
        double address = array ? cJSON_GetArrayItem(item, 1)->valuedouble : number_of(item, "address");
        FUZZ_CHECK(k < phase->receiver_start[i + 1], "transfer %u", i);
        FUZZ_CHECK(tile == phase->receiver_tile[k] && address == phase->receiver_address[k], "transfer %u",
                   i);
        k++;
    }
    FUZZ_CHECK(k == phase->receiver_start[i + 1], "transfer %u", i);
}

static void check_with_oracle(const Capture *capture, const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    for (size_t i = 0; i + 6 <= size; i++) {
        if (memcmp(text + i, "\\u0000", 6) == 0) {
            return; /* a string with a NUL ends there for cJSON */
        }
    }
    cJSON *tree = cJSON_ParseWithLength(text, size);
    if (tree == NULL) {
        /* cJSON 1.7 refuses lone surrogates, which RFC 8259 allows and the reader replaces */
        FUZZ_CHECK(memmem(text, size, "\\u", 2) != NULL, "read, but cJSON refuses it at %s",
                   cJSON_GetErrorPtr());
        return;
    }
    FUZZ_CHECK(number_of(tree, "schema_version") == capture->schema_version, "schema version");
    FUZZ_CHECK(number_of(tree, "tile_count") == capture->tile_count, "tile count");
    const cJSON *phases = cJSON_GetObjectItemCaseSensitive(tree, "phases"), *item, *transfer;
    FUZZ_CHECK((size_t)cJSON_GetArraySize(phases) == capture->phase_count, "phases");
    size_t p = 0;
    uint64_t transfers = 0;
    cJSON_ArrayForEach(item, phases)
    {
        const Phase *phase = capture->phases[p++];
        FUZZ_CHECK(number_of(item, "phase") == phase->number, "phase %zu", p);
        uint32_t i = 0;
        cJSON_ArrayForEach(transfer, cJSON_GetObjectItemCaseSensitive(item, "transfers"))
        {
            FUZZ_CHECK(i < phase->transfers, "phase %zu", p);
            check_transfer(phase, i++, transfer);
        }
        FUZZ_CHECK(i == phase->transfers, "phase %zu", p);
        transfers += i;
    }
    FUZZ_CHECK(transfers == capture->transfers, "transfers");
    cJSON_Delete(tree);
}

/* ---- written and read again ---- */

static void check_fixture(const Capture *capture, const Phase *phase)
{
    Error error = {0};
    FUZZ_CHECK(capture_write_fixture(capture, phase, "fixture.json", true, NULL, &error), "%s",
               error.message);
    Capture *again = capture_load("fixture.json", NULL, NULL, &error);
    FUZZ_CHECK(again != NULL, "%s", error.message);
    FUZZ_CHECK(again->phase_count == 1, "%zu phases", again->phase_count);
    if (phase->transfers == 0) {
        again->spelling = capture->spelling; /* no endpoint shows it */
    }
    /* what a capture of this phase alone would be */
    Phase *phases[] = {(Phase *)(uintptr_t)phase};
    Capture alone = *capture;
    alone.phases = phases;
    alone.phase_count = 1;
    alone.transfers = phase->transfers;
    fuzz_check_same_capture(&alone, again);
    capture_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_folder();
    Error error = {0};
    Capture *capture = capture_load_memory("fuzz", data, size, NULL, NULL, &error);
    check_windows(data, size, capture, &error);
    if (capture == NULL) {
        fuzz_check_error(&error);
        return 0;
    }
    FUZZ_CHECK(capture->file_bytes == size, "%zu", size);
    FUZZ_CHECK(capture->schema_version >= 1 && capture->schema_version <= 4, "%u", capture->schema_version);
    FUZZ_CHECK(capture->tile_count >= 1 && capture->tile_count <= FABRIC_TILES, "%u", capture->tile_count);
    for (size_t i = 0; i < capture->phase_count; i++) {
        const Phase *phase = capture->phases[i];
        FUZZ_CHECK(phase_check(phase, capture->tile_count, &error), "%s", error.message);
        FUZZ_CHECK(capture_phase(capture, phase->number) == phase, "phase %u", phase->number);
        capture_label(capture, phase->number);
    }
    check_with_oracle(capture, data, size);
    if (capture->phase_count > 0) {
        check_fixture(capture, capture->phases[data[size / 2] % capture->phase_count]);
    }
    capture_free(capture);
    return 0;
}
