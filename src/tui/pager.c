#include "config.h"

#include "tui/pager.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { SHIFT_COLUMNS = 16 };

void pager_free(Pager *pager)
{
    text_free(&pager->text);
    vec_free(&pager->starts);
    *pager = (Pager){0};
}

static int line_columns(const char *line, size_t length)
{
    int columns = 0;
    while (length > 0) {
        uint32_t c = 0;
        size_t bytes = text_decode_utf8(line, length, &c);
        columns += bytes == 0 ? 4 : grid_character_width(c); /* a stray byte is shown as \xNN */
        line += bytes == 0 ? 1 : bytes;
        length -= bytes == 0 ? 1 : bytes;
    }
    return columns;
}

bool pager_set(Pager *pager, const char *text, Error *error)
{
    pager_free(pager);
    text_append(&pager->text, text);
    bool done = text_ok(&pager->text, error);
    size_t length = pager->text.length;
    for (size_t at = 0; done && at < length;) {
        const char *end = memchr(pager->text.bytes + at, '\n', length - at);
        done = vec_push(&pager->starts, at, error);
        size_t line = end == NULL ? length : (size_t)(end - pager->text.bytes);
        int columns = line_columns(pager->text.bytes + at, line - at);
        pager->columns = columns > pager->columns ? columns : pager->columns;
        at = end == NULL ? length : line + 1;
    }
    done = done && vec_push(&pager->starts, length, error);
    if (!done) {
        pager_free(pager);
    }
    return done;
}

uint64_t pager_lines(const Pager *pager)
{
    return pager->starts.count > 0 ? pager->starts.count - 1 : 0;
}

static size_t line_length(const Pager *pager, uint64_t line)
{
    size_t start = pager->starts.items[line], end = pager->starts.items[line + 1];
    return end > start && pager->text.bytes[end - 1] == '\n' ? end - start - 1 : end - start;
}

/* The line from `shift` columns on. */
static const char *shifted(const char *line, int shift)
{
    while (*line != '\0' && shift > 0) {
        uint32_t c = 0;
        size_t bytes = text_decode_utf8(line, strlen(line), &c);
        shift -= bytes == 0 ? 1 : grid_character_width(c);
        line += bytes == 0 ? 1 : bytes;
    }
    return line;
}

/* The place of `find` in the line, SIZE_MAX when it is not there. */
static size_t find_in(const char *line, const char *find)
{
    size_t length = strlen(find);
    for (size_t at = 0; length > 0 && line[at] != '\0'; at++) {
        if (strncasecmp(line + at, find, length) == 0) {
            return at;
        }
    }
    return SIZE_MAX;
}

static void copy_line(const Pager *pager, uint64_t line, char *copy, size_t size)
{
    size_t length = line_length(pager, line);
    snprintf(copy, size, "%.*s", (int)(length < size ? length : size - 1),
             pager->text.bytes + pager->starts.items[line]);
}

static void keep_in_range(Pager *pager)
{
    uint64_t lines = pager_lines(pager), height = pager->body.height > 0 ? (uint64_t)pager->body.height : 1;
    uint64_t last = lines > height ? lines - height : 0;
    pager->top = pager->top < last ? pager->top : last;
}

void pager_draw(Pager *pager, Grid *grid, Rect area)
{
    char line[4 * GRID_SIDE_MAX];
    pager->body = area;
    keep_in_range(pager);
    for (int row = 0; row < area.height && pager->top + (uint64_t)row < pager_lines(pager); row++) {
        copy_line(pager, pager->top + (uint64_t)row, line, sizeof line);
        bool match = find_in(line, pager->find) != SIZE_MAX;
        const char *from = shifted(line, pager->shift);
        grid_text(grid, area.row + row, area.column, area.width, match ? LOOK_MARKED : LOOK_NORMAL, from);
    }
}

void pager_scroll(Pager *pager, int rows)
{
    if (rows < 0) {
        pager->top -= pager->top < (uint64_t)-rows ? pager->top : (uint64_t)-rows;
    } else {
        pager->top += (uint64_t)rows;
    }
    keep_in_range(pager);
}

/* Until the ends of the longest lines show. */
static void shift_right(Pager *pager)
{
    int hidden = pager->columns - pager->body.width - pager->shift;
    pager->shift += hidden > SHIFT_COLUMNS ? SHIFT_COLUMNS : hidden > 0 ? hidden : 0;
}

bool pager_act(Pager *pager, Action action)
{
    int page = pager->body.height > 1 ? pager->body.height - 1 : 1;
    switch (action) {
    case ACTION_UP:
        pager_scroll(pager, -1);
        return true;
    case ACTION_DOWN:
        pager_scroll(pager, 1);
        return true;
    case ACTION_PAGE_UP:
        pager_scroll(pager, -page);
        return true;
    case ACTION_PAGE_DOWN:
        pager_scroll(pager, page);
        return true;
    case ACTION_FIRST:
        pager->top = 0;
        return true;
    case ACTION_LAST:
        pager->top = pager_lines(pager);
        keep_in_range(pager);
        return true;
    case ACTION_LEFT:
    case ACTION_SHIFT_LEFT:
        pager->shift -= pager->shift < SHIFT_COLUMNS ? pager->shift : SHIFT_COLUMNS;
        return true;
    case ACTION_RIGHT:
    case ACTION_SHIFT_RIGHT:
        shift_right(pager);
        return true;
    default:
        return false;
    }
}

static bool find_from(Pager *pager, uint64_t from, int step)
{
    char line[4 * GRID_SIDE_MAX];
    uint64_t lines = pager_lines(pager);
    for (uint64_t i = 0; i < lines; i++) {
        uint64_t at = step > 0 ? (from + i) % lines : (from + lines - i) % lines;
        copy_line(pager, at, line, sizeof line);
        if (find_in(line, pager->find) != SIZE_MAX) {
            pager->top = at;
            keep_in_range(pager);
            return true;
        }
    }
    return false;
}

bool pager_find(Pager *pager, const char *text)
{
    snprintf(pager->find, sizeof pager->find, "%s", text);
    return pager->find[0] == '\0' || pager_lines(pager) == 0 || find_from(pager, pager->top, 1);
}

bool pager_find_again(Pager *pager, int step)
{
    uint64_t lines = pager_lines(pager);
    if (pager->find[0] == '\0' || lines == 0) {
        return false;
    }
    return find_from(pager, (pager->top + (step > 0 ? 1 : lines - 1)) % lines, step);
}
