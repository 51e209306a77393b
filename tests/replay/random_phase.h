/* Random small phases that meet the limits of placement and of the row encoder. */
#ifndef EXSCOPE_TESTS_REPLAY_RANDOM_PHASE_H
#define EXSCOPE_TESTS_REPLAY_RANDOM_PHASE_H

#include "capture/phase.h"

typedef struct RandomShape {
    uint16_t tiles;     /* used */
    uint16_t tile_step; /* from one to the next in number: far tiles have other times */
    uint32_t transfers;
    uint32_t words_max;
    uint32_t receivers_max;
    uint32_t hub_percent;      /* transfers from or to tile 0 */
    uint32_t pair_percent;     /* lengths that put neutral and pointer into one event */
    uint32_t continue_percent; /* writes that go on where the last one to the tile ended */
    uint32_t element_percent;  /* reads and writes in the same few elements */
    uint32_t loopback_percent;
} RandomShape;

/* xorshift64; the state must not be 0. */
uint64_t random_next(uint64_t *state);
uint32_t random_below(uint64_t *state, uint32_t bound);

/* A shape with random knobs, of at most so many transfers. */
RandomShape random_shape(uint64_t *state, uint32_t transfers_max);

/* The tile count that its phases need. */
uint16_t random_tile_count(const RandomShape *shape);

/* A legal phase; loopbacks that no row can encode are left out. */
Phase *random_phase(uint64_t *state, const RandomShape *shape);

#endif
