/* How busy the endpoints of a tile are in a replay, and where they wait. */
#ifndef EXSCOPE_REPLAY_IDLE_H
#define EXSCOPE_REPLAY_IDLE_H

#include "replay/replay.h"

enum { IDLE_GAPS = 4 };

typedef struct IdleGap {
    uint32_t from, to; /* cycles: nothing is sent (received) in [from, to) */
} IdleGap;

/* One endpoint of a tile: its sends, or its receives. */
typedef struct EndpointIdle {
    uint32_t activities;
    uint32_t first_start, last_end; /* cycles; 0 without activities */
    uint32_t busy_cycles;           /* payload */
    uint32_t idle_cycles;           /* between first_start and last_end */
    uint32_t gap_count;             /* all gaps between activities */
    uint32_t largest_count;         /* of them listed below */
    IdleGap largest[IDLE_GAPS];     /* descending length, earlier first */
} EndpointIdle;

typedef struct TileIdle {
    EndpointIdle send, receive;
} TileIdle;

/* Of one tile below replay->tile_count. Linear in its activities. */
TileIdle idle_of_tile(const Replay *replay, uint16_t tile);

#endif
