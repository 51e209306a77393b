/* The REPL on a terminal: prompt, completion, history, Ctrl-C. */
#include "config.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "explore/session.h"
#include "repl/history.h"
#include "terminal.h"

static char folder[300];

static const char capture[] =
    "{\"schema_version\":4,\"tile_count\":4,\"phases\":["
    "{\"phase\":3,\"transfers\":[{\"source\":0,\"source_addresses\":[327680],\"destinations\":[[1,393216]],"
    "\"words\":2}]},{\"phase\":5,\"transfers\":[]}]}";

static void write_text(const char *name, const char *text)
{
    char path[400];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_true(file_write_text(path, text, strlen(text), true, NULL));
}

static int set_up(void **state)
{
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/exscope-repl-XXXXXX", base != NULL ? base : "/tmp");
    assert_non_null(mkdtemp(folder));
    write_text("cap.json", capture);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    char command[400];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command); /* NOLINT(cert-env33-c): the name is ours */
}

static void start(Terminal *terminal, const char *argument)
{
    terminal_start(terminal, folder, (const char *const[]){"-i", "-q", argument, NULL});
}

static void prompt_says_where_we_are(void **state)
{
    (void)state;
    Terminal terminal;
    start(&terminal, "cap.json");
    terminal_expect(&terminal, "cap 3 original> ");
    terminal_type(&terminal, "phase 5\n");
    terminal_expect(&terminal, "rank               2");
    terminal_expect(&terminal, "cap 5 original> ");
    terminal_type(&terminal, "mode c\n");
    terminal_expect(&terminal, "cap 5 coalesced> ");
    terminal_type(&terminal, "phase 7\n");
    terminal_expect(&terminal, "exscope: there is no phase 7");
    terminal_expect(&terminal, "cap 5 coalesced> ");
    terminal_type(&terminal, "quit\n");
    assert_int_equal(terminal_end(&terminal), 0);
}

/* A mode stays chosen in a phase that does not have it, and the prompt says so. */
static void prompt_says_that_a_mode_is_refused(void **state)
{
    (void)state;
    Terminal terminal;
    write_text("forward.json",
               "{\"schema_version\":4,\"tile_count\":4,\"phases\":["
               "{\"phase\":1,\"transfers\":[{\"source\":0,\"source_addresses\":[65536],"
               "\"destinations\":[[1,65536]],\"words\":1}]},"
               "{\"phase\":2,\"transfers\":[{\"source\":0,\"source_addresses\":[65536],"
               "\"destinations\":[[1,65536]],\"words\":1},{\"source\":1,\"source_addresses\":[65536],"
               "\"destinations\":[[2,65536]],\"words\":1}]}]}");
    start(&terminal, "forward.json");
    terminal_type(&terminal, "phase 1\n");
    terminal_type(&terminal, "mode source\n");
    terminal_expect(&terminal, "forward 1 source> ");
    terminal_type(&terminal, "phase 2\n");
    terminal_expect(&terminal, "forward 2 source (refused)> ");
    terminal_type(&terminal, "mode original\n");
    terminal_expect(&terminal, "forward 2 original> ");
    terminal_type(&terminal, "quit\n");
    assert_int_equal(terminal_end(&terminal), 0);
}

static void prompt_without_a_capture(void **state)
{
    (void)state;
    Terminal terminal;
    start(&terminal, NULL);
    terminal_expect(&terminal, "exscope> ");
    terminal_type(&terminal, "phases\n");
    terminal_expect(&terminal, "load FILE opens one");
    terminal_expect(&terminal, "exscope> ");
    terminal_type(&terminal, "load cap.json\n");
    terminal_expect(&terminal, "cap 3 original> ");
    terminal_type(&terminal, "\004"); /* Ctrl-D */
    assert_int_equal(terminal_end(&terminal), 0);
}

static void tab_completes(void **state)
{
    (void)state;
    Terminal terminal;
    start(&terminal, "cap.json");
    terminal_expect(&terminal, "original> ");
    terminal_type(&terminal, "pha\t"); /* phase, phases: as far as they agree */
    terminal_expect(&terminal, "phase");
    terminal_type(&terminal, "\t"); /* again: both are listed */
    terminal_expect(&terminal, "phase   phases");
    terminal_expect(&terminal, "original> phase");
    terminal_type(&terminal, " w\t\n");
    terminal_expect(&terminal, "worst");
    terminal_expect(&terminal, "rank               1");
    terminal_expect(&terminal, "original> ");
    terminal_type(&terminal, "load ca\t\n");
    terminal_expect(&terminal, "p.json");
    terminal_expect(&terminal, "load time");
    terminal_expect(&terminal, "original> ");
    terminal_type(&terminal, "tile \t\t"); /* four tiles and busiest */
    terminal_expect(&terminal, "busiest");
    terminal_type(&terminal, "b\t --ph\t3\n");
    terminal_expect(&terminal, "ase 3");
    terminal_expect(&terminal, "fragments");
    terminal_expect(&terminal, "original> ");
    terminal_type(&terminal, "quit\n");
    assert_int_equal(terminal_end(&terminal), 0);
}

/* Names of files that a terminal would obey are neither listed nor put into the line. */
static void tab_shows_no_control_characters(void **state)
{
    (void)state;
    Terminal terminal;
    static const char *const names[] = {"tab-1.json",  "tab-\302\23331m", "tab-\342\200\256", "tab-\377",
                                        "tab-\33[31m", "taa-\303\251",    "taa-\303\250"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        write_text(names[i], "");
    }
    start(&terminal, NULL);
    terminal_expect(&terminal, "exscope> ");
    terminal_type(&terminal, "load tab\t\t"); /* two may be shown */
    terminal_expect(&terminal, "^[[31m");
    terminal_expect(&terminal, "tab-1.json");
    terminal_type(&terminal, "\025load taa\t\t"); /* no half of a character */
    terminal_expect(&terminal, "taa-\xc3\xa8");
    terminal_expect(&terminal, "taa-\xc3\xa9");
    terminal_type(&terminal, "\025quit\n");
    assert_null(strstr(terminal.output, "\xc2\x9b"));
    assert_null(strstr(terminal.output, "\xe2\x80\xae"));
    assert_null(memchr(terminal.output, 0xff, terminal.length));
    assert_null(strstr(terminal.output, "\33[31m"));
    assert_int_equal(terminal_end(&terminal), 0);
}

static void interrupt_drops_the_line_and_goes_on(void **state)
{
    (void)state;
    Terminal terminal;
    start(&terminal, "cap.json");
    terminal_expect(&terminal, "original> ");
    terminal_type(&terminal, "nonsense");
    terminal_expect(&terminal, "nonsense");
    terminal_type(&terminal, "\003");
    terminal_expect(&terminal, "^C");
    terminal_expect(&terminal, "original> ");
    terminal_type(&terminal, "phase\n");
    terminal_expect(&terminal, "rank               1");
    terminal_expect(&terminal, "original> ");
    terminal_type(&terminal, "quit\n");
    assert_int_equal(terminal_end(&terminal), 0);
}

static void interrupt_stops_the_command_that_runs(void **state)
{
    (void)state;
    Terminal terminal;
    char fifo[400];
    snprintf(fifo, sizeof fifo, "%s/slow.json", folder);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    start(&terminal, "cap.json");
    terminal_expect(&terminal, "original> ");
    terminal_type(&terminal, "load slow.json\n"); /* nobody writes: it would wait for ever */
    terminal_expect(&terminal, "load slow.json");
    terminal_pause(300);
    terminal_type(&terminal, "\003");
    terminal_expect(&terminal, "cancelled");
    terminal_expect(&terminal, "cap 3 original> "); /* what was open still is */
    terminal_type(&terminal, "quit\n");
    assert_int_equal(terminal_end(&terminal), 0);
    unlink(fifo);
}

static void interrupt_ends_a_script(void **state)
{
    (void)state;
    Terminal terminal;
    char fifo[400];
    snprintf(fifo, sizeof fifo, "%s/slow.json", folder);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    terminal_start(&terminal, folder,
                   (const char *const[]){"-q", "-e", "-load slow.json", "-e", "help", NULL});
    terminal_pause(300);
    terminal_signal(&terminal, SIGINT);
    terminal_expect(&terminal, "cancelled");
    assert_int_equal(terminal_end(&terminal), 130);
    unlink(fifo);
}

static void long_commands_say_how_far_they_are(void **state)
{
    (void)state;
    Terminal terminal;
    char fifo[400];
    snprintf(fifo, sizeof fifo, "%s/slow.json", folder);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    terminal_start(&terminal, folder, (const char *const[]){"-i", "slow.json", NULL});
    terminal_expect(&terminal, "(Ctrl-C stops)");
    terminal_type(&terminal, "\003");
    terminal_expect(&terminal, "exscope> ");
    terminal_signal(&terminal, SIGTERM);
    assert_int_equal(terminal_end(&terminal), 128 + SIGTERM);
    unlink(fifo);
}

static void history_is_kept_between_sessions(void **state)
{
    (void)state;
    Terminal terminal;
    start(&terminal, "cap.json");
    terminal_expect(&terminal, "original> ");
    terminal_type(&terminal, "phase 5\n");
    terminal_expect(&terminal, "5 original> ");
    terminal_type(&terminal, "phase 5\n"); /* the same again is kept once */
    terminal_expect(&terminal, "5 original> ");
    terminal_type(&terminal, "\033[A\033[A");   /* up, up */
    terminal_type(&terminal, "\001\013quit\n"); /* to the begin, delete all */
    assert_int_equal(terminal_end(&terminal), 0);
    start(&terminal, "cap.json");
    terminal_expect(&terminal, "3 original> ");
    terminal_type(&terminal, "\033[A\033[A\n");
    terminal_expect(&terminal, "5 original> ");
    terminal_type(&terminal, "history --top 3\n");
    terminal_expect(&terminal, "quit");
    terminal_expect(&terminal, "phase 5");
    terminal_expect(&terminal, "5 original> ");
    terminal_type(&terminal, "\004");
    assert_int_equal(terminal_end(&terminal), 0);
    char path[400];
    Text text = {0};
    snprintf(path, sizeof path, "%s/.local/state/exscope/history", folder);
    assert_true(file_read_text(path, 10000, &text, NULL));
    assert_non_null(strstr(text_view(&text), "phase 5\nquit\nphase 5\nhistory --top 3\n"));
    text_free(&text);
}

static void history_of_several_sessions_is_merged(void **state)
{
    (void)state;
    setenv("XDG_STATE_HOME", folder, 1);
    Session *first = session_new(1, NULL), *second = session_new(1, NULL);
    assert_true(first != NULL && second != NULL);
    assert_true(history_load(first, NULL)); /* there is none yet */
    assert_true(session_history_add(first, "one", NULL));
    assert_true(session_history_add(second, "two", NULL));
    assert_true(history_save(first, 0, NULL));
    assert_true(history_save(second, 0, NULL));
    for (int i = 0; i < HISTORY_LINES_MAX; i++) {
        char line[20];
        snprintf(line, sizeof line, "line %d", i);
        assert_true(session_history_add(first, line, NULL));
    }
    Session *third = session_new(1, NULL);
    assert_true(history_load(third, NULL));
    assert_int_equal(session_history_count(third), 2);
    assert_true(history_save(first, 1, NULL));
    assert_true(history_load(third, NULL));
    assert_int_equal(session_history_count(third), 2 + HISTORY_LINES_MAX); /* the oldest are dropped */
    session_free(first);
    session_free(second);
    session_free(third);
    unsetenv("XDG_STATE_HOME");
}

static void windows_may_change_their_size(void **state)
{
    (void)state;
    Terminal terminal;
    start(&terminal, "cap.json");
    terminal_expect(&terminal, "original> ");
    terminal_type(&terminal, "pha");
    terminal_signal(&terminal, SIGWINCH);
    terminal_type(&terminal, "se\n");
    terminal_expect(&terminal, "rank               1");
    terminal_expect(&terminal, "original> ");
    terminal_signal(&terminal, SIGHUP);
    assert_int_equal(terminal_end(&terminal), 128 + SIGHUP);
}

int main(void)
{
    if (getenv("EXSCOPE_PROGRAM") == NULL) {
        print_message("1..0 # SKIP EXSCOPE_PROGRAM is not set\n");
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prompt_says_where_we_are),
        cmocka_unit_test(prompt_says_that_a_mode_is_refused),
        cmocka_unit_test(prompt_without_a_capture),
        cmocka_unit_test(tab_completes),
        cmocka_unit_test(tab_shows_no_control_characters),
        cmocka_unit_test(interrupt_drops_the_line_and_goes_on),
        cmocka_unit_test(interrupt_stops_the_command_that_runs),
        cmocka_unit_test(interrupt_ends_a_script),
        cmocka_unit_test(long_commands_say_how_far_they_are),
        cmocka_unit_test(history_is_kept_between_sessions),
        cmocka_unit_test(history_of_several_sessions_is_merged),
        cmocka_unit_test(windows_may_change_their_size),
    };
    return cmocka_run_group_tests_name("repl", tests, set_up, tear_down);
}
