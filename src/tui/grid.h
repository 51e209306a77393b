/* The screen as a grid of cells, before any terminal: what screens draw on, what `screen FILE` writes, and
 * what tests compare. The terminal (terminal.h) only copies it. */
#ifndef EXSCOPE_TUI_GRID_H
#define EXSCOPE_TUI_GRID_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

/* Looks, named after what they mean; terminal.c decides how each appears with 256, 8 or no colours. Every
 * look that carries meaning also shows in the text or by an attribute, so that nothing hangs on colour alone.
 */
typedef enum Look {
    LOOK_NORMAL,
    LOOK_TITLE,   /* the bar above */
    LOOK_HEADING, /* column and pane titles */
    LOOK_CURSOR,  /* the selected row of the pane that has the keys */
    LOOK_MARKED,  /* the selected row of another pane */
    LOOK_DIM,     /* refused, unknown, secondary */
    LOOK_STRONG,  /* the figure one came for */
    LOOK_BEST,    /* the best value of a column */
    LOOK_BETTER,  /* a delta that helps */
    LOOK_WORSE,   /* a delta that hurts */
    LOOK_INVALID, /* must not be believed */
    LOOK_WARNING,
    LOOK_KEY,      /* a key in the key bar */
    LOOK_KEY_TEXT, /* what it does */
    LOOK_BORDER,
    LOOK_SEND,
    LOOK_RECEIVE,
    LOOK_GAP,
    LOOK_COUNT
} Look;

enum {
    SHADE_MOST = 8,     /* shade 0: nothing there; 1 .. 8: from least to most */
    SHADE_SELECTED = 9, /* the selected one */
    SHADES = 10,
    STYLE_SHADES = 64,   /* STYLE_SHADES + upper * SHADES + lower: two shades in one cell */
    GLYPH_BYTES = 13,    /* of one character with its combining marks, closing NUL included */
    GRID_SIDE_MAX = 1000 /* rows or columns: beyond any terminal */
};

/* A Look, or two shades. */
typedef uint16_t Style;

static inline Style style_shades(unsigned upper, unsigned lower)
{
    return (Style)(STYLE_SHADES + upper * SHADES + lower);
}

typedef struct GridCell {
    char text[GLYPH_BYTES]; /* UTF-8, "" in the right half of a wide character */
    uint8_t width;          /* 1 or 2 columns; 0 in the right half of a wide character */
    Style style;
} GridCell;

typedef struct Rect {
    int row, column, height, width;
} Rect;

typedef struct Grid {
    int rows, columns;
    GridCell *cells; /* [rows * columns] */
    size_t capacity;
    bool utf8;                     /* false: everything is drawn in ASCII */
    int cursor_row, cursor_column; /* where the terminal's cursor shows; row -1: hidden */
} Grid;

/* Sets the size and blanks every cell. Sizes are 1 .. GRID_SIDE_MAX. Fails for want of memory, the old grid
 * stays. */
bool grid_resize(Grid *grid, int rows, int columns, Error *error);
void grid_clear(Grid *grid);
void grid_free(Grid *grid);

static inline GridCell *grid_cell(Grid *grid, int row, int column)
{
    return &grid->cells[(size_t)row * (size_t)grid->columns + (size_t)column];
}

/* Columns that a character takes: 0 (combining), 1 or 2. Control characters count as 0: they are never drawn.
 */
int grid_character_width(uint32_t code_point);

/* Columns that a text takes once its control characters are made visible. */
int grid_text_width(const char *text);

/* Draws a text from (row, column) into at most `width` columns, clipped to the grid; one that does not fit
 * ends in an ellipsis. Control characters are made visible. Returns the columns used. */
int grid_text(Grid *grid, int row, int column, int width, Style style, const char *text);
int grid_print(Grid *grid, int row, int column, int width, Style style, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* The same, ending at column + width. */
void grid_text_right(Grid *grid, int row, int column, int width, Style style, const char *text);

/* Lines (ended by '\n') wrapped at blanks; a line that goes on is indented. Returns the rows used, at most
 * the rectangle's. */
int grid_wrapped(Grid *grid, Rect rect, Style style, const char *text);

/* One character from this program's own tables into a cell. */
void grid_put(Grid *grid, int row, int column, Style style, const char *character);

/* Blanks, or changes only the style of, a rectangle. */
void grid_fill(Grid *grid, Rect rect, Style style);
void grid_restyle(Grid *grid, Rect rect, Style style);

/* A frame with a title in its upper edge (NULL: none). */
void grid_box(Grid *grid, Rect rect, Style style, const char *title);

/* A horizontal line with a title. */
void grid_rule(Grid *grid, int row, int column, int width, Style style, const char *title);

/* A horizontal bar of value/maximum in `width` columns, in eighths of a column (ASCII: whole columns). A
 * value above 0 always shows. */
void grid_bar(Grid *grid, int row, int column, int width, Style style, double value, double maximum);

/* Appends the grid as lines of text without blanks at their ends. */
void grid_append_text(const Grid *grid, Text *text);

#endif
