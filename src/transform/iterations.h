/* Which Repeat iterations of a phase differ. Follows spec/analysis.md, "Equivalence". */
#ifndef EXSCOPE_TRANSFORM_ITERATIONS_H
#define EXSCOPE_TRANSFORM_ITERATIONS_H

#include "base/progress.h"
#include "base/sort.h"
#include "base/vec.h"
#include "capture/phase.h"

/* The iterations [0, count) in classes of those that read the same addresses. */
typedef struct Iterations {
    uint32_t count;
    uint32_t classes;
    uint32_t *class_of;  /* [count] */
    uint32_t *size;      /* [count] members of a class */
    VEC(SortItem) items; /* work space: the iterations of one transfer */
} Iterations;

/* One class that holds all. Free with iterations_free, also after a failure. */
bool iterations_init(Iterations *iterations, uint32_t count, Error *error);
void iterations_free(Iterations *iterations);

/* Splits the classes by the source addresses of a phase; `chosen`, unless NULL, says which of its transfers
 * count. Near linear in the addresses, and over as soon as all iterations differ. */
bool iterations_split(Iterations *iterations, const Phase *phase, const uint8_t *chosen, Progress *progress,
                      Error *error);

/* Flags the first iteration of every class: distinct[r], `count` entries. */
bool iterations_flag_distinct(const Iterations *iterations, uint8_t *distinct, Error *error);

#endif
