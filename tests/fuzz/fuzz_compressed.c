/* Files that may be compressed: the first byte says what is done with the rest. As it is; or packed with
 * gzip or zstd, in several members, where reading must give the bytes back; or packed and then spoilt, where
 * it must end, and not with more bytes than were packed unless it says so. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "base/file.h"
#include "capture/capture.h"
#include "fuzz.h"

enum { SPOIL = 4, GZIP = 1, ZSTD = 2, LIMIT = 1 << 20 };

static size_t pack_gzip(const uint8_t *bytes, size_t size, uint8_t *packed, size_t room, int level)
{
    z_stream stream = {0};
    FUZZ_CHECK(deflateInit2(&stream, level, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK,
               "zlib");
    stream.next_in = (Bytef *)(uintptr_t)bytes;
    stream.avail_in = (unsigned)size;
    stream.next_out = packed;
    stream.avail_out = (unsigned)room;
    FUZZ_CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END, "zlib");
    size_t length = stream.total_out;
    deflateEnd(&stream);
    return length;
}

static size_t pack(unsigned kind, const uint8_t *bytes, size_t size, uint8_t *packed, size_t room, int level)
{
    if (kind == GZIP) {
        return pack_gzip(bytes, size, packed, room, level);
    }
    size_t length = ZSTD_compress(packed, room, bytes, size, level);
    FUZZ_CHECK(!ZSTD_isError(length), "zstd");
    return length;
}

/* Reads the file in pieces of `piece` bytes; false with an error, else the text. */
static bool read_all(size_t piece, Text *text, Error *error)
{
    Input *input = input_open("packed", error);
    FUZZ_CHECK(input != NULL, "%s", error->message);
    uint8_t buffer[4096];
    size_t got = 1;
    bool good = true;
    while (good && got > 0 && text->length < LIMIT) {
        good = input_read(input, buffer, piece, &got, error);
        if (good) {
            FUZZ_CHECK(got <= piece, "%zu of %zu", got, piece);
            text_append_bytes(text, (const char *)buffer, got);
        }
    }
    FUZZ_CHECK(input_consumed(input) <= input_size(input), "%llu", (unsigned long long)input_consumed(input));
    input_close(input);
    return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Bytes bytes = {data, data + size};
    unsigned kind = fuzz_byte(&bytes);
    unsigned split = fuzz_byte(&bytes), place = fuzz_number(&bytes, 2), with = fuzz_byte(&bytes);
    const uint8_t *rest = bytes.next;
    size_t length = (size_t)(bytes.end - bytes.next), packed_length = length;
    size_t room = 2 * length + 1024;
    uint8_t *packed = malloc(room);
    FUZZ_CHECK(packed != NULL, "memory");
    unsigned how = kind % SPOIL % 3;
    if (how != 0) {
        size_t first = length * split / 255;
        int level = 1 + (int)(kind >> 4) % 9;
        packed_length = pack(how, rest, first, packed, room, level);
        packed_length +=
            pack(how, rest + first, length - first, packed + packed_length, room - packed_length, level);
    } else if (length > 0) {
        memcpy(packed, rest, length);
    }
    bool spoilt = how != 0 && kind % (2 * SPOIL) >= SPOIL;
    if (spoilt && with % 2 == 0) {
        packed_length = place % packed_length;
    } else if (spoilt) {
        packed[place % packed_length] ^= (uint8_t)with;
    }
    fuzz_folder();
    fuzz_write("packed", packed, packed_length);
    free(packed);

    Text text = {0}, again = {0};
    Error error = {0};
    bool good = read_all(4096, &text, &error);
    Error other = {0};
    FUZZ_CHECK(read_all(1 + split % 64, &again, &other) == good, "in pieces: %s", other.message);
    if (!good) {
        fuzz_check_error(&error);
        FUZZ_CHECK(how == 0 || spoilt, "%s", error.message);
        FUZZ_CHECK(error.kind == other.kind, "\"%s\", \"%s\"", error.message, other.message);
    } else {
        FUZZ_CHECK(text.length == again.length &&
                       memcmp(text_view(&text), text_view(&again), text.length) == 0,
                   "%zu bytes, %zu in pieces", text.length, again.length);
        bool same = text.length == length && (length == 0 || memcmp(text.bytes, rest, length) == 0);
        FUZZ_CHECK(how == 0 || spoilt || same, "%zu of %zu bytes", text.length, length);
    }
    error = (Error){0};
    Capture *capture = capture_load("packed", NULL, NULL, &error);
    if (capture == NULL) {
        fuzz_check_error(&error);
        FUZZ_CHECK(strncmp(error.message, "packed: ", 8) == 0, "%s", error.message);
    } else {
        FUZZ_CHECK(good && capture->file_bytes == text.length, "%llu of %zu bytes",
                   (unsigned long long)capture->file_bytes, text.length);
    }
    capture_free(capture);
    text_free(&text);
    text_free(&again);
    return 0;
}
