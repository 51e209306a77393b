#include "config.h"

#include "replay/place.h"

#include "replay/search.h"
#include "row/encode.h"
#include "row/instruction.h"

enum {
    POLL_TRANSFERS = 1024,
    POLL_TRIES = 64,
    PREFETCH_COLUMNS = 24, /* transfers ahead */
    PREFETCH_SLICES = 12,
    FORM_REACH_MAX = 1 << 14 /* no form ends later than that after its offset */
};

typedef struct Placer {
    const FormMaker *maker;
    const Dependencies *dependencies;
    bool aligned;
    Progress *progress;
    Replay *replay;
    Form form;
    RowMark *marks; /* of the receivers of the form */
    SearchMemory *memory;
} Placer;

static RowReceive receive_at(const FormReceiver *receiver, uint32_t offset)
{
    RowReceive receive = receiver->receive;
    receive.mux_start += offset;
    return receive;
}

static RowSend send_at(const Form *form, uint32_t offset)
{
    RowSend send = form->send;
    send.start += offset;
    return send;
}

/* Whether the row of the i-th receiver, which has the receive already, is still encodable. The first event
 * that changes is the source event X, for a loopback too, whose send starts 27 or 28 events after it. */
static bool receiver_still_encodable(const Form *form, const RowSend *send, uint32_t i, uint32_t offset)
{
    const RowState *row = form->receivers[i].row;
    RowReceive receive = receive_at(&form->receivers[i], offset);
    return row_still_encodable(row, row == form->row ? send : NULL, receive.mux_start, row->horizon);
}

static void add_receive(const FormReceiver *receiver, uint32_t offset)
{
    RowReceive receive = receive_at(receiver, offset);
    row_add_receive(receiver->row, &receive, receiver->elements);
}

/* Puts the transfer into the states of its tiles. */
static void place_at(const Form *form, uint32_t offset)
{
    RowSend send = send_at(form, offset);
    row_add_send(form->row, &send);
    for (uint32_t i = 0; i < form->receiver_count; i++) {
        add_receive(&form->receivers[i], offset);
    }
}

/* The same, but only if all rows stay encodable. If not, nothing changes, and *next is the next offset that
 * is worth a try. */
static bool place_aligned(Placer *placer, uint32_t offset, uint32_t *next)
{
    const Form *form = &placer->form;
    RowSend send = send_at(form, offset);
    if (!row_still_encodable(form->row, &send, send.start, row_send_end(&send))) {
        *next = offset + row_next_verdict(form->row, &send) - send.start;
        return false;
    }
    bool encodable = true;
    uint32_t placed = 0;
    for (; encodable && placed < form->receiver_count; placed++) {
        placer->marks[placed] = row_mark(form->receivers[placed].row);
        add_receive(&form->receivers[placed], offset);
        encodable = receiver_still_encodable(form, &send, placed, offset);
    }
    if (encodable) {
        row_add_send(form->row, &send);
        return true;
    }
    while (placed-- > 0) {
        row_take_back(form->receivers[placed].row, &placer->marks[placed]);
    }
    *next = offset + 1;
    return false;
}

/* Finds the offset and puts the transfer there.
 *
 * The search for an alignment ends where nothing that was placed before meets the transfer any more, at the
 * latest horizon of its tiles. The row of its source has no pair from there on. The row of a receiver has one
 * only when the pointer event meets the neutral event, at X + 54 or later: between X and that pair is a delay
 * of more than two events, or the tile's own send, of which at least two words come before it (X is 27 or 28
 * events before a send to its own tile). Either can be split in two, and so the pair be aligned. Only a
 * neutral event on the first two events of its own send can never be encoded; form_check_loopback refuses
 * that. */
static bool place_transfer(Placer *placer, uint32_t requested, Wait *wait, uint32_t *offset, Error *error)
{
    const Form *form = &placer->form;
    uint32_t from = requested;
    for (uint32_t tries = 1;; tries++) {
        if (!search_offset(form, placer->memory, from, placer->progress, offset, wait, error)) {
            return false;
        }
        if (*offset > (uint32_t)ROW_TIME_MAX - FORM_REACH_MAX) {
            return error_set(error, ERROR_REFUSED,
                             "phase %u, transfer %u: it would start after 2^31 cycles, beyond any row",
                             placer->maker->phase->number, form->transfer);
        }
        if (!placer->aligned) {
            place_at(form, *offset);
            return true;
        }
        if (place_aligned(placer, *offset, &from)) {
            return true;
        }
        wait->kind = WAIT_ALIGNMENT;
        if (tries % POLL_TRIES == 0 && !progress_go_on(placer->progress, error)) {
            return false;
        }
    }
}

/* The latest completion of the predecessors, 0 without any. */
static uint32_t place_requested(const Placer *placer, uint32_t transfer, Wait *wait)
{
    const Dependencies *dependencies = placer->dependencies;
    uint32_t requested = 0;
    *wait = (Wait){WAIT_NONE, WAIT_NO_TRANSFER};
    if (dependencies->edges == 0) {
        return 0;
    }
    for (uint32_t i = dependencies->predecessor_start[transfer];
         i < dependencies->predecessor_start[transfer + 1]; i++) {
        uint32_t predecessor = dependencies->predecessors[i];
        if (placer->replay->completion[predecessor] > requested) {
            requested = placer->replay->completion[predecessor];
            *wait = (Wait){WAIT_DEPENDENCY, predecessor};
        }
    }
    return requested;
}

/* The latest payload end, of the sender and the receivers. */
static uint32_t form_completion(const Form *form, uint32_t offset)
{
    uint32_t completion = row_send_end(&form->send);
    for (uint32_t i = 0; i < form->receiver_count; i++) {
        uint32_t end = row_payload_end(form->receivers[i].row, &form->receivers[i].receive);
        completion = end > completion ? end : completion;
    }
    return completion + offset;
}

static bool placer_init(Placer *placer, Error *error)
{
    uint32_t receivers = 1;
    const Phase *phase = placer->maker->phase;
    for (uint32_t i = 0; i < phase->transfers; i++) {
        receivers = phase_receivers(phase, i) > receivers ? phase_receivers(phase, i) : receivers;
    }
    placer->form.receivers = mem_new(receivers, sizeof *placer->form.receivers, error);
    placer->marks = mem_new(receivers, sizeof *placer->marks, error);
    placer->memory = search_memory_new(placer->maker->states->tile_count, error);
    return placer->form.receivers != NULL && placer->marks != NULL && placer->memory != NULL;
}

static void placer_free(Placer *placer)
{
    mem_free(placer->form.receivers);
    mem_free(placer->marks);
    search_memory_free(placer->memory);
}

bool place_transfers(const FormMaker *maker, const Dependencies *dependencies, const uint32_t *order,
                     bool aligned, Progress *progress, Replay *replay, Error *error)
{
    Placer placer = {.maker = maker,
                     .dependencies = dependencies,
                     .aligned = aligned,
                     .progress = progress,
                     .replay = replay};
    uint32_t count = maker->phase->transfers;
    bool done = placer_init(&placer, error);
    for (uint32_t i = 0; done && i < count; i++) {
        uint32_t transfer = order[i], offset = 0;
        if (i + PREFETCH_COLUMNS < count) {
            form_prefetch_columns(maker, order[i + PREFETCH_COLUMNS]);
            form_prefetch_slices(maker, order[i + PREFETCH_SLICES]);
        }
        if (i % POLL_TRANSFERS == 0) {
            progress_set(progress, i);
            done = progress_go_on(progress, error);
        }
        Wait wait;
        uint32_t requested = place_requested(&placer, transfer, &wait);
        form_make(maker, transfer, &placer.form);
        done = done && place_transfer(&placer, requested, &wait, &offset, error);
        replay->offset[transfer] = offset;
        replay->send_start[transfer] = placer.form.send.start + offset;
        replay->completion[transfer] = form_completion(&placer.form, offset);
        replay->requested[transfer] = requested;
        replay->wait_kind[transfer] = (uint8_t)wait.kind;
        replay->wait_transfer[transfer] = wait.transfer;
    }
    progress_set(progress, count);
    placer_free(&placer);
    return done;
}

static bool is_loopback(const Phase *phase, uint32_t transfer)
{
    for (uint32_t i = phase->receiver_start[transfer]; i < phase->receiver_start[transfer + 1]; i++) {
        if (phase->receiver_tile[i] == phase->source[transfer]) {
            return true;
        }
    }
    return false;
}

bool place_check_phase(const FormMaker *maker, Progress *progress, Error *error)
{
    Placer placer = {.maker = maker};
    bool done = placer_init(&placer, error);
    for (uint32_t i = 0; done && i < maker->phase->transfers; i++) {
        if (i % POLL_TRANSFERS == 0) {
            done = progress_go_on(progress, error);
        }
        if (done && is_loopback(maker->phase, i)) {
            form_make(maker, i, &placer.form);
            done = form_check_loopback(maker, &placer.form, error);
        }
    }
    placer_free(&placer);
    return done;
}
