/* The command language: words, quotes, redirection, and words that were mistyped. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "explore/lexer.h"
#include "explore/words.h"

/* The line as "word|word|..." with its marks in front: - tolerant, then > or >| and the file. */
static const char *lexed(const char *text, bool partial)
{
    static char out[1100];
    Line line;
    Error error = {0};
    Text shown = {0};
    if (!line_parse(text, strlen(text), partial, &line, &error)) {
        assert_int_equal(error.kind, ERROR_USAGE);
        snprintf(out, sizeof out, "error: %s", error.message);
        line_free(&line);
        return out;
    }
    text_append(&shown, line.tolerant ? "-" : "");
    if (line.file != NULL) {
        text_printf(&shown, "%s(%s)", line.replace ? ">|" : ">", line.file);
    }
    for (size_t i = 0; i < line.words.count; i++) {
        text_printf(&shown, "%s|", line.words.items[i].text);
    }
    if (line.open_quote != 0) {
        text_printf(&shown, "open %c", line.open_quote);
    }
    snprintf(out, sizeof out, "%s", text_view(&shown));
    text_free(&shown);
    line_free(&line);
    return out;
}

static void lines_become_words(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", ""},
        {"  \t ", ""},
        {"# a comment", ""},
        {"phases", "phases|"},
        {"  phases\t--top 4\r", "phases|--top|4|"},
        {"phases # worst first", "phases|"},
        {"phases --filter a#b", "phases|--filter|a#b|"},
        {"load 'my file.json'", "load|my file.json|"},
        {"load \"my file.json\"", "load|my file.json|"},
        {"load my\\ file.json", "load|my file.json|"},
        {"load a'b c'\"d e\"f", "load|ab cd ef|"},
        {"x ''", "x||"},
        {"x 'a\\b'", "x|a\\b|"},
        {"x \"a\\\"b\\\\c\\d\"", "x|a\"b\\c\\d|"},
        {"x \\# \\> \\-", "x|#|>|-|"},
        {"-load x", "-load|x|"},
        {"- load x", "-load|x|"},
        {"x --mode=c", "x|--mode=c|"},
        {"phases > out.txt", ">(out.txt)phases|"},
        {"phases >out.txt", ">(out.txt)phases|"},
        {"phases>out.txt", ">(out.txt)phases|"},
        {"phases >| 'out file' --top 3", ">|(out file)phases|--top|3|"},
        {"phases '>' x", "phases|>|x|"},
        {"phases >", "error: > needs a file name"},
        {"phases > a > b", "error: the output can go to one file only"},
        {"load 'x", "error: a closing ' is missing"},
        {"load \"x", "error: a closing \" is missing"},
        {"load x\\", "error: a backslash stands at the end of the line"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(lexed(cases[i][0], false), cases[i][1]);
    }
}

static void half_a_line_can_be_completed(void **state)
{
    (void)state;
    assert_string_equal(lexed("load 'my fi", true), "load|my fi|open '");
    assert_string_equal(lexed("load \"my fi", true), "load|my fi|open \"");
    assert_string_equal(lexed("load x\\", true), "load|x|open \\");
    assert_string_equal(lexed("phases > ", true), ">()phases|");
}

static void words_know_where_they_stand(void **state)
{
    (void)state;
    Line line;
    assert_true(line_parse(" ab 'c d' > e", 13, false, &line, NULL));
    assert_int_equal(line.words.items[0].start, 1);
    assert_int_equal(line.words.items[0].end, 3);
    assert_int_equal(line.words.items[1].start, 4);
    assert_int_equal(line.words.items[1].end, 9);
    assert_int_equal(line.file_start, 12);
    line_free(&line);
    assert_false(line_parse("a\0b", 3, false, &line, NULL));
    line_free(&line);
}

static void words_are_quoted_for_reading_back(void **state)
{
    (void)state;
    static const char *const words[] = {"plain", "", "a b", "it's", "\"", "#x", "a>b", "back\\slash", "a\tb"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        Text text = {0};
        Line line;
        line_append_word(&text, words[i]);
        assert_true(line_parse(text_view(&text), text.length, false, &line, NULL));
        assert_int_equal(line.words.count, 1);
        assert_string_equal(line.words.items[0].text, words[i]);
        line_free(&line);
        text_free(&text);
    }
}

static void memory_may_run_out(void **state)
{
    (void)state;
    const char *text = "-phases --filter 'a b' >| file";
    Line line;
    Error error = {0};
    long nth = 1;
    for (;; nth++) {
        mem_fault_set(nth);
        bool done = line_parse(text, strlen(text), false, &line, &error);
        bool reached = mem_fault_left() <= 0;
        mem_fault_set(0);
        line_free(&line);
        assert_true(done != reached);
        if (done) {
            break;
        }
        assert_int_equal(error.kind, ERROR_MEMORY);
    }
    assert_true(nth > 3);
}

static void numbers_have_bounds(void **state)
{
    (void)state;
    uint64_t number = 0;
    Error error;
    assert_true(word_number("18446744073709551615", 0, UINT64_MAX, "x", &number, NULL));
    assert_true(number == UINT64_MAX);
    assert_true(word_number("007", 7, 7, "x", &number, NULL));
    static const char *const bad[] = {"",  "-1", "+1", " 1", "1 ", "0x10", "1.5", "18446744073709551616",
                                      "6", "8"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(word_number(bad[i], 7, 7, "--top", &number, &error));
        assert_int_equal(error.kind, ERROR_USAGE);
    }
    assert_string_equal(error.message, "--top must be a number from 7 to 7, not '8'");
}

static const char *chosen(const char *word)
{
    static const char *const choices[] = {"phase", "phases", "replay", "report", "tail", NULL};
    static char out[1000];
    uint32_t index;
    Error error;
    if (!word_choose(word, choices, "command", &index, &error)) {
        snprintf(out, sizeof out, "%s", error.message);
        return out;
    }
    return choices[index];
}

static void choices_may_be_shortened(void **state)
{
    (void)state;
    assert_string_equal(chosen("phase"), "phase");
    assert_string_equal(chosen("phases"), "phases");
    assert_string_equal(chosen("t"), "tail");
    assert_string_equal(chosen("repl"), "replay");
    assert_string_equal(chosen("rep"), "command 'rep' could be replay, report");
    assert_string_equal(chosen("ph"), "command 'ph' could be phase, phases");
    assert_string_equal(chosen("pahse"), "unknown command 'pahse': did you mean phase?");
    assert_string_equal(chosen("taill"), "unknown command 'taill': did you mean tail?");
    assert_string_equal(chosen("x"), "unknown command 'x': use one of phase, phases, replay, report, tail");
    assert_string_equal(chosen(""), "unknown command '': use one of phase, phases, replay, report, tail");
    assert_string_equal(chosen("a\033[31mb"),
                        "unknown command 'a^[[31mb': use one of phase, phases, replay, report, tail");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_become_words),          cmocka_unit_test(half_a_line_can_be_completed),
        cmocka_unit_test(words_know_where_they_stand), cmocka_unit_test(words_are_quoted_for_reading_back),
        cmocka_unit_test(memory_may_run_out),          cmocka_unit_test(numbers_have_bounds),
        cmocka_unit_test(choices_may_be_shortened),
    };
    return cmocka_run_group_tests_name("explore/lexer", tests, NULL, NULL);
}
