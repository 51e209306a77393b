/* The inside of a Document, for those that build it (document.c) and render it (render*.c). */
#ifndef EXSCOPE_EXPLORE_DOCUMENT_PARTS_H
#define EXSCOPE_EXPLORE_DOCUMENT_PARTS_H

#include "base/vec.h"
#include "explore/document.h"

typedef enum ItemKind {
    ITEM_FIELD,
    ITEM_NOTE,
    ITEM_HEADING,
    ITEM_TABLE,
    ITEM_HEX_LISTS,
    ITEM_HEX_LIST,
    ITEM_NUMBERS
} ItemKind;

typedef struct Item {
    ItemKind kind;
    unsigned where;  /* IN_* */
    bool identifies; /* ITEM_FIELD */
    const char *key; /* ITEM_NOTE, ITEM_HEADING: none */
    const char *title;
    Unit unit;
    Cell value; /* ITEM_FIELD; ITEM_NOTE, ITEM_HEADING: its text */
    Table *table;
    HexList list;
    void *context;
    const int64_t *numbers;
    const uint32_t *words;
    size_t count;
} Item;

struct Table {
    Document *document;
    const Column *columns;
    size_t column_count;
    size_t rows;
    VEC(Cell) cells; /* rows * column_count, unless lazy */
    TableRow row;    /* lazy: makes a row */
    void *context;
    size_t group_leading;
    const char *group_key; /* NULL: not grouped */
    const char *empty;
    bool distrusted;
};

typedef struct Owned {
    void *context;
    void (*release)(void *context);
} Owned;

struct Document {
    VEC(Item) items;
    VEC(Owned) owned;
    bool distrusted; /* what is added now */
    bool failed;     /* memory ran out while it was built */
};

/* The cells of one row: in place, or made into `scratch` (column_count cells). */
const Cell *table_cells(const Table *table, size_t row, Cell *scratch);

/* Whether something made for `where` appears in this one of IN_TEXT, IN_JSON, IN_CSV. */
bool where_shows(unsigned where, unsigned here, bool verbose);

#endif
