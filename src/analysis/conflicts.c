#include "config.h"

#include "analysis/conflicts.h"

#include "base/sort.h"

enum { POLL_STEPS = 4096 };

/* An event: an access of a transfer starts, or ended just before, at an address. Events sort by address, and
 * at one address by transfer. */
enum {
    EVENT_STARTS = 1,
    EVENT_WRITES = 2,
    EVENT_FLAG_BITS = 2,
    EVENT_ADDRESS_SHIFT = 32 + EVENT_FLAG_BITS /* addresses are below 2^21: ADDRESS_BYTES_END and ends */
};

static uint64_t event_new(uint32_t address, uint32_t transfer, uint32_t flags)
{
    return (uint64_t)address << EVENT_ADDRESS_SHIFT | (uint64_t)transfer << EVENT_FLAG_BITS | flags;
}

static uint32_t event_address(uint64_t event)
{
    return (uint32_t)(event >> EVENT_ADDRESS_SHIFT);
}

static uint32_t event_transfer(uint64_t event)
{
    return (uint32_t)(event >> EVENT_FLAG_BITS);
}

bool conflicts_open(const Phase *phase, uint16_t tile_count, Progress *progress, Conflicts *conflicts,
                    Error *error)
{
    *conflicts = (Conflicts){.phase = phase, .tile_count = tile_count, .progress = progress};
    return endpoints_sends(phase, tile_count, phase->transfers, &conflicts->sends, error) &&
           endpoints_receives(phase, tile_count, phase->transfers, &conflicts->receives, error);
}

void conflicts_close(Conflicts *conflicts)
{
    endpoints_free(&conflicts->sends);
    endpoints_free(&conflicts->receives);
    vec_free(&conflicts->writes);
    vec_free(&conflicts->events);
    mem_free(conflicts->reads_running);
    rank_set_free(&conflicts->readers);
    rank_set_free(&conflicts->writers);
}

static uint32_t access_end(const Phase *phase, uint32_t transfer, uint32_t address)
{
    return address + 4u * (uint32_t)phase->words[transfer];
}

/* Fills `writes` with the union of what is written on the tile, and write_write_overlap. */
static bool conflicts_unite_writes(Conflicts *conflicts, uint16_t tile, Error *error)
{
    const Endpoints *receives = &conflicts->receives;
    vec_clear(&conflicts->writes);
    for (uint32_t k = receives->start[tile]; k < receives->start[tile + 1]; k++) {
        uint32_t end = access_end(conflicts->phase, receives->transfer[k], receives->address[k]);
        if (!vec_push(&conflicts->writes, (uint64_t)receives->address[k] << 32 | end, error)) {
            return false;
        }
    }
    uint64_t *writes = conflicts->writes.items;
    size_t count = conflicts->writes.count, kept = 0;
    if (!sort_u64(writes, count, error)) {
        return false;
    }
    for (size_t k = 0; k < count; k++) {
        uint32_t start = (uint32_t)(writes[k] >> 32), end = (uint32_t)writes[k];
        uint32_t united_end = kept > 0 ? (uint32_t)writes[kept - 1] : 0;
        if (kept == 0 || start > united_end) {
            writes[kept++] = writes[k];
            continue;
        }
        conflicts->write_write_overlap |= start < united_end;
        if (end > united_end) {
            writes[kept - 1] += end - united_end;
        }
    }
    conflicts->writes.count = kept;
    return true;
}

/* Whether [address, end) meets the union of the writes. */
static bool conflicts_meets_write(const Conflicts *conflicts, uint32_t address, uint32_t end)
{
    const uint64_t *writes = conflicts->writes.items;
    size_t low = 0, high = conflicts->writes.count; /* writes below `low` start before `end` */
    if (address >= (uint32_t)writes[high - 1] || end <= (uint32_t)(writes[0] >> 32)) {
        return false;
    }
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((uint32_t)(writes[middle] >> 32) < end) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 && (uint32_t)writes[low - 1] > address;
}

static bool conflicts_add_events(Conflicts *conflicts, uint32_t transfer, uint32_t address, uint32_t kind,
                                 Error *error)
{
    uint32_t end = access_end(conflicts->phase, transfer, address);
    return vec_push(&conflicts->events, event_new(address, transfer, kind | EVENT_STARTS), error) &&
           vec_push(&conflicts->events, event_new(end, transfer, kind), error);
}

/* Adds the reads that meet a write, whoever made it. */
static bool conflicts_add_reads(Conflicts *conflicts, uint16_t tile, Error *error)
{
    const Phase *phase = conflicts->phase;
    const Endpoints *sends = &conflicts->sends;
    if (conflicts->writes.count == 0) {
        return true;
    }
    for (uint32_t k = sends->start[tile]; k < sends->start[tile + 1]; k++) {
        uint32_t i = sends->transfer[k];
        if (k % POLL_STEPS == 0 && !progress_go_on(conflicts->progress, error)) {
            return false;
        }
        for (uint32_t a = phase->address_start[i]; a < phase->address_start[i + 1]; a++) {
            uint32_t address = phase->addresses[a];
            if (conflicts_meets_write(conflicts, address, access_end(phase, i, address)) &&
                !conflicts_add_events(conflicts, i, address, 0, error)) {
                return false;
            }
        }
    }
    return true;
}

static bool conflicts_add_writes(Conflicts *conflicts, uint16_t tile, Error *error)
{
    const Endpoints *receives = &conflicts->receives;
    for (uint32_t k = receives->start[tile]; k < receives->start[tile + 1]; k++) {
        if (!conflicts_add_events(conflicts, receives->transfer[k], receives->address[k], EVENT_WRITES,
                                  error)) {
            return false;
        }
    }
    return true;
}

static bool conflicts_make_sets(Conflicts *conflicts, Error *error)
{
    if (conflicts->reads_running != NULL) {
        return true;
    }
    uint32_t transfers = conflicts->phase->transfers;
    conflicts->reads_running = mem_zero(transfers, sizeof *conflicts->reads_running, error);
    return conflicts->reads_running != NULL && rank_set_init(&conflicts->readers, transfers, error) &&
           rank_set_init(&conflicts->writers, transfers, error);
}

/* ---- The sweep over addresses ----
 *
 * At every byte the transfers that access it stand in time order, for example
 *
 *     transfer 0  1  2  3  4  5  6
 *     writes         W        W
 *     reads    r        r  r     r
 *
 * and conflicts hold between each write and the reads next to it, up to the next write (WAR 0-2, RAW 2-3,
 * 2-4, WAR 3-5, 4-5, RAW 5-6), and between neighbouring writes (WAW 2-5). Only the neighbourhood of accesses
 * that start or end at a byte changes there, so that only this neighbourhood is told: what is told again
 * after a write ended is bounded by the conflicts of that write. */

typedef struct Teller {
    const Conflicts *conflicts;
    const ConflictSink *sink;
    uint32_t address;
    bool begins;
    uint64_t told; /* for polling */
} Teller;

static bool tell(Teller *teller, uint32_t before, uint32_t after, DependencyKind kind, Error *error)
{
    if (++teller->told % POLL_STEPS == 0 && !progress_go_on(teller->conflicts->progress, error)) {
        return false;
    }
    return teller->sink->conflict(teller->sink->context, before, after, kind, teller->address, teller->begins,
                                  error);
}

/* Everything between two neighbouring writes; RANK_NONE: there is none on that side. A transfer reads before
 * it writes, so that the reads of `low` itself lie below the gap and those of `high` inside. */
static bool tell_gap(Teller *teller, uint32_t low, uint32_t high, Error *error)
{
    const RankSet *readers = &teller->conflicts->readers;
    if (low == RANK_NONE && high == RANK_NONE) {
        return true;
    }
    if (low != RANK_NONE && high != RANK_NONE && !tell(teller, low, high, DEPENDENCY_WAW, error)) {
        return false;
    }
    uint64_t from = low == RANK_NONE ? 0 : (uint64_t)low + 1;
    for (uint32_t r = rank_set_next(readers, from); r != RANK_NONE && r <= high;
         r = rank_set_next(readers, (uint64_t)r + 1)) {
        if ((low != RANK_NONE && !tell(teller, low, r, DEPENDENCY_RAW, error)) ||
            (high != RANK_NONE && r < high && !tell(teller, r, high, DEPENDENCY_WAR, error))) {
            return false;
        }
    }
    return true;
}

static bool tell_read(Teller *teller, uint32_t transfer, Error *error)
{
    const RankSet *writers = &teller->conflicts->writers;
    uint32_t low = rank_set_previous(writers, transfer), high = rank_set_next(writers, transfer);
    return (low == RANK_NONE || tell(teller, low, transfer, DEPENDENCY_RAW, error)) &&
           (high == RANK_NONE || high == transfer || tell(teller, transfer, high, DEPENDENCY_WAR, error));
}

/* Tells the neighbourhood of the accesses that start or end here, as the sets stand. */
static bool tell_changes(Teller *teller, const uint64_t *events, size_t count, Error *error)
{
    const RankSet *writers = &teller->conflicts->writers;
    uint64_t next_gap = 0; /* gaps that begin below are told already; a gap begins at its low write + 1 */
    for (size_t k = 0; k < count; k++) {
        uint32_t transfer = event_transfer(events[k]);
        if ((events[k] & EVENT_WRITES) == 0) {
            if (rank_set_has(&teller->conflicts->readers, transfer) && !tell_read(teller, transfer, error)) {
                return false;
            }
            continue;
        }
        uint32_t low = rank_set_previous(writers, transfer), high = rank_set_next(writers, transfer);
        uint64_t gap = low == RANK_NONE ? 0 : (uint64_t)low + 1, gap_above = (uint64_t)transfer + 1;
        if (gap >= next_gap) {
            if (!tell_gap(teller, low, high, error)) {
                return false;
            }
            next_gap = gap + 1;
        }
        if (high == transfer && gap_above >= next_gap) {
            if (!tell_gap(teller, transfer, rank_set_next(writers, gap_above), error)) {
                return false;
            }
            next_gap = gap_above + 1;
        }
    }
    return true;
}

static void conflicts_apply(Conflicts *conflicts, uint64_t event)
{
    uint32_t transfer = event_transfer(event);
    bool starts = (event & EVENT_STARTS) != 0, covers = starts;
    RankSet *set = &conflicts->writers;
    if ((event & EVENT_WRITES) == 0) {
        conflicts->reads_running[transfer] += starts ? 1u : UINT32_MAX;
        covers = conflicts->reads_running[transfer] > 0;
        set = &conflicts->readers;
    }
    if (covers) {
        rank_set_insert(set, transfer);
    } else {
        rank_set_remove(set, transfer);
    }
}

static bool conflicts_sweep(Conflicts *conflicts, const ConflictSink *sink, Error *error)
{
    Teller teller = {.conflicts = conflicts, .sink = sink};
    const uint64_t *events = conflicts->events.items;
    size_t count = conflicts->events.count, steps = 0;
    for (size_t low = 0, high; low < count; low = high) {
        teller.address = event_address(events[low]);
        for (high = low + 1; high < count && event_address(events[high]) == teller.address; high++) {
        }
        if (++steps % POLL_STEPS == 0 && !progress_go_on(conflicts->progress, error)) {
            return false;
        }
        teller.begins = false;
        if (sink->ends && !tell_changes(&teller, events + low, high - low, error)) {
            return false;
        }
        for (size_t k = low; k < high; k++) {
            conflicts_apply(conflicts, events[k]);
        }
        teller.begins = true;
        if (!tell_changes(&teller, events + low, high - low, error)) {
            return false;
        }
    }
    return true;
}

bool conflicts_on_tile(Conflicts *conflicts, uint16_t tile, const ConflictSink *sink, Error *error)
{
    conflicts->read_write_overlap = conflicts->write_write_overlap = false;
    vec_clear(&conflicts->events);
    if (!progress_go_on(conflicts->progress, error) || !conflicts_unite_writes(conflicts, tile, error) ||
        !conflicts_add_reads(conflicts, tile, error)) {
        return false;
    }
    conflicts->read_write_overlap = conflicts->events.count > 0;
    if (!conflicts->read_write_overlap && !conflicts->write_write_overlap) {
        return true;
    }
    return conflicts_add_writes(conflicts, tile, error) && conflicts_make_sets(conflicts, error) &&
           sort_u64(conflicts->events.items, conflicts->events.count, error) &&
           conflicts_sweep(conflicts, sink, error);
}
