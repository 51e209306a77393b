#include "config.h"

#include "replay/form.h"

#include "row/instruction.h"

enum { SENDER_HORIZON_MIN = 6 };

static uint64_t form_elements_read(const Phase *phase, uint32_t transfer)
{
    uint64_t elements = 0;
    for (uint32_t i = phase->address_start[transfer]; i < phase->address_start[transfer + 1]; i++) {
        elements |= fabric_elements(phase->addresses[i], 4 * (uint32_t)phase->words[transfer]);
    }
    return elements;
}

static void form_add_receiver(const FormMaker *maker, Form *form, uint16_t tile, uint32_t address)
{
    FormReceiver *receiver = &form->receivers[form->receiver_count++];
    receiver->row = &maker->states->tiles[tile];
    receiver->receive = (RowReceive){.transfer = form->transfer,
                                     .address = address,
                                     .words = (uint16_t)form->words,
                                     .source = maker->tiles[form->source].physical,
                                     .sets_pointer = row_needs_pointer(receiver->row, address)};
    receiver->elements = fabric_elements(address, 4 * form->words);
}

/* Start of the send, and X of every receiver. */
static void form_time(const FormMaker *maker, Form *form)
{
    const Phase *phase = maker->phase;
    const FabricTile *source = &maker->tiles[form->source];
    const uint16_t *tiles = phase->receiver_tile + phase->receiver_start[form->transfer];
    int earliest = 0;
    for (uint32_t i = 0; i < form->receiver_count; i++) {
        int time = fabric_time_to_mux(source, &maker->tiles[tiles[i]]);
        earliest = time < earliest ? time : earliest;
    }
    int start = -earliest;
    if (form->receivers[0].row->sole_receive) {
        start = SOLE_RECEIVE_MUX_EVENT - 1 - fabric_time_to_mux(source, &maker->tiles[tiles[0]]);
    }
    form->send.start = (uint32_t)start;
    for (uint32_t i = 0; i < form->receiver_count; i++) {
        int time = fabric_time_to_mux(source, &maker->tiles[tiles[i]]);
        form->receivers[i].receive.mux_start = (uint32_t)(start + time + 1);
    }
    form->send.sctl =
        form->receiver_count == 1 ? (uint8_t)fabric_direction(source, &maker->tiles[tiles[0]]) : SCTL_BOTH;
}

void form_make(const FormMaker *maker, uint32_t transfer, Form *form)
{
    const Phase *phase = maker->phase;
    form->transfer = transfer;
    form->words = phase->words[transfer];
    form->source = phase->source[transfer];
    form->row = &maker->states->tiles[form->source];
    form->receiver_count = 0;
    form->send = (RowSend){.elements = form_elements_read(phase, transfer),
                           .transfer = transfer,
                           .address = phase_address(phase, transfer, 0) / 4,
                           .words = phase->words[transfer]};
    for (uint32_t i = phase->receiver_start[transfer]; i < phase->receiver_start[transfer + 1]; i++) {
        form_add_receiver(maker, form, phase->receiver_tile[i], phase->receiver_address[i]);
    }
    form_time(maker, form);
    uint32_t end = row_send_end(&form->send);
    form->send.linger = (uint8_t)(end < SENDER_HORIZON_MIN ? SENDER_HORIZON_MIN - end : 0);
}

void form_prefetch_columns(const FormMaker *maker, uint32_t transfer)
{
    const Phase *phase = maker->phase;
    __builtin_prefetch(&phase->source[transfer]);
    __builtin_prefetch(&phase->words[transfer]);
    __builtin_prefetch(&phase->address_start[transfer]);
    __builtin_prefetch(&phase->receiver_start[transfer]);
}

void form_prefetch_slices(const FormMaker *maker, uint32_t transfer)
{
    const Phase *phase = maker->phase;
    uint32_t address = phase->address_start[transfer], receiver = phase->receiver_start[transfer];
    __builtin_prefetch(&phase->addresses[address]);
    __builtin_prefetch(&phase->receiver_tile[receiver]);
    __builtin_prefetch(&phase->receiver_address[receiver]);
}

bool form_check_loopback(const FormMaker *maker, const Form *form, Error *error)
{
    uint32_t phase = maker->phase->number;
    for (uint32_t i = 0; i < form->receiver_count; i++) {
        const FormReceiver *receiver = &form->receivers[i];
        if (receiver->row != form->row) {
            continue;
        }
        if (form->receiver_count == 1) {
            return error_set(error, ERROR_REFUSED,
                             "phase %u, transfer %u: it sends to its own tile %u and to no other tile", phase,
                             form->transfer, form->source);
        }
        if ((receiver->elements & form->send.elements) != 0) {
            return error_set(error, ERROR_REFUSED,
                             "phase %u, transfer %u: it sends to its own tile %u inside one memory element",
                             phase, form->transfer, form->source);
        }
        uint32_t neutral = row_source_end(&receiver->receive);
        if (neutral == form->send.start || neutral == form->send.start + 1) {
            return error_set(error, ERROR_REFUSED,
                             "phase %u, transfer %u: it sends %u words to its own tile %u, which no row can "
                             "encode: its neutral mux event meets the start of its send",
                             phase, form->transfer, form->words, form->source);
        }
    }
    return true;
}
