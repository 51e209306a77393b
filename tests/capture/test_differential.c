/* The reader against an oracle: random documents, valid and damaged, are read by both, and the two must agree
 * on whether they are captures, and on every value if they are.
 *
 * The oracle is cJSON and the rules of spec/capture-format.md, written out once more below. cJSON is laxer
 * than JSON, and its numbers and strings lose what the rules ask about (a fraction of zero, an exponent, a
 * NUL in a key). So a small strict grammar goes first: it refuses what is no JSON, and rewrites what cJSON
 * would lose: every number that is not plain becomes the string "number", \u0000 and lone surrogates become
 * \ufffd.
 *
 * `test_differential ROUNDS SEED` runs longer. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/text.h"
#include "support.h"

static unsigned rounds = 2000;
static uint64_t random_state = 88172645463325252u;

static uint32_t random_below(uint32_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)((random_state >> 32) * limit >> 32);
}

static bool one_in(uint32_t n)
{
    return random_below(n) == 0;
}

/* ---- random documents ---- */

enum { MEMBERS_MAX = 12 };

/* An object that is written in random order. */
typedef struct Members {
    Text text[MEMBERS_MAX];
    unsigned count;
} Members;

static uint32_t faults; /* one in how many values is bad; 0: none */
static bool spaced, escaped;

static bool bad(void)
{
    return faults != 0 && one_in(faults);
}

static void put_space(Text *text)
{
    while (spaced && one_in(3)) {
        text_append_char(text, " \n\r\t"[random_below(4)]);
    }
}

static void put_string(Text *text, const char *string)
{
    text_append_char(text, '"');
    for (; *string != '\0'; string++) {
        if (escaped && one_in(6)) {
            text_printf(text, one_in(2) ? "\\u%04x" : "\\u%04X", (unsigned)*string);
        } else {
            text_append_char(text, *string);
        }
    }
    text_append_char(text, '"');
}

static void put_strange_string(Text *text)
{
    static const char *const parts[] = {
        "a",    "\\n", "\\u0000", "\xc3\xa9", "\\ud83d\\ude00",   "\\ud800", "\\\"",
        "\\\\", "\\/", "\x7f",    "\\udc00x", "\xf0\x9f\x98\x80", "0",       "source"};
    text_append_char(text, '"');
    for (uint32_t i = random_below(5); i > 0; i--) {
        text_append(text, parts[random_below(sizeof parts / sizeof *parts)]);
    }
    text_append_char(text, '"');
}

static void put_any_value(Text *text, unsigned depth)
{
    static const char *const plain[] = {"null", "true", "false", "0",  "-0", "12",
                                        "1.50", "-2e9", "1E-3",  "{}", "[]", "[[],{}]"};
    uint32_t kind = random_below(12);
    if (kind < 6 || depth > 70) {
        text_append(text, plain[random_below(sizeof plain / sizeof *plain)]);
    } else if (kind < 8) {
        put_strange_string(text);
    } else if (kind == 8 && one_in(4)) {
        uint32_t levels = 50 + random_below(20);
        text_append_repeat(text, '[', levels);
        text_append_repeat(text, ']', levels);
    } else {
        bool object = kind > 9;
        text_append_char(text, object ? '{' : '[');
        for (uint32_t i = 0, n = random_below(3); i < n; i++) {
            text_append(text, i == 0 ? "" : ",");
            if (object) {
                put_strange_string(text);
                text_append(text, ":");
            }
            put_space(text);
            put_any_value(text, depth + 1);
        }
        text_append_char(text, object ? '}' : ']');
    }
}

static void put_number(Text *text, uint64_t value)
{
    static const char *const wrong[] = {"-%llu",    "%llu.0", "%llue0",   "0%llu",     "%llu000000000000",
                                        "\"%llu\"", "null",   "[%llu]",   "%llu.",     "+%llu",
                                        "%lluE1",   "{}",     "99999999", "4294967296"};
    const char *format = bad() ? wrong[random_below(sizeof wrong / sizeof *wrong)] : "%llu";
    char number[60];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(number, sizeof number, format, (unsigned long long)value);
#pragma GCC diagnostic pop
    text_append(text, number);
}

/* Starts a member and gives the text for its value. A bad one may lack, or be there twice. */
static Text *member(Members *members, const char *key)
{
    Text *text = &members->text[members->count++];
    put_string(text, bad() ? "other" : key);
    put_space(text);
    text_append_char(text, ':');
    put_space(text);
    return text;
}

static void member_number(Members *members, const char *key, uint64_t value)
{
    put_number(member(members, key), value);
    if (bad()) {
        put_number(member(members, key), value);
    }
}

static void put_members(Text *text, Members *members)
{
    static const char *const unknown[] = {"x", "Source", "tile ", "words2", "y"};
    while (members->count < MEMBERS_MAX && one_in(6)) {
        put_any_value(member(members, unknown[random_below(5)]), 4);
    }
    text_append_char(text, '{');
    put_space(text);
    for (unsigned left = members->count; left > 0; left--) {
        unsigned chosen = one_in(2) ? 0 : random_below(left);
        text_append_bytes(text, text_view(&members->text[chosen]), members->text[chosen].length);
        text_free(&members->text[chosen]);
        memmove(&members->text[chosen], &members->text[chosen + 1],
                (left - chosen - 1) * sizeof *members->text);
        put_space(text);
        text_append(text, left > 1 ? "," : "");
        put_space(text);
    }
    text_append_char(text, '}');
}

static uint32_t random_address(uint32_t unit, uint32_t words)
{
    uint32_t last = (1u << 20) - 4 * words;
    if (bad()) {
        return one_in(2) ? random_below(1 << 21) : last - last % unit + unit;
    }
    return one_in(20) ? last - last % unit : random_below(last / unit + 1) * unit;
}

static void put_receiver(Text *text, uint32_t tile, uint32_t address, bool array)
{
    if (array && !one_in(10)) {
        text_append_char(text, '[');
        put_space(text);
        put_number(text, tile);
        put_space(text);
        text_append_char(text, ',');
        put_space(text);
        put_number(text, address);
        text_append(text, bad() ? ",1" : "");
        put_space(text);
        text_append_char(text, ']');
    } else {
        Members members = {0};
        member_number(&members, "tile", tile);
        member_number(&members, "address", address);
        put_members(text, &members);
    }
}

static void put_transfer(Text *text, uint32_t tiles, bool array)
{
    static const char *const strange[] = {"\"Word64\"", "\"word32\"", "null", "32", "\"Word32\\u0000\""};
    Members members = {0};
    bool paired = one_in(4);
    uint32_t words = bad()       ? random_below(3) * 4149 / 2 + random_below(2)
                     : one_in(9) ? 4148
                                 : (1 + random_below(300)) * (1 + paired);
    uint32_t unit = paired ? 8 : 4;
    member_number(&members, "source", random_below(tiles + bad()));
    Text *addresses = member(&members, "source_addresses");
    uint32_t same = one_in(3) ? random_address(unit, words) : 0;
    text_append_char(addresses, '[');
    for (uint32_t i = 0, n = bad() ? 0 : one_in(9) ? 30 : 1 + random_below(3); i < n; i++) {
        text_append(addresses, i == 0 ? "" : ",");
        put_space(addresses);
        put_number(addresses, same != 0 ? same : random_address(unit, words));
        put_space(addresses);
    }
    text_append_char(addresses, ']');
    Text *receivers = member(&members, "destinations");
    uint32_t tile = random_below(tiles);
    text_append_char(receivers, '[');
    for (uint32_t i = 0, n = bad() ? 0 : 1 + random_below(tiles < 4 ? tiles : 4); i < n; i++) {
        text_append(receivers, i == 0 ? "" : ",");
        put_space(receivers);
        put_receiver(receivers, (tile + (bad() ? 0 : i)) % tiles + (bad() ? tiles : 0),
                     random_address(unit, words), array);
        put_space(receivers);
    }
    text_append_char(receivers, ']');
    member_number(&members, "words", words);
    if (paired || one_in(2)) {
        text_append(member(&members, "width"), bad()    ? strange[random_below(5)]
                                               : paired ? "\"Paired64\""
                                                        : "\"Word32\"");
    }
    put_members(text, &members);
}

static void put_phase(Text *text, uint32_t number, uint32_t tiles, bool array)
{
    Members members = {0};
    member_number(&members, "phase", number);
    Text *transfers = member(&members, "transfers");
    text_append_char(transfers, '[');
    for (uint32_t i = 0, n = one_in(8) ? 0 : 1 + random_below(5); i < n; i++) {
        text_append(transfers, i == 0 ? "" : ",");
        put_space(transfers);
        put_transfer(transfers, tiles, array);
        put_space(transfers);
    }
    text_append_char(transfers, ']');
    put_members(text, &members);
}

static void put_labels(Text *text)
{
    static const char *const keys[] = {"0", "7",  "4294967295", "4294967296",          "07",
                                       "",  "1x", " 1",         "18446744073709551617"};
    Members members = {0};
    for (uint32_t i = random_below(4); i > 0; i--) {
        Text *label =
            member(&members, bad() ? "7" : keys[(i * 5 + random_below(2)) % (sizeof keys / sizeof *keys)]);
        if (bad()) {
            put_any_value(label, 3);
        } else {
            put_strange_string(label);
        }
    }
    put_members(text, &members);
}

static void put_capture(Text *text)
{
    Members members = {0};
    uint32_t tiles = one_in(4) ? 1472 : 1 + random_below(20);
    bool array = one_in(2);
    spaced = one_in(2);
    escaped = one_in(3);
    faults = one_in(2) ? 0 : 20 + random_below(200);
    put_space(text);
    member_number(&members, "schema_version", bad() ? random_below(9) : 1 + random_below(4));
    member_number(&members, "tile_count", bad() ? random_below(3000) : tiles);
    if (one_in(2)) {
        put_labels(member(&members, "phase_labels"));
    }
    Text *phases = member(&members, "phases");
    uint32_t number = one_in(4) ? UINT32_MAX - 3 : random_below(100);
    text_append_char(phases, '[');
    for (uint32_t i = 0, n = random_below(4); i < n; i++) {
        text_append(phases, i == 0 ? "" : ",");
        put_space(phases);
        put_phase(phases, number + (bad() ? 0 : i), tiles, array);
        put_space(phases);
    }
    text_append_char(phases, ']');
    put_members(text, &members);
    put_space(text);
}

/* One change of a byte or of a slice. */
static void damage(Text *text)
{
    static const char bytes[] = "{}[]\",:0123456789-+.eE\\ntu \x01\x80\xff\xc3";
    size_t at = random_below((uint32_t)text->length);
    char byte = bytes[random_below(sizeof bytes)]; /* its closing NUL is one of them */
    Text changed = {0};
    text_append_bytes(&changed, text->bytes, at);
    switch (random_below(6)) {
    case 0: /* another byte */
        text_append_char(&changed, byte);
        text_append_bytes(&changed, text->bytes + at + 1, text->length - at - 1);
        break;
    case 1: /* one more */
        text_append_char(&changed, byte);
        text_append_bytes(&changed, text->bytes + at, text->length - at);
        break;
    case 2: /* one less */
        text_append_bytes(&changed, text->bytes + at + 1, text->length - at - 1);
        break;
    case 3: /* one bit */
        text_append_char(&changed, (char)(text->bytes[at] ^ (1 << random_below(8))));
        text_append_bytes(&changed, text->bytes + at + 1, text->length - at - 1);
        break;
    case 4: /* cut off */
        break;
    default: { /* a slice twice, or gone */
        size_t to = at + random_below((uint32_t)(text->length - at) + 1);
        to = to - at > 60 ? at + 60 : to;
        text_append_bytes(&changed, text->bytes + (one_in(2) ? at : to), text->length - to);
        text_append_bytes(&changed, text->bytes + to, text->length - to);
    }
    }
    text_free(text);
    *text = changed;
}

/* ---- strict JSON, and the text that cJSON gets ---- */

typedef struct Strict {
    const char *next, *end;
    unsigned depth;
    Text *out;
} Strict;

static bool strict_value(Strict *strict);

static int strict_peek(const Strict *strict)
{
    return strict->next < strict->end ? (unsigned char)*strict->next : -1;
}

static void strict_space(Strict *strict)
{
    while (strict->next < strict->end && *strict->next != '\0' && strchr(" \t\r\n", *strict->next) != NULL) {
        strict->next++;
    }
}

static bool strict_take(Strict *strict, char c)
{
    if (strict_peek(strict) != c) {
        return false;
    }
    strict->next++;
    text_append_char(strict->out, c);
    return true;
}

static bool strict_word(Strict *strict, const char *word)
{
    while (*word != '\0') {
        if (!strict_take(strict, *word++)) {
            return false;
        }
    }
    return true;
}

/* Digits at the place, not taken. */
static size_t strict_digits(const char *from, const char *end)
{
    size_t count = 0;
    while (from + count < end && from[count] >= '0' && from[count] <= '9') {
        count++;
    }
    return count;
}

static bool strict_number(Strict *strict)
{
    const char *c = strict->next, *end = strict->end;
    bool natural = *c != '-';
    c += !natural;
    size_t digits = strict_digits(c, end);
    if (digits == 0 || (digits > 1 && *c == '0')) {
        return false;
    }
    natural = natural && digits <= 15;
    c += digits;
    if (c < end && *c == '.') {
        digits = strict_digits(++c, end);
        natural = false;
        c += digits;
        if (digits == 0) {
            return false;
        }
    }
    if (c < end && (*c == 'e' || *c == 'E')) {
        c++;
        c += c < end && (*c == '+' || *c == '-');
        digits = strict_digits(c, end);
        natural = false;
        c += digits;
        if (digits == 0) {
            return false;
        }
    }
    if (natural) {
        text_append_bytes(strict->out, strict->next, (size_t)(c - strict->next));
    } else {
        text_append(strict->out, "\"number\"");
    }
    strict->next = c;
    return true;
}

/* The value of \uXXXX at `c`, or -1. */
static long strict_escape_value(const char *c, const char *end)
{
    char digits[5] = "";
    if (end - c < 6 || c[0] != '\\' || c[1] != 'u') {
        return -1;
    }
    memcpy(digits, c + 2, 4);
    return strspn(digits, "0123456789abcdefABCDEF") == 4 ? strtol(digits, NULL, 16) : -1;
}

static bool strict_unicode_escape(Strict *strict)
{
    long value = strict_escape_value(strict->next, strict->end);
    if (value < 0) {
        return false;
    }
    size_t length = 6;
    if (value >= 0xd800 && value <= 0xdbff) {
        long low = strict_escape_value(strict->next + 6, strict->end);
        length = low >= 0xdc00 && low <= 0xdfff ? 12 : 6;
    }
    if (length == 6 && (value == 0 || (value >= 0xd800 && value <= 0xdfff))) {
        text_append(strict->out, "\\ufffd");
    } else {
        text_append_bytes(strict->out, strict->next, length);
    }
    strict->next += length;
    return true;
}

/* The length of the well-formed character above 0x7f at the place (table 3-7 of the Unicode standard), or 0.
 */
static size_t strict_character(const unsigned char *c, size_t left)
{
    static const struct {
        unsigned char first, last, second_first, second_last;
        size_t length;
    } table[] = {{0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
                 {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
                 {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (*c < table[i].first || *c > table[i].last) {
            continue;
        }
        if (left < table[i].length || c[1] < table[i].second_first || c[1] > table[i].second_last) {
            return 0;
        }
        for (size_t k = 2; k < table[i].length; k++) {
            if ((c[k] & 0xc0) != 0x80) {
                return 0;
            }
        }
        return table[i].length;
    }
    return 0;
}

static bool strict_string(Strict *strict)
{
    if (!strict_take(strict, '"')) {
        return false;
    }
    while (!strict_take(strict, '"')) {
        int c = strict_peek(strict);
        size_t length = 1;
        if (c < 0x20) {
            return false;
        }
        if (c == '\\') {
            if (strict->end - strict->next < 2) {
                return false;
            }
            if (strict->next[1] == 'u') {
                if (!strict_unicode_escape(strict)) {
                    return false;
                }
                continue;
            }
            length = strict->next[1] != '\0' && strchr("\"\\/bfnrt", strict->next[1]) != NULL ? 2 : 0;
        } else if (c >= 0x80) {
            length =
                strict_character((const unsigned char *)strict->next, (size_t)(strict->end - strict->next));
        }
        if (length == 0) {
            return false;
        }
        text_append_bytes(strict->out, strict->next, length);
        strict->next += length;
    }
    return true;
}

static bool strict_container(Strict *strict, char open, char close)
{
    if (!strict_take(strict, open) || ++strict->depth > 64) {
        return false;
    }
    strict_space(strict);
    for (bool first = true; !strict_take(strict, close); first = false) {
        if (!first && !strict_take(strict, ',')) {
            return false;
        }
        strict_space(strict);
        if (open == '{') {
            if (!strict_string(strict)) {
                return false;
            }
            strict_space(strict);
            if (!strict_take(strict, ':')) {
                return false;
            }
        }
        if (!strict_value(strict)) {
            return false;
        }
    }
    strict->depth--;
    return true;
}

static bool strict_value(Strict *strict)
{
    strict_space(strict);
    int c = strict_peek(strict);
    bool good = c == '{'   ? strict_container(strict, '{', '}')
                : c == '[' ? strict_container(strict, '[', ']')
                : c == '"' ? strict_string(strict)
                : c == 't' ? strict_word(strict, "true")
                : c == 'f' ? strict_word(strict, "false")
                : c == 'n' ? strict_word(strict, "null")
                           : (c == '-' || (c >= '0' && c <= '9')) && strict_number(strict);
    strict_space(strict);
    return good;
}

/* cJSON's tree of a document, or NULL when it is no JSON or nested too deep. */
static cJSON *strict_parse(const char *bytes, size_t length)
{
    Text rewritten = {0};
    Strict strict = {.next = bytes, .end = bytes + length, .out = &rewritten};
    cJSON *tree = NULL;
    if (strict_value(&strict) && strict.next == strict.end) {
        tree = cJSON_ParseWithOpts(text_view(&rewritten), NULL, true);
        assert_non_null(tree);
    }
    text_free(&rewritten);
    return tree;
}

/* ---- the rules, over cJSON's tree ---- */

static bool is_one_of(const char *key, const char *const *keys)
{
    for (; *keys != NULL; keys++) {
        if (strcmp(key, *keys) == 0) {
            return true;
        }
    }
    return false;
}

/* An object that has each of its `needed` first known keys once, and the others at most once. */
static bool rule_object(const cJSON *object, const char *const *keys, unsigned needed)
{
    if (!cJSON_IsObject(object)) {
        return false;
    }
    for (unsigned i = 0; keys[i] != NULL; i++) {
        unsigned count = 0;
        for (const cJSON *item = object->child; item != NULL; item = item->next) {
            count += strcmp(item->string, keys[i]) == 0;
        }
        if (count > 1 || (i < needed && count == 0)) {
            return false;
        }
    }
    return true;
}

static bool rule_number(const cJSON *item, double least, double most)
{
    return cJSON_IsNumber(item) && item->valuedouble >= least && item->valuedouble <= most;
}

static const cJSON *get(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

static const char *const capture_keys[] = {"schema_version", "tile_count", "phases", "phase_labels", NULL};
static const char *const phase_keys[] = {"phase", "transfers", NULL};
static const char *const transfer_keys[] = {"source", "source_addresses", "destinations", "words", "width",
                                            NULL};
static const char *const receiver_keys[] = {"tile", "address", NULL};

static const cJSON *receiver_tile(const cJSON *receiver)
{
    return cJSON_IsArray(receiver) ? cJSON_GetArrayItem(receiver, 0) : get(receiver, "tile");
}

static const cJSON *receiver_address(const cJSON *receiver)
{
    return cJSON_IsArray(receiver) ? cJSON_GetArrayItem(receiver, 1) : get(receiver, "address");
}

static bool rule_address(const cJSON *address, double words, bool paired)
{
    return rule_number(address, 0, (1 << 20) - 4 * words) &&
           (long)address->valuedouble % (paired ? 8 : 4) == 0;
}

static bool rule_transfer(const cJSON *transfer, double tile_count)
{
    if (!rule_object(transfer, transfer_keys, 4) ||
        !rule_number(get(transfer, "source"), 0, tile_count - 1) ||
        !rule_number(get(transfer, "words"), 1, 4148)) {
        return false;
    }
    const cJSON *width = get(transfer, "width"), *item;
    bool paired = width != NULL && cJSON_IsString(width) && strcmp(width->valuestring, "Paired64") == 0;
    if (width != NULL && !paired && !(cJSON_IsString(width) && strcmp(width->valuestring, "Word32") == 0)) {
        return false;
    }
    double words = get(transfer, "words")->valuedouble;
    const cJSON *addresses = get(transfer, "source_addresses"), *receivers = get(transfer, "destinations");
    if ((paired && (int)words % 2 != 0) || !cJSON_IsArray(addresses) || !cJSON_IsArray(receivers) ||
        addresses->child == NULL || receivers->child == NULL) {
        return false;
    }
    cJSON_ArrayForEach(item, addresses)
    {
        if (!rule_address(item, words, paired)) {
            return false;
        }
    }
    cJSON_ArrayForEach(item, receivers)
    {
        if (!(cJSON_IsArray(item) ? cJSON_GetArraySize(item) == 2 : rule_object(item, receiver_keys, 2)) ||
            !rule_number(receiver_tile(item), 0, tile_count - 1) ||
            !rule_address(receiver_address(item), words, paired)) {
            return false;
        }
        for (const cJSON *other = receivers->child; other != item; other = other->next) {
            if (receiver_tile(other)->valuedouble == receiver_tile(item)->valuedouble) {
                return false;
            }
        }
    }
    return true;
}

/* A key of phase_labels that is a phase number in plain decimal. */
static bool is_label_key(const char *key)
{
    char again[30];
    if (strspn(key, "0123456789") != strlen(key) || key[0] == '\0' || strlen(key) > 10) {
        return false;
    }
    unsigned long long number = strtoull(key, NULL, 10);
    snprintf(again, sizeof again, "%llu", number);
    return number <= UINT32_MAX && strcmp(key, again) == 0;
}

static bool rule_labels(const cJSON *labels)
{
    const cJSON *item;
    if (!cJSON_IsObject(labels)) {
        return false;
    }
    cJSON_ArrayForEach(item, labels)
    {
        if (is_label_key(item->string)) {
            /* A number that is not plain has become a string on the way to cJSON. */
            if (!cJSON_IsString(item) || strcmp(item->valuestring, "number") == 0) {
                return false;
            }
            for (const cJSON *other = labels->child; other != item; other = other->next) {
                if (strcmp(other->string, item->string) == 0) {
                    return false;
                }
            }
        }
    }
    return true;
}

static bool rule_capture(const cJSON *capture)
{
    if (capture == NULL || !rule_object(capture, capture_keys, 3) ||
        !rule_number(get(capture, "schema_version"), 1, 4) ||
        !rule_number(get(capture, "tile_count"), 1, 1472) || !cJSON_IsArray(get(capture, "phases")) ||
        (get(capture, "phase_labels") != NULL && !rule_labels(get(capture, "phase_labels")))) {
        return false;
    }
    const cJSON *phase, *transfer;
    cJSON_ArrayForEach(phase, get(capture, "phases"))
    {
        if (!rule_object(phase, phase_keys, 2) || !rule_number(get(phase, "phase"), 0, UINT32_MAX) ||
            !cJSON_IsArray(get(phase, "transfers"))) {
            return false;
        }
        for (const cJSON *other = get(capture, "phases")->child; other != phase; other = other->next) {
            if (get(other, "phase")->valuedouble == get(phase, "phase")->valuedouble) {
                return false;
            }
        }
        cJSON_ArrayForEach(transfer, get(phase, "transfers"))
        {
            if (!rule_transfer(transfer, get(capture, "tile_count")->valuedouble)) {
                return false;
            }
        }
    }
    return true;
}

/* ---- the same content? ---- */

static void same_number(uint64_t value, const cJSON *item)
{
    assert_true((double)value == item->valuedouble);
}

/* The raw text of a kept member says what cJSON's item says. */
static void same_member(const char *raw, const cJSON *item)
{
    Text object = {0};
    text_printf(&object, "{%s}", raw);
    cJSON *tree = strict_parse(object.bytes, object.length);
    assert_non_null(tree);
    assert_non_null(tree->child);
    assert_null(tree->child->next);
    assert_string_equal(tree->child->string, item->string);
    char *kept = cJSON_PrintUnformatted(tree->child), *expected = cJSON_PrintUnformatted(item);
    assert_string_equal(kept, expected);
    cJSON_free(kept);
    cJSON_free(expected);
    cJSON_Delete(tree);
    text_free(&object);
}

/* The unknown members of one object, in their order; *next moves over those of `phase`. */
static void same_extras(const Phase *phase, size_t *next, const cJSON *object, const char *const *keys,
                        uint32_t transfer, uint32_t receiver)
{
    const cJSON *item;
    if (cJSON_IsArray(object)) {
        return;
    }
    cJSON_ArrayForEach(item, object)
    {
        if (!is_one_of(item->string, keys)) {
            assert_true(*next < phase->extra_count);
            assert_int_equal(phase->extras[*next].transfer, transfer);
            assert_int_equal(phase->extras[*next].receiver, receiver);
            same_member(phase->extras[(*next)++].member, item);
        }
    }
}

static void same_transfer(const Phase *phase, uint32_t i, const cJSON *transfer, size_t *extra)
{
    const cJSON *width = get(transfer, "width"), *item;
    same_number(phase->source[i], get(transfer, "source"));
    same_number(phase->words[i], get(transfer, "words"));
    assert_int_equal(phase->width[i], width != NULL && strcmp(width->valuestring, "Paired64") == 0);
    uint32_t r = 0;
    cJSON_ArrayForEach(item, get(transfer, "source_addresses"))
    {
        same_number(phase_address(phase, i, r++), item);
    }
    assert_int_equal(phase->repeat[i], r);
    r = 0;
    cJSON_ArrayForEach(item, get(transfer, "destinations"))
    {
        same_number(phase->receiver_tile[phase->receiver_start[i] + r], receiver_tile(item));
        same_number(phase->receiver_address[phase->receiver_start[i] + r], receiver_address(item));
        same_extras(phase, extra, item, receiver_keys, i, r++);
    }
    assert_int_equal(phase_receivers(phase, i), r);
    same_extras(phase, extra, transfer, transfer_keys, i, PHASE_EXTRA_TRANSFER);
}

static void same_capture(const Capture *capture, const cJSON *tree)
{
    const cJSON *item, *transfer;
    uint64_t transfers = 0;
    size_t count = 0;
    same_number(capture->schema_version, get(tree, "schema_version"));
    same_number(capture->tile_count, get(tree, "tile_count"));
    cJSON_ArrayForEach(item, get(tree, "phases"))
    {
        const Phase *phase = capture->phases[count++];
        uint32_t i = 0;
        size_t extra = 0;
        same_number(phase->number, get(item, "phase"));
        assert_ptr_equal(capture_phase(capture, phase->number), phase);
        cJSON_ArrayForEach(transfer, get(item, "transfers"))
        {
            if (transfers++ == 0) {
                assert_int_equal(capture->spelling, cJSON_IsArray(get(transfer, "destinations")->child)
                                                        ? ENDPOINT_ARRAY
                                                        : ENDPOINT_OBJECT);
            }
            same_transfer(phase, i++, transfer, &extra);
        }
        assert_int_equal(phase->transfers, i);
        same_extras(phase, &extra, item, phase_keys, PHASE_EXTRA_PHASE, PHASE_EXTRA_TRANSFER);
        assert_int_equal(extra, phase->extra_count);
    }
    assert_int_equal(capture->phase_count, count);
    assert_int_equal(capture->transfers, transfers);
    count = 0;
    cJSON_ArrayForEach(item, tree)
    {
        if (!is_one_of(item->string, capture_keys)) {
            assert_true(count < capture->extra_count);
            same_member(capture->extra_members[count++], item);
        }
    }
    assert_int_equal(capture->extra_count, count);
    count = 0;
    cJSON_ArrayForEach(item, get(tree, "phase_labels"))
    {
        if (is_label_key(item->string)) {
            assert_string_equal(capture_label(capture, (uint32_t)strtoul(item->string, NULL, 10)),
                                item->valuestring);
            count++;
        }
    }
    assert_int_equal(capture->label_count, count);
}

/* ---- both ---- */

static unsigned accepted, refused;

static void compare(const Text *document)
{
    static const size_t windows[] = {1 << 20, 1 << 20, 16, 64, 300};
    size_t window = windows[random_below(5)] + random_below(20);
    size_t piece = one_in(2) ? SIZE_MAX : 1 + random_below(40);
    Error error = {0};
    Capture *capture = support_load(text_view(document), document->length, window, piece, &error);
    cJSON *tree = strict_parse(text_view(document), document->length);
    bool good = rule_capture(tree);
    if (good != (capture != NULL)) {
        fail_msg("the oracle %s this, the reader says '%s' (window %zu):\n%s", good ? "accepts" : "refuses",
                 error.message, window, text_view(document));
    }
    if (good) {
        accepted++;
        same_capture(capture, tree);
    } else {
        refused++;
        assert_int_equal(error.kind, ERROR_INPUT);
        assert_true(strncmp(error.message, "test: byte ", 11) == 0 ||
                    strncmp(error.message, "test: phase ", 12) == 0);
    }
    capture_free(capture);
    cJSON_Delete(tree);
}

static void the_reader_and_the_oracle_agree(void **state)
{
    (void)state;
    for (unsigned round = 0; round < rounds; round++) {
        Text document = {0};
        put_capture(&document);
        assert_true(text_ok(&document, NULL));
        compare(&document);
        for (uint32_t i = random_below(5); i > 0 && document.length > 0; i--) {
            damage(&document);
            compare(&document);
        }
        text_free(&document);
    }
    /* Both outcomes are met often, or the test would show little. */
    print_message("# %u accepted, %u refused\n", accepted, refused);
    assert_true(accepted > rounds / 2 && refused > rounds / 2);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        rounds = (unsigned)strtoul(argv[1], NULL, 10);
    }
    if (argc > 2) {
        random_state += strtoull(argv[2], NULL, 10) * 0x9e3779b97f4a7c15u;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reader_and_the_oracle_agree),
    };
    return cmocka_run_group_tests_name("capture/differential", tests, NULL, NULL);
}
