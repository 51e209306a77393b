/* A list of transfers on the screen. */
#ifndef EXSCOPE_TUI_TRANSFER_TABLE_H
#define EXSCOPE_TUI_TRANSFER_TABLE_H

#include "tui/list.h"
#include "tui/transfers.h"

/* `phase` is the one that the list is about: of its mode. The list is ready. */
void transfer_table_draw(List *shown, Grid *grid, Rect area, const Phase *phase, const TransferList *list,
                         bool focused);

#endif
