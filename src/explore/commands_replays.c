/* replay, rows, timeline */
#include "config.h"

#include <string.h>

#include "explore/answers.h"
#include "explore/ranking.h"
#include "row/decode.h"
#include "row/disassemble.h"

/* ---- replay ---- */

/* One (phase, mode) that is replayed, and what came of it. */
typedef struct ReplayItem {
    const PhaseEntry *entry;
    Mode mode;
    bool refused;
    char reason[REASON_BYTES];
    Equivalence equivalence;
    ReplaySummary summary;
} ReplayItem;

typedef struct ReplayList {
    const View *view;
    ReplayOptions options;
    VEC(ReplayItem) items;
} ReplayList;

static bool replay_with(View *view, const ReplayList *list, ReplayItem *item, Progress *progress,
                        Error *error)
{
    const ReplaySummary *summary =
        view_need_replay_figures(view, item->entry, item->mode, &list->options, progress, error);
    const Equivalence *equivalence =
        summary == NULL ? NULL : view_need_equivalence(view, item->entry, item->mode, progress, error);
    if (equivalence == NULL) {
        return false;
    }
    item->summary = *summary;
    item->equivalence = *equivalence;
    return true;
}

/* Where several are asked for, one that is refused is an answer too. */
static bool replay_one(void *context, size_t index, Progress *progress, Error *error)
{
    ReplayList *list = context;
    ReplayItem *item = &list->items.items[index];
    Error failure = {0};
    View *view = view_copy(list->view, error);
    if (view == NULL) {
        return false;
    }
    bool done = replay_with(view, list, item, progress, &failure);
    if (!done && failure.kind == ERROR_REFUSED && list->items.count > 1) {
        item->refused = true;
        Error refusal = failure;
        done = mode_reason(view, item->entry, item->mode, &refusal, progress, item->reason, &failure);
    }
    view_free(view);
    if (!done && error != NULL) {
        *error = failure;
    }
    return done;
}

/* The modes asked for, of one phase. */
static bool replay_list_add(CommandCall *call, const PhaseEntry *entry, ReplayList *list, Error *error)
{
    const Value *mode = argument_value(call, "--mode", 0);
    bool all = mode != NULL && mode->all;
    for (Mode m = 0; m < MODE_COUNT; m++) {
        ReplayItem item = {.entry = entry, .mode = m};
        if ((all || m == call->mode) && !vec_push(&list->items, item, error)) {
            return false;
        }
    }
    return true;
}

/* In ranking order, modes in their own. */
static bool replay_list_fill(CommandCall *call, ReplayList *list, Error *error)
{
    const Value *phase = argument_value(call, "--phase", 0);
    if (phase == NULL || !phase->all) {
        return replay_list_add(call, call->entry, list, error);
    }
    size_t count;
    RankedPhase *phases = phase_rank(call->view, &(PhaseQuery){0}, &count, error);
    bool done = phases != NULL;
    for (size_t i = 0; done && i < count; i++) {
        done = replay_list_add(call, phases[i].entry, list, error);
    }
    mem_free(phases);
    return done;
}

static ReplayOptions call_replay_options(const CommandCall *call)
{
    Settings settings = session_settings(call->session);
    return (ReplayOptions){.stream_words = argument_number(call, "--stream-words", settings.stream_words),
                           .balance = settings.balance && !argument_given(call, "--no-balance")};
}

static void replay_row_cells(const ReplayItem *item, Document *out, Cell *cells)
{
    Cell *last = cells + replay_column_count - 1;
    for (Cell *cell = cells; cell <= last; cell++) {
        *cell = cell_absent();
    }
    cells[0] = cell_unsigned(item->entry->phase->number);
    cells[1] = cell_text(mode_name(item->mode));
    if (item->refused) {
        cells[4] = cell_text(document_keep(out, "%s", item->reason));
        *last = cell_marked(cell_text(document_keep(out, "refused: %s", item->reason)), MARK_FAINT);
        return;
    }
    Trust trust = trust_of(&item->equivalence);
    cells[2] = equivalent_cell(&item->equivalence);
    cells[3] = cell_bool(item->equivalence.valid);
    replay_cells(&item->summary, trust_mark(trust), out, cells + 5);
    *last = cell_marked(cell_text(trust_words(trust)), trust_mark(trust));
}

static void replay_notes(CommandCall *call, const ReplayList *list)
{
    uint64_t paired = 0;
    for (size_t i = 0; i < list->items.count; i++) {
        const ReplayItem *item = &list->items.items[i];
        paired += item->refused ? 0 : item->summary.paired64_transfers;
        if (!item->refused && !item->summary.invariants_pass) {
            document_note(call->out, "phase %u, mode %s FAILED its check, so its figures are not shown: %s",
                          (unsigned)item->entry->phase->number, mode_name(item->mode),
                          item->summary.first_fault);
        }
    }
    if (paired != 0) {
        document_note(call->out, "Paired64 transfers are replayed as 32-bit ones");
    }
    document_note(call->out,
                  "cycles come from the scheduling model; no payload ran on hardware. Row bytes are "
                  "per tile and phase, before cross-phase sharing");
}

static bool replay_answer(CommandCall *call, const ReplayList *list, Error *error)
{
    Cell *cells = mem_new(replay_column_count, sizeof *cells, error);
    if (cells == NULL) {
        return false;
    }
    if (list->items.count == 1) {
        replay_row_cells(&list->items.items[0], call->out, cells);
        answer_phase(call);
        document_identify(call->out, "mode", "mode", UNIT_NONE, cells[1]);
        answer_fields(call->out, replay_columns + 2, cells + 2, replay_column_count - 2);
    } else {
        Table *table = document_table(call->out, "replays", replay_columns, replay_column_count);
        for (size_t i = 0; i < list->items.count; i++) {
            replay_row_cells(&list->items.items[i], call->out, cells);
            table_row(table, cells);
        }
    }
    mem_free(cells);
    replay_notes(call, list);
    return true;
}

static bool run_replay(CommandCall *call, Error *error)
{
    ReplayList list = {.view = call->view, .options = call_replay_options(call)};
    bool done = replay_list_fill(call, &list, error) &&
                session_parallel(call->session, list.items.count, "replaying", replay_one, &list,
                                 call->progress, error) &&
                replay_answer(call, &list, error);
    vec_free(&list.items);
    return done;
}

/* ---- the replay of the current mode, looked into ---- */

/* The tile that is selected, or the one with the longest row. */
static uint16_t replay_tile(const CommandCall *call, const Replay *replay)
{
    int32_t chosen = call->tile >= 0 ? call->tile : replay->maximum_row_tile;
    return (uint16_t)(chosen < 0 ? 0 : chosen);
}

/* ---- rows ---- */

static const Column step_columns[] = {
    {"line", "  word  [  start,     end)  instruction", UNIT_NONE, IN_TEXT},
    {"word", NULL, UNIT_NONE, IN_JSON | IN_CSV},
    {"start", NULL, UNIT_CYCLES, IN_JSON | IN_CSV},
    {"end", NULL, UNIT_CYCLES, IN_JSON | IN_CSV},
    {"operation", NULL, UNIT_NONE, IN_JSON | IN_CSV},
    {"words", NULL, UNIT_WORDS, IN_JSON | IN_CSV},
    {"address", NULL, UNIT_ADDRESS, IN_JSON | IN_CSV},
    {"sctl", NULL, UNIT_NONE, IN_JSON | IN_CSV},
    {"mux", NULL, UNIT_NONE, IN_JSON | IN_CSV},
    {"pointer_address", NULL, UNIT_ADDRESS, IN_JSON | IN_CSV},
    {"control_cycle", NULL, UNIT_CYCLES, IN_JSON | IN_CSV},
};

enum { STEP_COLUMNS = sizeof step_columns / sizeof *step_columns };

typedef struct StepList {
    VEC(RowStep) steps;
    Text line; /* of the row made last */
} StepList;

static void step_list_free(void *context)
{
    StepList *list = context;
    vec_free(&list->steps);
    text_free(&list->line);
    mem_free(list);
}

static void step_row(void *context, size_t index, Cell *cells)
{
    StepList *list = context;
    const RowStep *step = &list->steps.items[index];
    text_clear(&list->line);
    row_step_text(step, &list->line);
    cells[0] = cell_scratch(&list->line);
    cells[1] = cell_unsigned(step->word);
    cells[2] = cell_unsigned(step->start);
    cells[3] = cell_unsigned(step->end);
    cells[4] = cell_text(operation_name(step->instruction.operation));
    if (step->words != 0) {
        cells[5] = cell_unsigned(step->words);
        cells[6] = cell_unsigned(step->address);
        cells[7] = cell_unsigned(step->sctl);
    }
    if (step->sets_mux) {
        cells[8] = cell_unsigned(step->instruction.mux);
    }
    if (step->sets_pointer) {
        cells[9] = cell_unsigned((uint64_t)step->instruction.pointer * 4);
    }
    if (step->sets_mux || step->sets_pointer) {
        cells[10] = cell_unsigned(step->control);
    }
}

static StepList *step_list_new(const uint32_t *words, size_t count, Error *error)
{
    StepList *list = mem_zero(1, sizeof *list, error);
    if (list == NULL) {
        return NULL;
    }
    RowReader reader = row_reader(words, count);
    RowStep step;
    bool done = true;
    while (done && row_read(&reader, &step)) {
        done = vec_push(&list->steps, step, error);
    }
    if (done && reader.fault != NULL) {
        done = error_set(error, ERROR_REFUSED, "word %zu is no row: %s", reader.next, reader.fault);
    }
    if (!done) {
        step_list_free(list);
        return NULL;
    }
    return list;
}

static void row_of_tile(void *context, size_t index, const uint32_t **words, size_t *count)
{
    const Replay *replay = context;
    *words = replay->row_words + replay->row_start[index];
    *count = (size_t)(replay->row_start[index + 1] - replay->row_start[index]);
}

/* One tile: its row disassembled; in JSON its words too. */
static bool rows_of_tile(CommandCall *call, const Replay *replay, uint16_t tile, Error *error)
{
    Document *out = call->out;
    const uint32_t *words;
    size_t count;
    row_of_tile((void *)replay, tile, &words, &count);
    StepList *list = step_list_new(words, count, error);
    if (list == NULL) {
        return false;
    }
    document_identify(out, "tile", "tile", UNIT_NONE, cell_unsigned(tile));
    document_field(out, "row_words", "row words", UNIT_WORDS, cell_unsigned(count));
    document_field(out, "row_bytes", "row bytes", UNIT_BYTES, cell_unsigned(4 * count));
    document_field(out, "tile_event_cycles", "tile ends at cycle", UNIT_CYCLES,
                   cell_unsigned(replay->tile_horizon[tile]));
    document_field(out, "incoming_base", "incoming base", UNIT_ADDRESS,
                   cell_tile(replay->incoming_base[tile]));
    document_hex_list(out, "row", words, count);
    document_lazy_table(out, 0, "steps", step_columns, STEP_COLUMNS, list->steps.count, step_row, list);
    document_own(out, list, step_list_free);
    return true;
}

static const Column row_columns[] = {
    {"tile", "tile", UNIT_NONE, 0},
    {"row_words", "words", UNIT_WORDS, 0},
    {"tile_event_cycles", "ends at cycle", UNIT_CYCLES, 0},
    {"incoming_base", "incoming base", UNIT_ADDRESS, 0},
    {"row", "row", UNIT_NONE, 0},
};

typedef struct RowList {
    const Replay *replay;
    Text hex; /* of the row made last */
    int64_t horizons[FABRIC_TILES], bases[FABRIC_TILES];
} RowList;

static void row_list_free(void *context)
{
    RowList *list = context;
    text_free(&list->hex);
    mem_free(list);
}

static void row_row(void *context, size_t index, Cell *cells)
{
    RowList *list = context;
    const uint32_t *words;
    size_t count;
    row_of_tile((void *)list->replay, index, &words, &count);
    text_clear(&list->hex);
    for (size_t i = 0; i < count; i++) {
        text_append(&list->hex, i == 0 ? "" : " ");
        text_append_hex(&list->hex, words[i], 8);
    }
    cells[0] = cell_unsigned(index);
    cells[1] = cell_unsigned(count);
    cells[2] = cell_unsigned(list->replay->tile_horizon[index]);
    cells[3] = cell_tile(list->replay->incoming_base[index]);
    cells[4] = cell_scratch(&list->hex);
}

static bool rows_of_all(CommandCall *call, const Replay *replay, Error *error)
{
    Document *out = call->out;
    RowList *list = mem_zero(1, sizeof *list, error);
    if (list == NULL) {
        return false;
    }
    list->replay = replay;
    for (uint32_t tile = 0; tile < replay->tile_count; tile++) {
        list->horizons[tile] = replay->tile_horizon[tile];
        list->bases[tile] = replay->incoming_base[tile];
    }
    document_hex_lists(out, "rows", replay->tile_count, row_of_tile, (void *)replay);
    document_numbers(out, "tile_event_cycles", list->horizons, replay->tile_count);
    document_numbers(out, "incoming_bases", list->bases, replay->tile_count);
    document_lazy_table(out, IN_TEXT | IN_CSV, "rows", row_columns, 5, replay->tile_count, row_row, list);
    document_own(out, list, row_list_free);
    return true;
}

static bool run_rows(CommandCall *call, Error *error)
{
    const Replay *replay = answer_replay(call, error);
    if (replay == NULL || !answer_mode(call, error)) {
        return false;
    }
    return argument_given(call, "--all") ? rows_of_all(call, replay, error)
                                         : rows_of_tile(call, replay, replay_tile(call, replay), error);
}

/* ---- timeline ---- */

static const Column activity_columns[] = {
    {"start", "start", UNIT_CYCLES, 0},
    {"end", "end", UNIT_CYCLES, 0},
    {"memory_end", "memory end", UNIT_CYCLES, 0},
    {"kind", "what", UNIT_NONE, 0},
    {"transfer", "transfer", UNIT_NONE, 0},
    {"address", "address", UNIT_ADDRESS, 0},
    {"words", "words", UNIT_WORDS, 0},
};

enum { ACTIVITY_COLUMNS = sizeof activity_columns / sizeof *activity_columns };

typedef struct ActivityList {
    VEC(const Activity *) items;
} ActivityList;

static void activity_list_free(void *context)
{
    ActivityList *list = context;
    vec_free(&list->items);
    mem_free(list);
}

static void activity_row(void *context, size_t index, Cell *cells)
{
    const ActivityList *list = context;
    const Activity *activity = list->items.items[index];
    cells[0] = cell_unsigned(activity->start);
    cells[1] = cell_unsigned(activity->end);
    cells[2] = cell_unsigned(activity->memory_end);
    cells[3] = cell_text(activity->kind == ACTIVITY_SEND ? "send" : "receive");
    cells[4] = cell_unsigned(activity->transfer);
    cells[5] = cell_unsigned(activity->address);
    cells[6] = cell_unsigned(activity->words);
}

static bool timeline_fill(ActivityList *list, const Replay *replay, uint16_t tile, uint32_t from, uint32_t to,
                          Error *error)
{
    for (uint64_t i = replay->activity_start[tile]; i < replay->activity_start[tile + 1]; i++) {
        const Activity *activity = &replay->activities[i];
        if (activity->end > from && activity->start < to && !vec_push(&list->items, activity, error)) {
            return false;
        }
    }
    return true;
}

static bool run_timeline(CommandCall *call, Error *error)
{
    const Replay *replay = answer_replay(call, error);
    if (replay == NULL || !answer_mode(call, error)) {
        return false;
    }
    uint16_t tile = replay_tile(call, replay);
    uint32_t from = argument_number(call, "--from", 0);
    uint32_t to = argument_number(call, "--to", replay->horizon_cycles);
    if (from > to && argument_given(call, "--to")) {
        return error_set(error, ERROR_USAGE, "the time from cycle %u to %u ends before it begins", from, to);
    }
    to = from > to ? from : to;
    ActivityList *list = mem_zero(1, sizeof *list, error);
    if (list == NULL || !timeline_fill(list, replay, tile, from, to, error)) {
        if (list != NULL) {
            activity_list_free(list);
        }
        return false;
    }
    document_identify(call->out, "tile", "tile", UNIT_NONE, cell_unsigned(tile));
    document_field(call->out, "from_cycle", "from cycle", UNIT_CYCLES, cell_unsigned(from));
    document_field(call->out, "to_cycle", "to cycle", UNIT_CYCLES, cell_unsigned(to));
    document_field(call->out, "horizon_cycles", "tile ends at cycle", UNIT_CYCLES,
                   cell_unsigned(replay->tile_horizon[tile]));
    Table *table = document_lazy_table(call->out, 0, "activities", activity_columns, ACTIVITY_COLUMNS,
                                       list->items.count, activity_row, list);
    table_empty(table, "nothing happens on this tile in that time");
    document_own(call->out, list, activity_list_free);
    return true;
}

/* ---- the table ---- */

#define PHASE_MODE_PARAMETERS                                                                                \
    {"--phase", PARAMETER_PHASE, 0, NULL, "of this phase"},                                                  \
    {                                                                                                        \
        "--mode", PARAMETER_MODE, 0, NULL, "in this mode"                                                    \
    }

static const Parameter replay_parameters[] = {
    {"--mode", PARAMETER_MODE, PARAMETER_ALLOW_ALL, NULL, "this mode, or all available ones"},
    {"--phase", PARAMETER_PHASE, PARAMETER_ALLOW_ALL, NULL, "this phase, or all"},
    {"--stream-words", PARAMETER_NUMBER, PARAMETER_POSITIVE, NULL,
     "words of one wave of a stream (setting stream_words)"},
    {"--no-balance", PARAMETER_FLAG, 0, NULL, "streams by total words instead of balanced (setting balance)"},
    {0}};
static const Parameter rows_parameters[] = {
    {"--tile", PARAMETER_TILE, 0, NULL, "of this tile; without it, the selected one, or the longest row"},
    {"--all", PARAMETER_FLAG, 0, NULL, "the words of every tile's row"},
    PHASE_MODE_PARAMETERS,
    {0}};
static const Parameter timeline_parameters[] = {
    {"--tile", PARAMETER_TILE, 0, NULL, "of this tile; without it, the selected one, or the longest row"},
    {"--from", PARAMETER_NUMBER, 0, NULL, "first cycle"},
    {"--to", PARAMETER_NUMBER, 0, NULL, "end cycle"},
    PHASE_MODE_PARAMETERS,
    {0}};

static const Command commands[] = {
    {"replay", "replay the exchange scheduler", "replay --mode all",
     "A mode that is not valid may be replayed for study and stays marked. Every replay is checked by "
     "code that shares nothing with the scheduler; one that fails shows FAIL and no figures.",
     run_replay, COMMAND_NEEDS_PHASE, replay_parameters},
    {"rows", "the instructions of a tile's row, with their cycles", "rows --tile busiest",
     "Replays the mode if need be.", run_rows, COMMAND_NEEDS_PHASE, rows_parameters},
    {"timeline", "what a tile sends and receives, and when", "timeline --tile 3 --from 0 --to 2000",
     "Replays the mode if need be.", run_timeline, COMMAND_NEEDS_PHASE, timeline_parameters},
};

CommandTable commands_of_replays(void)
{
    return (CommandTable){commands, sizeof commands / sizeof *commands};
}
