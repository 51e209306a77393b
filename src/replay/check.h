/* The invariants of a finished replay, from its rows and the phase alone. Follows spec/scheduler.md, section
 * 4; shares nothing with the scheduler but the decoder and fabric/.
 *
 * How transfers are found in the rows, without asking the scheduler which is where:
 *
 *   1. Every receive has a source event of its own on its tile, and the mux and pointer controls of that
 *      tile say when it is, how many words it takes, from which tile and to which address. That
 *      (address, words, source) names the transfer, but for transfers that agree in all three. Those write
 *      the same bytes of the same tile, so that every one of them depends, perhaps by way of others, on the
 *      one before it; in a right replay they are received in the order of the phase, and so are they paired
 *      here. Pairing leaves no receive and no receiver of a transfer over.
 *   2. A receive's source event, less its route's time, says when its transfer was sent; all receivers of a
 *      transfer must say the same.
 *   3. With that start every transfer must be found in the sends of its source: each of its words, in its
 *      cycle, from its address, in its directions. No sent word may be left over, and none is taken twice.
 *
 * Times follow from the starts; windows, memory, dependencies and figures are then tested one by one. As no
 * step chooses between possibilities, a right replay cannot fail for a wrong guess, and as every receive,
 * control and sent word is used exactly once, a wrong one cannot pass for what it left out.
 *
 * What may differ between two rows that both pass is how they are written (a delay in two parts, a send that
 * goes on where the next transfer's words follow): the schedule is the same, and the totals and the
 * fingerprint are of the rows as they are. */
#ifndef EXSCOPE_REPLAY_CHECK_H
#define EXSCOPE_REPLAY_CHECK_H

#include "replay/replay.h"

typedef struct ReplayVerdict {
    bool pass;
    char first_fault[200]; /* "" on a pass, else tile, cycle, transfer (as far as they apply) and the rule */
} ReplayVerdict;

/* Checks `replay` (all of its figures and arrays, but not seconds, invariants_pass and first_fault; of the
 * pass only that it is 1 or 2, since rows of either may look alike; and of a wait for a receiver, a control,
 * an element or an alignment only that there is such a transfer) against `phase`, which keeps the rules of
 * phase_check(), and `dependencies`, which are those of this very phase. Nearly linear in transfers,
 * receivers and dependencies; needs about 40 bytes a transfer. Fails only when cancelled or out of memory: a
 * wrong replay is a verdict, not an error. */
bool replay_check(const Phase *phase, uint16_t tile_count, const Dependencies *dependencies,
                  const Replay *replay, Progress *progress, ReplayVerdict *verdict, Error *error);

#endif
