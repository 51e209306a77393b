/* The dependency tail of a phase: which transfers wait, for which, and why. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "explore/words.h"
#include "tui/app.h"
#include "tui/list.h"

enum { HEAD_ROWS = 2, REASON_ROWS = 6, LINE_BYTES = 300 };

/* Why one transfer waits for those before it. */
typedef struct ReasonTask {
    Task task;
    const PhaseEntry *entry;
    uint32_t transfer;
    DependencyReasons reasons;
} ReasonTask;

typedef struct TailState {
    List list, reasons;
    const PhaseEntry *entry; /* that the cursor belongs to */
    ReasonTask *task;
    Rect head, body, foot;
} TailState;

/* ---- reasons ---- */

static bool run_reasons(Task *task, View *view, Progress *progress, Error *error)
{
    ReasonTask *reason = (ReasonTask *)task;
    size_t starts[2];
    const Dependencies *dependencies =
        view_need_dependencies(view, reason->entry, MODE_ORIGINAL, progress, error);
    dependency_reasons_free(&reason->reasons); /* of a run that was cancelled */
    reason->reasons = (DependencyReasons){0};
    return dependencies != NULL &&
           dependencies_explain(reason->entry->phase, view_tile_count(view), dependencies, reason->transfer,
                                1, &reason->reasons, starts, progress, error);
}

static void destroy_reasons(Task *task)
{
    ReasonTask *reason = (ReasonTask *)task;
    dependency_reasons_free(&reason->reasons);
    mem_free(reason);
}

static const ReasonTask *current_reasons(Tui *tui, TailState *state, const PhaseEntry *entry,
                                         uint32_t transfer)
{
    ReasonTask *task = state->task;
    if (task == NULL || task->entry != entry || task->transfer != transfer) {
        task_release((Task *)task);
        state->task = task = mem_zero(1, sizeof *task, NULL);
        if (task == NULL) {
            return NULL;
        }
        task_start(&task->task, run_reasons, destroy_reasons);
        task->entry = entry;
        task->transfer = transfer;
        state->reasons = (List){0};
    }
    tui_want_task(tui, &task->task, entry, SOON);
    return task;
}

static void append_iterations(const DependencyReasons *reasons, const DependencyReason *reason, char *text,
                              size_t size)
{
    enum { SHOWN = 6 };
    size_t length = strlen(text);
    if (reason->iteration_count == 0 || length >= size) {
        return;
    }
    length += (size_t)snprintf(text + length, size - length, ", iteration%s",
                               reason->iteration_count == 1 ? "" : "s");
    for (uint32_t i = 0; i < reason->iteration_count && i < SHOWN && length < size; i++) {
        length += (size_t)snprintf(text + length, size - length, " %" PRIu32,
                                   reasons->iterations.items[reason->iteration_start + i]);
    }
    if (reason->iteration_count > SHOWN && length < size) {
        snprintf(text + length, size - length, " +%" PRIu32, reason->iteration_count - SHOWN);
    }
}

static const char *kind_sentence(DependencyKind kind)
{
    static const char *const sentences[] = {"this reads what that wrote", "this writes what that read",
                                            "this writes what that wrote"};
    return sentences[kind];
}

static void put_reason(void *context, uint64_t index, int column, ListCell *cell)
{
    const ReasonTask *task = context;
    const DependencyReason *reason = &task->reasons.list.items[index];
    (void)column;
    snprintf(cell->text, sizeof cell->text, "%s  %s: %s, tile %u, %s B at %s",
             dependency_kind_name(reason->kind), figure_count(reason->transfer).text,
             kind_sentence(reason->kind), (unsigned)reason->tile, figure_count(reason->bytes).text,
             figure_address(reason->address).text);
    append_iterations(&task->reasons, reason, cell->text, sizeof cell->text);
}

static void draw_reasons(Tui *tui, TailState *state, const PhaseEntry *entry, uint32_t transfer)
{
    static const ListColumn columns[] = {{"", 20, false, true, false}};
    Grid *grid = &tui->grid;
    char title[80];
    snprintf(title, sizeof title, "why transfer %s waits for others", figure_count(transfer).text);
    grid_rule(grid, state->foot.row, state->foot.column, state->foot.width, LOOK_BORDER, title);
    const ReasonTask *task = current_reasons(tui, state, entry, transfer);
    if (task == NULL || !task_ready(&task->task)) {
        bool failed = task != NULL && atomic_load(&task->task.state) == TASK_FAILED;
        grid_text(grid, state->foot.row + 1, 0, grid->columns, failed ? LOOK_WARNING : LOOK_DIM,
                  failed ? task->task.error.message : "looking…");
        return;
    }
    ListModel model = {.columns = columns,
                       .column_count = 1,
                       .rows = task->reasons.list.count,
                       .cell = put_reason,
                       .context = (void *)(uintptr_t)task,
                       .empty = "it waits for no other transfer"};
    /* the list's heading is empty: it is drawn over by the title */
    list_draw(&state->reasons, &model, grid, state->foot, false);
    grid_rule(grid, state->foot.row, state->foot.column, state->foot.width, LOOK_BORDER, title);
    grid_restyle(grid, (Rect){state->foot.row + 1, 0, state->foot.height - 1, grid->columns}, LOOK_NORMAL);
}

/* ---- the tail ---- */

typedef enum TailColumn {
    COLUMN_TRANSFER,
    COLUMN_DEPTH,
    COLUMN_SOURCE,
    COLUMN_RECEIVERS,
    COLUMN_WORDS,
    COLUMN_WAITS,
    COLUMN_COUNT
} TailColumn;

typedef struct TailCells {
    const Phase *phase;
    const Dependencies *dependencies;
} TailCells;

static void put_predecessors(const Dependencies *dependencies, uint32_t transfer, ListCell *cell)
{
    uint32_t start = dependencies->predecessor_start[transfer],
             end = dependencies->predecessor_start[transfer + 1];
    size_t length = 0;
    for (uint32_t k = start; k < end && length + 24 < sizeof cell->text; k++) {
        length += (size_t)snprintf(cell->text + length, sizeof cell->text - length, "%s%s",
                                   k > start ? " " : "", figure_count(dependencies->predecessors[k]).text);
    }
    if (start == end) {
        snprintf(cell->text, sizeof cell->text, "-");
        cell->style = LOOK_DIM;
    }
}

static void put_cell(void *context, uint64_t row, int column, ListCell *cell)
{
    const TailCells *cells = context;
    const Phase *phase = cells->phase;
    uint32_t transfer = cells->dependencies->prefix_transfers + (uint32_t)row;
    uint32_t first = phase->receiver_start[transfer], receivers = phase_receivers(phase, transfer);
    switch ((TailColumn)column) {
    case COLUMN_TRANSFER:
        snprintf(cell->text, sizeof cell->text, "%s", figure_count(transfer).text);
        break;
    case COLUMN_DEPTH:
        snprintf(cell->text, sizeof cell->text, "%s",
                 figure_count(cells->dependencies->depth[transfer]).text);
        break;
    case COLUMN_SOURCE:
        snprintf(cell->text, sizeof cell->text, "%u", (unsigned)phase->source[transfer]);
        break;
    case COLUMN_RECEIVERS:
        snprintf(cell->text, sizeof cell->text, receivers > 1 ? "%u +%u" : "%u",
                 (unsigned)phase->receiver_tile[first], (unsigned)receivers - 1);
        break;
    case COLUMN_WORDS:
        snprintf(cell->text, sizeof cell->text, "%s", figure_count(phase->words[transfer]).text);
        break;
    case COLUMN_WAITS:
        put_predecessors(cells->dependencies, transfer, cell);
        break;
    case COLUMN_COUNT:
        break;
    }
}

static void draw_head(Tui *tui, const TailState *state, const PhaseEntry *entry,
                      const Dependencies *dependencies)
{
    Grid *grid = &tui->grid;
    grid_print(grid, state->head.row, 0, grid->columns, LOOK_STRONG,
               dependencies->tail_transfers == 0 ? "all %s of %s transfers are independent of each other"
                                                 : "%s of %s transfers are independent; %s follow in order",
               figure_count(dependencies->prefix_transfers).text, figure_count(entry->phase->transfers).text,
               figure_count(dependencies->tail_transfers).text);
    if (dependencies->edges == 0) {
        return;
    }
    grid_print(grid, state->head.row + 1, 0, grid->columns, LOOK_NORMAL, "%s dependent pair%s, depth %u%s%s",
               figure_count(dependencies->edges).text, dependencies->edges == 1 ? "" : "s",
               (unsigned)dependencies->maximum_depth,
               dependencies->read_write_overlap ? "; reads bytes that it writes" : "",
               dependencies->write_write_overlap ? "; writes bytes twice" : "");
}

static void tail_layout(Tui *tui, void *context, Rect area)
{
    TailState *state = context;
    (void)tui;
    int foot = area.height >= 36 ? REASON_ROWS * 2 : REASON_ROWS;
    state->head = (Rect){area.row, area.column, HEAD_ROWS, area.width};
    state->body = (Rect){area.row + HEAD_ROWS, area.column, area.height - HEAD_ROWS - foot, area.width};
    state->foot = (Rect){area.row + area.height - foot, area.column, foot, area.width};
}

/* Another phase begins at the top. */
static void follow_selection(TailState *state, const PhaseEntry *entry)
{
    if (state->entry != entry) {
        state->list = (List){0};
        state->entry = entry;
    }
}

static void tail_draw(Tui *tui, void *context)
{
    TailState *state = context;
    Grid *grid = &tui->grid;
    const PhaseEntry *entry = tui_selection(tui).entry;
    ResultKey key = {.entry = entry, .kind = RESULT_DEPENDENCIES, .mode = MODE_ORIGINAL};
    Error error;
    if (entry == NULL) {
        grid_text(grid, state->head.row, 0, grid->columns, LOOK_DIM, "No phase has been read yet.");
        return;
    }
    follow_selection(state, entry);
    const Dependencies *dependencies = tui_dependencies(tui, entry, MODE_ORIGINAL, SOON);
    if (dependencies == NULL) {
        bool failed = tui_failed(tui, &key, &error);
        grid_text(grid, state->head.row, 0, grid->columns, failed ? LOOK_WARNING : LOOK_DIM,
                  failed ? error.message : "computing dependencies…");
        return;
    }
    draw_head(tui, state, entry, dependencies);
    int number = figure_width(entry->phase->transfers);
    ListColumn columns[COLUMN_COUNT] = {
        [COLUMN_TRANSFER] = {"transfer", number, true, false, false},
        [COLUMN_DEPTH] = {"depth", 5, true, false, false},
        [COLUMN_SOURCE] = {"source", 6, true, false, false},
        [COLUMN_RECEIVERS] = {"receivers", 11, false, false, false},
        [COLUMN_WORDS] = {"words", 5, true, false, false},
        [COLUMN_WAITS] = {"waits for", 20, false, true, false},
    };
    TailCells cells = {entry->phase, dependencies};
    ListModel model = {.columns = columns,
                       .column_count = COLUMN_COUNT,
                       .frozen = 1,
                       .rows = dependencies->tail_transfers,
                       .cell = put_cell,
                       .context = &cells,
                       .empty = "no transfer of this phase waits for another: there is no tail"};
    list_draw(&state->list, &model, grid, state->body, true);
    if (dependencies->tail_transfers > 0) {
        draw_reasons(tui, state, entry, dependencies->prefix_transfers + (uint32_t)state->list.cursor);
    }
}

/* ---- keys ---- */

static const Dependencies *known_tail(Tui *tui)
{
    const PhaseEntry *entry = tui_selection(tui).entry;
    const Dependencies *dependencies =
        entry == NULL ? NULL : view_peek_dependencies(tui->view, entry, MODE_ORIGINAL);
    return dependencies != NULL && dependencies->tail_transfers > 0 ? dependencies : NULL;
}

static bool tail_act(Tui *tui, void *context, Action action)
{
    TailState *state = context;
    const Dependencies *dependencies = known_tail(tui);
    if (dependencies == NULL) {
        return false;
    }
    switch (action) {
    case ACTION_OPEN:
        follow_selection(state, tui_selection(tui).entry);
        if (state->list.cursor < dependencies->tail_transfers) {
            screen_tile_show_transfer(tui, dependencies->prefix_transfers + (uint32_t)state->list.cursor);
        }
        return true;
    case ACTION_NEXT:
        return list_act(&state->list, ACTION_DOWN);
    case ACTION_PREVIOUS:
        return list_act(&state->list, ACTION_UP);
    default:
        return list_act(&state->list, action);
    }
}

static bool tail_mouse(Tui *tui, void *context, const Event *event)
{
    TailState *state = context;
    uint64_t row;
    if (event->kind == EVENT_WHEEL_UP || event->kind == EVENT_WHEEL_DOWN) {
        bool reasons = event->row >= state->foot.row;
        list_scroll(reasons ? &state->reasons : &state->list, event->kind == EVENT_WHEEL_UP ? -3 : 3);
        return true;
    }
    if (!list_row_at(&state->list, event->row, event->column, &row)) {
        return false;
    }
    list_go(&state->list, row);
    return event->kind != EVENT_DOUBLE_CLICK || tail_act(tui, state, ACTION_OPEN);
}

/* `/` takes the number of a transfer. */
static void tail_found(Tui *tui, void *context, const char *text, char *words, size_t size)
{
    const Dependencies *dependencies = known_tail(tui);
    (void)context;
    (void)text;
    if (dependencies != NULL && dependencies->tail_transfers > 0) {
        uint64_t first = dependencies->prefix_transfers;
        snprintf(words, size, "%s to %s", figure_count(first).text,
                 figure_count(first + dependencies->tail_transfers - 1).text);
    }
}

static void tail_filter(Tui *tui, void *context, const char *text, bool kept)
{
    TailState *state = context;
    const Dependencies *dependencies = known_tail(tui);
    if (*text == '\0' || dependencies == NULL) {
        return;
    }
    uint64_t first = dependencies->prefix_transfers, last = first + dependencies->tail_transfers - 1;
    uint64_t transfer;
    if (word_number(text, first, last, "transfer", &transfer, NULL)) {
        list_go(&state->list, transfer - first);
    } else if (kept) {
        tui_say(tui, "the tail holds the transfers %s to %s", figure_count(first).text,
                figure_count(last).text);
    }
}

static void tail_close(Tui *tui, void *context)
{
    (void)tui;
    task_release((Task *)((TailState *)context)->task);
}

const ScreenOps screen_tail = {
    .state_size = sizeof(TailState),
    .layout = tail_layout,
    .draw = tail_draw,
    .act = tail_act,
    .mouse = tail_mouse,
    .filter = tail_filter,
    .found = tail_found,
    .close = tail_close,
};
