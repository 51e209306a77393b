#include "config.h"

#include "capture/capture.h"

#include "base/memory.h"
#include "capture/transfer.h"

void capture_free(Capture *capture)
{
    if (capture == NULL) {
        return;
    }
    for (size_t i = 0; i < capture->phase_count; i++) {
        phase_free(capture->phases[i]);
    }
    for (size_t i = 0; i < capture->label_count; i++) {
        mem_free(capture->labels[i].text);
    }
    for (size_t i = 0; i < capture->extra_count; i++) {
        mem_free(capture->extra_members[i]);
    }
    mem_free(capture->phases);
    mem_free(capture->slots);
    mem_free(capture->labels);
    mem_free(capture->labels_json);
    mem_free(capture->extra_members);
    mem_free(capture->path);
    mem_free(capture);
}

/* ---- phases by number: open addressing in a table that is at most half full ---- */

/* The slot that holds phase `number`, or the empty one where it belongs. */
static size_t capture_slot(const Capture *capture, uint32_t number)
{
    size_t mask = capture->slot_count - 1;
    size_t slot = (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;
    while (capture->slots[slot] != NULL && capture->slots[slot]->number != number) {
        slot = (slot + 1) & mask;
    }
    return slot;
}

static bool capture_grow_slots(Capture *capture, Error *error)
{
    size_t count = capture->slot_count == 0 ? 64 : capture->slot_count * 2;
    Phase **slots = mem_zero(count, sizeof *slots, error);
    if (slots == NULL) {
        return false;
    }
    mem_free(capture->slots);
    capture->slots = slots;
    capture->slot_count = count;
    for (size_t i = 0; i < capture->phase_count; i++) {
        slots[capture_slot(capture, capture->phases[i]->number)] = capture->phases[i];
    }
    return true;
}

bool capture_add_phase(Capture *capture, Phase *phase, Error *error)
{
    if (capture->phase_count >= capture->slot_count / 2 && !capture_grow_slots(capture, error)) {
        return false;
    }
    size_t slot = capture_slot(capture, phase->number);
    if (capture->slots[slot] != NULL) {
        return error_set(error, ERROR_INPUT, "a second phase has the number %u, expected every number once",
                         phase->number);
    }
    if (!mem_grow(&capture->phases, &capture->phase_capacity, capture->phase_count + 1,
                  sizeof *capture->phases, error)) {
        return false;
    }
    capture->slots[slot] = phase;
    capture->phases[capture->phase_count++] = phase;
    return true;
}

const Phase *capture_phase(const Capture *capture, uint32_t number)
{
    return capture->slot_count == 0 ? NULL : capture->slots[capture_slot(capture, number)];
}

const char *capture_label(const Capture *capture, uint32_t number)
{
    size_t low = 0, high = capture->label_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (capture->labels[middle].phase < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < capture->label_count && capture->labels[low].phase == number ? capture->labels[low].text
                                                                              : NULL;
}

bool phase_check(const Phase *phase, uint16_t tile_count, Error *error)
{
    for (uint32_t i = 0; i < phase->transfers; i++) {
        uint32_t receiver = phase->receiver_start[i];
        if (!transfer_check(phase->source[i], phase->words[i], (Width)phase->width[i],
                            phase->addresses + phase->address_start[i], phase_address_count(phase, i),
                            phase->receiver_tile + receiver, phase->receiver_address + receiver,
                            phase_receivers(phase, i), tile_count, error)) {
            return error_prefix(error, "phase %u, transfer %u", phase->number, i);
        }
    }
    return true;
}
