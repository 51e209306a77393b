/* The endpoint roles of a phase sorted by tile: what tile by tile work starts from. */
#ifndef EXSCOPE_ANALYSIS_ENDPOINTS_H
#define EXSCOPE_ANALYSIS_ENDPOINTS_H

#include "capture/phase.h"

/* The roles of tile t are [start[t], start[t + 1]), in transfer order. */
typedef struct Endpoints {
    uint32_t *start;    /* [tile_count + 1] */
    uint32_t *transfer; /* index in the phase */
    uint32_t *address;  /* where a receiver writes; NULL for sends */
} Endpoints;

/* Of the first `transfers` transfers of the phase. Linear. */
bool endpoints_sends(const Phase *phase, uint16_t tile_count, uint32_t transfers, Endpoints *endpoints,
                     Error *error);
bool endpoints_receives(const Phase *phase, uint16_t tile_count, uint32_t transfers, Endpoints *endpoints,
                        Error *error);
void endpoints_free(Endpoints *endpoints);

#endif
