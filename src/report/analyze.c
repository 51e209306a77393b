#include "config.h"

#include "report/analyze.h"

#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "explore/words.h"
#include "report/analysis_json.h"
#include "report/fixture.h"
#include "report/page.h"

const char analyze_usage[] =
    "usage: exscope analyze CAPTURE OUTDIR [--top N] [--phase N]... [--mode MODE]... [--jobs N] "
    "[--replay-only]\n"
    "  --top N        export and replay the N worst phases (4; with --phase: all of those)\n"
    "  --phase N      only this phase (repeatable)\n"
    "  --mode MODE    only this mode: name or letter (repeatable)\n"
    "  --jobs N       worker threads (online cores)\n"
    "  --format text|json|csv   of the summary (text)\n"
    "  -q, --quiet    no progress\n"
    "  --replay-only  replay the fixtures that OUTDIR holds, export nothing\n";

/* ---- arguments ---- */

enum { OPTION_TOP, OPTION_PHASE, OPTION_MODE, OPTION_JOBS, OPTION_FORMAT };

static const char *const option_names[] = {"--top", "--phase", "--mode", "--jobs", "--format", NULL};

static bool take_option(AnalyzeOptions *options, int option, const char *value, Error *error)
{
    static const char *const formats[] = {"text", "json", "csv", NULL}; /* in the order of OutputFormat */
    const char *name = option_names[option];
    uint64_t number = 0;
    uint32_t format = 0;
    Mode mode = MODE_ORIGINAL;
    bool good = false;
    switch (option) {
    case OPTION_TOP:
        good = word_number(value, 0, UINT32_MAX, name, &number, error);
        options->top = (size_t)number;
        options->top_given = true;
        break;
    case OPTION_PHASE:
        good = word_number(value, 0, UINT32_MAX, name, &number, error) &&
               vec_push(&options->phases, (uint32_t)number, error);
        break;
    case OPTION_MODE:
        good = mode_parse(value, &mode) || error_set(error, ERROR_USAGE, "there is no mode '%s'", value);
        options->modes |= 1u << mode;
        break;
    case OPTION_JOBS:
        good = word_number(value, 1, 256, name, &number, error);
        options->jobs = (unsigned)number;
        break;
    case OPTION_FORMAT:
        good = word_choose(value, formats, name, &format, error);
        options->format = (OutputFormat)format;
        break;
    }
    return good;
}

/* "--name value" and "--name=value"; *used tells how many arguments were taken. */
static bool parse_option(AnalyzeOptions *options, int count, char *const *arguments, int *used, Error *error)
{
    const char *word = strcmp(arguments[0], "-j") == 0 ? "--jobs" : arguments[0];
    size_t length = strcspn(word, "=");
    for (int i = 0; option_names[i] != NULL; i++) {
        if (strlen(option_names[i]) == length && memcmp(option_names[i], word, length) == 0) {
            *used = word[length] == '=' ? 1 : 2;
            if (count < *used) {
                return error_set(error, ERROR_USAGE, "%s needs a value", option_names[i]);
            }
            return take_option(options, i, *used == 1 ? word + length + 1 : arguments[1], error);
        }
    }
    return error_set(error, ERROR_USAGE, "analyze does not know %s", word);
}

bool analyze_parse(int count, char *const *arguments, AnalyzeOptions *options, Error *error)
{
    *options = (AnalyzeOptions){0};
    bool only_names = false;
    for (int i = 0, used = 1; i < count; i += used) {
        const char *word = arguments[i];
        used = 1;
        if (only_names || word[0] != '-' || word[1] == '\0') {
            const char **place = options->capture == NULL ? &options->capture : &options->folder;
            if (*place != NULL) {
                return error_set(error, ERROR_USAGE, "analyze takes a capture and a folder, not '%s' too",
                                 word);
            }
            *place = word;
        } else if (strcmp(word, "--") == 0) {
            only_names = true;
        } else if (strcmp(word, "--replay-only") == 0) {
            options->replay_only = true;
        } else if (strcmp(word, "--quiet") == 0 || strcmp(word, "-q") == 0) {
            options->quiet = true;
        } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            options->help = true;
        } else if (!parse_option(options, count - i, arguments + i, &used, error)) {
            return false;
        }
    }
    return options->help || options->folder != NULL ||
           error_set(error, ERROR_USAGE, "analyze needs a capture and a folder");
}

void analyze_options_free(AnalyzeOptions *options)
{
    vec_free(&options->phases);
}

/* ---- the job ---- */

static bool row_is_exported(const ReportRow *row)
{
    return row->summary.figures.replay_address_ranges_valid;
}

/* --replay-only: has the folder a fixture of this row? */
static bool fixture_is_there(void *context, const ReportRow *row, bool *there, Error *error)
{
    const AnalyzeOptions *options = context;
    Text path = {0};
    fixture_path(&path, options->folder, row->phase->entry->phase->number, row->mode, ".json");
    bool good = text_ok(&path, error);
    *there = good && file_exists(path.bytes);
    text_free(&path);
    return good;
}

/* The files of one row. */
static bool write_row(void *context, View *view, const ReportRow *row, Progress *progress, Error *error)
{
    const AnalyzeOptions *options = context;
    const PhaseEntry *entry = row->phase->entry;
    if (!row_is_exported(row)) {
        return true;
    }
    bool good = options->replay_only
                    ? fixture_matches(view, entry, row->mode, options->folder, progress, error)
                    : fixture_export(view, entry, row->mode, options->folder, true, NULL, progress, error);
    return good && fixture_log_write(row, options->folder, error);
}

static bool write_in(const char *folder, const char *name, const Text *text, bool replace, Error *error)
{
    Text path = {0};
    text_printf(&path, "%s/%s", folder, name);
    bool good = text_ok(text, error) && text_ok(&path, error) &&
                file_write_text(path.bytes, text->bytes, text->length, replace, error);
    text_free(&path);
    return good;
}

bool report_write(const Report *report, const char *folder, bool replace, Error *error)
{
    Text analysis = {0}, page = {0};
    analysis_json_append(report, &analysis);
    page_append(report, &page);
    bool good = file_make_folder(folder, error) &&
                write_in(folder, "analysis.json", &analysis, replace, error) &&
                write_in(folder, "index.html", &page, replace, error);
    text_free(&analysis);
    text_free(&page);
    return good;
}

/* ---- the summary ---- */

static const Column summary_columns[] = {
    {"phase", "phase", UNIT_NONE, 0},
    {"mode", NULL, UNIT_NONE, IN_JSON | IN_CSV}, /* the script's name, as in analysis.json */
    {"mode_text", "mode", UNIT_NONE, IN_TEXT},
    {"maximum_endpoint_fragments", "max fragments", UNIT_COUNT, 0},
    {"scheduled_row_max_bytes", "row bytes", UNIT_BYTES, 0},
    {"scheduled_horizon_cycles", "cycles", UNIT_CYCLES, 0},
    {"equivalent", "equivalent", UNIT_NONE, 0},
    {"valid", "valid", UNIT_NONE, 0},
    {"invariants", "invariants", UNIT_NONE, 0},
};

enum { SUMMARY_COLUMNS = sizeof summary_columns / sizeof summary_columns[0] };

static Cell verdict_cell(Verdict verdict)
{
    return verdict == VERDICT_UNKNOWN ? cell_null() : cell_bool(verdict == VERDICT_EQUIVALENT);
}

static void summarize_row(const ReportRow *row, Table *table)
{
    bool replayed = report_row_replayed(row);
    CellMark mark = row->equivalence.valid ? MARK_NONE : MARK_BAD;
    const char *invariants = row->replay_state == ROW_REPLAY_REFUSED ? "refused" : replayed ? "PASS" : "FAIL";
    const Cell cells[SUMMARY_COLUMNS] = {
        cell_unsigned(row->phase->entry->phase->number),
        cell_text(mode_script_name(row->mode)),
        cell_text(mode_name(row->mode)),
        cell_marked(cell_unsigned(row->summary.geometry.maximum_endpoint_fragments), mark),
        replayed ? cell_marked(cell_unsigned((uint64_t)row->replay.maximum_row_words * 4), mark)
                 : cell_absent(),
        replayed ? cell_marked(cell_unsigned(row->replay.horizon_cycles), mark) : cell_absent(),
        cell_marked(verdict_cell(row->equivalence.verdict), mark),
        cell_marked(cell_bool(row->equivalence.valid), mark),
        cell_marked(cell_text(invariants), replayed ? MARK_NONE : MARK_BAD),
    };
    table_row(table, cells);
}

static const Column refused_columns[] = {
    {"phase", "phase", UNIT_NONE, 0},
    {"mode", "mode", UNIT_NONE, 0},
    {"reason", "reason", UNIT_NONE, 0},
};

/* In JSON each mode that has no row; in text a line for the modes of a phase with the same reason, of the
 * phases that were to be replayed. */
static void explain_refusals(const ReportPhase *phase, Table *refused, Document *out)
{
    bool said[MODE_COUNT] = {false};
    for (size_t m = 0; m < MODE_COUNT; m++) {
        const ReportRow *row = &phase->rows[m];
        if (!row->selected || row->reason == NULL) {
            continue;
        }
        table_row(refused,
                  (Cell[]){cell_unsigned(phase->entry->phase->number), cell_text(mode_script_name(row->mode)),
                           cell_text(document_keep(out, "%s", row->reason))});
        Text names = {0};
        bool some = false;
        for (size_t other = m; other < MODE_COUNT; other++) {
            const ReportRow *like = &phase->rows[other];
            if (!said[other] && like->selected && like->reason != NULL &&
                strcmp(like->reason, row->reason) == 0) {
                text_printf(&names, "%s%s", some ? ", " : "", mode_name(like->mode));
                said[other] = some = true;
            }
        }
        if (some && phase->replay) {
            document_note(out, "phase %" PRIu32 ": %s refused: %s", phase->entry->phase->number,
                          document_keep_text(out, &names), row->reason);
        }
        text_free(&names);
    }
}

/* Why a row has no figures of a replay that was asked for. */
static void explain_replay(const ReportRow *row, Document *out)
{
    uint32_t number = row->phase->entry->phase->number;
    const char *name = mode_name(row->mode);
    if (row->replay_state == ROW_REPLAY_REFUSED) {
        document_note(out, "phase %" PRIu32 ", %s was not replayed: %s", number, name, row->replay_refusal);
    } else if (row->replay_state == ROW_REPLAY_DONE && !row->replay.invariants_pass) {
        document_note(out,
                      "phase %" PRIu32 ", %s: the replay FAILED its check, so its figures are not shown: %s",
                      number, name, row->replay.first_fault);
    }
}

static void explain(const Report *report, Document *out)
{
    bool receiver = false;
    Table *refused = document_table_in(out, IN_JSON, "refused", refused_columns, 3);
    for (size_t i = 0; i < report->phase_count; i++) {
        const ReportPhase *phase = &report->phases[i];
        explain_refusals(phase, refused, out);
        for (size_t m = 0; m < MODE_COUNT; m++) {
            explain_replay(&phase->rows[m], out);
        }
        receiver = receiver || phase->rows[MODE_RECEIVER].replay_state != ROW_REPLAY_NONE;
    }
    if (receiver) {
        document_note(
            out, "%s is called %s in analysis.json and in the names of files, as by the published script",
            mode_name(MODE_RECEIVER), mode_script_name(MODE_RECEIVER));
    }
}

static uint64_t count_replayed(const Report *report)
{
    uint64_t replayed = 0;
    for (size_t i = 0; i < report->phase_count; i++) {
        for (size_t m = 0; m < MODE_COUNT; m++) {
            replayed += report->phases[i].rows[m].replay_state != ROW_REPLAY_NONE;
        }
    }
    return replayed;
}

static void summarize(const Report *report, const AnalyzeOptions *options, Document *out)
{
    uint64_t rows = 0, refused = 0;
    for (size_t i = 0; i < report->phase_count; i++) {
        for (size_t m = 0; m < MODE_COUNT; m++) {
            const ReportRow *row = &report->phases[i].rows[m];
            rows += row->selected && row->reason == NULL;
            refused += row->selected && row->reason != NULL;
        }
    }
    document_field(out, "folder", "folder", UNIT_NONE, cell_text(options->folder));
    document_field(out, "phases", "phases", UNIT_COUNT, cell_unsigned(report->phase_count));
    document_field(out, "rows", "entries", UNIT_COUNT, cell_unsigned(rows));
    document_field(out, "refused_modes", "refused modes", UNIT_COUNT, cell_unsigned(refused));
    document_field(out, "replayed", "replayed", UNIT_COUNT, cell_unsigned(count_replayed(report)));
    Table *table = document_table(out, "replays", summary_columns, SUMMARY_COLUMNS);
    table_empty(table, "nothing was replayed");
    for (size_t i = 0; i < report->phase_count; i++) {
        for (size_t m = 0; m < MODE_COUNT; m++) {
            if (report->phases[i].rows[m].replay_state != ROW_REPLAY_NONE) {
                summarize_row(&report->phases[i].rows[m], table);
            }
        }
    }
    explain(report, out);
}

bool analyze_run(Session *session, const AnalyzeOptions *options, Progress *progress, Document *out,
                 Error *error)
{
    bool named = options->phases.count != 0;
    ReportRequest request = {
        .phases = named ? options->phases.items : NULL,
        .phase_count = options->phases.count,
        .modes = options->modes,
        .replays = REPORT_REPLAYS_RUN,
        .top = options->top_given              ? options->top
               : named || options->replay_only ? SIZE_MAX
                                               : ANALYZE_TOP_DEFAULT,
        .wanted = options->replay_only ? fixture_is_there : NULL,
        .row = write_row,
        .context = (void *)(uintptr_t)options,
    };
    Report report;
    /* The folder before the work: better to learn at once that it cannot be made. */
    if (!session_load(session, options->capture, progress, error) ||
        (!options->replay_only && !file_make_folder(options->folder, error)) ||
        !report_gather(session, &request, progress, &report, error)) {
        return false;
    }
    bool good =
        !options->replay_only || count_replayed(&report) > 0 ||
        error_set(error, ERROR_INPUT,
                  "%s holds no fixture of what was asked for; analyze without --replay-only writes them",
                  options->folder);
    good = good && report_write(&report, options->folder, true, error);
    if (good) {
        summarize(&report, options, out);
    }
    report_free(&report);
    return good;
}
