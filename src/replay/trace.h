/* One tile's row taken apart: the words that it sends, and the receives that its controls tell of. Follows
 * spec/fabric-and-rows.md, "One 32-bit transfer", and the landing rules of spec/scheduler.md, section 4.
 * Internal to the checker.
 *
 *      mux     source          next source or neutral
 *              |---- words ----|
 *      pointer                     value (none: the payload goes on where the last one ended)
 *              |--- write lag ----|---- words ----|- tail -|
 *                                 write                    elements free again */
#ifndef EXSCOPE_REPLAY_TRACE_H
#define EXSCOPE_REPLAY_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "fabric/fabric.h"

enum {
    /* Cycles from the source event to the first write, and from the last write until the elements are free. A
     * receive of 52 words writes one cycle earlier and keeps its elements one cycle longer. */
    WRITE_LAG = 52,
    WRITE_LAG_PER_ROW = 2,
    WRITE_TAIL = 5,
    EARLY_WORDS = 52
};

typedef struct Control {
    uint32_t cycle;
    uint32_t value;
} Control;

/* Words of one instruction, one a cycle. */
typedef struct Sending {
    uint32_t start;
    uint32_t words;
    uint32_t address;
    uint32_t sctl;
} Sending;

typedef struct Arrival {
    uint32_t source_event;
    uint32_t write; /* cycle of the first payload write */
    uint32_t words;
    uint32_t address;
    uint16_t source; /* logical tile, of the whole fabric */
} Arrival;

/* Starts as {0}; free with trace_free. */
typedef struct Trace {
    VEC(Control) muxes;
    VEC(Control) pointers;
    VEC(Sending) sendings; /* ascending start */
    VEC(Arrival) arrivals; /* ascending source event, write and memory end */
    char fault[160];       /* "cycle N: what is wrong" */
} Trace;

/* Reads the row of the tile at `place`, which ends at `horizon` and is entered with incoming base `base` (-1:
 * none). Fails when the row breaks the grammar or says something that no receives can explain, with `fault`
 * set, or for want of memory, with `error` set and no fault. Never leaves an array null. */
bool trace_read(Trace *trace, const FabricTile *place, const uint32_t *words, size_t count, uint32_t horizon,
                int32_t base, Error *error);
void trace_free(Trace *trace);

static inline uint32_t write_lag(const FabricTile *place, uint32_t words)
{
    return WRITE_LAG + WRITE_LAG_PER_ROW * (uint32_t)place->row - (words == EARLY_WORDS);
}

static inline uint32_t write_tail(uint32_t words)
{
    return WRITE_TAIL + (words == EARLY_WORDS);
}

static inline uint32_t arrival_end(const Arrival *arrival)
{
    return arrival->write + arrival->words;
}

static inline uint32_t arrival_memory_end(const Arrival *arrival)
{
    return arrival_end(arrival) + write_tail(arrival->words);
}

#endif
