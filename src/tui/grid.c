#include "config.h"

#include "tui/grid.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* ---- how wide a character is ---- */

typedef struct CodeRange {
    uint32_t first, last;
} CodeRange;

/* Combining marks, and joiners that text_append_visible() lets through. */
static const CodeRange combining[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd},   {0x05bf, 0x05bf},   {0x05c1, 0x05c2},
    {0x05c4, 0x05c5}, {0x05c7, 0x05c7}, {0x0610, 0x061a},   {0x064b, 0x065f},   {0x0670, 0x0670},
    {0x06d6, 0x06dc}, {0x06df, 0x06e4}, {0x06e7, 0x06e8},   {0x06ea, 0x06ed},   {0x0711, 0x0711},
    {0x0730, 0x074a}, {0x07a6, 0x07b0}, {0x07eb, 0x07f3},   {0x0816, 0x0819},   {0x081b, 0x0823},
    {0x0825, 0x0827}, {0x0829, 0x082d}, {0x0859, 0x085b},   {0x08d3, 0x0902},   {0x093a, 0x093a},
    {0x093c, 0x093c}, {0x0941, 0x0948}, {0x094d, 0x094d},   {0x0951, 0x0957},   {0x0962, 0x0963},
    {0x0981, 0x0981}, {0x09bc, 0x09bc}, {0x09c1, 0x09c4},   {0x09cd, 0x09cd},   {0x0a01, 0x0a02},
    {0x0a3c, 0x0a3c}, {0x0a41, 0x0a42}, {0x0a47, 0x0a4d},   {0x0abc, 0x0abc},   {0x0ac1, 0x0acd},
    {0x0b3c, 0x0b3c}, {0x0b4d, 0x0b4d}, {0x0bcd, 0x0bcd},   {0x0c3e, 0x0c40},   {0x0c46, 0x0c56},
    {0x0cbc, 0x0cbc}, {0x0ccc, 0x0ccd}, {0x0d41, 0x0d44},   {0x0d4d, 0x0d4d},   {0x0e31, 0x0e31},
    {0x0e34, 0x0e3a}, {0x0e47, 0x0e4e}, {0x0eb1, 0x0eb1},   {0x0eb4, 0x0ebc},   {0x0ec8, 0x0ecd},
    {0x0f18, 0x0f19}, {0x0f71, 0x0f7e}, {0x0f80, 0x0f84},   {0x102d, 0x1030},   {0x1032, 0x1037},
    {0x1039, 0x103a}, {0x135d, 0x135f}, {0x1712, 0x1714},   {0x17b4, 0x17b5},   {0x17b7, 0x17bd},
    {0x17c6, 0x17c6}, {0x17c9, 0x17d3}, {0x1ab0, 0x1aff},   {0x1dc0, 0x1dff},   {0x20d0, 0x20f0},
    {0x302a, 0x302d}, {0x3099, 0x309a}, {0xa66f, 0xa672},   {0xa8e0, 0xa8f1},   {0xfb1e, 0xfb1e},
    {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0x1d167, 0x1d169}, {0x1f3fb, 0x1f3ff},
};

/* East Asian wide and fullwidth forms, and pictures that terminals draw two columns wide. */
static const CodeRange wide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},   {0x23e9, 0x23ec},   {0x23f0, 0x23f0},
    {0x23f3, 0x23f3},   {0x25fd, 0x25fe},   {0x2614, 0x2615},   {0x2648, 0x2653},   {0x267f, 0x267f},
    {0x2693, 0x2693},   {0x26a1, 0x26a1},   {0x26aa, 0x26ab},   {0x26bd, 0x26be},   {0x26c4, 0x26c5},
    {0x26ce, 0x26ce},   {0x26d4, 0x26d4},   {0x26ea, 0x26ea},   {0x26f2, 0x26f3},   {0x26f5, 0x26f5},
    {0x26fa, 0x26fa},   {0x26fd, 0x26fd},   {0x2705, 0x2705},   {0x270a, 0x270b},   {0x2728, 0x2728},
    {0x274c, 0x274c},   {0x274e, 0x274e},   {0x2753, 0x2755},   {0x2757, 0x2757},   {0x2795, 0x2797},
    {0x27b0, 0x27b0},   {0x27bf, 0x27bf},   {0x2b1b, 0x2b1c},   {0x2b50, 0x2b50},   {0x2b55, 0x2b55},
    {0x2e80, 0x303e},   {0x3041, 0x33ff},   {0x3400, 0x4dbf},   {0x4e00, 0x9fff},   {0xa000, 0xa4cf},
    {0xa960, 0xa97f},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe10, 0xfe19},   {0xfe30, 0xfe6f},
    {0xff00, 0xff60},   {0xffe0, 0xffe6},   {0x16fe0, 0x18aff}, {0x1b000, 0x1b2ff}, {0x1f004, 0x1f004},
    {0x1f0cf, 0x1f0cf}, {0x1f18e, 0x1f18e}, {0x1f191, 0x1f19a}, {0x1f200, 0x1f320}, {0x1f32d, 0x1f335},
    {0x1f337, 0x1f37c}, {0x1f37e, 0x1f393}, {0x1f3a0, 0x1f3ca}, {0x1f3cf, 0x1f3d3}, {0x1f3e0, 0x1f3f0},
    {0x1f3f4, 0x1f3f4}, {0x1f3f8, 0x1f3fa}, {0x1f400, 0x1f43e}, {0x1f440, 0x1f440}, {0x1f442, 0x1f4fc},
    {0x1f4ff, 0x1f53d}, {0x1f54b, 0x1f54e}, {0x1f550, 0x1f567}, {0x1f57a, 0x1f57a}, {0x1f595, 0x1f596},
    {0x1f5a4, 0x1f5a4}, {0x1f5fb, 0x1f64f}, {0x1f680, 0x1f6c5}, {0x1f6cc, 0x1f6cc}, {0x1f6d0, 0x1f6d2},
    {0x1f6d5, 0x1f6d7}, {0x1f6eb, 0x1f6ec}, {0x1f6f4, 0x1f6fc}, {0x1f7e0, 0x1f7eb}, {0x1f90c, 0x1f93a},
    {0x1f93c, 0x1f945}, {0x1f947, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd},
};

static bool in_ranges(uint32_t c, const CodeRange *ranges, size_t count)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (c > ranges[middle].last) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && c >= ranges[low].first;
}

int grid_character_width(uint32_t c)
{
    if (c < 0x300) {
        return c >= 0x20 && c != 0x7f && (c < 0x80 || c >= 0xa0) && c != 0xad;
    }
    if (in_ranges(c, combining, sizeof combining / sizeof *combining)) {
        return 0;
    }
    return in_ranges(c, wide, sizeof wide / sizeof *wide) ? 2 : 1;
}

/* ---- ASCII for what this program draws itself; any other character becomes '?' ---- */

static char ascii_for(uint32_t c)
{
    static const struct {
        uint16_t code_point;
        char ascii;
    } table[] = {
        {0xb1, '~'},    {0xb7, '.'},    {0xd7, 'x'},   {0x394, 'd'},  {0x2013, '-'}, {0x2014, '-'},
        {0x2018, '\''}, {0x2019, '\''}, {0x201c, '"'}, {0x201d, '"'}, {0x2022, '*'}, {0x2026, '~'},
        {0x2039, '<'},  {0x203a, '>'},  {0x2190, '<'}, {0x2191, '^'}, {0x2192, '>'}, {0x2193, 'v'},
        {0x2212, '-'},  {0x2264, '<'},  {0x2265, '>'}, {0x2502, '|'}, {0x2500, '-'}, {0x2580, '"'},
        {0x2584, '_'},  {0x2588, '#'},  {0x258c, '#'}, {0x2591, '.'}, {0x2592, ':'}, {0x2593, '#'},
        {0x25b2, '^'},  {0x25b6, '>'},  {0x25b8, '>'}, {0x25b9, '>'}, {0x25bc, 'v'}, {0x25be, 'v'},
        {0x25b4, '^'},  {0x25c0, '<'},  {0x25cf, '*'}, {0x25cb, 'o'}, {0x2605, '*'}, {0x2713, 'y'},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].code_point == c) {
            return table[i].ascii;
        }
    }
    return c >= 0x2500 && c <= 0x257f ? '+' : '?';
}

/* ---- cells ---- */

static void cell_blank(GridCell *cell, Style style)
{
    memset(cell, 0, sizeof *cell);
    cell->text[0] = ' ';
    cell->width = 1;
    cell->style = style;
}

bool grid_resize(Grid *grid, int rows, int columns, Error *error)
{
    rows = rows < 1 ? 1 : rows > GRID_SIDE_MAX ? GRID_SIDE_MAX : rows;
    columns = columns < 1 ? 1 : columns > GRID_SIDE_MAX ? GRID_SIDE_MAX : columns;
    if (!mem_grow(&grid->cells, &grid->capacity, (size_t)rows * (size_t)columns, sizeof *grid->cells,
                  error)) {
        return false;
    }
    grid->rows = rows;
    grid->columns = columns;
    grid_clear(grid);
    return true;
}

void grid_clear(Grid *grid)
{
    size_t count = (size_t)grid->rows * (size_t)grid->columns;
    for (size_t i = 0; i < count; i++) {
        cell_blank(&grid->cells[i], LOOK_NORMAL);
    }
    grid->cursor_row = -1;
}

void grid_free(Grid *grid)
{
    mem_free(grid->cells);
    *grid = (Grid){0};
}

/* Takes a cell for a new character: the other half of a wide character that it breaks becomes blank. */
static GridCell *cell_take(Grid *grid, int row, int column)
{
    GridCell *cell = grid_cell(grid, row, column);
    if (cell->width == 0 && column > 0) {
        cell_blank(cell - 1, cell[-1].style);
    } else if (cell->width == 2 && column + 1 < grid->columns) {
        cell_blank(cell + 1, cell[1].style);
    }
    return cell;
}

static void cell_set(Grid *grid, int row, int column, int width, Style style, const char *bytes,
                     size_t length)
{
    GridCell *cell = cell_take(grid, row, column);
    memset(cell->text, 0, sizeof cell->text);
    memcpy(cell->text, bytes, length);
    cell->width = (uint8_t)width;
    cell->style = style;
    if (width == 2) {
        cell = cell_take(grid, row, column + 1);
        memset(cell->text, 0, sizeof cell->text);
        cell->width = 0;
        cell->style = style;
    }
}

static void cell_combine(GridCell *cell, const char *bytes, size_t length)
{
    size_t used = strlen(cell->text);
    if (used + length < GLYPH_BYTES) {
        memcpy(cell->text + used, bytes, length);
    }
}

void grid_put(Grid *grid, int row, int column, Style style, const char *character)
{
    if (row < 0 || row >= grid->rows || column < 0 || column >= grid->columns) {
        return;
    }
    uint32_t c = 0;
    size_t length = text_decode_utf8(character, strlen(character), &c);
    if (length == 0) {
        return;
    }
    if (c >= 0x80 && !grid->utf8) {
        char ascii = ascii_for(c);
        cell_set(grid, row, column, 1, style, &ascii, 1);
    } else {
        cell_set(grid, row, column, 1, style, character, length);
    }
}

/* Draws characters while they fit into `width` columns; `end` is set to where it stopped. `previous` is where
 * a combining mark goes. */
static int draw_characters(Grid *grid, int row, int column, int width, Style style, const char *text,
                           const char **end)
{
    int used = 0, previous = -1;
    while (*text != '\0') {
        uint32_t c = 0;
        size_t length = text_decode_utf8(text, strlen(text), &c);
        int columns = grid_character_width(c);
        if (columns == 0) {
            if (previous >= 0 && grid->utf8) {
                cell_combine(grid_cell(grid, row, previous), text, length);
            }
            text += length;
            continue;
        }
        if (used + columns > width) {
            break;
        }
        int at = column + used;
        if (at >= 0 && at + columns <= grid->columns) {
            if (c >= 0x80 && !grid->utf8) {
                char ascii = ascii_for(c);
                for (int i = 0; i < columns; i++) {
                    cell_set(grid, row, at + i, 1, style, &ascii, 1);
                }
            } else {
                cell_set(grid, row, at, columns, style, text, length);
                previous = at;
            }
        }
        used += columns;
        text += length;
    }
    *end = text;
    return used;
}

int grid_text_width(const char *text)
{
    char visible[1024];
    text_copy_visible(visible, sizeof visible, text, strlen(text));
    int columns = 0;
    for (const char *at = visible; *at != '\0';) {
        uint32_t c = 0;
        at += text_decode_utf8(at, strlen(at), &c);
        columns += grid_character_width(c);
    }
    return columns;
}

int grid_text(Grid *grid, int row, int column, int width, Style style, const char *text)
{
    char visible[4 * GRID_SIDE_MAX];
    const char *end;
    if (row < 0 || row >= grid->rows || width <= 0 || column >= grid->columns) {
        return 0;
    }
    width = width < grid->columns - column ? width : grid->columns - column;
    text_copy_visible(visible, sizeof visible, text, strlen(text));
    int used = draw_characters(grid, row, column, width, style, visible, &end);
    if (*end != '\0' && width > 0) {
        grid_put(grid, row, column + width - 1, style, "…");
        used = width;
    }
    return used;
}

int grid_print(Grid *grid, int row, int column, int width, Style style, const char *format, ...)
{
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    return grid_text(grid, row, column, width, style, line);
}

void grid_text_right(Grid *grid, int row, int column, int width, Style style, const char *text)
{
    int used = grid_text_width(text);
    int lead = used < width ? width - used : 0;
    grid_text(grid, row, column + lead, width - lead, style, text);
}

/* The bytes of `text` up to `length` that fit into `width` columns, cut after a blank where there is one. */
static size_t wrap_at(const char *text, size_t length, int width)
{
    size_t at = 0, blank = 0;
    int used = 0;
    while (at < length) {
        uint32_t c = 0;
        size_t bytes = text_decode_utf8(text + at, length - at, &c);
        used += bytes == 0 ? 4 : grid_character_width(c); /* a stray byte is shown as \xNN */
        if (used > width) {
            return blank > 0 ? blank : at > 0 ? at : 1;
        }
        at += bytes == 0 ? 1 : bytes;
        blank = c == ' ' ? at : blank;
    }
    return length;
}

int grid_wrapped(Grid *grid, Rect rect, Style style, const char *text)
{
    enum { INDENT = 2 };
    int row = 0;
    while (*text != '\0' && row < rect.height) {
        size_t length = strcspn(text, "\n");
        for (int indent = 0; row < rect.height; indent = INDENT) {
            size_t part = wrap_at(text, length, rect.width - indent);
            char line[4 * GRID_SIDE_MAX];
            snprintf(line, sizeof line, "%.*s", (int)part, text);
            grid_text(grid, rect.row + row++, rect.column + indent, rect.width - indent, style, line);
            text += part;
            length -= part;
            if (length == 0) {
                break;
            }
        }
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return row;
}

static Rect rect_clip(const Grid *grid, Rect rect)
{
    int row_end = rect.row + rect.height, column_end = rect.column + rect.width;
    rect.row = rect.row < 0 ? 0 : rect.row;
    rect.column = rect.column < 0 ? 0 : rect.column;
    row_end = row_end < grid->rows ? row_end : grid->rows;
    column_end = column_end < grid->columns ? column_end : grid->columns;
    rect.height = row_end > rect.row ? row_end - rect.row : 0;
    rect.width = column_end > rect.column ? column_end - rect.column : 0;
    return rect;
}

void grid_fill(Grid *grid, Rect rect, Style style)
{
    rect = rect_clip(grid, rect);
    for (int row = rect.row; row < rect.row + rect.height; row++) {
        for (int column = rect.column; column < rect.column + rect.width; column++) {
            cell_blank(cell_take(grid, row, column), style);
        }
    }
}

void grid_restyle(Grid *grid, Rect rect, Style style)
{
    rect = rect_clip(grid, rect);
    for (int row = rect.row; row < rect.row + rect.height; row++) {
        for (int column = rect.column; column < rect.column + rect.width; column++) {
            grid_cell(grid, row, column)->style = style;
        }
    }
}

void grid_rule(Grid *grid, int row, int column, int width, Style style, const char *title)
{
    for (int i = 0; i < width; i++) {
        grid_put(grid, row, column + i, style, "─");
    }
    if (title != NULL && width > 6) {
        grid_put(grid, row, column + 1, style, " ");
        int used = grid_text(grid, row, column + 2, width - 4, LOOK_HEADING, title);
        grid_put(grid, row, column + 2 + used, style, " ");
    }
}

void grid_box(Grid *grid, Rect rect, Style style, const char *title)
{
    int bottom = rect.row + rect.height - 1, right = rect.column + rect.width - 1;
    grid_rule(grid, rect.row, rect.column, rect.width, style, title);
    grid_rule(grid, bottom, rect.column, rect.width, style, NULL);
    for (int row = rect.row + 1; row < bottom; row++) {
        grid_put(grid, row, rect.column, style, "│");
        grid_put(grid, row, right, style, "│");
    }
    grid_put(grid, rect.row, rect.column, style, "┌");
    grid_put(grid, rect.row, right, style, "┐");
    grid_put(grid, bottom, rect.column, style, "└");
    grid_put(grid, bottom, right, style, "┘");
}

void grid_bar(Grid *grid, int row, int column, int width, Style style, double value, double maximum)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    if (value <= 0 || maximum <= 0 || width <= 0) {
        return;
    }
    double share = value < maximum ? value / maximum : 1;
    int parts = (int)(share * width * 8 + 0.5);
    if (!grid->utf8) {
        parts = (parts + 4) / 8 * 8;
    }
    int least = grid->utf8 ? 1 : 8;
    parts = parts < least ? least : parts;
    for (int i = 0; i < parts / 8; i++) {
        grid_put(grid, row, column + i, style, "█");
    }
    if (parts % 8 != 0) {
        grid_put(grid, row, column + parts / 8, style, eighths[parts % 8]);
    }
}

void grid_append_text(const Grid *grid, Text *text)
{
    for (int row = 0; row < grid->rows; row++) {
        const GridCell *cells = grid->cells + (size_t)row * (size_t)grid->columns;
        int end = grid->columns;
        while (end > 0 && strcmp(cells[end - 1].text, " ") == 0) {
            end--;
        }
        for (int column = 0; column < end; column++) {
            text_append(text, cells[column].text);
        }
        text_append_char(text, '\n');
    }
}
