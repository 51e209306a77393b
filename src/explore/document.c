#include "config.h"

#include "explore/document.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "explore/document_parts.h"

Cell cell_absent(void)
{
    return (Cell){.kind = CELL_ABSENT};
}

Cell cell_null(void)
{
    return (Cell){.kind = CELL_NULL};
}

Cell cell_bool(bool value)
{
    return (Cell){.kind = CELL_BOOL, .as.boolean = value};
}

Cell cell_unsigned(uint64_t value)
{
    return (Cell){.kind = CELL_UNSIGNED, .as.number = value};
}

Cell cell_signed(int64_t value)
{
    return (Cell){.kind = CELL_SIGNED, .as.signed_number = value};
}

Cell cell_real(double value)
{
    return (Cell){.kind = CELL_REAL, .as.real = value};
}

Cell cell_text(const char *value)
{
    if (value == NULL) {
        return cell_null();
    }
    return (Cell){.kind = CELL_TEXT, .as.text = {.bytes = value, .length = strlen(value)}};
}

Cell cell_scratch(const Text *text)
{
    const char *bytes = text->failed ? NULL : text_view(text);
    return (Cell){.kind = CELL_TEXT, .as.text = {.bytes = bytes, .length = text->failed ? 0 : text->length}};
}

Cell cell_list(const uint32_t *items, size_t count)
{
    return (Cell){.kind = CELL_LIST, .as.list = {.items = items, .count = count}};
}

Cell cell_tiles(const uint16_t *tiles, size_t count)
{
    return (Cell){.kind = CELL_TILES, .as.list = {.tiles = tiles, .count = count}};
}

Cell cell_endpoints(const uint16_t *tiles, const uint32_t *addresses, size_t count)
{
    return (Cell){.kind = CELL_ENDPOINTS, .as.list = {.tiles = tiles, .items = addresses, .count = count}};
}

Cell cell_marked(Cell cell, CellMark mark)
{
    cell.mark = mark;
    return cell;
}

Cell cell_tile(int64_t tile)
{
    return tile < 0 ? cell_null() : cell_unsigned((uint64_t)tile);
}

static void table_free(void *context)
{
    Table *table = context;
    vec_free(&table->cells);
    mem_free(table);
}

Document *document_new(Error *error)
{
    return mem_zero(1, sizeof(Document), error);
}

void document_free(Document *document)
{
    if (document == NULL) {
        return;
    }
    for (size_t i = document->owned.count; i-- > 0;) {
        document->owned.items[i].release(document->owned.items[i].context);
    }
    vec_free(&document->owned);
    vec_free(&document->items);
    mem_free(document);
}

bool document_ok(const Document *document, Error *error)
{
    return !document->failed || error_set(error, ERROR_MEMORY, "out of memory for the answer");
}

bool document_is_empty(const Document *document)
{
    return document->items.count == 0 && !document->failed;
}

void document_own(Document *document, void *context, void (*release)(void *context))
{
    if (context != NULL && !vec_push(&document->owned, ((Owned){context, release}), NULL)) {
        release(context);
        document->failed = true;
    }
}

static const char *document_keep_list(Document *document, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

static const char *document_keep_list(Document *document, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = length < 0 ? NULL : mem_new((size_t)length + 1, 1, NULL);
    if (text == NULL) {
        document->failed = true;
        return "";
    }
    vsnprintf(text, (size_t)length + 1, format, arguments);
    document_own(document, text, mem_free);
    return document->failed ? "" : text;
}

const char *document_keep(Document *document, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = document_keep_list(document, format, arguments);
    va_end(arguments);
    return text;
}

const char *document_keep_text(Document *document, Text *text)
{
    char *bytes = text->bytes;
    document->failed = document->failed || text->failed;
    *text = (Text){0};
    document_own(document, bytes, mem_free);
    return bytes == NULL || document->failed ? "" : bytes;
}

static void document_add(Document *document, Item item)
{
    if (!vec_push(&document->items, item, NULL)) {
        document->failed = true;
    }
}

void document_distrust(Document *document, bool distrusted)
{
    document->distrusted = distrusted;
}

static bool is_figure(const Cell *cell, Unit unit)
{
    bool number = cell->kind == CELL_UNSIGNED || cell->kind == CELL_SIGNED || cell->kind == CELL_REAL;
    return number && (unit == UNIT_COUNT || unit == UNIT_BYTES || unit == UNIT_CYCLES || unit == UNIT_WORDS ||
                      unit == UNIT_PERCENT);
}

static void distrust_row(const Table *table, Cell *cells)
{
    for (size_t i = 0; table->distrusted && i < table->column_count; i++) {
        if (is_figure(&cells[i], table->columns[i].unit)) {
            cells[i].mark = MARK_BAD;
        }
    }
}

void document_field_in(Document *document, unsigned where, const char *key, const char *title, Unit unit,
                       Cell value)
{
    if (document->distrusted && is_figure(&value, unit)) {
        value.mark = MARK_BAD;
    }
    document_add(
        document,
        (Item){.kind = ITEM_FIELD, .where = where, .key = key, .title = title, .unit = unit, .value = value});
}

void document_field(Document *document, const char *key, const char *title, Unit unit, Cell value)
{
    document_field_in(document, 0, key, title, unit, value);
}

void document_identify(Document *document, const char *key, const char *title, Unit unit, Cell value)
{
    document_field_in(document, 0, key, title, unit, value);
    if (!document->failed) {
        document->items.items[document->items.count - 1].identifies = true;
    }
}

void document_heading(Document *document, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = document_keep_list(document, format, arguments);
    va_end(arguments);
    document_add(document, (Item){.kind = ITEM_HEADING, .where = IN_TEXT, .value = cell_text(text)});
}

void document_note(Document *document, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = document_keep_list(document, format, arguments);
    va_end(arguments);
    document_add(document, (Item){.kind = ITEM_NOTE, .where = IN_TEXT, .value = cell_text(text)});
}

Table *document_table_in(Document *document, unsigned where, const char *key, const Column *columns,
                         size_t columns_count)
{
    Table *table = mem_zero(1, sizeof *table, NULL);
    if (table == NULL) {
        document->failed = true;
        return NULL;
    }
    table->document = document;
    table->columns = columns;
    table->column_count = columns_count;
    table->distrusted = document->distrusted;
    document_own(document, table, table_free);
    if (document->failed) {
        return NULL;
    }
    document_add(document, (Item){.kind = ITEM_TABLE, .where = where, .key = key, .table = table});
    return table;
}

Table *document_table(Document *document, const char *key, const Column *columns, size_t columns_count)
{
    return document_table_in(document, 0, key, columns, columns_count);
}

void table_row(Table *table, const Cell *cells)
{
    if (table == NULL) {
        return;
    }
    size_t filled = table->cells.count;
    if (!vec_reserve(&table->cells, filled + table->column_count, NULL)) {
        table->document->failed = true;
        return;
    }
    memcpy(table->cells.items + filled, cells, table->column_count * sizeof *cells);
    distrust_row(table, table->cells.items + filled);
    table->cells.count = filled + table->column_count;
    table->rows++;
}

void table_group(Table *table, size_t leading, const char *key)
{
    if (table != NULL) {
        table->group_leading = leading;
        table->group_key = key;
    }
}

void table_empty(Table *table, const char *sentence)
{
    if (table != NULL) {
        table->empty = sentence;
    }
}

Table *document_lazy_table(Document *document, unsigned where, const char *key, const Column *columns,
                           size_t columns_count, size_t rows, TableRow row, void *context)
{
    Table *table = document_table_in(document, where, key, columns, columns_count);
    if (table != NULL) {
        table->rows = rows;
        table->row = row;
        table->context = context;
    }
    return table;
}

void document_hex_lists(Document *document, const char *key, size_t count, HexList list, void *context)
{
    document_add(document, (Item){.kind = ITEM_HEX_LISTS,
                                  .where = IN_JSON,
                                  .key = key,
                                  .count = count,
                                  .list = list,
                                  .context = context});
}

void document_hex_list(Document *document, const char *key, const uint32_t *items, size_t count)
{
    document_add(document,
                 (Item){.kind = ITEM_HEX_LIST, .where = IN_JSON, .key = key, .words = items, .count = count});
}

void document_numbers(Document *document, const char *key, const int64_t *numbers, size_t count)
{
    document_add(
        document,
        (Item){.kind = ITEM_NUMBERS, .where = IN_JSON, .key = key, .numbers = numbers, .count = count});
}

const Cell *table_cells(const Table *table, size_t row, Cell *scratch)
{
    if (table->row == NULL) {
        return table->cells.items + row * table->column_count;
    }
    for (size_t i = 0; i < table->column_count; i++) {
        scratch[i] = cell_absent();
    }
    table->row(table->context, row, scratch);
    for (size_t i = 0; i < table->column_count; i++) {
        if (scratch[i].kind == CELL_TEXT && scratch[i].as.text.bytes == NULL) {
            table->document->failed = true;
            scratch[i] = cell_null();
        }
    }
    distrust_row(table, scratch);
    return scratch;
}

bool where_shows(unsigned where, unsigned here, bool verbose)
{
    if (here == IN_TEXT && (where & IN_VERBOSE) != 0) {
        return verbose;
    }
    return (where & (IN_TEXT | IN_JSON | IN_CSV)) == 0 || (where & here) != 0;
}
