#include "config.h"

#include "analysis/conflicts.h"

enum { POLL_EVENTS = 4096 };

enum { EVENT_END = 0, EVENT_START = 1, EVENT_WRITE = 2 }; /* SortItem.extra: flags */

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
    vec_free(&conflicts->reads);
    vec_free(&conflicts->transfers);
    vec_free(&conflicts->events);
    vec_free(&conflicts->reads_running);
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

/* Fills `reads` with those that meet a write, whoever made it. */
static bool conflicts_find_reads(Conflicts *conflicts, uint16_t tile, Error *error)
{
    const Phase *phase = conflicts->phase;
    const Endpoints *sends = &conflicts->sends;
    vec_clear(&conflicts->reads);
    if (conflicts->writes.count == 0) {
        return true;
    }
    for (uint32_t k = sends->start[tile]; k < sends->start[tile + 1]; k++) {
        uint32_t i = sends->transfer[k];
        if (k % POLL_EVENTS == 0 && !progress_go_on(conflicts->progress, error)) {
            return false;
        }
        for (uint32_t a = phase->address_start[i]; a < phase->address_start[i + 1]; a++) {
            uint32_t address = phase->addresses[a];
            if (conflicts_meets_write(conflicts, address, access_end(phase, i, address)) &&
                !vec_push(&conflicts->reads, ((TileAccess){.transfer = i, .address = address}), error)) {
                return false;
            }
        }
    }
    return true;
}

/* Adds the start and the end of an access of the transfer, which is the last of `transfers` or later. */
static bool conflicts_add_access(Conflicts *conflicts, TileAccess access, Error *error)
{
    size_t count = conflicts->transfers.count;
    if ((count == 0 || conflicts->transfers.items[count - 1] != access.transfer) &&
        !vec_push(&conflicts->transfers, access.transfer, error)) {
        return false;
    }
    uint32_t rank = (uint32_t)conflicts->transfers.count - 1, kind = access.write ? EVENT_WRITE : 0;
    SortItem start = {.key = access.address, .value = rank, .extra = kind | EVENT_START};
    SortItem end = {.key = access_end(conflicts->phase, access.transfer, access.address),
                    .value = rank,
                    .extra = kind | EVENT_END};
    return vec_push(&conflicts->events, start, error) && vec_push(&conflicts->events, end, error);
}

/* Fills `transfers` and `events`: ascending address, at the same address ascending rank. */
static bool conflicts_list_events(Conflicts *conflicts, uint16_t tile, Error *error)
{
    const Endpoints *receives = &conflicts->receives;
    vec_clear(&conflicts->transfers);
    vec_clear(&conflicts->events);
    size_t r = 0;
    for (uint32_t k = receives->start[tile]; k < receives->start[tile + 1]; k++) {
        TileAccess write = {
            .transfer = receives->transfer[k], .address = receives->address[k], .write = true};
        for (; r < conflicts->reads.count && conflicts->reads.items[r].transfer <= write.transfer; r++) {
            if (!conflicts_add_access(conflicts, conflicts->reads.items[r], error)) {
                return false;
            }
        }
        if (!conflicts_add_access(conflicts, write, error)) {
            return false;
        }
    }
    for (; r < conflicts->reads.count; r++) {
        if (!conflicts_add_access(conflicts, conflicts->reads.items[r], error)) {
            return false;
        }
    }
    return sort_items(conflicts->events.items, conflicts->events.count, error);
}

/* Room in the sets for the ranks of the tile. The sets are empty before and after every tile. */
static bool conflicts_size_sets(Conflicts *conflicts, Error *error)
{
    size_t needed = conflicts->transfers.count;
    if (needed > conflicts->set_size) {
        conflicts->set_size = 0;
        rank_set_free(&conflicts->readers);
        rank_set_free(&conflicts->writers);
        if (!vec_reserve(&conflicts->reads_running, needed, error) ||
            !rank_set_init(&conflicts->readers, conflicts->reads_running.capacity, error) ||
            !rank_set_init(&conflicts->writers, conflicts->reads_running.capacity, error)) {
            return false;
        }
        conflicts->set_size = conflicts->reads_running.capacity;
    }
    for (size_t rank = 0; rank < needed; rank++) {
        conflicts->reads_running.items[rank] = 0;
    }
    return true;
}

/* ---- The sweep over addresses ----
 *
 * At every byte the transfers that access it stand in time order, for example
 *
 *     rank     0  1  2  3  4  5  6
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
    const uint32_t *transfers = teller->conflicts->transfers.items;
    if (++teller->told % POLL_EVENTS == 0 && !progress_go_on(teller->conflicts->progress, error)) {
        return false;
    }
    return teller->sink->conflict(teller->sink->context, transfers[before], transfers[after], kind,
                                  teller->address, teller->begins, error);
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

static bool tell_read(Teller *teller, uint32_t rank, Error *error)
{
    const RankSet *writers = &teller->conflicts->writers;
    uint32_t low = rank_set_previous(writers, rank), high = rank_set_next(writers, rank);
    return (low == RANK_NONE || tell(teller, low, rank, DEPENDENCY_RAW, error)) &&
           (high == RANK_NONE || high == rank || tell(teller, rank, high, DEPENDENCY_WAR, error));
}

/* Tells the neighbourhood of the accesses that start or end here, as the sets stand. */
static bool tell_changes(Teller *teller, const SortItem *events, size_t count, Error *error)
{
    const RankSet *writers = &teller->conflicts->writers;
    uint64_t next_gap = 0; /* gaps that begin below are told already; a gap begins at its low write + 1 */
    for (size_t k = 0; k < count; k++) {
        uint32_t rank = events[k].value;
        if ((events[k].extra & EVENT_WRITE) == 0) {
            if (rank_set_has(&teller->conflicts->readers, rank) && !tell_read(teller, rank, error)) {
                return false;
            }
            continue;
        }
        uint32_t low = rank_set_previous(writers, rank), high = rank_set_next(writers, rank);
        uint64_t gap = low == RANK_NONE ? 0 : (uint64_t)low + 1;
        if (gap >= next_gap) {
            if (!tell_gap(teller, low, high, error)) {
                return false;
            }
            next_gap = gap + 1;
        }
        if (high == rank && (uint64_t)rank + 1 >= next_gap) {
            if (!tell_gap(teller, rank, rank_set_next(writers, (uint64_t)rank + 1), error)) {
                return false;
            }
            next_gap = (uint64_t)rank + 2;
        }
    }
    return true;
}

static void conflicts_apply(Conflicts *conflicts, const SortItem *events, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        uint32_t rank = events[k].value;
        bool start = (events[k].extra & EVENT_START) != 0;
        if ((events[k].extra & EVENT_WRITE) != 0) {
            if (start) {
                rank_set_insert(&conflicts->writers, rank);
            } else {
                rank_set_remove(&conflicts->writers, rank);
            }
            continue;
        }
        uint32_t *running = &conflicts->reads_running.items[rank];
        *running += start ? 1u : UINT32_MAX;
        if (*running > 0) {
            rank_set_insert(&conflicts->readers, rank);
        } else {
            rank_set_remove(&conflicts->readers, rank);
        }
    }
}

static bool conflicts_sweep(Conflicts *conflicts, const ConflictSink *sink, Error *error)
{
    Teller teller = {.conflicts = conflicts, .sink = sink};
    const SortItem *events = conflicts->events.items;
    size_t count = conflicts->events.count;
    uint32_t steps = 0;
    for (size_t low = 0, high; low < count; low = high) {
        for (high = low + 1; high < count && events[high].key == events[low].key; high++) {
        }
        if (++steps % POLL_EVENTS == 0 && !progress_go_on(conflicts->progress, error)) {
            return false;
        }
        teller.address = (uint32_t)events[low].key;
        teller.begins = false;
        if (sink->ends && !tell_changes(&teller, events + low, high - low, error)) {
            return false;
        }
        conflicts_apply(conflicts, events + low, high - low);
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
    if (!progress_go_on(conflicts->progress, error) || !conflicts_unite_writes(conflicts, tile, error) ||
        !conflicts_find_reads(conflicts, tile, error)) {
        return false;
    }
    conflicts->read_write_overlap = conflicts->reads.count > 0;
    if (!conflicts->read_write_overlap && !conflicts->write_write_overlap) {
        return true;
    }
    return conflicts_list_events(conflicts, tile, error) && conflicts_size_sets(conflicts, error) &&
           conflicts_sweep(conflicts, sink, error);
}
