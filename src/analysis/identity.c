#include "config.h"

#include "analysis/identity.h"

#include <string.h>

#include "analysis/routes.h"
#include "base/memory.h"
#include "base/vec.h"

enum { WALK_POLL = 1 << 16 };

/* A transfer as one of its receivers stages it. Offsets follow from the order: each segment starts
 * `hole_bytes` after the end of the one before. */
typedef struct Segment {
    uint32_t final_bytes; /* from the lowest address of the receiver */
    uint16_t words;
    uint16_t hole_bytes;
} Segment;

/* The segments of every wanted receiver t, in staging order: [start[t], start[t + 1]). */
typedef struct Staging {
    uint32_t *start;
    Segment *segments;
} Staging;

/* Words that stay together: staged words [staged, staged + words) become final words [final, ...). */
typedef struct Run {
    uint32_t staged, final, words;
} Run;

typedef VEC(Run) Runs;
typedef VEC(PermutationCycle) PermutationCycles;

/* ---- staging order ---- */

static void staging_free(Staging *staging)
{
    mem_free(staging->start);
    mem_free(staging->segments);
}

static bool staging_reserve(const Phase *phase, uint16_t tile_count, const bool *wanted, const Routes *routes,
                            Staging *staging, Error *error)
{
    staging->start = mem_zero((size_t)tile_count + 1, sizeof *staging->start, error);
    if (staging->start == NULL) {
        return false;
    }
    for (uint32_t m = 0; m < routes->members; m++) {
        uint32_t i = routes->order[m];
        for (uint32_t k = phase->receiver_start[i]; k < phase->receiver_start[i + 1]; k++) {
            staging->start[phase->receiver_tile[k] + 1] += wanted[phase->receiver_tile[k]];
        }
    }
    for (uint16_t t = 0; t < tile_count; t++) {
        staging->start[t + 1] += staging->start[t];
    }
    staging->segments = mem_new(staging->start[tile_count], sizeof *staging->segments, error);
    return staging->segments != NULL;
}

/* Stages the members of one route at one of its receivers, the `nth`. `end` is where the tile's next segment
 * goes, `cursor` its staging cursor: rule 3 rounds it up once. */
static void staging_add_route(const Phase *phase, const Coverage *coverage, const Routes *routes,
                              const Route *route, uint32_t nth, uint32_t *end, uint32_t *cursor,
                              Staging *staging)
{
    uint16_t tile = routes->receiver_tile[route->receiver_start + nth];
    uint16_t hole_bytes = (uint16_t)(-cursor[tile] & 7u);
    for (uint32_t m = route->start; m < route->start + route->transfers; m++) {
        uint32_t i = routes->order[m];
        uint32_t address = routes->receiver_address[phase->receiver_start[i] + nth];
        staging->segments[end[tile]++] = (Segment){.final_bytes = address - coverage->tiles[tile].low,
                                                   .words = phase->words[i],
                                                   .hole_bytes = hole_bytes};
        cursor[tile] += hole_bytes + 4u * (uint32_t)phase->words[i];
        hole_bytes = 0;
    }
}

/* `wanted`: receivers that are contiguous, so that their cursors stay below twice the size of tile memory. */
static bool staging_list(const Phase *phase, const Coverage *coverage, const bool *wanted,
                         const Routes *routes, Progress *progress, Staging *staging, Error *error)
{
    *staging = (Staging){0};
    uint32_t *cursor = mem_zero(coverage->tile_count, sizeof *cursor, error);
    uint32_t *end = mem_new(coverage->tile_count, sizeof *end, error);
    bool done = cursor != NULL && end != NULL &&
                staging_reserve(phase, coverage->tile_count, wanted, routes, staging, error);
    if (done) {
        memcpy(end, staging->start, coverage->tile_count * sizeof *end);
    }
    for (uint32_t g = 0; done && g < routes->count; g++) {
        const Route *route = &routes->routes[g];
        for (uint32_t nth = 0; nth < route->receivers; nth++) {
            if (wanted[routes->receiver_tile[route->receiver_start + nth]]) {
                staging_add_route(phase, coverage, routes, route, nth, end, cursor, staging);
            }
        }
        done = progress_go_on(progress, error);
    }
    mem_free(cursor);
    mem_free(end);
    return done;
}

/* ---- one receiver ---- */

/* Joins the segments of one receiver to maximal runs and fills the figures that need no walk. */
static bool identity_find_runs(const Segment *segments, uint32_t count, Runs *runs, TileIdentity *tile,
                               Error *error)
{
    vec_clear(runs);
    uint32_t staged_bytes = 0;
    for (uint32_t k = 0; k < count; k++) {
        const Segment *segment = &segments[k];
        Run run = {.staged = tile->words, .final = segment->final_bytes / 4, .words = segment->words};
        staged_bytes += segment->hole_bytes;
        tile->padded |= segment->hole_bytes > 0;
        tile->identity_words += staged_bytes == segment->final_bytes ? run.words : 0;
        tile->words_moved += run.staged == run.final ? 0 : run.words;
        staged_bytes += 4 * run.words;
        tile->words += run.words;
        Run *last = runs->count > 0 ? &runs->items[runs->count - 1] : NULL;
        if (last != NULL && last->final + last->words == run.final) {
            last->words += run.words;
        } else if (!vec_push(runs, run, error)) {
            return false;
        }
    }
    tile->contiguous = true;
    tile->identity = tile->identity_words == tile->words;
    tile->bitmap_bytes = (tile->words + 7) / 8;
    return true;
}

/* In a transposition with at least two rows and columns no two elements stay together, so that every run is
 * one element: the first stays at 0, the second goes to `rows`. */
static Transposition identity_find_transposition(const Runs *runs)
{
    const Run *first = runs->items;
    if (runs->count < 4 || first[0].final != 0 || first[1].final % first[0].words != 0) {
        return (Transposition){0};
    }
    uint32_t element = first[0].words, count = (uint32_t)runs->count;
    uint32_t rows = first[1].final / element, columns = count / rows;
    if (rows < 2 || columns < 2 || rows * columns != count) {
        return (Transposition){0};
    }
    for (uint32_t k = 0; k < count; k++) {
        if (first[k].words != element || first[k].final != (k % columns * rows + k / columns) * element) {
            return (Transposition){0};
        }
    }
    return (Transposition){.rows = rows, .columns = columns, .element_words = element};
}

/* The largest number of words that divides every run, 1 when there is none: such units move as one. */
static uint32_t identity_unit_words(const Runs *runs)
{
    uint32_t unit = 0;
    for (size_t k = 0; k < runs->count; k++) {
        uint32_t a = runs->items[k].words, b = unit;
        while (b != 0) {
            uint32_t rest = a % b;
            a = b;
            b = rest;
        }
        unit = a;
    }
    return unit > 0 ? unit : 1;
}

static void identity_map_units(const Runs *runs, uint32_t unit, uint32_t *next)
{
    for (size_t k = 0; k < runs->count; k++) {
        const Run *run = &runs->items[k];
        for (uint32_t u = 0; u < run->words / unit; u++) {
            next[run->staged / unit + u] = run->final / unit + u;
        }
    }
}

/* Follows the cycle of units from `first`, forgetting it on the way (next[u] = u); its length. */
static uint32_t identity_walk(uint32_t *next, uint32_t first)
{
    uint32_t length = 0;
    for (uint32_t u = first;; length++) {
        uint32_t to = next[u];
        next[u] = u;
        if (to == u) {
            return length;
        }
        u = to;
    }
}

static bool identity_count_cycles(const Runs *runs, uint32_t unit, uint32_t *next, Progress *progress,
                                  TileIdentity *tile, Error *error)
{
    identity_map_units(runs, unit, next);
    tile->cycles = tile->words - tile->words_moved;
    tile->longest_cycle = tile->cycles > 0 ? 1 : 0;
    for (uint32_t u = 0; u < tile->words / unit; u++) {
        if (u % WALK_POLL == 0 && !progress_go_on(progress, error)) {
            return false;
        }
        if (next[u] != u) {
            uint32_t length = identity_walk(next, u);
            tile->cycles += unit;
            tile->longest_cycle = length > tile->longest_cycle ? length : tile->longest_cycle;
        }
    }
    return true;
}

/* ---- all receivers ---- */

static uint32_t identity_most_words(const Coverage *coverage)
{
    uint64_t most = 0;
    for (uint16_t t = 0; t < coverage->tile_count; t++) {
        const TileCoverage *tile = &coverage->tiles[t];
        most = tile->contiguous && tile->payload_bytes > most ? tile->payload_bytes : most;
    }
    return (uint32_t)(most / 4);
}

static bool identity_fill_tiles(const Coverage *coverage, const Staging *staging, Progress *progress,
                                Identity *identity, Error *error)
{
    Runs runs = {0};
    uint32_t *next = mem_new(identity_most_words(coverage), sizeof *next, error);
    bool done = next != NULL;
    for (uint16_t t = 0; done && t < coverage->tile_count; t++) {
        TileIdentity *tile = &identity->tiles[t];
        uint32_t start = staging->start[t], count = staging->start[t + 1] - start;
        if (count == 0) {
            continue;
        }
        done = identity_find_runs(staging->segments + start, count, &runs, tile, error) &&
               identity_count_cycles(&runs, identity_unit_words(&runs), next, progress, tile, error);
        if (done) {
            tile->transposition = identity_find_transposition(&runs);
            identity->contiguous++;
            identity->identity += tile->identity;
        }
        progress_set(progress, t);
    }
    mem_free(next);
    vec_free(&runs);
    return done;
}

bool identity_compute(const Phase *phase, const Coverage *coverage, Progress *progress, Identity *identity,
                      Error *error)
{
    *identity = (Identity){.transfers = coverage->transfers,
                           .busiest_receiver = coverage->busiest_receiver,
                           .tile_count = coverage->tile_count};
    Routes routes = {0};
    Staging staging = {0};
    progress_stage(progress, "identity", coverage->tile_count);
    identity->tiles = mem_zero(coverage->tile_count, sizeof *identity->tiles, error);
    bool *wanted = mem_new(coverage->tile_count, sizeof *wanted, error);
    bool done = identity->tiles != NULL && wanted != NULL;
    for (uint16_t t = 0; done && t < coverage->tile_count; t++) {
        wanted[t] = coverage->tiles[t].contiguous;
    }
    done = done &&
           routes_group(phase, NULL, coverage->transfers, NULL, ROUTE_MEMBERS_BY_SOURCE_ADDRESS, progress,
                        &routes, error) &&
           staging_list(phase, coverage, wanted, &routes, progress, &staging, error) &&
           identity_fill_tiles(coverage, &staging, progress, identity, error);
    mem_free(wanted);
    routes_free(&routes);
    staging_free(&staging);
    if (!done) {
        identity_free(identity);
    }
    return done;
}

void identity_free(Identity *identity)
{
    mem_free(identity->tiles);
    *identity = (Identity){.busiest_receiver = -1};
}

/* ---- the permutation of one receiver ---- */

typedef VEC(uint32_t) Members;

/* The transfers of the scope that write to the tile: no other moves its staging cursor. */
static bool permutation_find_members(const Phase *phase, uint32_t transfers, uint16_t tile, Members *members,
                                     Error *error)
{
    for (uint32_t i = 0; i < transfers; i++) {
        for (uint32_t k = phase->receiver_start[i]; k < phase->receiver_start[i + 1]; k++) {
            if (phase->receiver_tile[k] == tile && !vec_push(members, i, error)) {
                return false;
            }
        }
    }
    return true;
}

static bool permutation_find_runs(const Phase *phase, const Coverage *coverage, uint16_t tile,
                                  Progress *progress, Runs *runs, TileIdentity *figures, Error *error)
{
    Members members = {0};
    Routes routes = {0};
    Staging staging = {0};
    bool *wanted = mem_zero(coverage->tile_count, sizeof *wanted, error);
    bool done = wanted != NULL;
    if (done) {
        wanted[tile] = true;
        done =
            permutation_find_members(phase, coverage->transfers, tile, &members, error) &&
            routes_group(phase, members.items, (uint32_t)members.count, NULL, ROUTE_MEMBERS_BY_SOURCE_ADDRESS,
                         progress, &routes, error) &&
            staging_list(phase, coverage, wanted, &routes, progress, &staging, error) &&
            identity_find_runs(staging.segments, staging.start[coverage->tile_count], runs, figures, error);
    }
    mem_free(wanted);
    vec_free(&members);
    routes_free(&routes);
    staging_free(&staging);
    return done;
}

static bool permutation_list_cycles(const Permutation *permutation, PermutationCycles *cycles,
                                    Progress *progress, Error *error)
{
    uint32_t units = permutation->words / permutation->unit_words;
    uint32_t *next = mem_new(units, sizeof *next, error);
    if (next == NULL) {
        return false;
    }
    memcpy(next, permutation->next, units * sizeof *next);
    bool done = true;
    for (uint32_t u = 0; done && u < units; u++) {
        done = u % WALK_POLL != 0 || progress_go_on(progress, error);
        if (done && next[u] != u) {
            PermutationCycle cycle = {.first = u * permutation->unit_words, .length = identity_walk(next, u)};
            done = vec_push(cycles, cycle, error);
        }
    }
    mem_free(next);
    return done;
}

bool permutation_compute(const Phase *phase, const Coverage *coverage, uint16_t tile, Progress *progress,
                         Permutation *permutation, Error *error)
{
    *permutation = (Permutation){0};
    if (tile >= coverage->tile_count || !coverage->tiles[tile].contiguous) {
        return error_set(error, ERROR_REFUSED, "tile %u is no contiguous receiver", tile);
    }
    Runs runs = {0};
    TileIdentity figures = {0};
    PermutationCycles cycles = {0};
    bool done = permutation_find_runs(phase, coverage, tile, progress, &runs, &figures, error);
    if (done) {
        permutation->words = figures.words;
        permutation->unit_words = identity_unit_words(&runs);
        permutation->next =
            mem_new(permutation->words / permutation->unit_words, sizeof *permutation->next, error);
        done = permutation->next != NULL;
    }
    if (done) {
        identity_map_units(&runs, permutation->unit_words, permutation->next);
        done = permutation_list_cycles(permutation, &cycles, progress, error);
    }
    permutation->cycles = cycles.items;
    permutation->cycle_count = cycles.count;
    vec_free(&runs);
    if (!done) {
        permutation_free(permutation);
    }
    return done;
}

void permutation_free(Permutation *permutation)
{
    mem_free(permutation->next);
    mem_free(permutation->cycles);
    *permutation = (Permutation){0};
}
