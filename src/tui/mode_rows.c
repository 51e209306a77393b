#include "config.h"

#include "tui/mode_rows.h"

#include <stdio.h>

#include "explore/trust.h"

const FigureKind figure_kinds[FIGURE_COUNT] = {
    [FIGURE_MAXIMUM] = {"max frag", true},      [FIGURE_ROW] = {"row B", true},
    [FIGURE_CYCLES] = {"cycles", true},         [FIGURE_TRANSFERS] = {"transfers", true},
    [FIGURE_FRAGMENTS] = {"recv frag", true},   [FIGURE_STAGING] = {"staging B", false},
    [FIGURE_COPY_CYCLES] = {"copy cyc", false}, [FIGURE_COPY_RUNS] = {"copy runs", false},
    [FIGURE_LOOPS] = {"loops", false},
};

static void set_figure(ModeRow *row, FigureId figure, uint64_t value)
{
    row->state[figure] = FIGURE_KNOWN;
    row->value[figure] = value;
}

static void read_summary(ModeRow *row)
{
    const Geometry *geometry = &row->summary->geometry;
    const ModeFigures *figures = &row->summary->figures;
    set_figure(row, FIGURE_MAXIMUM, geometry->maximum_endpoint_fragments);
    set_figure(row, FIGURE_TRANSFERS, geometry->transfers);
    set_figure(row, FIGURE_FRAGMENTS, geometry->receive_fragments);
    set_figure(row, FIGURE_STAGING, figures->combined_staging_max_bytes);
    set_figure(row, FIGURE_COPY_CYCLES, figures->copy_cycles_floor);
    set_figure(row, FIGURE_COPY_RUNS, figures->local_copy_runs);
    set_figure(row, FIGURE_LOOPS, figures->affine_copy_loops);
}

static int percent_of(const ResultStatus *status)
{
    return status->total == 0 ? -1 : (int)(status->done * 100 / status->total);
}

static void read_replay(Tui *tui, const PhaseEntry *entry, Mode mode, ModeRow *row)
{
    Error error;
    ResultKey key = {.entry = entry, .kind = RESULT_REPLAY, .mode = mode};
    FigureState state = FIGURE_NONE;
    row->replay = tui_replay_figures(tui, entry, mode);
    row->replaying = row->replay == NULL && tui_replaying(tui, entry, mode, &row->replay_percent);
    if (row->replaying) {
        state = FIGURE_COMPUTING;
    } else if (row->replay == NULL && tui_failed(tui, &key, &error)) {
        snprintf(row->replay_refusal, sizeof row->replay_refusal, "%.590s", error.message);
        state = error.kind == ERROR_REFUSED ? FIGURE_REFUSED : FIGURE_FAILED;
    } else if (row->replay != NULL && !row->replay->invariants_pass) {
        state = FIGURE_FAILED;
    }
    row->state[FIGURE_ROW] = row->state[FIGURE_CYCLES] = state;
    if (row->replay != NULL && row->replay->invariants_pass) {
        set_figure(row, FIGURE_ROW, (uint64_t)row->replay->maximum_row_words * 4);
        set_figure(row, FIGURE_CYCLES, row->replay->horizon_cycles);
    }
}

/* Why the mode cannot be had: refused, or its computation failed. */
static void read_refusal(Tui *tui, const PhaseEntry *entry, Mode mode, const Dependencies *dependencies,
                         ModeRow *row)
{
    Error error = {0};
    const char *refusal = dependencies == NULL ? NULL : mode_refusal(mode, dependencies);
    ResultKey figures = {.entry = entry, .kind = RESULT_FIGURES, .mode = mode};
    ResultKey edges = {.entry = entry, .kind = RESULT_DEPENDENCIES, .mode = MODE_ORIGINAL};
    if (refusal != NULL) {
        snprintf(row->refusal, sizeof row->refusal, "refused: %s", refusal);
    } else if (tui_failed(tui, &figures, &error) ||
               (mode != MODE_ORIGINAL && dependencies == NULL && tui_failed(tui, &edges, &error))) {
        snprintf(row->refusal, sizeof row->refusal, "%s%.560s",
                 error.kind == ERROR_REFUSED ? "refused: " : "failed: ", error.message);
    }
}

static void read_mode(Tui *tui, const PhaseEntry *entry, Mode mode, const Dependencies *dependencies,
                      bool current, ModeRow *row)
{
    *row = (ModeRow){.proof_percent = -1};
    for (int i = 0; i < FIGURE_COUNT; i++) {
        row->state[i] = FIGURE_COMPUTING;
    }
    read_refusal(tui, entry, mode, dependencies, row);
    if (row->refusal[0] != '\0' || (mode != MODE_ORIGINAL && dependencies == NULL)) {
        return;
    }
    row->summary = tui_figures(tui, entry, mode, current ? SOON : USUAL);
    tui_tiles(tui, entry, mode, current ? SOON : USUAL); /* for the map, as soon as the mode is chosen */
    row->distrusted = tui_distrusted(tui, entry, mode, current ? USUAL : LATER);
    ResultKey proof = {.entry = entry, .kind = RESULT_EQUIVALENCE, .mode = mode};
    row->equivalence = view_peek(tui->view, &proof);
    ResultStatus status;
    view_status(tui->view, &proof, &status);
    row->proof_failed = status.state == RESULT_FAILED;
    row->proof_percent = status.state == RESULT_RUNNING ? percent_of(&status) : -1;
    if (row->summary != NULL) {
        read_summary(row);
    }
    read_replay(tui, entry, mode, row);
}

void mode_rows_read(Tui *tui, Selection selection, ModeRow rows[MODE_COUNT])
{
    const Dependencies *dependencies = tui_dependencies(tui, selection.entry, MODE_ORIGINAL, SOON);
    for (int mode = 0; mode < MODE_COUNT; mode++) {
        read_mode(tui, selection.entry, (Mode)mode, dependencies, (Mode)mode == selection.mode, &rows[mode]);
    }
}

bool mode_row_refused(const ModeRow *row)
{
    return row->refusal[0] != '\0';
}

bool mode_row_invalid(const ModeRow *row)
{
    return row->equivalence != NULL && !row->equivalence->valid &&
           row->equivalence->verdict != VERDICT_UNKNOWN;
}

bool mode_rows_best(const ModeRow rows[MODE_COUNT], FigureId figure, uint64_t *best)
{
    uint64_t values[MODE_COUNT];
    bool stand[MODE_COUNT];
    for (int mode = 0; mode < MODE_COUNT; mode++) {
        stand[mode] = rows[mode].state[figure] == FIGURE_KNOWN && !mode_row_refused(&rows[mode]) &&
                      trust_of(rows[mode].equivalence) == TRUST_VALID;
        values[mode] = rows[mode].value[figure];
    }
    return figure_kinds[figure].compared && trust_best(values, stand, MODE_COUNT, best);
}

/* ---- what there is to say of the mode ---- */

static void note_verdict(const ModeRow *row, Mode mode, const Dependencies *dependencies, Text *text)
{
    const Equivalence *equivalence = row->equivalence;
    if (equivalence == NULL) {
        return;
    }
    if (equivalence->verdict == VERDICT_DIFFERENT) {
        text_printf(
            text, "INVALID: not equivalent; memory differs first in Repeat iteration %u on tile %u at %s.\n",
            (unsigned)equivalence->iteration, (unsigned)equivalence->tile,
            figure_address(equivalence->address).text);
    }
    if (mode == MODE_REORDERED && dependencies != NULL && dependencies->edges > 0) {
        text_printf(text, "INVALID by construction: it ignores %s dependencies. A control, never a result.\n",
                    figure_count(dependencies->edges).text);
    } else if (equivalence->valid && mode != MODE_ORIGINAL) {
        text_printf(text, "Proved equivalent to the captured phase (%u Repeat iteration%s).\n",
                    (unsigned)equivalence->iterations_proved, equivalence->iterations_proved == 1 ? "" : "s");
    }
}

static void note_figures(const ModeRow *row, Mode mode, Text *text)
{
    if (row->summary == NULL) {
        return;
    }
    const ModeFigures *figures = &row->summary->figures;
    if (!figures->replay_address_ranges_valid) {
        text_append(text,
                    "Its staging does not fit the address ranges: it is neither replayed nor exported.\n");
    }
    if (figures->staging_alias) {
        text_append(text,
                    "Staging lies over captured addresses: the replay may show hazards that a real placement "
                    "would not have.\n");
    }
    if (mode_stages_source(mode) || mode_stages_receiver(mode)) {
        text_printf(text,
                    "Staging needs up to %s B of fresh scratch on a tile and %s copy cycles at least.\n",
                    figure_trusted(figures->combined_staging_max_bytes, row->distrusted).text,
                    figure_trusted(figures->copy_cycles_floor, row->distrusted).text);
    }
    if (mode_stages_source(mode)) {
        text_append(text,
                    "Packing in place at the source is never claimed: a later consumer may read the original "
                    "layout.\n");
    }
}

static void note_replay(const ModeRow *row, Text *text)
{
    const ReplaySummary *replay = row->replay;
    if (row->summary != NULL && !row->summary->figures.replay_address_ranges_valid) {
        return; /* said already */
    }
    if (row->replay_refusal[0] != '\0') {
        text_printf(text, "No replay: %s.\n", row->replay_refusal);
    } else if (replay != NULL && !replay->invariants_pass) {
        text_printf(text, "Replay FAILED its checks: %s.\n", replay->first_fault);
    } else if (replay != NULL) {
        text_printf(
            text, "Replay: %s cycles, %s above the endpoint bound; pass %u, %s active tiles%s.\n",
            figure_trusted(replay->horizon_cycles, row->distrusted).text,
            figure_trusted(replay->horizon_cycles - replay->endpoint_lower_bound_cycles, row->distrusted)
                .text,
            replay->pass, figure_trusted(replay->active_tiles, row->distrusted).text,
            replay->paired64_transfers > 0 ? "; Paired64 replayed as 32-bit" : "");
    }
}

void mode_row_notes(const ModeRow *row, Mode mode, const Dependencies *dependencies, Text *text)
{
    text_printf(text, "%s: %s.\n", mode_name(mode), mode_summary(mode));
    if (mode_row_refused(row)) {
        text_printf(text, "%s.\n", row->refusal);
        return;
    }
    note_verdict(row, mode, dependencies, text);
    note_figures(row, mode, text);
    note_replay(row, text);
    if (dependencies != NULL && dependencies->edges > 0) {
        text_printf(text,
                    "Dependencies: %s pairs, depth %u; the first %s transfers are independent, %s follow.\n",
                    figure_count(dependencies->edges).text, (unsigned)dependencies->maximum_depth,
                    figure_count(dependencies->prefix_transfers).text,
                    figure_count(dependencies->tail_transfers).text);
    }
}
