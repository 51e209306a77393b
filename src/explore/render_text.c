#include "config.h"

#include <string.h>
#include <wchar.h>

#include "explore/render_parts.h"

enum { LIST_PARTS = 8 }; /* of a list, before it is cut */

/* Colours that stay apart for every kind of sight: no meaning hangs on red against green, and each mark has a
 * sign of its own as well, or words that say it. */
static const char *const mark_colour[] = {
    [MARK_NONE] = "",         [MARK_GOOD] = "\033[36m",   [MARK_BAD] = "\033[1;33m",
    [MARK_WARN] = "\033[33m", [MARK_BEST] = "\033[1;36m", [MARK_FAINT] = "\033[2m",
};
static const char *const colour_title = "\033[1m";
static const char *const colour_end = "\033[0m";

/* Text says it in words, and what is not there is nothing to mark. */
static const char *cell_sign(const Cell *cell)
{
    if (cell->kind == CELL_TEXT || cell->kind == CELL_NULL || cell->kind == CELL_ABSENT) {
        return "";
    }
    return cell->mark == MARK_BAD ? "!" : cell->mark == MARK_BEST ? "*" : "";
}

/* Columns that visible text takes on a terminal. */
static size_t text_columns(const char *bytes, size_t length)
{
    size_t columns = 0;
    while (length > 0) {
        uint32_t point = 0;
        size_t used = text_decode_utf8(bytes, length, &point);
        int wide = used == 0 || point < 0x80 ? 1 : wcwidth((wchar_t)point);
        columns += wide < 0 ? 1 : (size_t)wide;
        used = used == 0 ? 1 : used;
        bytes += used;
        length -= used;
    }
    return columns;
}

/* 1,234,567 */
static void append_grouped(Text *text, uint64_t number)
{
    if (number >= 1000) {
        append_grouped(text, number / 1000);
        number %= 1000;
        text_append_char(text, ',');
        text_append_char(text, (char)('0' + number / 100));
        text_append_char(text, (char)('0' + number / 10 % 10));
        number %= 10;
    }
    text_append_unsigned(text, number);
}

static void append_unsigned(Text *text, uint64_t number, Unit unit)
{
    switch (unit) {
    case UNIT_COUNT:
    case UNIT_BYTES:
    case UNIT_CYCLES:
    case UNIT_WORDS:
        append_grouped(text, number);
        break;
    case UNIT_ADDRESS:
        text_append(text, "0x");
        text_append_hex(text, number, 5);
        break;
    case UNIT_NONE:
    case UNIT_SECONDS:
    case UNIT_PERCENT:
        text_append_unsigned(text, number);
        break;
    }
}

/* 0..26 for a run of consecutive numbers, else 0,2,7. Long ones are cut, unless verbose. */
static void append_list(Text *text, const Cell *cell, Unit unit, bool verbose)
{
    size_t count = cell->as.list.count, parts = 0;
    for (size_t i = 0; i < count; parts++) {
        uint32_t first = cell_list_item(cell, i);
        size_t end = i + 1;
        while (end < count && cell_list_item(cell, end) == first + (end - i)) {
            end++;
        }
        end = end - i > 2 && unit != UNIT_ADDRESS ? end : i + 1;
        text_append(text, i == 0 ? "" : ",");
        if (parts == LIST_PARTS && !verbose) {
            text_printf(text, "+%zu", count - i);
            return;
        }
        append_unsigned(text, first, unit);
        if (end > i + 1) {
            text_append(text, "..");
            append_unsigned(text, cell_list_item(cell, end - 1), unit);
        }
        i = end;
    }
}

static void append_endpoints(Text *text, const Cell *cell, bool verbose)
{
    for (size_t i = 0; i < cell->as.list.count; i++) {
        text_append(text, i == 0 ? "" : " ");
        if (i == LIST_PARTS && !verbose) {
            text_printf(text, "+%zu", cell->as.list.count - i);
            return;
        }
        text_append_unsigned(text, cell->as.list.tiles[i]);
        text_append_char(text, '@');
        append_unsigned(text, cell->as.list.items[i], UNIT_ADDRESS);
    }
}

static void append_cell(Text *text, const Cell *cell, Unit unit, const RenderOptions *options)
{
    switch (cell->kind) {
    case CELL_ABSENT:
    case CELL_NULL:
        text_append_char(text, '-');
        break;
    case CELL_BOOL:
        text_append(text, cell->as.boolean ? "yes" : "no");
        break;
    case CELL_UNSIGNED:
        append_unsigned(text, cell->as.number, unit);
        break;
    case CELL_SIGNED:
        text_append(text, cell->as.signed_number < 0 ? "-" : "+");
        append_unsigned(text, cell_magnitude(cell), unit);
        break;
    case CELL_REAL:
        text_printf(text,
                    unit == UNIT_PERCENT   ? "%+.1f%%"
                    : unit == UNIT_SECONDS ? "%.3f s"
                                           : "%.3f",
                    cell->as.real);
        break;
    case CELL_TEXT:
        if (options->ascii) {
            text_append_ascii(text, cell->as.text.bytes, cell->as.text.length);
        } else {
            text_append_visible(text, cell->as.text.bytes, cell->as.text.length);
        }
        break;
    case CELL_LIST:
    case CELL_TILES:
        text_append(text, cell->as.list.count == 0 ? "-" : "");
        append_list(text, cell, unit, options->verbose);
        break;
    case CELL_ENDPOINTS:
        append_endpoints(text, cell, options->verbose);
        break;
    }
}

static void append_coloured(Text *text, const RenderOptions *options, const char *colour, const char *bytes,
                            size_t length)
{
    bool paint = options->color && colour[0] != '\0' && length > 0;
    text_append(text, paint ? colour : "");
    text_append_bytes(text, bytes, length);
    text_append(text, paint ? colour_end : "");
}

/* ---- tables ---- */

typedef struct Layout {
    size_t width; /* of the widest cell or the title, its sign not counted */
    bool shown;   /* by the options, and because some cell is there */
    bool there;
    bool left;  /* text, else numbers, which go right */
    bool signs; /* some cell has a sign: numbers keep a place for it */
} Layout;

typedef struct TableWriter {
    Writer *writer;
    const Table *table;
    Layout *layout;
    Cell *cells; /* scratch for lazy tables */
    Text cell;   /* scratch */
    size_t last; /* the last column shown */
} TableWriter;

static bool cell_goes_left(const Cell *cell)
{
    return cell->kind >= CELL_TEXT || cell->kind == CELL_BOOL;
}

static void table_cell(TableWriter *out, const Cell *cell, Unit unit)
{
    text_clear(&out->cell);
    append_cell(&out->cell, cell, unit, out->writer->options);
    out->writer->text.failed = out->writer->text.failed || out->cell.failed;
}

static bool table_measure(TableWriter *out)
{
    const Table *table = out->table;
    for (size_t i = 0; i < table->column_count; i++) {
        const Column *column = &table->columns[i];
        Layout *layout = &out->layout[i];
        layout->shown =
            column->title != NULL && where_shows(column->where, IN_TEXT, out->writer->options->verbose);
        if (layout->shown) {
            layout->width = text_columns(column->title, strlen(column->title));
        }
    }
    for (size_t row = 0; row < table->rows; row++) {
        const Cell *cells = table_cells(table, row, out->cells);
        for (size_t i = 0; i < table->column_count; i++) {
            Layout *layout = &out->layout[i];
            if (!layout->shown) {
                continue;
            }
            table_cell(out, &cells[i], table->columns[i].unit);
            size_t width = text_columns(text_view(&out->cell), out->cell.length);
            layout->width = width > layout->width ? width : layout->width;
            layout->there = layout->there || cells[i].kind != CELL_ABSENT;
            layout->left = layout->left || cell_goes_left(&cells[i]);
            layout->signs = layout->signs || cell_sign(&cells[i])[0] != '\0';
        }
        if (row % 4096 == 4095 && !progress_go_on(out->writer->progress, out->writer->error)) {
            return false;
        }
    }
    for (size_t i = 0; i < table->column_count; i++) {
        out->layout[i].shown = out->layout[i].shown && (out->layout[i].there || table->rows == 0);
        out->last = out->layout[i].shown ? i : out->last;
    }
    return true;
}

static void table_put(TableWriter *out, size_t column, const char *colour, const char *bytes, size_t length,
                      const char *sign)
{
    Text *text = &out->writer->text;
    const Layout *layout = &out->layout[column];
    size_t width = text_columns(bytes, length);
    size_t pad = layout->width > width ? layout->width - width : 0;
    if (!layout->left) {
        text_append_repeat(text, ' ', pad);
        pad = 0;
    }
    append_coloured(text, out->writer->options, colour, bytes, length);
    text_append(text, sign);
    if (column != out->last) {
        size_t sign_place = layout->signs && sign[0] == '\0';
        text_append_repeat(text, ' ', pad + sign_place + 2);
    }
}

static bool table_write(TableWriter *out)
{
    const Table *table = out->table;
    Text *text = &out->writer->text;
    for (size_t i = 0; i < table->column_count; i++) {
        if (out->layout[i].shown) {
            const char *title = table->columns[i].title;
            table_put(out, i, colour_title, title, strlen(title), "");
        }
    }
    text_append_char(text, '\n');
    for (size_t row = 0; row < table->rows; row++) {
        const Cell *cells = table_cells(table, row, out->cells);
        for (size_t i = 0; i < table->column_count; i++) {
            if (out->layout[i].shown) {
                table_cell(out, &cells[i], table->columns[i].unit);
                table_put(out, i, mark_colour[cells[i].mark], text_view(&out->cell), out->cell.length,
                          cell_sign(&cells[i]));
            }
        }
        text_append_char(text, '\n');
        if (!writer_step(out->writer)) {
            return false;
        }
    }
    return true;
}

static bool text_table(Writer *writer, const Table *table)
{
    if (table->rows == 0 && table->empty != NULL) {
        text_printf(&writer->text, "%s\n", table->empty);
        return true;
    }
    TableWriter out = {.writer = writer, .table = table};
    out.layout = mem_zero(table->column_count, sizeof *out.layout, writer->error);
    out.cells = mem_new(table->column_count, sizeof *out.cells, writer->error);
    bool done = out.layout != NULL && out.cells != NULL && table_measure(&out) && table_write(&out);
    mem_free(out.layout);
    mem_free(out.cells);
    text_free(&out.cell);
    return done;
}

/* ---- fields and notes ---- */

static bool item_shows(const Writer *writer, const Item *item)
{
    return where_shows(item->where, IN_TEXT, writer->options->verbose) &&
           (item->kind == ITEM_TABLE || item->kind == ITEM_HEADING ||
            (item->kind == ITEM_NOTE && !writer->options->quiet) ||
            (item->kind == ITEM_FIELD && item->title != NULL && item->value.kind != CELL_ABSENT));
}

/* The fields from `index` on that stand together share the width of their titles. */
static size_t fields_title_width(const Writer *writer, const Document *document, size_t index)
{
    size_t width = 0;
    for (size_t i = index; i < document->items.count && document->items.items[i].kind == ITEM_FIELD; i++) {
        const Item *item = &document->items.items[i];
        if (item_shows(writer, item)) {
            size_t title = text_columns(item->title, strlen(item->title));
            width = title > width ? title : width;
        }
    }
    return width;
}

static void text_field(Writer *writer, const Item *item, size_t width)
{
    Text *text = &writer->text;
    Text value = {0};
    append_cell(&value, &item->value, item->unit, writer->options);
    append_coloured(text, writer->options, colour_title, item->title, strlen(item->title));
    size_t title = text_columns(item->title, strlen(item->title));
    text_append_repeat(text, ' ', (width > title ? width - title : 0) + 2);
    append_coloured(text, writer->options, mark_colour[item->value.mark], text_view(&value), value.length);
    text_append(text, cell_sign(&item->value));
    text_append_char(text, '\n');
    text->failed = text->failed || value.failed;
    text_free(&value);
}

static void text_heading(Writer *writer, const Item *item)
{
    Text line = {0};
    append_cell(&line, &item->value, UNIT_NONE, writer->options);
    append_coloured(&writer->text, writer->options, colour_title, text_view(&line), line.length);
    text_append(&writer->text, ":\n");
    writer->text.failed = writer->text.failed || line.failed;
    text_free(&line);
}

static void text_note(Writer *writer, const Item *item)
{
    Text line = {0};
    text_append(&line, "note: ");
    append_cell(&line, &item->value, UNIT_NONE, writer->options);
    append_coloured(&writer->text, writer->options, mark_colour[MARK_FAINT], text_view(&line), line.length);
    text_append_char(&writer->text, '\n');
    writer->text.failed = writer->text.failed || line.failed;
    text_free(&line);
}

/* Fields that stand together, each table, and notes that stand together are blocks, with an empty line
 * between. A heading belongs to the block that follows. */
bool render_text(Writer *writer, const Document *document)
{
    ItemKind before = ITEM_HEX_LISTS; /* never shown in text: the beginning */
    size_t width = 0;
    for (size_t i = 0; i < document->items.count; i++) {
        const Item *item = &document->items.items[i];
        if (!item_shows(writer, item)) {
            continue;
        }
        if (item->kind != before || item->kind == ITEM_TABLE) {
            text_append(&writer->text, before == ITEM_HEX_LISTS || before == ITEM_HEADING ? "" : "\n");
            width = item->kind == ITEM_FIELD ? fields_title_width(writer, document, i) : 0;
        }
        before = item->kind;
        if (item->kind == ITEM_FIELD) {
            text_field(writer, item, width);
        } else if (item->kind == ITEM_HEADING) {
            text_heading(writer, item);
        } else if (item->kind == ITEM_NOTE) {
            text_note(writer, item);
        } else if (!text_table(writer, item->table)) {
            return false;
        }
        if (!writer_step(writer)) {
            return false;
        }
    }
    return true;
}
