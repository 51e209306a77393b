/* The table of terms: it has every figure that the faces show, and is fit to be read. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <cmocka.h>

#include "explore/answers.h"
#include "explore/interpreter.h"
#include "explore/terms.h"
#include "tui/mode_rows.h"

static size_t terms_called(const char *word)
{
    size_t count, found = 0;
    const Term *terms = terms_table(&count);
    for (size_t i = 0; i < count; i++) {
        found += term_is_called(&terms[i], word);
    }
    return found;
}

/* The last part of a key that is a path. */
static const char *last_part(const char *key)
{
    const char *dot = strrchr(key, '.');
    return dot == NULL || strncmp(key, "replay.", 7) != 0 ? key : dot + 1;
}

static void every_figure_of_a_mode_has_a_term(void **state)
{
    (void)state;
    for (size_t i = 0; i < mode_column_count; i++) {
        const Column *column = &mode_columns[i];
        if (terms_called(last_part(column->key)) == 0) {
            fail_msg("key %s has no term", column->key);
        }
        bool figure = column->title != NULL && strncmp(column->key, "first_difference", 16) != 0;
        if (figure && terms_called(column->title) == 0) {
            fail_msg("the heading '%s' is no term", column->title);
        }
    }
    for (int figure = 0; figure < FIGURE_COUNT; figure++) {
        if (terms_called(figure_kinds[figure].title) == 0) {
            fail_msg("the heading '%s' of the explorer is no term", figure_kinds[figure].title);
        }
    }
}

/* The headings of the first table that a command prints, after fields or not, are all terms. They stand two
 * blanks apart. */
static void expect_headings(Session *session, const char *line, bool fields)
{
    Text out = {0};
    Interpreter interpreter = {.session = session, .sink = sink_text(&out)};
    Error error;
    if (!interpreter_line(&interpreter, line, &error)) {
        fail_msg("%s: %s", line, error.message);
    }
    const char *at = fields ? strstr(text_view(&out), "\n\n") : text_view(&out);
    assert_non_null(at);
    at += strspn(at, "\n");
    size_t headings = 0;
    for (; *at != '\n' && *at != '\0'; headings++) {
        const char *end = strstr(at, "  ");
        size_t line_length = strcspn(at, "\n"), length = end == NULL ? line_length : (size_t)(end - at);
        length = length < line_length ? length : line_length;
        char heading[80];
        snprintf(heading, sizeof heading, "%.*s", (int)length, at);
        if (terms_called(heading) == 0) {
            fail_msg("%s: the heading '%s' is no term", line, heading);
        }
        at += length;
        at += strspn(at, " ");
    }
    assert_true(headings > 3);
    text_free(&out);
}

static void headings_are_terms(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        bool fields;
    } cases[] = {{"phases --top 3", false},
                 {"modes --phase 14", true},
                 {"replay --phase 14 --mode all", false},
                 {"tiles --phase 14 --sort rows --top 2", true},
                 {"routes --phase 14 --top 2", true}};
    const char *source = getenv("EXSCOPE_SOURCE_DIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/data/showcase.json", source == NULL ? "." : source);
    Session *session = session_new(1, NULL);
    assert_true(session_load(session, path, NULL, NULL));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect_headings(session, cases[i].line, cases[i].fields);
    }
    session_free(session);
}

static void terms_are_fit_to_be_read(void **state)
{
    (void)state;
    size_t count;
    const Term *terms = terms_table(&count);
    for (size_t i = 0; i < count; i++) {
        const Term *term = &terms[i];
        size_t length = strlen(term->meaning);
        assert_null(strchr(term->name, ',')); /* a comma parts names */
        assert_true(length > 0 && length <= 320 && term->meaning[length - 1] != '.');
        for (size_t j = 0; j < i; j++) {
            if (strcasecmp(terms[j].name, term->name) == 0 || term_is_called(&terms[j], term->name)) {
                fail_msg("'%s' stands for '%s' too", term->name, terms[j].name);
            }
        }
    }
}

static void names_are_found(void **state)
{
    (void)state;
    const Term term = {"max frag", "most on a tile, Δ%", "max_frag, other_key", ""};
    assert_true(term_is_called(&term, "max frag"));
    assert_true(term_is_called(&term, "Most On A Tile"));
    assert_true(term_is_called(&term, "Δ%"));
    assert_true(term_is_called(&term, "other_key"));
    assert_false(term_is_called(&term, "max"));
    assert_false(term_is_called(&term, "most on"));
    assert_false(term_is_called(&term, "key"));
    assert_false(term_is_called(&term, ""));
    assert_true(term_begins(&term, "max"));
    assert_true(term_begins(&term, "MOST"));
    assert_false(term_begins(&term, "other"));
    assert_false(term_begins(&term, "tile"));
    const Term bare = {"tail", NULL, NULL, ""};
    assert_true(term_is_called(&bare, "tail"));
    assert_false(term_is_called(&bare, "prefix"));
    assert_false(term_begins(&bare, "p"));
}

static void every_term_can_be_asked_for(void **state)
{
    (void)state;
    size_t count;
    const Term *terms = terms_table(&count);
    Session *session = session_new(1, NULL);
    Text out = {0}, line = {0};
    Interpreter interpreter = {.session = session, .sink = sink_text(&out)};
    Error error;
    for (size_t i = 0; i < count; i++) {
        text_clear(&out);
        text_clear(&line);
        text_printf(&line, "help '%s'", terms[i].name);
        if (!interpreter_line(&interpreter, text_view(&line), &error)) {
            fail_msg("%s: %s", text_view(&line), error.message);
        }
        text_clear(&line);
        text_append_bytes(&line, terms[i].meaning, strcspn(terms[i].meaning, " "));
        text_append(&line, " ");
        text_append_bytes(&line, terms[i].meaning + line.length,
                          strcspn(terms[i].meaning + line.length, " "));
        if (strstr(text_view(&out), text_view(&line)) == NULL) {
            fail_msg("'%s' is not explained: %s", terms[i].name, text_view(&out));
        }
    }
    text_free(&out);
    text_free(&line);
    session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_figure_of_a_mode_has_a_term), cmocka_unit_test(headings_are_terms),
        cmocka_unit_test(terms_are_fit_to_be_read),          cmocka_unit_test(names_are_found),
        cmocka_unit_test(every_term_can_be_asked_for),
    };
    return cmocka_run_group_tests_name("explore/terms", tests, NULL, NULL);
}
