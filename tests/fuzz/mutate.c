#include "config.h"

#include "mutate.h"

#include <stdlib.h>
#include <string.h>

/* ---- the transformed phase: built anew, with one transfer different ---- */

typedef struct Transfer {
    uint16_t source, words;
    Width width;
    uint32_t repeat, receivers;
    uint32_t addresses[8];
    uint16_t tiles[16];
    uint32_t tile_addresses[16];
} Transfer;

/* False when it does not fit. */
static bool transfer_get(const Phase *phase, uint32_t i, Transfer *transfer)
{
    *transfer = (Transfer){.source = phase->source[i],
                           .words = phase->words[i],
                           .width = (Width)phase->width[i],
                           .repeat = phase->repeat[i],
                           .receivers = phase_receivers(phase, i)};
    if (transfer->repeat > 8 || transfer->receivers > 16) {
        return false;
    }
    for (uint32_t r = 0; r < transfer->repeat; r++) {
        transfer->addresses[r] = phase_address(phase, i, r);
    }
    for (uint32_t k = 0; k < transfer->receivers; k++) {
        transfer->tiles[k] = phase->receiver_tile[phase->receiver_start[i] + k];
        transfer->tile_addresses[k] = phase->receiver_address[phase->receiver_start[i] + k];
    }
    return true;
}

static void transfer_put(Phase *phase, const Transfer *transfer)
{
    FUZZ_CHECK(phase_append(phase, transfer->source, transfer->words, transfer->width, transfer->addresses,
                            transfer->repeat, transfer->tiles, transfer->tile_addresses, transfer->receivers,
                            NULL),
               "memory");
}

static bool transfer_legal(const Transfer *transfer)
{
    uint32_t last = ADDRESS_BYTES_END - 4u * transfer->words;
    bool legal = transfer->words >= 1 && transfer->words <= TRANSFER_WORDS_MAX;
    for (uint32_t r = 0; r < transfer->repeat; r++) {
        legal = legal && transfer->addresses[r] <= last;
    }
    for (uint32_t k = 0; k < transfer->receivers; k++) {
        legal = legal && transfer->tile_addresses[k] <= last;
        for (uint32_t j = 0; j < k; j++) {
            legal = legal && transfer->tiles[j] != transfer->tiles[k];
        }
    }
    return legal;
}

static uint32_t nudge(Bytes *bytes, uint32_t address)
{
    static const int32_t steps[] = {4, -4, 8, -8, 16, 64, -64, 0x4000};
    return address + (uint32_t)steps[fuzz_byte(bytes) % 8];
}

static const char *transfer_change(Bytes *bytes, uint16_t tile_count, Transfer *transfer)
{
    uint32_t k = fuzz_below(bytes, transfer->receivers);
    switch (fuzz_byte(bytes) % 11) {
    case 0:
        transfer->source = (uint16_t)((transfer->source + 1 + fuzz_byte(bytes) % 4) % tile_count);
        return "source tile";
    case 1:
        transfer->words = (uint16_t)(transfer->words + 1);
        return "one word more";
    case 2:
        transfer->words = (uint16_t)(transfer->words - 1);
        return "one word less";
    case 3: {
        uint32_t r = fuzz_below(bytes, transfer->repeat);
        transfer->addresses[r] = nudge(bytes, transfer->addresses[r]);
        return "source address";
    }
    case 4:
        return transfer->repeat-- > 1 ? "one iteration less" : NULL;
    case 5:
        transfer->tiles[k] = (uint16_t)((transfer->tiles[k] + 1 + fuzz_byte(bytes) % 4) % tile_count);
        return "receiver tile";
    case 6:
        return transfer->receivers-- > 1 ? "one receiver less" : NULL;
    case 7:
        if (transfer->receivers == 16) {
            return NULL;
        }
        transfer->tiles[transfer->receivers] = (uint16_t)((transfer->tiles[k] + 1) % tile_count);
        transfer->tile_addresses[transfer->receivers++] = nudge(bytes, transfer->tile_addresses[k]);
        return "one receiver more";
    case 8: {
        uint32_t other = fuzz_below(bytes, transfer->receivers), kept = transfer->tile_addresses[k];
        transfer->tile_addresses[k] = transfer->tile_addresses[other];
        transfer->tile_addresses[other] = kept;
        return k != other ? "receivers' addresses swapped" : NULL;
    }
    case 9: {
        uint32_t r = fuzz_below(bytes, transfer->repeat), other = fuzz_below(bytes, transfer->repeat);
        uint32_t kept = transfer->addresses[r];
        transfer->addresses[r] = transfer->addresses[other];
        transfer->addresses[other] = kept;
        return r != other ? "two iterations swapped" : NULL;
    }
    default:
        transfer->tile_addresses[k] = nudge(bytes, transfer->tile_addresses[k]);
        return "receiver address";
    }
}

/* `order` lists the transfers to be taken; transfer `changed` is replaced. */
static bool phase_rebuild(Counterfactual *made, const uint32_t *order, uint32_t count, uint32_t changed,
                          const Transfer *by)
{
    Phase *built = phase_new(made->phase->number, NULL);
    Transfer transfer;
    bool good = built != NULL;
    for (uint32_t i = 0; good && i < count; i++) {
        good = transfer_get(made->phase, order[i], &transfer);
        if (good) {
            transfer_put(built, order[i] == changed ? by : &transfer);
        }
    }
    if (!good) {
        phase_free(built);
        return false;
    }
    phase_free(made->built);
    made->phase = made->built = built;
    return true;
}

/* Changes that concern two transfers. */
static const char *change_two(Bytes *bytes, Counterfactual *made, const uint32_t *order, uint32_t count)
{
    Transfer one, other, kept;
    uint32_t at = fuzz_below(bytes, count), next = fuzz_below(bytes, count);
    const char *what = "destinations exchanged";
    bool word = fuzz_byte(bytes) % 2 == 0;
    next = word ? at + 1 : next;
    if (next >= count || at == next || !transfer_get(made->phase, at, &one) ||
        !transfer_get(made->phase, next, &other)) {
        return NULL;
    }
    kept = one;
    if (word) { /* the last word of one becomes the first of the other */
        what = "a word moved to the next";
        one.words--;
        other.words++;
        for (uint32_t r = 0; r < other.repeat; r++) {
            other.addresses[r] -= 4;
        }
        for (uint32_t k = 0; k < other.receivers; k++) {
            other.tile_addresses[k] -= 4;
        }
    } else {
        one.receivers = other.receivers;
        memcpy(one.tiles, other.tiles, sizeof one.tiles);
        memcpy(one.tile_addresses, other.tile_addresses, sizeof one.tile_addresses);
        other.receivers = kept.receivers;
        memcpy(other.tiles, kept.tiles, sizeof other.tiles);
        memcpy(other.tile_addresses, kept.tile_addresses, sizeof other.tile_addresses);
    }
    return transfer_legal(&one) && transfer_legal(&other) && phase_rebuild(made, order, count, at, &one) &&
                   phase_rebuild(made, order, count, next, &other)
               ? what
               : NULL;
}

static const char *change_phase(Bytes *bytes, uint16_t tile_count, Counterfactual *made)
{
    uint32_t n = made->phase->transfers, order[256], count = 0;
    if (n == 0 || n >= 250) {
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++) {
        order[count++] = i;
    }
    uint32_t kind = fuzz_byte(bytes) % 12, at = fuzz_below(bytes, n), other = fuzz_below(bytes, n);
    Transfer by;
    const char *what;
    if (kind == 0) {
        memmove(order + at, order + at + 1, (n - at - 1) * sizeof *order);
        what = "a transfer dropped";
        count--;
    } else if (kind == 1) {
        memmove(order + at + 1, order + at, (n - at) * sizeof *order);
        order[at] = other;
        what = "a transfer twice";
        count++;
    } else if (kind == 2 && at == other) {
        return NULL;
    } else if (kind == 2) {
        order[at] = other;
        order[other] = at;
        what = "two transfers swapped";
    } else if (kind == 3 && at != other) {
        if (at < other) {
            memmove(order + at, order + at + 1, (other - at) * sizeof *order);
        } else {
            memmove(order + other + 1, order + other, (at - other) * sizeof *order);
        }
        order[other] = at;
        what = "a transfer moved";
    } else if (kind == 4) {
        return change_two(bytes, made, order, n);
    } else {
        if (!transfer_get(made->phase, at, &by)) {
            return NULL;
        }
        what = transfer_change(bytes, tile_count, &by);
        return what != NULL && transfer_legal(&by) && phase_rebuild(made, order, count, at, &by) ? what
                                                                                                 : NULL;
    }
    return phase_rebuild(made, order, count, UINT32_MAX, &by) ? what : NULL;
}

/* ---- copies and records ---- */

static const char *change_copies(Bytes *bytes, uint16_t tile_count, Copy *copies, size_t *count)
{
    if (*count == 0) {
        return NULL;
    }
    uint32_t n = (uint32_t)*count, at = fuzz_below(bytes, n), other = fuzz_below(bytes, n);
    Copy *copy = &copies[at], moved = *copy;
    const char *what = "copy from";
    switch (fuzz_byte(bytes) % 7) {
    case 0:
        copy->from = nudge(bytes, copy->from);
        break;
    case 1:
        copy->to = nudge(bytes, copy->to);
        what = "copy to";
        break;
    case 2:
        copy->bytes += 4;
        what = "copy longer";
        break;
    case 3:
        copy->bytes -= 4;
        what = "copy shorter";
        break;
    case 4:
        copy->tile = (uint16_t)((copy->tile + 1) % tile_count);
        what = "copy on another tile";
        break;
    case 5:
        if (at == other) {
            return NULL;
        }
        *copy = copies[other];
        copies[other] = moved;
        what = "two copies swapped";
        break;
    default:
        memmove(copies + at, copies + at + 1, (n - at - 1) * sizeof *copies);
        (*count)--;
        return "a copy dropped";
    }
    bool legal = (uint64_t)copy->from + copy->bytes <= ADDRESS_BYTES_END &&
                 (uint64_t)copy->to + copy->bytes <= ADDRESS_BYTES_END;
    if (!legal) {
        *copy = moved;
    }
    return legal ? what : NULL;
}

/* What a claim says about where transfers went must not be believed. */
static const char *change_record(Bytes *bytes, Counterfactual *made, uint32_t captured)
{
    uint32_t at = fuzz_below(bytes, captured), other = fuzz_below(bytes, captured);
    uint32_t kept = made->emitted[at];
    if (at == other) {
        return NULL;
    }
    made->emitted[at] = made->emitted[other];
    if (fuzz_byte(bytes) & 1) {
        made->emitted[other] = kept;
    }
    return "order of emission";
}

const char *mutate_counterfactual(Bytes *bytes, uint16_t tile_count, Counterfactual *made, uint32_t captured)
{
    switch (fuzz_byte(bytes) % 8) {
    case 0:
        return change_copies(bytes, tile_count, made->source_copies, &made->source_copy_count);
    case 1:
        return change_copies(bytes, tile_count, made->receiver_copies, &made->receiver_copy_count);
    case 2:
        if (made->gathered_at == NULL || captured == 0) {
            return NULL;
        }
        uint32_t at = fuzz_below(bytes, captured);
        made->gathered_at[at] = nudge(bytes, made->gathered_at[at]);
        return "place of gathering";
    case 3:
        return captured == 0 ? NULL : change_record(bytes, made, captured);
    default:
        return change_phase(bytes, tile_count, made);
    }
}
