#include "config.h"

#include "analysis/routes.h"

#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "base/vec.h"

/* Transfers are first counted into runs of one level and one source, so that all further sorting works on a
 * few of them at a time. In a run they are compared by sequences of numbers: the receiver tiles, and then
 * addresses. A sequence is cut into pieces that fit a 64-bit key: a range whose keys are equal is sorted
 * again by the next piece, until the sequences end. Every number is stored plus one, so that 0 says that the
 * sequence is over and a prefix comes before what continues it. */
enum { TILE_BITS = 12, TILES_IN_PIECE = 5, ADDRESS_BITS = 21, ADDRESSES_IN_PIECE = 3, POLL_ITEMS = 8192 };

typedef struct SortRange {
    uint32_t start, count, piece;
} SortRange;

typedef struct RouteSorter {
    const Phase *phase;
    Progress *progress;
    Routes *routes;
    size_t route_capacity;
    SortItem *items;       /* of the slice at hand */
    VEC(SortRange) ranges; /* still to be sorted */
} RouteSorter;

/* Piece `piece` of the sequence of a transfer. */
typedef uint64_t (*SequenceKey)(const RouteSorter *sorter, uint32_t transfer, uint32_t piece);

static uint64_t receiver_tile_key(const RouteSorter *sorter, uint32_t transfer, uint32_t piece)
{
    const uint16_t *tiles = sorter->routes->receiver_tile + sorter->phase->receiver_start[transfer];
    uint32_t count = phase_receivers(sorter->phase, transfer);
    uint64_t key = 0;
    for (uint32_t k = piece * TILES_IN_PIECE; k < (piece + 1) * TILES_IN_PIECE; k++) {
        key = key << TILE_BITS | (k < count ? (uint64_t)tiles[k] + 1 : 0);
    }
    return key;
}

static uint64_t source_address_key(const RouteSorter *sorter, uint32_t transfer, uint32_t piece)
{
    uint32_t count = sorter->phase->repeat[transfer];
    uint64_t key = 0;
    for (uint32_t k = piece * ADDRESSES_IN_PIECE; k < (piece + 1) * ADDRESSES_IN_PIECE; k++) {
        uint64_t symbol = k < count ? (uint64_t)phase_address(sorter->phase, transfer, k) + 1 : 0;
        key = key << ADDRESS_BITS | symbol;
    }
    return key;
}

static uint64_t receiver_address_key(const RouteSorter *sorter, uint32_t transfer, uint32_t piece)
{
    const uint32_t *addresses = sorter->routes->receiver_address + sorter->phase->receiver_start[transfer];
    uint32_t count = phase_receivers(sorter->phase, transfer);
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
    SortItem *first = sorter->items + range.start;
    for (uint32_t k = 0; k < range.count; k++) {
        if (k % POLL_ITEMS == 0 && !progress_go_on(sorter->progress, error)) {
            return false;
        }
        first[k].key = key_of(sorter, first[k].value, range.piece);
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

/* Writes the sorted items back to order[start ..]. */
static void route_put_back(const RouteSorter *sorter, uint32_t start, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        sorter->routes->order[start + k] = sorter->items[k].value;
    }
}

/* Sorts order[start .. start + count) by whole sequences; `items` holds the result too, with its marks. */
static bool route_sort_slice(RouteSorter *sorter, SequenceKey key_of, uint32_t start, uint32_t count,
                             Error *error)
{
    for (uint32_t k = 0; k < count; k++) {
        sorter->items[k] = (SortItem){.value = sorter->routes->order[start + k]};
    }
    SortRange range = {.count = count};
    bool done = route_sort_range(sorter, key_of, range, error);
    while (done && sorter->ranges.count > 0) {
        range = sorter->ranges.items[--sorter->ranges.count];
        done = route_sort_range(sorter, key_of, range, error);
    }
    if (done) {
        route_put_back(sorter, start, count);
    }
    return done;
}

/* Turns the run of equal level and source, order[start .. start + count), into routes. */
static bool route_cut_run(RouteSorter *sorter, const uint32_t *level, uint32_t start, uint32_t count,
                          Error *error)
{
    Routes *routes = sorter->routes;
    if (!route_sort_slice(sorter, receiver_tile_key, start, count, error)) {
        return false;
    }
    for (uint32_t k = 0; k < count; k++) {
        uint32_t first = sorter->items[k].value;
        if (sorter->items[k].extra != 0) {
            Route route = {.level = level != NULL ? level[first] : 0,
                           .source = sorter->phase->source[first],
                           .receivers = phase_receivers(sorter->phase, first),
                           .receiver_start = sorter->phase->receiver_start[first],
                           .start = start + k};
            if (!mem_grow(&routes->routes, &sorter->route_capacity, (size_t)routes->count + 1,
                          sizeof *routes->routes, error)) {
                return false;
            }
            routes->routes[routes->count++] = route;
        }
        routes->routes[routes->count - 1].transfers++;
    }
    return true;
}

/* The end of the run of equal level and source that begins at order[start]. */
static uint32_t routes_run_end(const Phase *phase, const uint32_t *level, const Routes *routes,
                               uint32_t start)
{
    uint32_t first = routes->order[start], end = start + 1;
    while (end < routes->members && phase->source[routes->order[end]] == phase->source[first] &&
           (level == NULL || level[routes->order[end]] == level[first])) {
        end++;
    }
    return end;
}

static bool routes_cut(RouteSorter *sorter, const uint32_t *level, Error *error)
{
    const Routes *routes = sorter->routes;
    for (uint32_t start = 0, end; start < routes->members; start = end) {
        end = routes_run_end(sorter->phase, level, routes, start);
        if (!route_cut_run(sorter, level, start, end - start, error)) {
            return false;
        }
    }
    return true;
}

/* Rule 2. */
static bool routes_sort_members(RouteSorter *sorter, RouteMembers by, Error *error)
{
    SequenceKey key_of = by == ROUTE_MEMBERS_BY_SOURCE_ADDRESS ? source_address_key : receiver_address_key;
    for (uint32_t g = 0; g < sorter->routes->count && by != ROUTE_MEMBERS_IN_ORDER; g++) {
        const Route *route = &sorter->routes->routes[g];
        if (route->transfers > 1 &&
            !route_sort_slice(sorter, key_of, route->start, route->transfers, error)) {
            return false;
        }
    }
    return true;
}

static void routes_add_bytes(const Phase *phase, Routes *routes)
{
    for (uint32_t g = 0; g < routes->count; g++) {
        Route *route = &routes->routes[g];
        for (uint32_t k = route->start; k < route->start + route->transfers; k++) {
            route->bytes += 4u * (uint64_t)phase->words[routes->order[k]];
        }
    }
}

/* Every step walks through all of `order`, and needs few columns: in a large phase a walk along routes that
 * touched all columns at once would wait for every page of them. */
static bool routes_sort(const Phase *phase, const uint32_t *level, RouteMembers by, Progress *progress,
                        Routes *routes, Error *error)
{
    RouteSorter sorter = {.phase = phase, .progress = progress, .routes = routes};
    /* Touched as far as the longest run goes. */
    sorter.items = mem_new(routes->members, sizeof *sorter.items, error);
    bool done =
        sorter.items != NULL && routes_cut(&sorter, level, error) && routes_sort_members(&sorter, by, error);
    if (done) {
        routes_add_bytes(phase, routes);
    }
    mem_free(sorter.items);
    vec_free(&sorter.ranges);
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

bool routes_group(const Phase *phase, const uint32_t *members, uint32_t count, const uint32_t *level,
                  RouteMembers by, Progress *progress, Routes *routes, Error *error)
{
    *routes = (Routes){.members = count};
    routes->order = mem_new(count, sizeof *routes->order, error);
    for (uint32_t k = 0; routes->order != NULL && k < count; k++) {
        routes->order[k] = members != NULL ? members[k] : k;
    }
    bool done = routes->order != NULL && routes_sort_receivers(phase, progress, routes, error) &&
                routes_count_by((Column){.source = phase->source}, routes, error) &&
                (level == NULL || routes_count_by((Column){.level = level}, routes, error)) &&
                routes_sort(phase, level, by, progress, routes, error);
    if (!done) {
        routes_free(routes);
    }
    return done;
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
