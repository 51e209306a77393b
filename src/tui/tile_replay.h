/* What the replay made of one tile: its row taken apart, and its time line. A task. */
#ifndef EXSCOPE_TUI_TILE_REPLAY_H
#define EXSCOPE_TUI_TILE_REPLAY_H

#include "row/decode.h"
#include "tui/app.h"

/* Sends, or receives, of one tile: disjoint, ascending. */
typedef struct Lane {
    uint32_t *start, *end; /* cycles */
    uint64_t *busy_before; /* cycles of the intervals before this one */
    size_t count;
} Lane;

typedef struct TileReplay {
    Task task;
    const PhaseEntry *entry;
    Mode mode;
    int32_t tile;
    ReplayOptions options;
    uint32_t row_words, horizon_cycles, phase_cycles;
    int32_t incoming_base; /* -1: none */
    VEC(RowStep) steps;
    const char *fault; /* why the row could not be read to its end; NULL */
    Lane lanes[2];     /* by ActivityKind */
} TileReplay;

TileReplay *tile_replay_new(const PhaseEntry *entry, Mode mode, int32_t tile, ReplayOptions options,
                            Error *error);

/* Cycles of [from, to) in which the lane is busy. */
uint64_t lane_busy(const Lane *lane, uint64_t from, uint64_t to);

/* ---- the picture ---- */

typedef struct Timeline {
    uint64_t from, to; /* cycles that show; equal: all */
} Timeline;

/* An interval that stands out: [start, end) of one lane; empty: none. */
typedef struct TimelineMark {
    ActivityKind kind;
    uint32_t start, end;
} TimelineMark;

/* Two lanes and an axis in `area`, which has 3 rows. */
void timeline_draw(Timeline *timeline, const TileReplay *replay, Grid *grid, Rect area, TimelineMark mark);

/* Zoom and moves; false when the action is none of them. `center` is the cycle that stays in view. */
bool timeline_act(Timeline *timeline, const TileReplay *replay, Action action, uint64_t center);

/* Moves so that the interval shows. */
void timeline_show(Timeline *timeline, const TileReplay *replay, TimelineMark mark);

#endif
