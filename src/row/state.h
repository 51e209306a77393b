/* What one tile does while a phase is scheduled: its sends, its receive controls and how long its memory is
 * busy. Follows spec/fabric-and-rows.md, "Per-tile state while a phase is built".
 *
 * Receives come in time order: the source mux event X of each is at or after the end X' + n' of the one
 * before, so receives, mux events and pointer events are append-only. A receive stands for its controls:
 *
 *      X             X + n                 Q            Q + n     horizon
 *      |mux <- source|mux <- neutral       |pointer     |         |
 *      [ source owned)                     [ payload )............) memory busy
 *
 * and the neutral is missing when the next receive's source event takes its place. Sends may be put into any
 * gap, so they are kept sorted; touching sends are also merged into runs, which is what the search for a gap
 * walks. An event holds at most one mux control and one pointer control; when it holds both it is a *pair*.
 */
#ifndef EXSCOPE_ROW_STATE_H
#define EXSCOPE_ROW_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "fabric/fabric.h"

enum {
    ROW_NEVER = UINT32_MAX,  /* a time that no event has */
    ROW_TIME_MAX = INT32_MAX /* the latest horizon that a row may have */
};

typedef struct RowSend {
    uint64_t elements; /* memory elements read, in any Repeat iteration */
    uint32_t start;    /* payload [start, start + words) */
    uint32_t transfer;
    uint32_t address; /* of the first word, in words (first Repeat address) */
    uint16_t words;
    uint8_t sctl;   /* direction bits */
    uint8_t linger; /* cycles that the memory stays busy after the payload */
} RowSend;

typedef struct RowReceive {
    uint32_t mux_start; /* X */
    uint32_t transfer;
    uint32_t address; /* of the first byte */
    uint16_t words;
    uint16_t source;   /* physical tile */
    bool sets_pointer; /* false: continues where the payload before it ended */
} RowReceive;

typedef struct RowRun {
    uint32_t start, end;
} RowRun;

typedef struct RowState {
    RowSend *sends; /* ascending start */
    RowRun *runs;   /* ascending, never touching */
    RowReceive *receives;
    uint32_t *pairs; /* times of the pairs, ascending, repeats allowed */
    uint32_t send_count, run_count, receive_count, pair_count;
    /* Not beyond the first send that starts, the first receive whose Q is, at or after the last receive's X:
     * where searches for later times may begin. */
    uint32_t near_send, near_payload;
    uint32_t horizon;       /* cycles */
    uint32_t pointer_lag;   /* Q - X, one less for a receive of 52 words */
    bool sole_receive;      /* sole-receive form: pointer value 0, for the row is entered at its base */
    uint64_t sent_elements; /* unions over the sends and the receives */
    uint64_t received_elements;
} RowState;

/* The states of all tiles of a phase, in a few big arrays that are sized once. */
typedef struct RowStates {
    uint16_t tile_count;
    RowState *tiles;
    RowSend *sends;
    RowRun *runs;
    RowReceive *receives;
    uint32_t *pairs;
} RowStates;

/* Empty states of logical tiles 0 .. tile_count-1 with room for exactly sends[t] sends and receives[t]
 * receives. The caller marks the tiles of sole receives. */
bool row_states_init(RowStates *states, uint16_t tile_count, const uint32_t *sends, const uint32_t *receives,
                     Error *error);
/* Empties every tile. */
void row_states_clear(RowStates *states);
void row_states_free(RowStates *states);

/* ---- figures of one send or receive ---- */

static inline uint32_t row_send_end(const RowSend *send)
{
    return send->start + send->words;
}

static inline uint32_t row_send_memory_end(const RowSend *send)
{
    return send->start + send->words + send->linger;
}

/* X + n: the neutral event, or the next source event in its place. */
static inline uint32_t row_source_end(const RowReceive *receive)
{
    return receive->mux_start + receive->words;
}

/* Q - X. */
static inline uint32_t row_pointer_lag(const RowState *row, uint32_t words)
{
    return row->pointer_lag - (words == 52);
}

/* Q: pointer event and first payload write. */
static inline uint32_t row_payload_start(const RowState *row, const RowReceive *receive)
{
    return receive->mux_start + row_pointer_lag(row, receive->words);
}

static inline uint32_t row_payload_end(const RowState *row, const RowReceive *receive)
{
    return row_payload_start(row, receive) + receive->words;
}

/* Horizon of a receive of `words` words relative to its X: Q + n + 5, or + 6 for 52 words, which is the same
 * distance from X. */
static inline uint32_t row_receive_reach(const RowState *row, uint32_t words)
{
    return row->pointer_lag + words + 5;
}

static inline uint32_t row_receive_memory_end(const RowState *row, const RowReceive *receive)
{
    return receive->mux_start + row_receive_reach(row, receive->words);
}

/* The value of a pointer control. */
static inline uint32_t row_pointer_value(const RowState *row, const RowReceive *receive)
{
    return row->sole_receive ? 0 : receive->address / 4;
}

static inline const RowReceive *row_last_receive(const RowState *row)
{
    return row->receive_count == 0 ? NULL : &row->receives[row->receive_count - 1];
}

/* Whether a receive to `address` must set the pointer: not when it continues the last payload. */
bool row_needs_pointer(const RowState *row, uint32_t address);

/* ---- searches ---- */

/* These are logarithmic in the distance from the end. The first send that starts at or after `time`;
 * send_count when there is none. */
uint32_t row_first_send(const RowState *row, uint32_t time);

/* The first run that ends after `time`. */
uint32_t row_first_run(const RowState *row, uint32_t time);

/* The first receive whose X, whose Q is at or after `time`. */
uint32_t row_first_mux(const RowState *row, uint32_t time);
uint32_t row_first_payload(const RowState *row, uint32_t time);

/* The first pair at or after `time`. */
uint32_t row_first_pair(const RowState *row, uint32_t time);

/* The same from index `from`, which is not beyond what is looked for: logarithmic in the distance from there.
 */
uint32_t row_next_send(const RowState *row, uint32_t from, uint32_t time);
uint32_t row_next_run(const RowState *row, uint32_t from, uint32_t time);
uint32_t row_next_mux(const RowState *row, uint32_t from, uint32_t time);
uint32_t row_next_payload(const RowState *row, uint32_t from, uint32_t time);

/* ---- changes ---- */

/* Puts a send where no send overlaps it. */
void row_add_send(RowState *row, const RowSend *send);

/* Appends a receive: its X is at or after the last source end and its Q at or after the last payload end.
 * `elements` are those that it writes. */
void row_add_receive(RowState *row, const RowReceive *receive, uint64_t elements);

/* What must be remembered to take the latest receives back. */
typedef struct RowMark {
    uint32_t horizon, receive_count, pair_count, near_send, near_payload;
    uint64_t received_elements;
} RowMark;

RowMark row_mark(const RowState *row);

/* Takes the receives added since the mark away; no send may have been added since. */
void row_take_back(RowState *row, const RowMark *mark);

#endif
