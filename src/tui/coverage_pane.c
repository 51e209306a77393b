#include "config.h"

#include "tui/coverage_pane.h"

#include <stdarg.h>
#include <stdio.h>

static void add_line(CoveragePane *pane, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add_line(CoveragePane *pane, const char *format, ...)
{
    if (pane->line_count < COVERAGE_LINES_MAX) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(pane->lines[pane->line_count++], COVERAGE_LINE_BYTES, format, arguments);
        va_end(arguments);
    }
}

static void add_identity(CoveragePane *pane, const TileIdentity *identity)
{
    if (identity->identity) {
        add_line(pane, "identity: all %s words are staged where they end; no scatter is needed",
                 figure_count(identity->words).text);
        return;
    }
    add_line(pane, "identity words   %s of %s", figure_count(identity->identity_words).text,
             figure_count(identity->words).text);
    add_line(pane, "permutation cycles %s, longest %s words, %s words move",
             figure_count(identity->cycles).text, figure_count(identity->longest_cycle).text,
             figure_count(identity->words_moved).text);
    if (identity->transposition.rows > 0) {
        const Transposition *t = &identity->transposition;
        add_line(pane, "transposition    %u x %u of %u-word elements: its cycles need no bitmap",
                 (unsigned)t->rows, (unsigned)t->columns, (unsigned)t->element_words);
    } else {
        add_line(pane, "rotating it      one temporary word and a bitmap of %s B",
                 figure_count(identity->bitmap_bytes).text);
    }
    if (identity->padded) {
        add_line(pane, "padded           rounding left holes: rotating needs a compaction first");
    }
}

static void read_coverage(Tui *tui, CoveragePane *pane, Selection selection, bool whole_scope)
{
    ResultKey key = {.entry = selection.entry, .kind = RESULT_COVERAGE, .scope = SCOPE_PHASE};
    Error error;
    pane->line_count = 0;
    pane->gap_count = 0;
    if (!whole_scope) {
        const Dependencies *dependencies = tui_dependencies(tui, selection.entry, MODE_ORIGINAL, SOON);
        if (dependencies == NULL) {
            add_line(pane, "looking at dependencies…");
            return;
        }
        key.scope = scope_default(dependencies);
    }
    const Coverage *coverage = tui_result(tui, &key, USUAL);
    if (coverage == NULL) {
        add_line(pane, "%s", tui_failed(tui, &key, &error) ? error.message : "computing…");
        return;
    }
    const TileCoverage *tile = &coverage->tiles[selection.tile];
    add_line(pane, "of the %s phase: %s of %s transfers%s",
             coverage->transfers < selection.entry->phase->transfers ? "independent prefix of the captured"
                                                                     : "captured",
             figure_count(coverage->transfers).text, figure_count(selection.entry->phase->transfers).text,
             coverage->transfers < selection.entry->phase->transfers ? " (c: all)" : "");
    if (tile->payload_bytes == 0) {
        add_line(pane, "this tile receives nothing");
        return;
    }
    add_line(pane, "payload          %s B in %s interval%s, %s .. %s", figure_count(tile->payload_bytes).text,
             figure_count(tile->intervals).text, tile->intervals == 1 ? "" : "s",
             figure_address(tile->low).text, figure_address(tile->high).text);
    add_line(pane, "union            %s B, overlap %s B", figure_count(tile->union_bytes).text,
             figure_count(tile->overlap_bytes).text);
    add_line(pane, tile->contiguous ? "contiguous       yes" : "contiguous       no");
    key.kind = RESULT_IDENTITY;
    const Identity *identity = tile->contiguous ? tui_result(tui, &key, USUAL) : NULL;
    if (identity != NULL && identity->tiles[selection.tile].contiguous) {
        add_identity(pane, &identity->tiles[selection.tile]);
    } else if (tile->contiguous) {
        add_line(pane, "identity         computing…");
    }
    if (tile->intervals > 1) {
        add_line(pane, "gaps (each needs its own liveness check):");
        pane->gaps = coverage->gaps + tile->gap_start;
        pane->gap_count = tile->intervals - 1;
    }
}

static void put_coverage_cell(void *context, uint64_t index, int column, ListCell *cell)
{
    const CoveragePane *pane = context;
    (void)column;
    if (index < (uint64_t)pane->line_count) {
        snprintf(cell->text, sizeof cell->text, "%s", pane->lines[index]);
    } else {
        const CoverageGap *gap = &pane->gaps[index - (uint64_t)pane->line_count];
        snprintf(cell->text, sizeof cell->text, "  %8s .. %-8s %s B", figure_address(gap->address).text,
                 figure_address(gap->address + gap->bytes).text, figure_count(gap->bytes).text);
        cell->style = LOOK_GAP;
    }
}

void coverage_pane_draw(Tui *tui, CoveragePane *pane, List *shown, Selection selection, bool whole_scope,
                        Rect area, bool focused)
{
    static const ListColumn columns[] = {{"receive coverage and permutation", 20, false, true, false}};
    read_coverage(tui, pane, selection, whole_scope);
    ListModel model = {.columns = columns,
                       .column_count = 1,
                       .rows = (uint64_t)pane->line_count + pane->gap_count,
                       .cell = put_coverage_cell,
                       .context = pane};
    list_draw(shown, &model, &tui->grid, area, focused);
}
