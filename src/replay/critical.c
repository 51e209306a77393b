#include "config.h"

#include "replay/critical.h"

/* The transfer that ends at the horizon, WAIT_NO_TRANSFER in an empty phase. */
static uint32_t critical_last(const Replay *replay)
{
    uint16_t tile = 0;
    while (tile < replay->tile_count && replay->tile_horizon[tile] != replay->horizon_cycles) {
        tile++;
    }
    uint32_t last = WAIT_NO_TRANSFER;
    for (uint64_t i = replay->activity_start[tile]; i < replay->activity_start[tile + 1]; i++) {
        const Activity *activity = &replay->activities[i];
        if (activity->memory_end == replay->horizon_cycles && activity->transfer < last) {
            last = activity->transfer;
        }
    }
    return last;
}

bool critical_chain(const Replay *replay, CriticalChain *chain, Error *error)
{
    uint32_t end = replay->horizon_cycles;
    uint32_t transfer = replay->active_tiles == 0 ? WAIT_NO_TRANSFER : critical_last(replay);
    while (transfer != WAIT_NO_TRANSFER) {
        uint32_t lost = replay->offset[transfer] - replay->requested[transfer];
        CriticalLink link = {
            .transfer = transfer,
            .wait = (WaitKind)replay->wait_kind[transfer],
            .waited_for = replay->wait_transfer[transfer],
            .start = replay->send_start[transfer],
            .end = end,
            .requested = replay->send_start[transfer] - lost,
            .lost_cycles = lost,
        };
        if (!vec_push(chain, link, error)) {
            return false;
        }
        transfer = link.waited_for;
        end = transfer == WAIT_NO_TRANSFER ? 0 : replay->completion[transfer];
    }
    return true;
}
