#include "config.h"

#include "analysis/dependencies.h"

#include "analysis/conflicts.h"
#include "base/sort.h"

enum { PAIR_BUCKETS_MAX = 4096 };

/* Distinct pairs (before, after), kept as after << 32 | before in buckets of neighbouring `after`. A bucket
 * that is full drops its duplicates before it grows, so that memory follows the distinct pairs. */
typedef struct PairBucket {
    VEC(uint64_t) pairs;
    size_t distinct; /* the first ones are ascending and distinct */
} PairBucket;

typedef struct PairSet {
    PairBucket *buckets;
    uint32_t count;
    unsigned shift;    /* bucket = after >> shift */
    uint64_t distinct; /* sum over buckets */
    uint64_t held;     /* the same with duplicates that are not dropped yet */
    uint64_t most;     /* more distinct pairs are refused */
    bool too_many;
} PairSet;

static bool pair_set_init(PairSet *set, uint32_t transfers, uint64_t most, Error *error)
{
    *set = (PairSet){.most = most};
    while (((uint64_t)transfers >> set->shift) >= PAIR_BUCKETS_MAX) {
        set->shift++;
    }
    set->count = (transfers >> set->shift) + 1;
    set->buckets = mem_zero(set->count, sizeof *set->buckets, error);
    return set->buckets != NULL;
}

static void pair_set_free(PairSet *set)
{
    for (uint32_t b = 0; set->buckets != NULL && b < set->count; b++) {
        vec_free(&set->buckets[b].pairs);
    }
    mem_free(set->buckets);
}

/* Sorts a bucket and drops its duplicates. */
static bool pair_set_settle(PairSet *set, PairBucket *bucket, Error *error)
{
    uint64_t *pairs = bucket->pairs.items;
    size_t count = bucket->pairs.count, kept = 0;
    if (count == bucket->distinct) {
        return true;
    }
    if (!sort_u64(pairs, count, error)) {
        return false;
    }
    for (size_t k = 0; k < count; k++) {
        if (kept == 0 || pairs[kept - 1] != pairs[k]) {
            pairs[kept++] = pairs[k];
        }
    }
    set->distinct += kept - bucket->distinct;
    set->held -= count - kept;
    set->too_many = set->distinct > set->most;
    bucket->pairs.count = bucket->distinct = kept;
    return true;
}

static bool pair_set_add(PairSet *set, uint32_t before, uint32_t after, Error *error)
{
    PairBucket *bucket = &set->buckets[after >> set->shift];
    uint64_t pair = (uint64_t)after << 32 | before;
    size_t count = bucket->pairs.count;
    if (count > 0 && bucket->pairs.items[count - 1] == pair) {
        return true;
    }
    /* A bucket grows only when less than a third of it turned out to be duplicates: the time spent on sorting
     * stays in proportion to the pairs that were added. */
    if (count == bucket->pairs.capacity) {
        if (!pair_set_settle(set, bucket, error)) {
            return false;
        }
        if (bucket->pairs.count >= bucket->pairs.capacity / 3 * 2 &&
            !vec_reserve(&bucket->pairs, bucket->pairs.capacity + 1, error)) {
            return false;
        }
    }
    set->held++;
    return vec_push(&bucket->pairs, pair, error);
}

static bool pair_set_settle_all(PairSet *set, Progress *progress, Error *error)
{
    for (uint32_t b = 0; b < set->count && !set->too_many; b++) {
        if (!progress_go_on(progress, error) || !pair_set_settle(set, &set->buckets[b], error)) {
            return false;
        }
    }
    return true;
}

static bool dependencies_collect(void *context, uint32_t before, uint32_t after, DependencyKind kind,
                                 uint32_t address, bool begins, Error *error)
{
    (void)kind, (void)address, (void)begins;
    PairSet *pairs = context;
    if (!pair_set_add(pairs, before, after, error)) {
        return false;
    }
    return !pairs->too_many || error_set(error, ERROR_REFUSED, "too many pairs");
}

static bool dependencies_refuse(const Phase *phase, uint16_t tile, Error *error)
{
    return error_set(error, ERROR_REFUSED,
                     "phase %u: more than %d million pairs of dependent transfers, reached on tile %u: too "
                     "entangled to analyse",
                     phase->number, DEPENDENCY_EDGES_MAX / 1000000, tile);
}

static bool dependencies_sweep_tiles(Conflicts *conflicts, PairSet *pairs, Dependencies *dependencies,
                                     Error *error)
{
    ConflictSink sink = {.conflict = dependencies_collect, .context = pairs};
    const Phase *phase = conflicts->phase;
    for (uint16_t t = 0; t < conflicts->tile_count; t++) {
        /* Only when there may be too many is it worth counting them: every bucket would be sorted for every
         * tile. */
        bool done = conflicts_on_tile(conflicts, t, &sink, error) &&
                    (pairs->held <= pairs->most || pair_set_settle_all(pairs, conflicts->progress, error));
        if (pairs->too_many) {
            return dependencies_refuse(phase, t, error);
        }
        if (!done) {
            return false;
        }
        dependencies->read_write_overlap |= conflicts->read_write_overlap;
        dependencies->write_write_overlap |= conflicts->write_write_overlap;
        progress_set(conflicts->progress, conflicts->sends.start[t + 1]);
    }
    return true;
}

/* Moves the settled pairs into predecessor lists. */
static bool dependencies_list(PairSet *set, uint32_t transfers, Dependencies *dependencies, Error *error)
{
    dependencies->edges = set->distinct;
    dependencies->depth = mem_zero(transfers, sizeof *dependencies->depth, error);
    dependencies->predecessor_start =
        mem_zero((size_t)transfers + 1, sizeof *dependencies->predecessor_start, error);
    dependencies->predecessors = mem_new(mem_count(set->distinct), sizeof *dependencies->predecessors, error);
    if (dependencies->depth == NULL || dependencies->predecessor_start == NULL ||
        dependencies->predecessors == NULL) {
        return false;
    }
    uint32_t next = 0, *start = dependencies->predecessor_start;
    for (uint32_t b = 0; b < set->count; b++) {
        for (size_t k = 0; k < set->buckets[b].pairs.count; k++) {
            uint64_t pair = set->buckets[b].pairs.items[k];
            start[(pair >> 32) + 1]++;
            dependencies->predecessors[next++] = (uint32_t)pair;
        }
        vec_free(&set->buckets[b].pairs);
    }
    for (uint32_t i = 0; i < transfers; i++) {
        start[i + 1] += start[i];
    }
    return true;
}

static void dependencies_find_depths(uint32_t transfers, Dependencies *dependencies)
{
    for (uint32_t j = transfers; j-- > 0;) {
        if (dependencies->predecessor_start[j] < dependencies->predecessor_start[j + 1]) {
            dependencies->prefix_transfers = j;
        }
    }
    for (uint32_t j = dependencies->prefix_transfers; j < transfers; j++) {
        uint32_t depth = 0;
        for (uint32_t k = dependencies->predecessor_start[j]; k < dependencies->predecessor_start[j + 1];
             k++) {
            uint32_t before = dependencies->depth[dependencies->predecessors[k]];
            depth = before + 1 > depth ? before + 1 : depth;
        }
        dependencies->depth[j] = depth;
        if (depth > dependencies->maximum_depth) {
            dependencies->maximum_depth = depth;
        }
    }
}

bool dependencies_compute(const Phase *phase, uint16_t tile_count, Progress *progress,
                          Dependencies *dependencies, Error *error)
{
    *dependencies = (Dependencies){.prefix_transfers = phase->transfers};
    Conflicts conflicts;
    PairSet pairs = {0};
    progress_stage(progress, "dependencies", phase->transfers);
    bool done = conflicts_open(phase, tile_count, progress, &conflicts, error) &&
                pair_set_init(&pairs, phase->transfers, DEPENDENCY_EDGES_MAX, error) &&
                dependencies_sweep_tiles(&conflicts, &pairs, dependencies, error) &&
                pair_set_settle_all(&pairs, progress, error);
    conflicts_close(&conflicts);
    if (done && pairs.distinct > 0) {
        done = dependencies_list(&pairs, phase->transfers, dependencies, error);
        if (done) {
            dependencies_find_depths(phase->transfers, dependencies);
        }
    }
    pair_set_free(&pairs);
    dependencies->tail_transfers = phase->transfers - dependencies->prefix_transfers;
    if (!done) {
        dependencies_free(dependencies);
    }
    return done;
}

void dependencies_free(Dependencies *dependencies)
{
    mem_free(dependencies->depth);
    mem_free(dependencies->predecessor_start);
    mem_free(dependencies->predecessors);
    *dependencies = (Dependencies){0};
}
