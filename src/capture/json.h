/* A strict JSON reader (RFC 8259) that pulls a document of any size through a window of fixed size.
 *
 *     window                 cursor            end
 *     |  read, no longer kept  |  still to read  | 0 0 0 ... (JSON_PADDING NUL bytes)
 *
 * The NUL bytes behind `end` stop every scan, so a hot loop needs no bounds check: it meets a byte that
 * cannot continue what it is in, and only then asks whether the window is at its end.
 *
 * Every function that returns bool fails with one line in `error`, "NAME: byte OFFSET: found X, expected Y",
 * and keeps the first failure. Text can be as long as the document; depth is bounded by JSON_DEPTH_MAX. */
#ifndef EXSCOPE_CAPTURE_JSON_H
#define EXSCOPE_CAPTURE_JSON_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/progress.h"
#include "base/text.h"

enum {
    JSON_DEPTH_MAX = 64,
    JSON_PADDING = 32,    /* readable NUL bytes behind the window's end */
    JSON_WINDOW_MIN = 16, /* the longest look-ahead fits */
    JSON_END = -1         /* what json_peek gives at the end, and after a failure */
};

/* Where the bytes come from: as input_read(), and the position that `progress` is told. */
typedef struct JsonSource {
    bool (*read)(void *context, void *buffer, size_t capacity, size_t *got, Error *error);
    uint64_t (*consumed)(const void *context);
    void *context;
} JsonSource;

/* A document in memory as a source: starts as {.bytes, .left}, and stays in place while it is read. */
typedef struct JsonMemory {
    const char *bytes; /* still to be read */
    size_t left;
    uint64_t taken;
} JsonMemory;

JsonSource json_memory_source(JsonMemory *memory);

typedef struct JsonReader {
    const char *name; /* of the document, for messages */
    JsonSource source;
    Progress *progress;
    Error *error;
    bool failed;

    char *window;
    size_t capacity;
    const char *cursor, *end;
    uint64_t window_offset; /* of window[0] in the document */
    bool ended;             /* the source has no more */
    unsigned depth;         /* open arrays and objects */

    Text string;      /* what json_string() decoded last */
    Text raw;         /* what was recorded */
    const char *mark; /* recording: what is still to be added to `raw` starts here; NULL otherwise */
} JsonReader;

typedef enum JsonNumberForm { JSON_NATURAL, JSON_NEGATIVE, JSON_FRACTION, JSON_EXPONENT } JsonNumberForm;

typedef struct JsonNumber {
    JsonNumberForm form;
    uint64_t value; /* of a natural number; UINT64_MAX when it is larger */
    char text[28];  /* as it stands in the document, "..." at the end when it is long */
} JsonNumber;

bool json_open(JsonReader *reader, const char *name, JsonSource source, size_t window_bytes,
               Progress *progress, Error *error);
void json_close(JsonReader *reader);

/* Moves the window so that `wanted` bytes (at most its size) stand before `end`, fewer at the end of the
 * document. Polls the cancel flag. */
bool json_refill(JsonReader *reader, size_t wanted);

int json_peek_slow(JsonReader *reader);

/* The next byte, not taken; JSON_END when there is none. */
static inline int json_peek(JsonReader *reader)
{
    return reader->cursor < reader->end ? (unsigned char)*reader->cursor : json_peek_slow(reader);
}

static inline uint64_t json_offset(const JsonReader *reader)
{
    return reader->window_offset + (uint64_t)(reader->cursor - reader->window);
}

/* Skips white space and peeks. */
int json_skip_space(JsonReader *reader);

/* Fails at the next byte: "found ..., expected `expected`". */
bool json_unexpected(JsonReader *reader, const char *expected);

/* Fails with a text of its own, at `offset`. */
bool json_fail(JsonReader *reader, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Arrays and objects:  json_enter(reader, '[') && loop { json_more(reader, ']', &first, &more) } with `first`
 * true before the first call. When `more` comes back false the closing bracket has been taken. */
bool json_enter(JsonReader *reader, char open);
bool json_more(JsonReader *reader, char close, bool *first, bool *more);

/* A string; decoded into reader->string when `decode`. A lone surrogate escape becomes U+FFFD. */
bool json_string(JsonReader *reader, bool decode);

/* "key" and ":". With `keep`, the key is decoded in reader->string and stands as in the document, with its
 * quotes and a colon, in reader->raw. */
bool json_key(JsonReader *reader, bool keep);

bool json_number(JsonReader *reader, JsonNumber *number);

/* Any value, checked and passed over; with `record`, its text is appended to reader->raw. */
bool json_skip_value(JsonReader *reader, bool record);

/* What kind of value starts with this byte, with its article ("an object"); NULL when none does. */
const char *json_kind(int byte);

#endif
