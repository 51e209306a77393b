/* How far the figures of a mode can be trusted, and which of those that can is the best: one rule for all
 * faces. */
#ifndef EXSCOPE_EXPLORE_TRUST_H
#define EXSCOPE_EXPLORE_TRUST_H

#include "transform/equivalence.h"

typedef enum Trust {
    TRUST_VALID,
    TRUST_UNKNOWN,   /* nobody finished the proof */
    TRUST_DIFFERENT, /* proved not equivalent */
    TRUST_REORDERED  /* equivalent perhaps, but ignores dependencies by construction */
} Trust;

Trust trust_of(const Equivalence *equivalence); /* NULL: unknown */

/* In a few words, for text. */
const char *trust_words(Trust trust);

/* The least of those `values` that `stand`: known, and of a mode that is proved valid. All modes that have it
 * are the best. False, and no mode is, when no two of them differ. */
bool trust_best(const uint64_t *values, const bool *stand, size_t count, uint64_t *best);

#endif
