#include "config.h"

#include "row/state.h"

#include <string.h>

#include "base/memory.h"

static size_t states_total(const uint32_t *counts, uint16_t tile_count)
{
    size_t total = 0;
    for (uint16_t tile = 0; tile < tile_count; tile++) {
        total += counts[tile];
    }
    return total;
}

bool row_states_init(RowStates *states, uint16_t tile_count, const uint32_t *sends, const uint32_t *receives,
                     Error *error)
{
    size_t send_total = states_total(sends, tile_count);
    size_t receive_total = states_total(receives, tile_count);
    states->tile_count = tile_count;
    states->tiles = mem_zero(tile_count, sizeof *states->tiles, error);
    states->sends = mem_new(send_total, sizeof *states->sends, error);
    states->runs = mem_new(send_total, sizeof *states->runs, error);
    states->receives = mem_new(receive_total, sizeof *states->receives, error);
    states->pairs = mem_new(2 * receive_total, sizeof *states->pairs, error);
    if (states->tiles == NULL || states->sends == NULL || states->runs == NULL || states->receives == NULL ||
        states->pairs == NULL) {
        row_states_free(states);
        return false;
    }
    size_t send = 0, receive = 0;
    for (uint16_t tile = 0; tile < tile_count; tile++) {
        RowState *row = &states->tiles[tile];
        row->sends = states->sends + send;
        row->runs = states->runs + send;
        row->receives = states->receives + receive;
        row->pairs = states->pairs + 2 * receive;
        row->pointer_lag = 52 + 2 * (uint32_t)fabric_tile(tile).row;
        send += sends[tile];
        receive += receives[tile];
    }
    return true;
}

void row_states_clear(RowStates *states)
{
    for (uint16_t tile = 0; tile < states->tile_count; tile++) {
        RowState *row = &states->tiles[tile];
        row->send_count = row->run_count = row->receive_count = row->pair_count = row->horizon = 0;
        row->near_send = row->near_payload = 0;
        row->sent_elements = row->received_elements = 0;
    }
}

void row_states_free(RowStates *states)
{
    mem_free(states->tiles);
    mem_free(states->sends);
    mem_free(states->runs);
    mem_free(states->receives);
    mem_free(states->pairs);
    memset(states, 0, sizeof *states);
}

bool row_needs_pointer(const RowState *row, uint32_t address)
{
    const RowReceive *last = row_last_receive(row);
    return last == NULL || last->address + 4 * (uint32_t)last->words != address;
}

/* Finds the first of `count` items whose TIME (an expression in `i`, ascending) is at or after `time`:
 * doubling steps, from the end or from the index `from`, until the item is passed, then halving. */
#define SEARCH_BETWEEN(TIME)                                                                                 \
    while (low < high) {                                                                                     \
        uint32_t i = low + (high - low) / 2;                                                                 \
        if ((TIME) < time) {                                                                                 \
            low = i + 1;                                                                                     \
        } else {                                                                                             \
            high = i;                                                                                        \
        }                                                                                                    \
    }                                                                                                        \
    return low

#define SEARCH_FROM_END(count, TIME)                                                                         \
    uint32_t high = (count), low = 0;                                                                        \
    for (uint32_t step = 1; step <= high; step *= 2) {                                                       \
        uint32_t i = high - step;                                                                            \
        if ((TIME) < time) {                                                                                 \
            low = i + 1;                                                                                     \
            break;                                                                                           \
        }                                                                                                    \
        high = i;                                                                                            \
    }                                                                                                        \
    SEARCH_BETWEEN(TIME)

#define SEARCH_FROM(from, count, TIME)                                                                       \
    uint32_t low = (from), high = (count);                                                                   \
    for (uint32_t step = 1; step <= high - low; step *= 2) {                                                 \
        uint32_t i = low + step - 1;                                                                         \
        if ((TIME) >= time) {                                                                                \
            high = i;                                                                                        \
            break;                                                                                           \
        }                                                                                                    \
        low = i + 1;                                                                                         \
    }                                                                                                        \
    SEARCH_BETWEEN(TIME)

uint32_t row_first_send(const RowState *row, uint32_t time)
{
    SEARCH_FROM_END(row->send_count, row->sends[i].start);
}

uint32_t row_first_run(const RowState *row, uint32_t time)
{
    time++;
    SEARCH_FROM_END(row->run_count, row->runs[i].end);
}

uint32_t row_first_mux(const RowState *row, uint32_t time)
{
    SEARCH_FROM_END(row->receive_count, row->receives[i].mux_start);
}

uint32_t row_first_payload(const RowState *row, uint32_t time)
{
    SEARCH_FROM_END(row->receive_count, row_payload_start(row, &row->receives[i]));
}

uint32_t row_first_pair(const RowState *row, uint32_t time)
{
    SEARCH_FROM_END(row->pair_count, row->pairs[i]);
}

uint32_t row_next_send(const RowState *row, uint32_t from, uint32_t time)
{
    SEARCH_FROM(from, row->send_count, row->sends[i].start);
}

uint32_t row_next_run(const RowState *row, uint32_t from, uint32_t time)
{
    time++;
    SEARCH_FROM(from, row->run_count, row->runs[i].end);
}

uint32_t row_next_mux(const RowState *row, uint32_t from, uint32_t time)
{
    SEARCH_FROM(from, row->receive_count, row->receives[i].mux_start);
}

uint32_t row_next_payload(const RowState *row, uint32_t from, uint32_t time)
{
    SEARCH_FROM(from, row->receive_count, row_payload_start(row, &row->receives[i]));
}

/* Whether a pointer event is at `time`, which is not before the last receive's X. */
static bool row_has_pointer_at(const RowState *row, uint32_t time)
{
    uint32_t i = row_next_payload(row, row->near_payload, time);
    return i < row->receive_count && row->receives[i].sets_pointer &&
           row_payload_start(row, &row->receives[i]) == time;
}

static void row_raise_horizon(RowState *row, uint32_t time)
{
    if (time > row->horizon) {
        row->horizon = time;
    }
}

static void row_add_run(RowState *row, uint32_t start, uint32_t end)
{
    uint32_t i = row_first_run(row, start);
    bool joins_before = i > 0 && row->runs[i - 1].end == start;
    bool joins_after = i < row->run_count && row->runs[i].start == end;
    if (joins_before && joins_after) {
        row->runs[i - 1].end = row->runs[i].end;
        memmove(&row->runs[i], &row->runs[i + 1], (row->run_count - i - 1) * sizeof *row->runs);
        row->run_count--;
    } else if (joins_before) {
        row->runs[i - 1].end = end;
    } else if (joins_after) {
        row->runs[i].start = start;
    } else {
        memmove(&row->runs[i + 1], &row->runs[i], (row->run_count - i) * sizeof *row->runs);
        row->runs[i] = (RowRun){start, end};
        row->run_count++;
    }
}

void row_add_send(RowState *row, const RowSend *send)
{
    uint32_t i = row_first_send(row, send->start);
    memmove(&row->sends[i + 1], &row->sends[i], (row->send_count - i) * sizeof *row->sends);
    row->sends[i] = *send;
    row->send_count++;
    row->near_send += i < row->near_send;
    row_add_run(row, send->start, row_send_end(send));
    row->sent_elements |= send->elements;
    row_raise_horizon(row, row_send_memory_end(send));
}

void row_add_receive(RowState *row, const RowReceive *receive, uint64_t elements)
{
    uint32_t neutral = row_source_end(receive);
    row->receives[row->receive_count++] = *receive;
    row->near_send = row_next_send(row, row->near_send, receive->mux_start);
    row->near_payload = row_next_payload(row, row->near_payload, receive->mux_start);
    /* Later mux events are its own two; the pointer events that may meet them are those of the last receives
     * and its own. */
    if (row_has_pointer_at(row, receive->mux_start)) {
        row->pairs[row->pair_count++] = receive->mux_start;
    }
    if (row_has_pointer_at(row, neutral)) {
        row->pairs[row->pair_count++] = neutral;
    }
    row->received_elements |= elements;
    row_raise_horizon(row, row_receive_memory_end(row, receive));
}

RowMark row_mark(const RowState *row)
{
    return (RowMark){row->horizon,   row->receive_count, row->pair_count,
                     row->near_send, row->near_payload,  row->received_elements};
}

void row_take_back(RowState *row, const RowMark *mark)
{
    row->horizon = mark->horizon;
    row->receive_count = mark->receive_count;
    row->pair_count = mark->pair_count;
    row->near_send = mark->near_send;
    row->near_payload = mark->near_payload;
    row->received_elements = mark->received_elements;
}
