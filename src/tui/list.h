/* A list with columns, a cursor and a scroll position. It asks only for the cells that show, so a list may
 * have millions of rows. */
#ifndef EXSCOPE_TUI_LIST_H
#define EXSCOPE_TUI_LIST_H

#include "tui/grid.h"
#include "tui/keymap.h"

enum { LIST_CELL_BYTES = 320 };

typedef struct ListCell {
    char text[LIST_CELL_BYTES];
    Style style;
    double bar, bar_maximum; /* a bar instead of a text when bar_maximum > 0 */
    bool spans;              /* the text goes on over the columns to its right */
} ListCell;

typedef struct ListColumn {
    const char *title;
    int width;   /* in columns, at least the title's; of the growing column: its least width */
    bool right;  /* aligned */
    bool grows;  /* takes what is left; at most one */
    bool sorted; /* carries the sort mark */
} ListColumn;

typedef struct ListModel {
    const ListColumn *columns;
    int column_count;
    int frozen;   /* the first so many columns stay when the rest is moved aside */
    bool reverse; /* the sort mark points up */
    uint64_t rows;
    void (*cell)(void *context, uint64_t row, int column, ListCell *cell);
    void *context;
    const char *empty; /* a sentence for a list without rows */
} ListModel;

typedef struct List {
    uint64_t cursor, top;
    int shift; /* columns after the frozen ones that are moved out to the left */
    /* as last drawn */
    Rect body; /* the rows, without the heading */
    uint64_t rows;
    bool more_left, more_right;
} List;

/* Draws the heading and the rows that fit, after moving the cursor and the scroll position into range. */
void list_draw(List *list, const ListModel *model, Grid *grid, Rect area, bool focused);

/* Cursor and sideways moves; false when the action is none of them. */
bool list_act(List *list, Action action);

void list_go(List *list, uint64_t row);

/* The row at a place of the screen; false when there is none. */
bool list_row_at(const List *list, int row, int column, uint64_t *index);

/* Scrolls by rows, taking the cursor along at the edges. */
void list_scroll(List *list, int rows);

#endif
