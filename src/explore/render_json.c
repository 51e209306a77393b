#include "config.h"

#include <math.h>
#include <string.h>

#include "explore/render_parts.h"

/* Members of one object, in order. A key may be a path: while consecutive keys share their head, the object
 * of that head stays open.
 *
 *     scope, busiest.words, busiest.cycles, rows   -> "scope":..,"busiest":{"words":..,"cycles":..},"rows":..
 */
typedef struct Members {
    Writer *writer;
    unsigned depth;   /* of the object itself, for the indentation */
    const char *open; /* the last key: its heads are open */
    size_t heads;     /* how many of its dots stand for open objects */
    bool any;         /* a member was written into the innermost open object */
} Members;

static void json_line(Writer *writer, unsigned depth)
{
    if (writer->options->indent) {
        text_append_char(&writer->text, '\n');
        text_append_repeat(&writer->text, ' ', 2 * (size_t)depth);
    }
}

static void members_begin(Members *members, Writer *writer, unsigned depth)
{
    *members = (Members){.writer = writer, .depth = depth, .open = ""};
    text_append_char(&writer->text, '{');
}

static void members_close_heads(Members *members, size_t keep)
{
    Writer *writer = members->writer;
    while (members->heads > keep) {
        members->heads--;
        json_line(writer, members->depth + 1 + (unsigned)members->heads);
        text_append_char(&writer->text, '}');
        members->any = true;
    }
}

static void members_end(Members *members)
{
    members_close_heads(members, 0);
    if (members->any) {
        json_line(members->writer, members->depth);
    }
    text_append_char(&members->writer->text, '}');
}

static void members_name(Members *members, const char *name, size_t length)
{
    Writer *writer = members->writer;
    if (members->any) {
        text_append_char(&writer->text, ',');
    }
    json_line(writer, members->depth + 1 + (unsigned)members->heads);
    text_append_json(&writer->text, name, length);
    text_append(&writer->text, writer->options->indent ? ": " : ":");
}

/* Everything up to the value of `key`; returns the depth at which the value stands. */
static unsigned members_key(Members *members, const char *key)
{
    size_t shared = 0; /* heads that are open already */
    size_t at = 0;     /* where the part after them begins */
    for (size_t i = 0; shared < members->heads && key[i] != '\0' && key[i] == members->open[i]; i++) {
        if (key[i] == '.') {
            shared++;
            at = i + 1;
        }
    }
    members_close_heads(members, shared);
    const char *dot;
    while ((dot = strchr(key + at, '.')) != NULL) {
        members_name(members, key + at, (size_t)(dot - key) - at);
        text_append_char(&members->writer->text, '{');
        members->heads++;
        members->any = false;
        at = (size_t)(dot - key) + 1;
    }
    members_name(members, key + at, strlen(key + at));
    members->any = true;
    members->open = key;
    return members->depth + 1 + (unsigned)members->heads;
}

static void json_cell(Writer *writer, const Cell *cell)
{
    Text *text = &writer->text;
    switch (cell->kind) {
    case CELL_ABSENT:
    case CELL_NULL:
        text_append(text, "null");
        break;
    case CELL_TEXT:
        text_append_json(text, cell->as.text.bytes, cell->as.text.length);
        break;
    case CELL_LIST:
    case CELL_TILES:
        text_append_char(text, '[');
        for (size_t i = 0; i < cell->as.list.count; i++) {
            text_append(text, i == 0 ? "" : ",");
            text_append_unsigned(text, cell_list_item(cell, i));
        }
        text_append_char(text, ']');
        break;
    case CELL_ENDPOINTS:
        text_append_char(text, '[');
        for (size_t i = 0; i < cell->as.list.count; i++) {
            text_append(text, i == 0 ? "{\"tile\":" : ",{\"tile\":");
            text_append_unsigned(text, cell->as.list.tiles[i]);
            text_append(text, ",\"address\":");
            text_append_unsigned(text, cell->as.list.items[i]);
            text_append_char(text, '}');
        }
        text_append_char(text, ']');
        break;
    case CELL_REAL:
        if (!isfinite(cell->as.real)) {
            text_append(text, "null");
            break;
        }
        cell_append_plain(text, cell);
        break;
    case CELL_BOOL:
    case CELL_UNSIGNED:
    case CELL_SIGNED:
        cell_append_plain(text, cell);
        break;
    }
}

static void json_cells(Members *members, const Table *table, const Cell *cells, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        if (cells[i].kind != CELL_ABSENT && where_shows(table->columns[i].where, IN_JSON, false)) {
            members_key(members, table->columns[i].key);
            json_cell(members->writer, &cells[i]);
        }
    }
}

static bool cell_equal(const Cell *left, const Cell *right)
{
    if (left->kind != right->kind) {
        return false;
    }
    switch (left->kind) {
    case CELL_ABSENT:
    case CELL_NULL:
        return true;
    case CELL_BOOL:
        return left->as.boolean == right->as.boolean;
    case CELL_UNSIGNED:
        return left->as.number == right->as.number;
    case CELL_SIGNED:
        return left->as.signed_number == right->as.signed_number;
    case CELL_TEXT:
        return left->as.text.length == right->as.text.length &&
               memcmp(left->as.text.bytes, right->as.text.bytes, left->as.text.length) == 0;
    case CELL_REAL:
    case CELL_LIST:
    case CELL_TILES:
    case CELL_ENDPOINTS:
        break; /* nothing is grouped by these */
    }
    return false;
}

static bool cells_equal(const Cell *left, const Cell *right, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!cell_equal(&left[i], &right[i])) {
            return false;
        }
    }
    return true;
}

static bool cells_absent(const Cell *cells, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        if (cells[i].kind != CELL_ABSENT) {
            return false;
        }
    }
    return true;
}

static void json_group_end(Members *object, unsigned at, bool any)
{
    if (any) {
        json_line(object->writer, at);
    }
    text_append_char(&object->writer->text, ']');
    members_end(object);
}

/* One object per run of rows with equal leading cells; the rest of each row is an object of its list. `head`
 * keeps the leading cells of the run, `scratch` is for lazy tables. */
static bool json_groups(Writer *writer, const Table *table, unsigned depth, Cell *head, Cell *scratch)
{
    size_t leading = table->group_leading, columns = table->column_count;
    Members object, member;
    unsigned at = 0;
    bool open = false, any = false; /* a group is open; its list has a member */
    for (size_t row = 0; row < table->rows; row++) {
        const Cell *cells = table_cells(table, row, scratch);
        if (!open || !cells_equal(cells, head, leading)) {
            if (open) {
                json_group_end(&object, at, any);
            }
            text_append(&writer->text, open ? "," : "");
            json_line(writer, depth + 1);
            members_begin(&object, writer, depth + 1);
            json_cells(&object, table, cells, 0, leading);
            at = members_key(&object, table->group_key);
            text_append_char(&writer->text, '[');
            memcpy(head, cells, leading * sizeof *head);
            open = true;
            any = false;
        }
        if (!cells_absent(cells, leading, columns)) {
            text_append(&writer->text, any ? "," : "");
            json_line(writer, at + 1);
            members_begin(&member, writer, at + 1);
            json_cells(&member, table, cells, leading, columns);
            members_end(&member);
            any = true;
        }
        if (!writer_step(writer)) {
            return false;
        }
    }
    if (open) {
        json_group_end(&object, at, any);
    }
    return true;
}

static bool json_rows(Writer *writer, const Table *table, unsigned depth, Cell *scratch)
{
    for (size_t row = 0; row < table->rows; row++) {
        const Cell *cells = table_cells(table, row, scratch);
        Members object;
        text_append(&writer->text, row == 0 ? "" : ",");
        json_line(writer, depth + 1);
        members_begin(&object, writer, depth + 1);
        json_cells(&object, table, cells, 0, table->column_count);
        members_end(&object);
        if (!writer_step(writer)) {
            return false;
        }
    }
    return true;
}

static bool json_table(Writer *writer, const Table *table, unsigned depth)
{
    Cell *scratch = mem_new(2 * table->column_count, sizeof *scratch, writer->error);
    if (scratch == NULL) {
        return false;
    }
    text_append_char(&writer->text, '[');
    bool done = table->group_key != NULL
                    ? json_groups(writer, table, depth, scratch + table->column_count, scratch)
                    : json_rows(writer, table, depth, scratch);
    mem_free(scratch);
    if (done && table->rows != 0) {
        json_line(writer, depth);
    }
    text_append_char(&writer->text, ']');
    return done;
}

static bool json_hex_list(Writer *writer, const uint32_t *words, size_t count)
{
    text_append_char(&writer->text, '[');
    for (size_t i = 0; i < count; i++) {
        text_append(&writer->text, i == 0 ? "\"" : ",\"");
        text_append_hex(&writer->text, words[i], 8);
        text_append_char(&writer->text, '"');
        if (!writer_step(writer)) {
            return false;
        }
    }
    text_append_char(&writer->text, ']');
    return true;
}

static bool json_hex_lists(Writer *writer, const Item *item, unsigned depth)
{
    text_append_char(&writer->text, '[');
    for (size_t i = 0; i < item->count; i++) {
        const uint32_t *words;
        size_t count;
        item->list(item->context, i, &words, &count);
        text_append(&writer->text, i == 0 ? "" : ",");
        json_line(writer, depth + 1);
        if (!json_hex_list(writer, words, count)) {
            return false;
        }
    }
    if (item->count != 0) {
        json_line(writer, depth);
    }
    text_append_char(&writer->text, ']');
    return true;
}

static bool json_numbers(Writer *writer, const Item *item)
{
    text_append_char(&writer->text, '[');
    for (size_t i = 0; i < item->count; i++) {
        text_append(&writer->text, i == 0 ? "" : ",");
        if (item->numbers[i] < 0) {
            text_append(&writer->text, "null");
        } else {
            text_append_unsigned(&writer->text, (uint64_t)item->numbers[i]);
        }
        if (!writer_step(writer)) {
            return false;
        }
    }
    text_append_char(&writer->text, ']');
    return true;
}

static bool json_item(Members *object, const Item *item)
{
    if (!where_shows(item->where, IN_JSON, false) ||
        (item->kind == ITEM_FIELD && item->value.kind == CELL_ABSENT)) {
        return true;
    }
    unsigned depth = members_key(object, item->key);
    switch (item->kind) {
    case ITEM_FIELD:
        json_cell(object->writer, &item->value);
        return writer_step(object->writer);
    case ITEM_TABLE:
        return json_table(object->writer, item->table, depth);
    case ITEM_HEX_LISTS:
        return json_hex_lists(object->writer, item, depth);
    case ITEM_HEX_LIST:
        return json_hex_list(object->writer, item->words, item->count);
    case ITEM_NUMBERS:
        return json_numbers(object->writer, item);
    case ITEM_NOTE:
    case ITEM_HEADING:
        break;
    }
    return true;
}

bool render_json(Writer *writer, const Document *document)
{
    Members object;
    members_begin(&object, writer, 0);
    for (size_t i = 0; i < document->items.count; i++) {
        if (!json_item(&object, &document->items.items[i])) {
            return false;
        }
    }
    members_end(&object);
    text_append_char(&writer->text, '\n');
    return true;
}
