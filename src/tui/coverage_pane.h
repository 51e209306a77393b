/* What one receiver holds when the phase is over: coverage, gaps, identity and permutation. */
#ifndef EXSCOPE_TUI_COVERAGE_PANE_H
#define EXSCOPE_TUI_COVERAGE_PANE_H

#include "tui/app.h"
#include "tui/list.h"

enum { COVERAGE_LINES_MAX = 16, COVERAGE_LINE_BYTES = 300 };

/* Filled for each frame. */
typedef struct CoveragePane {
    char lines[COVERAGE_LINES_MAX][COVERAGE_LINE_BYTES];
    int line_count;
    const CoverageGap *gaps; /* listed below the lines */
    size_t gap_count;
} CoveragePane;

/* Of the selected tile: in the whole phase, or in the independent prefix where the phase has a tail. */
void coverage_pane_draw(Tui *tui, CoveragePane *pane, List *shown, Selection selection, bool whole_scope,
                        Rect area, bool focused);

#endif
