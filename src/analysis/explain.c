#include "config.h"

#include <string.h>

#include "analysis/conflicts.h"
#include "base/sort.h"

/* Transfers are explained in blocks of about this many pairs, so that the work space stays small. */
enum { PAIRS_IN_BLOCK = 4 * 1000 * 1000 };

#define ANY_TRANSFER UINT32_MAX

/* A conflict that begins or ends at a byte of a tile. */
typedef struct Mark {
    uint32_t before, after;
    uint32_t address;
    uint16_t tile;
    uint8_t kind;
    bool begins;
} Mark;

typedef struct Explainer {
    const Phase *phase;
    const Dependencies *dependencies;
    Conflicts conflicts;
    uint8_t *tiles;        /* [tile_count] whether a tile matters to the block at hand */
    uint32_t first, count; /* the block of transfers at hand */
    uint32_t before;       /* only what waits for this one, and reasons name who waits; or ANY_TRANSFER */
    uint16_t tile;
    VEC(Mark) marks;
} Explainer;

const char *dependency_kind_name(DependencyKind kind)
{
    static const char *const names[] = {"RAW", "WAR", "WAW"};
    return names[kind];
}

static bool explain_collect(void *context, uint32_t before, uint32_t after, DependencyKind kind,
                            uint32_t address, bool begins, Error *error)
{
    Explainer *explainer = context;
    if (after < explainer->first || after - explainer->first >= explainer->count ||
        (explainer->before != ANY_TRANSFER && before != explainer->before)) {
        return true;
    }
    Mark mark = {.before = before,
                 .after = after,
                 .address = address,
                 .tile = explainer->tile,
                 .kind = (uint8_t)kind,
                 .begins = begins};
    return vec_push(&explainer->marks, mark, error);
}

/* Flags the tiles where a transfer reads or writes. */
static void explain_flag_tiles(Explainer *explainer, uint32_t transfer)
{
    const Phase *phase = explainer->phase;
    explainer->tiles[phase->source[transfer]] = 1;
    for (uint32_t k = phase->receiver_start[transfer]; k < phase->receiver_start[transfer + 1]; k++) {
        explainer->tiles[phase->receiver_tile[k]] = 1;
    }
}

/* Flags the tiles where one that is waited for, or a transfer that waits for another, reads or writes. */
static void explain_choose_tiles(Explainer *explainer)
{
    const uint32_t *start = explainer->dependencies->predecessor_start;
    memset(explainer->tiles, 0, explainer->conflicts.tile_count);
    if (explainer->before != ANY_TRANSFER) {
        explain_flag_tiles(explainer, explainer->before);
        return;
    }
    for (uint32_t j = explainer->first; j < explainer->first + explainer->count; j++) {
        if (start[j] != start[j + 1]) {
            explain_flag_tiles(explainer, j);
        }
    }
}

/* Fills `marks`. */
static bool explain_sweep_tiles(Explainer *explainer, Error *error)
{
    ConflictSink sink = {.conflict = explain_collect, .context = explainer, .ends = true};
    vec_clear(&explainer->marks);
    explain_choose_tiles(explainer);
    for (uint16_t t = 0; t < explainer->conflicts.tile_count; t++) {
        explainer->tile = t;
        if (explainer->tiles[t] && !conflicts_on_tile(&explainer->conflicts, t, &sink, error)) {
            return false;
        }
    }
    return true;
}

/* Indices of the marks, ascending (after, before, kind, tile, address), at the same address the end first. */
static bool explain_sort(const Mark *marks, size_t count, SortItem *items, Error *error)
{
    for (size_t k = 0; k < count; k++) {
        const Mark *mark = &marks[k];
        uint64_t key = (uint64_t)mark->kind << 56 | (uint64_t)mark->tile << 36 |
                       (uint64_t)mark->address << 1 | mark->begins;
        items[k] = (SortItem){.key = key, .value = (uint32_t)k};
    }
    if (!sort_items(items, count, error)) {
        return false;
    }
    for (size_t k = 0; k < count; k++) {
        const Mark *mark = &marks[items[k].value];
        items[k].key = (uint64_t)mark->after << 32 | mark->before;
    }
    return sort_items(items, count, error);
}

/* Appends the Repeat iterations in which the reader meets the range. */
static bool explain_iterations(const Phase *phase, uint32_t reader, DependencyReason *reason,
                               DependencyReasons *reasons, Error *error)
{
    uint32_t bytes = 4u * (uint32_t)phase->words[reader];
    for (uint32_t r = 0; r < phase->repeat[reader]; r++) {
        uint32_t address = phase_address(phase, reader, r);
        if (address < reason->address + reason->bytes && address + bytes > reason->address &&
            !vec_push(&reasons->iterations, r, error)) {
            return false;
        }
    }
    reason->iteration_count = (uint32_t)(reasons->iterations.count - reason->iteration_start);
    return reasons->iterations.count <= UINT32_MAX ||
           error_set(error, ERROR_MEMORY, "phase %u: too many Repeat iterations to list", phase->number);
}

static bool explain_add(const Explainer *explainer, const Mark *begin, uint32_t end,
                        DependencyReasons *reasons, Error *error)
{
    bool waiting = explainer->before != ANY_TRANSFER;
    DependencyReason reason = {.transfer = waiting ? begin->after : begin->before,
                               .kind = (DependencyKind)begin->kind,
                               .tile = begin->tile,
                               .address = begin->address,
                               .bytes = end - begin->address,
                               .iteration_start = (uint32_t)reasons->iterations.count};
    uint32_t reader = reason.kind == DEPENDENCY_RAW ? begin->after : begin->before;
    if (reason.kind != DEPENDENCY_WAW &&
        !explain_iterations(explainer->phase, reader, &reason, reasons, error)) {
        return false;
    }
    return vec_push(&reasons->list, reason, error);
}

/* Joins the sorted marks to ranges. Begins and ends may be told twice; an end that is followed by a begin at
 * the same address is none. Fills starts[0 .. count] of the block, unless NULL. */
static bool explain_join(const Explainer *explainer, const SortItem *items, DependencyReasons *reasons,
                         size_t *starts, Error *error)
{
    const Mark *marks = explainer->marks.items, *begin = NULL;
    size_t count = explainer->marks.count;
    uint32_t next = 0; /* starts[0 .. next) are set */
    for (size_t k = 0; k < count; k++) {
        const Mark *mark = &marks[items[k].value];
        while (starts != NULL && next <= mark->after - explainer->first) {
            starts[next++] = reasons->list.count;
        }
        if (mark->begins) {
            begin = begin == NULL ? mark : begin;
            continue;
        }
        size_t following = k + 1;
        const Mark *after = following < count ? &marks[items[following].value] : NULL;
        bool goes_on = after != NULL && items[following].key == items[k].key && after->kind == mark->kind &&
                       after->tile == mark->tile && after->address == mark->address;
        if (begin == NULL || goes_on) {
            continue;
        }
        if (!explain_add(explainer, begin, mark->address, reasons, error)) {
            return false;
        }
        begin = NULL;
    }
    while (starts != NULL && next <= explainer->count) {
        starts[next++] = reasons->list.count;
    }
    return true;
}

static bool explain_block(Explainer *explainer, DependencyReasons *reasons, size_t *starts, Error *error)
{
    if (!explain_sweep_tiles(explainer, error)) {
        return false;
    }
    size_t marks = explainer->marks.count;
    if (marks > UINT32_MAX) {
        return error_set(error, ERROR_MEMORY, "phase %u: too much waits around transfer %u to list it",
                         explainer->phase->number, explainer->first);
    }
    SortItem *items = mem_new(marks, sizeof *items, error);
    bool done = items != NULL && explain_sort(explainer->marks.items, marks, items, error) &&
                explain_join(explainer, items, reasons, starts, error);
    mem_free(items);
    return done;
}

/* The transfers from `first` on, at least one and at most `most`, that make a block. */
static uint32_t explain_block_length(const Dependencies *dependencies, uint32_t first, uint32_t most)
{
    const uint32_t *start = dependencies->predecessor_start + first;
    uint32_t count = 1;
    while (count < most && start[count + 1] - start[0] <= PAIRS_IN_BLOCK) {
        count++;
    }
    return count;
}

bool dependencies_explain(const Phase *phase, uint16_t tile_count, const Dependencies *dependencies,
                          uint32_t first, uint32_t count, DependencyReasons *reasons, size_t *starts,
                          Progress *progress, Error *error)
{
    for (uint32_t k = 0; k <= count; k++) {
        starts[k] = reasons->list.count;
    }
    if (dependencies->edges == 0) {
        return true;
    }
    Explainer explainer = {.phase = phase, .dependencies = dependencies, .before = ANY_TRANSFER};
    progress_stage(progress, "explaining dependencies", count);
    explainer.tiles = mem_new(tile_count, sizeof *explainer.tiles, error);
    bool done =
        conflicts_open(phase, tile_count, progress, &explainer.conflicts, error) && explainer.tiles != NULL;
    for (uint32_t k = 0; done && k < count; k += explainer.count) {
        explainer.first = first + k;
        explainer.count = explain_block_length(dependencies, first + k, count - k);
        done = explain_block(&explainer, reasons, starts + k, error);
        progress_set(progress, k);
    }
    conflicts_close(&explainer.conflicts);
    mem_free(explainer.tiles);
    vec_free(&explainer.marks);
    return done;
}

bool dependencies_explain_waiting(const Phase *phase, uint16_t tile_count, const Dependencies *dependencies,
                                  uint32_t transfer, DependencyReasons *reasons, Progress *progress,
                                  Error *error)
{
    if (dependencies->edges == 0) {
        return true;
    }
    Explainer explainer = {.phase = phase,
                           .dependencies = dependencies,
                           .before = transfer,
                           .first = transfer + 1,
                           .count = phase->transfers - transfer - 1};
    progress_stage(progress, "explaining dependencies", 1);
    explainer.tiles = mem_new(tile_count, sizeof *explainer.tiles, error);
    bool done = conflicts_open(phase, tile_count, progress, &explainer.conflicts, error) &&
                explainer.tiles != NULL && explain_block(&explainer, reasons, NULL, error);
    conflicts_close(&explainer.conflicts);
    mem_free(explainer.tiles);
    vec_free(&explainer.marks);
    return done;
}

void dependency_reasons_free(DependencyReasons *reasons)
{
    vec_free(&reasons->list);
    vec_free(&reasons->iterations);
}
