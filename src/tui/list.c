#include "config.h"

#include "tui/list.h"

#include <string.h>

enum { COLUMN_GAP = 1, COLUMNS_MAX = 32 };

/* Where each column goes; -1: not shown. */
typedef struct Places {
    int start[COLUMNS_MAX], width[COLUMNS_MAX];
} Places;

static int column_width(const ListColumn *column)
{
    int title = grid_text_width(column->title) + (column->sorted ? 1 : 0);
    return column->width > title ? column->width : title;
}

static void place_columns(List *list, const ListModel *model, int width, Places *places)
{
    int used = 0, grows = -1, last = -1;
    bool full = false;
    list->more_left = list->shift > 0;
    for (int i = 0; i < model->column_count && i < COLUMNS_MAX; i++) {
        const ListColumn *column = &model->columns[i];
        int wanted = column_width(column) + (used > 0 ? COLUMN_GAP : 0);
        places->start[i] = -1;
        places->width[i] = 0;
        if ((i >= model->frozen && i < model->frozen + list->shift) ||
            (column->width == 0 && *column->title == '\0')) {
            continue;
        }
        if (full || used + wanted > width) {
            full = true; /* no later column jumps the queue: the order stays */
            continue;
        }
        places->width[i] = column_width(column);
        used += wanted;
        grows = column->grows ? i : grows;
        last = i;
    }
    list->more_right = full;
    if (grows >= 0) {
        places->width[grows] += width - used;
    }
    int at = 0;
    for (int i = 0; i <= last; i++) {
        if (places->width[i] > 0) {
            places->start[i] = at;
            at += places->width[i] + COLUMN_GAP;
        }
    }
}

static void draw_heading(const List *list, const ListModel *model, const Places *places, Grid *grid,
                         Rect area)
{
    for (int i = 0; i < model->column_count && i < COLUMNS_MAX; i++) {
        const ListColumn *column = &model->columns[i];
        if (places->start[i] < 0) {
            continue;
        }
        char title[80];
        size_t length = strlen(column->title);
        memcpy(title, column->title, length + 1 < sizeof title ? length + 1 : sizeof title - 1);
        title[sizeof title - 1] = '\0';
        if (column->sorted) {
            strncat(title, model->reverse ? "▴" : "▾", sizeof title - strlen(title) - 1);
        }
        int at = area.column + places->start[i];
        if (column->right) {
            grid_text_right(grid, area.row, at, places->width[i], LOOK_HEADING, title);
        } else {
            grid_text(grid, area.row, at, places->width[i], LOOK_HEADING, title);
        }
    }
    if (list->more_left && model->frozen < model->column_count) {
        int frozen_end =
            model->frozen > 0 ? places->start[model->frozen - 1] + places->width[model->frozen - 1] : 0;
        grid_put(grid, area.row, area.column + frozen_end, LOOK_KEY, "‹");
    }
    if (list->more_right) {
        grid_put(grid, area.row, area.column + area.width, LOOK_KEY, "›");
    }
}

static void draw_row(const ListModel *model, const Places *places, Grid *grid, Rect line, uint64_t row)
{
    for (int i = 0; i < model->column_count && i < COLUMNS_MAX; i++) {
        if (places->start[i] < 0) {
            continue;
        }
        ListCell cell = {.style = LOOK_NORMAL};
        model->cell(model->context, row, i, &cell);
        int at = line.column + places->start[i];
        if (cell.bar_maximum > 0) {
            grid_bar(grid, line.row, at, places->width[i], cell.style, cell.bar, cell.bar_maximum);
        } else if (cell.spans) {
            grid_text(grid, line.row, at, line.column + line.width - at, cell.style, cell.text);
            break;
        } else if (model->columns[i].right) {
            grid_text_right(grid, line.row, at, places->width[i], cell.style, cell.text);
        } else {
            grid_text(grid, line.row, at, places->width[i], cell.style, cell.text);
        }
    }
}

static void keep_in_view(List *list)
{
    uint64_t height = list->body.height > 0 ? (uint64_t)list->body.height : 1;
    if (list->cursor >= list->rows) {
        list->cursor = list->rows > 0 ? list->rows - 1 : 0;
    }
    if (list->cursor < list->top) {
        list->top = list->cursor;
    } else if (list->cursor - list->top >= height) {
        list->top = list->cursor - height + 1;
    }
    if (list->top + height > list->rows) {
        list->top = list->rows > height ? list->rows - height : 0;
    }
}

/* The cursor's look for a whole row; what must not be believed keeps its own. */
static void mark_row(Grid *grid, Rect row, bool focused)
{
    grid_put(grid, row.row, row.column, LOOK_NORMAL, focused ? "▸" : "▹");
    for (int column = row.column; column < row.column + row.width; column++) {
        GridCell *cell = grid_cell(grid, row.row, column);
        if (cell->style != LOOK_INVALID) {
            cell->style = focused ? LOOK_CURSOR : LOOK_MARKED;
        }
    }
}

void list_draw(List *list, const ListModel *model, Grid *grid, Rect area, bool focused)
{
    Places places;
    /* the first column is for the cursor, the last one for the mark that there is more */
    Rect inner = {area.row, area.column + 1, area.height, area.width - 2};
    list->body = (Rect){area.row + 1, area.column, area.height > 1 ? area.height - 1 : 0, area.width};
    list->rows = model->rows;
    keep_in_view(list);
    place_columns(list, model, inner.width, &places);
    draw_heading(list, model, &places, grid, inner);
    if (model->rows == 0 && model->empty != NULL) {
        grid_text(grid, list->body.row, inner.column, inner.width, LOOK_DIM, model->empty);
    }
    for (int i = 0; i < list->body.height && list->top + (uint64_t)i < model->rows; i++) {
        uint64_t row = list->top + (uint64_t)i;
        Rect line = {list->body.row + i, inner.column, 1, inner.width};
        draw_row(model, &places, grid, line, row);
        if (row == list->cursor) {
            mark_row(grid, (Rect){line.row, area.column, 1, area.width}, focused);
        }
    }
}

void list_go(List *list, uint64_t row)
{
    list->cursor = row;
    keep_in_view(list);
}

void list_scroll(List *list, int rows)
{
    uint64_t height = list->body.height > 0 ? (uint64_t)list->body.height : 1;
    uint64_t top_last = list->rows > height ? list->rows - height : 0;
    if (rows < 0) {
        list->top -= list->top < (uint64_t)-rows ? list->top : (uint64_t)-rows;
    } else {
        list->top = list->top + (uint64_t)rows < top_last ? list->top + (uint64_t)rows : top_last;
    }
    if (list->cursor < list->top) {
        list->cursor = list->top;
    } else if (list->cursor >= list->top + height) {
        list->cursor = list->top + height - 1;
    }
    keep_in_view(list);
}

bool list_act(List *list, Action action)
{
    uint64_t page = list->body.height > 1 ? (uint64_t)list->body.height - 1 : 1;
    uint64_t last = list->rows > 0 ? list->rows - 1 : 0;
    switch (action) {
    case ACTION_UP:
        list_go(list, list->cursor > 0 ? list->cursor - 1 : 0);
        return true;
    case ACTION_DOWN:
        list_go(list, list->cursor + 1);
        return true;
    case ACTION_PAGE_UP:
        list_go(list, list->cursor > page ? list->cursor - page : 0);
        return true;
    case ACTION_PAGE_DOWN:
        list_go(list, list->cursor + page < last ? list->cursor + page : last);
        return true;
    case ACTION_FIRST:
        list_go(list, 0);
        return true;
    case ACTION_LAST:
        list_go(list, last);
        return true;
    case ACTION_LEFT:
    case ACTION_SHIFT_LEFT:
        list->shift -= list->shift > 0;
        return true;
    case ACTION_RIGHT:
    case ACTION_SHIFT_RIGHT:
        list->shift += list->more_right;
        return true;
    default:
        return false;
    }
}

bool list_row_at(const List *list, int row, int column, uint64_t *index)
{
    const Rect *body = &list->body;
    if (row < body->row || row >= body->row + body->height || column < body->column ||
        column >= body->column + body->width || list->top + (uint64_t)(row - body->row) >= list->rows) {
        return false;
    }
    *index = list->top + (uint64_t)(row - body->row);
    return true;
}
