#include "config.h"

#include "replay/search.h"

#include <string.h>

#include "base/vec.h"

/* Every condition blocks intervals of offsets, so a search that leaves a blocked interval at its end and
 * tries the tiles in turn until none moves it any more finds the least offset, whatever the turn. */
typedef struct Search {
    const Form *form;
    const Progress *progress;
    Wait wait;
    uint64_t steps, next_poll;
    /* On the source tile: where the search is, in the runs and, once `seeks`, among the receives by X and Q.
     */
    uint32_t run, mux, payload;
    bool seeks;
    bool memory_met; /* a memory element moved it, on the source tile */
} Search;

enum { POLL_STEPS = 4096 };

/* Starts [from, to) of sends; `wait` stands at to - 1. */
typedef struct Stretch {
    uint32_t from, to;
    Wait wait;
} Stretch;

/* What cannot start in any of these stretches: a send of at least `words` words that reads at least
 * `elements` and keeps them for at least `linger` cycles after its payload. */
typedef struct StretchClass {
    uint64_t elements;
    uint16_t words;
    uint8_t linger;
    VEC(Stretch) stretches; /* ascending, never touching */
} StretchClass;

typedef VEC(StretchClass) StretchClasses;

enum {
    CLASSES_MAX = 64,   /* of one tile; what does not fit is not remembered */
    STRETCH_STEPS = 32, /* a search of so many steps is worth remembering */
    STRETCH_LOOKS = 8   /* steps from one look at the known stretches to the next */
};

struct SearchMemory {
    uint16_t tile_count;
    StretchClasses tiles[];
};

SearchMemory *search_memory_new(uint16_t tile_count, Error *error)
{
    SearchMemory *memory = mem_zero(1, sizeof *memory + tile_count * sizeof memory->tiles[0], error);
    if (memory != NULL) {
        memory->tile_count = tile_count;
    }
    return memory;
}

void search_memory_free(SearchMemory *memory)
{
    for (uint16_t tile = 0; memory != NULL && tile < memory->tile_count; tile++) {
        for (size_t i = 0; i < memory->tiles[tile].count; i++) {
            vec_free(&memory->tiles[tile].items[i].stretches);
        }
        vec_free(&memory->tiles[tile]);
    }
    mem_free(memory);
}

static void search_waits(Search *search, WaitKind kind, uint32_t transfer)
{
    search->wait = (Wait){kind, transfer};
    search->steps++;
}

/* ---- source tile; times are those of the send's start ---- */

/* Makes the places among the receives valid for times from `start` on. */
static void source_seek(Search *search, uint32_t start)
{
    if (!search->seeks) {
        search->seeks = true;
        search->mux = row_first_mux(search->form->row, start);
        search->payload = row_first_payload(search->form->row, start);
    }
}

/* No overlap with a send. */
static uint32_t source_lane(Search *search, uint32_t start)
{
    const RowState *row = search->form->row;
    uint32_t i = row_next_run(row, search->run, start), found = start;
    for (; i < row->run_count && row->runs[i].start < found + search->form->words; i++) {
        found = row->runs[i].end;
        search_waits(search, WAIT_SEND_LANE, WAIT_NO_TRANSFER);
    }
    search->run = i;
    return found;
}

/* The receive that has a control at `time` (either of the two where one's source event is in the place of the
 * other's neutral), NULL without one. `time` never goes down. */
static const RowReceive *source_control(Search *search, uint32_t time)
{
    const RowState *row = search->form->row;
    uint32_t i = search->mux = row_next_mux(row, search->mux, time);
    if (i < row->receive_count && row->receives[i].mux_start == time) {
        return &row->receives[i];
    }
    if (i > 0 && row_source_end(&row->receives[i - 1]) == time) {
        return &row->receives[i - 1];
    }
    i = search->payload = row_next_payload(row, search->payload, time);
    return i < row->receive_count && row->receives[i].sets_pointer &&
                   row_payload_start(row, &row->receives[i]) == time
               ? &row->receives[i]
               : NULL;
}

/* No control on its first two events. */
static uint32_t source_slot(Search *search, uint32_t start)
{
    const RowState *row = search->form->row;
    const RowReceive *last = row_last_receive(row);
    if (last == NULL || (row_source_end(last) < start && row_payload_start(row, last) < start)) {
        return start;
    }
    source_seek(search, start);
    for (uint32_t event = start; event < start + 2; event++) {
        const RowReceive *control = source_control(search, event);
        if (control != NULL) {
            search_waits(search, WAIT_CONTROL_SLOT, control->transfer);
            return event + 1;
        }
    }
    return start;
}

/* No receive that writes an element while it is read. */
static uint32_t source_memory(Search *search, uint32_t start)
{
    const RowState *row = search->form->row;
    const RowSend *send = &search->form->send;
    if ((row->received_elements & send->elements) == 0) {
        return start;
    }
    source_seek(search, start);
    uint32_t end = start + send->words + send->linger;
    for (uint32_t i = row_next_payload(row, search->payload, end); i > 0; i--) {
        const RowReceive *receive = &row->receives[i - 1];
        uint32_t memory_end = row_receive_memory_end(row, receive);
        if (memory_end <= start) {
            break;
        }
        search->steps++;
        if ((fabric_elements(receive->address, 4 * (uint32_t)receive->words) & send->elements) != 0) {
            search_waits(search, WAIT_MEMORY_ELEMENT, receive->transfer);
            search->memory_met = true;
            return memory_end;
        }
    }
    return start;
}

/* The first stretch that ends at or after `time`. */
static size_t stretch_reaching(const StretchClass *class, uint32_t time)
{
    size_t low = 0, high = class->stretches.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (class->stretches.items[middle].to < time) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The end of the known stretches around `start`, `start` itself outside of any. */
static uint32_t source_leave_stretches(Search *search, const StretchClasses *classes, uint32_t start)
{
    const RowSend *send = &search->form->send;
    for (size_t i = 0, settled = 0; settled < classes->count; i = (i + 1) % classes->count, settled++) {
        const StretchClass *class = &classes->items[i];
        if (class->words > send->words || class->linger > send->linger ||
            (class->elements & ~send->elements) != 0) {
            continue;
        }
        size_t at = stretch_reaching(class, start + 1);
        if (at < class->stretches.count && class->stretches.items[at].from <= start) {
            start = class->stretches.items[at].to;
            search->wait = class->stretches.items[at].wait;
            search->memory_met = search->memory_met || class->elements != 0;
            settled = 0;
        }
    }
    return start;
}

/* The class of what has just been searched, made if need be; NULL when there is no room. */
static StretchClass *source_class(const Search *search, StretchClasses *classes)
{
    StretchClass fresh = {.words = search->form->send.words};
    if (search->memory_met) {
        fresh.elements = search->form->send.elements;
        fresh.linger = search->form->send.linger;
    }
    for (size_t i = 0; i < classes->count; i++) {
        StretchClass *class = &classes->items[i];
        if (class->elements == fresh.elements && class->words == fresh.words &&
            class->linger == fresh.linger) {
            return class;
        }
    }
    if (classes->count == CLASSES_MAX || !vec_push(classes, fresh, NULL)) {
        return NULL;
    }
    return &classes->items[classes->count - 1];
}

/* Adds [from, to), joined with the stretches that it meets. What was blocked stays so, and `to` is free: none
 * of them reaches it. */
static void source_remember(const Search *search, StretchClasses *classes, uint32_t from, uint32_t to)
{
    StretchClass *class = source_class(search, classes);
    if (class == NULL || !vec_reserve(&class->stretches, class->stretches.count + 1, NULL)) {
        return;
    }
    Stretch fresh = {from, to, search->wait};
    Stretch *items = class->stretches.items;
    size_t low = stretch_reaching(class, from), high = low;
    while (high < class->stretches.count && items[high].from < to) {
        high++;
    }
    if (low < high && items[low].from < from) {
        fresh.from = items[low].from;
    }
    memmove(&items[low + 1], &items[high], (class->stretches.count - high) * sizeof *items);
    items[low] = fresh;
    class->stretches.count = class->stretches.count + 1 - (high - low);
}

static bool search_poll(Search *search, Error *error)
{
    if (search->steps < search->next_poll) {
        return true;
    }
    search->next_poll = search->steps + POLL_STEPS;
    return progress_go_on(search->progress, error);
}

/* The least start at which the source tile has nothing against it. */
static bool search_source(Search *search, StretchClasses *classes, uint32_t *offset, Error *error)
{
    uint32_t shift = search->form->send.start, begin = *offset + shift, start = begin, before;
    uint64_t first_step = search->steps, next_look = first_step;
    search->memory_met = false;
    do {
        before = start;
        if (search->steps >= next_look) {
            start = source_leave_stretches(search, classes, start);
            next_look = search->steps + STRETCH_LOOKS;
        }
        start = source_lane(search, start);
        start = source_slot(search, start);
        if (start == before) {
            start = source_memory(search, start);
        }
        if (!search_poll(search, error)) {
            return false;
        }
    } while (start != before);
    if (search->steps - first_step >= STRETCH_STEPS) {
        source_remember(search, classes, begin, start);
    }
    *offset = start - shift;
    return true;
}

/* ---- a receiver; times are those of its X ---- */

/* No control on the first two events of a send. */
static uint32_t receiver_slot(Search *search, const RowState *row, uint32_t time)
{
    if (row->send_count == 0 || row->sends[row->send_count - 1].start + 1 < time) {
        return 0;
    }
    uint32_t i = row_next_send(row, row->near_send, time);
    if (i < row->send_count && row->sends[i].start == time) {
        search_waits(search, WAIT_CONTROL_SLOT, row->sends[i].transfer);
        return 2;
    }
    if (i > 0 && row->sends[i - 1].start + 1 == time) {
        search_waits(search, WAIT_CONTROL_SLOT, row->sends[i - 1].transfer);
        return 1;
    }
    return 0;
}

static uint32_t receiver_slots(Search *search, const FormReceiver *receiver, uint32_t mux)
{
    const RowState *row = receiver->row;
    uint32_t words = search->form->words;
    mux += receiver_slot(search, row, mux);
    mux += receiver_slot(search, row, mux + words);
    if (receiver->receive.sets_pointer) {
        mux += receiver_slot(search, row, mux + row_pointer_lag(row, words));
    }
    return mux;
}

/* No send that reads an element while it is written. */
static uint32_t receiver_memory(Search *search, const FormReceiver *receiver, uint32_t mux)
{
    const RowState *row = receiver->row;
    uint32_t words = search->form->words;
    if ((row->sent_elements & receiver->elements) == 0) {
        return mux;
    }
    enum { LINGER_MAX = 5 };
    uint32_t lag = row_pointer_lag(row, words);
    uint32_t end = mux + row_receive_reach(row, words);
    for (uint32_t i = row_next_send(row, row->near_send, end); i > 0; i--) {
        const RowSend *send = &row->sends[i - 1];
        if (row_send_end(send) + LINGER_MAX <= mux + lag) {
            break;
        }
        search->steps++;
        if ((send->elements & receiver->elements) != 0 && row_send_memory_end(send) > mux + lag) {
            search_waits(search, WAIT_MEMORY_ELEMENT, send->transfer);
            return row_send_memory_end(send) - lag;
        }
    }
    return mux;
}

/* One step on a receiver. */
static uint32_t search_receiver(Search *search, const FormReceiver *receiver, uint32_t offset)
{
    uint32_t shift = receiver->receive.mux_start, before = offset + shift;
    uint32_t mux = receiver_slots(search, receiver, before);
    return (mux == before ? receiver_memory(search, receiver, mux) : mux) - shift;
}

/* Receives of one tile come one after another: one jump for all receivers. */
static uint32_t search_streams(Search *search, uint32_t offset)
{
    for (uint32_t i = 0; i < search->form->receiver_count; i++) {
        const FormReceiver *receiver = &search->form->receivers[i];
        const RowReceive *last = row_last_receive(receiver->row);
        if (last == NULL) {
            continue;
        }
        uint32_t source_end = row_source_end(last), payload_end = row_payload_end(receiver->row, last);
        uint32_t lag = row_pointer_lag(receiver->row, search->form->words);
        uint32_t mux = source_end + lag > payload_end ? source_end : payload_end - lag;
        if (mux > receiver->receive.mux_start + offset) {
            offset = mux - receiver->receive.mux_start;
            search_waits(search, WAIT_RECEIVE_STREAM, last->transfer);
        }
    }
    return offset;
}

bool search_offset(const Form *form, SearchMemory *memory, uint32_t from, const Progress *progress,
                   uint32_t *offset, Wait *wait, Error *error)
{
    Search search = {.form = form, .progress = progress, .wait = *wait, .next_poll = POLL_STEPS};
    uint32_t found = search_streams(&search, from);
    search.run = row_first_run(form->row, form->send.start + found);
    uint32_t tiles = 1 + form->receiver_count;
    for (uint32_t settled = 0, tile = 0; settled < tiles;) {
        uint32_t before = found;
        if (tile > 0) {
            found = search_receiver(&search, &form->receivers[tile - 1], found);
        } else if (!search_source(&search, &memory->tiles[form->source], &found, error)) {
            return false;
        }
        if (found == before) {
            settled++;
        } else {
            settled = tile == 0; /* the source tile has nothing against it any more */
        }
        if (found == before || tile == 0) {
            tile = (tile + 1) % tiles;
        }
        if (!search_poll(&search, error)) {
            return false;
        }
    }
    if (search.wait.kind == WAIT_SEND_LANE && search.wait.transfer == WAIT_NO_TRANSFER) {
        uint32_t start = form->send.start + found; /* where the send ends that stands in the way */
        search.wait.transfer = form->row->sends[row_first_send(form->row, start) - 1].transfer;
    }
    *offset = found;
    *wait = search.wait;
    return true;
}
