#include "config.h"

#include <string.h>

#include "explore/render_parts.h"

static void csv_cell(Text *text, const Cell *cell)
{
    switch (cell->kind) {
    case CELL_TEXT:
        text_append_csv(text, cell->as.text.bytes, cell->as.text.length);
        break;
    case CELL_LIST:
    case CELL_TILES:
        for (size_t i = 0; i < cell->as.list.count; i++) {
            text_append(text, i == 0 ? "" : " ");
            text_append_unsigned(text, cell_list_item(cell, i));
        }
        break;
    case CELL_ENDPOINTS:
        for (size_t i = 0; i < cell->as.list.count; i++) {
            text_append(text, i == 0 ? "" : " ");
            text_append_unsigned(text, cell->as.list.tiles[i]);
            text_append_char(text, '@');
            text_append_unsigned(text, cell->as.list.items[i]);
        }
        break;
    case CELL_ABSENT:
    case CELL_NULL:
        break;
    case CELL_BOOL:
    case CELL_UNSIGNED:
    case CELL_SIGNED:
    case CELL_REAL:
        cell_append_plain(text, cell);
        break;
    }
}

static bool csv_leads(const Item *item)
{
    return item->kind == ITEM_FIELD && item->identifies && where_shows(item->where, IN_CSV, false);
}

/* The identifying fields of the items before `end`, as a header or as values, each followed by a comma. */
static void csv_leading(Text *text, const Document *document, size_t end, bool header)
{
    for (size_t i = 0; i < end; i++) {
        const Item *item = &document->items.items[i];
        if (csv_leads(item)) {
            if (header) {
                text_append(text, item->key);
            } else {
                csv_cell(text, &item->value);
            }
            text_append_char(text, ',');
        }
    }
}

/* Whether an identifying field before item `end` has the key of a column already. */
static bool csv_key_taken(const Document *document, size_t end, const char *key)
{
    for (size_t i = 0; i < end; i++) {
        const Item *item = &document->items.items[i];
        if (csv_leads(item) && strcmp(item->key, key) == 0) {
            return true;
        }
    }
    return false;
}

/* The table of item `index`, as a header (`cells` NULL) or a row. Every key stands once: where a column has
 * that of an identifying field, the table's own comes before it. */
static void csv_columns(Text *text, const Document *document, size_t index, const Cell *cells)
{
    const Item *item = &document->items.items[index];
    const Table *table = item->table;
    bool first = true;
    for (size_t i = 0; i < table->column_count; i++) {
        if (!where_shows(table->columns[i].where, IN_CSV, false)) {
            continue;
        }
        text_append(text, first ? "" : ",");
        first = false;
        if (cells == NULL) {
            bool of_group = table->group_key != NULL && i >= table->group_leading;
            const char *key = table->columns[i].key;
            const char *before = of_group                              ? table->group_key
                                 : csv_key_taken(document, index, key) ? item->key
                                                                       : NULL;
            text_append(text, before != NULL ? before : "");
            text_append(text, before != NULL ? "." : "");
            text_append(text, key);
        } else {
            csv_cell(text, &cells[i]);
        }
    }
    text_append(text, "\n");
}

static bool csv_table(Writer *writer, const Document *document, size_t index)
{
    const Table *table = document->items.items[index].table;
    Cell *scratch = mem_new(table->column_count, sizeof *scratch, writer->error);
    if (scratch == NULL) {
        return false;
    }
    csv_leading(&writer->text, document, index, true);
    csv_columns(&writer->text, document, index, NULL);
    bool done = true;
    for (size_t row = 0; done && row < table->rows; row++) {
        const Cell *cells = table_cells(table, row, scratch);
        csv_leading(&writer->text, document, index, false);
        csv_columns(&writer->text, document, index, cells);
        done = writer_step(writer);
    }
    mem_free(scratch);
    return done;
}

/* A document without tables: one line a field. */
static bool csv_fields(Writer *writer, const Document *document)
{
    text_append(&writer->text, "key,value\n");
    for (size_t i = 0; i < document->items.count; i++) {
        const Item *item = &document->items.items[i];
        if (item->kind == ITEM_FIELD && item->value.kind != CELL_ABSENT &&
            where_shows(item->where, IN_CSV, false)) {
            text_printf(&writer->text, "%s,", item->key);
            csv_cell(&writer->text, &item->value);
            text_append_char(&writer->text, '\n');
        }
    }
    return writer_step(writer);
}

/* Tables, one after another with an empty line between; identifying fields are their leading columns. */
bool render_csv(Writer *writer, const Document *document)
{
    bool any = false;
    for (size_t i = 0; i < document->items.count; i++) {
        const Item *item = &document->items.items[i];
        if (item->kind != ITEM_TABLE || !where_shows(item->where, IN_CSV, false)) {
            continue;
        }
        text_append(&writer->text, any ? "\n" : "");
        any = true;
        if (!csv_table(writer, document, i)) {
            return false;
        }
    }
    return any || csv_fields(writer, document);
}
