/* tiles, tile, transfers, routes */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/routes.h"
#include "base/sort.h"
#include "explore/answers.h"
#include "explore/words.h"

/* ---- tiles ---- */

typedef enum TileSort {
    TILE_SORT_ROWS,
    TILE_SORT_FRAGMENTS,
    TILE_SORT_SENT,
    TILE_SORT_RECEIVED,
    TILE_SORT_IDLE,
    TILE_SORT_TILE
} TileSort;

static const char *const tile_sorts[] = {"rows", "fragments", "sent", "received", "idle", "tile", NULL};

static const Column tile_columns[] = {
    {"tile", "tile", UNIT_NONE, 0},
    {"send_fragments", "sends", UNIT_COUNT, 0},
    {"receive_fragments", "receives", UNIT_COUNT, 0},
    {"endpoint_fragments", "all fragments", UNIT_COUNT, 0},
    {"sent_bytes", "sent bytes", UNIT_BYTES, 0},
    {"received_bytes", "received bytes", UNIT_BYTES, 0},
    {"row_words", "row words", UNIT_WORDS, IN_VERBOSE},
    {"row_bytes", "row bytes", UNIT_BYTES, 0},
    {"horizon_cycles", "ends at cycle", UNIT_CYCLES, 0},
    {"idle_cycles", "idle cycles", UNIT_CYCLES, 0},
};

enum { TILE_COLUMNS = sizeof tile_columns / sizeof *tile_columns };

/* The figures of all tiles, and of the replay when there is one that may be shown. */
typedef struct TileTable {
    const TileFigures *figures;
    const Replay *replay; /* NULL: not replayed, or its check failed */
    uint32_t *idle;       /* with a replay */
    uint32_t *order;
    uint16_t count;
} TileTable;

static void tile_cells(const TileTable *tiles, uint32_t tile, Cell cells[TILE_COLUMNS])
{
    const TileFigures *figures = &tiles->figures[tile];
    const Replay *replay = tiles->replay;
    cells[0] = cell_unsigned(tile);
    cells[1] = cell_unsigned(figures->send_fragments);
    cells[2] = cell_unsigned(figures->receive_fragments);
    cells[3] = cell_unsigned((uint64_t)figures->send_fragments + figures->receive_fragments);
    cells[4] = cell_unsigned(figures->sent_bytes);
    cells[5] = cell_unsigned(figures->received_bytes);
    for (size_t i = 6; i < TILE_COLUMNS; i++) {
        cells[i] = cell_absent();
    }
    if (replay != NULL) {
        uint64_t words = replay->row_start[tile + 1] - replay->row_start[tile];
        cells[6] = cell_unsigned(words);
        cells[7] = cell_unsigned(4 * words);
        cells[8] = cell_unsigned(replay->tile_horizon[tile]);
        cells[9] = cell_unsigned(tiles->idle[tile]);
    }
}

static uint64_t tile_key(const TileTable *tiles, uint32_t tile, TileSort sort)
{
    const TileFigures *figures = &tiles->figures[tile];
    switch (sort) {
    case TILE_SORT_ROWS:
        return tiles->replay->row_start[tile + 1] - tiles->replay->row_start[tile];
    case TILE_SORT_IDLE:
        return tiles->idle[tile];
    case TILE_SORT_SENT:
        return figures->sent_bytes;
    case TILE_SORT_RECEIVED:
        return figures->received_bytes;
    case TILE_SORT_TILE:
        return 0;
    case TILE_SORT_FRAGMENTS:
        break;
    }
    return (uint64_t)figures->send_fragments + figures->receive_fragments;
}

static void tile_table_free(void *context)
{
    TileTable *tiles = context;
    mem_free(tiles->idle);
    mem_free(tiles->order);
    mem_free(tiles);
}

static bool tile_table_sort(TileTable *tiles, TileSort sort, Error *error)
{
    SortItem *items = mem_new(tiles->count, sizeof *items, error);
    if (items == NULL) {
        return false;
    }
    for (uint32_t tile = 0; tile < tiles->count; tile++) {
        items[tile] = (SortItem){.key = UINT64_MAX - tile_key(tiles, tile, sort), .value = tile};
    }
    bool done = sort_items(items, tiles->count, error);
    for (uint32_t i = 0; done && i < tiles->count; i++) {
        tiles->order[i] = items[i].value;
    }
    mem_free(items);
    return done;
}

/* The replay whose figures may be shown: run when it is asked for, else taken when it is there. */
static bool shown_replay(CommandCall *call, bool needed, const Replay **replay, Error *error)
{
    *replay = needed ? view_need_replay(call->view, call->entry, call->mode, NULL, call->progress, error)
                     : view_peek_replay(call->view, call->entry, call->mode, NULL);
    if (*replay != NULL && !(*replay)->invariants_pass) {
        if (needed) {
            return answer_failed_replay(call, *replay, error);
        }
        document_note(call->out, "the replay of mode %s FAILED its check, so its figures are not shown: %s",
                      mode_name(call->mode), (*replay)->first_fault);
        *replay = NULL;
    }
    return *replay != NULL || !needed;
}

/* A table of the call's mode with everything but the order. */
static TileTable *tile_table_new(CommandCall *call, bool replay_needed, Error *error)
{
    uint16_t count = view_tile_count(call->view);
    const TileFigures *figures = view_need_tiles(call->view, call->entry, call->mode, call->progress, error);
    const Replay *replay = NULL;
    if (figures == NULL || !shown_replay(call, replay_needed, &replay, error)) {
        return NULL;
    }
    TileTable *tiles = mem_zero(1, sizeof *tiles, error);
    if (tiles == NULL) {
        return NULL;
    }
    *tiles = (TileTable){.figures = figures,
                         .replay = replay,
                         .idle = mem_zero(count, sizeof *tiles->idle, error),
                         .order = mem_zero(count, sizeof *tiles->order, error),
                         .count = count};
    if (tiles->idle == NULL || tiles->order == NULL) {
        tile_table_free(tiles);
        return NULL;
    }
    for (uint32_t tile = 0; replay != NULL && tile < count; tile++) {
        tiles->idle[tile] = replay_idle_cycles(replay, (uint16_t)tile);
    }
    return tiles;
}

static void tile_row(void *context, size_t index, Cell *cells)
{
    const TileTable *tiles = context;
    tile_cells(tiles, tiles->order[index], cells);
}

static bool run_tiles(CommandCall *call, Error *error)
{
    TileSort sort = (TileSort)argument_number(call, "--sort", TILE_SORT_FRAGMENTS);
    TileTable *tiles = tile_table_new(call, sort == TILE_SORT_ROWS || sort == TILE_SORT_IDLE, error);
    if (tiles == NULL || !tile_table_sort(tiles, sort, error) || !answer_mode(call, error)) {
        if (tiles != NULL) {
            tile_table_free(tiles);
        }
        return false;
    }
    uint32_t top = argument_number(call, "--top", tiles->count);
    document_lazy_table(call->out, 0, "tiles", tile_columns, TILE_COLUMNS,
                        top < tiles->count ? top : tiles->count, tile_row, tiles);
    document_own(call->out, tiles, tile_table_free);
    return true;
}

/* ---- tile ---- */

static bool run_tile(CommandCall *call, Error *error)
{
    const Value *value = argument_value(call, "N", 0);
    uint16_t tile;
    if (value != NULL) {
        call->tile = (int32_t)value->number;
    }
    if (call->select_only) {
        if (value != NULL) {
            view_select_tile(call->view, call->tile);
        }
        return true;
    }
    if (!call_tile(call, &tile, error)) {
        return false;
    }
    const Dependencies *dependencies =
        view_need_dependencies(call->view, call->entry, MODE_ORIGINAL, call->progress, error);
    const Coverage *coverage =
        dependencies == NULL
            ? NULL
            : view_need_coverage(call->view, call->entry, scope_default(dependencies), call->progress, error);
    TileTable *tiles = coverage == NULL ? NULL : tile_table_new(call, false, error);
    if (tiles == NULL || !answer_mode(call, error)) {
        if (tiles != NULL) {
            tile_table_free(tiles);
        }
        return false;
    }
    if (value != NULL) {
        view_select_tile(call->view, tile);
    }
    Cell cells[TILE_COLUMNS];
    tile_cells(tiles, tile, cells);
    answer_fields(call->out, tile_columns, cells, TILE_COLUMNS);
    tile_table_free(tiles);
    answer_scope(call, scope_default(dependencies), coverage->transfers);
    answer_tile_coverage(call->out, &coverage->tiles[tile]);
    return true;
}

/* ---- transfers ---- */

static const Column transfer_columns[] = {
    {"transfer", "transfer", UNIT_NONE, 0},
    {"source", "source", UNIT_NONE, 0},
    {"source_addresses", "from", UNIT_ADDRESS, 0},
    {"repeat", "repeat", UNIT_COUNT, 0},
    {"words", "words", UNIT_WORDS, 0},
    {"width", "width", UNIT_NONE, 0},
    {"destinations", "to", UNIT_NONE, 0},
};

enum { TRANSFER_COLUMNS = sizeof transfer_columns / sizeof *transfer_columns };

typedef struct TransferList {
    const Phase *phase;
    VEC(uint32_t) transfers;
} TransferList;

static void transfer_list_free(void *context)
{
    TransferList *list = context;
    vec_free(&list->transfers);
    mem_free(list);
}

static void transfer_row(void *context, size_t index, Cell *cells)
{
    const TransferList *list = context;
    const Phase *phase = list->phase;
    uint32_t i = list->transfers.items[index];
    uint32_t receiver = phase->receiver_start[i];
    cells[0] = cell_unsigned(i);
    cells[1] = cell_unsigned(phase->source[i]);
    cells[2] = cell_list(phase->addresses + phase->address_start[i], phase_address_count(phase, i));
    cells[3] = cell_unsigned(phase->repeat[i]);
    cells[4] = cell_unsigned(phase->words[i]);
    cells[5] = cell_text(phase->width[i] == WIDTH_PAIRED64 ? "Paired64" : "Word32");
    cells[6] = cell_endpoints(phase->receiver_tile + receiver, phase->receiver_address + receiver,
                              phase_receivers(phase, i));
}

/* What --route asks for: a source and a set of receivers, S:R,R,.. */
typedef struct RouteFilter {
    uint16_t source;
    uint32_t receivers;
    bool wanted[FABRIC_TILES];
} RouteFilter;

/* `tiles`: how many the capture has. */
static bool route_tile(const char *text, size_t length, uint16_t tiles, uint16_t *tile, Error *error)
{
    char word[8];
    uint64_t number = 0;
    if (length >= sizeof word) {
        return error_set(error, ERROR_USAGE, "'%.*s' is no tile", (int)length, text);
    }
    memcpy(word, text, length);
    word[length] = '\0';
    bool done = word_number(word, 0, tiles == 0 ? 0 : tiles - 1u, "a tile of --route", &number, error);
    *tile = (uint16_t)number;
    return done;
}

static bool route_parse(const char *text, uint16_t tiles, RouteFilter *filter, Error *error)
{
    const char *colon = strchr(text, ':');
    if (colon == NULL) {
        return error_set(error, ERROR_USAGE, "--route must be SOURCE:RECEIVER,.. such as 0:1,2, not '%s'",
                         text);
    }
    if (!route_tile(text, (size_t)(colon - text), tiles, &filter->source, error)) {
        return false;
    }
    for (const char *at = colon + 1;; at++) {
        size_t length = strcspn(at, ",");
        uint16_t tile = 0;
        if (!route_tile(at, length, tiles, &tile, error)) {
            return false;
        }
        filter->receivers += !filter->wanted[tile];
        filter->wanted[tile] = true;
        at += length;
        if (*at == '\0') {
            return true;
        }
    }
}

static bool route_matches(const RouteFilter *filter, const Phase *phase, uint32_t i)
{
    if (phase->source[i] != filter->source || phase_receivers(phase, i) != filter->receivers) {
        return false;
    }
    for (uint32_t r = phase->receiver_start[i]; r < phase->receiver_start[i + 1]; r++) {
        if (!filter->wanted[phase->receiver_tile[r]]) {
            return false;
        }
    }
    return true;
}

static bool is_receiver(const Phase *phase, uint32_t i, uint32_t tile)
{
    for (uint32_t r = phase->receiver_start[i]; r < phase->receiver_start[i + 1]; r++) {
        if (phase->receiver_tile[r] == tile) {
            return true;
        }
    }
    return false;
}

static bool touches_tile(const Phase *phase, uint32_t i, uint32_t tile)
{
    return phase->source[i] == tile || is_receiver(phase, i, tile);
}

/* Whether a transfer reads the byte at its source, in the first Repeat iteration, or writes it at a receiver;
 * with a tile, whether it does so there. */
static bool touches_address(const Phase *phase, uint32_t i, uint32_t address, const Value *tile)
{
    uint32_t bytes = 4u * (uint32_t)phase->words[i];
    if ((tile == NULL || phase->source[i] == tile->number) && address - phase_address(phase, i, 0) < bytes) {
        return true;
    }
    for (uint32_t r = phase->receiver_start[i]; r < phase->receiver_start[i + 1]; r++) {
        if ((tile == NULL || phase->receiver_tile[r] == tile->number) &&
            address - phase->receiver_address[r] < bytes) {
            return true;
        }
    }
    return false;
}

/* What is asked for of every transfer; NULL: nothing. */
typedef struct TransferFilter {
    const RouteFilter *route;
    const Value *tile, *from, *to, *address;
} TransferFilter;

static bool filter_matches(const TransferFilter *filter, const Phase *phase, uint32_t i)
{
    return (filter->tile == NULL || touches_tile(phase, i, filter->tile->number)) &&
           (filter->from == NULL || phase->source[i] == filter->from->number) &&
           (filter->to == NULL || is_receiver(phase, i, filter->to->number)) &&
           (filter->address == NULL || touches_address(phase, i, filter->address->number, filter->tile)) &&
           (filter->route == NULL || route_matches(filter->route, phase, i));
}

static bool list_transfers(CommandCall *call, const RouteFilter *route, TransferList *list, Error *error)
{
    const Phase *phase = list->phase;
    const Value *range = argument_value(call, "--range", 0);
    TransferFilter filter = {.route = route,
                             .tile = argument_value(call, "--tile", 0),
                             .from = argument_value(call, "--from", 0),
                             .to = argument_value(call, "--to", 0),
                             .address = argument_value(call, "--address", 0)};
    uint32_t first = range == NULL ? 0 : range->number, end = range == NULL ? phase->transfers : range->end;
    size_t top = argument_number(call, "--top", 0);
    for (uint32_t i = first; i < end && i < phase->transfers; i++) {
        if (i % 4096 == 0 && !progress_go_on(call->progress, error)) {
            return false;
        }
        if (!filter_matches(&filter, phase, i)) {
            continue;
        }
        if (top != 0 && list->transfers.count == top) {
            break;
        }
        if (!vec_push(&list->transfers, i, error)) {
            return false;
        }
    }
    return true;
}

static bool run_transfers(CommandCall *call, Error *error)
{
    RouteFilter route = {0};
    const char *wanted = argument_text(call, "--route");
    const Phase *phase = view_need_phase(call->view, call->entry, call->mode, call->progress, error);
    TransferList *list =
        phase == NULL || (wanted != NULL && !route_parse(wanted, view_tile_count(call->view), &route, error))
            ? NULL
            : mem_zero(1, sizeof *list, error);
    if (list == NULL) {
        return false;
    }
    list->phase = phase;
    if (!list_transfers(call, wanted == NULL ? NULL : &route, list, error) || !answer_mode(call, error)) {
        transfer_list_free(list);
        return false;
    }
    document_distrust(call->out,
                      false); /* words and addresses say what the transfers are, not what they gain */
    Table *table = document_lazy_table(call->out, 0, "transfers", transfer_columns, TRANSFER_COLUMNS,
                                       list->transfers.count, transfer_row, list);
    table_empty(table, "no such transfers");
    document_own(call->out, list, transfer_list_free);
    return true;
}

/* ---- routes ---- */

static const Column route_columns[] = {
    {"source", "source", UNIT_NONE, 0},
    {"receivers", "receivers", UNIT_NONE, 0},
    {"receiver_count", "count", UNIT_COUNT, IN_VERBOSE},
    {"transfers", "transfers", UNIT_COUNT, 0},
    {"transmitted_bytes", "sent bytes", UNIT_BYTES, 0},
    {"loopback", "loopback", UNIT_NONE, 0},
};

enum { ROUTE_COLUMNS = sizeof route_columns / sizeof *route_columns };

typedef struct RouteList {
    Routes routes;
    SortItem *order;
} RouteList;

static void route_list_free(void *context)
{
    RouteList *list = context;
    routes_free(&list->routes);
    mem_free(list->order);
    mem_free(list);
}

static void route_row(void *context, size_t index, Cell *cells)
{
    const RouteList *list = context;
    const Route *route = &list->routes.routes[list->order[index].value];
    cells[0] = cell_unsigned(route->source);
    cells[1] = cell_tiles(list->routes.receiver_tile + route->receiver_start, route->receivers);
    cells[2] = cell_unsigned(route->receivers);
    cells[3] = cell_unsigned(route->transfers);
    cells[4] = cell_unsigned(route->bytes);
    cells[5] = cell_bool(route_is_loopback(&list->routes, route));
}

/* Most transfers first; ties by source and receivers. */
static bool route_list_sort(RouteList *list, Error *error)
{
    list->order = mem_new(list->routes.count, sizeof *list->order, error);
    if (list->order == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < list->routes.count; i++) {
        list->order[i] = (SortItem){.key = UINT32_MAX - list->routes.routes[i].transfers, .value = i};
    }
    return sort_items(list->order, list->routes.count, error);
}

static bool run_routes(CommandCall *call, Error *error)
{
    const Phase *phase = view_need_phase(call->view, call->entry, call->mode, call->progress, error);
    RouteList *list = phase == NULL ? NULL : mem_zero(1, sizeof *list, error);
    if (list == NULL) {
        return false;
    }
    if (!routes_group(phase, NULL, phase->transfers, NULL, ROUTE_MEMBERS_IN_ORDER, call->progress,
                      &list->routes, error) ||
        !route_list_sort(list, error) || !answer_mode(call, error)) {
        route_list_free(list);
        return false;
    }
    uint32_t top = argument_number(call, "--top", list->routes.count);
    document_field(call->out, "route_count", "routes", UNIT_COUNT, cell_unsigned(list->routes.count));
    Table *table = document_lazy_table(call->out, 0, "routes", route_columns, ROUTE_COLUMNS,
                                       top < list->routes.count ? top : list->routes.count, route_row, list);
    table_empty(table, "no routes");
    document_own(call->out, list, route_list_free);
    return true;
}

/* ---- the table ---- */

static const Parameter tiles_parameters[] = {
    {"--sort", PARAMETER_CHOICE, 0, tile_sorts, "largest first; rows and idle replay the mode if need be"},
    {"--top", PARAMETER_NUMBER, PARAMETER_POSITIVE, NULL, "only the first so many"},
    {"--phase", PARAMETER_PHASE, 0, NULL, "of this phase"},
    {"--mode", PARAMETER_MODE, 0, NULL, "in this mode"},
    {0}};
static const Parameter tile_parameters[] = {
    {"N", PARAMETER_TILE, 0, NULL,
     "select this tile, or the busiest one; without it, the one that is selected"},
    {"--phase", PARAMETER_PHASE, 0, NULL, "of this phase"},
    {"--mode", PARAMETER_MODE, 0, NULL, "in this mode"},
    {0}};
static const Parameter transfers_parameters[] = {
    {"--tile", PARAMETER_TILE, 0, NULL, "only those that this tile sends or receives"},
    {"--from", PARAMETER_TILE, 0, NULL, "only those that this tile sends"},
    {"--to", PARAMETER_TILE, 0, NULL, "only those that this tile receives, alone or with others"},
    {"--address", PARAMETER_ADDRESS, 0, NULL, "only those that read or write the byte at this address"},
    {"--route", PARAMETER_TEXT, 0, NULL, "only those of this route, SOURCE:RECEIVER,.."},
    {"--range", PARAMETER_RANGE, 0, NULL, "only transfers A to B-1"},
    {"--top", PARAMETER_NUMBER, PARAMETER_POSITIVE, NULL, "only the first so many"},
    {"--phase", PARAMETER_PHASE, 0, NULL, "of this phase"},
    {"--mode", PARAMETER_MODE, 0, NULL, "in this mode"},
    {0}};
static const Parameter routes_parameters[] = {
    {"--top", PARAMETER_NUMBER, PARAMETER_POSITIVE, NULL, "only the first so many"},
    {"--phase", PARAMETER_PHASE, 0, NULL, "of this phase"},
    {"--mode", PARAMETER_MODE, 0, NULL, "in this mode"},
    {0}};

static const Command commands[] = {
    {"tiles", "what each tile does in the current mode", "tiles --sort received --top 10",
     "A fragment is one role in one transfer: its source, or one of its receivers.", run_tiles,
     COMMAND_NEEDS_PHASE, tiles_parameters},
    {"tile", "select a tile, with its figures and coverage", "tile busiest", NULL, run_tile,
     COMMAND_NEEDS_PHASE | COMMAND_SELECTS, tile_parameters},
    {"transfers", "the transfers of the current mode in order", "transfers --tile 12 --range 0..100",
     "All that is asked for must hold. --address counts the bytes that the source reads in the first Repeat "
     "iteration and those that each receiver writes; with --tile, those of this tile alone.",
     run_transfers, COMMAND_NEEDS_PHASE, transfers_parameters},
    {"routes", "transfers by source and receivers, most first", "routes --top 10", NULL, run_routes,
     COMMAND_NEEDS_PHASE, routes_parameters},
};

CommandTable commands_of_tiles(void)
{
    return (CommandTable){commands, sizeof commands / sizeof *commands};
}
