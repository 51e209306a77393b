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

const char *critical_cause(const CriticalLink *link)
{
    if (link->wait != WAIT_NONE) {
        return wait_kind_name(link->wait);
    }
    return link->sole_receive ? "sole receive" : "earliest event";
}

/* Only the row of such a receiver is entered with an incoming base. */
static bool is_sole_receive(const Replay *replay, const Phase *phase, uint32_t transfer)
{
    uint16_t receiver = phase->receiver_tile[phase->receiver_start[transfer]];
    return phase_receivers(phase, transfer) == 1 && replay->incoming_base[receiver] >= 0;
}

bool critical_chain(const Replay *replay, const Phase *phase, CriticalChain *chain, Error *error)
{
    uint32_t end = replay->horizon_cycles, later = end;
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
            .lead_cycles = replay->send_start[transfer] - replay->offset[transfer],
            .sole_receive = is_sole_receive(replay, phase, transfer),
            .cycles = (int64_t)later - replay->send_start[transfer],
        };
        later = link.start;
        if (!vec_push(chain, link, error)) {
            return false;
        }
        transfer = link.waited_for;
        end = transfer == WAIT_NO_TRANSFER ? 0 : replay->completion[transfer];
    }
    return true;
}
