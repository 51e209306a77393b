/* Escapes: what text from a file looks like on a terminal, in JSON, in HTML and in CSV. */
#include "config.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

typedef void (*Append)(Text *text, const char *bytes, size_t length);

static void check(Append append, const char *bytes, size_t length, const char *expected)
{
    Text text = {0};
    append(&text, bytes, length);
    assert_true(text_ok(&text, NULL));
    assert_string_equal(text_view(&text), expected);
    text_free(&text);
}

#define CHECK(append, literal, expected) check(append, literal, sizeof(literal) - 1, expected)

static void controls_are_visible(void **state)
{
    (void)state;
    CHECK(text_append_visible, "plain \xc3\xa9", "plain \xc3\xa9");
    CHECK(text_append_visible, "\033[2Jx\r\n\t\x7f\0", "^[[2Jx^M^J^I^?^@");
    CHECK(text_append_visible,
          "\xc2\x9b"
          "31m",
          "<U+009B>31m"); /* C1 control sequence introducer */
    CHECK(text_append_visible,
          "a\xe2\x80\xae"
          "b\xe2\x81\xa6",
          "a<U+202E>b<U+2066>"); /* right-to-left override, isolate */
    CHECK(text_append_visible, "\xff\xc0\x80\xed\xa0\x80", "\\xff\\xc0\\x80\\xed\\xa0\\x80");
    CHECK(text_append_visible, "\xf4\x90\x80\x80\xe2\x82", "\\xf4\\x90\\x80\\x80\\xe2\\x82");
}

static void json_strings_are_valid(void **state)
{
    (void)state;
    CHECK(text_append_json, "a\"b\\c\n\x01\x7f", "\"a\\\"b\\\\c\\u000a\\u0001\\u007f\"");
    CHECK(text_append_json, "\xff\xc3\xa9", "\"\xef\xbf\xbd\xc3\xa9\"");
    CHECK(text_append_json, "\xc2\x9b\xe2\x80\xae\xf3\xa0\x80\x81", "\"\\u009b\\u202e\\udb40\\udc01\"");
}

static void numbers_are_as_printf_writes_them(void **state)
{
    (void)state;
    static const uint64_t numbers[] = {0, 7, 10, 99, 100, 65535, 4294967295, 1000000000000, UINT64_MAX};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        for (unsigned digits = 0; digits <= 16; digits++) {
            Text fast = {0}, slow = {0};
            text_append_unsigned(&fast, numbers[i]);
            text_append_char(&fast, ' ');
            text_append_hex(&fast, numbers[i], digits);
            text_printf(&slow, "%" PRIu64 " %0*" PRIx64, numbers[i], (int)digits, numbers[i]);
            assert_string_equal(text_view(&fast), text_view(&slow));
            text_free(&fast);
            text_free(&slow);
        }
    }
}

static void html_is_escaped(void **state)
{
    (void)state;
    CHECK(text_append_html, "<b onclick='x'>&\"\033", "&lt;b onclick=&#39;x&#39;&gt;&amp;&quot;^[");
    CHECK(text_append_html, "\xe2\x80\xae", "&lt;U+202E&gt;");
}

static void csv_fields_are_quoted(void **state)
{
    (void)state;
    CHECK(text_append_csv, "plain", "plain");
    CHECK(text_append_csv, "a,\"b\"", "\"a,\"\"b\"\"\"");
    CHECK(text_append_csv, "=1+1", "\"'=1+1\"");
    CHECK(text_append_csv, "@x", "\"'@x\"");
    CHECK(text_append_csv, "\t=1", "\"'^I=1\"");
    CHECK(text_append_csv, "-12.5", "-12.5");
    CHECK(text_append_csv, "-12.5+A1", "\"'-12.5+A1\"");
    CHECK(text_append_csv, "two\nlines", "two^Jlines");
    CHECK(text_append_csv, "\r=1", "\"'^M=1\"");
    CHECK(text_append_csv, "\n=1", "\"'^J=1\"");
    CHECK(text_append_csv,
          "\xef\xbc\x9d"
          "1",
          "\"'\xef\xbc\x9d"
          "1\"");
    CHECK(text_append_csv,
          "\xef\xbc\xa0"
          "x",
          "\"'\xef\xbc\xa0"
          "x\"");
    CHECK(text_append_csv,
          "\xef\xbc\x9e"
          "x",
          "\xef\xbc\x9e"
          "x");
    CHECK(text_append_csv, "", "");
}

static void nothing_beyond_ascii_is_left(void **state)
{
    (void)state;
    CHECK(text_append_ascii, "plain \33[m", "plain ^[[m");
    CHECK(text_append_ascii,
          "\xc3\x9b"
          "31m",
          "<U+00DB>31m");
    CHECK(text_append_ascii, "\xf0\x9f\x98\x80", "<U+1F600>");
    CHECK(text_append_ascii, "\xc2\x9b\xff\xe2\x80", "<U+009B>\\xff\\xe2\\x80");
}

static void buffers_are_never_cut_inside_a_character(void **state)
{
    (void)state;
    char buffer[6];
    text_copy_visible(buffer, sizeof buffer, "abc\xe2\x82\xac", 6);
    assert_string_equal(buffer, "abc");
    text_copy_visible(buffer, sizeof buffer, "ab\xe2\x82\xac", 5);
    assert_string_equal(buffer, "ab\xe2\x82\xac");
    text_copy_visible(buffer, 1, "ab", 2);
    assert_string_equal(buffer, "");
}

static void check_wrap(const char *text, size_t columns, size_t expected)
{
    assert_int_equal(text_wrap(text, strlen(text), columns), expected);
}

static void lines_are_wrapped_at_blanks(void **state)
{
    (void)state;
    check_wrap("one two", 7, 7);
    check_wrap("one two", 6, 4); /* the blank goes with the line before it */
    check_wrap("one two", 3, 4);
    check_wrap("one  two", 4, 5);
    check_wrap("one two three", 8, 8);
    check_wrap("unbroken", 4, 4);                 /* no blank: cut anywhere, */
    check_wrap("\xce\x94\xce\x94\xce\x94", 2, 4); /* but never inside a character */
    check_wrap("\xce\x94 \xce\x94", 2, 3);
    check_wrap("\xff\xff", 1, 1);
    check_wrap("", 5, 0);
    check_wrap("last ", 5, 5);
}

static void errors_quote_hostile_text_visibly(void **state)
{
    (void)state;
    Error error = {0};
    assert_false(error_set(&error, ERROR_INPUT, "bad key \"%s\"", "\033]0;x\a"));
    assert_string_equal(error.message, "bad key \"^[]0;x^G\"");
    error_prefix(&error, "%s", "file\n");
    assert_string_equal(error.message, "file^J: bad key \"^[]0;x^G\"");
    assert_int_equal(error.kind, ERROR_INPUT);

    char long_text[3000];
    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    error_set(&error, ERROR_INPUT, "%s", long_text);
    error_prefix(&error, "%s", long_text);
    assert_true(strlen(error.message) < sizeof error.message);
}

static void running_out_of_memory_is_reported_once(void **state)
{
    (void)state;
    Text text = {0};
    text_append(&text, "kept");
    mem_fault_set(1);
    text_append_repeat(&text, 'x', 100);
    text_append(&text, "lost too");
    assert_int_equal(mem_fault_left(), 0);
    Error error = {0};
    assert_false(text_ok(&text, &error));
    assert_int_equal(error.kind, ERROR_MEMORY);
    assert_string_equal(text_view(&text), "kept");
    text_clear(&text);
    text_append(&text, "again");
    assert_true(text_ok(&text, NULL));
    assert_string_equal(text_view(&text), "again");
    text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(controls_are_visible),
        cmocka_unit_test(json_strings_are_valid),
        cmocka_unit_test(numbers_are_as_printf_writes_them),
        cmocka_unit_test(html_is_escaped),
        cmocka_unit_test(csv_fields_are_quoted),
        cmocka_unit_test(nothing_beyond_ascii_is_left),
        cmocka_unit_test(buffers_are_never_cut_inside_a_character),
        cmocka_unit_test(lines_are_wrapped_at_blanks),
        cmocka_unit_test(errors_quote_hostile_text_visibly),
        cmocka_unit_test(running_out_of_memory_is_reported_once),
    };
    return cmocka_run_group_tests_name("base/text", tests, NULL, NULL);
}
