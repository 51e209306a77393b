#include "config.h"

#include "base/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static bool text_reserve(Text *text, size_t extra)
{
    if (text->failed || extra > SIZE_MAX / 2 - text->length) {
        text->failed = true;
        return false;
    }
    if (!mem_grow(&text->bytes, &text->capacity, text->length + extra + 1, 1, NULL)) {
        text->failed = true;
        return false;
    }
    return true;
}

void text_append_bytes(Text *text, const char *bytes, size_t length)
{
    if (text_reserve(text, length)) {
        if (length != 0) {
            memcpy(text->bytes + text->length, bytes, length);
        }
        text->length += length;
        text->bytes[text->length] = '\0';
    }
}

void text_append(Text *text, const char *string)
{
    text_append_bytes(text, string, strlen(string));
}

void text_append_char(Text *text, char character)
{
    text_append_bytes(text, &character, 1);
}

void text_append_repeat(Text *text, char character, size_t count)
{
    if (text_reserve(text, count)) {
        memset(text->bytes + text->length, character, count);
        text->length += count;
        text->bytes[text->length] = '\0';
    }
}

void text_append_unsigned(Text *text, uint64_t number)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    text_append_bytes(text, digits + at, sizeof digits - at);
}

void text_append_hex(Text *text, uint64_t number, unsigned digits)
{
    char characters[16];
    size_t at = sizeof characters;
    do {
        characters[--at] = "0123456789abcdef"[number & 15];
        number >>= 4;
    } while (at > 0 && (number != 0 || sizeof characters - at < digits));
    text_append_bytes(text, characters + at, sizeof characters - at);
}

void text_printf(Text *text, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0) {
        text->failed = true;
    } else if (text_reserve(text, (size_t)length)) {
        vsnprintf(text->bytes + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

size_t text_decode_utf8(const char *bytes, size_t length, uint32_t *code_point)
{
    const unsigned char *byte = (const unsigned char *)bytes;
    if (length == 0) {
        return 0;
    }
    if (byte[0] < 0x80) {
        *code_point = byte[0];
        return 1;
    }
    size_t size = byte[0] >= 0xf0 ? 4 : byte[0] >= 0xe0 ? 3 : 2;
    if (byte[0] < 0xc2 || byte[0] > 0xf4 || length < size) {
        return 0;
    }
    uint32_t value = byte[0] & (0xffu >> (size + 1));
    for (size_t i = 1; i < size; i++) {
        if ((byte[i] & 0xc0) != 0x80) {
            return 0;
        }
        value = value << 6 | (byte[i] & 0x3f);
    }
    static const uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
    if (value < smallest[size] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) {
        return 0;
    }
    *code_point = value;
    return size;
}

/* Characters that are invisible or that change how their neighbours are laid out. */
static bool text_is_hidden(uint32_t c)
{
    return (c >= 0x80 && c < 0xa0) || c == 0xad || c == 0x61c || c == 0x180e ||
           (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) ||
           c == 0xfeff || (c >= 0xfff0 && c <= 0xfffb) || (c >= 0xe0000 && c <= 0xe0fff);
}

/* The visible form of the next character into `out` (at most 12 bytes and a NUL); returns the bytes consumed.
 */
static size_t text_visible_next(const char *bytes, size_t length, char out[16])
{
    uint32_t c;
    size_t size = text_decode_utf8(bytes, length, &c);
    if (size == 0) {
        snprintf(out, 16, "\\x%02x", (unsigned char)bytes[0]);
        return 1;
    }
    if (c < 0x20 || c == 0x7f) {
        out[0] = '^';
        out[1] = c == 0x7f ? '?' : (char)(c + 64);
        out[2] = '\0';
    } else if (text_is_hidden(c)) {
        snprintf(out, 16, "<U+%04X>", (unsigned)c);
    } else {
        memcpy(out, bytes, size);
        out[size] = '\0';
    }
    return size;
}

/* How many bytes from here on are printable ASCII that neither JSON nor a terminal takes for anything else.
 */
static size_t text_plain_run(const char *bytes, size_t length)
{
    size_t run = 0;
    while (run < length && bytes[run] >= 0x20 && bytes[run] < 0x7f && bytes[run] != '"' &&
           bytes[run] != '\\') {
        run++;
    }
    return run;
}

void text_append_visible(Text *text, const char *bytes, size_t length)
{
    while (length > 0) {
        size_t used = text_plain_run(bytes, length);
        if (used > 0) {
            text_append_bytes(text, bytes, used);
        } else {
            char form[16];
            used = text_visible_next(bytes, length, form);
            text_append(text, form);
        }
        bytes += used;
        length -= used;
    }
}

size_t text_wrap(const char *bytes, size_t length, size_t columns)
{
    size_t at = 0, word_end = 0;
    for (size_t used = 0; at < length && used < columns; used++) {
        uint32_t point = 0;
        size_t character = text_decode_utf8(bytes + at, length - at, &point);
        at += character == 0 ? 1 : character;
        if (at == length || bytes[at] == ' ') {
            word_end = at;
        }
    }
    at = word_end > 0 ? word_end : at;
    while (at < length && bytes[at] == ' ') {
        at++;
    }
    return at;
}

void text_append_ascii(Text *text, const char *bytes, size_t length)
{
    while (length > 0) {
        uint32_t point = 0;
        size_t used = text_decode_utf8(bytes, length, &point);
        if (used <= 1) {
            text_append_visible(text, bytes, 1);
            used = 1;
        } else {
            text_printf(text, "<U+%04X>", (unsigned)point);
        }
        bytes += used;
        length -= used;
    }
}

void text_copy_visible(char *buffer, size_t size, const char *bytes, size_t length)
{
    size_t filled = 0;
    while (length > 0) {
        char form[16];
        size_t used = text_visible_next(bytes, length, form);
        size_t width = strlen(form);
        if (filled + width + 1 > size) {
            break;
        }
        memcpy(buffer + filled, form, width);
        filled += width;
        bytes += used;
        length -= used;
    }
    if (size > 0) {
        buffer[filled] = '\0';
    }
}

void text_append_json(Text *text, const char *bytes, size_t length)
{
    text_append_char(text, '"');
    while (length > 0) {
        uint32_t c = 0;
        size_t plain = text_plain_run(bytes, length);
        size_t size = plain > 0 ? plain : text_decode_utf8(bytes, length, &c);
        if (plain > 0) {
            text_append_bytes(text, bytes, plain);
        } else if (size == 0) {
            text_append(text, "\xef\xbf\xbd");
            size = 1;
        } else if (c == '"' || c == '\\') {
            text_append_char(text, '\\');
            text_append_char(text, (char)c);
        } else if (c < 0x20 || c == 0x7f || (c < 0x10000 && text_is_hidden(c))) {
            text_printf(text, "\\u%04x", (unsigned)c);
        } else if (text_is_hidden(c)) {
            text_printf(text, "\\u%04x\\u%04x", (unsigned)(0xd800 + ((c - 0x10000) >> 10)),
                        (unsigned)(0xdc00 + ((c - 0x10000) & 0x3ff)));
        } else {
            text_append_bytes(text, bytes, size);
        }
        bytes += size;
        length -= size;
    }
    text_append_char(text, '"');
}

void text_append_html(Text *text, const char *bytes, size_t length)
{
    while (length > 0) {
        char form[16];
        size_t used = text_visible_next(bytes, length, form);
        for (const char *c = form; *c != '\0'; c++) {
            switch (*c) {
            case '&':
                text_append(text, "&amp;");
                break;
            case '<':
                text_append(text, "&lt;");
                break;
            case '>':
                text_append(text, "&gt;");
                break;
            case '"':
                text_append(text, "&quot;");
                break;
            case '\'':
                text_append(text, "&#39;");
                break;
            default:
                text_append_char(text, *c);
            }
        }
        bytes += used;
        length -= used;
    }
}

static bool text_is_number(const char *bytes, size_t length)
{
    char copy[40];
    char *end;
    if (length == 0 || length >= sizeof copy ||
        !(isdigit((unsigned char)bytes[length - 1]) || bytes[length - 1] == '.')) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if (strchr("+-.0123456789eE", bytes[i]) == NULL || bytes[i] == '\0') {
            return false;
        }
    }
    memcpy(copy, bytes, length);
    copy[length] = '\0';
    strtod(copy, &end);
    return *end == '\0';
}

/* Spreadsheets take these for the beginning of a formula, the full-width ones too. */
static bool text_begins_formula(const char *bytes, size_t length)
{
    uint32_t c = 0;
    if (length > 0 && text_decode_utf8(bytes, length, &c) > 1) {
        return c == 0xff1d || c == 0xff0b || c == 0xff0d || c == 0xff20;
    }
    return c != 0 && strchr("=+-@\t\r\n", (int)c) != NULL;
}

void text_append_csv(Text *text, const char *bytes, size_t length)
{
    if (length > 0 && strchr("=+-@ ", bytes[0]) == NULL && bytes[length - 1] != ' ' &&
        text_plain_run(bytes, length) == length && memchr(bytes, ',', length) == NULL) {
        text_append_bytes(text, bytes, length);
        return;
    }
    Text visible = {0};
    text_append_visible(&visible, bytes, length);
    const char *field = text_view(&visible);
    bool formula = text_begins_formula(bytes, length) && !text_is_number(bytes, length);
    bool quote = formula || strpbrk(field, ",\"") != NULL || field[0] == ' ' ||
                 (visible.length > 0 && field[visible.length - 1] == ' ');
    if (quote) {
        text_append_char(text, '"');
    }
    if (formula) {
        text_append_char(text, '\'');
    }
    for (const char *c = field; *c != '\0'; c++) {
        if (*c == '"') {
            text_append_char(text, '"');
        }
        text_append_char(text, *c);
    }
    if (quote) {
        text_append_char(text, '"');
    }
    text->failed = text->failed || visible.failed;
    text_free(&visible);
}

const char *text_view(const Text *text)
{
    return text->bytes == NULL ? "" : text->bytes;
}

bool text_ok(const Text *text, Error *error)
{
    return !text->failed || error_set_memory(error, text->length);
}

void text_clear(Text *text)
{
    text->length = 0;
    text->failed = false;
    if (text->bytes != NULL) {
        text->bytes[0] = '\0';
    }
}

void text_free(Text *text)
{
    mem_free(text->bytes);
    *text = (Text){0};
}
