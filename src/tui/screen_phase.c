/* One phase: its modes side by side, and where on the fabric the load lies. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "explore/words.h"
#include "fabric/fabric.h"
#include "tui/app.h"
#include "tui/map.h"
#include "tui/map_values.h"
#include "tui/mode_table.h"

enum {
    TILE_COLUMNS_MAX = 30, /* of the figures beside the map */
    LEGEND_ROWS = 2,
    NOTES_ROWS_MIN = 4
};

typedef enum PhasePane { PANE_MODES, PANE_MAP } PhasePane;

typedef struct PhaseState {
    ModeTable modes;
    Map map;
    MapValues values;
    PhasePane pane;
    bool zoomed;
    bool over; /* notes instead of the map, where they have no pane of their own */
    Rect table, map_area, side, notes;
    bool has_notes; /* a pane of their own */
} PhaseState;

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

static void put_number(Grid *grid, Rect *area, const char *name, uint64_t value, bool distrusted)
{
    put_pair(grid, area, name, distrusted ? LOOK_WARNING : LOOK_NORMAL,
             figure_trusted(value, distrusted).text);
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
    bool distrusted = state->modes.rows[selection.mode].distrusted;
    const TileFigures *figures = mode_row_refused(&state->modes.rows[selection.mode])
                                     ? NULL
                                     : tui_tiles(tui, selection.entry, selection.mode, SOON);
    if (figures != NULL) {
        figures += selection.tile;
        put_number(grid, &area, "sends", figures->send_fragments, distrusted);
        put_number(grid, &area, "receives", figures->receive_fragments, distrusted);
        put_number(grid, &area, "sent B", figures->sent_bytes, distrusted);
        put_number(grid, &area, "recv B", figures->received_bytes, distrusted);
    }
    const Replay *replay = tui_replay(tui, selection.entry, selection.mode);
    if (replay != NULL) {
        put_number(grid, &area, "row B", tile_row_bytes(replay, selection.tile), distrusted);
        put_number(grid, &area, "ends at", replay->tile_horizon[selection.tile], distrusted);
    } else {
        put_pair(grid, &area, "row B", LOOK_DIM, "-");
        put_pair(grid, &area, "ends at", LOOK_DIM, "-");
    }
    if (tui->preferences.shade == SHADE_IDLE && state->values.known) {
        put_number(grid, &area, "idle", state->values.numbers[selection.tile], distrusted);
    }
}

/* From the least shade to the most, with the largest value. */
static void draw_legend(Tui *tui, const PhaseState *state, Rect area)
{
    Grid *grid = &tui->grid;
    uint64_t most = 0;
    uint16_t tiles = view_tile_count(tui->view);
    bool replay_missing = !state->values.known && shade_needs_replay(tui->preferences.shade);
    static const char *const short_names[SHADE_COUNT] = {"row bytes", "fragments", "sent bytes", "recv bytes",
                                                         "idle cycles"};
    const char *name = shade_names[tui->preferences.shade];
    grid_print(grid, area.row, area.column, area.width, LOOK_HEADING, "m: %s",
               grid_text_width(name) + 3 <= area.width ? name : short_names[tui->preferences.shade]);
    if (!state->values.known) {
        Selection selection = tui_selection(tui);
        int percent;
        bool refused = mode_row_refused(&state->modes.rows[selection.mode]);
        grid_text(grid, area.row + 1, area.column, area.width, LOOK_DIM,
                  refused                                                         ? "mode refused"
                  : !replay_missing                                               ? "…"
                  : tui_replaying(tui, selection.entry, selection.mode, &percent) ? "replaying…"
                                                                                  : "R replays first");
        return;
    }
    for (uint16_t i = 0; i < tiles; i++) {
        most = state->values.numbers[i] > most ? state->values.numbers[i] : most;
    }
    for (unsigned shade = 1; shade <= SHADE_MOST && (int)shade <= area.width; shade++) {
        const char *glyph = state->map.halves ? "█" : map_glyph(shade, grid->utf8);
        grid_put(grid, area.row + 1, area.column + (int)shade - 1,
                 tui->colors > 0 ? style_shades(shade, 0) : LOOK_NORMAL, glyph);
    }
    bool distrusted = state->modes.rows[tui_selection(tui).mode].distrusted;
    grid_print(grid, area.row + 1, area.column + SHADE_MOST + 1, area.width - SHADE_MOST - 1,
               distrusted ? LOOK_WARNING : LOOK_NORMAL, "%s%s", figure_short(most).text,
               distrusted ? "!" : "");
}

static void draw_notes(Tui *tui, PhaseState *state, Selection selection, Rect area)
{
    Text text = {0};
    mode_row_notes(&state->modes.rows[selection.mode], selection.mode,
                   tui_dependencies(tui, selection.entry, MODE_ORIGINAL, SOON), &text);
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
    int table = state->zoomed ? 0 : MODE_TABLE_ROWS;
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

/* Where the map would be, of a mode that this phase does not have. */
static void draw_refusal(Tui *tui, const PhaseState *state, Mode mode)
{
    static const char refused[] = "refused: ";
    const char *why = state->modes.rows[mode].refusal;
    bool by_rule = strncmp(why, refused, strlen(refused)) == 0;
    Rect area = state->map.cells;
    char line[2 * NOTE_BYTES];
    area.row++;
    area.height--;
    snprintf(line, sizeof line, by_rule ? "Mode %s is refused in this phase: %s." : "Mode %s: %s.",
             mode_name(mode), by_rule ? why + strlen(refused) : why);
    int rows = grid_wrapped(&tui->grid, area, LOOK_WARNING, line);
    area.row += rows + 1;
    area.height -= rows + 1;
    grid_wrapped(
        &tui->grid, area, LOOK_NORMAL,
        "There is nothing to show of it. 1 shows the phase as captured, [ and ] choose another mode.");
}

static void draw_map(Tui *tui, PhaseState *state, Selection selection)
{
    Grid *grid = &tui->grid;
    char title[100];
    if (state->map_area.row > state->table.row + state->table.height) {
        snprintf(title, sizeof title, "fabric: %s", shade_names[tui->preferences.shade]);
        grid_rule(grid, state->map_area.row - 1, 0, grid->columns, LOOK_BORDER, title);
    }
    if (mode_row_refused(&state->modes.rows[selection.mode])) {
        draw_refusal(tui, state, selection.mode);
    } else {
        map_draw(&state->map, grid, state->values.numbers, state->values.known, view_tile_count(tui->view),
                 selection.tile, tui->colors > 0);
    }
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
    mode_rows_read(tui, selection, state->modes.rows);
    map_values_read(tui, &state->values, selection, mode_row_refused(&state->modes.rows[selection.mode]));
    if (!state->zoomed) {
        mode_table_draw(&state->modes, &tui->grid, state->table, selection.mode, tui->preferences.deltas,
                        state->pane == PANE_MODES);
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

static void select_tile(Tui *tui, int32_t tile)
{
    if (tile >= 0) {
        view_select_tile(tui->view, tile);
    }
}

static bool step_order(Tui *tui, PhaseState *state, Action action)
{
    int32_t selected = tui_selection(tui).tile;
    if (!state->values.known) {
        tui_say(tui,
                shade_needs_replay(tui->preferences.shade) ? "%s are known after a replay: R"
                                                           : "%s are not known yet",
                shade_names[tui->preferences.shade]);
        return true;
    }
    int32_t tile = map_values_step(&state->values, view_tile_count(tui->view),
                                   action == ACTION_WORST ? -1 : selected, action != ACTION_PREVIOUS);
    if (tile < 0) {
        tui_say(tui, action == ACTION_NEXT ? "no tile has less" : "no tile has more");
        return true;
    }
    select_tile(tui, tile);
    tui_say(tui, "tile %d: %s %s", (int)tile,
            figure_trusted(state->values.numbers[tile], state->modes.rows[tui_selection(tui).mode].distrusted)
                .text,
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
    List *list = &state->modes.list;
    Mode before = tui_selection(tui).mode;
    list->rows = MODE_COUNT;
    list_go(list, (uint64_t)before);
    if (!list_act(list, action)) {
        return false;
    }
    if (list->cursor != (uint64_t)before) {
        char line[60];
        snprintf(line, sizeof line, "mode %s", mode_name((Mode)list->cursor));
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
        return list_act(&state->modes.list, action);
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
        state->over = false;
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
    if (tui_selection(tui).entry == NULL) {
        return false;
    }
    if (event->kind == EVENT_WHEEL_UP || event->kind == EVENT_WHEEL_DOWN) {
        return act_on_pane(tui, state, event->kind == EVENT_WHEEL_UP ? ACTION_UP : ACTION_DOWN);
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
    if (!state->zoomed && list_row_at(&state->modes.list, event->row, event->column, &row)) {
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
    uint64_t tile;
    (void)context;
    if (*text == '\0' || tui->view == NULL) {
        return;
    }
    if (word_number(text, 0, view_tile_count(tui->view) - 1u, "tile", &tile, NULL)) {
        select_tile(tui, (int32_t)tile);
    } else if (kept) {
        tui_say(tui, "tiles are numbers from 0 to %d", view_tile_count(tui->view) - 1);
    }
}

static void phase_found(Tui *tui, void *context, const char *text, char *words, size_t size)
{
    (void)context;
    (void)text;
    if (tui->view != NULL) {
        snprintf(words, size, "0 to %d", view_tile_count(tui->view) - 1);
    }
}

static void phase_close(Tui *tui, void *context)
{
    PhaseState *state = context;
    (void)tui;
    map_values_forget(&state->values);
}

const ScreenOps screen_phase = {
    .state_size = sizeof(PhaseState),
    .layout = phase_layout,
    .draw = phase_draw,
    .act = phase_act,
    .mouse = phase_mouse,
    .filter = phase_filter,
    .found = phase_found,
    .close = phase_close,
};
