#include "config.h"

#include "support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/reader.h"

typedef struct Pieces {
    const char *bytes;
    size_t left, piece, taken;
} Pieces;

static bool pieces_read(void *context, void *buffer, size_t capacity, size_t *got, Error *error)
{
    (void)error;
    Pieces *pieces = context;
    *got = pieces->left < capacity ? pieces->left : capacity;
    *got = *got < pieces->piece ? *got : pieces->piece;
    memcpy(buffer, pieces->bytes, *got);
    pieces->bytes += *got;
    pieces->left -= *got;
    pieces->taken += *got;
    return true;
}

static uint64_t pieces_consumed(const void *context)
{
    return ((const Pieces *)context)->taken;
}

Capture *support_load(const char *bytes, size_t length, size_t window, size_t piece, Error *error)
{
    Pieces pieces = {.bytes = bytes, .left = length, .piece = piece};
    JsonSource source = {.read = pieces_read, .consumed = pieces_consumed, .context = &pieces};
    return reader_load("test", source, window, NULL, NULL, error);
}

#define ASSERT_SAME_COLUMN(a, b, column, count)                                                              \
    assert_memory_equal((a)->column, (b)->column, (count) * sizeof *(a)->column)

void support_assert_same_phase(const Phase *phase, const Phase *other)
{
    assert_int_equal(phase->number, other->number);
    assert_int_equal(phase->transfers, other->transfers);
    size_t n = phase->transfers;
    ASSERT_SAME_COLUMN(phase, other, source, n);
    ASSERT_SAME_COLUMN(phase, other, words, n);
    ASSERT_SAME_COLUMN(phase, other, width, n);
    ASSERT_SAME_COLUMN(phase, other, repeat, n);
    ASSERT_SAME_COLUMN(phase, other, address_start, n + 1);
    ASSERT_SAME_COLUMN(phase, other, receiver_start, n + 1);
    ASSERT_SAME_COLUMN(phase, other, addresses, phase->address_start[n]);
    ASSERT_SAME_COLUMN(phase, other, receiver_tile, phase->receiver_start[n]);
    ASSERT_SAME_COLUMN(phase, other, receiver_address, phase->receiver_start[n]);
    assert_int_equal(phase->extra_count, other->extra_count);
    for (size_t i = 0; i < phase->extra_count; i++) {
        assert_int_equal(phase->extras[i].transfer, other->extras[i].transfer);
        assert_int_equal(phase->extras[i].receiver, other->extras[i].receiver);
        assert_string_equal(phase->extras[i].member, other->extras[i].member);
    }
}

void support_assert_same_capture(const Capture *capture, const Capture *other)
{
    assert_int_equal(capture->schema_version, other->schema_version);
    assert_int_equal(capture->tile_count, other->tile_count);
    assert_int_equal(capture->spelling, other->spelling);
    assert_int_equal(capture->transfers, other->transfers);
    assert_int_equal(capture->extra_count, other->extra_count);
    for (size_t i = 0; i < capture->extra_count; i++) {
        assert_string_equal(capture->extra_members[i], other->extra_members[i]);
    }
    assert_int_equal(capture->label_count, other->label_count);
    for (size_t i = 0; i < capture->label_count; i++) {
        assert_int_equal(capture->labels[i].phase, other->labels[i].phase);
        assert_string_equal(capture->labels[i].text, other->labels[i].text);
    }
    assert_true((capture->labels_json == NULL) == (other->labels_json == NULL));
    if (capture->labels_json != NULL) {
        assert_string_equal(capture->labels_json, other->labels_json);
    }
    assert_int_equal(capture->phase_count, other->phase_count);
    for (size_t i = 0; i < capture->phase_count; i++) {
        support_assert_same_phase(capture->phases[i], other->phases[i]);
    }
}

static char folder[64];

int support_make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/exscope-capture-XXXXXX");
    return mkdtemp(folder) == NULL;
}

int support_remove_folder(void **state)
{
    (void)state;
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

const char *support_path(const char *name)
{
    static char path[4][300];
    static unsigned turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

void support_put(const char *path, const void *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

char *support_get(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    assert_true(size >= 0);
    rewind(file);
    char *bytes = malloc((size_t)size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, (size_t)size, file), size);
    bytes[size] = '\0';
    fclose(file);
    *length = (size_t)size;
    return bytes;
}
