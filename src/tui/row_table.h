/* The row of one tile on the screen, one instruction a line. */
#ifndef EXSCOPE_TUI_ROW_TABLE_H
#define EXSCOPE_TUI_ROW_TABLE_H

#include "tui/list.h"
#include "tui/tile_replay.h"

void row_table_draw(List *shown, Grid *grid, Rect area, const TileReplay *replay, bool focused);

#endif
