#include "config.h"

#include "replay/search.h"

/* Every condition blocks intervals of offsets, so a search that leaves a blocked interval at its end and
 * tries the tiles in turn until none moves it any more finds the least offset, whatever the turn. */
typedef struct Search {
    const Form *form;
    Wait wait;
    uint32_t steps;
} Search;

enum { POLL_STEPS = 4096 };

static void search_waits(Search *search, WaitKind kind, uint32_t transfer)
{
    search->wait = (Wait){kind, transfer};
    search->steps++;
}

/* ---- source tile; times are those of the send's start ---- */

/* No overlap with a send. */
static uint32_t source_lane(Search *search, uint32_t start)
{
    const RowState *row = search->form->row;
    uint32_t i = row_first_run(row, start), found = start;
    while (i < row->run_count && row->runs[i].start < found + search->form->words) {
        found = row->runs[i++].end;
        search->steps++;
    }
    if (found > start) {
        search_waits(search, WAIT_SEND_LANE, WAIT_NO_TRANSFER);
    }
    return found;
}

/* No control on its first two events. */
static uint32_t source_slot(Search *search, uint32_t start)
{
    const RowState *row = search->form->row;
    const RowReceive *last = row_last_receive(row);
    if (last == NULL || (row_source_end(last) < start && row_payload_start(row, last) < start)) {
        return start;
    }
    const RowReceive *control = row_control_at(row, start + 1);
    if (control != NULL) {
        search_waits(search, WAIT_CONTROL_SLOT, control->transfer);
        return start + 2;
    }
    control = row_control_at(row, start);
    if (control != NULL) {
        search_waits(search, WAIT_CONTROL_SLOT, control->transfer);
        return start + 1;
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
    uint32_t end = start + send->words + send->linger;
    for (uint32_t i = row_first_receive_by_payload(row, end); i > 0; i--) {
        const RowReceive *receive = &row->receives[i - 1];
        uint32_t memory_end = row_receive_memory_end(row, receive);
        if (memory_end <= start) {
            break;
        }
        search->steps++;
        if ((fabric_elements(receive->address, 4 * (uint32_t)receive->words) & send->elements) != 0) {
            search_waits(search, WAIT_MEMORY_ELEMENT, receive->transfer);
            return memory_end;
        }
    }
    return start;
}

/* One step on the source tile. */
static uint32_t search_source(Search *search, uint32_t offset)
{
    uint32_t shift = search->form->send.start, before = offset + shift;
    uint32_t start = source_lane(search, before);
    start = source_slot(search, start);
    return (start == before ? source_memory(search, start) : start) - shift;
}

/* ---- a receiver; times are those of its X ---- */

/* No control on the first two events of a send. */
static uint32_t receiver_slot(Search *search, const RowState *row, uint32_t time)
{
    if (row->send_count == 0 || row->sends[row->send_count - 1].start + 1 < time) {
        return 0;
    }
    uint32_t i = row_first_send(row, time);
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
    for (uint32_t i = row_first_send(row, mux + row_receive_reach(row, words)); i > 0; i--) {
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

bool search_offset(const Form *form, uint32_t from, const Progress *progress, uint32_t *offset, Wait *wait,
                   Error *error)
{
    Search search = {.form = form, .wait = *wait};
    uint32_t found = search_streams(&search, from);
    uint32_t tiles = 1 + form->receiver_count;
    for (uint32_t settled = 0, tile = 0; settled < tiles;) {
        uint32_t before = found;
        found = tile == 0 ? search_source(&search, found)
                          : search_receiver(&search, &form->receivers[tile - 1], found);
        if (found != before) {
            settled = 0;
        } else {
            settled++;
            tile = (tile + 1) % tiles;
        }
        if (search.steps > POLL_STEPS) {
            search.steps = 0;
            if (!progress_go_on(progress, error)) {
                return false;
            }
        }
    }
    if (search.wait.kind == WAIT_SEND_LANE && search.wait.transfer == WAIT_NO_TRANSFER) {
        uint32_t end = form->send.start + found - 1 + form->words;
        search.wait.transfer = form->row->sends[row_first_send(form->row, end) - 1].transfer;
    }
    *offset = found;
    *wait = search.wait;
    return true;
}
