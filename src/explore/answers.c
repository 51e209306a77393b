#include "config.h"

#include "explore/answers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- what the answer is about ---- */

void answer_phase(CommandCall *call)
{
    Document *out = call->out;
    const char *label = view_label(call->view, call->entry);
    document_identify(out, "phase", "phase", UNIT_NONE, cell_unsigned(call->entry->phase->number));
    if (label != NULL) {
        document_field_in(out, IN_TEXT, "label", "label", UNIT_NONE,
                          cell_text(document_keep(out, "%s", label)));
    }
}

bool answer_mode(CommandCall *call, Error *error)
{
    Document *out = call->out;
    const Equivalence *equivalence =
        view_need_equivalence(call->view, call->entry, call->mode, call->progress, error);
    if (equivalence == NULL) {
        return false;
    }
    answer_phase(call);
    document_identify(out, "mode", "mode", UNIT_NONE, cell_text(mode_name(call->mode)));
    Trust trust = trust_of(equivalence);
    document_field_in(out, IN_JSON, "equivalent", NULL, UNIT_NONE, equivalent_cell(equivalence));
    document_identify(out, "valid", NULL, UNIT_NONE, cell_bool(equivalence->valid));
    if (trust != TRUST_VALID) {
        document_distrust(out, true);
        document_field_in(out, IN_TEXT, "verdict", "verdict", UNIT_NONE,
                          cell_marked(cell_text(trust_words(trust)), trust_mark(trust)));
    }
    return true;
}

void answer_scope(CommandCall *call, Scope scope, uint32_t transfers)
{
    Document *out = call->out;
    uint32_t all = call->entry->phase->transfers;
    document_distrust(out, false); /* what follows is about the captured phase, whatever the mode */
    document_identify(out, "scope", NULL, UNIT_NONE, cell_text(scope_name(scope)));
    document_field_in(out, IN_TEXT, "scope_text", "scope", UNIT_NONE,
                      cell_text(document_keep(out, "%s: %" PRIu32 " of %" PRIu32 " transfers",
                                              scope == SCOPE_PHASE ? "whole phase" : "independent prefix",
                                              transfers, all)));
    document_identify(out, "scope_transfers", NULL, UNIT_NONE, cell_unsigned(transfers));
    document_identify(out, "phase_transfers", NULL, UNIT_NONE, cell_unsigned(all));
}

void answer_fields(Document *out, const Column *columns, const Cell *cells, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (cells[i].kind != CELL_ABSENT) {
            document_field_in(out, columns[i].where & ~(unsigned)IN_VERBOSE, columns[i].key, columns[i].title,
                              columns[i].unit, cells[i]);
        }
    }
}

bool answer_failed_replay(const CommandCall *call, const Replay *replay, Error *error)
{
    return error_set(error, ERROR_REFUSED, "the replay of phase %u, mode %s, FAILED its check: %s",
                     (unsigned)call->entry->phase->number, mode_name(call->mode), replay->first_fault);
}

const Replay *answer_replay(CommandCall *call, Error *error)
{
    const Replay *replay = view_need_replay(call->view, call->entry, call->mode, NULL, call->progress, error);
    if (replay != NULL && !replay->invariants_pass) {
        answer_failed_replay(call, replay, error);
        return NULL;
    }
    return replay;
}

/* ---- trust ---- */

CellMark trust_mark(Trust trust)
{
    return trust == TRUST_VALID ? MARK_NONE : MARK_BAD;
}

Cell equivalent_cell(const Equivalence *equivalence)
{
    if (equivalence == NULL || equivalence->verdict == VERDICT_UNKNOWN) {
        return cell_null();
    }
    return cell_bool(equivalence->verdict == VERDICT_EQUIVALENT);
}

/* ---- a replay ---- */

/* In the order of replay_cells(). */
#define REPLAY_COLUMN_LIST                                                                                   \
    {"replay.horizon_cycles", "cycles", UNIT_CYCLES, 0},                                                     \
        {"replay.maximum_row_bytes", "row bytes", UNIT_BYTES, 0},                                            \
        {"replay.maximum_row_words", "row words", UNIT_WORDS, IN_VERBOSE},                                   \
        {"replay.maximum_row_tile", "longest row on tile", UNIT_NONE, IN_VERBOSE},                           \
        {"replay.total_row_words", "words of all rows", UNIT_WORDS, IN_VERBOSE},                             \
        {"replay.active_tiles", "active tiles", UNIT_COUNT, IN_VERBOSE},                                     \
        {"replay.endpoint_lower_bound_cycles", "lower bound", UNIT_CYCLES, IN_VERBOSE},                      \
        {"replay.gap_cycles", "gap to it", UNIT_CYCLES, IN_VERBOSE},                                         \
        {"replay.pass", "pass", UNIT_NONE, IN_VERBOSE},                                                      \
        {"replay.row_fingerprint", "row fingerprint", UNIT_NONE, IN_VERBOSE},                                \
        {"replay.invariants", "invariants", UNIT_NONE, 0},                                                   \
        {"replay.first_fault", "first fault", UNIT_NONE, IN_VERBOSE},                                        \
        {"replay.paired64_transfers", "replayed as 32-bit", UNIT_COUNT, IN_VERBOSE},                         \
        {"replay.stream_words", "stream words", UNIT_WORDS, IN_VERBOSE},                                     \
        {"replay.balanced", "balanced", UNIT_NONE, IN_VERBOSE},                                              \
    {                                                                                                        \
        "replay.seconds", "took", UNIT_SECONDS, IN_VERBOSE                                                   \
    }

void replay_cells(const ReplaySummary *summary, CellMark mark, Document *out, Cell cells[REPLAY_CELLS])
{
    for (size_t i = 0; i < REPLAY_CELLS; i++) {
        cells[i] = cell_absent();
    }
    if (summary == NULL) {
        return;
    }
    if (summary->invariants_pass) {
        Cell *cell = cells;
        *cell++ = cell_unsigned(summary->horizon_cycles);
        *cell++ = cell_unsigned(4 * (uint64_t)summary->maximum_row_words);
        *cell++ = cell_unsigned(summary->maximum_row_words);
        *cell++ = cell_tile(summary->maximum_row_tile);
        *cell++ = cell_unsigned(summary->total_row_words);
        *cell++ = cell_unsigned(summary->active_tiles);
        *cell++ = cell_unsigned(summary->endpoint_lower_bound_cycles);
        *cell++ = cell_unsigned(summary->horizon_cycles - summary->endpoint_lower_bound_cycles);
        *cell++ = cell_unsigned(summary->pass);
        *cell++ = cell_text(document_keep(out, "%016" PRIx64, summary->row_fingerprint));
        for (size_t i = 0; i < 10; i++) {
            cells[i].mark = mark;
        }
    } else {
        for (size_t i = 0; i < 10; i++) {
            cells[i] = cell_null();
        }
    }
    cells[10] = cell_marked(cell_text(summary->invariants_pass ? "PASS" : "FAIL"),
                            summary->invariants_pass ? MARK_NONE : MARK_BAD);
    cells[11] =
        summary->invariants_pass ? cell_absent() : cell_text(document_keep(out, "%s", summary->first_fault));
    cells[12] = cell_unsigned(summary->paired64_transfers);
    cells[13] = cell_unsigned(summary->options.stream_words);
    cells[14] = cell_bool(summary->options.balance);
    cells[15] = cell_real(summary->seconds);
}

const Column replay_columns[] = {
    {"phase", "phase", UNIT_NONE, 0},
    {"mode", "mode", UNIT_NONE, 0},
    {"equivalent", NULL, UNIT_NONE, IN_JSON | IN_CSV},
    {"valid", NULL, UNIT_NONE, IN_JSON | IN_CSV},
    {"refused", NULL, UNIT_NONE, IN_JSON | IN_CSV},
    REPLAY_COLUMN_LIST,
    {"verdict", "verdict", UNIT_NONE, IN_TEXT},
};

const size_t replay_column_count = sizeof replay_columns / sizeof *replay_columns;

/* ---- a mode ---- */

const Column mode_columns[] = {
    {"mode", "mode", UNIT_NONE, 0},
    {"available", NULL, UNIT_NONE, IN_JSON | IN_CSV},
    {"reason", NULL, UNIT_NONE, IN_JSON | IN_CSV},
    {"transfers", "transfers", UNIT_COUNT, 0},
    {"receive_fragments", "receive fragments", UNIT_COUNT, IN_VERBOSE},
    {"maximum_endpoint_fragments", "most on a tile", UNIT_COUNT, 0},
    {"busiest_tile", "busiest tile", UNIT_NONE, IN_VERBOSE},
    {"transmitted_bytes", "sent bytes", UNIT_BYTES, IN_VERBOSE},
    {"received_bytes", "received bytes", UNIT_BYTES, IN_VERBOSE},
    {"maximum_outgoing_bytes", "most sent", UNIT_BYTES, IN_VERBOSE},
    {"maximum_incoming_bytes", "most received", UNIT_BYTES, IN_VERBOSE},
    {"source_staging_max_bytes", "source staging", UNIT_BYTES, IN_VERBOSE},
    {"destination_staging_max_bytes", "receiver staging", UNIT_BYTES, IN_VERBOSE},
    {"combined_staging_max_bytes", "staging bytes", UNIT_BYTES, 0},
    {"source_copy_max_bytes", "source copies", UNIT_BYTES, IN_VERBOSE},
    {"destination_copy_max_bytes", "receiver copies", UNIT_BYTES, IN_VERBOSE},
    {"local_copy_runs", "copy runs", UNIT_COUNT, IN_VERBOSE},
    {"affine_copy_loops", "affine loops", UNIT_COUNT, IN_VERBOSE},
    {"receivers_with_one_affine_loop", "receivers with one loop", UNIT_COUNT, IN_VERBOSE},
    {"maximum_affine_loops_per_receiver", "most loops of a receiver", UNIT_COUNT, IN_VERBOSE},
    {"copy_cycles_floor", "copy cycles", UNIT_CYCLES, 0},
    {"replay_address_ranges_valid", "ranges valid", UNIT_NONE, IN_VERBOSE},
    {"staging_alias", "staging alias", UNIT_NONE, IN_VERBOSE},
    {"equivalent", NULL, UNIT_NONE, IN_JSON | IN_CSV},
    {"first_difference.iteration", "first difference: iteration", UNIT_NONE, IN_VERBOSE},
    {"first_difference.tile", "tile", UNIT_NONE, IN_VERBOSE},
    {"first_difference.address", "address", UNIT_ADDRESS, IN_VERBOSE},
    {"valid", NULL, UNIT_NONE, IN_JSON | IN_CSV},
    REPLAY_COLUMN_LIST,
    {"verdict", "verdict", UNIT_NONE, IN_TEXT},
};

const size_t mode_column_count = sizeof mode_columns / sizeof *mode_columns;

bool mode_reason(View *view, const PhaseEntry *entry, Mode mode, const Error *failure, Progress *progress,
                 char reason[REASON_BYTES], Error *error)
{
    Error trouble = {0};
    const Dependencies *dependencies = view_need_dependencies(view, entry, MODE_ORIGINAL, progress, &trouble);
    if (dependencies == NULL && trouble.kind != ERROR_REFUSED) {
        if (error != NULL) {
            *error = trouble;
        }
        return false;
    }
    const char *refusal = dependencies == NULL ? NULL : mode_refusal(mode, dependencies);
    snprintf(reason, REASON_BYTES, "%s", refusal != NULL ? refusal : failure->message);
    return true;
}

bool mode_answer(View *view, const PhaseEntry *entry, Mode mode, Progress *progress, ModeAnswer *answer,
                 Error *error)
{
    Error failure = {0};
    *answer = (ModeAnswer){.mode = mode, .available = true};
    const ModeSummary *summary = view_need_figures(view, entry, mode, progress, &failure);
    const Equivalence *equivalence =
        summary == NULL ? NULL : view_need_equivalence(view, entry, mode, progress, &failure);
    if (equivalence == NULL) {
        if (failure.kind != ERROR_REFUSED) {
            if (error != NULL) {
                *error = failure;
            }
            return false;
        }
        answer->available = false;
        return mode_reason(view, entry, mode, &failure, progress, answer->reason, error);
    }
    answer->summary = *summary;
    answer->equivalence = *equivalence;
    const ReplaySummary *replay = view_peek_replay_figures(view, entry, mode, NULL);
    if (replay != NULL) {
        answer->replayed = true;
        answer->replay = *replay;
    }
    return true;
}

Cell *cells_of_geometry(const Geometry *geometry, Cell *cell)
{
    *cell++ = cell_unsigned(geometry->transfers);
    *cell++ = cell_unsigned(geometry->receive_fragments);
    *cell++ = cell_unsigned(geometry->maximum_endpoint_fragments);
    *cell++ = cell_tile(geometry->busiest_tile);
    *cell++ = cell_unsigned(geometry->transmitted_bytes);
    *cell++ = cell_unsigned(geometry->received_bytes);
    *cell++ = cell_unsigned(geometry->maximum_outgoing_bytes);
    *cell++ = cell_unsigned(geometry->maximum_incoming_bytes);
    return cell;
}

static Cell *cells_of_figures(const ModeFigures *figures, Cell *cell)
{
    *cell++ = cell_unsigned(figures->source_staging_max_bytes);
    *cell++ = cell_unsigned(figures->destination_staging_max_bytes);
    *cell++ = cell_unsigned(figures->combined_staging_max_bytes);
    *cell++ = cell_unsigned(figures->source_copy_max_bytes);
    *cell++ = cell_unsigned(figures->destination_copy_max_bytes);
    *cell++ = cell_unsigned(figures->local_copy_runs);
    *cell++ = cell_unsigned(figures->affine_copy_loops);
    *cell++ = cell_unsigned(figures->receivers_with_one_affine_loop);
    *cell++ = cell_unsigned(figures->maximum_affine_loops_per_receiver);
    *cell++ = cell_unsigned(figures->copy_cycles_floor);
    *cell++ = cell_bool(figures->replay_address_ranges_valid);
    *cell++ = cell_bool(figures->staging_alias);
    return cell;
}

static const char *answer_words(const ModeAnswer *answer, Document *out)
{
    if (!answer->available) {
        return document_keep(out, "refused: %s", answer->reason);
    }
    return document_keep(out, "%s%s", trust_words(trust_of(&answer->equivalence)),
                         answer->summary.figures.replay_address_ranges_valid
                             ? ""
                             : "; staging exceeds the address range: not replayed, not exported");
}

void mode_cells(const ModeAnswer *answer, Document *out, Cell *cells)
{
    Cell *last = cells + mode_column_count - 1;
    for (Cell *cell = cells; cell <= last; cell++) {
        *cell = cell_absent();
    }
    *cells++ = cell_text(mode_name(answer->mode));
    *cells++ = cell_bool(answer->available);
    *last = cell_text(answer_words(answer, out));
    if (!answer->available) {
        *cells = cell_text(document_keep(out, "%s", answer->reason));
        cells[-2].mark = last->mark = MARK_FAINT;
        return;
    }
    const Equivalence *equivalence = &answer->equivalence;
    CellMark mark = trust_mark(trust_of(equivalence));
    Cell *first = ++cells;
    cells = cells_of_geometry(&answer->summary.geometry, cells);
    cells = cells_of_figures(&answer->summary.figures, cells);
    for (Cell *cell = first; cell < cells; cell++) {
        cell->mark = mark;
    }
    *cells++ = equivalent_cell(equivalence);
    if (equivalence->verdict == VERDICT_DIFFERENT) {
        cells[0] = cell_unsigned(equivalence->iteration);
        cells[1] = cell_unsigned(equivalence->tile);
        cells[2] = cell_unsigned(equivalence->address);
    }
    cells += 3;
    *cells++ = cell_bool(equivalence->valid);
    replay_cells(answer->replayed ? &answer->replay : NULL, mark, out, cells);
    last->mark = mark;
}
