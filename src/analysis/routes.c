#include "config.h"

#include "analysis/routes.h"

#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "base/vec.h"

/* Transfers are first counted into runs of one level and one source, and gathered a batch of runs at a time,
 * so that all further sorting works on a few transfers that lie side by side. In a run they are compared by
 * sequences of numbers: the receiver tiles, and then addresses. A sequence is cut into pieces that fit a
 * 64-bit key: a range whose keys are equal is sorted again by the next piece, until the sequences end. Every
 * number is stored plus one, so that 0 says that the sequence is over and a prefix comes before what
 * continues it. */
enum { TILE_BITS = 12, TILES_IN_PIECE = 5, ADDRESS_BITS = 21, ADDRESSES_IN_PIECE = 3, POLL_ITEMS = 8192 };

typedef struct SortRange {
    uint32_t start, count, piece;
} SortRange;

typedef struct RouteSorter {
    Phase phase; /* the captured one, with its receivers ascending */
    const uint32_t *level;
    RouteMembers by;
    Progress *progress;
    Routes *routes;
    size_t route_capacity;
    RouteVisit visit; /* NULL: nobody asked */
    void *context;
    Phase *batch;                 /* the transfers at hand */
    uint32_t batch_start;         /* their place in the order of the routes */
    VEC(uint32_t) batch_order;    /* their indices in the batch, as sorted so far */
    VEC(uint32_t) batch_captured; /* their indices in the phase */
    VEC(SortItem) items;          /* of the slice at hand */
    VEC(SortRange) ranges;        /* still to be sorted */
} RouteSorter;

/* Piece `piece` of the sequence of a transfer. */
typedef uint64_t (*SequenceKey)(const Phase *phase, uint32_t transfer, uint32_t piece);

static uint64_t receiver_tile_key(const Phase *phase, uint32_t transfer, uint32_t piece)
{
    const uint16_t *tiles = phase->receiver_tile + phase->receiver_start[transfer];
    uint32_t count = phase_receivers(phase, transfer);
    uint64_t key = 0;
    for (uint32_t k = piece * TILES_IN_PIECE; k < (piece + 1) * TILES_IN_PIECE; k++) {
        key = key << TILE_BITS | (k < count ? (uint64_t)tiles[k] + 1 : 0);
    }
    return key;
}

static uint64_t source_address_key(const Phase *phase, uint32_t transfer, uint32_t piece)
{
    uint32_t count = phase->repeat[transfer];
    uint64_t key = 0;
    for (uint32_t k = piece * ADDRESSES_IN_PIECE; k < (piece + 1) * ADDRESSES_IN_PIECE; k++) {
        uint64_t symbol = k < count ? (uint64_t)phase_address(phase, transfer, k) + 1 : 0;
        key = key << ADDRESS_BITS | symbol;
    }
    return key;
}

static uint64_t receiver_address_key(const Phase *phase, uint32_t transfer, uint32_t piece)
{
    const uint32_t *addresses = phase->receiver_address + phase->receiver_start[transfer];
    uint32_t count = phase_receivers(phase, transfer);
    uint64_t key = 0;
    for (uint32_t k = piece * ADDRESSES_IN_PIECE; k < (piece + 1) * ADDRESSES_IN_PIECE; k++) {
        key = key << ADDRESS_BITS | (k < count ? (uint64_t)addresses[k] + 1 : 0);
    }
    return key;
}

/* Whether the sequences of a key go on: its last symbol is there. */
static bool sequence_goes_on(SequenceKey key_of, uint64_t key)
{
    unsigned bits = key_of == receiver_tile_key ? TILE_BITS : ADDRESS_BITS;
    return (key & ((UINT64_C(1) << bits) - 1)) != 0;
}

/* Sorts one range by one piece of its sequences. Equal ones that go on are left in `ranges`, every other run
 * of equal ones gets a mark in the `extra` of its first item. */
static bool route_sort_range(RouteSorter *sorter, SequenceKey key_of, SortRange range, Error *error)
{
    SortItem *first = sorter->items.items + range.start;
    for (uint32_t k = 0; k < range.count; k++) {
        if (k % POLL_ITEMS == 0 && !progress_go_on(sorter->progress, error)) {
            return false;
        }
        first[k].key = key_of(sorter->batch, first[k].value, range.piece);
    }
    if (!sort_items(first, range.count, error)) {
        return false;
    }
    for (uint32_t low = 0, high; low < range.count; low = high) {
        for (high = low + 1; high < range.count && first[high].key == first[low].key; high++) {
        }
        if (high - low == 1 || !sequence_goes_on(key_of, first[low].key)) {
            first[low].extra = 1;
            continue;
        }
        SortRange rest = {.start = range.start + low, .count = high - low, .piece = range.piece + 1};
        if (!vec_push(&sorter->ranges, rest, error)) {
            return false;
        }
    }
    return true;
}

/* Sorts batch_order[start .. start + count) by whole sequences; `items` holds the result too, with its marks.
 */
static bool route_sort_slice(RouteSorter *sorter, SequenceKey key_of, uint32_t start, uint32_t count,
                             Error *error)
{
    uint32_t *order = sorter->batch_order.items + start;
    SortItem *items = sorter->items.items;
    for (uint32_t k = 0; k < count; k++) {
        items[k] = (SortItem){.value = order[k]};
    }
    SortRange range = {.count = count};
    bool done = route_sort_range(sorter, key_of, range, error);
    while (done && sorter->ranges.count > 0) {
        range = sorter->ranges.items[--sorter->ranges.count];
        done = route_sort_range(sorter, key_of, range, error);
    }
    for (uint32_t k = 0; done && k < count; k++) {
        order[k] = items[k].value;
    }
    return done;
}

static uint32_t batch_level(const RouteSorter *sorter, uint32_t k)
{
    return sorter->level != NULL ? sorter->level[sorter->routes->order[sorter->batch_start + k]] : 0;
}

static bool routes_add(RouteSorter *sorter, uint32_t start, Error *error)
{
    Routes *routes = sorter->routes;
    uint32_t first = sorter->batch_order.items[start];
    Route route = {.level = batch_level(sorter, first),
                   .source = sorter->batch->source[first],
                   .receivers = phase_receivers(sorter->batch, first),
                   .receiver_start = sorter->phase.receiver_start[routes->order[sorter->batch_start + first]],
                   .start = sorter->batch_start + start};
    if (!mem_grow(&routes->routes, &sorter->route_capacity, (size_t)routes->count + 1, sizeof *routes->routes,
                  error)) {
        return false;
    }
    routes->routes[routes->count++] = route;
    return true;
}

/* Turns the run of equal level and source, `count` transfers of the batch from `start` on, into routes. */
static bool route_cut_run(RouteSorter *sorter, uint32_t start, uint32_t count, Error *error)
{
    if (!route_sort_slice(sorter, receiver_tile_key, start, count, error)) {
        return false;
    }
    for (uint32_t k = 0; k < count; k++) {
        const SortItem *item = &sorter->items.items[k];
        if (item->extra != 0 && !routes_add(sorter, start + k, error)) {
            return false;
        }
        Route *route = &sorter->routes->routes[sorter->routes->count - 1];
        route->transfers++;
        route->bytes += 4u * (uint64_t)sorter->batch->words[item->value];
    }
    return true;
}

static bool batch_cut(RouteSorter *sorter, Error *error)
{
    const uint16_t *source = sorter->batch->source;
    uint32_t count = sorter->batch->transfers;
    for (uint32_t start = 0, end; start < count; start = end) {
        for (end = start + 1; end < count && source[end] == source[start] &&
                              batch_level(sorter, end) == batch_level(sorter, start);
             end++) {
        }
        if (!route_cut_run(sorter, start, end - start, error)) {
            return false;
        }
    }
    return true;
}

/* Rule 2, for the routes from `first_route` on. */
static bool batch_sort_members(RouteSorter *sorter, uint32_t first_route, Error *error)
{
    SequenceKey key_of =
        sorter->by == ROUTE_MEMBERS_BY_SOURCE_ADDRESS ? source_address_key : receiver_address_key;
    for (uint32_t g = first_route; g < sorter->routes->count && sorter->by != ROUTE_MEMBERS_IN_ORDER; g++) {
        const Route *route = &sorter->routes->routes[g];
        if (route->transfers > 1 &&
            !route_sort_slice(sorter, key_of, route->start - sorter->batch_start, route->transfers, error)) {
            return false;
        }
    }
    return true;
}

/* Gathers `count` transfers from batch_start on, which are whole runs, and brings them into their final
 * order. */
static bool routes_sort_batch(RouteSorter *sorter, uint32_t count, Error *error)
{
    uint32_t *order = sorter->routes->order + sorter->batch_start, first_route = sorter->routes->count;
    if (!phase_gather(sorter->batch, &sorter->phase, order, count, error) ||
        !vec_reserve(&sorter->batch_order, count, error) ||
        !vec_reserve(&sorter->batch_captured, count, error) || !vec_reserve(&sorter->items, count, error)) {
        return false;
    }
    for (uint32_t k = 0; k < count; k++) {
        sorter->batch_order.items[k] = k;
    }
    if (!batch_cut(sorter, error) || !batch_sort_members(sorter, first_route, error)) {
        return false;
    }
    memcpy(sorter->batch_captured.items, order, count * sizeof *order);
    for (uint32_t k = 0; k < count; k++) {
        order[k] = sorter->batch_captured.items[sorter->batch_order.items[k]];
    }
    RouteBatch batch = {.phase = sorter->batch,
                        .first_route = first_route,
                        .end_route = sorter->routes->count,
                        .start = sorter->batch_start,
                        .order = sorter->batch_order.items};
    return sorter->visit == NULL || sorter->visit(sorter->context, sorter->routes, &batch, error);
}

/* The end of the batch that begins at order[start]: runs are not parted. */
static uint32_t routes_batch_end(const RouteSorter *sorter, uint32_t start)
{
    const Routes *routes = sorter->routes;
    const uint32_t *order = routes->order, *level = sorter->level;
    const uint16_t *source = sorter->phase.source;
    if (routes->members - start <= PHASE_GATHER_TRANSFERS) {
        return routes->members;
    }
    uint32_t end = start + PHASE_GATHER_TRANSFERS, last = order[end - 1];
    while (end < routes->members && source[order[end]] == source[last] &&
           (level == NULL || level[order[end]] == level[last])) {
        end++;
    }
    return end;
}

static bool routes_sort(RouteSorter *sorter, Error *error)
{
    sorter->batch = phase_new(sorter->phase.number, error);
    bool done = sorter->batch != NULL;
    for (uint32_t end; done && sorter->batch_start < sorter->routes->members; sorter->batch_start = end) {
        end = routes_batch_end(sorter, sorter->batch_start);
        done = routes_sort_batch(sorter, end - sorter->batch_start, error);
    }
    phase_free(sorter->batch);
    vec_free(&sorter->batch_order);
    vec_free(&sorter->batch_captured);
    vec_free(&sorter->items);
    vec_free(&sorter->ranges);
    return done;
}

/* A number of every transfer: its source or its level. */
typedef struct Column {
    const uint32_t *level; /* NULL: the source */
    const uint16_t *source;
} Column;

static uint32_t column_at(const Column *column, uint32_t transfer)
{
    return column->level != NULL ? column->level[transfer] : column->source[transfer];
}

/* Fills `sorted` with `order`, stably ascending by the column, which is nowhere above `most`. `start` has
 * most + 2 zeros. */
static void column_count(const Column *column, uint32_t most, const uint32_t *order, uint32_t count,
                         uint32_t *start, uint32_t *sorted)
{
    for (uint32_t k = 0; k < count; k++) {
        start[column_at(column, order[k]) + 1]++;
    }
    for (uint32_t number = 0; number <= most; number++) {
        start[number + 1] += start[number];
    }
    for (uint32_t k = 0; k < count; k++) {
        sorted[start[column_at(column, order[k])]++] = order[k];
    }
}

static bool routes_count_by(Column column, Routes *routes, Error *error)
{
    uint32_t most = 0;
    for (uint32_t k = 0; k < routes->members; k++) {
        uint32_t number = column_at(&column, routes->order[k]);
        most = number > most ? number : most;
    }
    uint32_t *start = mem_zero((size_t)most + 2, sizeof *start, error);
    uint32_t *sorted = mem_new(routes->members, sizeof *sorted, error);
    bool done = start != NULL && sorted != NULL;
    if (done) {
        uint32_t *unsorted = routes->order;
        column_count(&column, most, unsorted, routes->members, start, sorted);
        routes->order = sorted;
        sorted = unsorted;
    }
    mem_free(start);
    mem_free(sorted);
    return done;
}

static bool receivers_are_sorted(const Phase *phase)
{
    for (uint32_t i = 0; i < phase->transfers; i++) {
        for (uint32_t k = phase->receiver_start[i] + 1; k < phase->receiver_start[i + 1]; k++) {
            if (phase->receiver_tile[k - 1] > phase->receiver_tile[k]) {
                return false;
            }
        }
    }
    return true;
}

static bool sort_receivers_of(const Phase *phase, uint32_t transfer, Routes *routes, uint64_t *keys,
                              Error *error)
{
    uint32_t start = phase->receiver_start[transfer], count = phase_receivers(phase, transfer);
    for (uint32_t k = 0; k < count; k++) {
        keys[k] = (uint64_t)phase->receiver_tile[start + k] << 32 | phase->receiver_address[start + k];
    }
    if (!sort_u64(keys, count, error)) {
        return false;
    }
    for (uint32_t k = 0; k < count; k++) {
        routes->owned_tile[start + k] = (uint16_t)(keys[k] >> 32);
        routes->owned_address[start + k] = (uint32_t)keys[k];
    }
    return true;
}

/* Fills receiver_tile and receiver_address: rule 1. */
static bool routes_sort_receivers(const Phase *phase, Progress *progress, Routes *routes, Error *error)
{
    routes->receiver_tile = phase->receiver_tile;
    routes->receiver_address = phase->receiver_address;
    if (receivers_are_sorted(phase)) {
        return true;
    }
    uint32_t count = phase->receiver_start[phase->transfers], most = 0;
    for (uint32_t i = 0; i < phase->transfers; i++) {
        most = phase_receivers(phase, i) > most ? phase_receivers(phase, i) : most;
    }
    uint64_t *keys = mem_new(most, sizeof *keys, error);
    routes->owned_tile = mem_new(count, sizeof *routes->owned_tile, error);
    routes->owned_address = mem_new(count, sizeof *routes->owned_address, error);
    bool done = keys != NULL && routes->owned_tile != NULL && routes->owned_address != NULL;
    for (uint32_t i = 0; done && i < phase->transfers; i++) {
        done = (i % POLL_ITEMS != 0 || progress_go_on(progress, error)) &&
               sort_receivers_of(phase, i, routes, keys, error);
    }
    mem_free(keys);
    routes->receiver_tile = routes->owned_tile;
    routes->receiver_address = routes->owned_address;
    return done;
}

/* The same phase with the receivers of every transfer ascending by tile, in borrowed columns. */
static Phase routes_sorted_phase(const Phase *phase, const Routes *routes)
{
    Phase sorted = *phase;
    if (routes->owned_tile != NULL) {
        sorted.receiver_tile = routes->owned_tile;
        sorted.receiver_address = routes->owned_address;
    }
    return sorted;
}

/* Fills `order` and the rest of the sorter's routes. */
static bool routes_find(RouteSorter *sorter, const Phase *phase, const uint32_t *members, uint32_t count,
                        Error *error)
{
    Routes *routes = sorter->routes;
    *routes = (Routes){.members = count};
    routes->order = mem_new(count, sizeof *routes->order, error);
    for (uint32_t k = 0; routes->order != NULL && k < count; k++) {
        routes->order[k] = members != NULL ? members[k] : k;
    }
    bool done = routes->order != NULL && routes_sort_receivers(phase, sorter->progress, routes, error) &&
                routes_count_by((Column){.source = phase->source}, routes, error) &&
                (sorter->level == NULL || routes_count_by((Column){.level = sorter->level}, routes, error));
    if (done) {
        sorter->phase = routes_sorted_phase(phase, routes);
        done = routes_sort(sorter, error);
    }
    if (!done) {
        routes_free(routes);
    }
    return done;
}

bool routes_group(const Phase *phase, const uint32_t *members, uint32_t count, const uint32_t *level,
                  RouteMembers by, Progress *progress, Routes *routes, Error *error)
{
    RouteSorter sorter = {.level = level, .by = by, .progress = progress, .routes = routes};
    return routes_find(&sorter, phase, members, count, error);
}

bool routes_visit(const Phase *phase, uint32_t count, const uint32_t *level, RouteMembers by,
                  RouteVisit visit, void *context, Progress *progress, Routes *routes, Error *error)
{
    RouteSorter sorter = {
        .level = level, .by = by, .progress = progress, .routes = routes, .visit = visit, .context = context};
    return routes_find(&sorter, phase, NULL, count, error);
}

void routes_free(Routes *routes)
{
    mem_free(routes->order);
    mem_free(routes->routes);
    mem_free(routes->owned_tile);
    mem_free(routes->owned_address);
    *routes = (Routes){0};
}

bool route_is_loopback(const Routes *routes, const Route *route)
{
    for (uint32_t k = 0; k < route->receivers; k++) {
        if (routes->receiver_tile[route->receiver_start + k] == route->source) {
            return true;
        }
    }
    return false;
}
