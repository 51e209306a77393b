/* Which chunk of a wave goes first. Follows spec/scheduler.md, "Order", 3, and section 5. */
#ifndef EXSCOPE_REPLAY_BALANCE_H
#define EXSCOPE_REPLAY_BALANCE_H

#include "replay/streams.h"

/* Fills places[streams->chunks.count] with chunk indices: waves ascending, each in its balanced order. Fails
 * when cancelled or out of memory. */
bool balance_waves(const Phase *phase, uint16_t tile_count, const Streams *streams, Progress *progress,
                   uint32_t *places, Error *error);

#endif
