/* Every kind of document that is refused: with one line that names the file, the byte, and for faults of
 * meaning the phase and the transfer. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

#define FIRST                                                                                                \
    "{\"source\":0,\"source_addresses\":[327680,331776],\"destinations\":[{\"tile\":1,\"address\":393216}]," \
    "\"words\":2,\"width\":\"Word32\"}"
#define HEAD "{\"schema_version\":4,\"tile_count\":8,\"phases\":["
#define WITH_TRANSFER(text) HEAD "{\"phase\":62,\"transfers\":[" FIRST "," text "]}]}"
#define WITH_PHASE(text) HEAD "{\"phase\":7,\"transfers\":[]}," text "]}"
#define WITH_MEMBER(text) "{\"schema_version\":4,\"tile_count\":8,\"phases\":[]," text "}"

/* The message must be "test: byte OFFSET: EXPECTED", where OFFSET is that of the mark ^ in `marked`, which is
 * not part of the document. */
static void refuse_bytes(const char *marked, size_t length, const char *expected)
{
    const char *mark = memchr(marked, '^', length);
    assert_non_null(mark);
    size_t offset = (size_t)(mark - marked);
    char *text = malloc(length);
    assert_non_null(text);
    memcpy(text, marked, offset);
    memcpy(text + offset, mark + 1, length - offset - 1);
    char message[600];
    snprintf(message, sizeof message, "test: byte %zu: %s", offset, expected);
    static const size_t windows[] = {1 << 20, 16, 100};
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        Error error = {0};
        assert_null(support_load(text, length - 1, windows[i], SIZE_MAX, &error));
        assert_string_equal(error.message, message);
        assert_int_equal(error.kind, ERROR_INPUT);
    }
    free(text);
}

static void refuse(const char *marked, const char *expected)
{
    refuse_bytes(marked, strlen(marked), expected);
}

static void what_is_no_json_is_refused(void **state)
{
    (void)state;
    refuse("^", "found the end of the file, expected '{' of a capture");
    refuse(" \r\n\t ^", "found the end of the file, expected '{' of a capture");
    refuse("^\xef\xbb\xbf{}", "found a UTF-8 byte order mark, expected '{'");
    refuse("^[]", "found '[', expected '{' of a capture");
    refuse("^\xff\xfe{", "found byte 0xff, expected '{' of a capture");
    refuse_bytes("^\0{", 3, "found byte 0x00, expected '{' of a capture");
    refuse("{^", "found the end of the file, expected a key in quotes");
    refuse("{^schema_version:4}", "found 's', expected a key in quotes");
    refuse("{\"a\":1,^}", "found '}', expected a key in quotes");
    refuse("{\"a\" ^1}", "found '1', expected ':' after a key");
    refuse("{\"a\":^}", "found '}', expected a value");
    refuse("{\"a\":1 ^\"b\":2}", "found '\"', expected ',' or '}'");
    refuse("{\"a\":[1,^]}", "found ']', expected a value");
    refuse("{\"a\":[1^:2]}", "found ':', expected ',' or ']'");
    refuse("{\"a\":{\"b\"^}}", "found '}', expected ':' after a key");
    refuse("{\"a\":{^b:1}}", "found 'b', expected a key in quotes");
    refuse("{\"a\":^'b'}", "found ''', expected a value");
    refuse("{\"a\":tru^x}", "found 'x', expected true");
    refuse("{\"a\":f^}", "found '}', expected false");
    refuse("{\"a\":n^il}", "found 'i', expected null");
    refuse("{\"a\":^NaN}", "found 'N', expected a value");
    refuse("{\"a\":^+1}", "found '+', expected a value");
    refuse("{\"a\":^.5}", "found '.', expected a value");
    refuse("{\"a\":-^}", "found '}', expected a digit");
    refuse("{\"a\":0^1}", "found '1', expected no digit after a leading zero");
    refuse("{\"a\":1.^}", "found '}', expected a digit");
    refuse("{\"a\":1e^}", "found '}', expected a digit");
    refuse("{\"a\":1e+^}", "found '}', expected a digit");
    refuse("{\"a\":1^/*comment*/}", "found '/', expected ',' or '}'");
    refuse(WITH_MEMBER("\"a\":1") "^x", "found 'x', expected the end of the file after the capture");
    refuse(WITH_MEMBER("\"a\":1") "\n^{}", "found '{', expected the end of the file after the capture");
    refuse_bytes(WITH_MEMBER("\"a\":1") "^\0", sizeof(WITH_MEMBER("\"a\":1") "^"),
                 "found byte 0x00, expected the end of the file after the capture");
    refuse(WITH_TRANSFER("^"), "found ']', expected a value");
    refuse(WITH_TRANSFER("{\"words\":^x}"), "found 'x', expected a value");
    refuse(WITH_TRANSFER("{\"words\":0^1}"), "found '1', expected no digit after a leading zero");
    refuse(WITH_TRANSFER("{\"source_addresses\":[^,4]}"), "found ',', expected a value");
    refuse(HEAD "{\"phase\":1,\"transfers\":[" FIRST "^", "found the end of the file, expected ',' or ']'");
}

static void bad_strings_are_refused(void **state)
{
    (void)state;
    refuse("{\"a^", "found the end of the file, expected the rest of a string");
    refuse("{\"a\\^", "found the end of the file, expected the rest of a string");
    refuse("{\"a^\n\":1}", "found byte 0x0a, expected control characters in a string to be escaped");
    refuse("{\"a^\x1f\":1}", "found byte 0x1f, expected control characters in a string to be escaped");
    refuse_bytes("{\"a^\0\":1}", 9, "found byte 0x00, expected control characters in a string to be escaped");
    refuse("{\"a\\^x\":1}", "found 'x', expected one of \" \\ / b f n r t u after a backslash");
    refuse("{\"a^\\u12g4\":1}", "found a \\u escape without four hex digits, expected four");
    refuse("{\"a^\\u12", "found a \\u escape without four hex digits, expected four");
    static const char *const invalid[] = {"\x80",
                                          "\xc0\x80",
                                          "\xc1\xbf",
                                          "\xc3(",
                                          "\xe0\x80\x80",
                                          "\xed\xa0\x80",
                                          "\xef\xbf",
                                          "\xf0\x80\x80\x80",
                                          "\xf4\x90\x80\x80",
                                          "\xf8\x88\x80\x80\x80",
                                          "\xff"};
    for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++) {
        char text[100], message[100];
        snprintf(text, sizeof text, WITH_MEMBER("\"x\":\"y^%s\""), invalid[i]);
        snprintf(message, sizeof message, "found invalid UTF-8 in a string (byte 0x%02x), expected UTF-8",
                 (unsigned char)invalid[i][0]);
        refuse(text, message);
    }
}

static void deep_nesting_is_refused(void **state)
{
    (void)state;
    char text[1000];
    for (int levels = 60; levels < 70; levels++) {
        char open[100] = "", close[100] = "";
        memset(open, '[', (size_t)levels - 1);
        memset(close, ']', (size_t)levels - 1);
        Error error = {0};
        snprintf(text, sizeof text, WITH_MEMBER("\"x\":%s%s"), open, close);
        Capture *capture = support_load(text, strlen(text), 1000, 1000, &error);
        assert_true((capture != NULL) == (levels <= 64));
        capture_free(capture);
        if (levels > 64) {
            open[63] = '\0';
            snprintf(text, sizeof text, WITH_MEMBER("\"x\":%s^[1]"), open);
            refuse(text, "found nesting deeper than 64 levels, expected at most 64");
        }
    }
}

static void incomplete_captures_are_refused(void **state)
{
    (void)state;
    refuse(" ^{}", "the capture has no \"schema_version\", expected one");
    refuse("^{\"schema_version\":4,\"phases\":[]}", "the capture has no \"tile_count\", expected one");
    refuse("^{\"schema_version\":4,\"tile_count\":8}", "the capture has no \"phases\", expected one");
    refuse(WITH_MEMBER("^\"tile_count\":8"), "the key \"tile_count\" is twice in the capture, expected once");
    refuse(WITH_MEMBER("^\"phases\":[]"), "the key \"phases\" is twice in the capture, expected once");
    refuse(WITH_MEMBER("\"phase_labels\":{}, ^\"phase_l\\u0061bels\":{}"),
           "the key \"phase_labels\" is twice in the capture, expected once");
    refuse("{\"schema_version\":4,^\"schem\\u0061_version\":4}",
           "the key \"schema_version\" is twice in the capture, expected once");
}

static void bad_versions_and_tile_counts_are_refused(void **state)
{
    (void)state;
    refuse("{\"schema_version\":^5}", "schema_version is 5, expected 1, 2, 3 or 4");
    refuse("{\"schema_version\":^0}", "schema_version is 0, expected 1, 2, 3 or 4");
    refuse("{\"schema_version\":^4.0}", "schema_version is 4.0, which is a fraction, expected 1, 2, 3 or 4");
    refuse("{\"schema_version\":^\"4\"}", "schema_version is a string, expected 1, 2, 3 or 4");
    refuse("{\"schema_version\":^4294967300}",
           "schema_version is 4294967300, which is too large, expected 1, 2, 3 or 4");
    refuse("{\"tile_count\":^0}", "tile_count is 0, expected 1 to 1472");
    refuse("{\"tile_count\":^1473}", "tile_count is 1473, expected 1 to 1472");
    refuse("{\"tile_count\":^65536}", "tile_count is 65536, which is too large, expected 1 to 1472");
    refuse("{\"tile_count\":^null}", "tile_count is null, expected 1 to 1472");
    refuse("{\"phases\":^{}}", "phases is an object, expected an array");
    refuse("{\"phases\":[^[]]}", "phases[0] (number unknown): a phase is an array, expected an object");
}

static void bad_labels_are_refused(void **state)
{
    (void)state;
    refuse(WITH_MEMBER("\"phase_labels\":^[]"), "phase_labels is an array, expected an object");
    refuse(WITH_MEMBER("\"phase_labels\":{\"a\":1,\"5\": ^7}"),
           "the label of phase 5 is a number, expected a string");
    refuse(WITH_MEMBER("\"phase_labels\":^{\"5\":\"a\",\"6\":\"b\",\"5\":\"c\"}"),
           "phase_labels names phase 5 twice, expected once");
    refuse(WITH_MEMBER("\"phase_labels\":{\"5\":\"a^\x01\"}"),
           "found byte 0x01, expected control characters in a string to be escaped");
}

static void bad_phases_are_refused(void **state)
{
    (void)state;
    refuse(WITH_PHASE("{\"phase\":^7,\"transfers\":[]}"),
           "phase 7: a second phase has this number, expected every number once");
    refuse(WITH_PHASE("{\"transfers\":[],\"phase\":^7}"),
           "phase 7: a second phase has this number, expected every number once");
    refuse(WITH_PHASE("^{\"transfers\":[]}"),
           "phases[1] (number unknown): a phase has no \"phase\", expected one");
    refuse(WITH_PHASE("^{\"phase\":8}"), "phase 8: a phase has no \"transfers\", expected one");
    refuse(WITH_PHASE("{\"phase\":8,^\"phase\":8}"),
           "phase 8: the key \"phase\" is twice in a phase, expected once");
    refuse(WITH_PHASE("{\"phase\":8,\"transfers\":[],^\"transfers\":[]}"),
           "phase 8: the key \"transfers\" is twice in a phase, expected once");
    refuse(WITH_PHASE("{\"transfers\":[],^\"transfers\":[],\"phase\":9}"),
           "phase 9: the key \"transfers\" is twice in a phase, expected once");
    refuse(WITH_PHASE("{\"phase\":^-1}"),
           "phases[1] (number unknown): phase is -1, which is negative, expected a phase number");
    refuse(WITH_PHASE("{\"phase\":^4294967296}"),
           "phases[1] (number unknown): phase is 4294967296, which is too large, expected a phase number");
    refuse(WITH_PHASE("{\"phase\":9,\"transfers\":^null}"), "phase 9: transfers is null, expected an array");
    refuse(WITH_PHASE("{\"phase\":9,\"transfers\":[^5]}"),
           "phase 9, transfer 0: a transfer is a number, expected an object");
}

/* One transfer of five members, of which one is replaced; the fault is at the mark inside of it, or else at
 * the transfer's start. */
static void refuse_member(unsigned which, const char *member, const char *expected)
{
    static const char *const good[] = {"\"source\":3", "\"source_addresses\":[65536]",
                                       "\"destinations\":[[4,65536],[5,65544]]", "\"words\":2",
                                       "\"width\":\"Word32\""};
    char message[300];
    snprintf(message, sizeof message, "phase 62, transfer 1: %s", expected);
    for (int late = 0; late < 2; late++) { /* the phase's number before or after its transfers */
        char text[1000];
        int length = snprintf(text, sizeof text, HEAD "{%s\"transfers\":[" FIRST ",%s{",
                              late ? "" : "\"phase\":62,", strchr(member, '^') == NULL ? "^" : "");
        bool first = true;
        for (unsigned i = 0; i < 5; i++) {
            const char *part = i == which ? member : good[i];
            if (part[0] != '\0') {
                length +=
                    snprintf(text + length, sizeof text - (size_t)length, "%s%s", first ? "" : ",", part);
                first = false;
            }
        }
        snprintf(text + length, sizeof text - (size_t)length, "}]%s}]}", late ? ",\"phase\":62" : "");
        refuse(text, message);
    }
}

static void bad_sources_are_refused(void **state)
{
    (void)state;
    refuse_member(0, "", "a transfer has no \"source\", expected one");
    refuse_member(0, "\"source\":8", "source is tile 8, expected a tile below 8");
    refuse_member(0, "\"source\":^65536", "source is 65536, which is too large, expected a tile number");
    refuse_member(0, "\"source\":^-0", "source is -0, which is negative, expected a tile number");
    refuse_member(0, "\"source\":^1.5", "source is 1.5, which is a fraction, expected a tile number");
    refuse_member(0, "\"source\":^1e0", "source is 1e0, which is in exponent form, expected a tile number");
    refuse_member(0, "\"source\":^123456789012345678901234567890",
                  "source is 123456789012345678901234..., which is too large, expected a tile number");
    refuse_member(0, "\"source\":^\"3\"", "source is a string, expected a tile number");
    refuse_member(0, "\"source\":3,^\"source\":3",
                  "the key \"source\" is twice in a transfer, expected once");
    refuse_member(0, "\"source\":3,^\"sou\\u0072ce\":3",
                  "the key \"source\" is twice in a transfer, expected once");
}

static void bad_source_addresses_are_refused(void **state)
{
    (void)state;
    refuse_member(1, "", "a transfer has no \"source_addresses\", expected one");
    refuse_member(1, "\"source_addresses\":[]", "source_addresses is empty, expected at least one");
    refuse_member(1, "\"source_addresses\":^65536", "source_addresses is a number, expected an array");
    refuse_member(1, "\"source_addresses\":[65536,^{}]",
                  "a source address is an object, expected a byte address");
    refuse_member(1, "\"source_addresses\":[65536,65538]",
                  "a source address is 65538, expected a multiple of 4 for Word32");
    refuse_member(1, "\"source_addresses\":[1048576]",
                  "a source address is 1048576, expected at most 1048568 for 2 words");
    refuse_member(1, "\"source_addresses\":[4,1048572]",
                  "a source address is 1048572, expected at most 1048568 for 2 words");
    refuse_member(1, "\"source_addresses\":[^-4]",
                  "a source address is -4, which is negative, expected a byte address");
    refuse_member(1, "\"source_addresses\":[4,^4294967296]",
                  "a source address is 4294967296, which is too large, expected a byte address");
    refuse_member(1, "\"source_addresses\":[4],^\"source_addresses\":[4]",
                  "the key \"source_addresses\" is twice in a transfer, expected once");
}

static void bad_destinations_are_refused(void **state)
{
    (void)state;
    refuse_member(2, "", "a transfer has no \"destinations\", expected one");
    refuse_member(2, "\"destinations\":[]", "destinations is empty, expected at least one");
    refuse_member(2, "\"destinations\":^\"x\"", "destinations is a string, expected an array");
    refuse_member(2, "\"destinations\":[^7]", "a destination is a number, expected an object or an array");
    refuse_member(2, "\"destinations\":[[8,4]]", "a destination is tile 8, expected a tile below 8");
    refuse_member(2, "\"destinations\":[[1,4],{\"tile\":9,\"address\":4}]",
                  "a destination is tile 9, expected a tile below 8");
    refuse_member(2, "\"destinations\":[[1,4],[2,4],{\"tile\":1,\"address\":8}]",
                  "tile 1 is twice among the destinations, expected once");
    refuse_member(2, "\"destinations\":[[1,6]]",
                  "a destination address is 6, expected a multiple of 4 for Word32");
    refuse_member(2, "\"destinations\":[[1,4],[2,1048572]]",
                  "a destination address is 1048572, expected at most 1048568 for 2 words");
    refuse_member(2, "\"destinations\":[^[1]]", "a destination is an array of 1, expected [tile, address]");
    refuse_member(2, "\"destinations\":[^[]]", "a destination is an array of 0, expected [tile, address]");
    refuse_member(2, "\"destinations\":[^[1,4,\"x\"]]",
                  "a destination is an array of 3, expected [tile, address]");
    refuse_member(2, "\"destinations\":[^{\"tile\":1}]", "a destination has no \"address\", expected one");
    refuse_member(2, "\"destinations\":[^{\"address\":4}]", "a destination has no \"tile\", expected one");
    refuse_member(2, "\"destinations\":[{\"tile\":1,\"address\":4,^\"tile\":1}]",
                  "the key \"tile\" is twice in a destination, expected once");
    refuse_member(2, "\"destinations\":[[^65536,4]]",
                  "a destination's tile is 65536, which is too large, expected a tile number");
    refuse_member(2, "\"destinations\":[[1,^4e1]]",
                  "a destination's address is 4e1, which is in exponent form, expected a byte address");
    refuse_member(2, "\"destinations\":[{\"tile\":^true,\"address\":4}]",
                  "a destination's tile is a truth value, expected a tile number");
    refuse_member(2, "\"destinations\":[[1,4]],^\"destinations\":[[1,4]]",
                  "the key \"destinations\" is twice in a transfer, expected once");
}

static void bad_words_and_widths_are_refused(void **state)
{
    (void)state;
    refuse_member(3, "", "a transfer has no \"words\", expected one");
    refuse_member(3, "\"words\":0", "words is 0, expected 1 to 4148");
    refuse_member(3, "\"words\":4149", "words is 4149, expected 1 to 4148");
    refuse_member(3, "\"words\":^65538", "words is 65538, which is too large, expected 1 to 4148");
    refuse_member(3, "\"words\":^2.0", "words is 2.0, which is a fraction, expected 1 to 4148");
    refuse_member(3, "\"words\":2,^\"words\":2", "the key \"words\" is twice in a transfer, expected once");
    refuse_member(4, "\"width\":^\"Word64\"", "width is \"Word64\", expected \"Word32\" or \"Paired64\"");
    refuse_member(4, "\"width\":^64", "width is a number, expected \"Word32\" or \"Paired64\"");
    refuse_member(4, "\"width\":^null", "width is null, expected \"Word32\" or \"Paired64\"");
    refuse(WITH_TRANSFER("^{\"source\":0,\"source_addresses\":[8],\"destinations\":[[1,8]],\"words\":3,"
                         "\"width\":\"Paired64\"}"),
           "phase 62, transfer 1: words is 3, expected an even number for Paired64");
    refuse(WITH_TRANSFER("^{\"source\":0,\"source_addresses\":[4],\"destinations\":[[1,8]],\"words\":2,"
                         "\"width\":\"Paired64\"}"),
           "phase 62, transfer 1: a source address is 4, expected a multiple of 8 for Paired64");
    refuse(WITH_TRANSFER("^{\"source\":0,\"source_addresses\":[8],\"destinations\":[[1,4]],\"words\":2,"
                         "\"width\":\"Paired64\"}"),
           "phase 62, transfer 1: a destination address is 4, expected a multiple of 8 for Paired64");
}

/* tile_count stands behind the phases: the tiles are checked when it is known. */
static void tiles_are_checked_against_a_late_tile_count(void **state)
{
    (void)state;
    static const char text[] =
        "{\"phases\":[{\"phase\":5,\"transfers\":[{\"source\":9,\"source_addresses\":[4],"
        "\"destinations\":[[1,4]],\"words\":1}]}],\"schema_version\":1,\"tile_count\":%d}";
    char document[300];
    Error error = {0};
    snprintf(document, sizeof document, text, 9);
    assert_null(support_load(document, strlen(document), 100, 100, &error));
    assert_string_equal(error.message,
                        "test: phase 5, transfer 0: source is tile 9, expected a tile below 9");
    snprintf(document, sizeof document, text, 10);
    Capture *capture = support_load(document, strlen(document), 100, 100, &error);
    assert_non_null(capture);
    capture_free(capture);
}

/* What stands at the edges of the rules is accepted. */
static void the_largest_legal_values_are_read(void **state)
{
    (void)state;
    static const char text[] =
        "{\"schema_version\":1,\"tile_count\":1472,\"phases\":[{\"phase\":4294967295,\"transfers\":["
        "{\"source\":1471,\"source_addresses\":[1031984,0],\"destinations\":[[1471,1031984],[0,0]],\"words\":"
        "4148,"
        "\"width\":\"Paired64\"},"
        "{\"source\":0,\"source_addresses\":[1048572],\"destinations\":[[0,1048572]],\"words\":1}]},"
        "{\"phase\":0,\"transfers\":[]}]}";
    Error error = {0};
    Capture *capture = support_load(text, sizeof text - 1, 1000, 1000, &error);
    assert_string_equal(error.message, "");
    const Phase *phase = capture_phase(capture, UINT32_MAX);
    assert_non_null(phase);
    assert_int_equal(phase->source[0], 1471);
    assert_int_equal(phase->words[0], 4148);
    assert_int_equal(phase_address(phase, 0, 0), 1031984);
    assert_int_equal(phase_address(phase, 1, 0), 1048572);
    assert_non_null(capture_phase(capture, 0));
    capture_free(capture);
}

/* A document with a bit of everything, cut at every byte: the rest is never enough, and never a crash. */
static void a_cut_capture_never_loads(void **state)
{
    (void)state;
    static const char text[] =
        "{\"schema_version\":4,\"tile_count\":8,\"phase_labels\":{\"62\":\"a\\u00e9\xc3\xa9\\ud83d\\ude00\"},"
        "\"extra\":[null,true,-1.5e-3,{\"x\":\"y\"}],\"phases\":[{\"note\":1,\"phase\":62,\"transfers\":"
        "[" FIRST ","
        "{\"source\":1,\"source_addresses\":[8,16],\"destinations\":[[2,8],{\"tile\":3,\"address\":8,\"q\":0}"
        "],"
        "\"words\":2,\"width\":\"Paired64\",\"z\":[]}]}]}";
    static const size_t windows[] = {1 << 20, 16, 33};
    for (size_t cut = 0; cut < sizeof text; cut++) {
        for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
            Error error = {0};
            Capture *capture = support_load(text, cut, windows[i], 50, &error);
            if (cut == sizeof text - 1) {
                assert_non_null(capture);
                capture_free(capture);
            } else {
                assert_null(capture);
                assert_int_equal(strncmp(error.message, "test: byte ", 11), 0);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_json_is_refused),
        cmocka_unit_test(bad_strings_are_refused),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(incomplete_captures_are_refused),
        cmocka_unit_test(bad_versions_and_tile_counts_are_refused),
        cmocka_unit_test(bad_labels_are_refused),
        cmocka_unit_test(bad_phases_are_refused),
        cmocka_unit_test(bad_sources_are_refused),
        cmocka_unit_test(bad_source_addresses_are_refused),
        cmocka_unit_test(bad_destinations_are_refused),
        cmocka_unit_test(bad_words_and_widths_are_refused),
        cmocka_unit_test(tiles_are_checked_against_a_late_tile_count),
        cmocka_unit_test(the_largest_legal_values_are_read),
        cmocka_unit_test(a_cut_capture_never_loads),
    };
    return cmocka_run_group_tests_name("capture/refusals", tests, NULL, NULL);
}
