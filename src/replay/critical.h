/* What the length of a replay comes from: the chain of transfers, each waiting for the next one of the list,
 * that ends at the horizon. */
#ifndef EXSCOPE_REPLAY_CRITICAL_H
#define EXSCOPE_REPLAY_CRITICAL_H

#include "base/vec.h"
#include "replay/replay.h"

typedef struct CriticalLink {
    uint32_t transfer;
    WaitKind wait;        /* what kept it from starting a cycle earlier */
    uint32_t waited_for;  /* the transfer of the next link; WAIT_NO_TRANSFER on the last */
    uint32_t start;       /* cycle in which its first word leaves */
    uint32_t end;         /* its completion; on the first link the horizon */
    uint32_t requested;   /* cycle in which its first word could have left if only its predecessors counted */
    uint32_t lost_cycles; /* start - requested */
} CriticalLink;

typedef VEC(CriticalLink) CriticalChain;

/* Appends the links, from the horizon backwards; none for an empty phase. At the horizon stands the transfer
 * with the latest memory end, of the lowest tile, the lowest index where several end together. Fails only for
 * want of memory. Linear in the activities of one tile and the length of the chain. */
bool critical_chain(const Replay *replay, CriticalChain *chain, Error *error);

#endif
