#include "config.h"

#include "report/analysis_json.h"

#include <inttypes.h>
#include <string.h>

static void put_number(Text *text, const char *key, uint64_t value)
{
    text_printf(text, ",\"%s\":%" PRIu64, key, value);
}

static void put_flag(Text *text, const char *key, bool value)
{
    text_printf(text, ",\"%s\":%s", key, value ? "true" : "false");
}

static void put_text(Text *text, const char *key, const char *value)
{
    text_printf(text, ",\"%s\":", key);
    if (value == NULL) {
        text_append(text, "null");
    } else {
        text_append_json(text, value, strlen(value));
    }
}

const char *verdict_json(Verdict verdict)
{
    return verdict == VERDICT_UNKNOWN ? "null" : verdict == VERDICT_EQUIVALENT ? "true" : "false";
}

void first_difference_append(const Equivalence *equivalence, Text *text)
{
    if (equivalence->verdict == VERDICT_DIFFERENT) {
        text_printf(text, "{\"iteration\":%" PRIu32 ",\"tile\":%u,\"address\":%" PRIu32 "}",
                    equivalence->iteration, equivalence->tile, equivalence->address);
    } else {
        text_append(text, "null");
    }
}

static void put_phase(const ReportPhase *phase, Text *text)
{
    put_number(text, "rank", phase->rank);
    put_text(text, "label", phase->label);
    if (!phase->dependencies_known) {
        text_append(text, ",\"read_write_overlap\":null");
        return;
    }
    put_flag(text, "read_write_overlap", phase->read_write_overlap);
    put_flag(text, "write_write_overlap", phase->write_write_overlap);
    put_number(text, "edges", phase->edges);
    put_number(text, "prefix_transfers", phase->prefix_transfers);
    put_number(text, "tail_transfers", phase->tail_transfers);
    put_number(text, "maximum_depth", phase->maximum_depth);
}

static void put_tile(Text *text, const char *key, int32_t tile)
{
    if (tile < 0) {
        text_printf(text, ",\"%s\":null", key);
    } else {
        put_number(text, key, (uint64_t)tile);
    }
}

static void put_coverage(const Feasibility *feasibility, Text *text)
{
    const TileCoverage *busiest = &feasibility->busiest_coverage;
    text_printf(text, ",\"coverage\":{\"receivers\":%" PRIu32, feasibility->receivers);
    put_number(text, "contiguous", feasibility->contiguous);
    put_tile(text, "busiest_receiver", feasibility->busiest_receiver);
    if (feasibility->busiest_receiver < 0) {
        text_append(text, ",\"busiest\":null}");
        return;
    }
    text_printf(text, ",\"busiest\":{\"payload_bytes\":%" PRIu64, busiest->payload_bytes);
    put_number(text, "union_bytes", busiest->union_bytes);
    put_number(text, "intervals", busiest->intervals);
    put_number(text, "overlap_bytes", busiest->overlap_bytes);
    put_flag(text, "contiguous", busiest->contiguous);
    put_number(text, "low", busiest->low);
    text_append(text, "}}");
}

static void put_identity(const Feasibility *feasibility, Text *text)
{
    const TileIdentity *busiest = &feasibility->busiest_identity;
    const Transposition *transposition = &busiest->transposition;
    text_printf(text, ",\"identity\":{\"contiguous\":%" PRIu32, feasibility->contiguous);
    put_number(text, "identity", feasibility->identity);
    put_tile(text, "busiest_receiver", feasibility->busiest_receiver);
    if (feasibility->busiest_receiver < 0 || !busiest->contiguous) {
        text_append(text, ",\"busiest\":null}");
        return;
    }
    text_printf(text, ",\"busiest\":{\"words\":%" PRIu32, busiest->words);
    put_number(text, "identity_words", busiest->identity_words);
    put_flag(text, "identity", busiest->identity);
    put_flag(text, "padded", busiest->padded);
    put_number(text, "cycles", busiest->cycles);
    put_number(text, "longest_cycle", busiest->longest_cycle);
    put_number(text, "words_moved", busiest->words_moved);
    put_number(text, "bitmap_bytes", busiest->bitmap_bytes);
    if (transposition->rows != 0) {
        text_printf(text, ",\"transposition\":{\"rows\":%" PRIu32 ",\"columns\":%" PRIu32,
                    transposition->rows, transposition->columns);
        put_number(text, "element_words", transposition->element_words);
        text_append_char(text, '}');
    }
    text_append(text, "}}");
}

/* Figures that belong to the phase, on its first row: the same scope as the commands show by default. */
static void put_feasibility(const ReportPhase *phase, Text *text)
{
    if (phase->dependencies_known) {
        put_text(text, "scope", scope_name(phase->feasibility.scope));
        put_coverage(&phase->feasibility, text);
        put_identity(&phase->feasibility, text);
    }
}

static void put_geometry(const Geometry *geometry, Text *text)
{
    put_number(text, "transfers", geometry->transfers);
    put_number(text, "receive_fragments", geometry->receive_fragments);
    put_number(text, "maximum_endpoint_fragments", geometry->maximum_endpoint_fragments);
    put_tile(text, "busiest_tile", geometry->busiest_tile);
    put_number(text, "transmitted_bytes", geometry->transmitted_bytes);
    put_number(text, "received_bytes", geometry->received_bytes);
    put_number(text, "maximum_outgoing_bytes", geometry->maximum_outgoing_bytes);
    put_number(text, "maximum_incoming_bytes", geometry->maximum_incoming_bytes);
}

static void put_figures(const ModeFigures *figures, Text *text)
{
    put_number(text, "source_staging_max_bytes", figures->source_staging_max_bytes);
    put_number(text, "destination_staging_max_bytes", figures->destination_staging_max_bytes);
    put_number(text, "combined_staging_max_bytes", figures->combined_staging_max_bytes);
    put_number(text, "source_copy_max_bytes", figures->source_copy_max_bytes);
    put_number(text, "destination_copy_max_bytes", figures->destination_copy_max_bytes);
    put_number(text, "local_copy_runs", figures->local_copy_runs);
    put_number(text, "affine_copy_loops", figures->affine_copy_loops);
    put_number(text, "receivers_with_one_affine_loop", figures->receivers_with_one_affine_loop);
    put_number(text, "maximum_affine_loops_per_receiver", figures->maximum_affine_loops_per_receiver);
    put_number(text, "copy_cycles_floor", figures->copy_cycles_floor);
    put_flag(text, "replay_address_ranges_valid", figures->replay_address_ranges_valid);
    put_flag(text, "staging_alias", figures->staging_alias);
}

static void put_equivalence(const ReportRow *row, Text *text)
{
    char reason[200];
    text_printf(text, ",\"equivalent\":%s", verdict_json(row->equivalence.verdict));
    if (row->equivalence.verdict == VERDICT_DIFFERENT) {
        text_append(text, ",\"first_difference\":");
        first_difference_append(&row->equivalence, text);
    }
    put_flag(text, "valid", row->equivalence.valid);
    if (!row->equivalence.valid) {
        put_text(text, "invalid_reason", report_invalid_reason(row, reason));
    }
}

/* The published script's two keys, then the replay as `modes` has it. */
static void put_replay(const ReportRow *row, Text *text)
{
    const ReplaySummary *replay = &row->replay;
    if (row->replay_state == ROW_REPLAY_REFUSED) {
        put_text(text, "replay_refused", row->replay_refusal);
    } else if (row->replay_state == ROW_REPLAY_DONE && !replay->invariants_pass) {
        text_append(text, ",\"replay\":{\"invariants\":\"FAIL\"");
        put_text(text, "first_fault", replay->first_fault);
        text_append_char(text, '}');
    } else if (row->replay_state == ROW_REPLAY_DONE) {
        put_number(text, "scheduled_row_max_bytes", (uint64_t)replay->maximum_row_words * 4);
        put_number(text, "scheduled_horizon_cycles", replay->horizon_cycles);
        text_printf(text, ",\"replay\":{\"horizon_cycles\":%" PRIu32, replay->horizon_cycles);
        put_number(text, "maximum_row_words", replay->maximum_row_words);
        put_tile(text, "maximum_row_tile", replay->maximum_row_tile);
        put_number(text, "total_row_words", replay->total_row_words);
        put_number(text, "active_tiles", replay->active_tiles);
        put_number(text, "endpoint_lower_bound_cycles", replay->endpoint_lower_bound_cycles);
        put_number(text, "pass", replay->pass);
        put_number(text, "paired64_transfers", replay->paired64_transfers);
        text_printf(text, ",\"row_fingerprint\":\"%016" PRIx64 "\",\"invariants\":\"PASS\"}",
                    replay->row_fingerprint);
    }
}

/* On the phase's first row: which modes it has no row for, and why. */
static void put_refused_modes(const ReportPhase *phase, Text *text)
{
    bool any = false;
    for (size_t m = 0; m < MODE_COUNT; m++) {
        const ReportRow *row = &phase->rows[m];
        if (row->selected && row->reason != NULL) {
            text_printf(text, "%s\"%s\":", any ? "," : ",\"refused_modes\":{", mode_script_name(row->mode));
            text_append_json(text, row->reason, strlen(row->reason));
            any = true;
        }
    }
    text_append(text, any ? "}" : "");
}

void analysis_json_append(const Report *report, Text *text)
{
    bool any = false;
    text_append_char(text, '[');
    for (size_t i = 0; i < report->phase_count; i++) {
        const ReportPhase *phase = &report->phases[i];
        bool first = true;
        for (size_t m = 0; m < MODE_COUNT; m++) {
            const ReportRow *row = &phase->rows[m];
            if (!row->selected || row->reason != NULL) {
                continue;
            }
            text_printf(text, "%s\n{\"phase\":%" PRIu32 ",\"mode\":\"%s\"", any ? "," : "",
                        phase->entry->phase->number, mode_script_name(row->mode));
            put_phase(phase, text);
            put_geometry(&row->summary.geometry, text);
            put_figures(&row->summary.figures, text);
            put_equivalence(row, text);
            put_replay(row, text);
            if (first) {
                put_feasibility(phase, text);
                put_refused_modes(phase, text);
            }
            text_append_char(text, '}');
            any = true;
            first = false;
        }
    }
    text_append(text, "\n]\n");
}
