/* What the length of a replay comes from: the chain of transfers, each waiting for the next one of the list,
 * that ends at the horizon. */
#ifndef EXSCOPE_REPLAY_CRITICAL_H
#define EXSCOPE_REPLAY_CRITICAL_H

#include "base/vec.h"
#include "replay/form.h"
#include "replay/replay.h"

typedef struct CriticalLink {
    uint32_t transfer;
    WaitKind wait;        /* what kept it from starting a cycle earlier; WAIT_NONE: its own lead alone */
    uint32_t waited_for;  /* the transfer of the next link; WAIT_NO_TRANSFER on the last */
    uint32_t start;       /* cycle in which its first word leaves */
    uint32_t end;         /* its completion; on the first link the horizon */
    uint32_t requested;   /* cycle in which its first word could have left if only its predecessors counted */
    uint32_t lost_cycles; /* start - requested */
    /* From the offset at which it is placed to its first word, as if it had the fabric to itself: until the
     * source mux of its receiver may turn. That is SOLE_RECEIVE_MUX_EVENT cycles after the offset where the
     * receiver gets nothing else, else 1 for the nearest receiver, or more where the send itself is at once.
     */
    uint32_t lead_cycles;
    bool sole_receive;
    /* What of the phase it stands for: from `start` to that of the link before it in the list, or to the
     * horizon; less than 0 where that one began earlier. With the start of the last link they add up to the
     * horizon. */
    int64_t cycles;
} CriticalLink;

typedef VEC(CriticalLink) CriticalChain;

/* "dependency", "send lane", ... or, where it waits for nothing, "sole receive" or "earliest event". */
const char *critical_cause(const CriticalLink *link);

/* `phase` is what was replayed. Appends the links, from the horizon backwards; none for an empty phase. At
 * the horizon stands the transfer with the latest memory end, of the lowest tile, the lowest index where
 * several end together. Fails only for want of memory. Linear in the activities of one tile and the length of
 * the chain. */
bool critical_chain(const Replay *replay, const Phase *phase, CriticalChain *chain, Error *error);

#endif
