/* Commands where memory runs out, is cancelled, or cannot write: an error each time, never a crash, never
 * half an answer that looks whole. What they print stands in tests/cli. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "explore/interpreter.h"
#include "make_capture.h"

static const char *const lines[] = {
    "info",
    "phases --sort tail",
    "phases --filter fi",
    "phase 1",
    "mode both --phase 1",
    "modes --phase 1",
    "compare o c --phase 1",
    "tiles --phase 1",
    "tiles --sort idle --phase 1",
    "tile busiest --phase 1",
    "transfers --phase 1 --route 0:1 --tile 1",
    "transfers --phase 1 --from 0 --to busiest --address 0x10000",
    "deps 0 --phase 90",
    "routes --phase 1",
    "tail --phase 90",
    "deps 1 --phase 90",
    "coverage --phase 1 --all",
    "coverage --phase 1 --tile 1",
    "identity --phase 1 --all",
    "copies --phase 1 --mode both",
    "cycles --phase 1",
    "replay --phase all --mode all",
    /* three times, for three formats: their rows are written into texts of their own */
    "rows --phase 1 --tile 0",
    "rows --phase 1 --all",
    "critical --phase 1",
    "critical --phase 1",
    "rows --phase 1 --tile 0",
    "rows --phase 1 --all",
    "rows --phase 1 --all",
    "critical --phase 1",
    "rows --phase 1 --tile 0",
    "timeline --phase 1 --tile 0",
    "set stream_words 7",
    "show",
    "help",
    "help modes",
    "help terms",
    "help copy cycles",
    "help row finge",
    "history",
    "jobs",
};

enum { LINES = sizeof lines / sizeof *lines };

static char *capture;

static int set_up(void **state)
{
    (void)state;
    Text text = {0};
    char *first = make_phase(0, 3), *second = make_phase(1, 6);
    text_printf(&text, "%s%s,%s,%s%s", capture_head, first, second, dependent_phase, capture_end);
    capture = temporary_file(text_view(&text));
    free(first);
    free(second);
    text_free(&text);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    temporary_remove(capture);
    return 0;
}

static Session *loaded_session(OutputFormat format)
{
    Session *session = session_new(1, NULL);
    assert_non_null(session);
    assert_true(session_load(session, capture, NULL, NULL));
    Settings settings = session_settings(session);
    settings.format = format;
    session_set_settings(session, &settings);
    return session;
}

/* The text that a line prints when nothing goes wrong. */
static void print_line(const char *line, OutputFormat format, Text *text)
{
    Session *session = loaded_session(format);
    Interpreter interpreter = {.session = session, .sink = sink_text(text)};
    Error error = {0};
    if (!interpreter_line(&interpreter, line, &error)) {
        fail_msg("%s: %s", line, error.message);
    }
    session_free(session);
}

/* Times differ from run to run: only the length without digits is compared. */
static size_t letters(const Text *text)
{
    size_t count = 0;
    for (size_t i = 0; i < text->length; i++) {
        count += text->bytes[i] < '0' || text->bytes[i] > '9';
    }
    return count;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < LINES; i++) {
        OutputFormat format = (OutputFormat)(i % 3);
        Text whole = {0};
        print_line(lines[i], format, &whole);
        for (long nth = 1;; nth += 1 + nth / 16) {
            Session *session = loaded_session(format);
            Text text = {0};
            Interpreter interpreter = {.session = session, .sink = sink_text(&text)};
            Error error = {0};
            mem_fault_set(nth);
            bool done = interpreter_line(&interpreter, lines[i], &error);
            bool reached = mem_fault_left() <= 0;
            mem_fault_set(0);
            if (!done && error.kind != ERROR_MEMORY) {
                fail_msg("%s: %s", lines[i], error.message);
            }
            if (done && letters(&text) != letters(&whole)) {
                fail_msg("%s: allocation %ld failed, and the answer is another one", lines[i], nth);
            }
            text_free(&text);
            session_free(session);
            if (!reached) {
                assert_true(done);
                break;
            }
        }
        text_free(&whole);
    }
}

static void commands_may_be_cancelled(void **state)
{
    (void)state;
    for (size_t i = 0; i < LINES; i++) {
        Session *session = loaded_session(FORMAT_TEXT);
        Text text = {0};
        Progress progress = {.cancel = true};
        Interpreter interpreter = {.session = session, .sink = sink_text(&text), .progress = &progress};
        Error error = {0};
        assert_false(interpreter_line(&interpreter, lines[i], &error));
        assert_int_equal(error.kind, ERROR_CANCELLED);
        assert_int_equal(text.length, 0);
        text_free(&text);
        session_free(session);
    }
}

static bool write_nowhere(void *context, const char *bytes, size_t length, Error *error)
{
    (void)context;
    (void)bytes;
    (void)length;
    return error_set(error, ERROR_SYSTEM, "nowhere");
}

static void output_may_fail(void **state)
{
    (void)state;
    for (size_t i = 0; i < LINES; i++) {
        Session *session = loaded_session((OutputFormat)(i % 3));
        Interpreter interpreter = {.session = session, .sink = {write_nowhere, NULL}};
        Error error = {0};
        bool done = interpreter_line(&interpreter, lines[i], &error);
        assert_true(done || interpreter.output_failed);
        assert_true(!done || strncmp(lines[i], "set", 3) == 0); /* prints nothing but in JSON */
        session_free(session);
    }
}

typedef struct Told {
    unsigned count;
    char where[100], line[100];
} Told;

static void tell(void *context, const char *where, const char *line, const Error *error)
{
    Told *told = context;
    (void)error;
    told->count++;
    snprintf(told->where, sizeof told->where, "%.99s", where);
    snprintf(told->line, sizeof told->line, "%.99s", line);
}

static void failures_are_told_once(void **state)
{
    (void)state;
    Session *session = loaded_session(FORMAT_TEXT);
    char *inner = temporary_file("info\nphase 77\n");
    Text text = {0}, outer = {0};
    Told told = {0};
    Interpreter interpreter = {
        .session = session, .sink = sink_text(&text), .failed = tell, .context = &told};
    assert_false(interpreter_line(&interpreter, "phase 77", NULL));
    assert_int_equal(told.count, 1);
    assert_string_equal(told.where, "");
    assert_string_equal(told.line, "phase 77");
    text_printf(&outer, "source '%s'", inner);
    assert_false(interpreter_line(&interpreter, text_view(&outer), NULL));
    assert_int_equal(told.count, 2);
    assert_string_equal(told.line, "phase 77");
    assert_true(interpreter_line(&interpreter, "-phase 77", NULL));
    assert_int_equal(told.count, 3);
    assert_false(interpreter_line(&interpreter, "source /does/not/exist", NULL));
    assert_int_equal(told.count, 4);
    temporary_remove(inner);
    text_free(&text);
    text_free(&outer);
    session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(commands_may_be_cancelled),
        cmocka_unit_test(output_may_fail),
        cmocka_unit_test(failures_are_told_once),
    };
    return cmocka_run_group_tests_name("explore/commands", tests, set_up, tear_down);
}
