/* load, info, set, show, source, history, complete, jobs, quit */
#include "config.h"

#include <string.h>

#include "explore/command_parts.h"
#include "explore/interpreter.h"

/* ---- load, info ---- */

static void info_fields(const View *view, Document *out)
{
    const Capture *capture = view_capture(view);
    uint64_t transfers = 0;
    for (size_t i = 0; i < view_phase_count(view); i++) {
        transfers += view_phase_at(view, i)->phase->transfers;
    }
    document_field(out, "file", "file", UNIT_NONE, cell_text(document_keep(out, "%s", view_path(view))));
    document_field(out, "schema_version", "schema version", UNIT_NONE,
                   capture == NULL ? cell_null() : cell_unsigned(capture->schema_version));
    document_field(out, "tile_count", "tiles", UNIT_COUNT, cell_unsigned(view_tile_count(view)));
    document_field(out, "phases", "phases", UNIT_COUNT, cell_unsigned(view_phase_count(view)));
    document_field(out, "transfers", "transfers", UNIT_COUNT, cell_unsigned(transfers));
    document_field(out, "file_bytes", "file bytes", UNIT_BYTES,
                   capture == NULL ? cell_null() : cell_unsigned(capture->file_bytes));
    document_field(out, "load_seconds", "load time", UNIT_SECONDS,
                   capture == NULL ? cell_null() : cell_real(capture->load_seconds));
    if (capture == NULL) {
        document_note(out, "still loading: phases and transfers are those read so far");
    }
}

static bool run_load(CommandCall *call, Error *error)
{
    if (!session_load(call->session, argument_text(call, "FILE"), call->progress, error)) {
        return false;
    }
    View *view = view_new(call->session, error);
    if (view == NULL) {
        return false;
    }
    info_fields(view, call->out);
    view_free(view);
    return true;
}

static bool run_info(CommandCall *call, Error *error)
{
    (void)error;
    info_fields(call->view, call->out);
    return true;
}

/* ---- set, show ---- */

static const Column setting_columns[] = {
    {"key", "key", UNIT_NONE, 0},
    {"value", "value", UNIT_NONE, 0},
    {"summary", "what it is", UNIT_NONE, 0},
};

static const char *setting_value(CommandCall *call, const char *key)
{
    Text text = {0};
    session_setting_text(call->session, key, &text);
    return document_keep_text(call->out, &text);
}

static void list_settings(CommandCall *call)
{
    Table *table = document_table(call->out, "settings", setting_columns, 3);
    for (size_t i = 0; setting_name(i) != NULL; i++) {
        const char *key = setting_name(i);
        table_row(table, (Cell[]){cell_text(key), cell_text(setting_value(call, key)),
                                  cell_text(setting_summary(key))});
    }
}

static bool run_set(CommandCall *call, Error *error)
{
    const char *key = argument_text(call, "KEY"), *value = argument_text(call, "VALUE");
    if (key == NULL) {
        list_settings(call);
        return true;
    }
    if (value == NULL) {
        return error_set(error, ERROR_USAGE, "set %s needs a value; `set` lists all settings", key);
    }
    if (!session_set(call->session, key, value, error)) {
        return false;
    }
    document_field_in(call->out, IN_JSON, "key", NULL, UNIT_NONE,
                      cell_text(document_keep(call->out, "%s", key)));
    document_field_in(call->out, IN_JSON, "value", NULL, UNIT_NONE, cell_text(setting_value(call, key)));
    return true;
}

static bool run_show(CommandCall *call, Error *error)
{
    (void)error;
    Document *out = call->out;
    if (call->view != NULL) {
        document_field(out, "file", "file", UNIT_NONE,
                       cell_text(document_keep(out, "%s", view_path(call->view))));
        const char *label = call->entry == NULL ? NULL : view_label(call->view, call->entry);
        document_field(out, "phase", "phase", UNIT_NONE,
                       call->entry == NULL ? cell_null() : cell_unsigned(call->entry->phase->number));
        document_field(out, "label", "label", UNIT_NONE,
                       label == NULL ? cell_null() : cell_text(document_keep(out, "%s", label)));
        document_field(out, "mode", "mode", UNIT_NONE, cell_text(mode_name(call->mode)));
        document_field(out, "tile", "tile", UNIT_NONE, cell_tile(call->tile));
    } else {
        document_field(out, "file", "file", UNIT_NONE, cell_null());
    }
    list_settings(call);
    return true;
}

/* ---- source, history ---- */

static bool run_source(CommandCall *call, Error *error)
{
    return interpreter_file(call->interpreter, argument_text(call, "FILE"), error);
}

static const Column history_columns[] = {
    {"number", "", UNIT_NONE, 0},
    {"line", "line", UNIT_NONE, 0},
};

static bool run_history(CommandCall *call, Error *error)
{
    (void)error;
    Table *table = document_table(call->out, "history", history_columns, 2);
    table_empty(table, "no lines");
    size_t count = session_history_count(call->session);
    size_t top = argument_number(call, "--top", 0);
    for (size_t i = top != 0 && top < count ? count - top : 0; i < count; i++) {
        Text line = {0};
        session_history_line(call->session, i, &line);
        table_row(table, (Cell[]){cell_unsigned(i + 1), cell_text(document_keep_text(call->out, &line))});
    }
    return true;
}

/* ---- complete ---- */

static const Column completion_columns[] = {{"line", "line", UNIT_NONE, 0}};

static bool run_complete(CommandCall *call, Error *error)
{
    const char *line = argument_text(call, "LINE");
    Completion completion;
    if (!complete_line(call->session, line, strlen(line), &completion, error)) {
        return false;
    }
    Table *table = document_table(call->out, "lines", completion_columns, 1);
    for (size_t i = 0; i < completion.count; i++) {
        table_row(table, (Cell[]){cell_text(document_keep(call->out, "%.*s%s", (int)completion.start, line,
                                                          completion.words[i]))});
    }
    completion_free(&completion);
    return true;
}

/* ---- jobs, quit ---- */

static const Column job_columns[] = {
    {"id", "id", UNIT_NONE, 0},           {"state", "state", UNIT_NONE, 0}, {"title", "job", UNIT_NONE, 0},
    {"stage", "stage", UNIT_NONE, 0},     {"done", "done", UNIT_COUNT, 0},  {"total", "of", UNIT_COUNT, 0},
    {"seconds", "time", UNIT_SECONDS, 0}, {"error", "error", UNIT_NONE, 0},
};

static void job_row(Document *out, Table *table, const JobInfo *job)
{
    bool running = job->state == JOB_RUNNING, failed = job->state == JOB_FAILED;
    table_row(table,
              (Cell[]){cell_unsigned(job->id),
                       cell_marked(cell_text(job_state_name(job->state)), failed ? MARK_BAD : MARK_NONE),
                       cell_text(document_keep(out, "%s", job->title)),
                       running ? cell_text(job->stage) : cell_null(),
                       running ? cell_unsigned(job->done) : cell_null(),
                       running && job->total != 0 ? cell_unsigned(job->total) : cell_null(),
                       cell_real(job->seconds),
                       failed ? cell_text(document_keep(out, "%s", job->error.message)) : cell_null()});
}

static bool run_jobs(CommandCall *call, Error *error)
{
    const Value *cancel = argument_value(call, "--cancel", 0);
    if (cancel != NULL && !session_cancel(call->session, cancel->number)) {
        return error_set(error, ERROR_INPUT, "no job %u is waiting or running", (unsigned)cancel->number);
    }
    size_t count = session_jobs(call->session, NULL, 0);
    JobInfo *jobs = mem_new(count, sizeof *jobs, error);
    if (jobs == NULL) {
        return false;
    }
    size_t now = session_jobs(call->session, jobs, count);
    Table *table = document_table(call->out, "jobs", job_columns, 8);
    table_empty(table, "no jobs");
    for (size_t i = 0; i < count && i < now; i++) {
        job_row(call->out, table, &jobs[i]);
    }
    mem_free(jobs);
    return true;
}

static bool run_quit(CommandCall *call, Error *error)
{
    (void)error;
    session_quit(call->session);
    return true;
}

/* ---- the table ---- */

static const Parameter load_parameters[] = {{"FILE", PARAMETER_FILE, PARAMETER_REQUIRED, NULL,
                                             "a capture: JSON, plain, gzip or zstd; - is standard input"},
                                            {0}};
static const Parameter set_parameters[] = {
    {"KEY", PARAMETER_SETTING, 0, NULL, "which setting; without one, all are listed"},
    {"VALUE", PARAMETER_VALUE, 0, NULL, "its new value"},
    {0}};
static const Parameter source_parameters[] = {
    {"FILE", PARAMETER_FILE, PARAMETER_REQUIRED, NULL, "a script, one command a line"}, {0}};
static const Parameter history_parameters[] = {
    {"--top", PARAMETER_NUMBER, PARAMETER_POSITIVE, NULL, "only the last so many"}, {0}};
static const Parameter complete_parameters[] = {
    {"LINE", PARAMETER_TEXT, PARAMETER_REQUIRED, NULL, "the beginning of a line, quoted as one word"}, {0}};
static const Parameter jobs_parameters[] = {
    {"--cancel", PARAMETER_NUMBER, 0, NULL, "stop the job with this id"}, {0}};

static const Command commands[] = {
    {"load", "open a capture", "load data/showcase.json",
     "The capture that was open stays until the new one has been read and checked completely; when "
     "that fails or is cancelled, it is still the one that is open. Jobs of it that still run are cancelled "
     "as soon "
     "as the new one has shown its first phase.",
     run_load, COMMAND_OPENS, load_parameters},
    {"info", "what is open: file, tiles, phases, transfers, load time", "info", NULL, run_info,
     COMMAND_INSTANT | COMMAND_NEEDS_CAPTURE, NULL},
    {"set", "change a setting, or list all", "set format json", NULL, run_set, COMMAND_INSTANT,
     set_parameters},
    {"show", "what is selected, and all settings", "show", NULL, run_show, COMMAND_INSTANT, NULL},
    {"source", "run a script of commands", "source checks.exs",
     "It stops at the first line that fails, unless that line begins with -.", run_source,
     COMMAND_RUNS_OTHERS, source_parameters},
    {"history", "lines that were entered", "history --top 10", NULL, run_history, COMMAND_INSTANT,
     history_parameters},
    {"complete", "how a line may go on: what TAB offers", "complete 'modes --ph'",
     "For shells that complete commands.", run_complete, COMMAND_INSTANT, complete_parameters},
    {"jobs", "what runs in the background, and stopping it", "jobs --cancel 3", NULL, run_jobs,
     COMMAND_INSTANT, jobs_parameters},
    {"quit", "leave", "quit", NULL, run_quit, COMMAND_INSTANT, NULL},
};

CommandTable commands_of_session(void)
{
    return (CommandTable){commands, sizeof commands / sizeof *commands};
}
