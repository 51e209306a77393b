/* What a command answers, free of any format: fields, tables and notes, with typed values. render.h turns it
 * into text, JSON or CSV. Texts from files go in raw; the renderer makes them harmless.
 *
 * Titles and keys are string constants. Building never fails loudly: document_ok() tells at the end. */
#ifndef EXSCOPE_EXPLORE_DOCUMENT_H
#define EXSCOPE_EXPLORE_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

typedef struct Document Document;
typedef struct Table Table;

/* ---- values ---- */

typedef enum CellKind {
    CELL_ABSENT, /* left out of JSON, "-" in text (where a column of them is left out), empty in CSV */
    CELL_NULL,   /* null in JSON, "-" in text, empty in CSV */
    CELL_BOOL,
    CELL_UNSIGNED,
    CELL_SIGNED,
    CELL_REAL,
    CELL_TEXT,
    CELL_LIST,     /* of unsigned numbers */
    CELL_TILES,    /* the same, of tiles */
    CELL_ENDPOINTS /* {"tile":..,"address":..} each; in text and CSV tile@address */
} CellKind;

/* How a value is to be taken; colour and a sign in text. JSON and CSV say the same in a key of their own. */
typedef enum CellMark { MARK_NONE, MARK_GOOD, MARK_BAD, MARK_WARN, MARK_BEST, MARK_FAINT } CellMark;

typedef struct Cell {
    CellKind kind;
    CellMark mark;
    union {
        bool boolean;
        uint64_t number;
        int64_t signed_number;
        double real;
        struct {
            const char *bytes; /* borrowed: lives as long as the document (document_keep), or longer */
            size_t length;
        } text;
        struct {
            const uint32_t *items; /* borrowed; CELL_ENDPOINTS: addresses */
            const uint16_t *tiles; /* borrowed; CELL_TILES, CELL_ENDPOINTS */
            size_t count;
        } list;
    } as;
} Cell;

Cell cell_absent(void);
Cell cell_null(void);
Cell cell_bool(bool value);
Cell cell_unsigned(uint64_t value);
Cell cell_signed(int64_t value);
Cell cell_real(double value);
Cell cell_text(const char *value); /* NULL: cell_null() */
/* What the row of a lazy table has written into a text of its own: when memory ran out for it, the document
 * fails. */
Cell cell_scratch(const Text *text);
Cell cell_list(const uint32_t *items, size_t count);
Cell cell_tiles(const uint16_t *tiles, size_t count);
Cell cell_endpoints(const uint16_t *tiles, const uint32_t *addresses, size_t count);
Cell cell_marked(Cell cell, CellMark mark);

/* null for a negative value: tiles that are "none". */
Cell cell_tile(int64_t tile);

/* How a number is written in text; JSON and CSV always have the plain number. */
typedef enum Unit {
    UNIT_NONE,
    UNIT_COUNT,   /* thousands separated in text */
    UNIT_BYTES,   /* as UNIT_COUNT */
    UNIT_CYCLES,  /* as UNIT_COUNT */
    UNIT_WORDS,   /* as UNIT_COUNT */
    UNIT_ADDRESS, /* 0x4c000 */
    UNIT_SECONDS, /* 0.123 s */
    UNIT_PERCENT  /* -12.5 % */
} Unit;

/* ---- the document ---- */

Document *document_new(Error *error);
void document_free(Document *document); /* NULL is fine */
bool document_ok(const Document *document, Error *error);

/* Nothing was put in: then nothing is rendered. */
bool document_is_empty(const Document *document);

/* A text of the document's own, for cell_text and notes. "" when memory is out. */
const char *document_keep(Document *document, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Takes over what was appended to `text`, which is {0} again. A text that failed fails the document. */
const char *document_keep_text(Document *document, Text *text);

/* Frees `context` with `release` when the document goes: for what borrowed cells and lazy tables point to.
 * The last thing that a command does with it: when memory is out it is freed at once. NULL is fine. */
void document_own(Document *document, void *context, void (*release)(void *context));

/* Where an item appears. 0 stands for everywhere. */
enum {
    IN_TEXT = 1,
    IN_JSON = 2,
    IN_CSV = 4,
    IN_VERBOSE = 8 /* in JSON and CSV, but in text only with the setting `verbose` */
};

/* A named value, in the order of the calls. `key` may be a path, "busiest.payload_bytes": consecutive keys
 * with the same head make one JSON object. A field that stands before a table is a leading column of the
 * table in CSV when `identifies` (phase, mode, scope: what a row belongs to). */
void document_field(Document *document, const char *key, const char *title, Unit unit, Cell value);
void document_field_in(Document *document, unsigned where, const char *key, const char *title, Unit unit,
                       Cell value);
void document_identify(Document *document, const char *key, const char *title, Unit unit, Cell value);

/* From here on, figures that are added - numbers with a unit that counts something, in fields and tables -
 * are those of a mode that is not valid: each is marked MARK_BAD, so that none can be taken for a result.
 * False ends that. */
void document_distrust(Document *document, bool distrusted);

/* A line above the fields or the table that follow, in text only: what they are about, where that is not what
 * the fields before are about. */
void document_heading(Document *document, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A line of explanation, in text only. */
void document_note(Document *document, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- tables ---- */

typedef struct Column {
    const char *key;   /* in JSON and CSV; may be a path */
    const char *title; /* in text; NULL: the column is not shown there */
    Unit unit;
    unsigned where; /* 0: everywhere */
} Column;

/* A list of objects under `key`. `columns` are borrowed and outlive the document: a static table. */
Table *document_table(Document *document, const char *key, const Column *columns, size_t columns_count);
Table *document_table_in(Document *document, unsigned where, const char *key, const Column *columns,
                         size_t columns_count);

/* `cells` has one per column and is copied. */
void table_row(Table *table, const Cell *cells);

/* Rows with equal `leading` first cells, when they follow one another, are one JSON object: the leading cells
 * and, under `key`, the list of the rest. A row of which the rest is all absent makes an empty list. */
void table_group(Table *table, size_t leading, const char *key);

/* What text shows instead of an empty table, e.g. "no gaps". */
void table_empty(Table *table, const char *sentence);

/* A table that makes its rows when it is written, `rows` of them, for millions: row(context, i, cells) fills
 * the cells of row i; text asks for each row twice. */
typedef void (*TableRow)(void *context, size_t index, Cell *cells);
Table *document_lazy_table(Document *document, unsigned where, const char *key, const Column *columns,
                           size_t columns_count, size_t rows, TableRow row, void *context);

/* A JSON list of `count` lists, e.g. the rows of all tiles: list(context, i, &items, &items_count) gives the
 * numbers, written as strings of 8 hex digits. JSON only. */
typedef void (*HexList)(void *context, size_t index, const uint32_t **items, size_t *items_count);
void document_hex_lists(Document *document, const char *key, size_t count, HexList list, void *context);

/* One such list. */
void document_hex_list(Document *document, const char *key, const uint32_t *items, size_t count);

/* A JSON list of numbers, negative ones as null. JSON only; borrowed. */
void document_numbers(Document *document, const char *key, const int64_t *numbers, size_t count);

#endif
