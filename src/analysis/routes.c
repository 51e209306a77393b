#include "config.h"

#include "analysis/routes.h"

#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "base/vec.h"

/* Transfers are compared by sequences of numbers: (level, source, receiver tiles) and then addresses. They
 * are sorted by pieces of such a sequence that fit a 64-bit key, most significant piece first: a range whose
 * keys are equal is sorted again by the next piece, until the sequences end. Every number is stored plus one,
 * so that 0 says that the sequence is over and a prefix comes before what continues it. */
enum {
    TILE_BITS = 12,
    TILES_IN_PIECE = 5,
    LEVEL_SYMBOLS = 3, /* a level takes three symbols of TILE_BITS - 1 bits */
    ADDRESS_BITS = 21,
    ADDRESSES_IN_PIECE = 3,
    POLL_ITEMS = 8192
};

typedef struct RouteSorter {
    const Phase *phase;
    const uint32_t *level;
    const Routes *routes;
    Progress *progress;
    /* Piece `piece` of the sequence of a transfer. */
    uint64_t (*key)(const struct RouteSorter *sorter, uint32_t transfer, uint32_t piece);
    uint64_t last_symbol; /* mask of the symbol that is 0 when the sequence ends in this piece */
    bool mark;            /* set `extra` of the first item of every range of equal sequences */
} RouteSorter;

typedef struct SortRange {
    uint32_t start, count, piece;
} SortRange;

typedef VEC(SortRange) SortRanges;

static uint64_t route_symbol(const RouteSorter *sorter, uint32_t transfer, uint32_t k)
{
    if (sorter->level != NULL) {
        if (k < LEVEL_SYMBOLS) {
            unsigned shift = (LEVEL_SYMBOLS - 1 - k) * (TILE_BITS - 1);
            return ((sorter->level[transfer] >> shift) & ((1u << (TILE_BITS - 1)) - 1)) + 1;
        }
        k -= LEVEL_SYMBOLS;
    }
    if (k == 0) {
        return (uint64_t)sorter->phase->source[transfer] + 1;
    }
    return k <= phase_receivers(sorter->phase, transfer)
               ? (uint64_t)sorter->routes->receiver_tile[sorter->phase->receiver_start[transfer] + k - 1] + 1
               : 0;
}

static uint64_t route_key(const RouteSorter *sorter, uint32_t transfer, uint32_t piece)
{
    uint64_t key = 0;
    for (uint32_t k = 0; k < TILES_IN_PIECE; k++) {
        key = key << TILE_BITS | route_symbol(sorter, transfer, piece * TILES_IN_PIECE + k);
    }
    return key;
}

static uint64_t source_address_key(const RouteSorter *sorter, uint32_t transfer, uint32_t piece)
{
    uint64_t key = 0;
    for (uint32_t k = piece * ADDRESSES_IN_PIECE; k < (piece + 1) * ADDRESSES_IN_PIECE; k++) {
        uint64_t symbol =
            k < sorter->phase->repeat[transfer] ? (uint64_t)phase_address(sorter->phase, transfer, k) + 1 : 0;
        key = key << ADDRESS_BITS | symbol;
    }
    return key;
}

static uint64_t receiver_address_key(const RouteSorter *sorter, uint32_t transfer, uint32_t piece)
{
    uint32_t start = sorter->phase->receiver_start[transfer],
             count = phase_receivers(sorter->phase, transfer);
    uint64_t key = 0;
    for (uint32_t k = piece * ADDRESSES_IN_PIECE; k < (piece + 1) * ADDRESSES_IN_PIECE; k++) {
        uint64_t symbol = k < count ? (uint64_t)sorter->routes->receiver_address[start + k] + 1 : 0;
        key = key << ADDRESS_BITS | symbol;
    }
    return key;
}

/* Sorts one range by one piece of its sequences and leaves the equal runs that go on in `ranges`. */
static bool route_sort_range(const RouteSorter *sorter, SortItem *items, SortRange range, SortRanges *ranges,
                             Error *error)
{
    SortItem *first = items + range.start;
    for (uint32_t k = 0; k < range.count; k++) {
        if (k % POLL_ITEMS == 0 && !progress_go_on(sorter->progress, error)) {
            return false;
        }
        first[k].key = sorter->key(sorter, first[k].value, range.piece);
    }
    if (!sort_items(first, range.count, error)) {
        return false;
    }
    for (uint32_t low = 0, high; low < range.count; low = high) {
        for (high = low + 1; high < range.count && first[high].key == first[low].key; high++) {
        }
        if (high - low == 1 || (first[low].key & sorter->last_symbol) == 0) {
            first[low].extra = sorter->mark;
        } else if (!vec_push(ranges,
                             ((SortRange){
                                 .start = range.start + low, .count = high - low, .piece = range.piece + 1}),
                             error)) {
            return false;
        }
    }
    return true;
}

static bool route_sort(const RouteSorter *sorter, SortItem *items, uint32_t start, uint32_t count,
                       SortRanges *ranges, Error *error)
{
    SortRange range = {.start = start, .count = count};
    bool done = route_sort_range(sorter, items, range, ranges, error);
    while (done && ranges->count > 0) {
        range = ranges->items[--ranges->count];
        done = route_sort_range(sorter, items, range, ranges, error);
    }
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

/* Cuts the sorted items into routes at the marks. */
static bool routes_cut(const Phase *phase, const uint32_t *level, const SortItem *items, Routes *routes,
                       Error *error)
{
    for (uint32_t k = 0; k < routes->members; k++) {
        routes->count += items[k].extra;
    }
    routes->routes = mem_new(routes->count, sizeof *routes->routes, error);
    if (routes->routes == NULL) {
        return false;
    }
    for (uint32_t k = 0, next = 0; k < routes->members; k++) {
        uint32_t i = items[k].value;
        if (items[k].extra != 0) {
            routes->routes[next++] = (Route){.level = level != NULL ? level[i] : 0,
                                             .source = phase->source[i],
                                             .receivers = phase_receivers(phase, i),
                                             .receiver_start = phase->receiver_start[i],
                                             .start = k};
        }
        routes->routes[next - 1].transfers++;
        routes->routes[next - 1].bytes += 4u * (uint64_t)phase->words[i];
    }
    return true;
}

static bool routes_sort_members(const RouteSorter *sorter, SortItem *items, SortRanges *ranges, Error *error)
{
    for (uint32_t g = 0; g < sorter->routes->count; g++) {
        const Route *route = &sorter->routes->routes[g];
        if (route->transfers > 1 &&
            !route_sort(sorter, items, route->start, route->transfers, ranges, error)) {
            return false;
        }
    }
    return true;
}

static bool routes_sort(const Phase *phase, const uint32_t *level, RouteMembers by, Progress *progress,
                        SortItem *items, Routes *routes, Error *error)
{
    SortRanges ranges = {0};
    RouteSorter sorter = {.phase = phase,
                          .level = level,
                          .routes = routes,
                          .progress = progress,
                          .key = route_key,
                          .last_symbol = (1u << TILE_BITS) - 1,
                          .mark = true};
    bool done = route_sort(&sorter, items, 0, routes->members, &ranges, error) &&
                routes_cut(phase, level, items, routes, error);
    if (done && by != ROUTE_MEMBERS_IN_ORDER) {
        sorter.key = by == ROUTE_MEMBERS_BY_SOURCE_ADDRESS ? source_address_key : receiver_address_key;
        sorter.last_symbol = (1u << ADDRESS_BITS) - 1;
        sorter.mark = false;
        done = routes_sort_members(&sorter, items, &ranges, error);
    }
    vec_free(&ranges);
    return done;
}

bool routes_group(const Phase *phase, const uint32_t *members, uint32_t count, const uint32_t *level,
                  RouteMembers by, Progress *progress, Routes *routes, Error *error)
{
    *routes = (Routes){.members = count};
    routes->order = mem_new(count, sizeof *routes->order, error);
    SortItem *items = mem_new(count, sizeof *items, error);
    bool done =
        routes->order != NULL && items != NULL && routes_sort_receivers(phase, progress, routes, error);
    for (uint32_t k = 0; done && k < count; k++) {
        items[k] = (SortItem){.value = members != NULL ? members[k] : k};
    }
    done = done && routes_sort(phase, level, by, progress, items, routes, error);
    for (uint32_t k = 0; done && k < count; k++) {
        routes->order[k] = items[k].value;
    }
    mem_free(items);
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
