/* In which order the transfers of a phase are placed. Follows spec/scheduler.md, "Order". */
#ifndef EXSCOPE_REPLAY_ORDER_H
#define EXSCOPE_REPLAY_ORDER_H

#include "replay/replay.h"

/* Fills order[phase->transfers] with transfer indices: ascending (depth, wave, place in the wave, position in
 * the stream). `depth` has an entry per transfer; NULL: all are 0. Near n log n for unicast transfers; a wave
 * of many wide multicasts that all share receivers costs more. Fails when cancelled or out of memory. */
bool order_compute(const Phase *phase, uint16_t tile_count, const uint32_t *depth,
                   const ReplayOptions *options, Progress *progress, uint32_t *order, Error *error);

#endif
