/* One tile: its transfers, what it holds afterwards, its row, and when it is busy. */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analysis/coverage.h"
#include "analysis/identity.h"
#include "base/memory.h"
#include "fabric/fabric.h"
#include "row/disassemble.h"
#include "tui/app.h"
#include "tui/list.h"
#include "tui/tile_replay.h"
#include "tui/transfers.h"

enum {
    SUMMARY_ROWS = 2,
    TIMELINE_ROWS = 4, /* with its heading */
    WIDE_COLUMNS = 120,
    WIDE_ROWS = 34,
    LINE_BYTES = 300,
    LEFT_COLUMNS_MIN = 63, /* all columns of a list of transfers */
    COVERAGE_LINES_MAX = 16
};

typedef struct TileState {
    List lists[TILE_TIMELINE]; /* of the panes before it */
    Timeline timeline;
    TransferList *transfers;
    TileReplay *replay;
    bool whole_phase;
    bool whole_scope; /* coverage of the whole phase, also where it has a tail */
    char filter[TRANSFER_FILTER_BYTES];
    int64_t wanted_transfer; /* to be selected once the list is there; -1: none. 0-based */
    bool wants_transfer;

    /* what the cursor belongs to: another tile begins at the top */
    const PhaseEntry *entry;
    int32_t tile;

    Rect summary, panes[TILE_PANES];
    bool wide;

    char coverage_lines[COVERAGE_LINES_MAX][LINE_BYTES];
    int coverage_count;
    const CoverageGap *gaps;
    size_t gap_count;
} TileState;

static const char *const pane_titles[TILE_PANES] = {"transfers", "coverage", "row", "timeline"};

/* ---- what is shown ---- */

static void forget(TileState *state)
{
    task_release(state->transfers == NULL ? NULL : &state->transfers->task);
    task_release(state->replay == NULL ? NULL : &state->replay->task);
    state->transfers = NULL;
    state->replay = NULL;
}

static bool is_replayed(Tui *tui, Selection selection)
{
    const ReplaySummary *replay = tui_replay_figures(tui, selection.entry, selection.mode);
    return replay != NULL && replay->invariants_pass;
}

/* The list that the choices ask for: the one before it stays on the screen until the new one is ready, if it
 * is about the same transfers. */
static const TransferList *current_transfers(Tui *tui, TileState *state, Selection selection)
{
    TransferQuery query = {
        .entry = selection.entry,
        .mode = selection.mode,
        .tile = state->whole_phase ? -1 : selection.tile,
        .sort = tui->preferences.transfer_sort,
        .reverse = tui->preferences.transfer_reverse,
        .times = is_replayed(tui, selection),
    };
    memcpy(query.filter, state->filter, sizeof query.filter);
    if (state->transfers == NULL || !transfer_query_equal(&state->transfers->query, &query)) {
        TransferList *list = transfers_new(&query, NULL);
        if (list == NULL) {
            return NULL;
        }
        task_release(state->transfers == NULL ? NULL : &state->transfers->task);
        state->transfers = list;
    }
    tui_want_task(tui, &state->transfers->task, selection.entry, SOON);
    return task_ready(&state->transfers->task) ? state->transfers : NULL;
}

static const TileReplay *current_replay(Tui *tui, TileState *state, Selection selection)
{
    if (!is_replayed(tui, selection) || selection.tile < 0) {
        return NULL;
    }
    TileReplay *replay = state->replay;
    if (replay == NULL || replay->entry != selection.entry || replay->mode != selection.mode ||
        replay->tile != selection.tile) {
        task_release(replay == NULL ? NULL : &replay->task);
        state->replay = replay = tile_replay_new(selection.entry, selection.mode, selection.tile, NULL);
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

static bool mode_is_invalid(Tui *tui, Selection selection)
{
    const Equivalence *equivalence = tui_equivalence(tui, selection.entry, selection.mode, LATER);
    return equivalence != NULL && equivalence->verdict != VERDICT_UNKNOWN && !equivalence->valid;
}

static void draw_summary(Tui *tui, TileState *state, Selection selection, const TileReplay *replay)
{
    Grid *grid = &tui->grid;
    Rect area = state->summary;
    FabricTile place = fabric_tile((uint16_t)selection.tile);
    const TileFigures *figures = tui_tiles(tui, selection.entry, selection.mode, SOON);
    Text line = {0};
    text_printf(&line, "tile %d (row %u, column %u)", (int)selection.tile, (unsigned)place.row,
                (unsigned)place.physical % (FABRIC_COLUMNS * 4));
    if (figures != NULL) {
        const TileFigures *mine = &figures[selection.tile];
        text_printf(&line, "  sends %s, %s B", figure_count(mine->send_fragments).text,
                    figure_count(mine->sent_bytes).text);
        text_printf(&line, "  receives %s, %s B", figure_count(mine->receive_fragments).text,
                    figure_count(mine->received_bytes).text);
    }
    grid_text(grid, area.row, area.column, area.width, LOOK_STRONG, text_view(&line));
    text_clear(&line);
    if (replay != NULL) {
        text_printf(&line, "row %s B (%s words), horizon %s of %s cycles",
                    figure_count((uint64_t)replay->row_words * 4).text, figure_count(replay->row_words).text,
                    figure_count(replay->horizon_cycles).text, figure_count(replay->phase_cycles).text);
        if (replay->incoming_base >= 0) {
            text_printf(&line, ", entered with base %s",
                        figure_address((uint32_t)replay->incoming_base).text);
        }
    } else {
        char missing[60];
        text_printf(&line, "row: %s", replay_missing(tui, selection, missing, sizeof missing));
    }
    grid_text(grid, area.row + 1, area.column, area.width, LOOK_NORMAL, text_view(&line));
    if (mode_is_invalid(tui, selection)) {
        grid_text(grid, area.row + 1, area.column + area.width - 8, 8, LOOK_INVALID, "INVALID");
    }
    text_free(&line);
}

/* ---- transfers ---- */

typedef enum TransferColumn {
    COLUMN_INDEX,
    COLUMN_ROLE,
    COLUMN_PEER,
    COLUMN_WORDS,
    COLUMN_FROM,
    COLUMN_REPEAT,
    COLUMN_TO,
    COLUMN_START,
    COLUMN_END,
    COLUMN_COUNT
} TransferColumn;

typedef struct TransferCells {
    const Phase *phase;
    const TransferList *list;
} TransferCells;

static void put_tiles(const Phase *phase, uint32_t transfer, ListCell *cell)
{
    uint32_t first = phase->receiver_start[transfer], count = phase_receivers(phase, transfer);
    size_t length = 0;
    for (uint32_t k = 0; k < count && k < 3; k++) {
        length += (size_t)snprintf(cell->text + length, sizeof cell->text - length, "%s%u", k > 0 ? "," : "",
                                   (unsigned)phase->receiver_tile[first + k]);
    }
    if (count > 3) {
        snprintf(cell->text + length, sizeof cell->text - length, " +%u", (unsigned)(count - 3));
    }
}

static void put_transfer_cell(void *context, uint64_t index, int column, ListCell *cell)
{
    const TransferCells *cells = context;
    const Phase *phase = cells->phase;
    TransferRow row = transfers_row(cells->list, (size_t)index);
    bool whole = cells->list->query.tile < 0, sent = row.receiver == TRANSFER_SENT;
    uint32_t receiver = sent ? phase->receiver_start[row.transfer] : row.receiver;
    switch ((TransferColumn)column) {
    case COLUMN_INDEX:
        snprintf(cell->text, sizeof cell->text, "%s", figure_count(row.transfer).text);
        break;
    case COLUMN_ROLE:
        if (whole) {
            snprintf(cell->text, sizeof cell->text, "%u", (unsigned)phase->source[row.transfer]);
        } else {
            snprintf(cell->text, sizeof cell->text, sent ? "send →" : "recv ←");
            cell->style = sent ? LOOK_SEND : LOOK_RECEIVE;
        }
        break;
    case COLUMN_PEER:
        if (sent) {
            put_tiles(phase, row.transfer, cell);
        } else {
            snprintf(cell->text, sizeof cell->text, "%u", (unsigned)phase->source[row.transfer]);
        }
        break;
    case COLUMN_WORDS:
        snprintf(cell->text, sizeof cell->text, "%s%s", figure_count(phase->words[row.transfer]).text,
                 phase->width[row.transfer] == WIDTH_PAIRED64 ? "p" : " ");
        break;
    case COLUMN_FROM:
        snprintf(cell->text, sizeof cell->text, "%s",
                 figure_address(phase_address(phase, row.transfer, 0)).text);
        break;
    case COLUMN_REPEAT:
        if (phase_address_count(phase, row.transfer) > 1) {
            snprintf(cell->text, sizeof cell->text, "×%u",
                     (unsigned)phase_address_count(phase, row.transfer));
        }
        break;
    case COLUMN_TO:
        snprintf(cell->text, sizeof cell->text, "%s", figure_address(phase->receiver_address[receiver]).text);
        break;
    case COLUMN_START:
    case COLUMN_END:
        snprintf(cell->text, sizeof cell->text, "%s",
                 figure_count(column == COLUMN_START ? row.start : row.end).text);
        break;
    case COLUMN_COUNT:
        break;
    }
}

static TransferColumn sort_column(TransferSort sort)
{
    static const TransferColumn columns[TRANSFER_SORT_COUNT] = {
        [TRANSFER_SORT_ORDER] = COLUMN_INDEX, [TRANSFER_SORT_WORDS] = COLUMN_WORDS,
        [TRANSFER_SORT_PEER] = COLUMN_PEER,   [TRANSFER_SORT_SOURCE_ADDRESS] = COLUMN_FROM,
        [TRANSFER_SORT_ADDRESS] = COLUMN_TO,  [TRANSFER_SORT_START] = COLUMN_START,
    };
    return columns[sort];
}

/* The place of a transfer in the list; false when it is not there (filtered out). */
static bool find_transfer(const TransferList *list, uint32_t transfer, uint64_t *place)
{
    if (list->rows == NULL) {
        *place = list->query.reverse ? list->count - 1 - transfer : transfer;
        return transfer < list->count;
    }
    for (size_t i = 0; i < list->count; i++) {
        if (list->rows[i].transfer == transfer) {
            *place = i;
            return true;
        }
    }
    return false;
}

static const char *transfers_title(const TileState *state, const TransferList *list, char *title, size_t size)
{
    const char *of = state->whole_phase ? "transfers of the phase" : "transfers of the tile";
    size_t length = (size_t)snprintf(title, size, "%s", of);
    if (list != NULL) {
        length += (size_t)snprintf(title + length, size - length, ": %s", figure_count(list->count).text);
    }
    if (state->filter[0] != '\0' && length < size) {
        snprintf(title + length, size - length, ", filter: %s", state->filter);
    }
    return title;
}

static void draw_transfers(Tui *tui, TileState *state, Selection selection, Rect area, bool focused)
{
    const Counterfactual *counterfactual = tui_counterfactual(tui, selection.entry, selection.mode, SOON);
    const TransferList *list = current_transfers(tui, state, selection);
    if (list == NULL || counterfactual == NULL) {
        grid_text(&tui->grid, area.row, area.column, area.width, LOOK_DIM, "listing…");
        return;
    }
    if (state->wants_transfer) {
        uint64_t place;
        state->wants_transfer = false;
        if (find_transfer(list, (uint32_t)state->wanted_transfer, &place)) {
            state->lists[TILE_TRANSFERS].rows = list->count;
            list_go(&state->lists[TILE_TRANSFERS], place);
        }
    }
    const Phase *phase = counterfactual->phase;
    bool whole = list->query.tile < 0, times = list->query.times;
    bool moves =
        phase->address_start[phase->transfers] > phase->transfers; /* some transfer has several addresses */
    int cycles = times ? figure_width(selection.entry->geometry.transfers) : 0;
    cycles = cycles > 7 ? cycles : 7;
    int index = figure_width(phase->transfers);
    ListColumn columns[COLUMN_COUNT] = {
        [COLUMN_INDEX] = {"#", index, true, false, false},
        [COLUMN_ROLE] = {whole ? "source" : "role", 6, whole, false, false},
        [COLUMN_PEER] = {whole ? "receivers" : "other end", 10, false, true, false},
        [COLUMN_WORDS] = {"words ", 6, true, false, false},
        [COLUMN_FROM] = {"from", 7, true, false, false},
        [COLUMN_REPEAT] = {"", moves ? 3 : 0, false, false, false},
        [COLUMN_TO] = {"to", 7, true, false, false},
        [COLUMN_START] = {whole ? "done" : "start", cycles, true, false, false},
        [COLUMN_END] = {"end", cycles, true, false, false},
    };
    columns[sort_column(tui->preferences.transfer_sort)].sorted = true;
    TransferCells cells = {.phase = phase, .list = list};
    ListModel model = {
        .columns = columns,
        .column_count = !times  ? COLUMN_START
                        : whole ? COLUMN_END
                                : COLUMN_COUNT,
        .frozen = 1,
        .reverse = tui->preferences.transfer_reverse,
        .rows = list->count,
        .cell = put_transfer_cell,
        .context = &cells,
        .empty = state->filter[0] != '\0' ? "no transfer matches the filter"
                 : whole                  ? "this phase has no transfers"
                                          : "this tile takes no part in the phase",
    };
    list_draw(&state->lists[TILE_TRANSFERS], &model, &tui->grid, area, focused);
}

/* The transfer under the cursor; false when the list is not there or empty. */
static bool selected_transfer(const TileState *state, TransferRow *row)
{
    const TransferList *list = state->transfers;
    uint64_t cursor = state->lists[TILE_TRANSFERS].cursor;
    if (list == NULL || !task_ready(&list->task) || cursor >= list->count) {
        return false;
    }
    *row = transfers_row(list, (size_t)cursor);
    return true;
}

static TimelineMark selected_interval(const TileState *state)
{
    TransferRow row;
    if (!selected_transfer(state, &row) || !state->transfers->query.times ||
        state->transfers->query.tile < 0) {
        return (TimelineMark){0};
    }
    return (TimelineMark){row.receiver == TRANSFER_SENT ? ACTIVITY_SEND : ACTIVITY_RECEIVE, row.start,
                          row.end};
}

/* ---- coverage and identity ---- */

static void add_line(TileState *state, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add_line(TileState *state, const char *format, ...)
{
    if (state->coverage_count < COVERAGE_LINES_MAX) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(state->coverage_lines[state->coverage_count++], LINE_BYTES, format, arguments);
        va_end(arguments);
    }
}

static void add_identity(TileState *state, const TileIdentity *identity)
{
    if (identity->identity) {
        add_line(state, "identity: all %s words are staged where they end; no scatter is needed",
                 figure_count(identity->words).text);
        return;
    }
    add_line(state, "identity words   %s of %s", figure_count(identity->identity_words).text,
             figure_count(identity->words).text);
    add_line(state, "permutation      %s cycles, longest %s words, %s words move",
             figure_count(identity->cycles).text, figure_count(identity->longest_cycle).text,
             figure_count(identity->words_moved).text);
    if (identity->transposition.rows > 0) {
        const Transposition *t = &identity->transposition;
        add_line(state, "transposition    %u x %u of %u-word elements: its cycles need no bitmap",
                 (unsigned)t->rows, (unsigned)t->columns, (unsigned)t->element_words);
    } else {
        add_line(state, "rotating it      one temporary word and a bitmap of %s B",
                 figure_count(identity->bitmap_bytes).text);
    }
    if (identity->padded) {
        add_line(state, "padded           rounding left holes: rotating needs a compaction first");
    }
}

static void read_coverage(Tui *tui, TileState *state, Selection selection)
{
    ResultKey key = {.entry = selection.entry, .kind = RESULT_COVERAGE, .scope = SCOPE_PHASE};
    Error error;
    state->coverage_count = 0;
    state->gap_count = 0;
    if (!state->whole_scope) {
        const Dependencies *dependencies = tui_dependencies(tui, selection.entry, MODE_ORIGINAL, SOON);
        if (dependencies == NULL) {
            add_line(state, "looking at dependencies…");
            return;
        }
        key.scope = scope_default(dependencies);
    }
    const Coverage *coverage = tui_result(tui, &key, USUAL);
    if (coverage == NULL) {
        add_line(state, "%s", tui_failed(tui, &key, &error) ? error.message : "computing…");
        return;
    }
    const TileCoverage *tile = &coverage->tiles[selection.tile];
    add_line(state, "of the %s phase: %s of %s transfers%s",
             coverage->transfers < selection.entry->phase->transfers ? "independent prefix of the captured"
                                                                     : "captured",
             figure_count(coverage->transfers).text, figure_count(selection.entry->phase->transfers).text,
             coverage->transfers < selection.entry->phase->transfers ? " (c: all)" : "");
    if (tile->payload_bytes == 0) {
        add_line(state, "this tile receives nothing");
        return;
    }
    add_line(state, "payload          %s B in %s interval%s, %s .. %s",
             figure_count(tile->payload_bytes).text, figure_count(tile->intervals).text,
             tile->intervals == 1 ? "" : "s", figure_address(tile->low).text,
             figure_address(tile->high).text);
    add_line(state, "union            %s B, overlap %s B", figure_count(tile->union_bytes).text,
             figure_count(tile->overlap_bytes).text);
    add_line(state, tile->contiguous ? "contiguous       yes" : "contiguous       no");
    key.kind = RESULT_IDENTITY;
    const Identity *identity = tile->contiguous ? tui_result(tui, &key, USUAL) : NULL;
    if (identity != NULL && identity->tiles[selection.tile].contiguous) {
        add_identity(state, &identity->tiles[selection.tile]);
    } else if (tile->contiguous) {
        add_line(state, "identity         computing…");
    }
    if (tile->intervals > 1) {
        add_line(state, "gaps (each needs its own liveness check):");
        state->gaps = coverage->gaps + tile->gap_start;
        state->gap_count = tile->intervals - 1;
    }
}

static void put_coverage_cell(void *context, uint64_t index, int column, ListCell *cell)
{
    const TileState *state = context;
    (void)column;
    if (index < (uint64_t)state->coverage_count) {
        snprintf(cell->text, sizeof cell->text, "%s", state->coverage_lines[index]);
    } else {
        const CoverageGap *gap = &state->gaps[index - (uint64_t)state->coverage_count];
        snprintf(cell->text, sizeof cell->text, "  %8s .. %-8s %s B", figure_address(gap->address).text,
                 figure_address(gap->address + gap->bytes).text, figure_count(gap->bytes).text);
        cell->style = LOOK_GAP;
    }
}

static void draw_coverage(Tui *tui, TileState *state, Selection selection, Rect area, bool focused)
{
    static const ListColumn columns[] = {{"receive coverage and permutation", 20, false, true, false}};
    read_coverage(tui, state, selection);
    ListModel model = {.columns = columns,
                       .column_count = 1,
                       .rows = (uint64_t)state->coverage_count + state->gap_count,
                       .cell = put_coverage_cell,
                       .context = state};
    list_draw(&state->lists[TILE_COVERAGE], &model, &tui->grid, area, focused);
}

/* ---- row ---- */

typedef enum RowColumn { ROW_WORD, ROW_START, ROW_END, ROW_OPERATION, ROW_EFFECT, ROW_COLUMNS } RowColumn;

/* What a step does: the end of its line in a disassembly. */
static void put_effect(const RowStep *step, ListCell *cell)
{
    Text text = {0};
    row_step_text(step, &text);
    const char *name = operation_name(step->instruction.operation);
    const char *effect = strstr(text_view(&text), name);
    effect = effect == NULL ? "" : effect + strlen(name);
    snprintf(cell->text, sizeof cell->text, "%s", effect + strspn(effect, " "));
    text_free(&text);
}

static void put_step_cell(void *context, uint64_t index, int column, ListCell *cell)
{
    const TileReplay *replay = context;
    if (index == replay->steps.count) {
        snprintf(cell->text, sizeof cell->text, "cannot be read on: %s", replay->fault);
        cell->style = LOOK_INVALID;
        cell->spans = true;
        return;
    }
    const RowStep *step = &replay->steps.items[index];
    cell->style = step->words > 0                        ? LOOK_SEND
                  : step->sets_mux || step->sets_pointer ? LOOK_RECEIVE
                                                         : LOOK_NORMAL;
    switch ((RowColumn)column) {
    case ROW_WORD:
        snprintf(cell->text, sizeof cell->text, "%s", figure_count(step->word).text);
        break;
    case ROW_START:
    case ROW_END:
        snprintf(cell->text, sizeof cell->text, "%s",
                 figure_count(column == ROW_START ? step->start : step->end).text);
        break;
    case ROW_OPERATION:
        snprintf(cell->text, sizeof cell->text, "%s", operation_name(step->instruction.operation));
        break;
    case ROW_EFFECT:
        put_effect(step, cell);
        break;
    case ROW_COLUMNS:
        break;
    }
}

static void draw_row(Tui *tui, TileState *state, Selection selection, const TileReplay *replay, Rect area,
                     bool focused)
{
    if (replay == NULL) {
        char missing[60];
        grid_text(&tui->grid, area.row, area.column, area.width, LOOK_DIM,
                  replay_missing(tui, selection, missing, sizeof missing));
        return;
    }
    int cycles = figure_width(replay->phase_cycles);
    const ListColumn columns[ROW_COLUMNS] = {
        [ROW_WORD] = {"word", figure_width(replay->row_words), true, false, false},
        [ROW_START] = {"start", cycles, true, false, false},
        [ROW_END] = {"end", cycles, true, false, false},
        [ROW_OPERATION] = {"instruction", 11, false, false, false},
        [ROW_EFFECT] = {"what it does", 20, false, true, false},
    };
    ListModel model = {.columns = columns,
                       .column_count = ROW_COLUMNS,
                       .frozen = 1,
                       .rows = replay->steps.count + (replay->fault != NULL),
                       .cell = put_step_cell,
                       .context = (void *)(uintptr_t)replay};
    list_draw(&state->lists[TILE_ROW], &model, &tui->grid, area, focused);
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
            i == TILE_TRANSFERS && shown
                ? transfers_title(state, task_ready((Task *)state->transfers) ? state->transfers : NULL,
                                  title, sizeof title)
                : pane_titles[i];
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
    Rect area = state->panes[pane];
    bool focused = tui->preferences.tile_pane == pane;
    if (state->wide) {
        char title[200];
        draw_pane_title(&tui->grid, area, focused,
                        pane == TILE_TRANSFERS
                            ? transfers_title(state,
                                              task_ready((Task *)state->transfers) ? state->transfers : NULL,
                                              title, sizeof title)
                            : pane_titles[pane]);
    }
    area.row++;
    area.height--;
    if (pane == TILE_TRANSFERS) {
        draw_transfers(tui, state, selection, area, focused);
    } else if (pane == TILE_COVERAGE) {
        draw_coverage(tui, state, selection, area, focused);
    } else {
        draw_row(tui, state, selection, replay, area, focused);
    }
}

static void draw_timeline(Tui *tui, TileState *state, Selection selection, const TileReplay *replay)
{
    Rect area = state->panes[TILE_TIMELINE];
    char title[160], missing[60];
    if (replay == NULL) {
        snprintf(title, sizeof title, "timeline: %s",
                 replay_missing(tui, selection, missing, sizeof missing));
    } else if (state->timeline.from < state->timeline.to) {
        snprintf(title, sizeof title, "timeline: cycles %s to %s of %s",
                 figure_count(state->timeline.from).text, figure_count(state->timeline.to).text,
                 figure_count(replay->phase_cycles).text);
    } else {
        snprintf(title, sizeof title, "timeline: %s cycles", figure_count(replay->phase_cycles).text);
    }
    draw_pane_title(&tui->grid, area, tui->preferences.tile_pane == TILE_TIMELINE, title);
    if (replay != NULL) {
        area.row++;
        area.height--;
        timeline_draw(&state->timeline, replay, &tui->grid, area, selected_interval(state));
    }
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
    const char *refusal = dependencies == NULL ? NULL : mode_refusal(selection.mode, dependencies);
    if (refusal != NULL || tui_failed(tui, &figures, &error)) {
        grid_print(&tui->grid, state->summary.row, 0, tui->grid.columns, LOOK_WARNING,
                   "mode %s is refused: %s", mode_name(selection.mode),
                   refusal != NULL ? refusal : error.message);
        grid_text(&tui->grid, state->summary.row + 1, 0, tui->grid.columns, LOOK_NORMAL,
                  "[ and ] choose another mode.");
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
    if (counterfactual == NULL || !selected_transfer(state, &row)) {
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
    TimelineMark mark = selected_interval(state);
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
        timeline_show(&state->timeline, state->replay, selected_interval(state));
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
    .close = tile_close,
};
