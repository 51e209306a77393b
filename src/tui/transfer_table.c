#include "config.h"

#include "tui/transfer_table.h"

#include <stdio.h>

typedef enum TransferColumn {
    COLUMN_INDEX,
    COLUMN_ROLE,
    COLUMN_PEER,
    COLUMN_WORDS,
    COLUMN_FROM,
    COLUMN_REPEAT,
    COLUMN_TO,
    COLUMN_START,
    COLUMN_END,
    COLUMN_COUNT
} TransferColumn;

typedef struct TransferCells {
    const Phase *phase;
    const TransferList *list;
} TransferCells;

static void put_tiles(const Phase *phase, uint32_t transfer, ListCell *cell)
{
    uint32_t first = phase->receiver_start[transfer], count = phase_receivers(phase, transfer);
    size_t length = 0;
    for (uint32_t k = 0; k < count && k < 3; k++) {
        length += (size_t)snprintf(cell->text + length, sizeof cell->text - length, "%s%u", k > 0 ? " " : "",
                                   (unsigned)phase->receiver_tile[first + k]);
    }
    if (count > 3) {
        snprintf(cell->text + length, sizeof cell->text - length, " +%u", (unsigned)(count - 3));
    }
}

static void put_transfer_cell(void *context, uint64_t index, int column, ListCell *cell)
{
    const TransferCells *cells = context;
    const Phase *phase = cells->phase;
    TransferRow row = transfers_row(cells->list, (size_t)index);
    bool whole = cells->list->query.tile < 0, sent = row.receiver == TRANSFER_SENT;
    uint32_t receiver = sent ? phase->receiver_start[row.transfer] : row.receiver;
    switch ((TransferColumn)column) {
    case COLUMN_INDEX:
        snprintf(cell->text, sizeof cell->text, "%s", figure_count(row.transfer).text);
        break;
    case COLUMN_ROLE:
        if (whole) {
            snprintf(cell->text, sizeof cell->text, "%u", (unsigned)phase->source[row.transfer]);
        } else {
            snprintf(cell->text, sizeof cell->text, sent ? "send →" : "recv ←");
            cell->style = sent ? LOOK_SEND : LOOK_RECEIVE;
        }
        break;
    case COLUMN_PEER:
        if (sent) {
            put_tiles(phase, row.transfer, cell);
        } else {
            snprintf(cell->text, sizeof cell->text, "%u", (unsigned)phase->source[row.transfer]);
        }
        break;
    case COLUMN_WORDS:
        snprintf(cell->text, sizeof cell->text, "%s%s", figure_count(phase->words[row.transfer]).text,
                 phase->width[row.transfer] == WIDTH_PAIRED64 ? "p" : " ");
        break;
    case COLUMN_FROM:
        snprintf(cell->text, sizeof cell->text, "%s",
                 figure_address(phase_address(phase, row.transfer, 0)).text);
        break;
    case COLUMN_REPEAT:
        if (phase_address_count(phase, row.transfer) > 1) {
            snprintf(cell->text, sizeof cell->text, "×%u",
                     (unsigned)phase_address_count(phase, row.transfer));
        }
        break;
    case COLUMN_TO:
        snprintf(cell->text, sizeof cell->text, "%s", figure_address(phase->receiver_address[receiver]).text);
        break;
    case COLUMN_START:
    case COLUMN_END:
        snprintf(cell->text, sizeof cell->text, "%s",
                 figure_count(column == COLUMN_START ? row.start : row.end).text);
        break;
    case COLUMN_COUNT:
        break;
    }
}

static TransferColumn sort_column(TransferSort sort)
{
    static const TransferColumn columns[TRANSFER_SORT_COUNT] = {
        [TRANSFER_SORT_ORDER] = COLUMN_INDEX, [TRANSFER_SORT_WORDS] = COLUMN_WORDS,
        [TRANSFER_SORT_PEER] = COLUMN_PEER,   [TRANSFER_SORT_SOURCE_ADDRESS] = COLUMN_FROM,
        [TRANSFER_SORT_ADDRESS] = COLUMN_TO,  [TRANSFER_SORT_START] = COLUMN_START,
    };
    return columns[sort];
}

void transfer_table_draw(List *shown, Grid *grid, Rect area, const Phase *phase, const TransferList *list,
                         bool focused)
{
    bool whole = list->query.tile < 0, times = list->query.times;
    bool moves = phase->address_start[phase->transfers] > phase->transfers; /* some have several addresses */
    int cycles = figure_width(list->latest_cycle);
    int index = figure_width(phase->transfers);
    ListColumn columns[COLUMN_COUNT] = {
        [COLUMN_INDEX] = {"#", index, true, false, false},
        [COLUMN_ROLE] = {whole ? "source" : "role", 6, whole, false, false},
        [COLUMN_PEER] = {whole ? "receivers" : "other end", 10, false, true, false},
        [COLUMN_WORDS] = {"words ", 6, true, false, false},
        [COLUMN_FROM] = {"from", 7, true, false, false},
        [COLUMN_REPEAT] = {"", moves ? 3 : 0, false, false, false},
        [COLUMN_TO] = {"to", 7, true, false, false},
        [COLUMN_START] = {whole ? "done" : "start", cycles, true, false, false},
        [COLUMN_END] = {"end", cycles, true, false, false},
    };
    columns[sort_column(list->query.sort)].sorted = true;
    TransferCells cells = {.phase = phase, .list = list};
    ListModel model = {
        .columns = columns,
        .column_count = !times  ? COLUMN_START
                        : whole ? COLUMN_END
                                : COLUMN_COUNT,
        .frozen = 1,
        .reverse = list->query.reverse,
        .rows = list->count,
        .cell = put_transfer_cell,
        .context = &cells,
        .empty = list->query.filter[0] != '\0' ? "no transfer matches the filter"
                 : whole                       ? "this phase has no transfers"
                                               : "this tile takes no part in the phase",
    };
    list_draw(shown, &model, grid, area, focused);
}
