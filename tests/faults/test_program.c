/* The whole program, from its start to its end, in which one allocation or one system call fails: the first,
 * the second, and so on, whoever makes it (failing.c). It must end with status 0 and all of its output, or
 * with status 1 and one line that says why; what is in the output folder must be whole, and what was there
 * before still be there; all memory must be given back.
 *
 *     test_program [STRIDE]      every STRIDE-th allocation (default 1: all) and every system call */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../fuzz/fuzz.h"
#include "base/text.h"
#include "failing.h"
#include "whole.h"

#define FAIL_ALLOCATION "EXSCOPE_FAIL_ALLOCATION"
#define FAIL_CALL "EXSCOPE_FAIL_CALL"

enum { ARGUMENTS_MAX = 16, PATIENCE_SECONDS = 60, REPORT_DESCRIPTOR = 9 };

typedef struct Scenario {
    const char *title;
    const char *arguments[ARGUMENTS_MAX];
    const char *input; /* file for standard input; NULL: none */
} Scenario;

static const Scenario scenarios[] = {
    {"analyze", {"analyze", "overlap.json", "out", "-q", "--jobs", "1"}, NULL},
    {"analyze zstd data from standard input, as JSON",
     {"analyze", "-", "out", "-q", "--jobs", "2", "--mode", "original", "--format", "json"},
     "overlap.json.zst"},
    {"analyze --replay-only", {"analyze", "overlap.json", "out", "-q", "--replay-only"}, NULL},
    {"zstd data", {"overlap.json.zst", "-e", "phases", "-e", "critical --phase worst"}, NULL},
    {"gzip data", {"overlap.json.gz", "-e", "critical --phase worst --top 3"}, NULL},
    {"a script", {"overlap.json", "-f", "script", "--format", "csv"}, NULL},
    {"commands from standard input", {"overlap.json"}, "script"},
    {"export", {"overlap.json", "-e", "export out --force --phase worst --mode all"}, NULL},
    {"report", {"overlap.json", "-e", "report out --force"}, NULL},
    {"a file in place of another", {"overlap.json", "-e", "phases >| out/phases.txt"}, NULL},
    {"help", {"--help"}, NULL},
};

enum { SCENARIOS = sizeof scenarios / sizeof *scenarios };

static const char script[] = "phase worst\nmode original\ncritical\ntiles --top 3\n";

/* ---- a run ---- */

typedef struct Run {
    int output, errors, report; /* files in memory */
    int status;
    bool fired;
    long blocks;
} Run;

static int memory_file(const char *name)
{
    int descriptor = memfd_create(name, MFD_CLOEXEC);
    FUZZ_CHECK(descriptor >= 0, "memfd_create");
    return descriptor;
}

static void take_place(int descriptor, int place)
{
    if (dup2(descriptor, place) < 0) {
        _exit(126);
    }
}

static void become(const Scenario *scenario, const Run *run, const char *variable, long nth)
{
    static char program[4096];
    char *arguments[ARGUMENTS_MAX + 2] = {program};
    char number[24];
    snprintf(program, sizeof program, "%s/tests/faults/exscope-failing", getenv("EXSCOPE_BUILD_DIR"));
    for (size_t i = 0; scenario->arguments[i] != NULL; i++) {
        arguments[i + 1] = (char *)(uintptr_t)scenario->arguments[i];
    }
    snprintf(number, sizeof number, "%ld", nth);
    setenv(variable, number, 1);
    snprintf(number, sizeof number, "%d", REPORT_DESCRIPTOR);
    setenv("EXSCOPE_FAIL_REPORT", number, 1);
    take_place(open(scenario->input == NULL ? "/dev/null" : scenario->input, O_RDONLY), STDIN_FILENO);
    take_place(run->output, STDOUT_FILENO);
    take_place(run->errors, STDERR_FILENO);
    take_place(run->report, REPORT_DESCRIPTOR);
    alarm(PATIENCE_SECONDS);
    execv(program, arguments);
    _exit(127);
}

static void text_of(int descriptor, Text *text)
{
    char buffer[4096];
    text_clear(text);
    for (ssize_t got; (got = pread(descriptor, buffer, sizeof buffer, (off_t)text->length)) > 0;) {
        text_append_bytes(text, buffer, (size_t)got);
    }
    FUZZ_CHECK(text_ok(text, NULL), "memory");
}

static void run_program(const Scenario *scenario, const char *variable, long nth, Run *run)
{
    const int files[] = {run->output, run->errors, run->report};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        FUZZ_CHECK(ftruncate(files[i], 0) == 0 && lseek(files[i], 0, SEEK_SET) == 0, "a file in memory");
    }
    fflush(stdout);
    pid_t program = fork();
    FUZZ_CHECK(program >= 0, "fork");
    if (program == 0) {
        become(scenario, run, variable, nth);
    }
    FUZZ_CHECK(waitpid(program, &run->status, 0) == program, "waitpid");
    Text report = {0};
    char *rest;
    text_of(run->report, &report);
    FUZZ_CHECK(WIFEXITED(run->status) && report.length > 0, "%s, %s %ld: status %x, no end", scenario->title,
               variable, nth, (unsigned)run->status);
    run->status = WEXITSTATUS(run->status);
    run->fired = strtol(text_view(&report), &rest, 10) != 0;
    run->blocks = strtol(rest, NULL, 10);
    text_free(&report);
}

/* ---- what must hold ---- */

/* One line that begins as every message of the program does. */
static bool is_one_message(const char *text)
{
    const char *end = strchr(text, '\n');
    return strncmp(text, "exscope: ", strlen("exscope: ")) == 0 && end != NULL && end[1] == '\0';
}

/* Says what failed, and does not blame a file for want of memory. */
static bool names_cause(const char *text, const char *variable)
{
    static const char *const causes[] = {"out of memory", "no memory", "Cannot allocate memory",
                                         "cannot start a"};
    if (strcmp(variable, FAIL_ALLOCATION) != 0) {
        return strstr(text, "cannot be") != NULL || strstr(text, "cannot start") != NULL ||
               strstr(text, "cannot write") != NULL;
    }
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
        if (strstr(text, causes[i]) != NULL) {
            return true;
        }
    }
    return false;
}

typedef struct Tally {
    unsigned long tried, survived;
} Tally;

/* What is so when nothing fails. */
typedef struct Usual {
    Text output;
    Whole files;
    long blocks;
    unsigned file_count;
} Usual;

static void check_run(const Scenario *scenario, const char *variable, long nth, const Run *run,
                      const Usual *usual)
{
    Text output = {0}, errors = {0};
    text_of(run->output, &output);
    text_of(run->errors, &errors);
    if (run->status == 0) {
        FUZZ_CHECK(strcmp(text_view(&output), text_view(&usual->output)) == 0,
                   "%s, %s %ld, with status 0 printed\n%s%s", scenario->title, variable, nth,
                   text_view(&output), text_view(&errors));
    } else {
        FUZZ_CHECK(run->status == 1 && is_one_message(text_view(&errors)) &&
                       names_cause(text_view(&errors), variable),
                   "%s, %s %ld: status %d\n%s", scenario->title, variable, nth, run->status,
                   text_view(&errors));
    }
    FUZZ_CHECK(run->blocks <= usual->blocks, "%s, %s %ld: %ld blocks of memory are left, not %ld\n%s",
               scenario->title, variable, nth, run->blocks, usual->blocks, text_view(&errors));
    unsigned files = whole_check(&usual->files, 1, "out", false);
    FUZZ_CHECK(files == usual->file_count, "%s, %s %ld: %u files, there were %u", scenario->title, variable,
               nth, files, usual->file_count);
    text_free(&output);
    text_free(&errors);
}

static Tally try_all(const Scenario *scenario, const char *variable, long stride, Run *run,
                     const Usual *usual)
{
    Tally tally = {0};
    for (long nth = 1;; nth += stride) {
        run_program(scenario, variable, nth, run);
        if (!run->fired) {
            FUZZ_CHECK(run->status == 0, "%s: status %d", scenario->title, run->status);
            return tally;
        }
        check_run(scenario, variable, nth, run, usual);
        tally.tried++;
        tally.survived += run->status == 0;
    }
}

static void usual_run(const Scenario *scenario, Run *run, Usual *usual)
{
    for (int i = 0; i < 2; i++) { /* the second has old files to replace, as all later ones */
        run_program(scenario, FAIL_CALL, 0, run);
        FUZZ_CHECK(run->status == 0, "%s: status %d", scenario->title, run->status);
    }
    *usual = (Usual){.blocks = run->blocks};
    text_of(run->output, &usual->output);
    whole_keep(&usual->files, "out");
    usual->file_count = whole_check(&usual->files, 1, "out", false);
}

static void usual_free(Usual *usual)
{
    text_free(&usual->output);
    whole_free(&usual->files);
}

/* A folder that holds all that a scenario may replace. */
static void fill_folder(void)
{
    char command[4200];
    fuzz_folder_clear();
    snprintf(command, sizeof command,
             "cp '%s/data/overlap.json' . && gzip -k overlap.json && zstd -q overlap.json && mkdir out && "
             "\"$EXSCOPE_PROGRAM\" analyze overlap.json out -q >/dev/null",
             getenv("EXSCOPE_SOURCE_DIR"));
    fuzz_write("script", script, strlen(script));
    FUZZ_CHECK(system(command) == 0, "%s", command);
}

int main(int count, char **arguments)
{
    long stride = count > 1 ? strtol(arguments[1], NULL, 10) : 1;
    if (!FAILING_WORKS || getenv("EXSCOPE_BUILD_DIR") == NULL || getenv("EXSCOPE_PROGRAM") == NULL) {
        printf("1..0 # SKIP calls cannot be made to fail in this build\n");
        return 0;
    }
    setenv("XDG_STATE_HOME", fuzz_folder(), 1);
    setenv("XDG_CONFIG_HOME", fuzz_folder(), 1);
    setenv("LC_ALL", "C", 1); /* catalogs of messages are kept until the end, and are no leak */
    printf("1..%d\n", SCENARIOS);
    Run run = {memory_file("output"), memory_file("errors"), memory_file("report"), 0, false, 0};
    unsigned long sum = 0;
    for (int i = 0; i < SCENARIOS; i++) {
        Usual usual;
        fill_folder();
        usual_run(&scenarios[i], &run, &usual);
        Tally memory = try_all(&scenarios[i], FAIL_ALLOCATION, stride < 1 ? 1 : stride, &run, &usual);
        Tally calls = try_all(&scenarios[i], FAIL_CALL, 1, &run, &usual);
        usual_free(&usual);
        printf("ok %d - %s: %lu allocations failed (%lu survived), %lu system calls (%lu survived)\n", i + 1,
               scenarios[i].title, memory.tried, memory.survived, calls.tried, calls.survived);
        fflush(stdout);
        sum += memory.tried + calls.tried;
    }
    printf("# %lu faults in whole runs\n", sum);
    return 0;
}
