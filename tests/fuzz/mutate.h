/* Small corruptions of valid results, for asking whether the proofs see them. */
#ifndef EXSCOPE_TESTS_MUTATE_H
#define EXSCOPE_TESTS_MUTATE_H

#include "fuzz.h"
#include "transform/modes.h"

/* Changes one thing in a counterfactual that is not MODE_ORIGINAL: a tile, an address, a size, the order, a
 * copy, the record of what was emitted where. It stays a legal phase. Returns what was changed, or NULL when
 * the choice does not apply. `captured`: how many transfers the captured phase has. */
const char *mutate_counterfactual(Bytes *bytes, uint16_t tile_count, Counterfactual *made, uint32_t captured);

#endif
