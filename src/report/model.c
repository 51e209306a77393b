#include "config.h"

#include "report/model.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

const char *const report_limits[] = {
    "Full-phase staging needs fresh scratch memory; scratch maxima are per tile and are not proven to fit.",
    "Copy cycles are floors at 8 bytes per cycle, without setup, barriers or bank conflicts.",
    "Row bytes are per tile and per phase, before any sharing between phases.",
    "Exchange cycles come from the scheduling model; no payload ran on hardware.",
    "Rows carry the first Repeat address; hazards and dependencies count every Repeat address.",
    ("Packing in place at the source is never claimed: it also needs that no later consumer reads "
     "the original layout."),
    NULL};

/* ---- verdicts ---- */

bool report_row_valid(const ReportRow *row)
{
    return row->selected && row->reason == NULL && row->equivalence.valid;
}

bool report_row_replayed(const ReportRow *row)
{
    return row->replay_state == ROW_REPLAY_DONE && row->replay.invariants_pass;
}

const char *report_invalid_reason(const ReportRow *row, char buffer[200])
{
    const Equivalence *equivalence = &row->equivalence;
    buffer[0] = '\0';
    if (equivalence->verdict == VERDICT_DIFFERENT) {
        snprintf(buffer, 200,
                 "not equivalent: first difference in Repeat iteration %" PRIu32
                 ", tile %u, address 0x%" PRIx32,
                 equivalence->iteration, equivalence->tile, equivalence->address);
    } else if (equivalence->verdict == VERDICT_UNKNOWN) {
        snprintf(buffer, 200, "not proved equivalent");
    } else if (!equivalence->valid) {
        snprintf(buffer, 200,
                 "ignores the dependencies of the phase, even where their order happens not to matter");
    }
    return buffer;
}

bool report_best_by_rows(const ReportPhase *phase)
{
    for (size_t m = 0; m < MODE_COUNT; m++) {
        const ReportRow *row = &phase->rows[m];
        if (report_row_valid(row) && row->summary.figures.replay_address_ranges_valid &&
            !report_row_replayed(row)) {
            return false;
        }
    }
    return true;
}

const ReportRow *report_best(const ReportPhase *phase)
{
    bool by_rows = report_best_by_rows(phase);
    const ReportRow *best = NULL;
    uint64_t best_size = 0, best_copying = 0;
    for (size_t m = 0; m < MODE_COUNT; m++) {
        const ReportRow *row = &phase->rows[m];
        if (!report_row_valid(row) || (by_rows && !report_row_replayed(row))) {
            continue;
        }
        uint64_t size =
            by_rows ? row->replay.maximum_row_words : row->summary.geometry.maximum_endpoint_fragments;
        uint64_t copying = row->summary.figures.copy_cycles_floor;
        if (best == NULL || size < best_size || (size == best_size && copying < best_copying)) {
            best = row;
            best_size = size;
            best_copying = copying;
        }
    }
    return best;
}

/* ---- gathering ---- */

typedef struct Gathering {
    const ReportRequest *request;
    Report *report;
    ReportRow **rows; /* those to be filled */
    size_t row_count;
} Gathering;

/* A refusal is kept as text and is no failure; anything else is. */
static bool keep_refusal(char *refusal, size_t size, const Error *failure, Error *error)
{
    if (failure->kind != ERROR_REFUSED) {
        *error = *failure;
        return false;
    }
    text_copy_visible(refusal, size, failure->message, strlen(failure->message));
    return true;
}

static void keep_dependencies(ReportPhase *phase, const Dependencies *dependencies)
{
    phase->dependencies_known = true;
    phase->read_write_overlap = dependencies->read_write_overlap;
    phase->write_write_overlap = dependencies->write_write_overlap;
    phase->edges = dependencies->edges;
    phase->prefix_transfers = dependencies->prefix_transfers;
    phase->tail_transfers = dependencies->tail_transfers;
    phase->maximum_depth = dependencies->maximum_depth;
    for (size_t m = 0; m < MODE_COUNT; m++) {
        phase->rows[m].reason = mode_refusal((Mode)m, dependencies);
    }
}

static bool gather_feasibility(View *view, ReportPhase *phase, Scope scope, Progress *progress, Error *error)
{
    const Coverage *coverage = view_need_coverage(view, phase->entry, scope, progress, error);
    const Identity *identity =
        coverage == NULL ? NULL : view_need_identity(view, phase->entry, scope, progress, error);
    if (identity == NULL) {
        return false;
    }
    phase->feasibility = (Feasibility){.scope = scope,
                                       .transfers = coverage->transfers,
                                       .receivers = coverage->receivers,
                                       .contiguous = coverage->contiguous,
                                       .identity = identity->identity,
                                       .busiest_receiver = coverage->busiest_receiver};
    if (coverage->busiest_receiver >= 0) {
        phase->feasibility.busiest_coverage = coverage->tiles[coverage->busiest_receiver];
        phase->feasibility.busiest_identity = identity->tiles[coverage->busiest_receiver];
    }
    return true;
}

static bool gather_phase_in(View *view, ReportPhase *phase, Progress *progress, Error *error)
{
    Error failure = {0};
    const Dependencies *dependencies =
        view_need_dependencies(view, phase->entry, MODE_ORIGINAL, progress, &failure);
    if (dependencies != NULL) {
        keep_dependencies(phase, dependencies);
        return gather_feasibility(view, phase, scope_default(dependencies), progress, error);
    }
    for (size_t m = 0; m < MODE_COUNT; m++) {
        phase->rows[m].reason = m == MODE_ORIGINAL ? NULL : phase->refusal;
    }
    return keep_refusal(phase->refusal, sizeof phase->refusal, &failure, error);
}

static bool gather_phase(void *context, size_t index, Progress *progress, Error *error)
{
    const Gathering *gathering = context;
    ReportPhase *phase = &gathering->report->phases[index];
    View *view = view_copy(gathering->report->view, error);
    if (view == NULL) {
        return false;
    }
    bool good = gather_phase_in(view, phase, progress, error);
    view_free(view);
    return good || (error->kind != ERROR_CANCELLED &&
                    error_prefix(error, "phase %" PRIu32, phase->entry->phase->number));
}

/* `replay` may be NULL: then there is no map of its tiles. */
static bool keep_replay(ReportRow *row, const Replay *replay, const ReplaySummary *summary,
                        uint16_t tile_count, Error *error)
{
    row->replay_state = ROW_REPLAY_DONE;
    row->replay = *summary;
    if (replay == NULL || !summary->invariants_pass) {
        return true;
    }
    row->tile_row_bytes = mem_new(tile_count, sizeof *row->tile_row_bytes, error);
    if (row->tile_row_bytes == NULL) {
        return false;
    }
    for (size_t tile = 0; tile < tile_count; tile++) {
        uint64_t words = replay->row_start[tile + 1] - replay->row_start[tile];
        row->tile_row_bytes[tile] = words > 1 ? (uint32_t)(words * 4) : 0;
    }
    return true;
}

/* What the session has already; a replay whose rows were given back is not run again, its figures stay. */
static bool take_ready_replay(const Report *report, View *view, ReportRow *row, Error *error)
{
    const PhaseEntry *entry = row->phase->entry;
    const Replay *replay = view_peek_replay(view, entry, row->mode, &report->options);
    const ReplaySummary *summary = view_peek_replay_figures(view, entry, row->mode, &report->options);
    return summary == NULL || keep_replay(row, replay, summary, view_tile_count(view), error);
}

static bool run_replay(const Gathering *gathering, View *view, ReportRow *row, Progress *progress,
                       Error *error)
{
    const ReportRequest *request = gathering->request;
    const ReplayOptions *options = &gathering->report->options;
    const PhaseEntry *entry = row->phase->entry;
    bool wanted = true;
    if (request->wanted != NULL && !request->wanted(request->context, row, &wanted, error)) {
        return false;
    }
    if (!wanted) {
        return true;
    }
    Error failure = {0};
    const Replay *replay = view_need_replay(view, entry, row->mode, options, progress, &failure);
    const ReplaySummary *summary =
        replay == NULL ? NULL : view_need_replay_figures(view, entry, row->mode, options, progress, &failure);
    bool good;
    if (summary != NULL) {
        good = keep_replay(row, replay, summary, view_tile_count(view), error);
    } else {
        row->replay_state = ROW_REPLAY_REFUSED;
        row->replay.options = *options;
        good = keep_refusal(row->replay_refusal, sizeof row->replay_refusal, &failure, error);
    }
    return good && (request->row == NULL || request->row(request->context, view, row, progress, error));
}

static bool keep_fragments(View *view, ReportRow *row, Progress *progress, Error *error)
{
    const TileFigures *tiles = view_need_tiles(view, row->phase->entry, row->mode, progress, error);
    uint16_t tile_count = view_tile_count(view);
    row->tile_fragments = tiles == NULL ? NULL : mem_new(tile_count, sizeof *row->tile_fragments, error);
    for (size_t tile = 0; row->tile_fragments != NULL && tile < tile_count; tile++) {
        row->tile_fragments[tile] = tiles[tile].send_fragments + tiles[tile].receive_fragments;
    }
    return row->tile_fragments != NULL;
}

static bool gather_row_in(const Gathering *gathering, View *view, ReportRow *row, Progress *progress,
                          Error *error)
{
    const PhaseEntry *entry = row->phase->entry;
    const ModeSummary *summary = view_need_figures(view, entry, row->mode, progress, error);
    if (summary == NULL) {
        return false;
    }
    row->summary = *summary;
    const Equivalence *equivalence = view_need_equivalence(view, entry, row->mode, progress, error);
    if (equivalence == NULL) {
        return false;
    }
    row->equivalence = *equivalence;
    if (row->phase->replay) {
        return run_replay(gathering, view, row, progress, error);
    }
    return (gathering->request->replays != REPORT_REPLAYS_READY ||
            take_ready_replay(gathering->report, view, row, error)) &&
           (row->tile_row_bytes != NULL || keep_fragments(view, row, progress, error));
}

static bool gather_row(void *context, size_t index, Progress *progress, Error *error)
{
    const Gathering *gathering = context;
    ReportRow *row = gathering->rows[index];
    if (row->reason != NULL) {
        return true;
    }
    View *view = view_copy(gathering->report->view, error);
    if (view == NULL) {
        return false;
    }
    bool good = gather_row_in(gathering, view, row, progress, error) && view_peeks_ok(view, error);
    view_free(view);
    return good || (error->kind != ERROR_CANCELLED &&
                    error_prefix(error, "phase %" PRIu32 ", %s", row->phase->entry->phase->number,
                                 mode_name(row->mode)));
}

static bool wanted_phase(const ReportRequest *request, uint32_t number)
{
    for (size_t i = 0; i < request->phase_count; i++) {
        if (request->phases[i] == number) {
            return true;
        }
    }
    return request->phases == NULL;
}

/* The phases of the request in ranking order, and the list of rows to be filled. */
static bool gathering_plan(Gathering *gathering, Error *error)
{
    const ReportRequest *request = gathering->request;
    Report *report = gathering->report;
    for (size_t i = 0; i < request->phase_count; i++) {
        if (view_phase(report->view, request->phases[i]) == NULL) {
            return error_set(error, ERROR_INPUT, "there is no phase %" PRIu32, request->phases[i]);
        }
    }
    size_t count = 0;
    RankedPhase *ranked = phase_rank(report->view, &(PhaseQuery){.sort = PHASE_SORT_RANK}, &count, error);
    report->phases = ranked == NULL ? NULL : mem_zero(count, sizeof *report->phases, error);
    gathering->rows = ranked == NULL ? NULL : mem_new(count * MODE_COUNT, sizeof(ReportRow *), error);
    if (report->phases == NULL || gathering->rows == NULL) {
        mem_free(ranked);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!wanted_phase(request, ranked[i].entry->phase->number)) {
            continue;
        }
        ReportPhase *phase = &report->phases[report->phase_count++];
        phase->entry = ranked[i].entry;
        phase->rank = ranked[i].rank;
        phase->label = view_label(report->view, phase->entry);
        phase->replay = request->replays == REPORT_REPLAYS_RUN && report->phase_count <= request->top;
        for (size_t m = 0; m < MODE_COUNT; m++) {
            ReportRow *row = &phase->rows[m];
            row->phase = phase;
            row->mode = (Mode)m;
            row->selected = request->modes == 0 || (request->modes >> m & 1) != 0;
            if (row->selected) {
                gathering->rows[gathering->row_count++] = row;
            }
        }
    }
    mem_free(ranked);
    return true;
}

bool report_gather(Session *session, const ReportRequest *request, Progress *progress, Report *report,
                   Error *error)
{
    Settings settings = session_settings(session);
    *report = (Report){.view = view_new(session, error),
                       .options = {.stream_words = settings.stream_words, .balance = settings.balance}};
    if (report->view == NULL) {
        return false;
    }
    report->capture = view_capture(report->view);
    Gathering gathering = {.request = request, .report = report};
    bool good = report->capture != NULL || error_set(error, ERROR_REFUSED, "the capture is still loading");
    good = good && gathering_plan(&gathering, error) &&
           session_parallel(session, report->phase_count, "dependencies", gather_phase, &gathering, progress,
                            error) &&
           session_parallel(session, gathering.row_count, "modes", gather_row, &gathering, progress, error);
    mem_free(gathering.rows);
    if (!good) {
        report_free(report);
    }
    return good;
}

void report_free(Report *report)
{
    for (size_t i = 0; i < report->phase_count; i++) {
        for (size_t m = 0; m < MODE_COUNT; m++) {
            mem_free(report->phases[i].rows[m].tile_row_bytes);
            mem_free(report->phases[i].rows[m].tile_fragments);
        }
    }
    mem_free(report->phases);
    view_free(report->view);
    *report = (Report){0};
}
