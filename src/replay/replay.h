/* The embedded scheduler replay of one phase. Follows spec/scheduler.md. */
#ifndef EXSCOPE_REPLAY_REPLAY_H
#define EXSCOPE_REPLAY_REPLAY_H

#include "analysis/dependencies.h"

typedef struct ReplayOptions {
    uint32_t stream_words; /* B of the stream waves; 1024 is production's */
    bool balance;          /* balance the streams inside each wave */
} ReplayOptions;

#define REPLAY_OPTIONS_DEFAULT ((ReplayOptions){.stream_words = 1024, .balance = true})

typedef enum ActivityKind { ACTIVITY_SEND, ACTIVITY_RECEIVE } ActivityKind;

typedef struct Activity {
    uint32_t transfer;
    uint32_t address; /* first byte: read on a send (first Repeat address), written on a receive */
    uint32_t start;   /* cycles: payload interval [start, end) */
    uint32_t end;
    uint32_t memory_end; /* cycles: when its memory elements are free again */
    uint16_t words;
    uint8_t kind; /* ActivityKind */
} Activity;

/* What keeps a transfer from starting one cycle earlier. */
typedef enum WaitKind {
    WAIT_NONE,           /* nothing: it starts at offset 0 */
    WAIT_DEPENDENCY,     /* a predecessor completes just then */
    WAIT_SEND_LANE,      /* its source tile sends something else */
    WAIT_RECEIVE_STREAM, /* a receiver still listens to, or stores, what came before */
    WAIT_CONTROL_SLOT,   /* a control would fall on the first two events of a send */
    WAIT_MEMORY_ELEMENT, /* a memory element would be read and written at once */
    WAIT_ALIGNMENT,      /* a row would not be encodable (pass 2) */
    WAIT_KINDS
} WaitKind;

#define WAIT_NO_TRANSFER UINT32_MAX

/* "none", "dependency", "send lane", ... */
const char *wait_kind_name(WaitKind kind);

typedef struct Replay {
    uint16_t tile_count;
    uint32_t horizon_cycles;
    uint32_t maximum_row_words;
    int32_t maximum_row_tile; /* -1: no transfers */
    uint64_t total_row_words;
    uint32_t active_tiles;
    uint32_t endpoint_lower_bound_cycles;
    unsigned pass;               /* 1 or 2 */
    uint32_t paired64_transfers; /* replayed as 32-bit ones */
    double seconds;
    uint64_t row_fingerprint;

    bool invariants_pass;
    char first_fault[200]; /* when they do not */

    uint64_t *row_start;      /* [tile_count+1] into row_words */
    uint32_t *row_words;      /* every tile's row, the closing return included */
    uint32_t *tile_horizon;   /* [tile_count] cycles */
    int32_t *incoming_base;   /* [tile_count] byte address with which the row is entered; -1: none */
    uint64_t *activity_start; /* [tile_count+1] into activities */
    Activity *activities;     /* per tile, ascending (start, kind) */

    /* Per transfer, [transfers] each, in cycles. */
    uint32_t *offset;     /* against what it would be with the fabric to itself */
    uint32_t *send_start; /* its first word leaves */
    uint32_t *completion; /* latest payload end */
    uint32_t *requested;  /* least offset that its predecessors allow */
    uint8_t *wait_kind;   /* WaitKind: what stands at offset - 1 */
    /* The transfer waited for, or WAIT_NO_TRANSFER. With WAIT_ALIGNMENT: the one that it had waited for when
     * alignment began to push it. */
    uint32_t *wait_transfer;
} Replay;

/* Orders, places (both passes as needed), encodes and checks. progress: transfers placed of total.
 * `dependencies` are those of this very phase. Fails (ERROR_REFUSED, named) on a loopback that
 * is illegal or that no row can encode, and on more words or cycles than a row can hold; ERROR_CANCELLED
 * within 100 ms of a cancel. A replay whose invariants fail is still a success of this function: look at
 * invariants_pass before showing any figure. */
bool replay_run(const Phase *phase, uint16_t tile_count, const Dependencies *dependencies,
                const ReplayOptions *options, Progress *progress, Replay *replay, Error *error);
void replay_free(Replay *replay);

/* Cycles of the phase in which the tile neither sends nor receives a payload word. Linear in its activities.
 */
uint32_t replay_idle_cycles(const Replay *replay, uint16_t tile);

#endif
