/* The transfers of one tile, or of a whole phase, in some order: a task, because a phase may have millions.
 */
#ifndef EXSCOPE_TUI_TRANSFERS_H
#define EXSCOPE_TUI_TRANSFERS_H

#include "tui/app.h"

enum { TRANSFER_FILTER_BYTES = 120 };

typedef struct TransferQuery {
    const PhaseEntry *entry;
    Mode mode;
    int32_t tile; /* -1: the whole phase, one row a transfer; else one row for each role of the tile */
    TransferSort sort;
    bool reverse;
    bool times;            /* a replay is there: with start and end */
    ReplayOptions options; /* of that replay */
    char filter[TRANSFER_FILTER_BYTES];
} TransferQuery;

#define TRANSFER_SENT UINT32_MAX

typedef struct TransferRow {
    uint32_t transfer;
    uint32_t
        receiver; /* place in the phase's receiver columns; TRANSFER_SENT: the tile sends (or: whole phase) */
    uint32_t start, end; /* cycles, with `times`; of the whole phase only `end`, its completion */
} TransferRow;

typedef struct TransferList {
    Task task;
    TransferQuery query;
    TransferRow *rows; /* NULL: all transfers in order, without times */
    size_t count;
    uint32_t latest_cycle; /* of all ends */
} TransferList;

/* NULL for want of memory. Release with task_release(&list->task). */
TransferList *transfers_new(const TransferQuery *query, Error *error);

bool transfer_query_equal(const TransferQuery *a, const TransferQuery *b);

/* Row i of a ready list. */
TransferRow transfers_row(const TransferList *list, size_t index);

/* The place of a transfer (of its first row); false when it is not in the list. */
bool transfers_find(const TransferList *list, uint32_t transfer, uint64_t *place);

/* Is the text a filter? ERROR_USAGE with what is. */
bool transfer_filter_check(const char *text, Error *error);

#endif
