#include "config.h"

#include "report/commands.h"

#include <string.h>

#include "base/file.h"
#include "explore/command.h"
#include "report/analyze.h"
#include "report/fixture.h"

/* ---- export ---- */

typedef struct ExportItem {
    const PhaseEntry *entry;
    Mode mode;
    bool refused; /* of a mode that `all` stands for: said, and not exported */
    char reason[300];
    Equivalence equivalence;
    Text path;
} ExportItem;

typedef struct Export {
    const CommandCall *call;
    const char *folder;
    bool replace;
    ExportItem *items;
    size_t count;
} Export;

static bool add_item(Export *job, const PhaseEntry *entry, Mode mode, Error *error)
{
    for (size_t i = 0; i < job->count; i++) {
        if (job->items[i].entry == entry && job->items[i].mode == mode) {
            return true; /* named twice */
        }
    }
    ExportItem *item = &job->items[job->count++];
    item->entry = entry;
    item->mode = mode;
    fixture_path(&item->path, job->folder, entry->phase->number, mode, ".json");
    return text_ok(&item->path, error);
}

static bool add_modes(Export *job, const PhaseEntry *entry, Error *error)
{
    const CommandCall *call = job->call;
    size_t named = argument_count(call, "--mode");
    bool good = named != 0 || add_item(job, entry, call->mode, error);
    for (size_t i = 0; good && i < named; i++) {
        const Value *value = argument_value(call, "--mode", i);
        if (!value->all) {
            good = add_item(job, entry, value->mode, error);
            continue;
        }
        for (size_t m = 0; good && m < MODE_COUNT; m++) {
            good = add_item(job, entry, (Mode)m, error);
        }
    }
    return good;
}

/* The selected phase and mode where none is named. */
static bool list_items(Export *job, Error *error)
{
    const CommandCall *call = job->call;
    size_t named = argument_count(call, "--phase"), modes = argument_count(call, "--mode");
    size_t phases = view_phase_count(call->view) + named + 1;
    job->items = mem_zero(phases * (MODE_COUNT + modes), sizeof *job->items, error);
    bool good = job->items != NULL && (named != 0 || add_modes(job, call->entry, error));
    for (size_t i = 0; good && i < named; i++) {
        const Value *value = argument_value(call, "--phase", i);
        if (!value->all) {
            good = add_modes(job, value->entry, error);
            continue;
        }
        for (size_t p = 0; good && p < view_phase_count(call->view); p++) {
            good = add_modes(job, view_phase_at(call->view, p), error);
        }
    }
    return good;
}

/* Nothing is written when anything is there already. */
static bool check_nothing_exists(const Export *job, Error *error)
{
    for (size_t i = 0; i < job->count; i++) {
        if (file_exists(job->items[i].path.bytes)) {
            return error_set(error, ERROR_REFUSED, "%s: exists already (--force replaces it)",
                             job->items[i].path.bytes);
        }
    }
    return true;
}

static bool every_mode_named(const CommandCall *call)
{
    for (size_t i = 0; i < argument_count(call, "--mode"); i++) {
        if (argument_value(call, "--mode", i)->all) {
            return false;
        }
    }
    return true;
}

/* Without the phase and mode that the table says already. */
static void keep_reason(View *view, ExportItem *item, const Error *failure)
{
    const Dependencies *dependencies = view_peek_dependencies(view, item->entry, MODE_ORIGINAL);
    const char *refusal = dependencies == NULL ? NULL : mode_refusal(item->mode, dependencies);
    const char *reason = refusal == NULL ? failure->message : refusal;
    item->refused = true;
    text_copy_visible(item->reason, sizeof item->reason, reason, strlen(reason));
}

static bool export_one(void *context, size_t index, Progress *progress, Error *error)
{
    const Export *job = context;
    ExportItem *item = &job->items[index];
    View *view = view_copy(job->call->view, error);
    if (view == NULL) {
        return false;
    }
    Error failure = {0};
    bool good = fixture_export(view, item->entry, item->mode, job->folder, job->replace, &item->equivalence,
                               progress, &failure);
    if (!good && failure.kind == ERROR_REFUSED && !every_mode_named(job->call)) {
        keep_reason(view, item, &failure);
        good = view_peeks_ok(view, error);
    } else if (!good) {
        *error = failure;
    }
    view_free(view);
    return good;
}

static const Column export_columns[] = {
    {"phase", "phase", UNIT_NONE, 0},
    {"mode", "mode", UNIT_NONE, 0},
    {"equivalent", "equivalent", UNIT_NONE, 0},
    {"valid", "valid", UNIT_NONE, 0},
    {"file", "file", UNIT_NONE, 0},
    {"reason", "reason", UNIT_NONE, 0},
};

enum { EXPORT_COLUMNS = sizeof export_columns / sizeof export_columns[0] };

static void show_item(Document *out, Table *table, const ExportItem *item)
{
    const Equivalence *equivalence = &item->equivalence;
    char reason[200];
    ReportRow row = {.selected = true, .equivalence = *equivalence};
    const char *why = item->refused ? item->reason : report_invalid_reason(&row, reason);
    CellMark mark = equivalence->valid ? MARK_NONE : MARK_BAD;
    Cell equivalent = equivalence->verdict == VERDICT_UNKNOWN
                          ? cell_null()
                          : cell_bool(equivalence->verdict == VERDICT_EQUIVALENT);
    const Cell cells[EXPORT_COLUMNS] = {
        cell_unsigned(item->entry->phase->number),
        cell_text(mode_name(item->mode)),
        item->refused ? cell_absent() : cell_marked(equivalent, mark),
        item->refused ? cell_absent() : cell_marked(cell_bool(equivalence->valid), mark),
        item->refused ? cell_null() : cell_text(document_keep(out, "%s", item->path.bytes)),
        why[0] == '\0' ? cell_absent() : cell_marked(cell_text(document_keep(out, "%s", why)), MARK_WARN),
    };
    table_row(table, cells);
}

static bool command_export(CommandCall *call, Error *error)
{
    if (view_capture(call->view) == NULL) {
        return error_set(error, ERROR_REFUSED, "the capture is still loading");
    }
    Export job = {
        .call = call, .folder = argument_text(call, "DIR"), .replace = argument_given(call, "--force")};
    bool good =
        list_items(&job, error) && (job.replace || check_nothing_exists(&job, error)) &&
        file_make_folder(job.folder, error) &&
        session_parallel(call->session, job.count, "exporting", export_one, &job, call->progress, error);
    if (good) {
        Table *table = document_table(call->out, "exports", export_columns, EXPORT_COLUMNS);
        for (size_t i = 0; i < job.count; i++) {
            show_item(call->out, table, &job.items[i]);
        }
    }
    for (size_t i = 0; i < job.count; i++) {
        text_free(&job.items[i].path);
    }
    mem_free(job.items);
    return good;
}

/* ---- report ---- */

static bool command_report(CommandCall *call, Error *error)
{
    static const char *const names[] = {"analysis.json", "index.html"};
    const char *folder = argument_text(call, "DIR");
    bool replace = argument_given(call, "--force"), good = true;
    for (size_t i = 0; good && !replace && i < sizeof names / sizeof names[0]; i++) {
        Text path = {0};
        text_printf(&path, "%s/%s", folder, names[i]);
        good = text_ok(&path, error) &&
               (!file_exists(path.bytes) ||
                error_set(error, ERROR_REFUSED, "%s: exists already (--force replaces it)", path.bytes));
        text_free(&path);
    }
    Report report;
    if (!good || !report_gather(call->session, &(ReportRequest){.replays = REPORT_REPLAYS_READY},
                                call->progress, &report, error)) {
        return false;
    }
    good = report_write(&report, folder, replace, error);
    if (good) {
        document_field(call->out, "folder", "folder", UNIT_NONE,
                       cell_text(document_keep(call->out, "%s", folder)));
        document_field(call->out, "phases", "phases", UNIT_COUNT, cell_unsigned(report.phase_count));
        document_note(call->out, "wrote analysis.json and index.html, with the replays that were run so far");
    }
    report_free(&report);
    return good;
}

/* ---- the table ---- */

static const Parameter export_parameters[] = {
    {"DIR", PARAMETER_FOLDER, PARAMETER_REQUIRED, NULL, "where the files go; made when missing"},
    {"--phase", PARAMETER_PHASE, PARAMETER_REPEATABLE | PARAMETER_ALLOW_ALL, NULL,
     "this phase instead of the selected one"},
    {"--mode", PARAMETER_MODE, PARAMETER_REPEATABLE | PARAMETER_ALLOW_ALL, NULL,
     "this mode instead of the selected one"},
    {"--force", PARAMETER_FLAG, 0, NULL, "replace what is there"},
    {0}};

static const Parameter report_parameters[] = {
    {"DIR", PARAMETER_FOLDER, PARAMETER_REQUIRED, NULL, "where the files go; made when missing"},
    {"--force", PARAMETER_FLAG, 0, NULL, "replace what is there"},
    {0}};

static const Command commands[] = {
    {"export", "write phases as captures of their own", "export out --phase 5 --mode coalesced",
     "Each fixture comes with its verdict, phase-N-MODE.verdict.json: a mode that is not equivalent is "
     "written too, "
     "and marked there. With `--mode all` the modes that a phase does not have are left out and listed.",
     command_export, COMMAND_NEEDS_CAPTURE | COMMAND_NEEDS_PHASE, export_parameters},
    {"report", "write analysis.json and index.html of the whole capture", "report out",
     "Every phase and mode is analysed; replays are those that were run in this session (`replay --phase all "
     "--mode "
     "all` runs them all). `exscope analyze` is the batch job that exports and replays too.",
     command_report, COMMAND_NEEDS_CAPTURE, report_parameters},
};

bool report_commands_add(Session *session, Error *error)
{
    return commands_add(session_commands(session), commands, sizeof commands / sizeof commands[0], NULL,
                        error);
}
