/* The proof that a counterfactual phase still does the same thing. Follows spec/analysis.md, "Equivalence".
 */
#ifndef EXSCOPE_TRANSFORM_EQUIVALENCE_H
#define EXSCOPE_TRANSFORM_EQUIVALENCE_H

#include "transform/modes.h"

typedef enum Verdict { VERDICT_UNKNOWN, VERDICT_EQUIVALENT, VERDICT_DIFFERENT } Verdict;

typedef struct Equivalence {
    Verdict verdict; /* null, true, false in JSON */
    bool valid;      /* false when different, and for MODE_REORDERED on a phase with edges */
    /* Of VERDICT_DIFFERENT: the lowest (iteration, tile, address) whose bytes differ. */
    uint32_t iteration;
    uint16_t tile;
    uint32_t address;
    uint32_t iterations_proved; /* Repeat iterations simulated (distinct ones) */
} Equivalence;

/* Interval-based. Fails when cancelled or out of memory: the verdict then stays VERDICT_UNKNOWN, valid false.
 */
bool equivalence_prove(const Phase *original, uint16_t tile_count, const Dependencies *dependencies,
                       const Counterfactual *counterfactual, Progress *progress, Equivalence *equivalence,
                       Error *error);

#endif
