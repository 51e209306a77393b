#include "config.h"

#include "tui/map_values.h"

#include <string.h>

#include "base/memory.h"

const char *const shade_names[] = {
    [SHADE_ROW] = "row bytes",           [SHADE_FRAGMENTS] = "fragments", [SHADE_SENT] = "sent bytes",
    [SHADE_RECEIVED] = "received bytes", [SHADE_IDLE] = "idle cycles",
};

uint64_t tile_row_bytes(const Replay *replay, int32_t tile)
{
    return (replay->row_start[tile + 1] - replay->row_start[tile]) * 4;
}

/* Idle cycles of all tiles look at every activity of the phase: too much for a frame. */
struct IdleTask {
    Task task;
    const PhaseEntry *entry;
    Mode mode;
    ReplayOptions options;
    uint64_t values[FABRIC_TILES];
};

static bool run_idle_task(Task *task, View *view, Progress *progress, Error *error)
{
    IdleTask *idle = (IdleTask *)task;
    const Replay *replay = view_need_replay(view, idle->entry, idle->mode, &idle->options, progress, error);
    for (uint16_t tile = 0; replay != NULL && tile < replay->tile_count; tile++) {
        idle->values[tile] = replay_idle_cycles(replay, tile);
    }
    return replay != NULL;
}

static void destroy_task(Task *task)
{
    mem_free(task);
}

static const IdleTask *idle_values(Tui *tui, MapValues *values, Selection selection)
{
    const ReplaySummary *replay = tui_replay_figures(tui, selection.entry, selection.mode);
    if (replay == NULL || !replay->invariants_pass) {
        return NULL;
    }
    IdleTask *idle = values->idle;
    ReplayOptions options = tui_replay_options(tui);
    if (idle == NULL || idle->entry != selection.entry || idle->mode != selection.mode ||
        !replay_options_equal(idle->options, options)) {
        task_release((Task *)idle);
        values->idle = idle = mem_zero(1, sizeof *idle, NULL);
        if (idle == NULL) {
            return NULL;
        }
        task_start(&idle->task, run_idle_task, destroy_task);
        idle->entry = selection.entry;
        idle->mode = selection.mode;
        idle->options = options;
    }
    tui_want_task(tui, &idle->task, selection.entry, USUAL);
    return task_ready(&idle->task) ? idle : NULL;
}

bool shade_needs_replay(Shade shade)
{
    return shade == SHADE_ROW || shade == SHADE_IDLE;
}

static bool row_values(Tui *tui, Selection selection, uint16_t tiles, uint64_t *numbers)
{
    const Replay *replay = tui_replay(tui, selection.entry, selection.mode);
    for (uint16_t i = 0; replay != NULL && i < tiles; i++) {
        numbers[i] = tile_row_bytes(replay, i);
    }
    return replay != NULL;
}

static bool figure_values(Tui *tui, Selection selection, uint16_t tiles, uint64_t *numbers)
{
    Shade shade = tui->preferences.shade;
    const TileFigures *figures = tui_tiles(tui, selection.entry, selection.mode, SOON);
    for (uint16_t i = 0; figures != NULL && i < tiles; i++) {
        numbers[i] = shade == SHADE_FRAGMENTS
                         ? (uint64_t)figures[i].send_fragments + figures[i].receive_fragments
                     : shade == SHADE_SENT ? figures[i].sent_bytes
                                           : figures[i].received_bytes;
    }
    return figures != NULL;
}

void map_values_read(Tui *tui, MapValues *values, Selection selection, bool refused)
{
    uint16_t tiles = view_tile_count(tui->view);
    if (refused) {
        values->known = false;
    } else if (tui->preferences.shade == SHADE_ROW) {
        values->known = row_values(tui, selection, tiles, values->numbers);
    } else if (tui->preferences.shade == SHADE_IDLE) {
        const IdleTask *idle = idle_values(tui, values, selection);
        values->known = idle != NULL;
        if (idle != NULL) {
            memcpy(values->numbers, idle->values, sizeof values->numbers);
        }
    } else {
        values->known = figure_values(tui, selection, tiles, values->numbers);
    }
}

int32_t map_values_step(const MapValues *values, uint16_t tiles, int32_t from, bool after)
{
    int32_t best = -1;
    for (int32_t tile = 0; tile < tiles; tile++) {
        uint64_t value = values->numbers[tile];
        if (from >= 0) {
            uint64_t mine = values->numbers[from];
            bool later = value < mine || (value == mine && tile > from);
            if (tile == from || later != after) {
                continue;
            }
        }
        bool closer = best < 0 || (after ? value > values->numbers[best] : value <= values->numbers[best]);
        best = closer ? tile : best;
    }
    return best;
}

void map_values_forget(MapValues *values)
{
    task_release((Task *)values->idle);
    values->idle = NULL;
}
