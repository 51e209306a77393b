/* Growable text, and the escapes that keep text from files harmless wherever it is shown. */
#ifndef EXSCOPE_BASE_TEXT_H
#define EXSCOPE_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Starts as {0}. Appending never fails loudly: when memory is out, `failed` stays true, nothing more is
 * appended, and text_ok() reports it once at the end. `bytes` is NUL-terminated as soon as anything was
 * appended; text_view() gives
 * "" for an empty one. Free with text_free. */
typedef struct Text {
    char *bytes;
    size_t length; /* bytes, the closing NUL not counted */
    size_t capacity;
    bool failed;
} Text;

void text_append(Text *text, const char *string);
void text_append_bytes(Text *text, const char *bytes, size_t length);
void text_append_char(Text *text, char character);
void text_append_repeat(Text *text, char character, size_t count);

/* Much faster than text_printf, for what is written by the million: decimal, and lower-case hexadecimal with
 * at least `digits` digits (at most 16). */
void text_append_unsigned(Text *text, uint64_t number);
void text_append_hex(Text *text, uint64_t number, unsigned digits);
void text_printf(Text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* As on a terminal: control characters as ^X, DEL as ^?, C1 controls, bidi and other invisible format
 * characters as <U+XXXX>, bytes that are not UTF-8 as \xNN. What is appended never moves a cursor and never
 * reorders a line. */
void text_append_visible(Text *text, const char *bytes, size_t length);

/* The same with every character beyond ASCII as <U+XXXX>: for terminals that do not take UTF-8, where its
 * bytes may be control characters (0x9b is one). */
void text_append_ascii(Text *text, const char *bytes, size_t length);

/* A quoted JSON string; bytes that are not UTF-8 become U+FFFD. What text_append_visible would show in
 * another form is written as \u escapes: the same string, harmless on a terminal. */
void text_append_json(Text *text, const char *bytes, size_t length);

/* Text or attribute value in HTML (& < > " ' escaped, controls made visible). */
void text_append_html(Text *text, const char *bytes, size_t length);

/* One CSV field (RFC 4180 quoting where needed); text that a spreadsheet would take for a formula (= + - @
 * or their full-width forms, tab, CR or LF first) gets a leading apostrophe, plain numbers do not; controls
 * made visible. */
void text_append_csv(Text *text, const char *bytes, size_t length);

const char *text_view(const Text *text);
bool text_ok(const Text *text, Error *error);
void text_clear(Text *text);
void text_free(Text *text);

/* Decodes the character that starts at `bytes`: its length in bytes (1..4) and its code point, or 0 when the
 * bytes are not valid UTF-8 (overlong forms, surrogates, beyond U+10FFFF, cut off). */
size_t text_decode_utf8(const char *bytes, size_t length, uint32_t *code_point);

/* How many of the `length` bytes make the first line of at most `columns` (at least 1) characters: up to
 * a blank where there is one, and the blanks after it. Every character is taken to be one column wide. */
size_t text_wrap(const char *bytes, size_t length, size_t columns);

/* text_append_visible into a fixed buffer of `size` bytes: always NUL-terminated, never cut inside a
 * character. */
void text_copy_visible(char *buffer, size_t size, const char *bytes, size_t length);

#endif
