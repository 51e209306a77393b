#include "config.h"

#include "report/page.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/picture.h"

enum { LABEL_BYTES_SHOWN = 240 };

/* ---- small pieces ---- */

static void put_html(Text *text, const char *string)
{
    text_append_html(text, string, strlen(string));
}

/* At most `limit` bytes of a text from a file, cut between characters. */
static void put_cut(Text *text, const char *string, size_t limit)
{
    size_t length = strlen(string);
    if (length <= limit) {
        text_append_html(text, string, length);
        return;
    }
    while (limit > 0 && ((unsigned char)string[limit] & 0xc0) == 0x80) {
        limit--;
    }
    text_append_html(text, string, limit);
    text_append(text, "\xe2\x80\xa6");
}

/* A sortable cell with a number; the last two arguments say whether it stands, and is to be struck out. */
static void put_number_cell(Text *text, uint64_t number, bool known, bool struck)
{
    if (!known) {
        text_append(text, "<td class=\"n\" data-v=\"\">\xe2\x80\x93</td>");
        return;
    }
    text_printf(text, "<td class=\"n\" data-v=\"%" PRIu64 "\">%s", number, struck ? "<s>" : "");
    number_append(text, number);
    text_append(text, struck ? "</s></td>" : "</td>");
}

static void put_head(Text *text, const char *title, const char *class_name, const char *attributes)
{
    text_printf(text, "<th scope=\"col\" class=\"%s\"%s><button type=\"button\">%s</button></th>", class_name,
                attributes, title);
}

static void put_change(Text *text, uint64_t before, uint64_t after)
{
    if (before != 0) {
        text_printf(text, " (%+.1f %%)", ((double)after - (double)before) / (double)before * 100);
    }
}

static uint64_t row_bytes(const ReportRow *row)
{
    return (uint64_t)row->replay.maximum_row_words * 4;
}

static size_t replayed_phases(const Report *report)
{
    size_t count = 0;
    for (size_t i = 0; i < report->phase_count; i++) {
        bool any = false;
        for (size_t m = 0; m < MODE_COUNT; m++) {
            any = any || report->phases[i].rows[m].replay_state != ROW_REPLAY_NONE;
        }
        count += any;
    }
    return count;
}

/* ---- the ranking ---- */

static void put_ranking_row(Text *text, const ReportPhase *phase)
{
    const ReportRow *original = &phase->rows[MODE_ORIGINAL];
    const ReportRow *best = report_best(phase);
    const Geometry *geometry = &phase->entry->geometry;
    uint32_t number = phase->entry->phase->number;
    text_printf(text, "<tr data-phase=\"%" PRIu32 "\">", number);
    put_number_cell(text, phase->rank, true, false);
    text_printf(text,
                "<th scope=\"row\" class=\"n\" data-v=\"%" PRIu32 "\"><a href=\"#phase-%" PRIu32 "\">%" PRIu32
                "</a></th><td class=\"label\"><span>",
                number, number, number);
    put_cut(text, phase->label == NULL ? "" : phase->label, LABEL_BYTES_SHOWN);
    text_append(text, "</span></td>");
    put_number_cell(text, geometry->maximum_endpoint_fragments, true, false);
    if (best == NULL) {
        text_append(text, "<td>none is valid</td><td></td>");
    } else {
        uint64_t after = best->summary.geometry.maximum_endpoint_fragments;
        text_printf(text, "<td>%s</td><td class=\"n\" data-v=\"%" PRIu64 "\">", mode_name(best->mode), after);
        number_append(text, after);
        picture_before_after(text, geometry->maximum_endpoint_fragments, after,
                             "Fragments at the busiest endpoint");
        text_append(text, "</td>");
    }
    bool before_known = original->selected && report_row_replayed(original);
    bool after_known = best != NULL && report_row_replayed(best);
    put_number_cell(text, row_bytes(original), before_known, false);
    put_number_cell(text, after_known ? row_bytes(best) : 0, after_known, false);
    put_number_cell(text, original->replay.horizon_cycles, before_known, false);
    put_number_cell(text, after_known ? best->replay.horizon_cycles : 0, after_known, false);
    put_number_cell(text, geometry->transfers, true, false);
    put_number_cell(text, phase->tail_transfers, phase->dependencies_known, false);
    text_append(text, "</tr>\n");
}

static void put_ranking(Text *text, const Report *report)
{
    text_append(
        text,
        "<section aria-labelledby=\"ranking\"><h2 id=\"ranking\">Ranking</h2>"
        "<p class=\"quiet\">Worst first: by fragments at the busiest endpoint. <em>Best</em> is the valid "
        "mode with the smallest largest row where all were replayed, else with the fewest fragments; what "
        "it copies locally comes on top and stands in the phase's own table. Of two bars the upper one is "
        "before, the lower one after.</p>"
        "<p><label>Filter by number or label <input id=\"filter\" type=\"search\" "
        "autocomplete=\"off\"></label> <output id=\"count\" for=\"filter\" class=\"quiet\"></output></p>"
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table of phases\">"
        "<table id=\"phases\" class=\"sortable\"><caption>");
    number_append(text, report->phase_count);
    text_append(text, " phases, before and after</caption><thead><tr>");
    put_head(text, "Rank", "n", " aria-sort=\"ascending\"");
    put_head(text, "Phase", "n", " data-up=\"1\"");
    put_head(text, "Label", "", "");
    put_head(text, "Fragments at the busiest endpoint", "n", "");
    put_head(text, "Best", "", "");
    put_head(text, "Fragments at the busiest endpoint after", "n", "");
    put_head(text, "Row bytes before", "n", "");
    put_head(text, "Row bytes after", "n", "");
    put_head(text, "Cycles before", "n", "");
    put_head(text, "Cycles after", "n", "");
    put_head(text, "Transfers", "n", "");
    put_head(text, "Dependency tail", "n", "");
    text_append(text, "</tr></thead><tbody>\n");
    for (size_t i = 0; i < report->phase_count; i++) {
        put_ranking_row(text, &report->phases[i]);
    }
    text_append(text, "</tbody></table></div></section>\n");
}

/* ---- one phase ---- */

static void put_notes(Text *text, const ReportRow *row, const ReportRow *best)
{
    char reason[200];
    const ModeFigures *figures = &row->summary.figures;
    if (row == best) {
        text_append(text, "<strong>\xe2\x98\x85 best</strong> ");
    }
    if (!row->equivalence.valid) {
        text_append(text, "<span class=\"warn\"><strong>invalid:</strong> ");
        put_html(text, report_invalid_reason(row, reason));
        text_append(text, "</span> ");
    }
    if (!figures->replay_address_ranges_valid) {
        text_append(text,
                    "<span class=\"warn\">staging leaves the address ranges of the replay: analysed, not "
                    "replayed.</span> ");
    } else if (row->replay_state == ROW_REPLAY_REFUSED) {
        text_append(text, "<span class=\"warn\">not replayed: ");
        put_html(text, row->replay_refusal);
        text_append(text, "</span> ");
    } else if (row->replay_state == ROW_REPLAY_DONE && !row->replay.invariants_pass) {
        text_append(text, "<span class=\"warn\"><strong>replay FAILED its invariants:</strong> ");
        put_html(text, row->replay.first_fault);
        text_append(text, "</span> ");
    }
    if (report_row_replayed(row) && row->replay.paired64_transfers != 0) {
        number_append(text, row->replay.paired64_transfers);
        text_append(text, " Paired64 transfers replayed as 32-bit ones. ");
    }
    if (figures->staging_alias) {
        text_append(text, "Staging range meets captured addresses: the replay may show hazards that a real "
                          "placement would not have. ");
    }
}

static void put_mode_row(Text *text, const ReportRow *row, const ReportRow *best)
{
    const char *name = mode_name(row->mode);
    if (row->reason != NULL) {
        text_printf(
            text,
            "<tr class=\"refused\"><th scope=\"row\">%s</th><td colspan=\"11\" class=\"warn\">refused: ",
            name);
        put_html(text, row->reason);
        text_append(text, "</td></tr>\n");
        return;
    }
    const Geometry *geometry = &row->summary.geometry;
    const ModeFigures *figures = &row->summary.figures;
    bool struck = !row->equivalence.valid, replayed = report_row_replayed(row);
    text_printf(text, "<tr><th scope=\"row\">%s</th>", name);
    put_number_cell(text, geometry->transfers, true, struck);
    put_number_cell(text, geometry->receive_fragments, true, struck);
    put_number_cell(text, geometry->maximum_endpoint_fragments, true, struck);
    put_number_cell(text, row_bytes(row), replayed, struck);
    put_number_cell(text, row->replay.horizon_cycles, replayed, struck);
    put_number_cell(text, figures->source_staging_max_bytes, true, struck);
    put_number_cell(text, figures->destination_staging_max_bytes, true, struck);
    put_number_cell(text, figures->copy_cycles_floor, true, struck);
    put_number_cell(text, figures->local_copy_runs, true, struck);
    put_number_cell(text, figures->affine_copy_loops, true, struck);
    text_append(text, "<td class=\"notes\">");
    put_notes(text, row, best);
    text_append(text, "</td></tr>\n");
}

static void put_mode_table(Text *text, const ReportPhase *phase, const ReportRow *best)
{
    uint32_t number = phase->entry->phase->number;
    text_printf(text,
                "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Modes of phase %" PRIu32
                "\"><table class=\"sortable\"><caption>Modes of phase %" PRIu32 "</caption><thead><tr>",
                number, number);
    put_head(text, "Mode", "", "");
    put_head(text, "Transfers", "n", "");
    put_head(text, "Receive fragments", "n", "");
    put_head(text, "Fragments at the busiest endpoint", "n", "");
    put_head(text, "Largest row, bytes", "n", "");
    put_head(text, "Cycles", "n", "");
    put_head(text, "Source staging, bytes", "n", "");
    put_head(text, "Receiver staging, bytes", "n", "");
    put_head(text, "Copy cycles, floor", "n", "");
    put_head(text, "Copy runs", "n", "");
    put_head(text, "Affine copy loops", "n", "");
    text_append(text, "<th scope=\"col\">Notes</th></tr></thead><tbody>\n");
    for (size_t m = 0; m < MODE_COUNT; m++) {
        if (phase->rows[m].selected) {
            put_mode_row(text, &phase->rows[m], best);
        }
    }
    text_append(text, "</tbody></table></div>\n");
}

typedef enum Measure { MEASURE_FRAGMENTS, MEASURE_ROW_BYTES, MEASURE_CYCLES } Measure;

/* The bars of what is known; a picture of a single bar would say nothing. */
static void put_bars(Text *text, const ReportPhase *phase, const ReportRow *best, Measure measure,
                     const char *title)
{
    Bar bars[MODE_COUNT];
    size_t count = 0;
    for (size_t m = 0; m < MODE_COUNT; m++) {
        const ReportRow *row = &phase->rows[m];
        if (!row->selected || row->reason != NULL ||
            (measure != MEASURE_FRAGMENTS && !report_row_replayed(row))) {
            continue;
        }
        bars[count++] =
            (Bar){.name = mode_name(row->mode),
                  .value = measure == MEASURE_FRAGMENTS   ? row->summary.geometry.maximum_endpoint_fragments
                           : measure == MEASURE_ROW_BYTES ? row_bytes(row)
                                                          : row->replay.horizon_cycles,
                  .invalid = !row->equivalence.valid,
                  .best = row == best};
    }
    if (count > 1) {
        picture_bars(text, title, bars, count);
    }
}

static const uint32_t *map_values(const ReportRow *row, bool row_bytes_known)
{
    return row_bytes_known ? row->tile_row_bytes : row->tile_fragments;
}

/* The greatest value of any tile in any mode. */
static uint32_t map_scale(const Report *report, const ReportPhase *phase, bool row_bytes_known)
{
    uint32_t scale = 0;
    for (size_t m = 0; m < MODE_COUNT; m++) {
        const uint32_t *values = map_values(&phase->rows[m], row_bytes_known);
        for (size_t tile = 0; values != NULL && tile < report->capture->tile_count; tile++) {
            scale = values[tile] > scale ? values[tile] : scale;
        }
    }
    return scale;
}

static void put_map_key(Text *text, uint32_t scale, const char *unit)
{
    text_append(text,
                "<p class=\"quiet\">The fabric in its physical shape, as far as the capture has tiles. One "
                "scale for all modes: <svg class=\"key\" viewBox=\"0 0 9 1\" "
                "preserveAspectRatio=\"none\" aria-hidden=\"true\">");
    for (int shade = 0; shade <= 8; shade++) {
        text_printf(text, "<rect class=\"t%d\" x=\"%d\" width=\"1\" height=\"1\"/>", shade, shade);
    }
    text_append(text, "</svg> from a tile that takes no part to ");
    number_append(text, scale);
    text_printf(text, " %s.</p>", unit);
}

/* Of row bytes, or of fragments where nothing of the phase was replayed. */
static void put_maps(Text *text, const Report *report, const ReportPhase *phase)
{
    bool row_bytes_known = map_scale(report, phase, true) != 0;
    uint32_t scale = map_scale(report, phase, row_bytes_known);
    if (scale == 0) {
        return;
    }
    const char *what = row_bytes_known ? "Row bytes" : "Fragments";
    text_printf(text, "<h4>%s of every tile</h4>", what);
    put_map_key(text, scale, row_bytes_known ? "bytes" : "fragments");
    text_append(text, "<div class=\"pictures\">");
    for (size_t m = 0; m < MODE_COUNT; m++) {
        const ReportRow *row = &phase->rows[m];
        const uint32_t *values = map_values(row, row_bytes_known);
        if (values != NULL) {
            char name[80];
            snprintf(name, sizeof name, "%s%s", mode_name(row->mode),
                     row->equivalence.valid ? "" : " (invalid)");
            picture_tiles(text, values, report->capture->tile_count, scale, name, what);
        }
    }
    text_append(text, "</div>");
}

static void put_dependencies(Text *text, const ReportPhase *phase)
{
    text_append(text, "<p>");
    if (!phase->dependencies_known) {
        text_append(text, "<span class=\"warn\">Dependencies are not known: ");
        put_html(text, phase->refusal);
        text_append(text, ".</span></p>");
        return;
    }
    if (phase->edges == 0 && !phase->read_write_overlap) {
        text_append(text, "No dependency inside the phase, and no read meets a write.</p>");
        return;
    }
    number_append(text, phase->edges);
    text_append(text, phase->edges == 1 ? " dependency" : " dependencies");
    text_append(text, phase->read_write_overlap ? ", reads meet writes" : "");
    text_append(text, phase->write_write_overlap ? ", writes overlap" : "");
    text_append(text, ". Independent prefix: ");
    number_append(text, phase->prefix_transfers);
    text_append(text, " transfers; dependency tail: ");
    number_append(text, phase->tail_transfers);
    text_append(text, "; greatest depth: ");
    number_append(text, phase->maximum_depth);
    text_append(text, ".</p>");
}

static void put_feasibility(Text *text, const ReportPhase *phase)
{
    const Feasibility *feasibility = &phase->feasibility;
    const TileIdentity *busiest = &feasibility->busiest_identity;
    if (!phase->dependencies_known || feasibility->busiest_receiver < 0) {
        return;
    }
    text_append(text, "<p>Receivers in place (");
    number_append(text, feasibility->transfers);
    text_append(text, " of ");
    number_append(text, phase->entry->geometry.transfers);
    text_append(text, " transfers): of ");
    number_append(text, feasibility->receivers);
    text_append(text, " receivers, ");
    number_append(text, feasibility->contiguous);
    text_append(text, " are written contiguously and ");
    number_append(text, feasibility->identity);
    text_append(text, " are an identity, which needs no scatter.");
    if (busiest->contiguous && !busiest->identity) {
        text_printf(text, " The busiest, tile %" PRId32 ", would move ", feasibility->busiest_receiver);
        number_append(text, busiest->words_moved);
        text_append(text, " of ");
        number_append(text, busiest->words);
        text_append(text, " words in place");
        if (busiest->transposition.rows != 0) {
            text_printf(text,
                        ": a transposition of %" PRIu32 " rows and %" PRIu32 " columns of %" PRIu32
                        "-word elements, no bitmap needed",
                        busiest->transposition.rows, busiest->transposition.columns,
                        busiest->transposition.element_words);
        } else {
            text_append(text, ", with a bitmap of ");
            number_append(text, busiest->bitmap_bytes);
            text_append(text, " bytes");
        }
        text_append(text, busiest->padded ? ", after closing the holes that rounding left." : ".");
    }
    text_append(text, "</p>");
}

static void put_summary(Text *text, const ReportPhase *phase, const ReportRow *best)
{
    const Geometry *geometry = &phase->entry->geometry;
    text_printf(text, "<summary><h3><strong>Phase %" PRIu32 "</strong> ", phase->entry->phase->number);
    put_cut(text, phase->label == NULL ? "" : phase->label, LABEL_BYTES_SHOWN);
    text_append(text, "</h3> <span class=\"quiet\">");
    number_append(text, geometry->transfers);
    text_append(text, " transfers, at most ");
    number_append(text, geometry->maximum_endpoint_fragments);
    text_append(text, " fragments at one endpoint");
    const ReportRow *original = &phase->rows[MODE_ORIGINAL];
    if (best != NULL && best->mode != MODE_ORIGINAL && report_row_replayed(best) &&
        report_row_replayed(original)) {
        text_printf(text, "; %s: largest row ", mode_name(best->mode));
        number_append(text, row_bytes(original));
        text_append(text, " \xe2\x86\x92 ");
        number_append(text, row_bytes(best));
        text_append(text, " bytes");
        put_change(text, row_bytes(original), row_bytes(best));
    }
    text_append(text, "</span></summary>");
}

static void put_phase(Text *text, const Report *report, const ReportPhase *phase, bool open)
{
    const ReportRow *best = report_best(phase);
    text_printf(text, "<details id=\"phase-%" PRIu32 "\"%s>", phase->entry->phase->number,
                open ? " open" : "");
    put_summary(text, phase, best);
    if (phase->label != NULL && strlen(phase->label) > LABEL_BYTES_SHOWN) {
        text_append(text, "<p style=\"overflow-wrap:anywhere\">");
        put_html(text, phase->label);
        text_append(text, "</p>");
    }
    put_dependencies(text, phase);
    put_feasibility(text, phase);
    text_append(text, "<div class=\"pictures\">");
    put_bars(text, phase, best, MEASURE_FRAGMENTS, "Fragments at the busiest endpoint");
    put_bars(text, phase, best, MEASURE_ROW_BYTES, "Largest row, bytes");
    put_bars(text, phase, best, MEASURE_CYCLES, "Cycles");
    text_append(text, "</div>");
    put_mode_table(text, phase, best);
    put_maps(text, report, phase);
    text_append(text, "</details>\n");
}

/* ---- the page ---- */

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

static void put_header(Text *text, const Report *report)
{
    const Capture *capture = report->capture;
    const char *name = file_name(capture->path);
    text_append(text, "<header><h1>Exchange phases of ");
    put_cut(text, name, LABEL_BYTES_SHOWN);
    text_append(text, "</h1><p>");
    if (name != capture->path) {
        text_append(text, "<span class=\"path\">");
        put_html(text, capture->path);
        text_append(text, "</span>: ");
    }
    number_append(text, capture->transfers);
    text_append(text, " transfers in ");
    number_append(text, capture->phase_count);
    text_append(text, " phases on ");
    number_append(text, capture->tile_count);
    text_printf(text, " tiles, schema version %" PRIu32 ". ", capture->schema_version);
    number_append(text, report->phase_count);
    text_append(text, " phases analysed, ");
    number_append(text, replayed_phases(report));
    text_printf(text, " replayed (streams of %" PRIu32 " words%s).</p></header>",
                report->options.stream_words, report->options.balance ? ", balanced" : ", not balanced");
}

static void put_limits(Text *text)
{
    text_append(
        text, "<section aria-labelledby=\"limits\"><h2 id=\"limits\">What these figures do not say</h2><ul>");
    for (const char *const *limit = report_limits; *limit != NULL; limit++) {
        text_printf(text, "<li>%s</li>", *limit);
    }
    text_append(text, "</ul></section>");
}

void page_append(const Report *report, Text *text)
{
    text_append(text,
                "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
                "content=\"width=device-width,initial-scale=1\"><meta "
                "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
                "'unsafe-inline'; script-src 'unsafe-inline'\"><title>exscope: ");
    put_cut(text, file_name(report->capture->path), LABEL_BYTES_SHOWN);
    text_append(text, "</title><style>");
    text_append(text, page_style);
    text_append(text, "</style></head><body>\n");
    put_header(text, report);
    text_append(text, "<main>\n");
    put_ranking(text, report);
    text_append(text, "<section aria-labelledby=\"single\"><h2 id=\"single\">Phase by phase</h2>\n");
    for (size_t i = 0; i < report->phase_count; i++) {
        put_phase(text, report, &report->phases[i], i == 0);
    }
    text_append(text, "</section>\n");
    put_limits(text);
    text_append(text, "</main>\n<script>");
    text_append(text, page_script);
    text_append(text, "</script></body></html>\n");
}
