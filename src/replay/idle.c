#include "config.h"

#include "replay/idle.h"

static uint32_t gap_cycles(const IdleGap *gap)
{
    return gap->to - gap->from;
}

static void idle_add_gap(EndpointIdle *idle, IdleGap gap)
{
    idle->gap_count++;
    idle->idle_cycles += gap_cycles(&gap);
    uint32_t i = idle->largest_count;
    if (i < IDLE_GAPS) {
        idle->largest_count++;
    } else if (gap_cycles(&gap) > gap_cycles(&idle->largest[IDLE_GAPS - 1])) {
        i = IDLE_GAPS - 1; /* in the place of the smallest */
    } else {
        return;
    }
    for (; i > 0 && gap_cycles(&idle->largest[i - 1]) < gap_cycles(&gap); i--) {
        idle->largest[i] = idle->largest[i - 1];
    }
    idle->largest[i] = gap;
}

/* Activities of one endpoint come in time order and do not overlap. */
static void idle_add(EndpointIdle *idle, const Activity *activity)
{
    if (idle->activities++ == 0) {
        idle->first_start = activity->start;
    } else if (activity->start > idle->last_end) {
        idle_add_gap(idle, (IdleGap){idle->last_end, activity->start});
    }
    idle->last_end = activity->end;
    idle->busy_cycles += activity->end - activity->start;
}

TileIdle idle_of_tile(const Replay *replay, uint16_t tile)
{
    TileIdle idle = {0};
    for (uint64_t i = replay->activity_start[tile]; i < replay->activity_start[tile + 1]; i++) {
        const Activity *activity = &replay->activities[i];
        idle_add(activity->kind == ACTIVITY_SEND ? &idle.send : &idle.receive, activity);
    }
    return idle;
}
