#include "config.h"

#include "capture/phase.h"

#include <string.h>

#include "base/memory.h"

Phase *phase_new(uint32_t number, Error *error)
{
    Phase *phase = mem_zero(1, sizeof *phase, error);
    if (phase == NULL) {
        return NULL;
    }
    phase->number = number;
    if (!phase_reserve(phase, 0, 0, 0, error)) {
        phase_free(phase);
        return NULL;
    }
    phase->address_start[0] = 0;
    phase->receiver_start[0] = 0;
    return phase;
}

void phase_free(Phase *phase)
{
    if (phase == NULL) {
        return;
    }
    mem_free(phase->source);
    mem_free(phase->words);
    mem_free(phase->width);
    mem_free(phase->repeat);
    mem_free(phase->address_start);
    mem_free(phase->addresses);
    mem_free(phase->receiver_start);
    mem_free(phase->receiver_tile);
    mem_free(phase->receiver_address);
    for (size_t i = 0; i < phase->extra_count; i++) {
        mem_free(phase->extras[i].member);
    }
    mem_free(phase->extras);
    mem_free(phase);
}

static bool phase_resize_transfers(Phase *phase, size_t count, Error *error)
{
    if (!mem_resize(&phase->source, count, sizeof *phase->source, error) ||
        !mem_resize(&phase->words, count, sizeof *phase->words, error) ||
        !mem_resize(&phase->width, count, sizeof *phase->width, error) ||
        !mem_resize(&phase->repeat, count, sizeof *phase->repeat, error) ||
        !mem_resize(&phase->address_start, count + 1, sizeof *phase->address_start, error) ||
        !mem_resize(&phase->receiver_start, count + 1, sizeof *phase->receiver_start, error)) {
        return false;
    }
    phase->transfer_capacity = count;
    return true;
}

static bool phase_resize_receivers(Phase *phase, size_t count, Error *error)
{
    if (!mem_resize(&phase->receiver_tile, count, sizeof *phase->receiver_tile, error) ||
        !mem_resize(&phase->receiver_address, count, sizeof *phase->receiver_address, error)) {
        return false;
    }
    phase->receiver_capacity = count;
    return true;
}

static size_t phase_grown(size_t capacity, size_t needed)
{
    size_t wanted = capacity < 8 ? 8 : capacity + capacity / 2;
    return wanted < needed ? needed : wanted;
}

bool phase_reserve(Phase *phase, size_t transfers, size_t addresses, size_t receivers, Error *error)
{
    if (transfers > UINT32_MAX - 1 || addresses > UINT32_MAX || receivers > UINT32_MAX) {
        return error_set(error, ERROR_MEMORY,
                         "phase %u: more than 2^32 - 1 transfers, addresses or receivers", phase->number);
    }
    if ((transfers > phase->transfer_capacity || phase->source == NULL) &&
        !phase_resize_transfers(phase, phase_grown(phase->transfer_capacity, transfers), error)) {
        return false;
    }
    if ((receivers > phase->receiver_capacity || phase->receiver_tile == NULL) &&
        !phase_resize_receivers(phase, phase_grown(phase->receiver_capacity, receivers), error)) {
        return false;
    }
    return (addresses <= phase->address_capacity && phase->addresses != NULL) ||
           mem_grow(&phase->addresses, &phase->address_capacity, addresses + (addresses == 0),
                    sizeof *phase->addresses, error);
}

bool phase_append(Phase *phase, uint16_t source, uint16_t words, Width width, const uint32_t *addresses,
                  uint32_t repeat, const uint16_t *tiles, const uint32_t *tile_addresses, uint32_t receivers,
                  Error *error)
{
    uint32_t kept = 1;
    while (kept < repeat && addresses[kept] == addresses[0]) {
        kept++;
    }
    kept = kept == repeat ? 1 : repeat;
    uint32_t i = phase->transfers;
    size_t address_end = (size_t)phase->address_start[i] + kept;
    size_t receiver_end = (size_t)phase->receiver_start[i] + receivers;
    if (((size_t)i + 1 > phase->transfer_capacity || address_end > phase->address_capacity ||
         receiver_end > phase->receiver_capacity) &&
        !phase_reserve(phase, (size_t)i + 1, address_end, receiver_end, error)) {
        return false;
    }
    phase->source[i] = source;
    phase->words[i] = words;
    phase->width[i] = (uint8_t)width;
    phase->repeat[i] = repeat;
    memcpy(phase->addresses + phase->address_start[i], addresses, kept * sizeof *addresses);
    memcpy(phase->receiver_tile + phase->receiver_start[i], tiles, receivers * sizeof *tiles);
    memcpy(phase->receiver_address + phase->receiver_start[i], tile_addresses,
           receivers * sizeof *tile_addresses);
    phase->address_start[i + 1] = (uint32_t)address_end;
    phase->receiver_start[i + 1] = (uint32_t)receiver_end;
    phase->transfers = i + 1;
    return true;
}

/* The slices that transfers have in a pool, one after the other; the length of all. `single`: they are of one
 * entry each, all over the phase. */
static uint64_t starts_gather(uint32_t *into, const uint32_t *from, bool single, const uint32_t *order,
                              uint32_t count)
{
    uint64_t sum = 0;
    into[0] = 0;
    for (uint32_t k = 0; k < count; k++) {
        sum += single ? 1 : from[order[k] + 1] - from[order[k]];
        into[k + 1] = (uint32_t)sum;
    }
    return sum;
}

static void addresses_gather(Phase *into, const Phase *from, bool single, const uint32_t *order,
                             uint32_t count)
{
    for (uint32_t k = 0; single && k < count; k++) {
        into->addresses[k] = from->addresses[order[k]];
    }
    for (uint32_t k = 0; !single && k < count; k++) {
        memcpy(into->addresses + into->address_start[k], from->addresses + from->address_start[order[k]],
               phase_address_count(into, k) * sizeof *into->addresses);
    }
}

static void receivers_gather(Phase *into, const Phase *from, bool single, const uint32_t *order,
                             uint32_t count)
{
    for (uint32_t k = 0; single && k < count; k++) {
        into->receiver_tile[k] = from->receiver_tile[order[k]];
    }
    for (uint32_t k = 0; single && k < count; k++) {
        into->receiver_address[k] = from->receiver_address[order[k]];
    }
    for (uint32_t k = 0; !single && k < count; k++) {
        uint32_t at = into->receiver_start[k], start = from->receiver_start[order[k]];
        uint32_t receivers = phase_receivers(into, k);
        memcpy(into->receiver_tile + at, from->receiver_tile + start,
               receivers * sizeof *into->receiver_tile);
        memcpy(into->receiver_address + at, from->receiver_address + start,
               receivers * sizeof *into->receiver_address);
    }
}

static void transfers_gather(Phase *into, const Phase *from, const uint32_t *order, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        into->source[k] = from->source[order[k]];
    }
    for (uint32_t k = 0; k < count; k++) {
        into->words[k] = from->words[order[k]];
    }
    for (uint32_t k = 0; k < count; k++) {
        into->width[k] = from->width[order[k]];
    }
    for (uint32_t k = 0; k < count; k++) {
        into->repeat[k] = from->repeat[order[k]];
    }
}

bool phase_gather(Phase *into, const Phase *from, const uint32_t *order, uint32_t count, Error *error)
{
    bool one_address = from->address_start[from->transfers] == from->transfers;
    bool one_receiver = from->receiver_start[from->transfers] == from->transfers;
    if (!phase_reserve(into, count, 0, 0, error)) {
        return false;
    }
    uint64_t addresses = starts_gather(into->address_start, from->address_start, one_address, order, count);
    uint64_t receivers =
        starts_gather(into->receiver_start, from->receiver_start, one_receiver, order, count);
    if (!phase_reserve(into, count, mem_count(addresses), mem_count(receivers), error)) {
        return false;
    }
    into->transfers = count;
    transfers_gather(into, from, order, count);
    addresses_gather(into, from, one_address, order, count);
    receivers_gather(into, from, one_receiver, order, count);
    return true;
}

void phase_shrink(Phase *phase)
{
    uint32_t n = phase->transfers;
    size_t addresses = phase->address_start[n], receivers = phase->receiver_start[n];
    /* Shrinking fails harmlessly: the larger arrays stay. */
    if (phase_resize_transfers(phase, n, NULL) && phase_resize_receivers(phase, receivers, NULL) &&
        mem_resize(&phase->addresses, addresses, sizeof *phase->addresses, NULL)) {
        phase->address_capacity = addresses;
    }
}

size_t phase_memory_bytes(const Phase *phase)
{
    return sizeof *phase +
           phase->transfer_capacity *
               (sizeof *phase->source + sizeof *phase->words + sizeof *phase->width + sizeof *phase->repeat +
                sizeof *phase->address_start + sizeof *phase->receiver_start) +
           phase->address_capacity * sizeof *phase->addresses +
           phase->receiver_capacity * (sizeof *phase->receiver_tile + sizeof *phase->receiver_address) +
           phase->extra_capacity * sizeof *phase->extras;
}

uint32_t phase_iterations(const Phase *phase)
{
    uint32_t longest = 1;
    for (uint32_t i = 0; i < phase->transfers; i++) {
        longest = phase->repeat[i] > longest ? phase->repeat[i] : longest;
    }
    return longest;
}
