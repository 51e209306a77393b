/* A text that is scrolled and searched. */
#ifndef EXSCOPE_TUI_PAGER_H
#define EXSCOPE_TUI_PAGER_H

#include "base/vec.h"
#include "tui/grid.h"
#include "tui/keymap.h"

typedef struct Pager {
    Text text;
    VEC(size_t) starts; /* of each line, and the end */
    uint64_t top;
    int columns; /* of the longest line */
    int shift;   /* columns that are moved out to the left */
    Rect body;   /* as last drawn */
    char find[100];
} Pager;

/* Takes a copy of the text, from its beginning. */
bool pager_set(Pager *pager, const char *text, Error *error);
void pager_free(Pager *pager);
uint64_t pager_lines(const Pager *pager);

void pager_draw(Pager *pager, Grid *grid, Rect area);

/* Moves; false when the action is none of them. */
bool pager_act(Pager *pager, Action action);
void pager_scroll(Pager *pager, int rows);

/* Goes to the first line at or after the top one that contains the text (upper and lower case alike); with
 * `step` 1 or -1 to the next one or the one before, round the ends. False when no line does. */
bool pager_find(Pager *pager, const char *text);
bool pager_find_again(Pager *pager, int step);

#endif
