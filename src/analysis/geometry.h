/* Geometry of a phase and ranking. Follows spec/analysis.md, "Geometry of a phase". */
#ifndef EXSCOPE_ANALYSIS_GEOMETRY_H
#define EXSCOPE_ANALYSIS_GEOMETRY_H

#include "capture/phase.h"

/* What one tile does in a phase. */
typedef struct TileFigures {
    uint32_t send_fragments;    /* transfers that it sends */
    uint32_t receive_fragments; /* receiver roles */
    uint64_t sent_bytes;        /* each sent transfer once */
    uint64_t received_bytes;
} TileFigures;

typedef struct Geometry {
    uint64_t transfers;
    uint64_t receive_fragments;
    uint64_t maximum_endpoint_fragments;
    int32_t busiest_tile; /* -1: empty phase (null in JSON) */
    uint64_t transmitted_bytes;
    uint64_t received_bytes;
    uint64_t maximum_outgoing_bytes;
    uint64_t maximum_incoming_bytes;
} Geometry;

/* Linear. `tiles`, when not NULL, has `tile_count` entries and is filled. */
bool geometry_compute(const Phase *phase, uint16_t tile_count, TileFigures *tiles, Geometry *geometry,
                      Error *error);

#endif
