#include "config.h"

#include "../replay/plain.h"

#include <stdlib.h>
#include <string.h>

#include "fabric/fabric.h"

#define NOWHERE UINT32_MAX

static void *grown(void *array, uint32_t count, size_t size)
{
    array = realloc(array, (count + 1) * size);
    if (array == NULL) {
        abort();
    }
    return array;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t most(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static bool meet(uint32_t start, uint32_t end, uint32_t other_start, uint32_t other_end)
{
    return start < other_end && other_start < end;
}

/* ---- memory elements ---- */

static uint32_t element(uint32_t address)
{
    return address < 0x80000 ? address / 0x4000 : 0x20 + (address - 0x80000) / 0x8000;
}

static bool share_element(uint32_t address, uint32_t words, uint32_t other, uint32_t other_words)
{
    uint32_t first = element(address), last = element(address + 4 * words - 1);
    uint32_t other_first = element(other), other_last = element(other + 4 * other_words - 1);
    return first <= other_last && other_first <= last;
}

/* Whether a transfer reads, in any iteration, an element of the given span. */
static bool reads_element_of(const Phase *phase, uint32_t transfer, uint32_t address, uint32_t words)
{
    for (uint32_t r = 0; r < phase->repeat[transfer]; r++) {
        if (share_element(phase_address(phase, transfer, r), phase->words[transfer], address, words)) {
            return true;
        }
    }
    return false;
}

/* ---- order ---- */

typedef struct Chunk {
    uint32_t wave, stream, place;
    uint64_t words, stream_words;
    uint32_t transfer; /* one of it */
    bool taken;
} Chunk;

static const Phase *sorted_phase; /* for qsort */

static int compare_streams(uint32_t a, uint32_t b)
{
    const Phase *phase = sorted_phase;
    if (phase->source[a] != phase->source[b]) {
        return phase->source[a] < phase->source[b] ? -1 : 1;
    }
    uint32_t a_count = phase_receivers(phase, a), b_count = phase_receivers(phase, b);
    for (uint32_t i = 0; i < a_count && i < b_count; i++) {
        uint16_t left = phase->receiver_tile[phase->receiver_start[a] + i];
        uint16_t right = phase->receiver_tile[phase->receiver_start[b] + i];
        if (left != right) {
            return left < right ? -1 : 1;
        }
    }
    return a_count < b_count ? -1 : a_count > b_count;
}

static int compare_in_streams(const void *left, const void *right)
{
    const Phase *phase = sorted_phase;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    int order = compare_streams(a, b);
    uint32_t keys[2][3] = {
        {phase->receiver_address[phase->receiver_start[a]], phase_address(phase, a, 0), a},
        {phase->receiver_address[phase->receiver_start[b]], phase_address(phase, b, 0), b},
    };
    for (int i = 0; order == 0 && i < 3; i++) {
        order = keys[0][i] < keys[1][i] ? -1 : keys[0][i] > keys[1][i];
    }
    return order;
}

/* The endpoints of a chunk: senders are even, receivers odd. */
static uint32_t endpoints_of(const Phase *phase, const Chunk *chunk, uint32_t *endpoints)
{
    uint32_t count = 0;
    endpoints[count++] = 2u * phase->source[chunk->transfer];
    for (uint32_t i = 0; i < phase_receivers(phase, chunk->transfer); i++) {
        endpoints[count++] = 2u * phase->receiver_tile[phase->receiver_start[chunk->transfer] + i] + 1;
    }
    return count;
}

static void greatest(const Phase *phase, const Chunk *chunk, const uint64_t *load, const uint64_t *remaining,
                     uint64_t *max_load, uint64_t *max_remaining)
{
    uint32_t endpoints[FABRIC_TILES + 1], count = endpoints_of(phase, chunk, endpoints);
    *max_load = *max_remaining = 0;
    for (uint32_t i = 0; i < count; i++) {
        *max_load = load[endpoints[i]] > *max_load ? load[endpoints[i]] : *max_load;
        *max_remaining = remaining[endpoints[i]] > *max_remaining ? remaining[endpoints[i]] : *max_remaining;
    }
}

static void plain_balance(const Phase *phase, Chunk *chunks, uint32_t count)
{
    static uint64_t load[2 * FABRIC_TILES], remaining[2 * FABRIC_TILES];
    uint32_t endpoints[FABRIC_TILES + 1];
    memset(load, 0, sizeof load);
    memset(remaining, 0, sizeof remaining);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t n = endpoints_of(phase, &chunks[i], endpoints);
        for (uint32_t k = 0; k < n; k++) {
            remaining[endpoints[k]] += chunks[i].words;
        }
    }
    for (uint32_t place = 0; place < count; place++) {
        Chunk *best = NULL;
        uint64_t best_load = 0, best_remaining = 0;
        for (uint32_t i = 0; i < count; i++) {
            Chunk *chunk = &chunks[i];
            uint64_t max_load, max_remaining;
            if (chunk->taken) {
                continue;
            }
            greatest(phase, chunk, load, remaining, &max_load, &max_remaining);
            bool better =
                best == NULL || chunk->wave < best->wave ||
                (chunk->wave == best->wave &&
                 (max_load < best_load || (max_load == best_load && (max_remaining > best_remaining ||
                                                                     (max_remaining == best_remaining &&
                                                                      chunk->stream < best->stream)))));
            if (better) {
                best = chunk;
                best_load = max_load;
                best_remaining = max_remaining;
            }
        }
        if (best == NULL) {
            abort();
        }
        best->taken = true;
        best->place = place;
        uint32_t n = endpoints_of(phase, best, endpoints);
        for (uint32_t k = 0; k < n; k++) {
            load[endpoints[k]] = best_load + best->words;
            remaining[endpoints[k]] -= best->words;
        }
    }
}

static void plain_unbalanced(Chunk *chunks, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < count; k++) {
            chunks[i].place +=
                chunks[k].wave == chunks[i].wave &&
                (chunks[k].stream_words > chunks[i].stream_words ||
                 (chunks[k].stream_words == chunks[i].stream_words && chunks[k].stream < chunks[i].stream));
        }
    }
}

typedef struct OrderKey {
    uint32_t keys[4]; /* depth, wave, place, position */
    uint32_t transfer;
} OrderKey;

static int compare_order(const void *left, const void *right)
{
    const OrderKey *a = left, *b = right;
    for (int i = 0; i < 4; i++) {
        if (a->keys[i] != b->keys[i]) {
            return a->keys[i] < b->keys[i] ? -1 : 1;
        }
    }
    return a->transfer < b->transfer ? -1 : a->transfer > b->transfer;
}

void plain_order(const Phase *phase, const uint32_t *depth, uint32_t stream_words, bool balance,
                 uint32_t *order)
{
    uint32_t n = phase->transfers, chunk_count = 0, stream = 0, first_chunk = 0;
    uint64_t offset = 0;
    Chunk *chunks = calloc(n + 1, sizeof *chunks);
    OrderKey *keys = calloc(n + 1, sizeof *keys);
    uint32_t *chunk_of = calloc(n + 1, sizeof *chunk_of);
    if (chunks == NULL || keys == NULL || chunk_of == NULL) {
        abort();
    }
    for (uint32_t i = 0; i < n; i++) {
        order[i] = i;
    }
    sorted_phase = phase;
    qsort(order, n, sizeof *order, compare_in_streams);
    for (uint32_t i = 0; i < n; i++) {
        bool new_stream = i == 0 || compare_streams(order[i - 1], order[i]) != 0;
        if (new_stream) {
            offset = 0;
            stream += i > 0;
            first_chunk = chunk_count;
        }
        uint32_t wave = (uint32_t)(offset / stream_words);
        if (new_stream || chunks[chunk_count - 1].wave != wave) {
            chunks[chunk_count++] = (Chunk){.wave = wave, .stream = stream, .transfer = order[i]};
        }
        chunk_of[i] = chunk_count - 1;
        chunks[chunk_count - 1].words += phase->words[order[i]];
        offset += phase->words[order[i]];
        for (uint32_t k = first_chunk; k < chunk_count; k++) {
            chunks[k].stream_words = offset;
        }
    }
    if (balance) {
        plain_balance(phase, chunks, chunk_count);
    } else {
        plain_unbalanced(chunks, chunk_count);
    }
    for (uint32_t i = 0; i < n; i++) {
        const Chunk *chunk = &chunks[chunk_of[i]];
        keys[i] = (OrderKey){.keys = {depth == NULL ? 0 : depth[order[i]], chunk->wave, chunk->place, i},
                             .transfer = order[i]};
    }
    qsort(keys, n, sizeof *keys, compare_order);
    for (uint32_t i = 0; i < n; i++) {
        order[i] = keys[i].transfer;
    }
    free(chunk_of);
    free(keys);
    free(chunks);
}

/* ---- one tile ---- */

void plain_add_send(PlainTile *tile, PlainSend send)
{
    tile->sends = grown(tile->sends, tile->send_count, sizeof send);
    uint32_t i = tile->send_count++;
    for (; i > 0 && tile->sends[i - 1].start > send.start; i--) {
        tile->sends[i] = tile->sends[i - 1];
    }
    tile->sends[i] = send;
    tile->horizon = most(tile->horizon, send.memory_end);
}

void plain_add_control(PlainTile *tile, PlainControl control)
{
    tile->controls = grown(tile->controls, tile->control_count, sizeof control);
    uint32_t i = tile->control_count++;
    for (; i > 0 && tile->controls[i - 1].time > control.time; i--) {
        tile->controls[i] = tile->controls[i - 1];
    }
    tile->controls[i] = control;
}

static void plain_add_receive(PlainTile *tile, PlainReceive receive)
{
    tile->receives = grown(tile->receives, tile->receive_count, sizeof receive);
    tile->receives[tile->receive_count++] = receive;
    tile->horizon = most(tile->horizon, receive.memory_end);
}

void plain_tile_free(PlainTile *tile)
{
    free(tile->sends);
    free(tile->receives);
    free(tile->controls);
    memset(tile, 0, sizeof *tile);
}

/* ---- a transfer ---- */

/* At offset 0. */
typedef struct Timing {
    uint32_t n, start, sctl, sender_horizon;
    bool sole;
    uint32_t mux[FABRIC_TILES], pointer[FABRIC_TILES],
        horizon[FABRIC_TILES]; /* X, Q and horizon per receiver */
} Timing;

static int time_to_mux(uint32_t source, uint32_t receiver)
{
    FabricTile from = fabric_tile((uint16_t)source), to = fabric_tile((uint16_t)receiver);
    return fabric_time_to_mux(&from, &to);
}

static const uint16_t *tiles_of(const Phase *phase, uint32_t transfer)
{
    return phase->receiver_tile + phase->receiver_start[transfer];
}

static void timing_of(const Phase *phase, const PlainReplay *replay, uint32_t transfer, Timing *timing)
{
    uint32_t source = phase->source[transfer], count = phase_receivers(phase, transfer);
    const uint16_t *tiles = tiles_of(phase, transfer);
    int start = 0;
    for (uint32_t i = 0; i < count; i++) {
        int m = time_to_mux(source, tiles[i]);
        start = -m > start ? -m : start;
    }
    timing->n = phase->words[transfer];
    timing->sole = count == 1 && replay->tiles[tiles[0]].fragments == 1;
    if (timing->sole) {
        start = 112 - time_to_mux(source, tiles[0]);
    }
    timing->start = (uint32_t)start;
    timing->sender_horizon = most(6, timing->start + timing->n);
    FabricTile from = fabric_tile((uint16_t)source), to = fabric_tile(tiles[0]);
    timing->sctl = count == 1 ? fabric_direction(&from, &to) : 3;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t x = (uint32_t)(start + time_to_mux(source, tiles[i]) + 1);
        uint32_t q = x + (timing->n == 52 ? 51 : 52) + 2u * fabric_tile(tiles[i]).row;
        timing->mux[i] = x;
        timing->pointer[i] = q;
        timing->horizon[i] = q + timing->n + (timing->n == 52 ? 6 : 5);
    }
}

static bool has_control_at(const PlainTile *tile, uint32_t time)
{
    for (uint32_t i = 0; i < tile->control_count; i++) {
        if (tile->controls[i].time == time) {
            return true;
        }
    }
    return false;
}

/* A new control of a receive against the tile's controls and sends. */
static bool control_blocked(const PlainTile *tile, uint32_t time, PlainKind kind, uint32_t mux_start)
{
    for (uint32_t i = 0; i < tile->control_count; i++) {
        const PlainControl *old = &tile->controls[i];
        bool one_pointer = (old->kind == PLAIN_POINTER) != (kind == PLAIN_POINTER);
        bool replaced =
            old->kind == PLAIN_NEUTRAL && old->time == tile->source_end && mux_start == tile->source_end;
        if (old->time == time && !one_pointer && !replaced) {
            return true;
        }
    }
    for (uint32_t i = 0; i < tile->send_count; i++) {
        if (tile->sends[i].start == time || tile->sends[i].start + 1 == time) {
            return true;
        }
    }
    return false;
}

static bool sets_pointer(const PlainTile *tile, uint32_t address)
{
    return tile->receive_count == 0 || tile->next_address != address;
}

static unsigned source_blocked(const Phase *phase, const PlainTile *source, uint32_t transfer,
                               const Timing *timing, uint32_t offset)
{
    uint32_t start = timing->start + offset, end = start + timing->n;
    unsigned why = 0;
    for (uint32_t i = 0; i < source->send_count; i++) {
        const PlainSend *send = &source->sends[i];
        if (meet(start, end, send->start, send->start + send->words)) {
            why |= PLAIN_LANE;
        }
    }
    if (has_control_at(source, start) || has_control_at(source, start + 1)) {
        why |= PLAIN_SLOT;
    }
    for (uint32_t i = 0; i < source->receive_count; i++) {
        const PlainReceive *receive = &source->receives[i];
        if (meet(start, timing->sender_horizon + offset, receive->payload_start, receive->memory_end) &&
            reads_element_of(phase, transfer, receive->address, receive->words)) {
            why |= PLAIN_MEMORY;
        }
    }
    return why;
}

static unsigned receiver_blocked(const Phase *phase, const PlainTile *tile, uint32_t address,
                                 const Timing *timing, uint32_t k, uint32_t offset)
{
    uint32_t x = timing->mux[k] + offset, q = timing->pointer[k] + offset;
    unsigned why = 0;
    if (x < tile->source_end || q < tile->payload_end) {
        why |= PLAIN_STREAM;
    }
    if (control_blocked(tile, x, PLAIN_SOURCE, x) || control_blocked(tile, x + timing->n, PLAIN_NEUTRAL, x) ||
        (sets_pointer(tile, address) && control_blocked(tile, q, PLAIN_POINTER, x))) {
        why |= PLAIN_SLOT;
    }
    for (uint32_t i = 0; i < tile->send_count; i++) {
        const PlainSend *send = &tile->sends[i];
        if (meet(q, timing->horizon[k] + offset, send->start, send->memory_end) &&
            reads_element_of(phase, send->transfer, address, timing->n)) {
            why |= PLAIN_MEMORY;
        }
    }
    return why;
}

unsigned plain_blocked(const Phase *phase, PlainReplay *replay, uint32_t transfer, uint32_t offset)
{
    Timing timing;
    timing_of(phase, replay, transfer, &timing);
    unsigned why = source_blocked(phase, &replay->tiles[phase->source[transfer]], transfer, &timing, offset);
    for (uint32_t k = 0; k < phase_receivers(phase, transfer); k++) {
        why |= receiver_blocked(phase, &replay->tiles[tiles_of(phase, transfer)[k]],
                                phase->receiver_address[phase->receiver_start[transfer] + k], &timing, k,
                                offset);
    }
    return why;
}

static void commit(const Phase *phase, PlainReplay *replay, uint32_t transfer, const Timing *timing,
                   uint32_t offset)
{
    uint32_t n = timing->n, end = timing->start + n + offset;
    plain_add_send(&replay->tiles[phase->source[transfer]],
                   (PlainSend){.start = timing->start + offset,
                               .words = n,
                               .memory_end = timing->sender_horizon + offset,
                               .address = phase_address(phase, transfer, 0) / 4,
                               .sctl = timing->sctl,
                               .transfer = transfer});
    replay->offset[transfer] = offset;
    replay->completion[transfer] = end;
    uint32_t physical = fabric_physical(phase->source[transfer]);
    for (uint32_t k = 0; k < phase_receivers(phase, transfer); k++) {
        PlainTile *tile = &replay->tiles[tiles_of(phase, transfer)[k]];
        uint32_t address = phase->receiver_address[phase->receiver_start[transfer] + k];
        uint32_t x = timing->mux[k] + offset, q = timing->pointer[k] + offset;
        for (uint32_t i = 0; i < tile->control_count; i++) {
            if (tile->controls[i].kind == PLAIN_NEUTRAL && tile->controls[i].time == x) {
                tile->control_count--;
                memmove(&tile->controls[i], &tile->controls[i + 1],
                        (tile->control_count - i) * sizeof *tile->controls);
                break;
            }
        }
        plain_add_control(tile, (PlainControl){x, physical, PLAIN_SOURCE});
        plain_add_control(tile, (PlainControl){x + n, 0x640, PLAIN_NEUTRAL});
        if (sets_pointer(tile, address)) {
            plain_add_control(tile, (PlainControl){q, timing->sole ? 0 : address / 4, PLAIN_POINTER});
        }
        tile->source_end = x + n;
        tile->payload_end = q + n;
        tile->next_address = address + 4 * n;
        plain_add_receive(tile, (PlainReceive){q, timing->horizon[k] + offset, address, n, transfer});
        replay->completion[transfer] = most(replay->completion[transfer], q + n);
    }
}

/* ---- encoding ---- */

typedef struct Row {
    uint32_t *words;
    uint32_t count;
    uint32_t time;
} Row;

static void put(Row *row, uint32_t word, uint32_t events)
{
    row->words = grown(row->words, row->count, sizeof word);
    row->words[row->count++] = word;
    row->time += events;
}

static void put_delay(Row *row, uint32_t until)
{
    while (row->time < until) {
        uint32_t events = least(until - row->time, 0x80000);
        put(row, 0x40a00000 | (events - 1), events);
    }
}

static bool put_aligned_delay(Row *row, uint32_t until)
{
    uint32_t distance = until - row->time;
    if (distance == 0) {
        return row->count % 2 == 0;
    }
    uint32_t words = distance / 0x80000 + (distance % 0x80000 != 0);
    words += (row->count + words) % 2;
    if (words > distance) {
        return false;
    }
    while (words > 0) {
        uint32_t events = least(until - row->time - (words - 1), 0x80000);
        put(row, 0x40a00000 | (events - 1), events);
        words--;
    }
    return true;
}

/* The controls from index i on that share its time. */
static uint32_t group_size(const PlainTile *tile, uint32_t i)
{
    uint32_t count = 1;
    while (i + count < tile->control_count && tile->controls[i + count].time == tile->controls[i].time) {
        count++;
    }
    return count;
}

static void pair_values(const PlainControl *controls, uint32_t *mux, uint32_t *pointer)
{
    bool pointer_first = controls[0].kind == PLAIN_POINTER;
    *mux = controls[pointer_first ? 1 : 0].value;
    *pointer = controls[pointer_first ? 0 : 1].value;
}

/* Controls before `boundary`, and the delay up to it. *next is the first control not yet in the row. */
static bool put_outside(Row *row, const PlainTile *tile, uint32_t boundary, uint32_t *next)
{
    while (*next < tile->control_count && tile->controls[*next].time < boundary) {
        const PlainControl *control = &tile->controls[*next];
        uint32_t size = group_size(tile, *next), c = control->time;
        *next += size;
        uint32_t until = boundary;
        if (*next < tile->control_count && tile->controls[*next].time < boundary) {
            until = tile->controls[*next].time - 1;
        }
        if (size == 2) {
            uint32_t mux, pointer;
            pair_values(control, &mux, &pointer);
            if (!put_aligned_delay(row, c - 1)) {
                return false;
            }
            uint32_t events = least(64, until - row->time);
            put(row, 0xf0000000 | (events - 1) << 21, events);
            put(row, mux << 18 | pointer, 0);
            continue;
        }
        uint32_t reach = control->kind == PLAIN_POINTER ? 128 : 4096;
        if (c - row->time > reach) {
            put_delay(row, c - reach);
        }
        uint32_t events = c - row->time;
        put(row,
            control->kind == PLAIN_POINTER ? 0x60000000 | (events - 1) << 19 | control->value
                                           : 0x64000000 | (events - 1) << 14 | control->value,
            events);
    }
    put_delay(row, boundary);
    return true;
}

static void put_message(Row *row, const PlainSend *send, uint32_t words)
{
    if (row->time == send->start) {
        put(row, 0x78000000 | (words - 1) << 21 | send->address << 3 | send->sctl, words);
    } else {
        put(row, 0x70000000 | ((words - 1) & 63) << 21 | ((words - 1) >> 6) << 14 | send->sctl, words);
    }
}

/* `words` words of the message, after which, if `even`, the row is at an even word. */
static bool put_words(Row *row, const PlainSend *send, uint32_t words, bool even)
{
    uint32_t parts[TRANSFER_WORDS_MAX], count = 0;
    for (uint32_t left = words; left > 0; count++) {
        parts[count] = least(left, row->time == send->start && count == 0 ? 64 : 4096);
        left -= parts[count];
    }
    uint32_t split = NOWHERE;
    if (even && (row->count + count) % 2 != 0) {
        for (uint32_t i = 0; i < count; i++) {
            split = parts[i] >= 2 ? i : split;
        }
        if (split == NOWHERE) {
            return false;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (i == split) {
            put_message(row, send, 1);
            put_message(row, send, parts[i] - 1);
        } else {
            put_message(row, send, parts[i]);
        }
    }
    return true;
}

static bool put_send(Row *row, const PlainTile *tile, const PlainSend *send, uint32_t *next)
{
    uint32_t end = send->start + send->words;
    while (*next < tile->control_count && tile->controls[*next].time <= end) {
        const PlainControl *control = &tile->controls[*next];
        uint32_t size = group_size(tile, *next), c = control->time;
        *next += size;
        if (c < send->start + 2) { /* k = 0 before the message has begun, or less */
            return false;
        }
        if (!put_words(row, send, c - 1 - row->time, size == 2)) {
            return false;
        }
        uint32_t a = end - row->time;
        if (*next < tile->control_count && tile->controls[*next].time <= end) {
            a = tile->controls[*next].time - 1 - row->time;
            if (group_size(tile, *next) == 2 && (row->count + size) % 2 != 0 && a > 1) {
                a--;
            }
        }
        a = least(a, least(64, end - row->time));
        if (size == 1) {
            uint32_t selector = control->kind == PLAIN_POINTER ? 2 : 0;
            put(row, 0x70100000 | (a - 1) << 21 | selector << 18 | control->value, a);
        } else {
            uint32_t mux, pointer;
            pair_values(control, &mux, &pointer);
            uint32_t address = send->address + (row->time - send->start);
            put(row, 0xf0000000 | (a - 1) << 21 | address << 3 | send->sctl, a);
            put(row, mux << 18 | pointer, 0);
        }
    }
    return put_words(row, send, end - row->time, false);
}

uint32_t *plain_encode(const PlainTile *tile, uint32_t *words)
{
    Row row = {0};
    uint32_t next = 0;
    bool encodable = true;
    for (uint32_t i = 0; encodable && i < tile->send_count; i++) {
        encodable = put_outside(&row, tile, tile->sends[i].start, &next) &&
                    put_send(&row, tile, &tile->sends[i], &next);
    }
    if (encodable && put_outside(&row, tile, tile->horizon, &next)) {
        put(&row, 0x43a00000, 0);
        *words = row.count;
        return row.words;
    }
    free(row.words);
    return NULL;
}

/* ---- placement ---- */

static bool encodable(const PlainTile *tile)
{
    uint32_t count, *words = plain_encode(tile, &count);
    free(words);
    return words != NULL;
}

static void copy_tile(PlainTile *to, const PlainTile *from)
{
    *to = *from;
    to->sends = grown(NULL, from->send_count, sizeof *to->sends);
    to->receives = grown(NULL, from->receive_count, sizeof *to->receives);
    to->controls = grown(NULL, from->control_count, sizeof *to->controls);
    if (from->send_count > 0) {
        memcpy(to->sends, from->sends, from->send_count * sizeof *to->sends);
    }
    if (from->receive_count > 0) {
        memcpy(to->receives, from->receives, from->receive_count * sizeof *to->receives);
    }
    if (from->control_count > 0) {
        memcpy(to->controls, from->controls, from->control_count * sizeof *to->controls);
    }
}

bool plain_encodable_with(const Phase *phase, PlainReplay *replay, uint32_t transfer, uint32_t offset)
{
    enum { TILES_MAX = 64 };
    uint32_t count = 1 + phase_receivers(phase, transfer);
    uint16_t tiles[TILES_MAX];
    PlainTile saved[TILES_MAX];
    Timing timing;
    if (count > TILES_MAX) {
        abort();
    }
    tiles[0] = phase->source[transfer];
    memcpy(tiles + 1, tiles_of(phase, transfer), (count - 1) * sizeof *tiles);
    for (uint32_t i = 0; i < count; i++) {
        copy_tile(&saved[i], &replay->tiles[tiles[i]]);
    }
    timing_of(phase, replay, transfer, &timing);
    commit(phase, replay, transfer, &timing, offset);
    bool all = true;
    for (uint32_t i = 0; i < count; i++) {
        all = all && encodable(&replay->tiles[tiles[i]]);
    }
    for (uint32_t i = count; i-- > 0;) {
        if (i > 0 && tiles[i] == tiles[0]) {
            plain_tile_free(&saved[i]); /* a loopback: its tile is restored as the source */
        } else {
            plain_tile_free(&replay->tiles[tiles[i]]);
            replay->tiles[tiles[i]] = saved[i];
        }
    }
    return all;
}

void plain_start(const Phase *phase, uint16_t tile_count, PlainReplay *replay)
{
    memset(replay, 0, sizeof *replay);
    replay->tile_count = tile_count;
    replay->offset = grown(NULL, phase->transfers, sizeof *replay->offset);
    replay->completion = grown(NULL, phase->transfers, sizeof *replay->completion);
    for (uint32_t i = 0; i < phase->receiver_start[phase->transfers]; i++) {
        replay->tiles[phase->receiver_tile[i]].fragments++;
    }
}

uint32_t plain_requested(const PlainReplay *replay, const Dependencies *dependencies, uint32_t transfer)
{
    uint32_t requested = 0;
    if (dependencies->edges == 0) {
        return 0;
    }
    for (uint32_t k = dependencies->predecessor_start[transfer];
         k < dependencies->predecessor_start[transfer + 1]; k++) {
        requested = most(requested, replay->completion[dependencies->predecessors[k]]);
    }
    return requested;
}

bool plain_place(const Phase *phase, PlainReplay *replay, uint32_t transfer, uint32_t offset, bool aligned,
                 uint32_t limit)
{
    Timing timing;
    timing_of(phase, replay, transfer, &timing);
    while (plain_blocked(phase, replay, transfer, offset) != 0 ||
           (aligned && !plain_encodable_with(phase, replay, transfer, offset))) {
        offset++;
        if (limit-- == 0) {
            return false;
        }
    }
    commit(phase, replay, transfer, &timing, offset);
    return true;
}

static bool place_all(const Phase *phase, uint16_t tile_count, const Dependencies *dependencies,
                      const uint32_t *order, bool aligned, uint32_t limit, PlainReplay *replay)
{
    plain_start(phase, tile_count, replay);
    for (uint32_t i = 0; i < phase->transfers; i++) {
        uint32_t requested = plain_requested(replay, dependencies, order[i]);
        if (!plain_place(phase, replay, order[i], requested, aligned, limit)) {
            return false;
        }
    }
    return true;
}

bool plain_run(const Phase *phase, uint16_t tile_count, const Dependencies *dependencies,
               const uint32_t *order, uint32_t limit, PlainReplay *replay)
{
    bool placed = place_all(phase, tile_count, dependencies, order, false, limit, replay);
    replay->pass = 1;
    for (uint16_t tile = 0; placed && tile < tile_count; tile++) {
        if (!encodable(&replay->tiles[tile])) {
            plain_free(replay);
            placed = place_all(phase, tile_count, dependencies, order, true, limit, replay);
            replay->pass = 2;
            break;
        }
    }
    return placed;
}

void plain_free(PlainReplay *replay)
{
    for (uint16_t tile = 0; tile < replay->tile_count; tile++) {
        plain_tile_free(&replay->tiles[tile]);
    }
    free(replay->offset);
    free(replay->completion);
    memset(replay, 0, sizeof *replay);
}
