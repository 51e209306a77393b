/* The first screen: all phases, the most fragmented one first. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tui/app.h"
#include "tui/list.h"

enum { BAR_COLUMNS = 6, LABEL_COLUMNS_MIN = 20, DETAIL_ROWS = 3 };

typedef enum PhaseColumn {
    COLUMN_MARK,
    COLUMN_RANK,
    COLUMN_PHASE,
    COLUMN_LABEL,
    COLUMN_MAXIMUM,
    COLUMN_BAR,
    COLUMN_BUSIEST,
    COLUMN_TAIL,
    COLUMN_ROW,
    COLUMN_CYCLES,
    COLUMN_TRANSFERS,
    COLUMN_FRAGMENTS,
    COLUMN_SENT,
    COLUMN_RECEIVED,
    COLUMN_COUNT
} PhaseColumn;

enum { TAIL_COLUMNS_MIN = 9 };
#define TAIL_BADGE "DEP "

typedef struct PhasesState {
    List list;
    Rect area;
} PhasesState;

/* Which column carries the mark of a sort. */
static PhaseColumn sort_column(PhaseSort sort)
{
    static const PhaseColumn columns[PHASE_SORT_COUNT] = {
        [PHASE_SORT_RANK] = COLUMN_RANK,           [PHASE_SORT_PHASE] = COLUMN_PHASE,
        [PHASE_SORT_LABEL] = COLUMN_LABEL,         [PHASE_SORT_TRANSFERS] = COLUMN_TRANSFERS,
        [PHASE_SORT_FRAGMENTS] = COLUMN_FRAGMENTS, [PHASE_SORT_MAXIMUM] = COLUMN_MAXIMUM,
        [PHASE_SORT_SENT] = COLUMN_SENT,           [PHASE_SORT_RECEIVED] = COLUMN_RECEIVED,
        [PHASE_SORT_TAIL] = COLUMN_TAIL,
    };
    return columns[sort];
}

/* ---- cells ---- */

static uint64_t most_fragments(const Tui *tui)
{
    uint64_t most = 0;
    for (size_t i = 0; i < view_phase_count(tui->view); i++) {
        uint64_t fragments = view_phase_at(tui->view, i)->geometry.maximum_endpoint_fragments;
        most = fragments > most ? fragments : most;
    }
    return most;
}

static void put_count(ListCell *cell, uint64_t value)
{
    snprintf(cell->text, sizeof cell->text, "%s", figure_count(value).text);
}

static void put_tail(Tui *tui, const PhaseEntry *entry, ListCell *cell)
{
    const Dependencies *dependencies = tui_dependencies(tui, entry, MODE_ORIGINAL, USUAL);
    ResultKey key = {.entry = entry, .kind = RESULT_DEPENDENCIES, .mode = MODE_ORIGINAL};
    if (dependencies == NULL) {
        bool failed = tui_failed(tui, &key, NULL);
        snprintf(cell->text, sizeof cell->text, failed ? "refused" : "…");
        cell->style = failed ? LOOK_WARNING : LOOK_DIM;
    } else if (dependencies->tail_transfers > 0) {
        snprintf(cell->text, sizeof cell->text, TAIL_BADGE "%s",
                 figure_count(dependencies->tail_transfers).text);
        cell->style = LOOK_WARNING;
    } else if (dependencies->read_write_overlap) {
        snprintf(cell->text, sizeof cell->text, "overlap");
        cell->style = LOOK_WARNING;
    } else {
        snprintf(cell->text, sizeof cell->text, "-");
        cell->style = LOOK_DIM;
    }
}

static void put_replay(Tui *tui, const PhaseEntry *entry, bool rows, ListCell *cell)
{
    Mode mode = tui_selection(tui).mode;
    const ReplaySummary *replay = tui_replay_figures(tui, entry, mode);
    if (replay == NULL) {
        const Dependencies *dependencies = tui_dependencies(tui, entry, MODE_ORIGINAL, USUAL);
        bool refused = dependencies != NULL && mode_refusal(mode, dependencies) != NULL;
        snprintf(cell->text, sizeof cell->text, refused ? "none" : "-");
        cell->style = LOOK_DIM;
    } else if (!replay->invariants_pass) {
        snprintf(cell->text, sizeof cell->text, "FAIL");
        cell->style = LOOK_INVALID;
    } else {
        bool distrusted = tui_distrusted(tui, entry, mode, USUAL);
        ResultKey proof = {.entry = entry, .kind = RESULT_EQUIVALENCE, .mode = mode};
        if (!distrusted && view_peek(tui->view, &proof) == NULL) {
            snprintf(cell->text, sizeof cell->text, "…"); /* of a mode of which nobody knows yet what it is */
            cell->style = LOOK_DIM;
            return;
        }
        uint64_t value = rows ? (uint64_t)replay->maximum_row_words * 4 : replay->horizon_cycles;
        snprintf(cell->text, sizeof cell->text, "%s%s", figure_trusted(value, distrusted).text,
                 mode == MODE_REORDERED && !distrusted ? " " : "");
        cell->style = distrusted ? LOOK_WARNING : LOOK_NORMAL;
    }
}

static void put_cell(void *context, uint64_t row, int column, ListCell *cell)
{
    Tui *tui = context;
    const RankedPhase *ranked = &tui->ranked[row];
    const PhaseEntry *entry = ranked->entry;
    const Geometry *geometry = &entry->geometry;
    switch ((PhaseColumn)column) {
    case COLUMN_MARK:
        snprintf(cell->text, sizeof cell->text, phase_marked(tui, entry->phase->number) ? "●" : "");
        cell->style = LOOK_STRONG;
        break;
    case COLUMN_RANK:
        put_count(cell, ranked->rank);
        break;
    case COLUMN_PHASE:
        snprintf(cell->text, sizeof cell->text, "%u", (unsigned)entry->phase->number);
        break;
    case COLUMN_LABEL:
        tui_label(tui, entry, cell->text, sizeof cell->text);
        break;
    case COLUMN_MAXIMUM:
        put_count(cell, geometry->maximum_endpoint_fragments);
        cell->style = LOOK_STRONG;
        break;
    case COLUMN_BAR:
        cell->bar = (double)geometry->maximum_endpoint_fragments;
        cell->bar_maximum = (double)most_fragments(tui);
        cell->style = LOOK_BETTER;
        break;
    case COLUMN_BUSIEST:
        if (geometry->busiest_tile >= 0) {
            snprintf(cell->text, sizeof cell->text, "%d", (int)geometry->busiest_tile);
        }
        break;
    case COLUMN_TAIL:
        put_tail(tui, entry, cell);
        break;
    case COLUMN_ROW:
    case COLUMN_CYCLES:
        put_replay(tui, entry, column == COLUMN_ROW, cell);
        break;
    case COLUMN_TRANSFERS:
        put_count(cell, geometry->transfers);
        break;
    case COLUMN_FRAGMENTS:
        put_count(cell, geometry->receive_fragments);
        break;
    case COLUMN_SENT:
        put_count(cell, geometry->transmitted_bytes);
        break;
    case COLUMN_RECEIVED:
        put_count(cell, geometry->received_bytes);
        break;
    case COLUMN_COUNT:
        break;
    }
}

/* ---- drawing ---- */

typedef struct Widths {
    int rank, phase, maximum, tail, row, cycles, transfers, fragments, sent, received;
} Widths;

static void widen(int *width, uint64_t value)
{
    int wanted = figure_width(value);
    *width = wanted > *width ? wanted : *width;
}

static Widths measure(Tui *tui)
{
    Widths widths = {.rank = 1, .phase = 1, .tail = TAIL_COLUMNS_MIN};
    Mode mode = tui_selection(tui).mode;
    for (size_t i = 0; i < tui->ranked_count; i++) {
        const PhaseEntry *entry = tui->ranked[i].entry;
        const Geometry *geometry = &entry->geometry;
        bool few = tui->ranked_count <= WANTS_MAX;
        const ReplaySummary *replay = few ? tui_replay_figures(tui, entry, mode) : NULL;
        const Dependencies *dependencies =
            few ? view_peek_dependencies(tui->view, entry, MODE_ORIGINAL) : NULL;
        char number[16];
        int digits = snprintf(number, sizeof number, "%u", (unsigned)entry->phase->number);
        widths.phase = digits > widths.phase ? digits : widths.phase;
        widen(&widths.rank, tui->ranked[i].rank);
        widen(&widths.maximum, geometry->maximum_endpoint_fragments);
        widen(&widths.transfers, geometry->transfers);
        widen(&widths.fragments, geometry->receive_fragments);
        widen(&widths.sent, geometry->transmitted_bytes);
        widen(&widths.received, geometry->received_bytes);
        if (dependencies != NULL) {
            int wanted = (int)strlen(TAIL_BADGE) + figure_width(dependencies->tail_transfers);
            widths.tail = wanted > widths.tail ? wanted : widths.tail;
        }
        if (replay != NULL) {
            widen(&widths.row, (uint64_t)replay->maximum_row_words * 4);
            widen(&widths.cycles, replay->horizon_cycles);
        }
    }
    if (mode == MODE_REORDERED) { /* some of its figures are marked */
        widths.row++;
        widths.cycles++;
    }
    return widths;
}

/* The cursor is on the selected phase, whoever selected it and whether or not a frame came since. */
static void follow_selection(Tui *tui, PhasesState *state)
{
    size_t at;
    if (phase_list_find(tui, tui_selection(tui).entry, &at)) {
        state->list.rows = tui->ranked_count;
        state->list.cursor = at;
    }
}

static void draw_list(Tui *tui, PhasesState *state, Rect area)
{
    Widths widths = measure(tui);
    ListColumn columns[COLUMN_COUNT] = {
        [COLUMN_MARK] = {"", 1, false, false, false},
        [COLUMN_RANK] = {"#", widths.rank, true, false, false},
        [COLUMN_PHASE] = {"phase", widths.phase, true, false, false},
        [COLUMN_LABEL] = {"label", LABEL_COLUMNS_MIN, false, true, false},
        [COLUMN_MAXIMUM] = {"max frag", widths.maximum, true, false, false},
        [COLUMN_BAR] = {"", BAR_COLUMNS, false, false, false},
        [COLUMN_BUSIEST] = {"tile", 4, true, false, false},
        [COLUMN_TAIL] = {"tail", widths.tail, false, false, false},
        [COLUMN_ROW] = {"row B", widths.row, true, false, false},
        [COLUMN_CYCLES] = {"cycles", widths.cycles, true, false, false},
        [COLUMN_TRANSFERS] = {"transfers", widths.transfers, true, false, false},
        [COLUMN_FRAGMENTS] = {"recv frag", widths.fragments, true, false, false},
        [COLUMN_SENT] = {"sent B", widths.sent, true, false, false},
        [COLUMN_RECEIVED] = {"received B", widths.received, true, false, false},
    };
    columns[sort_column(tui->preferences.phase_sort)].sorted = true;
    ListModel model = {
        .columns = columns,
        .column_count = COLUMN_COUNT,
        .frozen = COLUMN_LABEL + 1,
        .reverse = tui->preferences.phase_reverse,
        .rows = tui->ranked_count,
        .cell = put_cell,
        .context = tui,
        .empty = tui->phase_filter[0] != '\0' ? "no phase matches the filter"
                 : view_loading(tui->view)    ? "reading…"
                                              : "this capture has no phases",
    };
    follow_selection(tui, state);
    list_draw(&state->list, &model, &tui->grid, area, true);
}

/* All of the label and what does not fit into the columns, of the phase under the cursor. */
static void draw_detail(Tui *tui, Rect area)
{
    Grid *grid = &tui->grid;
    Selection selection = tui_selection(tui);
    char title[100];
    snprintf(title, sizeof title, tui->phase_filter[0] == '\0' ? "mode %s" : "mode %s, filter: %s",
             mode_name(selection.mode), tui->phase_filter);
    grid_rule(grid, area.row, area.column, area.width, LOOK_BORDER, title);
    if (selection.entry == NULL || tui->ranked_count == 0) {
        return;
    }
    const Geometry *geometry = &selection.entry->geometry;
    char label[300], line[200];
    tui_label(tui, selection.entry, label, sizeof label);
    grid_print(grid, area.row + 1, area.column, area.width, LOOK_STRONG, "phase %u  %s",
               (unsigned)selection.entry->phase->number, label);
    for (int attempt = 0; attempt < 3;
         attempt++) { /* where room lacks a word goes, then large figures are rounded */
        Figure (*bytes)(uint64_t) = attempt < 2 ? figure_count : figure_short;
        snprintf(line, sizeof line, "%s transfers, %s %sfragments; %s B sent, %s B received",
                 figure_count(geometry->transfers).text, figure_count(geometry->receive_fragments).text,
                 attempt < 1 ? "receive " : "", bytes(geometry->transmitted_bytes).text,
                 bytes(geometry->received_bytes).text);
        if (grid_text_width(line) <= area.width) {
            break;
        }
    }
    grid_text(grid, area.row + 2, area.column, area.width, LOOK_NORMAL, line);
}

static void draw_nothing_open(Tui *tui, Rect area)
{
    static const char *const lines[] = {
        "No capture is open.",
        "",
        ":load FILE      opens one (Tab completes; plain, gzip or zstd)",
        "?               shows the keys",
        "q               leaves",
    };
    int row = area.row + area.height / 3;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        grid_text(&tui->grid, row + (int)i, area.column + 10, area.width - 10,
                  i == 0 ? LOOK_STRONG : LOOK_NORMAL, lines[i]);
    }
}

static void phases_layout(Tui *tui, void *state, Rect area)
{
    (void)tui;
    ((PhasesState *)state)->area = area;
}

static void phases_draw(Tui *tui, void *context)
{
    PhasesState *state = context;
    Rect area = state->area;
    if (tui->view == NULL) {
        draw_nothing_open(tui, area);
        return;
    }
    Rect list = {area.row, area.column, area.height - DETAIL_ROWS, area.width};
    Mode mode = tui_selection(tui).mode;
    if (mode != MODE_ORIGINAL) {
        const Dependencies entangled = {.read_write_overlap = true};
        grid_print(&tui->grid, list.row++, area.column, area.width, LOOK_STRONG,
                   " mode %s: row B, cycles%s; all else as captured", mode_name(mode),
                   mode_refusal(mode, &entangled) != NULL ? " (none: refused)" : "");
        list.height--;
    }
    Rect detail = {area.row + area.height - DETAIL_ROWS, area.column, DETAIL_ROWS, area.width};
    draw_list(tui, state, list);
    draw_detail(tui, detail);
}

/* ---- keys ---- */

static void select_cursor(Tui *tui, PhasesState *state)
{
    if (state->list.cursor < tui->ranked_count) {
        view_select_phase(tui->view, tui->ranked[state->list.cursor].entry);
    }
}

static const char *const sort_titles[PHASE_SORT_COUNT] = {
    [PHASE_SORT_RANK] = "rank: most fragments at one tile",
    [PHASE_SORT_PHASE] = "phase number",
    [PHASE_SORT_LABEL] = "label",
    [PHASE_SORT_TRANSFERS] = "transfers",
    [PHASE_SORT_FRAGMENTS] = "receive fragments",
    [PHASE_SORT_MAXIMUM] = "max frag at one tile",
    [PHASE_SORT_SENT] = "sent bytes",
    [PHASE_SORT_RECEIVED] = "bytes received",
    [PHASE_SORT_TAIL] = "tail: dependent transfers",
};

static void sort_chosen(Tui *tui, int index)
{
    tui->preferences.phase_sort = (PhaseSort)index;
    tui->preferences.phase_reverse = false;
    tui->ranked_valid = false;
    tui_say(tui, "sorted by %s; S reverses", sort_titles[index]);
}

/* Goes round at the ends: with a filter, all rows are matches. */
static bool step_match(Tui *tui, PhasesState *state, int step)
{
    size_t count = tui->ranked_count;
    if (count == 0) {
        return false;
    }
    state->list.cursor = (state->list.cursor + (step < 0 ? count - 1 : 1)) % count;
    select_cursor(tui, state);
    return true;
}

static void mark(Tui *tui, PhasesState *state)
{
    Selection selection = tui_selection(tui);
    if (selection.entry == NULL) {
        return;
    }
    uint32_t number = selection.entry->phase->number;
    phase_toggle_mark(tui, number);
    tui_say(tui, "phase %u %s for export; %zu marked", (unsigned)number,
            phase_marked(tui, number) ? "marked" : "no longer marked", tui->marks.count);
    list_act(&state->list, ACTION_DOWN);
    select_cursor(tui, state);
}

static bool phases_act(Tui *tui, void *context, Action action)
{
    PhasesState *state = context;
    if (tui->view == NULL) {
        tui_say(tui, "no capture is open: `:load FILE` opens one");
        return true;
    }
    follow_selection(tui, state);
    switch (action) {
    case ACTION_SORT:
        overlay_menu(tui, "Sort by", sort_titles, PHASE_SORT_COUNT, (int)tui->preferences.phase_sort,
                     sort_chosen);
        return true;
    case ACTION_REVERSE:
        tui->preferences.phase_reverse = !tui->preferences.phase_reverse;
        tui->ranked_valid = false;
        tui_say(tui, "order %s", tui->preferences.phase_reverse ? "reversed" : "as usual");
        return true;
    case ACTION_MARK:
        if (tui->ranked_count == 0) {
            return false;
        }
        mark(tui, state);
        return true;
    case ACTION_NEXT:
    case ACTION_PREVIOUS:
        return step_match(tui, state, action == ACTION_NEXT ? 1 : -1);
    default:
        if (!list_act(&state->list, action)) {
            return false;
        }
        select_cursor(tui, state);
        return true;
    }
}

static bool phases_mouse(Tui *tui, void *context, const Event *event)
{
    PhasesState *state = context;
    uint64_t row;
    if (event->kind == EVENT_WHEEL_UP || event->kind == EVENT_WHEEL_DOWN) {
        list_scroll(&state->list, event->kind == EVENT_WHEEL_UP ? -3 : 3);
        select_cursor(tui, state);
        return true;
    }
    if (!list_row_at(&state->list, event->row, event->column, &row)) {
        return false;
    }
    list_go(&state->list, row);
    select_cursor(tui, state);
    if (event->kind == EVENT_DOUBLE_CLICK) {
        tui_show(tui, CONTEXT_PHASE);
    }
    return true;
}

static const char *phases_filtered(Tui *tui, void *context)
{
    (void)context;
    return tui->phase_filter;
}

static void phases_found(Tui *tui, void *context, const char *text, char *words, size_t size)
{
    (void)context;
    if (tui->view != NULL) {
        size_t phases = view_phase_count(tui->view);
        snprintf(words, size, "%s of %s phase%s",
                 *text == '\0' ? "all" : figure_count(tui->ranked_count).text, figure_count(phases).text,
                 phases == 1 ? "" : "s");
    }
}

static void phases_filter(Tui *tui, void *context, const char *text, bool kept)
{
    PhasesState *state = context;
    char words[FOUND_BYTES];
    if (tui->view == NULL) {
        return;
    }
    snprintf(tui->phase_filter, sizeof tui->phase_filter, "%s", text);
    tui->ranked_valid = false;
    phase_list_update(tui);
    size_t at;
    if (!phase_list_find(tui, tui_selection(tui).entry, &at)) {
        state->list.cursor = 0;
        select_cursor(tui, state);
    }
    if (kept) {
        phases_found(tui, state, text, words, sizeof words);
        tui_say(tui, *text == '\0' ? "%s shown" : "%s shown; / changes the filter, / Ctrl-U Enter shows all",
                words);
    }
}

const ScreenOps screen_phases = {
    .state_size = sizeof(PhasesState),
    .layout = phases_layout,
    .draw = phases_draw,
    .act = phases_act,
    .mouse = phases_mouse,
    .filter = phases_filter,
    .filtered = phases_filtered,
    .found = phases_found,
};
