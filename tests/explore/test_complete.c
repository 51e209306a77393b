/* Completion: what TAB offers at the end of a line. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "explore/command.h"
#include "make_capture.h"

typedef struct Fixture {
    Session *session;
    char *capture;
    char folder[300];
} Fixture;

static void make(const char *folder, const char *name, bool is_folder)
{
    char path[400];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (is_folder) {
        assert_int_equal(mkdir(path, 0700), 0);
    } else {
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fclose(file);
    }
}

static int set_up(void **state)
{
    Fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    fixture->session = session_new(1, NULL);
    fixture->capture = capture_file((unsigned[]){1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, 12);
    assert_non_null(fixture->session);
    assert_true(session_load(fixture->session, fixture->capture, NULL, NULL));
    const char *base = getenv("TMPDIR");
    snprintf(fixture->folder, sizeof fixture->folder, "%s/exscope-complete-XXXXXX",
             base != NULL ? base : "/tmp");
    assert_non_null(mkdtemp(fixture->folder));
    make(fixture->folder, "small.json", false);
    make(fixture->folder, "some file", false);
    make(fixture->folder, ".hidden", false);
    make(fixture->folder, "sub", true);
    make(fixture->folder, "sub/inner.json", false);
    assert_int_equal(chdir(fixture->folder), 0);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    Fixture *fixture = *state;
    static const char *const names[] = {"small.json", "some file", ".hidden", "sub/inner.json"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        unlink(names[i]);
    }
    rmdir("sub");
    assert_int_equal(chdir("/"), 0);
    rmdir(fixture->folder);
    session_free(fixture->session);
    temporary_remove(fixture->capture);
    free(fixture);
    return 0;
}

/* "START: word word ..." for a line with the cursor at its end. */
static const char *completed(Session *session, const char *line)
{
    static char out[4000];
    Completion completion;
    assert_true(complete_line(session, line, strlen(line), &completion, NULL));
    int length = snprintf(out, sizeof out, "%zu:", completion.start);
    for (size_t i = 0; i < completion.count; i++) {
        length += snprintf(out + length, sizeof out - (size_t)length, " %s", completion.words[i]);
    }
    completion_free(&completion);
    return out;
}

static void words_are_completed(void **state)
{
    const Fixture *fixture = *state;
    static const char *const cases[][2] = {
        {"pha", "0: phase phases"},
        {"  pha", "2: phase phases"},
        {"-pha", "1: phase phases"},
        {"xyz", "0:"},
        {"phase 1", "6: 1 10 11"},
        {"phase w", "6: worst"},
        {"phase 1 ", "8:"},
        {"mode coa", "5: coalesced coalesced-levels coalesced-prefix"},
        {"compare both re", "13: receiver reordered"},
        {"tile ", "5: 0 1 2 3 busiest"},
        {"tile bu", "5: busiest"},
        {"phases --s", "7: --sort"},
        {"phases --", "7: --filter --reverse --sort --top"},
        {"phases ", "7: --filter --reverse --sort --top"},
        {"phases --sort ta", "14: tail"},
        {"phases --sort=ta", "7: --sort=tail"},
        {"phases --so=ta", "7: --so=tail"},
        {"phases --top ", "13:"},
        {"phases --filter x", "16:"},
        {"phases --reverse --so", "17: --sort"},
        {"replay --mode al", "14: all"},
        {"replay --phase a", "15: all"},
        {"tail --phase 3", "13: 3"},
        {"tail --phase 3 --t", "15: --top"},
        {"set ver", "4: verbose"},
        {"set verbose ", "12: off on"},
        {"set format c", "11: csv"},
        {"set stream_words ", "17:"},
        {"transfers --f", "10: --from"},
        {"transfers --a", "10: --address"},
        {"transfers --to b", "15: busiest"},
        {"transfers --from=b", "10: --from=busiest"},
        {"help pha", "5: phase phases"},
        {"help ter", "5: terms"},
        {"help pre", "5: prefix"},
        {"help tai", "5: tail"}, /* a command and a term: once */
        {"help cop", "5: 'copy cyc' 'copy runs' copies"},
        {"help copy r", "10:"},
        {"load s", "5: 'some file' small.json sub/"},
        {"load 'some", "5: 'some file'"},
        {"load sub/", "5: sub/inner.json"},
        {"load .", "5: .hidden"},
        {"load nothing/", "5:"},
        {"phases > sm", "9: small.json"},
        {"phases > ", "9: 'some file' small.json sub/"},
        {"phases >sm", "8: small.json"},
        {"phases --top 3 > sm", "17: small.json"},
        {"nothing x", "8:"},
        {"load x\\", "7:"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *got = completed(fixture->session, cases[i][0]);
        if (strcmp(got, cases[i][1]) != 0) {
            fail_msg("'%s' gives '%s', not '%s'", cases[i][0], got, cases[i][1]);
        }
    }
}

static void nothing_has_to_be_open(void **state)
{
    (void)state;
    Session *session = session_new(1, NULL);
    assert_non_null(session);
    assert_string_equal(completed(session, "phase "), "6: worst");
    assert_string_equal(completed(session, "tile "), "5: busiest");
    session_free(session);
}

/* Every prefix of some lines: never a crash, and every candidate begins at or before the cursor. */
static void any_line_may_be_asked_about(void **state)
{
    const Fixture *fixture = *state;
    static const char *const lines[] = {"-phases --sort='ta \"x\" > 'some file' # c", "set  format  = \\ x",
                                        "load \"so me\\\" file", "replay --mode=all --phase=all >| x y"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        for (size_t cursor = 0; cursor <= strlen(lines[i]); cursor++) {
            Completion completion;
            if (complete_line(fixture->session, lines[i], cursor, &completion, NULL)) {
                assert_true(completion.start <= cursor);
                completion_free(&completion);
            }
        }
    }
}

static void memory_may_run_out(void **state)
{
    const Fixture *fixture = *state;
    long nth = 1;
    for (;; nth++) {
        Completion completion;
        Error error = {0};
        mem_fault_set(nth);
        bool done = complete_line(fixture->session, "compare both re", 15, &completion, &error);
        bool reached = mem_fault_left() <= 0;
        mem_fault_set(0);
        if (done) {
            completion_free(&completion);
        }
        if (!reached) {
            assert_true(done);
            break;
        }
    }
    assert_true(nth > 5);
}

/* ---- the command table ---- */

static bool do_nothing(CommandCall *call, Error *error)
{
    (void)call;
    (void)error;
    return true;
}

static void commands_are_described(void **state)
{
    const Fixture *fixture = *state;
    CommandSet *set = session_commands(fixture->session);
    for (size_t i = 0; i < commands_count(set); i++) {
        const Command *command = commands_at(set, i);
        assert_true(i == 0 || strcmp(commands_at(set, i - 1)->name, command->name) < 0);
        assert_true(command->summary[0] != '\0' && command->summary[strlen(command->summary) - 1] != '.');
        assert_int_equal(strncmp(command->example, command->name, strlen(command->name)), 0);
        for (const Parameter *p = command->parameters; p != NULL && p->name != NULL; p++) {
            assert_true(p->summary != NULL && p->summary[0] != '\0');
            assert_true((p->kind == PARAMETER_CHOICE) == (p->choices != NULL));
        }
    }
}

static void higher_folders_add_commands(void **state)
{
    (void)state;
    static const Command more[] = {{"zap", "do it", "zap", NULL, do_nothing, 0, NULL},
                                   {"aaa", "do it", "aaa", NULL, do_nothing, COMMAND_INTERNAL, NULL}};
    static const Command known[] = {{"phases", "again", "phases", NULL, do_nothing, 0, NULL}};
    Session *session = session_new(1, NULL);
    CommandSet *set = session_commands(session);
    assert_true(commands_add(set, more, 2, NULL, NULL));
    assert_ptr_equal(commands_at(set, 0), &more[1]);
    assert_ptr_equal(commands_find(set, "za", NULL), &more[0]);
    Error error = {0};
    assert_false(commands_add(set, known, 1, NULL, &error));
    assert_string_equal(error.message, "there is a command 'phases' already");
    assert_string_equal(completed(session, "a"), "0:");
    assert_string_equal(completed(session, "z"), "0: zap");
    session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_completed),         cmocka_unit_test(nothing_has_to_be_open),
        cmocka_unit_test(any_line_may_be_asked_about), cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(commands_are_described),      cmocka_unit_test(higher_folders_add_commands),
    };
    return cmocka_run_group_tests_name("explore/complete", tests, set_up, tear_down);
}
