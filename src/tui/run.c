/* Lines of the command language that the explorer runs: instant ones here, the others as jobs. */
#include "config.h"

#include <ctype.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "explore/command.h"
#include "explore/interpreter.h"
#include "tui/app.h"

/* A line that runs, or ran and was not collected yet. The job and the explorer each hold it. */
struct Run {
    Run *next;
    atomic_int references;
    atomic_bool done;
    char *line;
    const Command *command; /* NULL: the line is empty */
    bool quiet;
    bool select_only;
    bool navigates; /* the screen that shows it comes to the front */
    Context from;   /* the screen it was started on */
    uint32_t job;   /* 0: none, it was instant */
    Text output;
    bool succeeded;
    Error error;
    double seconds;
};

static void run_release(void *context)
{
    Run *run = context;
    if (run != NULL && atomic_fetch_sub(&run->references, 1) == 1) {
        text_free(&run->output);
        mem_free(run->line);
        mem_free(run);
    }
}

/* ---- running ---- */

static bool run_now(Session *session, Run *run, Progress *progress, Error *error)
{
    Interpreter interpreter = {
        .session = session,
        .sink = sink_text(&run->output),
        .indent = true,
        .plain = true,
        .select_only = run->select_only,
        .progress = progress,
    };
    double start = thread_seconds();
    run->succeeded = interpreter_line(&interpreter, run->line, &run->error);
    run->seconds = thread_seconds() - start;
    if (!run->succeeded && error != NULL) {
        *error = run->error;
    }
    atomic_store(&run->done, true);
    return run->succeeded;
}

static bool run_job(Session *session, void *context, Progress *progress, Error *error)
{
    return run_now(session, context, progress, error);
}

/* ---- what the line is ---- */

static const char *skip_blanks(const char *at)
{
    while (isspace((unsigned char)*at)) {
        at++;
    }
    return at;
}

/* The command that a line names: false when there is none of that name; NULL for an empty line. */
static bool find_command(Tui *tui, const char *line, const Command **command, Error *error)
{
    char word[64];
    const char *start = skip_blanks(line);
    size_t length = 0;
    start = *start == '-' ? skip_blanks(start + 1) : start;
    while (start[length] != '\0' && !isspace((unsigned char)start[length]) && length + 1 < sizeof word) {
        word[length] = start[length];
        length++;
    }
    word[length] = '\0';
    *command = NULL;
    if (length == 0 || word[0] == '#') {
        return true;
    }
    *command = commands_find(session_commands(tui->session), word, error);
    return *command != NULL;
}

/* The screen that shows what a command is about; CONTEXT_SCREENS: none. */
static Context screen_of(const char *command)
{
    static const struct {
        const char *command;
        Context screen;
    } table[] = {
        {"phases", CONTEXT_PHASES}, {"phase", CONTEXT_PHASE}, {"tile", CONTEXT_TILE}, {"tail", CONTEXT_TAIL}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (strcmp(table[i].command, command) == 0) {
            return table[i].screen;
        }
    }
    return CONTEXT_SCREENS;
}

/* `phase 5` and `mode both` are seen on a screen, `phases --top 3` and `tile 5 > FILE` are text. */
static bool only_selects(const Command *command, const char *line)
{
    return command != NULL && (command->flags & COMMAND_SELECTS) != 0 && strstr(line, "--") == NULL &&
           strchr(line, '>') == NULL;
}

/* May run on this thread: the busiest tile has to be computed where the mode is not built yet. */
static bool is_instant(const Run *run)
{
    return run->command == NULL || (run->command->flags & COMMAND_INSTANT) != 0 ||
           (run->select_only && strstr(run->line, "busiest") == NULL);
}

/* Opens another capture, so that the list of its phases is what one wants to see next. */
static bool run_opens(const Run *run)
{
    return run->command != NULL && (run->command->flags & COMMAND_OPENS) != 0;
}

/* ---- afterwards ---- */

static void show_output(Tui *tui, Run *run)
{
    text_free(&tui->output);
    tui->output = run->output;
    run->output = (Text){0};
    text_copy_visible(tui->output_title, sizeof tui->output_title, run->line, strlen(run->line));
    tui->output_version++;
    if (tui->overlay == OVERLAY_NONE && tui_screen(tui) == run->from) {
        tui_show(tui, CONTEXT_OUTPUT);
    } else {
        tui_say(tui, "%s: done; o shows what it wrote", run->line);
    }
}

/* What a mode does, or why it is refused. */
static void say_mode(Tui *tui)
{
    Selection selection = tui_selection(tui);
    const Dependencies *dependencies =
        selection.entry == NULL || selection.mode == MODE_ORIGINAL
            ? NULL
            : view_peek_dependencies(tui->view, selection.entry, MODE_ORIGINAL);
    const char *refusal = dependencies == NULL ? NULL : mode_refusal(selection.mode, dependencies);
    if (refusal != NULL) {
        tui_say(tui, "%s is refused: %s", mode_name(selection.mode), refusal);
    } else {
        tui_say(tui, "%s: %s", mode_name(selection.mode), mode_summary(selection.mode));
    }
}

static void say_done(Tui *tui, const Run *run)
{
    if (run->select_only && strcmp(run->command->name, "mode") == 0) {
        say_mode(tui);
    } else if (run->job != 0) {
        tui_say(tui, "%s: done, %s", run->line, figure_seconds(run->seconds).text);
    } else if (!run->quiet) {
        tui_say(tui, "%s: done", run->line);
    }
}

static void finish(Tui *tui, Run *run)
{
    bool is_export = run->command != NULL && strcmp(run->command->name, "export") == 0;
    if (!run->succeeded && run->error.kind == ERROR_CANCELLED) {
        tui_say(tui, "%s: cancelled", run->line);
    } else if (!run->succeeded) {
        tui_fail(tui, &run->error);
    } else if (run->command != NULL && run->navigates) {
        tui_show(tui, screen_of(run->command->name));
    } else if (!run_opens(run) && !run->quiet && run->output.length > 0) {
        show_output(tui, run);
    } else if (run->command != NULL) {
        say_done(tui, run);
    }
    if (is_export) {
        export_ended(tui, run->line, run->succeeded ? NULL : &run->error);
    }
}

void tui_run_line(Tui *tui, const char *line, bool quiet)
{
    Error error = {0};
    const Command *command;
    if (!find_command(tui, line, &command, &error)) {
        tui_fail(tui, &error);
        return;
    }
    Run *run = mem_zero(1, sizeof *run, &error);
    char *copy = run == NULL ? NULL : mem_copy_text(line, strlen(line), &error);
    if (copy == NULL) {
        mem_free(run);
        tui_fail(tui, &error);
        return;
    }
    atomic_init(&run->references, 2);
    run->line = copy;
    run->command = command;
    run->quiet = quiet;
    run->from = tui_screen(tui);
    run->select_only = only_selects(command, line);
    run->navigates = run->select_only && screen_of(command->name) != CONTEXT_SCREENS;
    if (is_instant(run)) {
        run_now(tui->session, run, NULL, NULL);
        finish(tui, run);
        run_release(run);
        run_release(run);
    } else if ((run_opens(run) ? session_run_opening : session_run)(tui->session, run->line, run_job, run,
                                                                    run_release, &run->job, &error)) {
        run->next = tui->runs;
        tui->runs = run;
        tui_look_at_jobs(tui);
    } else {
        tui_fail(tui, &error);
        run_release(run);
        run_release(run);
    }
    tui->dirty = true;
}

/* A job that was cancelled before it began never sets `done`. */
static bool run_is_over(Tui *tui, Run *run)
{
    JobInfo job;
    if (atomic_load(&run->done)) {
        return true;
    }
    if (session_job(tui->session, run->job, &job) && (job.state == JOB_QUEUED || job.state == JOB_RUNNING)) {
        return false;
    }
    if (!atomic_load(&run->done)) {
        error_set(&run->error, ERROR_CANCELLED, "cancelled");
    }
    return true;
}

void tui_collect_runs(Tui *tui)
{
    Run **link = &tui->runs;
    while (*link != NULL) {
        Run *run = *link;
        if (run_is_over(tui, run)) {
            *link = run->next;
            tui_forget_job(tui, run->job);
            finish(tui, run);
            run_release(run);
            link = &tui->runs; /* finish() may have started another one */
        } else {
            link = &run->next;
        }
    }
}

bool tui_runs_pending(const Tui *tui)
{
    return tui->runs != NULL;
}

bool tui_run_owns_job(const Tui *tui, uint32_t job)
{
    for (const Run *run = tui->runs; run != NULL; run = run->next) {
        if (run->job == job) {
            return true;
        }
    }
    return false;
}

void tui_free_runs(Tui *tui)
{
    while (tui->runs != NULL) {
        Run *run = tui->runs;
        tui->runs = run->next;
        run_release(run);
    }
}
