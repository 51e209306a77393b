/* Placing the transfers of a phase one after another. Follows spec/scheduler.md, "Placement". */
#ifndef EXSCOPE_REPLAY_PLACE_H
#define EXSCOPE_REPLAY_PLACE_H

#include "replay/form.h"
#include "replay/replay.h"

/* Places every transfer of `order` into the empty `maker->states` and fills the arrays per transfer of
 * `replay`. With `aligned`, no offset is taken at which the row of a tile that the transfer meets would not
 * be encodable (pass 2). Fails (ERROR_REFUSED) on a transfer without any such offset and on a phase that does
 * not end within ROW_TIME_MAX cycles; when cancelled; for want of memory. progress: transfers placed. */
bool place_transfers(const FormMaker *maker, const Dependencies *dependencies, const uint32_t *order,
                     bool aligned, Progress *progress, Replay *replay, Error *error);

/* Refuses (ERROR_REFUSED, named) the phase's first transfer that no offset can make legal. */
bool place_check_phase(const FormMaker *maker, Progress *progress, Error *error);

#endif
