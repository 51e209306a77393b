/* One phase: its modes side by side, and where on the fabric the load lies. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "fabric/fabric.h"
#include "tui/app.h"
#include "tui/list.h"
#include "tui/map.h"

enum {
    TABLE_ROWS = MODE_COUNT + 1,
    COLUMNS_MAX = 30,
    TILE_COLUMNS_MAX = 30, /* of the figures beside the map */
    LEGEND_ROWS = 2,
    NOTES_ROWS_MIN = 4,
    NOTE_BYTES = 600
};

typedef enum PhasePane { PANE_MODES, PANE_MAP } PhasePane;

/* ---- figures of modes ---- */

typedef enum FigureId {
    FIGURE_MAXIMUM,
    FIGURE_ROW,
    FIGURE_CYCLES,
    FIGURE_TRANSFERS,
    FIGURE_FRAGMENTS,
    FIGURE_STAGING,
    FIGURE_COPY_CYCLES,
    FIGURE_COPY_RUNS,
    FIGURE_LOOPS,
    FIGURE_COUNT
} FigureId;

typedef struct FigureKind {
    const char *title;
    bool compared; /* with original, and the least one is the best */
} FigureKind;

static const FigureKind figure_kinds[FIGURE_COUNT] = {
    [FIGURE_MAXIMUM] = {"max frag", true},      [FIGURE_ROW] = {"row B", true},
    [FIGURE_CYCLES] = {"cycles", true},         [FIGURE_TRANSFERS] = {"transfers", true},
    [FIGURE_FRAGMENTS] = {"fragments", true},   [FIGURE_STAGING] = {"staging B", false},
    [FIGURE_COPY_CYCLES] = {"copy cyc", false}, [FIGURE_COPY_RUNS] = {"copy runs", false},
    [FIGURE_LOOPS] = {"loops", false},
};

typedef enum FigureState {
    FIGURE_KNOWN,
    FIGURE_COMPUTING,
    FIGURE_NONE,
    FIGURE_FAILED,
    FIGURE_REFUSED
} FigureState;

/* What is known of one mode in this frame. */
typedef struct ModeRow {
    char refusal[NOTE_BYTES];        /* "" when it is available, as far as is known */
    char replay_refusal[NOTE_BYTES]; /* "" when it can be replayed, as far as is known */
    const ModeSummary *summary;
    const Equivalence *equivalence;
    const ReplaySummary *replay;
    bool replaying;
    bool proof_failed;
    int proof_percent, replay_percent; /* of what is running; -1: not known */
    FigureState state[FIGURE_COUNT];
    uint64_t value[FIGURE_COUNT];
} ModeRow;

typedef enum ModeColumnKind { MODE_NAME, MODE_VERDICT, MODE_VALUE, MODE_DELTA, MODE_PERCENT } ModeColumnKind;

typedef struct ModeColumn {
    ModeColumnKind kind;
    FigureId figure;
} ModeColumn;

typedef struct IdleTask IdleTask;

typedef struct PhaseState {
    List list;
    Map map;
    PhasePane pane;
    bool zoomed;
    bool over; /* notes instead of the map, where they have no pane of their own */
    Rect table, map_area, side, notes;
    bool has_notes; /* a pane of their own */

    ModeRow rows[MODE_COUNT];
    ModeColumn kinds[COLUMNS_MAX];
    ListColumn columns[COLUMNS_MAX];
    int column_count;
    IdleTask *idle;                /* NULL, or what the map was last asked for */
    uint64_t values[FABRIC_TILES]; /* what the map shows */
    bool values_known;
} PhaseState;

static void set_figure(ModeRow *row, FigureId figure, uint64_t value)
{
    row->state[figure] = FIGURE_KNOWN;
    row->value[figure] = value;
}

static void read_summary(ModeRow *row)
{
    const Geometry *geometry = &row->summary->geometry;
    const ModeFigures *figures = &row->summary->figures;
    set_figure(row, FIGURE_MAXIMUM, geometry->maximum_endpoint_fragments);
    set_figure(row, FIGURE_TRANSFERS, geometry->transfers);
    set_figure(row, FIGURE_FRAGMENTS, geometry->receive_fragments);
    set_figure(row, FIGURE_STAGING, figures->combined_staging_max_bytes);
    set_figure(row, FIGURE_COPY_CYCLES, figures->copy_cycles_floor);
    set_figure(row, FIGURE_COPY_RUNS, figures->local_copy_runs);
    set_figure(row, FIGURE_LOOPS, figures->affine_copy_loops);
}

static int percent_of(const ResultStatus *status)
{
    return status->total == 0 ? -1 : (int)(status->done * 100 / status->total);
}

static void read_replay(Tui *tui, const PhaseEntry *entry, Mode mode, ModeRow *row)
{
    Error error;
    ResultKey key = {.entry = entry, .kind = RESULT_REPLAY, .mode = mode};
    FigureState state = FIGURE_NONE;
    row->replay = tui_replay_figures(tui, entry, mode);
    row->replaying = row->replay == NULL && tui_replaying(tui, entry, mode, &row->replay_percent);
    if (row->replaying) {
        state = FIGURE_COMPUTING;
    } else if (row->replay == NULL && tui_failed(tui, &key, &error)) {
        snprintf(row->replay_refusal, sizeof row->replay_refusal, "%.590s", error.message);
        state = error.kind == ERROR_REFUSED ? FIGURE_REFUSED : FIGURE_FAILED;
    } else if (row->replay != NULL && !row->replay->invariants_pass) {
        state = FIGURE_FAILED;
    }
    row->state[FIGURE_ROW] = row->state[FIGURE_CYCLES] = state;
    if (row->replay != NULL && row->replay->invariants_pass) {
        set_figure(row, FIGURE_ROW, (uint64_t)row->replay->maximum_row_words * 4);
        set_figure(row, FIGURE_CYCLES, row->replay->horizon_cycles);
    }
}

/* Why the mode cannot be had: refused, or its computation failed. */
static void read_refusal(Tui *tui, const PhaseEntry *entry, Mode mode, const Dependencies *dependencies,
                         ModeRow *row)
{
    Error error = {0};
    const char *refusal = dependencies == NULL ? NULL : mode_refusal(mode, dependencies);
    ResultKey figures = {.entry = entry, .kind = RESULT_FIGURES, .mode = mode};
    ResultKey edges = {.entry = entry, .kind = RESULT_DEPENDENCIES, .mode = MODE_ORIGINAL};
    if (refusal != NULL) {
        snprintf(row->refusal, sizeof row->refusal, "refused: %s", refusal);
    } else if (tui_failed(tui, &figures, &error) ||
               (mode != MODE_ORIGINAL && dependencies == NULL && tui_failed(tui, &edges, &error))) {
        snprintf(row->refusal, sizeof row->refusal, "%s%.560s",
                 error.kind == ERROR_REFUSED ? "refused: " : "failed: ", error.message);
    }
}

static void read_mode(Tui *tui, const PhaseEntry *entry, Mode mode, const Dependencies *dependencies,
                      bool current, ModeRow *row)
{
    *row = (ModeRow){.proof_percent = -1};
    for (int i = 0; i < FIGURE_COUNT; i++) {
        row->state[i] = FIGURE_COMPUTING;
    }
    read_refusal(tui, entry, mode, dependencies, row);
    if (row->refusal[0] != '\0' || (mode != MODE_ORIGINAL && dependencies == NULL)) {
        return;
    }
    row->summary = tui_figures(tui, entry, mode, current ? SOON : USUAL);
    row->equivalence = tui_equivalence(tui, entry, mode, current ? USUAL : LATER);
    ResultStatus status;
    view_status(tui->view, &(ResultKey){.entry = entry, .kind = RESULT_EQUIVALENCE, .mode = mode}, &status);
    row->proof_failed = status.state == RESULT_FAILED;
    row->proof_percent = status.state == RESULT_RUNNING ? percent_of(&status) : -1;
    if (row->summary != NULL) {
        read_summary(row);
    }
    read_replay(tui, entry, mode, row);
}

static void read_modes(Tui *tui, PhaseState *state, Selection selection)
{
    const Dependencies *dependencies = tui_dependencies(tui, selection.entry, MODE_ORIGINAL, SOON);
    for (int mode = 0; mode < MODE_COUNT; mode++) {
        read_mode(tui, selection.entry, (Mode)mode, dependencies, (Mode)mode == selection.mode,
                  &state->rows[mode]);
    }
}

static bool is_invalid(const ModeRow *row)
{
    return row->equivalence != NULL && !row->equivalence->valid &&
           row->equivalence->verdict != VERDICT_UNKNOWN;
}

/* The least value of a column among the modes that may be believed; false when all are the same. */
static bool best_value(const PhaseState *state, FigureId figure, uint64_t *best)
{
    uint64_t most = 0;
    *best = UINT64_MAX;
    for (int mode = 0; mode < MODE_COUNT; mode++) {
        const ModeRow *row = &state->rows[mode];
        if (row->state[figure] == FIGURE_KNOWN && row->refusal[0] == '\0' && !is_invalid(row)) {
            *best = row->value[figure] < *best ? row->value[figure] : *best;
            most = row->value[figure] > most ? row->value[figure] : most;
        }
    }
    return figure_kinds[figure].compared && *best < most;
}

/* ---- the table ---- */

static void put_verdict(const ModeRow *row, ListCell *cell)
{
    const Equivalence *equivalence = row->equivalence;
    cell->style = LOOK_DIM;
    if (is_invalid(row)) {
        snprintf(cell->text, sizeof cell->text, "INVALID");
        cell->style = LOOK_INVALID;
    } else if (row->replay != NULL && !row->replay->invariants_pass) {
        snprintf(cell->text, sizeof cell->text, "FAIL");
        cell->style = LOOK_INVALID;
    } else if (equivalence != NULL && equivalence->verdict == VERDICT_EQUIVALENT) {
        snprintf(cell->text, sizeof cell->text, "valid");
        cell->style = LOOK_NORMAL;
    } else if (row->proof_failed || equivalence != NULL) {
        snprintf(cell->text, sizeof cell->text, "unknown");
    } else if (row->proof_percent >= 0) {
        snprintf(cell->text, sizeof cell->text, "proof %d%%", row->proof_percent);
    } else {
        snprintf(cell->text, sizeof cell->text, "…");
    }
}

static void put_figure(const PhaseState *state, const ModeRow *row, FigureId figure, ListCell *cell)
{
    uint64_t best;
    cell->style = LOOK_DIM;
    switch (row->state[figure]) {
    case FIGURE_COMPUTING:
        if (row->replaying && (figure == FIGURE_ROW || figure == FIGURE_CYCLES) && row->replay_percent >= 0) {
            snprintf(cell->text, sizeof cell->text, "%d%% ", row->replay_percent);
        } else {
            snprintf(cell->text, sizeof cell->text, "… ");
        }
        break;
    case FIGURE_NONE:
        snprintf(cell->text, sizeof cell->text, "- ");
        break;
    case FIGURE_REFUSED:
        snprintf(cell->text, sizeof cell->text, "none ");
        break;
    case FIGURE_FAILED:
        snprintf(cell->text, sizeof cell->text, "FAIL ");
        cell->style = LOOK_INVALID;
        break;
    case FIGURE_KNOWN: {
        bool is_best = best_value(state, figure, &best) && row->value[figure] == best && !is_invalid(row);
        snprintf(cell->text, sizeof cell->text, "%s%s", figure_count(row->value[figure]).text,
                 is_best ? "*" : " ");
        cell->style = is_best ? LOOK_BEST : is_invalid(row) ? LOOK_DIM : LOOK_NORMAL;
    }
    }
}

static void put_change(const PhaseState *state, const ModeRow *row, FigureId figure, bool percent,
                       ListCell *cell)
{
    const ModeRow *original = &state->rows[MODE_ORIGINAL];
    if (row == original || row->state[figure] != FIGURE_KNOWN || original->state[figure] != FIGURE_KNOWN) {
        return;
    }
    uint64_t before = original->value[figure], now = row->value[figure];
    Figure change = percent ? figure_percent(before, now) : figure_delta(before, now);
    snprintf(cell->text, sizeof cell->text, "%s", change.text);
    cell->style = is_invalid(row) || now == before ? LOOK_DIM : now < before ? LOOK_BETTER : LOOK_WORSE;
}

static void put_mode_cell(void *context, uint64_t index, int column, ListCell *cell)
{
    const PhaseState *state = context;
    const ModeRow *row = &state->rows[index];
    const ModeColumn *kind = &state->kinds[column];
    if (kind->kind == MODE_NAME) {
        snprintf(cell->text, sizeof cell->text, "%d %s", (int)index + 1, mode_name((Mode)index));
        cell->style = row->refusal[0] != '\0' ? LOOK_DIM : LOOK_NORMAL;
    } else if (row->refusal[0] != '\0') {
        snprintf(cell->text, sizeof cell->text, "%.300s", row->refusal);
        cell->style = LOOK_DIM;
        cell->spans = true;
    } else if (kind->kind == MODE_VERDICT) {
        put_verdict(row, cell);
    } else if (kind->kind == MODE_VALUE) {
        put_figure(state, row, kind->figure, cell);
    } else {
        put_change(state, row, kind->figure, kind->kind == MODE_PERCENT, cell);
    }
}

static void add_column(PhaseState *state, ModeColumnKind kind, FigureId figure, const char *title, int width)
{
    int at = state->column_count++;
    state->kinds[at] = (ModeColumn){.kind = kind, .figure = figure};
    state->columns[at] =
        (ListColumn){.title = title, .width = width, .right = kind != MODE_NAME && kind != MODE_VERDICT};
}

static void add_figure(PhaseState *state, FigureId figure, bool delta, bool percent)
{
    int width = grid_text_width(figure_kinds[figure].title) + 1, delta_width = 2;
    for (int mode = 0; mode < MODE_COUNT; mode++) {
        const ModeRow *row = &state->rows[mode];
        if (row->state[figure] == FIGURE_KNOWN) {
            int wanted = figure_width(row->value[figure]) + 1;
            int change = figure_width(state->rows[MODE_ORIGINAL].value[figure]) + 1;
            width = wanted > width ? wanted : width;
            delta_width = wanted > delta_width ? wanted : delta_width;
            delta_width = change > delta_width ? change : delta_width;
        }
    }
    add_column(state, MODE_VALUE, figure, figure_kinds[figure].title, width);
    if (delta && figure_kinds[figure].compared) {
        add_column(state, MODE_DELTA, figure, "Δ", delta_width);
    }
    if (percent && figure_kinds[figure].compared) {
        add_column(state, MODE_PERCENT, figure, "Δ%", 6);
    }
}

/* How much of the changes shows: `d` turns it round. */
static void choose_columns(Tui *tui, PhaseState *state)
{
    Deltas deltas = tui->preferences.deltas;
    state->column_count = 0;
    add_column(state, MODE_NAME, 0, "  mode", 18);
    add_column(state, MODE_VERDICT, 0, "verdict", 9);
    for (int figure = 0; figure < FIGURE_COUNT; figure++) {
        bool delta = deltas == DELTAS_ALL || (deltas == DELTAS_USUAL && figure == FIGURE_MAXIMUM);
        add_figure(state, (FigureId)figure, delta, deltas != DELTAS_NONE);
    }
}

static void draw_table(Tui *tui, PhaseState *state, Selection selection)
{
    choose_columns(tui, state);
    ListModel model = {
        .columns = state->columns,
        .column_count = state->column_count,
        .frozen = 2,
        .rows = MODE_COUNT,
        .cell = put_mode_cell,
        .context = state,
    };
    state->list.cursor = (uint64_t)selection.mode;
    list_draw(&state->list, &model, &tui->grid, state->table, state->pane == PANE_MODES);
}

/* ---- what the map shows ---- */

static const char *const shade_names[SHADE_COUNT] = {
    [SHADE_ROW] = "row bytes",           [SHADE_FRAGMENTS] = "fragments", [SHADE_SENT] = "sent bytes",
    [SHADE_RECEIVED] = "received bytes", [SHADE_IDLE] = "idle cycles",
};

static uint64_t tile_row_bytes(const Replay *replay, int32_t tile)
{
    return (replay->row_start[tile + 1] - replay->row_start[tile]) * 4;
}

/* Idle cycles of all tiles look at every activity of the phase: too much for a frame. */
struct IdleTask {
    Task task;
    const PhaseEntry *entry;
    Mode mode;
    uint64_t values[FABRIC_TILES];
};

static bool run_idle_task(Task *task, View *view, Progress *progress, Error *error)
{
    IdleTask *idle = (IdleTask *)task;
    const Replay *replay = view_need_replay(view, idle->entry, idle->mode, NULL, progress, error);
    for (uint16_t tile = 0; replay != NULL && tile < replay->tile_count; tile++) {
        idle->values[tile] = replay_idle_cycles(replay, tile);
    }
    return replay != NULL;
}

static void destroy_task(Task *task)
{
    mem_free(task);
}

static const IdleTask *idle_values(Tui *tui, PhaseState *state, Selection selection)
{
    const ReplaySummary *replay = tui_replay_figures(tui, selection.entry, selection.mode);
    if (replay == NULL || !replay->invariants_pass) {
        return NULL;
    }
    IdleTask *idle = state->idle;
    if (idle == NULL || idle->entry != selection.entry || idle->mode != selection.mode) {
        task_release((Task *)idle);
        state->idle = idle = mem_zero(1, sizeof *idle, NULL);
        if (idle == NULL) {
            return NULL;
        }
        task_start(&idle->task, run_idle_task, destroy_task);
        idle->entry = selection.entry;
        idle->mode = selection.mode;
    }
    tui_want_task(tui, &idle->task, selection.entry, USUAL);
    return task_ready(&idle->task) ? idle : NULL;
}

static bool shade_needs_replay(Shade shade)
{
    return shade == SHADE_ROW || shade == SHADE_IDLE;
}

static bool row_values(Tui *tui, Selection selection, uint16_t tiles, uint64_t *values)
{
    const Replay *replay = tui_replay(tui, selection.entry, selection.mode);
    for (uint16_t i = 0; replay != NULL && i < tiles; i++) {
        values[i] = tile_row_bytes(replay, i);
    }
    return replay != NULL;
}

static bool figure_values(Tui *tui, Selection selection, uint16_t tiles, uint64_t *values)
{
    Shade shade = tui->preferences.shade;
    const TileFigures *figures = tui_tiles(tui, selection.entry, selection.mode, SOON);
    for (uint16_t i = 0; figures != NULL && i < tiles; i++) {
        values[i] = shade == SHADE_FRAGMENTS
                        ? (uint64_t)figures[i].send_fragments + figures[i].receive_fragments
                    : shade == SHADE_SENT ? figures[i].sent_bytes
                                          : figures[i].received_bytes;
    }
    return figures != NULL;
}

static void read_values(Tui *tui, PhaseState *state, Selection selection)
{
    uint16_t tiles = view_tile_count(tui->view);
    if (state->rows[selection.mode].refusal[0] != '\0') {
        state->values_known = false;
    } else if (tui->preferences.shade == SHADE_ROW) {
        state->values_known = row_values(tui, selection, tiles, state->values);
    } else if (tui->preferences.shade == SHADE_IDLE) {
        const IdleTask *idle = idle_values(tui, state, selection);
        state->values_known = idle != NULL;
        if (idle != NULL) {
            memcpy(state->values, idle->values, sizeof state->values);
        }
    } else {
        state->values_known = figure_values(tui, selection, tiles, state->values);
    }
}

/* ---- beside the map ---- */

/* A name at the left, a value at the right end; nothing below the area. Where it is narrow the name gives
 * way. */
static void put_pair(Grid *grid, Rect *area, const char *name, Style style, const char *value)
{
    if (area->height > 0) {
        grid_text(grid, area->row, area->column, area->width - 1 - grid_text_width(value), LOOK_DIM, name);
        grid_text_right(grid, area->row, area->column, area->width, style, value);
        area->row++;
        area->height--;
    }
}

static void put_number(Grid *grid, Rect *area, const char *name, uint64_t value)
{
    put_pair(grid, area, name, LOOK_NORMAL, figure_count(value).text);
}

static void draw_tile(Tui *tui, PhaseState *state, Selection selection, Rect area)
{
    Grid *grid = &tui->grid;
    area.width = area.width < TILE_COLUMNS_MAX ? area.width : TILE_COLUMNS_MAX;
    if (selection.tile < 0) {
        grid_text(grid, area.row, area.column, area.width, LOOK_DIM, "no tile");
        return;
    }
    FabricTile place = fabric_tile((uint16_t)selection.tile);
    char text[40];
    snprintf(text, sizeof text, "%d", (int)selection.tile);
    put_pair(grid, &area, "tile", LOOK_STRONG, text);
    snprintf(text, sizeof text, "%u,%u", (unsigned)place.row, (unsigned)place.physical % MAP_COLUMNS);
    put_pair(grid, &area, "row,col", LOOK_NORMAL, text);
    const TileFigures *figures = state->rows[selection.mode].refusal[0] != '\0'
                                     ? NULL
                                     : tui_tiles(tui, selection.entry, selection.mode, SOON);
    if (figures != NULL) {
        figures += selection.tile;
        put_number(grid, &area, "sends", figures->send_fragments);
        put_number(grid, &area, "receives", figures->receive_fragments);
        put_number(grid, &area, "sent B", figures->sent_bytes);
        put_number(grid, &area, "recv B", figures->received_bytes);
    }
    const Replay *replay = tui_replay(tui, selection.entry, selection.mode);
    if (replay != NULL) {
        put_number(grid, &area, "row B", tile_row_bytes(replay, selection.tile));
        put_number(grid, &area, "horizon", replay->tile_horizon[selection.tile]);
    } else {
        put_pair(grid, &area, "row B", LOOK_DIM, "-");
        put_pair(grid, &area, "horizon", LOOK_DIM, "-");
    }
    if (tui->preferences.shade == SHADE_IDLE && state->values_known) {
        put_number(grid, &area, "idle", state->values[selection.tile]);
    }
}

/* From the least shade to the most, with the largest value. */
static void draw_legend(Tui *tui, const PhaseState *state, Rect area)
{
    Grid *grid = &tui->grid;
    uint64_t most = 0;
    uint16_t tiles = view_tile_count(tui->view);
    bool replay_missing = !state->values_known && shade_needs_replay(tui->preferences.shade);
    grid_print(grid, area.row, area.column, area.width, LOOK_HEADING, "m: %s",
               shade_names[tui->preferences.shade]);
    if (!state->values_known) {
        Selection selection = tui_selection(tui);
        int percent;
        bool refused = state->rows[selection.mode].refusal[0] != '\0';
        grid_text(grid, area.row + 1, area.column, area.width, LOOK_DIM,
                  refused                                                         ? "mode refused"
                  : !replay_missing                                               ? "…"
                  : tui_replaying(tui, selection.entry, selection.mode, &percent) ? "replaying…"
                                                                                  : "R replays first");
        return;
    }
    for (uint16_t i = 0; i < tiles; i++) {
        most = state->values[i] > most ? state->values[i] : most;
    }
    for (unsigned shade = 1; shade <= SHADE_MOST && (int)shade <= area.width; shade++) {
        const char *glyph = state->map.halves ? "█" : map_glyph(shade, grid->utf8);
        grid_put(grid, area.row + 1, area.column + (int)shade - 1,
                 tui->colors > 0 ? style_shades(shade, 0) : LOOK_NORMAL, glyph);
    }
    grid_text(grid, area.row + 1, area.column + SHADE_MOST + 1, area.width - SHADE_MOST - 1, LOOK_NORMAL,
              figure_short(most).text);
}

/* ---- what there is to say of the mode ---- */

static void note_verdict(const ModeRow *row, Mode mode, const Dependencies *dependencies, Text *text)
{
    const Equivalence *equivalence = row->equivalence;
    if (equivalence == NULL) {
        return;
    }
    if (equivalence->verdict == VERDICT_DIFFERENT) {
        text_printf(
            text, "INVALID: not equivalent; memory differs first in Repeat iteration %u on tile %u at %s.\n",
            (unsigned)equivalence->iteration, (unsigned)equivalence->tile,
            figure_address(equivalence->address).text);
    }
    if (mode == MODE_REORDERED && dependencies != NULL && dependencies->edges > 0) {
        text_printf(text, "INVALID by construction: it ignores %s dependencies. A control, never a result.\n",
                    figure_count(dependencies->edges).text);
    } else if (equivalence->valid && mode != MODE_ORIGINAL) {
        text_printf(text, "Proved equivalent to the captured phase (%u Repeat iteration%s).\n",
                    (unsigned)equivalence->iterations_proved, equivalence->iterations_proved == 1 ? "" : "s");
    }
}

static void note_figures(const ModeRow *row, Mode mode, Text *text)
{
    if (row->summary == NULL) {
        return;
    }
    const ModeFigures *figures = &row->summary->figures;
    if (!figures->replay_address_ranges_valid) {
        text_append(text,
                    "Its staging does not fit the address ranges: it is neither replayed nor exported.\n");
    }
    if (figures->staging_alias) {
        text_append(text,
                    "Staging lies over captured addresses: the replay may show hazards that a real placement "
                    "would not have.\n");
    }
    if (mode_stages_source(mode) || mode_stages_receiver(mode)) {
        text_printf(text,
                    "Staging needs up to %s B of fresh scratch on a tile and %s copy cycles at least.\n",
                    figure_count(figures->combined_staging_max_bytes).text,
                    figure_count(figures->copy_cycles_floor).text);
    }
    if (mode_stages_source(mode)) {
        text_append(text,
                    "Packing in place at the source is never claimed: a later consumer may read the original "
                    "layout.\n");
    }
}

static void note_replay(const ModeRow *row, Text *text)
{
    const ReplaySummary *replay = row->replay;
    if (row->summary != NULL && !row->summary->figures.replay_address_ranges_valid) {
        return; /* said already */
    }
    if (row->replay_refusal[0] != '\0') {
        text_printf(text, "No replay: %s.\n", row->replay_refusal);
    } else if (replay != NULL && !replay->invariants_pass) {
        text_printf(text, "Replay FAILED its checks: %s.\n", replay->first_fault);
    } else if (replay != NULL) {
        text_printf(text, "Replay: %s cycles, %s above the endpoint bound; pass %u, %s active tiles%s.\n",
                    figure_count(replay->horizon_cycles).text,
                    figure_count(replay->horizon_cycles - replay->endpoint_lower_bound_cycles).text,
                    replay->pass, figure_count(replay->active_tiles).text,
                    replay->paired64_transfers > 0 ? "; Paired64 replayed as 32-bit" : "");
    }
}

static void mode_notes(Tui *tui, const PhaseState *state, Selection selection, Text *text)
{
    const ModeRow *row = &state->rows[selection.mode];
    const Dependencies *dependencies = tui_dependencies(tui, selection.entry, MODE_ORIGINAL, SOON);
    text_printf(text, "%s: %s.\n", mode_name(selection.mode), mode_summary(selection.mode));
    if (row->refusal[0] != '\0') {
        text_printf(text, "%s.\n", row->refusal);
        return;
    }
    note_verdict(row, selection.mode, dependencies, text);
    note_figures(row, selection.mode, text);
    note_replay(row, text);
    if (dependencies != NULL && dependencies->edges > 0) {
        text_printf(text,
                    "Dependencies: %s pairs, depth %u; the first %s transfers are independent, %s follow.\n",
                    figure_count(dependencies->edges).text, (unsigned)dependencies->maximum_depth,
                    figure_count(dependencies->prefix_transfers).text,
                    figure_count(dependencies->tail_transfers).text);
    }
}

static void draw_notes(Tui *tui, PhaseState *state, Selection selection, Rect area)
{
    Text text = {0};
    mode_notes(tui, state, selection, &text);
    for (const char *line = text_view(&text); *line != '\0' && area.height > 0;) {
        size_t length = strcspn(line, "\n");
        char copy[2 * NOTE_BYTES];
        snprintf(copy, sizeof copy, "%.*s", (int)length, line);
        bool alarming = strncmp(copy, "INVALID", 7) == 0 || strncmp(copy, "Replay FAILED", 13) == 0;
        int rows = grid_wrapped(&tui->grid, area, alarming ? LOOK_WARNING : LOOK_NORMAL, copy);
        area.row += rows;
        area.height -= rows;
        line += length + (line[length] == '\n');
    }
    text_free(&text);
}

/* ---- drawing ---- */

static void phase_layout(Tui *tui, void *context, Rect area)
{
    PhaseState *state = context;
    int table = state->zoomed ? 0 : TABLE_ROWS;
    Rect rest = {area.row + table, area.column, area.height - table, area.width};
    state->table = (Rect){area.row, area.column, table, area.width};
    int heading = rest.height > MAP_ROWS ? 1 : 0; /* where it does not cost the map a row */
    bool half_blocks = tui->grid.utf8 && tui->colors > 0;
    int width = area.width >= 2 * MAP_COLUMNS + 32 ? 2 * MAP_COLUMNS : MAP_COLUMNS;
    state->map_area = (Rect){rest.row + heading, rest.column, rest.height - heading, width};
    map_layout(&state->map, state->map_area, state->zoomed, half_blocks, tui_selection(tui).tile);
    int side = state->map_area.column + width + 1;
    state->side = (Rect){state->map_area.row, side, state->map.cells.height, area.width - side};
    int below = state->map.cells.row + state->map.cells.height;
    state->notes = (Rect){below + 1, area.column, area.row + area.height - below - 1, area.width};
    if (state->notes.height < NOTES_ROWS_MIN && state->side.width >= 2 * TILE_COLUMNS_MAX) {
        state->notes = state->side;
        state->notes.column += TILE_COLUMNS_MAX + 2;
        state->notes.width -= TILE_COLUMNS_MAX + 2;
    }
    state->has_notes = state->notes.height >= NOTES_ROWS_MIN;
}

static void draw_map(Tui *tui, PhaseState *state, Selection selection)
{
    Grid *grid = &tui->grid;
    char title[100];
    if (state->map_area.row > state->table.row + state->table.height) {
        snprintf(title, sizeof title, "fabric: %s", shade_names[tui->preferences.shade]);
        grid_rule(grid, state->map_area.row - 1, 0, grid->columns, LOOK_BORDER, title);
    }
    map_draw(&state->map, grid, state->values, state->values_known, view_tile_count(tui->view),
             selection.tile, tui->colors > 0);
    Rect side = state->side,
         legend = {side.row + side.height - LEGEND_ROWS, side.column, LEGEND_ROWS, side.width};
    side.height -= LEGEND_ROWS;
    draw_tile(tui, state, selection, side);
    draw_legend(tui, state, legend);
    if (state->pane == PANE_MAP && !state->zoomed && tui->overlay == OVERLAY_NONE) {
        grid_put(grid, side.row, side.column - 1, LOOK_CURSOR, "◀");
    }
}

static void phase_draw(Tui *tui, void *context)
{
    PhaseState *state = context;
    Selection selection = tui_selection(tui);
    if (selection.entry == NULL) {
        grid_text(&tui->grid, state->map_area.row, 2, tui->grid.columns, LOOK_DIM,
                  tui->view == NULL ? "No capture is open: `:load FILE` opens one."
                                    : "No phase has been read yet.");
        return;
    }
    read_modes(tui, state, selection);
    read_values(tui, state, selection);
    if (!state->zoomed) {
        draw_table(tui, state, selection);
    }
    if (state->over && !state->has_notes) {
        draw_notes(tui, state, selection,
                   (Rect){state->map_area.row, 0, state->map_area.height, tui->grid.columns});
        return;
    }
    draw_map(tui, state, selection);
    if (state->has_notes) {
        if (state->notes.column == 0) {
            grid_rule(&tui->grid, state->notes.row - 1, 0, tui->grid.columns, LOOK_BORDER, "this mode");
        }
        draw_notes(tui, state, selection, state->notes);
    }
}

/* ---- keys ---- */

/* The tile that comes `after` the selected one in descending order of what the map shows (ties: ascending
 * tile), or before it; the very first one for `worst`. */
static int32_t ordered_tile(const PhaseState *state, uint16_t tiles, int32_t from, bool after)
{
    int32_t best = -1;
    for (int32_t tile = 0; tile < tiles; tile++) {
        uint64_t value = state->values[tile];
        if (from >= 0) {
            uint64_t mine = state->values[from];
            bool later = value < mine || (value == mine && tile > from);
            if (tile == from || later != after) {
                continue;
            }
        }
        bool closer = best < 0 || (after ? value > state->values[best] : value <= state->values[best]);
        best = closer ? tile : best;
    }
    return best;
}

static void select_tile(Tui *tui, int32_t tile)
{
    if (tile >= 0) {
        view_select_tile(tui->view, tile);
    }
}

static bool step_order(Tui *tui, PhaseState *state, Action action)
{
    int32_t selected = tui_selection(tui).tile;
    if (!state->values_known) {
        tui_say(tui,
                shade_needs_replay(tui->preferences.shade) ? "%s are known after a replay: R"
                                                           : "%s are not known yet",
                shade_names[tui->preferences.shade]);
        return true;
    }
    int32_t tile = ordered_tile(state, view_tile_count(tui->view), action == ACTION_WORST ? -1 : selected,
                                action != ACTION_PREVIOUS);
    if (tile < 0) {
        tui_say(tui, action == ACTION_NEXT ? "no tile has less" : "no tile has more");
        return true;
    }
    select_tile(tui, tile);
    tui_say(tui, "tile %d: %s %s", (int)tile, figure_count(state->values[tile]).text,
            shade_names[tui->preferences.shade]);
    return true;
}

static bool move_on_map(Tui *tui, Action action)
{
    Selection selection = tui_selection(tui);
    uint16_t tiles = view_tile_count(tui->view);
    if (selection.tile < 0 || action == ACTION_FIRST || action == ACTION_LAST) {
        select_tile(tui, action == ACTION_LAST ? tiles - 1 : 0);
        return true;
    }
    int rows = action == ACTION_UP || action == ACTION_PAGE_UP
                   ? -1
                   : action == ACTION_DOWN || action == ACTION_PAGE_DOWN;
    int columns = action == ACTION_LEFT ? -1 : action == ACTION_RIGHT;
    int steps = action == ACTION_PAGE_UP || action == ACTION_PAGE_DOWN ? 6 : 1;
    int32_t tile = selection.tile;
    for (int i = 0; i < steps; i++) {
        tile = map_neighbour(tile, rows, columns, tiles);
    }
    select_tile(tui, tile);
    return true;
}

static bool move_in_table(Tui *tui, PhaseState *state, Action action)
{
    uint64_t before = state->list.cursor;
    if (!list_act(&state->list, action)) {
        return false;
    }
    if (state->list.cursor != before) {
        char line[60];
        snprintf(line, sizeof line, "mode %s", mode_name((Mode)state->list.cursor));
        tui_run_line(tui, line, true);
    }
    return true;
}

static bool act_on_pane(Tui *tui, PhaseState *state, Action action)
{
    switch (action) {
    case ACTION_UP:
    case ACTION_DOWN:
    case ACTION_LEFT:
    case ACTION_RIGHT:
    case ACTION_PAGE_UP:
    case ACTION_PAGE_DOWN:
    case ACTION_FIRST:
    case ACTION_LAST:
        return state->pane == PANE_MAP || state->zoomed ? move_on_map(tui, action)
                                                        : move_in_table(tui, state, action);
    default:
        return list_act(&state->list, action);
    }
}

static bool step_phase(Tui *tui, int step)
{
    if (!phase_list_step(tui, step)) {
        tui_say(tui, step < 0 ? "this is the first phase of the list" : "this is the last phase of the list");
    }
    return true;
}

static bool phase_act(Tui *tui, void *context, Action action)
{
    static const char *const delta_names[DELTAS_COUNT] = {"the usual changes", "all changes", "no changes"};
    PhaseState *state = context;
    Preferences *preferences = &tui->preferences;
    if (tui_selection(tui).entry == NULL) {
        return false;
    }
    switch (action) {
    case ACTION_PANE_NEXT:
    case ACTION_PANE_PREVIOUS:
        state->pane = state->pane == PANE_MODES ? PANE_MAP : PANE_MODES;
        tui_say(tui, state->pane == PANE_MODES ? "arrows choose the mode" : "arrows choose the tile");
        return true;
    case ACTION_SHADE:
        preferences->shade = (Shade)((preferences->shade + 1) % SHADE_COUNT);
        tui_say(tui, "the map shows %s", shade_names[preferences->shade]);
        return true;
    case ACTION_ZOOM:
        state->zoomed = !state->zoomed;
        tui_say(tui, state->zoomed ? "the map alone, arrows choose the tile; z goes back" : "modes and map");
        return true;
    case ACTION_NOTES:
        state->over = !state->over;
        if (state->has_notes) {
            tui_say(tui, "the notes of this mode are on the screen already");
        }
        return true;
    case ACTION_DELTAS:
        preferences->deltas = (Deltas)((preferences->deltas + 1) % DELTAS_COUNT);
        tui_say(tui, "%s against original; < and > move the columns", delta_names[preferences->deltas]);
        return true;
    case ACTION_WORST:
    case ACTION_NEXT:
    case ACTION_PREVIOUS:
        return step_order(tui, state, action);
    case ACTION_SUCCESSOR:
    case ACTION_PREDECESSOR:
        return step_phase(tui, action == ACTION_SUCCESSOR ? 1 : -1);
    default:
        return act_on_pane(tui, state, action);
    }
}

static bool phase_mouse(Tui *tui, void *context, const Event *event)
{
    PhaseState *state = context;
    uint64_t row;
    if (event->kind == EVENT_WHEEL_UP || event->kind == EVENT_WHEEL_DOWN) {
        return act_on_pane(tui, state, event->kind == EVENT_WHEEL_UP ? ACTION_UP : ACTION_DOWN);
    }
    if (tui->view == NULL) {
        return false;
    }
    int32_t tile = map_tile_at(&state->map, event->row, event->column, view_tile_count(tui->view));
    if (tile >= 0) {
        state->pane = PANE_MAP;
        select_tile(tui, tile);
        if (event->kind == EVENT_DOUBLE_CLICK) {
            tui_show(tui, CONTEXT_TILE);
        }
        return true;
    }
    if (!state->zoomed && list_row_at(&state->list, event->row, event->column, &row)) {
        char line[60];
        state->pane = PANE_MODES;
        snprintf(line, sizeof line, "mode %s", mode_name((Mode)row));
        tui_run_line(tui, line, true);
        return true;
    }
    return false;
}

/* `/` takes a tile's number. */
static void phase_filter(Tui *tui, void *context, const char *text, bool kept)
{
    unsigned tile;
    char rest;
    (void)context;
    if (*text == '\0' || tui->view == NULL) {
        return;
    }
    if (sscanf(text, "%4u%c", &tile, &rest) == 1 && tile < view_tile_count(tui->view)) {
        select_tile(tui, (int32_t)tile);
    } else if (kept) {
        tui_say(tui, "tiles are numbers from 0 to %d", view_tile_count(tui->view) - 1);
    }
}

static void phase_close(Tui *tui, void *context)
{
    PhaseState *state = context;
    (void)tui;
    task_release((Task *)state->idle);
}

const ScreenOps screen_phase = {
    .state_size = sizeof(PhaseState),
    .layout = phase_layout,
    .draw = phase_draw,
    .act = phase_act,
    .mouse = phase_mouse,
    .filter = phase_filter,
    .close = phase_close,
};
