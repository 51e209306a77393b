#include "config.h"

#include "tui/tile_replay.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

enum { LABEL_COLUMNS = 5, POLL_EVERY = 8192, WINDOW_CYCLES_MIN = 16 };

/* ---- the task ---- */

static void lane_free(Lane *lane)
{
    mem_free(lane->start);
    mem_free(lane->end);
    mem_free(lane->busy_before);
    *lane = (Lane){0};
}

static bool lane_new(Lane *lane, size_t count, Error *error)
{
    lane->start = mem_new(count, sizeof *lane->start, error);
    lane->end = mem_new(count, sizeof *lane->end, error);
    lane->busy_before = mem_new(count, sizeof *lane->busy_before, error);
    return lane->start != NULL && lane->end != NULL && lane->busy_before != NULL;
}

static bool read_lanes(TileReplay *tile, const Replay *replay, Error *error)
{
    size_t counts[2] = {0, 0};
    uint64_t first = replay->activity_start[tile->tile], last = replay->activity_start[tile->tile + 1];
    for (uint64_t i = first; i < last; i++) {
        counts[replay->activities[i].kind]++;
    }
    for (int kind = 0; kind < 2; kind++) {
        lane_free(&tile->lanes[kind]);
        if (!lane_new(&tile->lanes[kind], counts[kind], error)) {
            return false;
        }
    }
    for (uint64_t i = first; i < last; i++) {
        const Activity *activity = &replay->activities[i];
        Lane *lane = &tile->lanes[activity->kind];
        size_t at = lane->count++;
        lane->start[at] = activity->start;
        lane->end[at] = activity->end;
        lane->busy_before[at] =
            at == 0 ? 0 : lane->busy_before[at - 1] + lane->end[at - 1] - lane->start[at - 1];
    }
    return true;
}

static bool read_row(TileReplay *tile, const Replay *replay, Progress *progress, Error *error)
{
    uint64_t first = replay->row_start[tile->tile], last = replay->row_start[tile->tile + 1];
    RowReader reader = row_reader(replay->row_words + first, (size_t)(last - first));
    RowStep step;
    vec_clear(&tile->steps);
    while (row_read(&reader, &step)) {
        if (!vec_push(&tile->steps, step, error) ||
            (tile->steps.count % POLL_EVERY == 0 && !progress_go_on(progress, error))) {
            return false;
        }
    }
    tile->fault = reader.fault;
    tile->row_words = (uint32_t)(last - first);
    return true;
}

static bool run(Task *task, View *view, Progress *progress, Error *error)
{
    TileReplay *tile = (TileReplay *)task;
    const Replay *replay = view_need_replay(view, tile->entry, tile->mode, &tile->options, progress, error);
    if (replay == NULL || !read_row(tile, replay, progress, error) || !read_lanes(tile, replay, error)) {
        return false;
    }
    tile->horizon_cycles = replay->tile_horizon[tile->tile];
    tile->phase_cycles = replay->horizon_cycles;
    tile->incoming_base = replay->incoming_base[tile->tile];
    return true;
}

static void destroy(Task *task)
{
    TileReplay *tile = (TileReplay *)task;
    lane_free(&tile->lanes[0]);
    lane_free(&tile->lanes[1]);
    vec_free(&tile->steps);
    mem_free(tile);
}

TileReplay *tile_replay_new(const PhaseEntry *entry, Mode mode, int32_t tile, ReplayOptions options,
                            Error *error)
{
    TileReplay *replay = mem_zero(1, sizeof *replay, error);
    if (replay != NULL) {
        task_start(&replay->task, run, destroy);
        replay->entry = entry;
        replay->mode = mode;
        replay->tile = tile;
        replay->options = options;
    }
    return replay;
}

/* ---- lanes ---- */

/* Busy cycles before the cycle `at`. */
static uint64_t busy_until(const Lane *lane, uint64_t at)
{
    size_t low = 0, high = lane->count; /* the intervals that begin before `at` */
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (lane->start[middle] < at) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == 0) {
        return 0;
    }
    uint64_t end = lane->end[low - 1] < at ? lane->end[low - 1] : at;
    return lane->busy_before[low - 1] + end - lane->start[low - 1];
}

uint64_t lane_busy(const Lane *lane, uint64_t from, uint64_t to)
{
    return busy_until(lane, to) - busy_until(lane, from);
}

/* ---- the picture ---- */

static void window(const Timeline *timeline, const TileReplay *replay, uint64_t *from, uint64_t *to)
{
    uint64_t all = replay->phase_cycles > 0 ? replay->phase_cycles : 1;
    *from = timeline->from < timeline->to ? timeline->from : 0;
    *to = timeline->from < timeline->to && timeline->to < all ? timeline->to : all;
    if (*from >= *to) {
        *from = 0;
    }
}

static const char *level_glyph(uint64_t busy, uint64_t cycles, bool utf8)
{
    static const char *const blocks[] = {"·", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const ascii[] = {".", "_", "_", "-", "-", "=", "=", "*", "#"};
    unsigned level = (unsigned)((busy * 8 + cycles - 1) / cycles);
    return utf8 ? blocks[level] : ascii[level];
}

static uint64_t column_cycle(uint64_t from, uint64_t to, int columns, int column)
{
    return from + (uint64_t)((double)(to - from) * column / columns + 0.5);
}

static void draw_lane(const Lane *lane, Grid *grid, Rect row, uint64_t from, uint64_t to, Style style,
                      TimelineMark mark)
{
    for (int column = 0; column < row.width; column++) {
        uint64_t start = column_cycle(from, to, row.width, column);
        uint64_t end = column_cycle(from, to, row.width, column + 1);
        end = end > start ? end : start + 1;
        uint64_t busy = lane_busy(lane, start, end);
        bool marked = mark.start < end && mark.end > start;
        grid_put(grid, row.row, row.column + column,
                 marked      ? LOOK_CURSOR
                 : busy == 0 ? LOOK_DIM
                             : style,
                 level_glyph(busy, end - start, grid->utf8));
    }
}

static void draw_axis(Grid *grid, Rect row, uint64_t from, uint64_t to)
{
    enum { TICK_COLUMNS = 12 };
    for (int column = 0; column + TICK_COLUMNS <= row.width; column += TICK_COLUMNS) {
        grid_print(grid, row.row, row.column + column, TICK_COLUMNS, LOOK_DIM, "│%s",
                   figure_count(column_cycle(from, to, row.width, column)).text);
    }
}

void timeline_draw(Timeline *timeline, const TileReplay *replay, Grid *grid, Rect area, TimelineMark mark)
{
    static const char *const names[2] = {"send", "recv"};
    uint64_t from, to;
    window(timeline, replay, &from, &to);
    Rect row = {area.row, area.column + LABEL_COLUMNS, 1, area.width - LABEL_COLUMNS};
    for (int kind = 0; kind < 2 && row.row < area.row + area.height; kind++) {
        Style style = kind == ACTIVITY_SEND ? LOOK_SEND : LOOK_RECEIVE;
        grid_text(grid, row.row, area.column, LABEL_COLUMNS, style, names[kind]);
        draw_lane(&replay->lanes[kind], grid, row, from, to, style,
                  (int)mark.kind == kind ? mark : (TimelineMark){0});
        row.row++;
    }
    if (row.row < area.row + area.height) {
        grid_text(grid, row.row, area.column, LABEL_COLUMNS, LOOK_DIM, "cyc");
        draw_axis(grid, row, from, to);
    }
}

static void set_window(Timeline *timeline, const TileReplay *replay, uint64_t from, uint64_t width)
{
    uint64_t all = replay->phase_cycles > 0 ? replay->phase_cycles : 1;
    width = width < WINDOW_CYCLES_MIN ? WINDOW_CYCLES_MIN : width;
    if (width >= all) {
        *timeline = (Timeline){0};
        return;
    }
    timeline->from = from + width > all ? all - width : from;
    timeline->to = timeline->from + width;
}

bool timeline_act(Timeline *timeline, const TileReplay *replay, Action action, uint64_t center)
{
    uint64_t from, to;
    window(timeline, replay, &from, &to);
    uint64_t width = to - from, step = width / 8 + 1;
    if (center < from || center >= to) {
        center = from + width / 2;
    }
    switch (action) {
    case ACTION_ZOOM_IN:
        /* the center stays where it is on the screen */
        set_window(timeline, replay, center - (center - from) / 2, width / 2);
        return true;
    case ACTION_ZOOM_OUT:
        set_window(timeline, replay, center - from > from ? 0 : from - (center - from), width * 2);
        return true;
    case ACTION_ZOOM_FIT:
        set_window(timeline, replay, 0, UINT64_MAX);
        return true;
    case ACTION_LEFT:
        set_window(timeline, replay, from > step ? from - step : 0, width);
        return true;
    case ACTION_RIGHT:
        set_window(timeline, replay, from + step, width);
        return true;
    case ACTION_FIRST:
        set_window(timeline, replay, 0, width);
        return true;
    case ACTION_LAST:
        set_window(timeline, replay, replay->phase_cycles, width);
        return true;
    default:
        return false;
    }
}

void timeline_show(Timeline *timeline, const TileReplay *replay, TimelineMark mark)
{
    uint64_t from, to;
    window(timeline, replay, &from, &to);
    if (mark.start < mark.end && (mark.start < from || mark.end > to)) {
        uint64_t width = to - from, middle = ((uint64_t)mark.start + mark.end) / 2;
        set_window(timeline, replay, middle > width / 2 ? middle - width / 2 : 0, width);
    }
}
