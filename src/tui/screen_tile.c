/* One tile: its transfers, what it holds afterwards, its row, and when it is busy. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "fabric/fabric.h"
#include "tui/app.h"
#include "tui/coverage_pane.h"
#include "tui/row_table.h"
#include "tui/transfer_table.h"

enum {
    SUMMARY_ROWS = 2,
    TIMELINE_ROWS = 4, /* with its heading */
    WIDE_COLUMNS = 120,
    WIDE_ROWS = 34,
    LEFT_COLUMNS_MIN = 63, /* all columns of a list of transfers */
};

typedef struct TileState {
    List lists[TILE_TIMELINE]; /* of the panes before it */
    Timeline timeline;
    TransferList *wanted; /* that the choices ask for */
    TransferList *shown;  /* the last one that was ready */
    TileReplay *replay;
    bool whole_phase;
    bool whole_scope; /* coverage of the whole phase, also where it has a tail */
    char filter[TRANSFER_FILTER_BYTES];
    bool wants_transfer; /* the wanted one is to be selected once the list is there */
    uint32_t wanted_transfer;

    /* what the cursor belongs to: another tile begins at the top */
    const PhaseEntry *entry;
    int32_t tile;

    Rect summary, panes[TILE_PANES];
    bool wide;

    CoveragePane coverage;
} TileState;

static const char *const pane_titles[TILE_PANES] = {"transfers", "coverage", "row", "timeline"};

/* ---- what is shown ---- */

static void forget(TileState *state)
{
    task_release((Task *)state->wanted);
    task_release((Task *)state->shown);
    task_release((Task *)state->replay);
    state->wanted = state->shown = NULL;
    state->replay = NULL;
}

static bool is_replayed(Tui *tui, Selection selection)
{
    const ReplaySummary *replay = tui_replay_figures(tui, selection.entry, selection.mode);
    return replay != NULL && replay->invariants_pass;
}

static TransferQuery current_query(Tui *tui, const TileState *state, Selection selection)
{
    TransferQuery query = {
        .entry = selection.entry,
        .mode = selection.mode,
        .tile = state->whole_phase ? -1 : selection.tile,
        .sort = tui->preferences.transfer_sort,
        .reverse = tui->preferences.transfer_reverse,
        .times = is_replayed(tui, selection),
        .options = tui_replay_options(tui),
    };
    memcpy(query.filter, state->filter, sizeof query.filter);
    return query;
}

/* The last list that was ready, if it is about the transfers that are selected now; else NULL. */
static const TransferList *shown_transfers(Tui *tui, const TileState *state)
{
    Selection selection = tui_selection(tui);
    TransferQuery query = current_query(tui, state, selection);
    const TransferList *shown = state->shown;
    bool same = shown != NULL && shown->query.entry == query.entry && shown->query.mode == query.mode &&
                shown->query.tile == query.tile;
    return same ? shown : NULL;
}

/* Asks for the list that the choices want. Until that is ready the one before stays, where it is about the
 * same transfers; NULL: there is nothing to show yet. */
static const TransferList *current_transfers(Tui *tui, TileState *state, Selection selection)
{
    TransferQuery query = current_query(tui, state, selection);
    if (state->wanted == NULL || !transfer_query_equal(&state->wanted->query, &query)) {
        task_release((Task *)state->wanted);
        state->wanted = transfers_new(&query, NULL);
    }
    if (state->wanted != NULL) {
        tui_want_task(tui, &state->wanted->task, selection.entry, SOON);
    }
    if (task_ready((Task *)state->wanted) && state->shown != state->wanted) {
        task_release((Task *)state->shown);
        task_hold(&state->wanted->task);
        state->shown = state->wanted;
    }
    return shown_transfers(tui, state);
}

static const TileReplay *current_replay(Tui *tui, TileState *state, Selection selection)
{
    if (!is_replayed(tui, selection) || selection.tile < 0) {
        return NULL;
    }
    TileReplay *replay = state->replay;
    ReplayOptions options = tui_replay_options(tui);
    if (replay == NULL || replay->entry != selection.entry || replay->mode != selection.mode ||
        replay->tile != selection.tile || !replay_options_equal(replay->options, options)) {
        task_release((Task *)replay);
        state->replay = replay =
            tile_replay_new(selection.entry, selection.mode, selection.tile, options, NULL);
        if (replay == NULL) {
            return NULL;
        }
    }
    tui_want_task(tui, &replay->task, selection.entry, USUAL);
    return task_ready(&replay->task) ? replay : NULL;
}

/* Another tile or phase begins at the top; another mode leaves the cursor where it was. */
static void follow_selection(TileState *state, Selection selection)
{
    if (state->entry != selection.entry || state->tile != selection.tile) {
        for (int i = 0; i < TILE_TIMELINE; i++) {
            if (i != TILE_TRANSFERS || !state->whole_phase || state->entry != selection.entry) {
                state->lists[i].cursor = state->lists[i].top = 0;
            }
        }
        if (state->entry != selection.entry) {
            state->timeline = (Timeline){0};
        }
        state->entry = selection.entry;
        state->tile = selection.tile;
    }
}

/* Why there is nothing to see of a replay. */
static const char *replay_missing(Tui *tui, Selection selection, char *text, size_t size)
{
    int percent;
    if (is_replayed(tui, selection)) {
        snprintf(text, size, "reading…");
    } else if (!tui_replaying(tui, selection.entry, selection.mode, &percent)) {
        snprintf(text, size, "not replayed in this mode: R replays");
    } else if (percent < 0) {
        snprintf(text, size, "replaying…");
    } else {
        snprintf(text, size, "replaying… %d%%", percent);
    }
    return text;
}

/* ---- summary ---- */

static void draw_summary(Tui *tui, TileState *state, Selection selection, const TileReplay *replay)
{
    Grid *grid = &tui->grid;
    Rect area = state->summary;
    FabricTile place = fabric_tile((uint16_t)selection.tile);
    const TileFigures *figures = tui_tiles(tui, selection.entry, selection.mode, SOON);
    bool distrusted = tui_distrusted(tui, selection.entry, selection.mode, LATER);
    Text line = {0};
    text_printf(&line, "tile %d (row %u, column %u)", (int)selection.tile, (unsigned)place.row,
                (unsigned)place.physical % (FABRIC_COLUMNS * 4));
    if (figures != NULL) {
        const TileFigures *mine = &figures[selection.tile];
        text_printf(&line, "  sends %s, %s B", figure_trusted(mine->send_fragments, distrusted).text,
                    figure_trusted(mine->sent_bytes, distrusted).text);
        text_printf(&line, "  receives %s, %s B", figure_trusted(mine->receive_fragments, distrusted).text,
                    figure_trusted(mine->received_bytes, distrusted).text);
    }
    grid_text(grid, area.row, area.column, area.width, LOOK_STRONG, text_view(&line));
    text_clear(&line);
    if (replay != NULL) {
        text_printf(&line, "row %s B (%s words), tile ends at cycle %s of %s",
                    figure_trusted((uint64_t)replay->row_words * 4, distrusted).text,
                    figure_trusted(replay->row_words, distrusted).text,
                    figure_trusted(replay->horizon_cycles, distrusted).text,
                    figure_trusted(replay->phase_cycles, distrusted).text);
        if (replay->incoming_base >= 0) {
            text_printf(&line, ", base %s", figure_address((uint32_t)replay->incoming_base).text);
        }
    } else {
        char missing[60];
        text_printf(&line, "row: %s", replay_missing(tui, selection, missing, sizeof missing));
    }
    grid_text(grid, area.row + 1, area.column, area.width - (distrusted ? 9 : 0), LOOK_NORMAL,
              text_view(&line));
    if (distrusted) {
        grid_text(grid, area.row + 1, area.column + area.width - 8, 8, LOOK_INVALID, "INVALID");
    }
    text_free(&line);
}

/* ---- transfers ---- */

static const char *transfers_title(const TileState *state, char *title, size_t size)
{
    const char *of = state->whole_phase ? "transfers of the phase" : "transfers of the tile";
    size_t length = (size_t)snprintf(title, size, "%s", of);
    if (state->shown != NULL && state->shown == state->wanted) {
        length +=
            (size_t)snprintf(title + length, size - length, ": %s", figure_count(state->shown->count).text);
    }
    if (state->filter[0] != '\0' && length < size) {
        snprintf(title + length, size - length, ", filter: %s", state->filter);
    }
    return title;
}

static void select_wanted_transfer(TileState *state)
{
    uint64_t place;
    List *list = &state->lists[TILE_TRANSFERS];
    if (state->wants_transfer && state->shown == state->wanted) {
        if (transfers_find(state->shown, state->wanted_transfer, &place)) {
            list->rows = state->shown->count;
            list_go(list, place);
        }
        state->wants_transfer = false;
    }
}

static void draw_transfers(Tui *tui, TileState *state, Selection selection, Rect area, bool focused)
{
    const Counterfactual *counterfactual = tui_counterfactual(tui, selection.entry, selection.mode, SOON);
    const TransferList *list = current_transfers(tui, state, selection);
    if (list == NULL || counterfactual == NULL) {
        bool failed = state->wanted == NULL || atomic_load(&state->wanted->task.state) == TASK_FAILED;
        const char *why = state->wanted == NULL ? "out of memory" : state->wanted->task.error.message;
        grid_text(&tui->grid, area.row, area.column, area.width, failed ? LOOK_WARNING : LOOK_DIM,
                  failed ? why : "listing…");
        return;
    }
    select_wanted_transfer(state);
    transfer_table_draw(&state->lists[TILE_TRANSFERS], &tui->grid, area, counterfactual->phase, list,
                        focused);
}

/* The transfer under the cursor, of the selected phase and mode: keys may come before the frame that shows
 * another choice. False when it is not known. */
static bool selected_transfer(Tui *tui, const TileState *state, TransferRow *row)
{
    const TransferList *shown = shown_transfers(tui, state);
    uint64_t cursor = state->lists[TILE_TRANSFERS].cursor;
    if (shown == NULL || cursor >= shown->count) {
        return false;
    }
    *row = transfers_row(shown, (size_t)cursor);
    return true;
}

static TimelineMark selected_interval(Tui *tui, const TileState *state)
{
    TransferRow row;
    if (!selected_transfer(tui, state, &row) || !state->shown->query.times || state->shown->query.tile < 0) {
        return (TimelineMark){0};
    }
    return (TimelineMark){row.receiver == TRANSFER_SENT ? ACTIVITY_SEND : ACTIVITY_RECEIVE, row.start,
                          row.end};
}

/* ---- row ---- */

static void draw_row(Tui *tui, TileState *state, Selection selection, const TileReplay *replay, Rect area,
                     bool focused)
{
    char missing[60];
    if (replay == NULL) {
        grid_text(&tui->grid, area.row, area.column, area.width, LOOK_DIM,
                  replay_missing(tui, selection, missing, sizeof missing));
    } else {
        row_table_draw(&state->lists[TILE_ROW], &tui->grid, area, replay, focused);
    }
}

/* ---- panes ---- */

static void tile_layout(Tui *tui, void *context, Rect area)
{
    TileState *state = context;
    (void)tui;
    Rect body = {area.row + SUMMARY_ROWS, area.column, area.height - SUMMARY_ROWS - TIMELINE_ROWS,
                 area.width};
    state->summary = (Rect){area.row, area.column, SUMMARY_ROWS, area.width};
    state->panes[TILE_TIMELINE] = (Rect){body.row + body.height, area.column, TIMELINE_ROWS, area.width};
    state->wide = area.width >= WIDE_COLUMNS && area.height >= WIDE_ROWS;
    if (!state->wide) {
        for (int i = 0; i < TILE_TIMELINE; i++) {
            state->panes[i] = body;
        }
        return;
    }
    int left = area.width * 9 / 20, top = body.height / 2;
    left = left > LEFT_COLUMNS_MIN ? left : LEFT_COLUMNS_MIN;
    int right = area.width - left - 1;
    state->panes[TILE_TRANSFERS] = (Rect){body.row, body.column, body.height, left};
    state->panes[TILE_COVERAGE] = (Rect){body.row, body.column + left + 1, top, right};
    state->panes[TILE_ROW] = (Rect){body.row + top, body.column + left + 1, body.height - top, right};
}

/* In a narrow window the timeline shows below whichever list was there before. */
static TilePane shown_pane(const Tui *tui)
{
    TilePane pane = tui->preferences.tile_pane;
    return pane == TILE_TIMELINE ? TILE_TRANSFERS : pane;
}

static void draw_pane_title(Grid *grid, Rect pane, bool focused, const char *title)
{
    grid_rule(grid, pane.row, pane.column, pane.width, LOOK_BORDER, title);
    if (focused) {
        grid_put(grid, pane.row, pane.column, LOOK_CURSOR, "▸");
    }
}

/* The names of all panes, the one that shows first among them. */
static void draw_tabs(Tui *tui, const TileState *state, Rect line)
{
    Grid *grid = &tui->grid;
    char title[200];
    int column = line.column + 1;
    grid_rule(grid, line.row, line.column, line.width, LOOK_BORDER, NULL);
    for (int i = 0; i < TILE_TIMELINE; i++) {
        bool shown = i == (int)shown_pane(tui);
        const char *name =
            i == TILE_TRANSFERS && shown ? transfers_title(state, title, sizeof title) : pane_titles[i];
        grid_put(grid, line.row, column++, LOOK_BORDER, " ");
        Style style = !shown                                      ? LOOK_DIM
                      : tui->preferences.tile_pane == (TilePane)i ? LOOK_CURSOR
                                                                  : LOOK_MARKED;
        column += grid_text(grid, line.row, column, line.width / 2, style, name);
        grid_put(grid, line.row, column++, LOOK_BORDER, " ");
    }
}

static void draw_list_pane(Tui *tui, TileState *state, Selection selection, const TileReplay *replay,
                           TilePane pane)
{
    Rect whole = state->panes[pane], area = {whole.row + 1, whole.column, whole.height - 1, whole.width};
    bool focused = tui->preferences.tile_pane == pane;
    char title[200];
    if (pane == TILE_TRANSFERS) {
        draw_transfers(tui, state, selection, area, focused);
    } else if (pane == TILE_COVERAGE) {
        coverage_pane_draw(tui, &state->coverage, &state->lists[TILE_COVERAGE], selection, state->whole_scope,
                           area, focused);
    } else {
        draw_row(tui, state, selection, replay, area, focused);
    }
    if (state->wide) {
        draw_pane_title(&tui->grid, whole, focused,
                        pane == TILE_TRANSFERS ? transfers_title(state, title, sizeof title)
                                               : pane_titles[pane]);
    }
}

static void draw_timeline(Tui *tui, TileState *state, Selection selection, const TileReplay *replay)
{
    Rect area = state->panes[TILE_TIMELINE];
    bool distrusted = tui_distrusted(tui, selection.entry, selection.mode, LATER);
    char title[160], missing[60];
    if (replay == NULL) {
        snprintf(title, sizeof title, "timeline: %s",
                 replay_missing(tui, selection, missing, sizeof missing));
    } else if (state->timeline.from < state->timeline.to) {
        snprintf(title, sizeof title, "timeline: cycles %s to %s of %s",
                 figure_count(state->timeline.from).text, figure_count(state->timeline.to).text,
                 figure_trusted(replay->phase_cycles, distrusted).text);
    } else {
        snprintf(title, sizeof title, "timeline: %s cycles",
                 figure_trusted(replay->phase_cycles, distrusted).text);
    }
    draw_pane_title(&tui->grid, area, tui->preferences.tile_pane == TILE_TIMELINE, title);
    if (replay != NULL) {
        area.row++;
        area.height--;
        timeline_draw(&state->timeline, replay, &tui->grid, area, selected_interval(tui, state));
    }
}

/* Why the selected phase refuses the selected mode; NULL when it does not, or nobody knows yet. */
static const char *refusal_here(Tui *tui)
{
    Selection selection = tui_selection(tui);
    const Dependencies *dependencies = tui_dependencies(tui, selection.entry, MODE_ORIGINAL, SOON);
    return dependencies == NULL ? NULL : mode_refusal(selection.mode, dependencies);
}

static void tile_draw(Tui *tui, void *context)
{
    TileState *state = context;
    Selection selection = tui_selection(tui);
    ResultKey figures = {.entry = selection.entry, .kind = RESULT_FIGURES, .mode = selection.mode};
    Error error;
    if (selection.entry == NULL || selection.tile < 0) {
        grid_text(&tui->grid, state->summary.row, 0, tui->grid.columns, LOOK_DIM,
                  "No tile takes part in this phase.");
        return;
    }
    follow_selection(state, selection);
    const Dependencies *dependencies = tui_dependencies(tui, selection.entry, MODE_ORIGINAL, SOON);
    const char *refusal = refusal_here(tui);
    if (refusal != NULL || tui_failed(tui, &figures, &error)) {
        grid_print(&tui->grid, state->summary.row, 0, tui->grid.columns, LOOK_WARNING,
                   "mode %s is refused: %s", mode_name(selection.mode),
                   refusal != NULL ? refusal : error.message);
        grid_text(&tui->grid, state->summary.row + 1, 0, tui->grid.columns, LOOK_NORMAL,
                  "1 shows the phase as captured; [ and ] choose another mode.");
        return;
    }
    if (dependencies == NULL && selection.mode != MODE_ORIGINAL) {
        grid_text(&tui->grid, state->summary.row, 0, tui->grid.columns, LOOK_DIM, "looking at dependencies…");
        return;
    }
    const TileReplay *replay = current_replay(tui, state, selection);
    draw_summary(tui, state, selection, replay);
    if (state->wide) {
        for (int pane = 0; pane < TILE_TIMELINE; pane++) {
            draw_list_pane(tui, state, selection, replay, (TilePane)pane);
        }
    } else {
        draw_list_pane(tui, state, selection, replay, shown_pane(tui));
        draw_tabs(tui, state, (Rect){state->panes[0].row, 0, 1, tui->grid.columns});
    }
    draw_timeline(tui, state, selection, replay);
}

/* ---- keys ---- */

static const char *const sort_titles[TRANSFER_SORT_COUNT] = {
    [TRANSFER_SORT_ORDER] = "program order",
    [TRANSFER_SORT_WORDS] = "words, largest first",
    [TRANSFER_SORT_PEER] = "other end",
    [TRANSFER_SORT_SOURCE_ADDRESS] = "from: source address",
    [TRANSFER_SORT_ADDRESS] = "to: receiver address",
    [TRANSFER_SORT_START] = "start cycle (after a replay)",
};

static void sort_chosen(Tui *tui, int index)
{
    tui->preferences.transfer_sort = (TransferSort)index;
    tui->preferences.transfer_reverse = false;
    tui_say(tui, "transfers by %s; S reverses", sort_titles[index]);
}

static void go_to_tile(Tui *tui, TileState *state, int32_t tile, uint32_t transfer)
{
    view_select_tile(tui->view, tile);
    state->wants_transfer = true;
    state->wanted_transfer = transfer;
    state->whole_phase = false;
    state->filter[0] = '\0';
    tui_say(tui, "tile %d, transfer %s", (int)tile, figure_count(transfer).text);
}

static bool go_to_other_end(Tui *tui, TileState *state)
{
    Selection selection = tui_selection(tui);
    const Counterfactual *counterfactual = tui_counterfactual(tui, selection.entry, selection.mode, SOON);
    TransferRow row;
    if (counterfactual == NULL || !selected_transfer(tui, state, &row)) {
        tui_say(tui, "no transfer is selected");
        return true;
    }
    const Phase *phase = counterfactual->phase;
    uint32_t first = phase->receiver_start[row.transfer];
    int32_t source = phase->source[row.transfer];
    go_to_tile(tui, state,
               state->whole_phase || row.receiver != TRANSFER_SENT ? source : phase->receiver_tile[first],
               row.transfer);
    return true;
}

/* The next tile up or down that takes part. */
static bool step_tile(Tui *tui, int step)
{
    Selection selection = tui_selection(tui);
    int32_t tiles = view_tile_count(tui->view), tile = selection.tile;
    const TileFigures *figures = tui_tiles(tui, selection.entry, selection.mode, SOON);
    do {
        tile += step;
    } while (tile >= 0 && tile < tiles && figures != NULL &&
             figures[tile].send_fragments + figures[tile].receive_fragments == 0);
    if (tile < 0 || tile >= tiles) {
        tui_say(tui, step < 0 ? "no tile before this one takes part" : "no tile after this one takes part");
    } else {
        view_select_tile(tui->view, tile);
    }
    return true;
}

static bool act_on_timeline(Tui *tui, TileState *state, Action action)
{
    const TileReplay *replay = task_ready((Task *)state->replay) ? state->replay : NULL;
    TimelineMark mark = selected_interval(tui, state);
    if (replay == NULL) {
        tui_say(tui, "the timeline is known after a replay: R");
        return true;
    }
    return timeline_act(&state->timeline, replay, action, ((uint64_t)mark.start + mark.end) / 2);
}

static bool act_on_list(Tui *tui, TileState *state, Action action)
{
    TilePane pane = shown_pane(tui);
    if (tui->preferences.tile_pane == TILE_TIMELINE && (action == ACTION_LEFT || action == ACTION_RIGHT ||
                                                        action == ACTION_FIRST || action == ACTION_LAST)) {
        return act_on_timeline(tui, state, action);
    }
    bool done = list_act(&state->lists[pane], action);
    if (done && pane == TILE_TRANSFERS && task_ready((Task *)state->replay)) {
        timeline_show(&state->timeline, state->replay, selected_interval(tui, state));
    }
    return done;
}

static bool tile_act(Tui *tui, void *context, Action action)
{
    TileState *state = context;
    Preferences *preferences = &tui->preferences;
    if (tui_selection(tui).tile < 0) {
        return false;
    }
    if (refusal_here(tui) != NULL && action != ACTION_SUCCESSOR && action != ACTION_PREDECESSOR) {
        tui_say(tui, "mode %s is refused here; 1 shows the phase as captured",
                mode_name(tui_selection(tui).mode));
        return true;
    }
    switch (action) {
    case ACTION_OPEN:
        return go_to_other_end(tui, state);
    case ACTION_PANE_NEXT:
    case ACTION_PANE_PREVIOUS:
        preferences->tile_pane =
            (TilePane)((preferences->tile_pane + (action == ACTION_PANE_NEXT ? 1 : TILE_PANES - 1)) %
                       TILE_PANES);
        return true;
    case ACTION_WHOLE_PHASE:
        state->whole_phase = !state->whole_phase;
        state->lists[TILE_TRANSFERS].cursor = 0;
        tui_say(tui, state->whole_phase ? "transfers of the whole phase" : "transfers of this tile");
        return true;
    case ACTION_SCOPE:
        state->whole_scope = !state->whole_scope;
        tui_say(tui, state->whole_scope ? "coverage of the whole phase"
                                        : "coverage of the independent prefix, where there is a tail");
        return true;
    case ACTION_SORT:
        overlay_menu(tui, "Sort transfers by", sort_titles, TRANSFER_SORT_COUNT,
                     (int)preferences->transfer_sort, sort_chosen);
        return true;
    case ACTION_REVERSE:
        preferences->transfer_reverse = !preferences->transfer_reverse;
        tui_say(tui, "order %s", preferences->transfer_reverse ? "reversed" : "as usual");
        return true;
    case ACTION_ZOOM_IN:
    case ACTION_ZOOM_OUT:
    case ACTION_ZOOM_FIT:
        return act_on_timeline(tui, state, action);
    case ACTION_SUCCESSOR:
    case ACTION_PREDECESSOR:
        return step_tile(tui, action == ACTION_SUCCESSOR ? 1 : -1);
    case ACTION_NEXT:
    case ACTION_PREVIOUS:
        return list_act(&state->lists[TILE_TRANSFERS], action == ACTION_NEXT ? ACTION_DOWN : ACTION_UP);
    default:
        return act_on_list(tui, state, action);
    }
}

static bool inside(Rect area, const Event *event)
{
    return event->row >= area.row && event->row < area.row + area.height && event->column >= area.column &&
           event->column < area.column + area.width;
}

static bool tile_mouse(Tui *tui, void *context, const Event *event)
{
    TileState *state = context;
    bool wheel = event->kind == EVENT_WHEEL_UP || event->kind == EVENT_WHEEL_DOWN;
    uint64_t row;
    if (inside(state->panes[TILE_TIMELINE], event)) {
        tui->preferences.tile_pane = TILE_TIMELINE;
        return !wheel ||
               act_on_timeline(tui, state, event->kind == EVENT_WHEEL_UP ? ACTION_ZOOM_IN : ACTION_ZOOM_OUT);
    }
    for (int pane = 0; pane < TILE_TIMELINE; pane++) {
        if (!inside(state->panes[pane], event) || (!state->wide && pane != (int)shown_pane(tui))) {
            continue;
        }
        List *list = &state->lists[pane];
        tui->preferences.tile_pane = (TilePane)pane;
        if (wheel) {
            list_scroll(list, event->kind == EVENT_WHEEL_UP ? -3 : 3);
        } else if (list_row_at(list, event->row, event->column, &row)) {
            list_go(list, row);
            if (event->kind == EVENT_DOUBLE_CLICK && pane == TILE_TRANSFERS) {
                return go_to_other_end(tui, state);
            }
        }
        return true;
    }
    return false;
}

static void tile_filter(Tui *tui, void *context, const char *text, bool kept)
{
    TileState *state = context;
    Error error;
    if (!transfer_filter_check(text, &error)) {
        if (kept) {
            tui_fail(tui, &error);
        }
        return; /* the one before stays */
    }
    snprintf(state->filter, sizeof state->filter, "%s", text);
    state->lists[TILE_TRANSFERS].cursor = 0;
    if (kept) {
        tui_say(tui, text[0] == '\0' ? "all transfers are shown"
                                     : "the filter stays until another one; / Ctrl-U Enter shows all");
    }
}

static const char *tile_filtered(Tui *tui, void *context)
{
    (void)tui;
    return ((const TileState *)context)->filter;
}

static void tile_found(Tui *tui, void *context, const char *text, char *words, size_t size)
{
    const TileState *state = context;
    Error error;
    (void)tui;
    if (!transfer_filter_check(text, &error)) {
        snprintf(words, size, "%.50s", error.message);
    } else if (state->shown != NULL && state->shown == state->wanted) {
        snprintf(words, size, "%s transfer%s", figure_count(state->shown->count).text,
                 state->shown->count == 1 ? "" : "s");
    } else {
        snprintf(words, size, "…");
    }
}

static void tile_close(Tui *tui, void *context)
{
    (void)tui;
    forget(context);
}

void screen_tile_show_transfer(Tui *tui, uint32_t transfer)
{
    Selection selection = tui_selection(tui);
    TileState *state = tui_state(tui, CONTEXT_TILE);
    const Phase *phase = selection.entry->phase;
    tui->preferences.tile_pane = TILE_TRANSFERS;
    tui_show(tui, CONTEXT_TILE);
    go_to_tile(tui, state, phase->source[transfer], transfer);
}

const ScreenOps screen_tile = {
    .state_size = sizeof(TileState),
    .layout = tile_layout,
    .draw = tile_draw,
    .act = tile_act,
    .mouse = tile_mouse,
    .filter = tile_filter,
    .filtered = tile_filtered,
    .found = tile_found,
    .close = tile_close,
};
