#include "config.h"

#include "replay/check.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/sort.h"
#include "fabric/fabric.h"
#include "row/decode.h"

enum {
    /* Events from the source event to the first payload write, and how long the elements stay busy after the
     * last one. A receive of 52 words writes one event earlier and keeps them one event longer. */
    WRITE_LAG = 52,
    WRITE_LAG_PER_ROW = 2,
    WRITE_TAIL = 5,
    EARLY_WORDS = 52,

    SEND_EVENTS_MIN = 6, /* a sender's elements are busy for so many events from the transfer's offset */
    SOLE_SOURCE_EVENT = 113,

    START_UNKNOWN = UINT32_MAX,
    POLL_STEPS = 4096
};

typedef struct Control {
    uint32_t cycle;
    uint32_t value;
} Control;

/* Words of one instruction, one a cycle. */
typedef struct Sending {
    uint32_t start;
    uint32_t words;
    uint32_t address;
    uint32_t sctl;
} Sending;

/* A receive as the controls of its tile tell it. */
typedef struct Arrival {
    uint32_t source_event;
    uint32_t write; /* cycle of the first payload write */
    uint32_t words;
    uint32_t address;
    uint16_t source; /* logical tile */
} Arrival;

/* One tile's row, taken apart. */
typedef struct Trace {
    VEC(Control) muxes;
    VEC(Control) pointers;
    VEC(Sending) sendings;
    VEC(Arrival) arrivals; /* ascending source event and write */
    VEC(SortItem) items;   /* scratch */
} Trace;

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

    Trace trace;
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

static bool poll(const Check *check, size_t step)
{
    return step % POLL_STEPS != 0 || progress_go_on(check->progress, check->error);
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

/* ---- one row ---- */

static bool note_controls(Check *check, uint16_t tile, const RowStep *step)
{
    const Instruction *instruction = &step->instruction;
    if (instruction->mux_selector != 0 || instruction->pointer_selector != 0) {
        return fault(check, "tile %u, cycle %u: a control with a selector", tile, step->control);
    }
    return (!step->sets_mux ||
            vec_push(&check->trace.muxes, ((Control){step->control, instruction->mux}), check->error)) &&
           (!step->sets_pointer ||
            vec_push(&check->trace.pointers, ((Control){step->control, instruction->pointer}), check->error));
}

/* Fills the trace's controls and sendings. */
static bool read_row(Check *check, uint16_t tile)
{
    const Replay *replay = check->replay;
    Trace *trace = &check->trace;
    vec_clear(&trace->muxes);
    vec_clear(&trace->pointers);
    vec_clear(&trace->sendings);

    RowReader reader = row_reader(replay->row_words + replay->row_start[tile],
                                  (size_t)(replay->row_start[tile + 1] - replay->row_start[tile]));
    RowStep step;
    while (row_read(&reader, &step)) {
        if (!note_controls(check, tile, &step)) {
            return false;
        }
        Sending sending = {step.start, step.words, step.address, step.sctl};
        if (step.words != 0 && !vec_push(&trace->sendings, sending, check->error)) {
            return false;
        }
    }
    if (reader.fault != NULL) {
        return fault(check, "tile %u, cycle %u: row word %zu: %s", tile, reader.time, reader.next,
                     reader.fault);
    }
    if (reader.time != replay->tile_horizon[tile]) {
        return fault(check, "tile %u: the row ends at cycle %u, the horizon is %u", tile, reader.time,
                     replay->tile_horizon[tile]);
    }
    return true;
}

static uint32_t write_lag(const Check *check, uint16_t tile, uint32_t words)
{
    return WRITE_LAG + WRITE_LAG_PER_ROW * (uint32_t)check->tiles[tile].row - (words == EARLY_WORDS);
}

static uint32_t write_tail(uint32_t words)
{
    return WRITE_TAIL + (words == EARLY_WORDS);
}

/* The mux controls as receives: every source is held up to the next control, and neutral follows a source. */
static bool read_windows(Check *check, uint16_t tile)
{
    Trace *trace = &check->trace;
    const Control *muxes = trace->muxes.items;
    vec_clear(&trace->arrivals);
    for (size_t i = 0; i < trace->muxes.count; i++) {
        if (muxes[i].value == MUX_NEUTRAL) {
            if (i == 0 || muxes[i - 1].value == MUX_NEUTRAL) {
                return fault(check, "tile %u, cycle %u: neutral where no source is selected", tile,
                             muxes[i].cycle);
            }
            continue;
        }
        if (i + 1 == trace->muxes.count) {
            return fault(check, "tile %u, cycle %u: a source that no neutral ends", tile, muxes[i].cycle);
        }
        Arrival arrival = {
            .source_event = muxes[i].cycle,
            .words = muxes[i + 1].cycle - muxes[i].cycle,
            .source = fabric_logical((uint16_t)muxes[i].value),
        };
        if (arrival.words > TRANSFER_WORDS_MAX) {
            return fault(check, "tile %u, cycle %u: a source held for %u cycles, longer than any transfer",
                         tile, muxes[i].cycle, arrival.words);
        }
        if (!vec_push(&trace->arrivals, arrival, check->error)) {
            return false;
        }
    }
    return true;
}

/* Runs the pointer over the receives: where it is set at a receive's first write, there it writes, else where
 * the receive before it ended. */
static bool run_pointer(Check *check, uint16_t tile)
{
    Trace *trace = &check->trace;
    const Control *pointer = trace->pointers.items; /* NULL where there is none */
    const Control *end = pointer == NULL ? NULL : pointer + trace->pointers.count;
    int32_t base = check->replay->incoming_base[tile];
    uint64_t free_from = 0; /* end of the payload before */
    uint32_t address = 0;
    for (size_t k = 0; k < trace->arrivals.count; k++) {
        Arrival *arrival = &trace->arrivals.items[k];
        uint64_t write = (uint64_t)arrival->source_event + write_lag(check, tile, arrival->words);
        if (write < free_from) {
            return fault(check, "tile %u, cycle %llu: a payload starts before the one before it ends at %llu",
                         tile, (unsigned long long)write, (unsigned long long)free_from);
        }
        if (write + arrival->words + write_tail(arrival->words) > check->replay->tile_horizon[tile]) {
            return fault(check, "tile %u, cycle %llu: a payload of %u words ends beyond the horizon %u", tile,
                         (unsigned long long)write, arrival->words, check->replay->tile_horizon[tile]);
        }
        if (pointer != end && pointer->cycle == write) {
            uint32_t value = pointer++->value;
            if (k != 0 && value * 4 == address) {
                return fault(check, "tile %u, cycle %llu: a pointer control where the payload continues",
                             tile, (unsigned long long)write);
            }
            if (base >= 0 && value != 0) {
                return fault(check, "tile %u, cycle %llu: pointer 0x%x on top of an incoming base", tile,
                             (unsigned long long)write, value * 4);
            }
            address = base >= 0 ? (uint32_t)base : value * 4;
        } else if (k == 0) {
            return fault(check, "tile %u, cycle %llu: the first payload starts without a pointer control",
                         tile, (unsigned long long)write);
        }
        arrival->write = (uint32_t)write;
        arrival->address = address;
        address += 4 * arrival->words;
        free_from = write + arrival->words;
    }
    if (pointer != end) {
        return fault(check, "tile %u, cycle %u: a pointer control where no payload starts", tile,
                     pointer->cycle);
    }
    return true;
}

static bool read_tile(Check *check, uint16_t tile)
{
    return read_row(check, tile) && read_windows(check, tile) && run_pointer(check, tile);
}

/* ---- receives: step 1 and 2 of the header ---- */

/* Sorts the trace's arrivals by what they tell, the earlier of equal ones first. */
static bool sort_arrivals(Check *check)
{
    Trace *trace = &check->trace;
    vec_clear(&trace->items);
    for (uint32_t k = 0; k < trace->arrivals.count; k++) {
        const Arrival *arrival = &trace->arrivals.items[k];
        SortItem item = {
            .key = receive_key(arrival->address, arrival->words, arrival->source),
            .value = k,
        };
        if (!vec_push(&trace->items, item, check->error)) {
            return false;
        }
    }
    return sort_items(trace->items.items, trace->items.count, check->error);
}

static bool fault_unpaired(Check *check, uint16_t tile, const SortItem *wanted, const SortItem *found)
{
    if (wanted != NULL && (found == NULL || wanted->key < found->key)) {
        return fault(check, "tile %u: transfer %u (%u words from tile %u to 0x%05x) is never received", tile,
                     wanted->value, (unsigned)(wanted->key >> 11 & 0x1fff), (unsigned)(wanted->key & 0x7ff),
                     (unsigned)(wanted->key >> 24));
    }
    const Arrival *arrival = &check->trace.arrivals.items[found->value];
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
    Trace *trace = &check->trace;
    if (!check_base(check, tile) || !read_tile(check, tile) || !sort_arrivals(check)) {
        return false;
    }
    SortItem *wanted = check->receives + check->receive_start[tile];
    size_t count = tile_receives(check, tile);
    if (!sort_items(wanted, count, check->error)) {
        return false;
    }
    for (size_t k = 0; k < count || k < trace->items.count; k++) {
        const SortItem *found = k < trace->items.count ? &trace->items.items[k] : NULL;
        if (k >= count || found == NULL || wanted[k].key != found->key) {
            return fault_unpaired(check, tile, k < count ? &wanted[k] : NULL, found);
        }
        if (!note_start(check, tile, wanted[k].value, &trace->arrivals.items[found->value])) {
            return false;
        }
    }
    return true;
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
    uint64_t end = (uint64_t)start + words, busy = (uint64_t)start - (uint32_t)first + SEND_EVENTS_MIN;
    uint64_t send_memory_end = busy > end ? busy : end;
    if (!note_memory_end(check, source, transfer, send_memory_end)) {
        return false;
    }
    check->send_memory_end[transfer] = (uint32_t)send_memory_end;

    for (uint32_t r = phase->receiver_start[transfer]; r < phase->receiver_start[transfer + 1]; r++) {
        uint16_t tile = phase->receiver_tile[r];
        int64_t source_event =
            start + 1 + (int64_t)fabric_time_to_mux(&check->tiles[source], &check->tiles[tile]);
        uint64_t payload_end = (uint64_t)source_event + write_lag(check, tile, words) + words;
        if (!note_memory_end(check, tile, transfer, payload_end + write_tail(words)) ||
            (tile == source && !check_loopback(check, transfer, phase->receiver_address[r]))) {
            return false;
        }
        end = payload_end > end ? payload_end : end;
    }
    check->completion[transfer] = (uint32_t)end;
    if (check->replay->completion[transfer] != end) {
        return fault(check, "transfer %u completes at cycle %llu, not %u", transfer, (unsigned long long)end,
                     check->replay->completion[transfer]);
    }
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

/* The tile's sends into the trace's items: key start, value transfer, ascending. */
static bool sort_sends(Check *check, uint16_t tile)
{
    Trace *trace = &check->trace;
    vec_clear(&trace->items);
    for (uint32_t k = check->send_start[tile]; k < check->send_start[tile + 1]; k++) {
        uint32_t transfer = check->sends[k];
        SortItem item = {.key = check->start[transfer], .value = transfer};
        if (!vec_push(&trace->items, item, check->error)) {
            return false;
        }
    }
    return sort_items(trace->items.items, trace->items.count, check->error);
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
    for (size_t k = 0; k < trace->items.count; k++) {
        if (!take_words(check, tile, trace->items.items[k].value, &next, end)) {
            return false;
        }
    }
    return next == end || fault_stray_words(check, tile, next);
}

static uint32_t arrival_memory_end(const Arrival *arrival)
{
    return arrival->write + arrival->words + write_tail(arrival->words);
}

/* No send and receive of the tile that overlap in time share an element. Starts ascend on both sides, and so
 * do the memory ends of receives, so that each send needs to look at those from `first` on only. */
static bool check_memory(Check *check, uint16_t tile)
{
    const Trace *trace = &check->trace;
    const Arrival *arrival = trace->arrivals.items, *end = arrival + trace->arrivals.count;
    const Arrival *first = arrival;
    for (size_t k = 0; k < trace->items.count; k++) {
        uint32_t transfer = trace->items.items[k].value;
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

/* `transfer` is as recorded; START_UNKNOWN takes its place when it was not this one that arrived. A source
 * sends one transfer at a time, so its tile and its start are enough to tell. */
static Activity receive_activity(const Check *check, uint16_t tile, const Arrival *arrival, uint32_t transfer)
{
    bool right = transfer < check->phase->transfers && check->phase->source[transfer] == arrival->source &&
                 check->start[transfer] + 1 +
                         (uint32_t)fabric_time_to_mux(&check->tiles[arrival->source], &check->tiles[tile]) ==
                     arrival->source_event;
    return (Activity){
        .transfer = right ? transfer : START_UNKNOWN,
        .address = arrival->address,
        .start = arrival->write,
        .end = arrival->write + arrival->words,
        .memory_end = arrival_memory_end(arrival),
        .words = (uint16_t)arrival->words,
        .kind = ACTIVITY_RECEIVE,
    };
}

static bool check_activities(Check *check, uint16_t tile)
{
    const Replay *replay = check->replay;
    const Trace *trace = &check->trace;
    const SortItem *send = trace->items.items, *sends_end = send + trace->items.count;
    const Arrival *arrival = trace->arrivals.items, *arrivals_end = arrival + trace->arrivals.count;
    const Activity *activity = replay->activities + replay->activity_start[tile];
    const Activity *end = replay->activities + replay->activity_start[tile + 1];
    for (; activity != end; activity++) {
        Activity right = {.transfer = START_UNKNOWN};
        if (send != sends_end && (arrival == arrivals_end || send->key <= arrival->write)) {
            right = send_activity(check, send++->value);
        } else if (arrival != arrivals_end) {
            right = receive_activity(check, tile, arrival++, activity->transfer);
        }
        if (!activity_matches(activity, &right)) {
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

static uint64_t fingerprint_add(uint64_t hash, uint32_t unit)
{
    return (hash ^ unit) * UINT64_C(0x100000001b3);
}

static uint64_t row_fingerprint(const Replay *replay, uint16_t tile_count)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (unsigned t = 0; t < tile_count; t++) {
        hash = fingerprint_add(hash, (uint32_t)(replay->row_start[t + 1] - replay->row_start[t]));
        for (uint64_t w = replay->row_start[t]; w < replay->row_start[t + 1]; w++) {
            hash = fingerprint_add(hash, replay->row_words[w]);
        }
    }
    return hash;
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
    uint64_t fingerprint = row_fingerprint(replay, check->tile_count);
    if (replay->row_fingerprint != fingerprint) {
        return fault(check, "row_fingerprint is %016llx, not %016llx", (unsigned long long)fingerprint,
                     (unsigned long long)replay->row_fingerprint);
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
    return group_sends(check) && group_receives(check);
}

static bool check_all(Check *check)
{
    if (!check_shape(check) || !prepare(check)) {
        return false;
    }
    for (uint16_t t = 0; t < check->tile_count; t++) {
        if (!poll(check, 0) || !check_receives(check, t)) {
            return false;
        }
    }
    if (!check_transfers(check)) {
        return false;
    }
    /* The rows are read a second time rather than kept: that is cheap, and keeps memory small. */
    for (uint16_t t = 0; t < check->tile_count; t++) {
        if (!poll(check, 0) || !read_tile(check, t) || !sort_sends(check, t) || !check_sends(check, t) ||
            !check_memory(check, t) || !check_activities(check, t)) {
            return false;
        }
    }
    return check_dependencies(check) && check_figures(check);
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
    vec_free(&check->trace.muxes);
    vec_free(&check->trace.pointers);
    vec_free(&check->trace.sendings);
    vec_free(&check->trace.arrivals);
    vec_free(&check->trace.items);
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
