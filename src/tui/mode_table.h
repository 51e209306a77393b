/* The modes of a phase side by side. */
#ifndef EXSCOPE_TUI_MODE_TABLE_H
#define EXSCOPE_TUI_MODE_TABLE_H

#include "tui/list.h"
#include "tui/mode_rows.h"

enum { MODE_TABLE_ROWS = MODE_COUNT + 1, MODE_COLUMNS_MAX = 30 };

typedef enum ModeColumnKind { SHOW_NAME, SHOW_VERDICT, SHOW_VALUE, SHOW_DELTA, SHOW_PERCENT } ModeColumnKind;

typedef struct ModeColumn {
    ModeColumnKind kind;
    FigureId figure;
} ModeColumn;

typedef struct ModeTable {
    List list;
    ModeRow rows[MODE_COUNT]; /* filled by mode_rows_read() */
    ModeColumn kinds[MODE_COLUMNS_MAX];
    ListColumn columns[MODE_COLUMNS_MAX];
    int column_count;
} ModeTable;

/* `deltas` chooses how much of the changes against original shows. */
void mode_table_draw(ModeTable *table, Grid *grid, Rect area, Mode selected, Deltas deltas, bool focused);

#endif
