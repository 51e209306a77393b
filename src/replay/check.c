#include "config.h"

#include "replay/check.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/sort.h"
#include "fabric/fabric.h"
#include "replay/trace.h"
#include "row/instruction.h"

enum {
    SEND_CYCLES_MIN = 6, /* a sender's elements are busy for so many cycles from the transfer's offset */
    SOLE_SOURCE_EVENT = 113,

    START_UNKNOWN = UINT32_MAX,
    POLL_STEPS = 4096
};

typedef struct Check {
    const Phase *phase;
    uint16_t tile_count;
    const Dependencies *dependencies;
    const Replay *replay;
    Progress *progress;
    ReplayVerdict *verdict;
    Error *error;
    bool faulted;

    FabricTile *tiles; /* [tile_count] */

    /* The receives that the phase asks for, by tile: key of receive_key(), value the transfer. */
    SortItem *receives;
    uint32_t *receive_start; /* [tile_count+1] */
    uint32_t *sends;         /* transfers by source */
    uint32_t *send_start;    /* [tile_count+1] */

    /* From the rows, [transfers] each: the send's first cycle, when its elements are free again, and when the
     * last payload ends. */
    uint32_t *start;
    uint32_t *send_memory_end;
    uint32_t *completion;
    uint32_t *memory_end; /* [tile_count], the latest */

    Trace trace;         /* of the tile at hand */
    VEC(SortItem) items; /* its arrivals or sends, sorted */
} Check;

/* Every function below that returns bool says whether to go on; what stops it is either a fault, which is the
 * verdict, or an error. */
static bool fault(Check *check, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool fault(Check *check, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(check->verdict->first_fault, sizeof check->verdict->first_fault, format, arguments);
    va_end(arguments);
    check->faulted = true;
    return false;
}

/* Has nobody cancelled? Asked between any two stages of a tile, since one tile may do all of the work, ... */
static bool go_on(const Check *check)
{
    return progress_go_on(check->progress, check->error);
}

/* ... and now and then in loops over the whole phase. */
static bool poll(const Check *check, size_t step)
{
    return step % POLL_STEPS != 0 || go_on(check);
}

/* ---- the phase, by tile ---- */

/* What a row tells of a receive, so that it can be found among those of the phase. */
static uint64_t receive_key(uint32_t address, uint32_t words, uint16_t source)
{
    return (uint64_t)address << 24 | (uint64_t)words << 11 | source;
}

/* Turns counts at [tile + 1] into first places. */
static void counts_to_starts(uint32_t *start, uint16_t tile_count)
{
    for (unsigned t = 0; t < tile_count; t++) {
        start[t + 1] += start[t];
    }
}

/* After the places were handed out from start[tile] on, each start has become the next one's. */
static void restore_starts(uint32_t *start, uint16_t tile_count)
{
    memmove(start + 1, start, tile_count * sizeof *start);
    start[0] = 0;
}

static bool group_sends(Check *check)
{
    const Phase *phase = check->phase;
    check->send_start = mem_zero(check->tile_count + 1u, sizeof *check->send_start, check->error);
    check->sends = mem_new(phase->transfers, sizeof *check->sends, check->error);
    if (check->send_start == NULL || check->sends == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < phase->transfers; i++) {
        check->send_start[phase->source[i] + 1]++;
    }
    counts_to_starts(check->send_start, check->tile_count);
    for (uint32_t i = 0; i < phase->transfers; i++) {
        if (!poll(check, i)) {
            return false;
        }
        check->sends[check->send_start[phase->source[i]]++] = i;
    }
    restore_starts(check->send_start, check->tile_count);
    return true;
}

static bool group_receives(Check *check)
{
    const Phase *phase = check->phase;
    uint32_t count = phase->receiver_start[phase->transfers];
    check->receive_start = mem_zero(check->tile_count + 1u, sizeof *check->receive_start, check->error);
    check->receives = mem_new(count, sizeof *check->receives, check->error);
    if (check->receive_start == NULL || check->receives == NULL) {
        return false;
    }
    for (uint32_t r = 0; r < count; r++) {
        check->receive_start[phase->receiver_tile[r] + 1]++;
    }
    counts_to_starts(check->receive_start, check->tile_count);
    for (uint32_t i = 0; i < phase->transfers; i++) {
        if (!poll(check, i)) {
            return false;
        }
        for (uint32_t r = phase->receiver_start[i]; r < phase->receiver_start[i + 1]; r++) {
            check->receives[check->receive_start[phase->receiver_tile[r]]++] = (SortItem){
                .key = receive_key(phase->receiver_address[r], phase->words[i], phase->source[i]),
                .value = i,
            };
        }
    }
    restore_starts(check->receive_start, check->tile_count);
    return true;
}

static uint32_t tile_receives(const Check *check, uint16_t tile)
{
    return check->receive_start[tile + 1] - check->receive_start[tile];
}

static uint32_t tile_sends(const Check *check, uint16_t tile)
{
    return check->send_start[tile + 1] - check->send_start[tile];
}

/* Is the transfer in the sole-receive form? */
static bool is_sole(const Check *check, uint32_t transfer)
{
    const Phase *phase = check->phase;
    return phase_receivers(phase, transfer) == 1 &&
           tile_receives(check, phase->receiver_tile[phase->receiver_start[transfer]]) == 1;
}

static bool read_tile(Check *check, uint16_t tile)
{
    const Replay *replay = check->replay;
    Trace *trace = &check->trace;
    return trace_read(trace, &check->tiles[tile], replay->row_words + replay->row_start[tile],
                      (size_t)(replay->row_start[tile + 1] - replay->row_start[tile]),
                      replay->tile_horizon[tile], replay->incoming_base[tile], check->error) ||
           (trace->fault[0] != '\0' && fault(check, "tile %u, %s", tile, trace->fault));
}

/* ---- receives: step 1 and 2 of the header ---- */

/* The tile's arrivals into the items: key what they tell, value their index, the earlier of equal ones first.
 */
static bool sort_arrivals(Check *check)
{
    Trace *trace = &check->trace;
    vec_clear(&check->items);
    for (uint32_t k = 0; k < trace->arrivals.count; k++) {
        const Arrival *arrival = &trace->arrivals.items[k];
        SortItem item = {
            .key = receive_key(arrival->address, arrival->words, arrival->source),
            .value = k,
        };
        if (!vec_push(&check->items, item, check->error)) {
            return false;
        }
    }
    return sort_items(check->items.items, check->items.count, check->error);
}

static bool fault_lost(Check *check, uint16_t tile, const SortItem *wanted)
{
    return fault(check, "tile %u: transfer %u (%u words from tile %u to 0x%05x) is never received", tile,
                 wanted->value, check->phase->words[wanted->value], check->phase->source[wanted->value],
                 (unsigned)(wanted->key >> 24));
}

static bool fault_unasked(Check *check, uint16_t tile, const Arrival *arrival)
{
    return fault(check,
                 "tile %u, cycle %u: receives %u words from tile %u to 0x%05x, which no transfer asks for",
                 tile, arrival->source_event, arrival->words, arrival->source, arrival->address);
}

/* The start of a transfer as one of its receives tells it. */
static bool note_start(Check *check, uint16_t tile, uint32_t transfer, const Arrival *arrival)
{
    int64_t start = (int64_t)arrival->source_event - 1 -
                    fabric_time_to_mux(&check->tiles[arrival->source], &check->tiles[tile]);
    if (start < 0 || start >= START_UNKNOWN) {
        return fault(check, "tile %u, cycle %u: transfer %u would be sent at cycle %lld", tile,
                     arrival->source_event, transfer, (long long)start);
    }
    if (check->start[transfer] != START_UNKNOWN && check->start[transfer] != start) {
        return fault(check,
                     "tile %u, cycle %u: transfer %u would be sent at cycle %lld, for another receiver at %u",
                     tile, arrival->source_event, transfer, (long long)start, check->start[transfer]);
    }
    check->start[transfer] = (uint32_t)start;
    return true;
}

/* An incoming base goes with the sole-receive form and with nothing else. */
static bool check_base(Check *check, uint16_t tile)
{
    int32_t base = check->replay->incoming_base[tile];
    bool sole =
        tile_receives(check, tile) == 1 && is_sole(check, check->receives[check->receive_start[tile]].value);
    if (sole ? base < 0 : base != -1) {
        return fault(check, "tile %u: incoming base %d %s", tile, base,
                     sole ? "where its sole receive needs one" : "without a sole receive");
    }
    return true;
}

static bool check_receives(Check *check, uint16_t tile)
{
    if (!check_base(check, tile) || !read_tile(check, tile) || !go_on(check) || !sort_arrivals(check) ||
        !go_on(check)) {
        return false;
    }
    const Arrival *arrivals = check->trace.arrivals.items;
    SortItem *wanted = check->receives + check->receive_start[tile];
    const SortItem *wanted_end = check->receives + check->receive_start[tile + 1];
    const SortItem *found = check->items.items, *found_end = found + check->items.count;
    if (!sort_items(wanted, tile_receives(check, tile), check->error) || !go_on(check)) {
        return false;
    }
    for (; wanted != wanted_end && found != found_end && wanted->key == found->key; wanted++, found++) {
        if (!note_start(check, tile, wanted->value, &arrivals[found->value])) {
            return false;
        }
    }
    if (wanted != wanted_end && (found == found_end || wanted->key < found->key)) {
        return fault_lost(check, tile, wanted);
    }
    return found == found_end || fault_unasked(check, tile, &arrivals[found->value]);
}

/* ---- transfers: times and completion ---- */

static bool note_memory_end(Check *check, uint16_t tile, uint32_t transfer, uint64_t end)
{
    if (end > check->replay->tile_horizon[tile]) {
        return fault(check, "tile %u, cycle %llu: transfer %u ends beyond the horizon %u", tile,
                     (unsigned long long)end, transfer, check->replay->tile_horizon[tile]);
    }
    if (check->memory_end[tile] < end) {
        check->memory_end[tile] = (uint32_t)end;
    }
    return true;
}

/* The memory elements that a transfer reads in any Repeat iteration. */
static uint64_t source_elements(const Phase *phase, uint32_t transfer)
{
    uint64_t elements = 0;
    for (uint32_t a = phase->address_start[transfer]; a < phase->address_start[transfer + 1]; a++) {
        elements |= fabric_elements(phase->addresses[a], phase->words[transfer] * 4u);
    }
    return elements;
}

/* A transfer to its own tile must be a multicast that reads and writes separate elements. */
static bool check_loopback(Check *check, uint32_t transfer, uint32_t address)
{
    const Phase *phase = check->phase;
    uint64_t written = fabric_elements(address, phase->words[transfer] * 4u);
    if (phase_receivers(phase, transfer) < 2 || (source_elements(phase, transfer) & written) != 0) {
        return fault(check, "tile %u, cycle %u: transfer %u sends to its own tile, %s",
                     phase->source[transfer], check->start[transfer], transfer,
                     phase_receivers(phase, transfer) < 2 ? "and to no other"
                                                          : "to an element that it reads");
    }
    return true;
}

/* The send's first cycle at offset 0. */
static int first_start(const Check *check, uint32_t transfer)
{
    const Phase *phase = check->phase;
    const FabricTile *source = &check->tiles[phase->source[transfer]];
    int least = INT_MAX;
    for (uint32_t r = phase->receiver_start[transfer]; r < phase->receiver_start[transfer + 1]; r++) {
        int time = fabric_time_to_mux(source, &check->tiles[phase->receiver_tile[r]]);
        least = time < least ? time : least;
    }
    if (is_sole(check, transfer)) {
        return SOLE_SOURCE_EVENT - 1 - least;
    }
    return least < 0 ? -least : 0;
}

static bool check_transfer(Check *check, uint32_t transfer)
{
    const Phase *phase = check->phase;
    uint16_t source = phase->source[transfer];
    uint32_t words = phase->words[transfer], start = check->start[transfer];
    int first = first_start(check, transfer);
    if (start < (uint32_t)first) {
        return fault(check, "tile %u, cycle %u: transfer %u is sent before cycle %d, which its route needs",
                     source, start, transfer, first);
    }
    uint64_t end = (uint64_t)start + words, busy = (uint64_t)start - (uint32_t)first + SEND_CYCLES_MIN;
    uint64_t send_memory_end = busy > end ? busy : end;
    if (!note_memory_end(check, source, transfer, send_memory_end)) {
        return false;
    }
    check->send_memory_end[transfer] = (uint32_t)send_memory_end;

    for (uint32_t r = phase->receiver_start[transfer]; r < phase->receiver_start[transfer + 1]; r++) {
        uint16_t tile = phase->receiver_tile[r];
        int64_t source_event =
            start + 1 + (int64_t)fabric_time_to_mux(&check->tiles[source], &check->tiles[tile]);
        uint64_t payload_end = (uint64_t)source_event + write_lag(&check->tiles[tile], words) + words;
        if (!note_memory_end(check, tile, transfer, payload_end + write_tail(words)) ||
            (tile == source && !check_loopback(check, transfer, phase->receiver_address[r]))) {
            return false;
        }
        end = payload_end > end ? payload_end : end;
    }
    check->completion[transfer] = (uint32_t)end;
    return true;
}

static bool check_transfers(Check *check)
{
    for (uint32_t i = 0; i < check->phase->transfers; i++) {
        if (!poll(check, i) || !check_transfer(check, i)) {
            return false;
        }
    }
    for (unsigned t = 0; t < check->tile_count; t++) {
        if (check->memory_end[t] != check->replay->tile_horizon[t]) {
            return fault(check, "tile %u: its last memory use ends at cycle %u, the horizon is %u", t,
                         check->memory_end[t], check->replay->tile_horizon[t]);
        }
    }
    return true;
}

/* ---- sends: step 3 of the header ---- */

/* The tile's sends into the items: key start, value transfer, ascending. */
static bool sort_sends(Check *check, uint16_t tile)
{
    vec_clear(&check->items);
    for (uint32_t k = check->send_start[tile]; k < check->send_start[tile + 1]; k++) {
        uint32_t transfer = check->sends[k];
        SortItem item = {.key = check->start[transfer], .value = transfer};
        if (!vec_push(&check->items, item, check->error)) {
            return false;
        }
    }
    return sort_items(check->items.items, check->items.count, check->error);
}

static unsigned transfer_directions(const Check *check, uint32_t transfer)
{
    const Phase *phase = check->phase;
    uint16_t receiver = phase->receiver_tile[phase->receiver_start[transfer]];
    return phase_receivers(phase, transfer) > 1
               ? SCTL_BOTH
               : fabric_direction(&check->tiles[phase->source[transfer]], &check->tiles[receiver]);
}

static bool fault_stray_words(Check *check, uint16_t tile, const Sending *sending)
{
    return fault(check, "tile %u, cycle %u: sends %u words that belong to no transfer", tile, sending->start,
                 sending->words);
}

/* Takes a transfer's words from the front of what is left of the sendings. */
static bool take_words(Check *check, uint16_t tile, uint32_t transfer, Sending **next, const Sending *end)
{
    uint32_t cycle = check->start[transfer], left = check->phase->words[transfer];
    uint32_t address = phase_address(check->phase, transfer, 0);
    unsigned directions = transfer_directions(check, transfer);
    while (left != 0) {
        Sending *sending = *next;
        if (sending == end || sending->start > cycle) {
            return fault(check, "tile %u, cycle %u: transfer %u is not sent", tile, cycle, transfer);
        }
        if (sending->start < cycle) {
            return fault_stray_words(check, tile, sending);
        }
        if (sending->address != address || sending->sctl != directions) {
            return fault(check,
                         "tile %u, cycle %u: sends from 0x%05x with sctl %u, transfer %u from 0x%05x with %u",
                         tile, cycle, sending->address, sending->sctl, transfer, address, directions);
        }
        uint32_t words = sending->words < left ? sending->words : left;
        sending->start += words;
        sending->address += 4 * words;
        sending->words -= words;
        *next += sending->words == 0;
        cycle += words;
        address += 4 * words;
        left -= words;
    }
    return true;
}

static bool check_sends(Check *check, uint16_t tile)
{
    Trace *trace = &check->trace;
    Sending *next = trace->sendings.items, *end = next + trace->sendings.count;
    for (size_t k = 0; k < check->items.count; k++) {
        if (!take_words(check, tile, check->items.items[k].value, &next, end)) {
            return false;
        }
    }
    return next == end || fault_stray_words(check, tile, next);
}

/* No send and receive of the tile that overlap in time share an element. Starts ascend on both sides, and so
 * do the memory ends of receives, so that each send needs to look at those from `first` on only. */
static bool check_memory(Check *check, uint16_t tile)
{
    const Trace *trace = &check->trace;
    const Arrival *arrival = trace->arrivals.items, *end = arrival + trace->arrivals.count;
    const Arrival *first = arrival;
    for (size_t k = 0; k < check->items.count; k++) {
        uint32_t transfer = check->items.items[k].value;
        uint32_t busy_from = check->start[transfer], busy_to = check->send_memory_end[transfer];
        while (first != end && arrival_memory_end(first) <= busy_from) {
            first++;
        }
        uint64_t read = 0;
        for (arrival = first; arrival != end && arrival->write < busy_to; arrival++) {
            if (read == 0) {
                read = source_elements(check->phase, transfer);
            }
            if ((read & fabric_elements(arrival->address, 4 * arrival->words)) != 0) {
                return fault(
                    check,
                    "tile %u, cycle %u: transfer %u sends from an element that a receive from tile %u "
                    "to 0x%05x writes from cycle %u on",
                    tile, busy_from, transfer, arrival->source, arrival->address, arrival->write);
            }
        }
    }
    return true;
}

/* ---- activities: what timelines are drawn from ---- */

static bool activity_matches(const Activity *activity, const Activity *right)
{
    return activity->transfer == right->transfer && activity->address == right->address &&
           activity->start == right->start && activity->end == right->end &&
           activity->memory_end == right->memory_end && activity->words == right->words &&
           activity->kind == right->kind;
}

static Activity send_activity(const Check *check, uint32_t transfer)
{
    return (Activity){
        .transfer = transfer,
        .address = phase_address(check->phase, transfer, 0),
        .start = check->start[transfer],
        .end = check->start[transfer] + check->phase->words[transfer],
        .memory_end = check->send_memory_end[transfer],
        .words = check->phase->words[transfer],
        .kind = ACTIVITY_SEND,
    };
}

static Activity receive_activity(const Arrival *arrival, uint32_t transfer)
{
    return (Activity){
        .transfer = transfer,
        .address = arrival->address,
        .start = arrival->write,
        .end = arrival_end(arrival),
        .memory_end = arrival_memory_end(arrival),
        .words = (uint16_t)arrival->words,
        .kind = ACTIVITY_RECEIVE,
    };
}

/* Is it this transfer that arrives? A source sends one transfer at a time, so that its tile and the start
 * tell. */
static bool arrives(const Check *check, uint16_t tile, const Arrival *arrival, uint32_t transfer)
{
    return transfer < check->phase->transfers && check->phase->source[transfer] == arrival->source &&
           (int64_t)check->start[transfer] + 1 +
                   fabric_time_to_mux(&check->tiles[arrival->source], &check->tiles[tile]) ==
               arrival->source_event;
}

static bool check_activities(Check *check, uint16_t tile)
{
    const Replay *replay = check->replay;
    const Trace *trace = &check->trace;
    const SortItem *send = check->items.items, *sends_end = send + check->items.count;
    const Arrival *arrival = trace->arrivals.items, *arrivals_end = arrival + trace->arrivals.count;
    const Activity *activity = replay->activities + replay->activity_start[tile];
    const Activity *end = replay->activities + replay->activity_start[tile + 1];
    for (; activity != end; activity++) {
        Activity right;
        bool same = false;
        if (send != sends_end && (arrival == arrivals_end || send->key <= arrival->write)) {
            right = send_activity(check, send++->value);
            same = activity_matches(activity, &right);
        } else if (arrival != arrivals_end) {
            right = receive_activity(arrival, activity->transfer);
            same = activity_matches(activity, &right) && arrives(check, tile, arrival++, activity->transfer);
        }
        if (!same) {
            return fault(check, "tile %u, cycle %u: the activity of transfer %u is not as in the row", tile,
                         activity->start, activity->transfer);
        }
    }
    if (send != sends_end || arrival != arrivals_end) {
        return fault(check, "tile %u: activities of its row are missing", tile);
    }
    return true;
}

/* ---- dependencies ---- */

static bool check_dependencies(Check *check)
{
    const Dependencies *dependencies = check->dependencies;
    if (dependencies->edges == 0) {
        return true;
    }
    const uint32_t *start = dependencies->predecessor_start;
    for (uint32_t i = 0; i < check->phase->transfers; i++) {
        for (uint32_t e = start[i]; e < start[i + 1]; e++) {
            uint32_t predecessor = dependencies->predecessors[e];
            if (!poll(check, e)) {
                return false;
            }
            if (check->start[i] < check->completion[predecessor]) {
                return fault(check,
                             "tile %u, cycle %u: transfer %u starts before transfer %u, on which it depends, "
                             "completes at %u",
                             check->phase->source[i], check->start[i], i, predecessor,
                             check->completion[predecessor]);
            }
        }
    }
    return true;
}

/* ---- figures ---- */

static bool is_predecessor(const Check *check, uint32_t transfer, uint32_t other)
{
    const Dependencies *dependencies = check->dependencies;
    for (uint32_t e = dependencies->predecessor_start[transfer];
         e < dependencies->predecessor_start[transfer + 1]; e++) {
        if (dependencies->predecessors[e] == other) {
            return true;
        }
    }
    return false;
}

/* The least offset that the predecessors allow. */
static uint32_t offset_allowed(const Check *check, uint32_t transfer)
{
    const Dependencies *dependencies = check->dependencies;
    uint32_t allowed = 0;
    for (uint32_t e = dependencies->edges == 0 ? 0 : dependencies->predecessor_start[transfer];
         dependencies->edges != 0 && e < dependencies->predecessor_start[transfer + 1]; e++) {
        uint32_t completion = check->completion[dependencies->predecessors[e]];
        allowed = completion > allowed ? completion : allowed;
    }
    return allowed;
}

/* What is said to keep a transfer from starting earlier, as far as it follows from the rows: nothing at
 * offset 0, a predecessor that completes just then, a send that ends just then; else some other transfer. */
static bool check_wait(Check *check, uint32_t transfer, uint32_t offset, uint32_t allowed)
{
    const Replay *replay = check->replay;
    uint32_t other = replay->wait_transfer[transfer];
    unsigned kind = replay->wait_kind[transfer];
    bool known = other < check->phase->transfers && other != transfer, right = false;
    switch (kind) {
    case WAIT_NONE:
        right = offset == 0 && other == WAIT_NO_TRANSFER;
        break;
    case WAIT_DEPENDENCY:
        right = known && offset == allowed && check->completion[other] == offset &&
                is_predecessor(check, transfer, other);
        break;
    case WAIT_SEND_LANE:
        right = known && offset > allowed && check->phase->source[other] == check->phase->source[transfer] &&
                check->start[other] + check->phase->words[other] == check->start[transfer];
        break;
    default:
        right = kind < WAIT_KINDS && offset > allowed && (known || other == WAIT_NO_TRANSFER);
        break;
    }
    return right || fault(check, "transfer %u, offset %u: it cannot have waited for %s %lld", transfer,
                          offset, kind < WAIT_KINDS ? wait_kind_name((WaitKind)kind) : "an unknown thing,",
                          other == WAIT_NO_TRANSFER ? -1LL : (long long)other);
}

/* What is recorded for each transfer. */
static bool check_records(Check *check)
{
    const Replay *replay = check->replay;
    for (uint32_t i = 0; i < check->phase->transfers; i++) {
        uint32_t offset = check->start[i] - (uint32_t)first_start(check, i);
        uint32_t allowed = offset_allowed(check, i);
        const struct {
            const char *what;
            uint32_t recorded, right;
        } records[] = {{"completes at cycle", replay->completion[i], check->completion[i]},
                       {"is sent from cycle", replay->send_start[i], check->start[i]},
                       {"has the offset", replay->offset[i], offset},
                       {"may have the offset", replay->requested[i], allowed}};
        if (!poll(check, i)) {
            return false;
        }
        for (size_t k = 0; k < sizeof records / sizeof *records; k++) {
            if (records[k].recorded != records[k].right) {
                return fault(check, "transfer %u %s %u, not %u", i, records[k].what, records[k].right,
                             records[k].recorded);
            }
        }
        if (!check_wait(check, i, offset, allowed)) {
            return false;
        }
    }
    return true;
}

static uint64_t fingerprint_add(uint64_t hash, uint32_t unit)
{
    return (hash ^ unit) * UINT64_C(0x100000001b3);
}

static bool check_fingerprint(Check *check)
{
    const Replay *replay = check->replay;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (unsigned t = 0; t < check->tile_count; t++) {
        hash = fingerprint_add(hash, (uint32_t)(replay->row_start[t + 1] - replay->row_start[t]));
        for (uint64_t w = replay->row_start[t]; w < replay->row_start[t + 1]; w++) {
            hash = fingerprint_add(hash, replay->row_words[w]);
        }
    }
    if (replay->row_fingerprint != hash) {
        return fault(check, "row_fingerprint is %016llx, not %016llx", (unsigned long long)hash,
                     (unsigned long long)replay->row_fingerprint);
    }
    return true;
}

static uint64_t tile_send_words(const Check *check, uint16_t tile)
{
    uint64_t words = 0;
    for (uint32_t k = check->send_start[tile]; k < check->send_start[tile + 1]; k++) {
        words += check->phase->words[check->sends[k]];
    }
    return words;
}

static uint64_t tile_receive_words(const Check *check, uint16_t tile)
{
    uint64_t words = 0;
    for (uint32_t k = check->receive_start[tile]; k < check->receive_start[tile + 1]; k++) {
        words += check->phase->words[check->receives[k].value];
    }
    return words;
}

static uint64_t maximum(uint64_t left, uint64_t right)
{
    return left > right ? left : right;
}

static bool check_figures(Check *check)
{
    const Replay *replay = check->replay;
    uint64_t horizon = 0, row_words = 0, active = 0, bound = 0, paired = 0;
    int64_t row_tile = -1;
    for (uint16_t t = 0; t < check->tile_count; t++) {
        uint64_t words = replay->row_start[t + 1] - replay->row_start[t];
        if (words > row_words) {
            row_words = words;
            row_tile = check->phase->transfers != 0 ? t : -1;
        }
        horizon = maximum(horizon, replay->tile_horizon[t]);
        active += tile_sends(check, t) != 0 || tile_receives(check, t) != 0;
        bound = maximum(bound, maximum(tile_send_words(check, t), tile_receive_words(check, t)));
    }
    for (uint32_t i = 0; i < check->phase->transfers; i++) {
        paired += check->phase->width[i] == WIDTH_PAIRED64;
    }

    const struct {
        const char *name;
        uint64_t reported, right;
    } figures[] = {
        {"horizon_cycles", replay->horizon_cycles, horizon},
        {"maximum_row_words", replay->maximum_row_words, row_words},
        {"maximum_row_tile", (uint64_t)replay->maximum_row_tile, (uint64_t)row_tile},
        {"total_row_words", replay->total_row_words, replay->row_start[check->tile_count]},
        {"active_tiles", replay->active_tiles, active},
        {"endpoint_lower_bound_cycles", replay->endpoint_lower_bound_cycles, bound},
        {"paired64_transfers", replay->paired64_transfers, paired},
    };
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        if (figures[i].reported != figures[i].right) {
            return fault(check, "%s is %lld, not %lld", figures[i].name, (long long)figures[i].right,
                         (long long)figures[i].reported);
        }
    }
    if (replay->pass != 1 && replay->pass != 2) {
        return fault(check, "pass %u: there are 1 and 2", replay->pass);
    }
    return true;
}

/* ---- all of it ---- */

/* The arrays of the replay must have the shape that everything else relies on. */
static bool check_shape(Check *check)
{
    const Replay *replay = check->replay;
    if (replay->tile_count != check->tile_count) {
        return fault(check, "a replay of %u tiles, not %u", replay->tile_count, check->tile_count);
    }
    if (replay->row_start[0] != 0 || replay->activity_start[0] != 0) {
        return fault(check, "tile 0: its row or activities do not come first");
    }
    for (unsigned t = 0; t < check->tile_count; t++) {
        if (replay->row_start[t] > replay->row_start[t + 1] ||
            replay->activity_start[t] > replay->activity_start[t + 1]) {
            return fault(check, "tile %u: its row or activities end before they start", t);
        }
    }
    return true;
}

static bool prepare(Check *check)
{
    size_t transfers = check->phase->transfers, tiles = check->tile_count;
    check->tiles = mem_new(tiles, sizeof *check->tiles, check->error);
    check->start = mem_new(transfers, sizeof *check->start, check->error);
    check->send_memory_end = mem_new(transfers, sizeof *check->send_memory_end, check->error);
    check->completion = mem_new(transfers, sizeof *check->completion, check->error);
    check->memory_end = mem_zero(tiles, sizeof *check->memory_end, check->error);
    if (check->tiles == NULL || check->start == NULL || check->send_memory_end == NULL ||
        check->completion == NULL || check->memory_end == NULL) {
        return false;
    }
    for (uint16_t t = 0; t < check->tile_count; t++) {
        check->tiles[t] = fabric_tile(t);
    }
    for (size_t i = 0; i < transfers; i++) {
        check->start[i] = START_UNKNOWN;
    }
    return vec_reserve(&check->items, 1, check->error) && group_sends(check) && group_receives(check);
}

static bool check_all(Check *check)
{
    if (!check_shape(check) || !prepare(check)) {
        return false;
    }
    for (uint16_t t = 0; t < check->tile_count; t++) {
        if (!check_receives(check, t)) {
            return false;
        }
    }
    if (!check_transfers(check)) {
        return false;
    }
    /* The rows are read a second time rather than kept: that is cheap, and keeps memory small. What was
     * recorded of them counts only when all of the rules hold. */
    bool recorded = true;
    for (uint16_t t = 0; t < check->tile_count; t++) {
        if (!read_tile(check, t) || !go_on(check) || !sort_sends(check, t) || !go_on(check) ||
            !check_sends(check, t) || !check_memory(check, t) || !go_on(check)) {
            return false;
        }
        recorded = recorded && check_activities(check, t);
    }
    return check_dependencies(check) && recorded && check_records(check) && go_on(check) &&
           check_figures(check) && go_on(check) && check_fingerprint(check);
}

static void release(Check *check)
{
    mem_free(check->tiles);
    mem_free(check->receives);
    mem_free(check->receive_start);
    mem_free(check->sends);
    mem_free(check->send_start);
    mem_free(check->start);
    mem_free(check->send_memory_end);
    mem_free(check->completion);
    mem_free(check->memory_end);
    trace_free(&check->trace);
    vec_free(&check->items);
}

bool replay_check(const Phase *phase, uint16_t tile_count, const Dependencies *dependencies,
                  const Replay *replay, Progress *progress, ReplayVerdict *verdict, Error *error)
{
    *verdict = (ReplayVerdict){.pass = false};
    Check check = {
        .phase = phase,
        .tile_count = tile_count,
        .dependencies = dependencies,
        .replay = replay,
        .progress = progress,
        .verdict = verdict,
        .error = error,
    };
    verdict->pass = check_all(&check);
    release(&check);
    return verdict->pass || check.faulted;
}
