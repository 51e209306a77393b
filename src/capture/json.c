#include "config.h"

#include "capture/json.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

bool json_open(JsonReader *reader, const char *name, JsonSource source, size_t window_bytes,
               Progress *progress, Error *error)
{
    *reader = (JsonReader){.name = name, .source = source, .progress = progress, .error = error};
    reader->capacity = window_bytes < JSON_WINDOW_MIN ? JSON_WINDOW_MIN : window_bytes;
    reader->window = mem_new(reader->capacity + JSON_PADDING, 1, error);
    if (reader->window == NULL) {
        return false;
    }
    reader->cursor = reader->end = reader->window;
    memset(reader->window, 0, JSON_PADDING);
    return true;
}

void json_close(JsonReader *reader)
{
    mem_free(reader->window);
    text_free(&reader->string);
    text_free(&reader->raw);
}

static bool json_memory_read(void *context, void *buffer, size_t capacity, size_t *got, Error *error)
{
    (void)error;
    JsonMemory *memory = context;
    *got = memory->left < capacity ? memory->left : capacity;
    if (*got > 0) {
        memcpy(buffer, memory->bytes, *got);
        memory->bytes += *got;
        memory->left -= *got;
        memory->taken += *got;
    }
    return true;
}

static uint64_t json_memory_consumed(const void *context)
{
    return ((const JsonMemory *)context)->taken;
}

JsonSource json_memory_source(JsonMemory *memory)
{
    return (JsonSource){.read = json_memory_read, .consumed = json_memory_consumed, .context = memory};
}

/* ---- the window ---- */

static void json_record_until_cursor(JsonReader *reader)
{
    text_append_bytes(&reader->raw, reader->mark, (size_t)(reader->cursor - reader->mark));
    reader->mark = NULL;
}

bool json_refill(JsonReader *reader, size_t wanted)
{
    bool recording = reader->mark != NULL;
    if (recording) {
        json_record_until_cursor(reader);
    }
    size_t left = (size_t)(reader->end - reader->cursor);
    reader->window_offset += (uint64_t)(reader->cursor - reader->window);
    memmove(reader->window, reader->cursor, left);
    reader->cursor = reader->window;
    reader->mark = recording ? reader->window : NULL;
    wanted = wanted < reader->capacity ? wanted : reader->capacity;
    while (left < wanted && !reader->ended && !reader->failed) {
        size_t got = 0;
        if (!progress_go_on(reader->progress, reader->error) ||
            !reader->source.read(reader->source.context, reader->window + left, reader->capacity - left, &got,
                                 reader->error)) {
            reader->failed = true;
        }
        reader->ended = got == 0;
        left += got;
        progress_set(reader->progress, reader->source.consumed(reader->source.context));
    }
    reader->end = reader->window + left;
    memset(reader->window + left, 0, JSON_PADDING);
    return !reader->failed;
}

int json_peek_slow(JsonReader *reader)
{
    if (reader->ended || reader->failed || !json_refill(reader, 1) || reader->cursor == reader->end) {
        return JSON_END;
    }
    return (unsigned char)*reader->cursor;
}

/* Look-ahead: how many bytes stand at the cursor, at least `wanted` unless the document ends. */
static size_t json_ahead(JsonReader *reader, size_t wanted)
{
    if ((size_t)(reader->end - reader->cursor) < wanted && !reader->ended && !reader->failed) {
        json_refill(reader, wanted);
    }
    return (size_t)(reader->end - reader->cursor);
}

int json_skip_space(JsonReader *reader)
{
    for (;;) {
        const char *c = reader->cursor;
        while (*c == ' ' || *c == '\n' || *c == '\r' || *c == '\t') {
            c++;
        }
        reader->cursor = c;
        if (c < reader->end) {
            return (unsigned char)*c;
        }
        if (json_peek_slow(reader) == JSON_END) {
            return JSON_END;
        }
    }
}

/* ---- failures ---- */

bool json_fail(JsonReader *reader, uint64_t offset, const char *format, ...)
{
    if (!reader->failed) {
        char what[300];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(what, sizeof what, format, arguments);
        va_end(arguments);
        error_set(reader->error, ERROR_INPUT, "%s: byte %llu: %s", reader->name, (unsigned long long)offset,
                  what);
        reader->failed = true;
    }
    return false;
}

bool json_unexpected(JsonReader *reader, const char *expected)
{
    char found[24] = "the end of the file";
    int c = json_peek(reader);
    if (c > 0x20 && c < 0x7f) {
        snprintf(found, sizeof found, "'%c'", c);
    } else if (c != JSON_END) {
        snprintf(found, sizeof found, "byte 0x%02x", (unsigned)c);
    }
    return json_fail(reader, json_offset(reader), "found %s, expected %s", found, expected);
}

/* Strings and raw text grow unseen; this is where a lack of memory comes out. */
static bool json_text_ok(JsonReader *reader, const Text *text)
{
    if (!reader->failed && !text_ok(text, reader->error)) {
        reader->failed = true;
    }
    return !reader->failed;
}

/* ---- structure ---- */

bool json_enter(JsonReader *reader, char open)
{
    if (json_skip_space(reader) != open) {
        return json_unexpected(reader, open == '{' ? "'{'" : "'['");
    }
    if (reader->depth == JSON_DEPTH_MAX) {
        return json_fail(reader, json_offset(reader),
                         "found nesting deeper than %d levels, expected at most %d", JSON_DEPTH_MAX,
                         JSON_DEPTH_MAX);
    }
    reader->depth++;
    reader->cursor++;
    return true;
}

bool json_more(JsonReader *reader, char close, bool *first, bool *more)
{
    int c = json_skip_space(reader);
    *more = c != close;
    if (c == close) {
        reader->depth--;
        reader->cursor++;
    } else if (!*first) {
        if (c != ',') {
            return json_unexpected(reader, close == '}' ? "',' or '}'" : "',' or ']'");
        }
        reader->cursor++;
        json_skip_space(reader);
    }
    *first = false;
    return true;
}

bool json_key(JsonReader *reader, bool keep)
{
    if (json_skip_space(reader) != '"') {
        return json_unexpected(reader, "a key in quotes");
    }
    if (keep) {
        text_clear(&reader->raw);
        reader->mark = reader->cursor;
    }
    if (!json_string(reader, keep)) {
        return false;
    }
    if (keep) {
        json_record_until_cursor(reader);
        text_append_char(&reader->raw, ':');
    }
    if (json_skip_space(reader) != ':') {
        return json_unexpected(reader, "':' after a key");
    }
    reader->cursor++;
    return !keep || json_text_ok(reader, &reader->raw);
}

/* ---- strings ---- */

static void json_append_utf8(Text *text, uint32_t c)
{
    char bytes[4];
    size_t length = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char lead[5] = {0, 0x00, 0xc0, 0xe0, 0xf0};
    for (size_t i = length; i-- > 1; c >>= 6) {
        bytes[i] = (char)(0x80 | (c & 0x3f));
    }
    bytes[0] = (char)(lead[length] | c);
    text_append_bytes(text, bytes, length);
}

/* Four hex digits at `bytes`; false when one of them is none (the NUL behind the window is none). */
static bool json_hex(const char *bytes, uint32_t *value)
{
    *value = 0;
    for (int i = 0; i < 4; i++) {
        char c = bytes[i];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0) {
            return false;
        }
        *value = *value << 4 | (uint32_t)digit;
    }
    return true;
}

/* \uXXXX, or the two of a surrogate pair, at the cursor. */
static bool json_unicode_escape(JsonReader *reader, uint32_t *c)
{
    enum { LENGTH = 6 };
    uint32_t low;
    json_ahead(reader, LENGTH);
    if (!json_hex(reader->cursor + 2, c)) {
        return json_fail(reader, json_offset(reader),
                         "found a \\u escape without four hex digits, expected four");
    }
    reader->cursor += LENGTH;
    if (*c >= 0xd800 && *c < 0xdc00 && json_ahead(reader, LENGTH) >= LENGTH && reader->cursor[0] == '\\' &&
        reader->cursor[1] == 'u' && json_hex(reader->cursor + 2, &low) && low >= 0xdc00 && low < 0xe000) {
        *c = 0x10000 + ((*c - 0xd800) << 10) + (low - 0xdc00);
        reader->cursor += LENGTH;
    }
    if (*c >= 0xd800 && *c < 0xe000) {
        *c = 0xfffd;
    }
    return true;
}

static bool json_escape(JsonReader *reader, Text *decoded)
{
    static const char names[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    if (json_ahead(reader, 2) < 2) {
        reader->cursor = reader->end;
        return json_unexpected(reader, "the rest of a string");
    }
    uint32_t c;
    const char *name = memchr(names, reader->cursor[1], sizeof names - 1);
    if (name != NULL) {
        c = (unsigned char)meanings[name - names];
        reader->cursor += 2;
    } else if (reader->cursor[1] != 'u') {
        reader->cursor++;
        return json_unexpected(reader, "one of \" \\ / b f n r t u after a backslash");
    } else if (!json_unicode_escape(reader, &c)) {
        return false;
    }
    if (decoded != NULL) {
        json_append_utf8(decoded, c);
    }
    return true;
}

static bool json_multibyte(JsonReader *reader, Text *decoded)
{
    uint32_t c;
    size_t ahead = json_ahead(reader, 4); /* moves the cursor */
    size_t size = text_decode_utf8(reader->cursor, ahead, &c);
    if (size == 0) {
        return json_fail(reader, json_offset(reader),
                         "found invalid UTF-8 in a string (byte 0x%02x), expected UTF-8",
                         (unsigned char)*reader->cursor);
    }
    if (decoded != NULL) {
        text_append_bytes(decoded, reader->cursor, size);
    }
    reader->cursor += size;
    return true;
}

bool json_string(JsonReader *reader, bool decode)
{
    Text *decoded = decode ? &reader->string : NULL;
    if (json_peek(reader) != '"') {
        return json_unexpected(reader, "a string");
    }
    reader->cursor++;
    if (decode) {
        text_clear(decoded);
    }
    for (;;) {
        const char *start = reader->cursor;
        const char *c = start;
        /* Bytes above 0x7f are negative here: they stop the scan as control characters do. */
        while ((signed char)*c >= 0x20 && *c != '"' && *c != '\\') {
            c++;
        }
        if (decode) {
            text_append_bytes(decoded, start, (size_t)(c - start));
        }
        reader->cursor = c;
        int next = json_peek(reader);
        if (next == '"') {
            reader->cursor++;
            return !decode || json_text_ok(reader, decoded);
        }
        if (next == '\\') {
            if (!json_escape(reader, decoded)) {
                return false;
            }
        } else if (next >= 0x80) {
            if (!json_multibyte(reader, decoded)) {
                return false;
            }
        } else if (next < 0x20) {
            return json_unexpected(reader, next == JSON_END ? "the rest of a string"
                                                            : "control characters in a string to be escaped");
        }
    }
}

/* ---- numbers ---- */

/* Takes the next byte of a number into its text. */
static void json_take_digit(JsonReader *reader, JsonNumber *number, size_t *length)
{
    if (*length < sizeof number->text - 1) {
        number->text[(*length)++] = *reader->cursor;
        number->text[*length] = '\0';
    } else {
        memcpy(number->text + *length - 3, "...", 3);
    }
    reader->cursor++;
}

static bool json_is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static bool json_take_digits(JsonReader *reader, JsonNumber *number, size_t *length, bool whole)
{
    if (!json_is_digit(json_peek(reader))) {
        return json_unexpected(reader, "a digit");
    }
    for (int c; json_is_digit(c = json_peek(reader));) {
        uint64_t digit = (uint64_t)(c - '0');
        if (whole) {
            number->value =
                number->value > (UINT64_MAX - digit) / 10 ? UINT64_MAX : number->value * 10 + digit;
        }
        json_take_digit(reader, number, length);
    }
    return true;
}

bool json_number(JsonReader *reader, JsonNumber *number)
{
    size_t length = 0;
    *number = (JsonNumber){.form = JSON_NATURAL};
    if (json_peek(reader) == '-') {
        number->form = JSON_NEGATIVE;
        json_take_digit(reader, number, &length);
    }
    if (json_peek(reader) == '0') {
        json_take_digit(reader, number, &length);
        if (json_is_digit(json_peek(reader))) {
            return json_unexpected(reader, "no digit after a leading zero");
        }
    } else if (!json_take_digits(reader, number, &length, true)) {
        return false;
    }
    if (json_peek(reader) == '.') {
        number->form = number->form == JSON_NEGATIVE ? JSON_NEGATIVE : JSON_FRACTION;
        json_take_digit(reader, number, &length);
        if (!json_take_digits(reader, number, &length, false)) {
            return false;
        }
    }
    if (json_peek(reader) == 'e' || json_peek(reader) == 'E') {
        number->form = number->form == JSON_NATURAL ? JSON_EXPONENT : number->form;
        json_take_digit(reader, number, &length);
        if (json_peek(reader) == '+' || json_peek(reader) == '-') {
            json_take_digit(reader, number, &length);
        }
        if (!json_take_digits(reader, number, &length, false)) {
            return false;
        }
    }
    return !reader->failed;
}

/* ---- any value ---- */

const char *json_kind(int byte)
{
    switch (byte) {
    case '{':
        return "an object";
    case '[':
        return "an array";
    case '"':
        return "a string";
    case 't':
    case 'f':
        return "a truth value";
    case 'n':
        return "null";
    default:
        return byte == '-' || json_is_digit(byte) ? "a number" : NULL;
    }
}

static bool json_literal(JsonReader *reader, const char *word, const char *expected)
{
    for (; *word != '\0'; word++) {
        if (json_peek(reader) != *word) {
            return json_unexpected(reader, expected);
        }
        reader->cursor++;
    }
    return true;
}

/* Recursion is bounded by json_enter. */
static bool json_pass_over(JsonReader *reader)
{
    JsonNumber number;
    int c = json_skip_space(reader);
    if (c == '"') {
        return json_string(reader, false);
    }
    if (c == 't') {
        return json_literal(reader, "true", "true");
    }
    if (c == 'f') {
        return json_literal(reader, "false", "false");
    }
    if (c == 'n') {
        return json_literal(reader, "null", "null");
    }
    if (c == '-' || json_is_digit(c)) {
        return json_number(reader, &number);
    }
    if (c != '{' && c != '[') {
        return json_unexpected(reader, "a value");
    }
    if (!json_enter(reader, (char)c)) {
        return false;
    }
    for (bool first = true, more;;) {
        if (!json_more(reader, c == '{' ? '}' : ']', &first, &more)) {
            return false;
        }
        if (!more) {
            return true;
        }
        if ((c == '{' && !json_key(reader, false)) || !json_pass_over(reader)) {
            return false;
        }
    }
}

bool json_skip_value(JsonReader *reader, bool record)
{
    json_skip_space(reader);
    reader->mark = record ? reader->cursor : NULL;
    bool good = json_pass_over(reader);
    if (reader->mark != NULL) {
        json_record_until_cursor(reader);
    }
    return good && (!record || json_text_ok(reader, &reader->raw));
}
