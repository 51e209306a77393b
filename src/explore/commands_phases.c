/* phases, phase, mode, modes, compare */
#include "config.h"

#include <string.h>

#include "explore/answers.h"
#include "explore/ranking.h"

/* ---- phases ---- */

static const Column phase_columns[] = {
    {"rank", "rank", UNIT_NONE, 0},
    {"phase", "phase", UNIT_NONE, 0},
    {"label", NULL, UNIT_NONE, 0},
    {"transfers", "transfers", UNIT_COUNT, 0},
    {"receive_fragments", "receive fragments", UNIT_COUNT, 0},
    {"maximum_endpoint_fragments", "most on a tile", UNIT_COUNT, 0},
    {"busiest_tile", "busiest tile", UNIT_NONE, 0},
    {"transmitted_bytes", "sent bytes", UNIT_BYTES, IN_VERBOSE},
    {"received_bytes", "received bytes", UNIT_BYTES, IN_VERBOSE},
    {"maximum_outgoing_bytes", "most sent", UNIT_BYTES, IN_VERBOSE},
    {"maximum_incoming_bytes", "most received", UNIT_BYTES, IN_VERBOSE},
    {"read_write_overlap", NULL, UNIT_NONE, IN_JSON | IN_CSV},
    {"overlap_text", "overlap", UNIT_NONE, IN_TEXT},
    {"tail_transfers", "tail", UNIT_COUNT, 0},
    {"write_write_overlap", NULL, UNIT_NONE, IN_JSON | IN_CSV},
    {"label_text", "label", UNIT_NONE, IN_TEXT},
};

enum { PHASE_COLUMNS = sizeof phase_columns / sizeof *phase_columns };

/* Which accesses of the phase meet. */
static const char *overlap_words(const Dependencies *dependencies)
{
    if (dependencies->read_write_overlap) {
        return dependencies->write_write_overlap ? "both" : "read/write";
    }
    return dependencies->write_write_overlap ? "write/write" : "no";
}

static void phase_row(CommandCall *call, Table *table, const RankedPhase *ranked)
{
    const PhaseEntry *entry = ranked->entry;
    const Dependencies *dependencies = view_peek_dependencies(call->view, entry, MODE_ORIGINAL);
    const char *label = view_label(call->view, entry);
    Cell cells[PHASE_COLUMNS], *cell = cells;
    Cell text = label == NULL ? cell_null() : cell_text(document_keep(call->out, "%s", label));
    *cell++ = cell_unsigned(ranked->rank);
    *cell++ = cell_unsigned(entry->phase->number);
    *cell++ = text;
    cell = cells_of_geometry(&entry->geometry, cell);
    if (dependencies == NULL) {
        for (int i = 0; i < 4; i++) {
            *cell++ = cell_null();
        }
    } else {
        bool overlap = dependencies->read_write_overlap || dependencies->write_write_overlap;
        bool tail = dependencies->tail_transfers != 0;
        *cell++ = cell_bool(dependencies->read_write_overlap);
        *cell++ = cell_marked(cell_text(overlap_words(dependencies)), overlap ? MARK_WARN : MARK_FAINT);
        *cell++ = cell_marked(cell_unsigned(dependencies->tail_transfers), tail ? MARK_WARN : MARK_FAINT);
        *cell++ = cell_bool(dependencies->write_write_overlap);
    }
    *cell++ = label == NULL ? cell_text("") : text;
    table_row(table, cells);
}

typedef struct Needed {
    const View *view;
    const RankedPhase *phases;
} Needed;

/* A phase that is refused as too entangled has no answer here; the others still do. */
static bool need_dependencies(void *context, size_t index, Progress *progress, Error *error)
{
    const Needed *needed = context;
    Error failure = {0};
    View *view = view_copy(needed->view, error);
    if (view == NULL) {
        return false;
    }
    bool done = view_need_dependencies(view, needed->phases[index].entry, MODE_ORIGINAL, progress,
                                       &failure) != NULL ||
                failure.kind == ERROR_REFUSED;
    view_free(view);
    if (!done && error != NULL) {
        *error = failure;
    }
    return done;
}

static void note_refused_phases(CommandCall *call, const RankedPhase *phases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ResultKey key = {.entry = phases[i].entry, .kind = RESULT_DEPENDENCIES};
        ResultStatus status;
        view_status(call->view, &key, &status);
        if (status.state == RESULT_FAILED) {
            document_note(call->out, "%s", status.error.message);
        }
    }
}

/* The phases that are asked for, with their dependencies: for a sort by tail, of all; else of those shown. */
static RankedPhase *query_phases(CommandCall *call, size_t *count, Error *error)
{
    PhaseQuery query = {.sort = (PhaseSort)argument_number(call, "--sort", PHASE_SORT_RANK),
                        .reverse = argument_given(call, "--reverse"),
                        .filter = argument_text(call, "--filter"),
                        .top = argument_number(call, "--top", 0)};
    PhaseQuery all = query;
    bool by_tail = query.sort == PHASE_SORT_TAIL;
    all.top = by_tail ? 0 : query.top;
    RankedPhase *phases = phase_rank(call->view, &all, count, error);
    Needed needed = {call->view, phases};
    if (phases == NULL || !session_parallel(call->session, *count, "finding dependencies", need_dependencies,
                                            &needed, call->progress, error)) {
        mem_free(phases);
        return NULL;
    }
    if (by_tail) {
        mem_free(phases);
        phases = phase_rank(call->view, &query, count, error);
    }
    return phases;
}

static bool run_phases(CommandCall *call, Error *error)
{
    size_t count;
    if (call->select_only) {
        return true;
    }
    RankedPhase *phases = query_phases(call, &count, error);
    if (phases == NULL) {
        return false;
    }
    Table *table = document_table(call->out, "phases", phase_columns, PHASE_COLUMNS);
    table_empty(table, "no phases");
    for (size_t i = 0; i < count; i++) {
        phase_row(call, table, &phases[i]);
    }
    note_refused_phases(call, phases, count);
    if (view_loading(call->view)) {
        document_note(call->out, "still loading: ranks are among the %zu phases read so far",
                      view_phase_count(call->view));
    }
    mem_free(phases);
    return true;
}

/* ---- phase ---- */

static uint32_t rank_of(const View *view, const PhaseEntry *entry)
{
    uint32_t rank = 1;
    uint64_t fragments = entry->geometry.maximum_endpoint_fragments;
    for (size_t i = 0; i < view_phase_count(view); i++) {
        const PhaseEntry *other = view_phase_at(view, i);
        uint64_t others = other->geometry.maximum_endpoint_fragments;
        rank += others > fragments || (others == fragments && other->index < entry->index);
    }
    return rank;
}

/* Why the selected mode is not to be had in this phase, NULL when it is. */
static bool find_refusal(CommandCall *call, const char **refusal, Error *error)
{
    Error trouble = {0};
    *refusal = NULL;
    if (call->mode == MODE_ORIGINAL) {
        return true;
    }
    const Dependencies *dependencies =
        view_need_dependencies(call->view, call->entry, MODE_ORIGINAL, call->progress, &trouble);
    if (dependencies != NULL) {
        *refusal = mode_refusal(call->mode, dependencies);
    } else if (trouble.kind == ERROR_REFUSED) {
        *refusal = document_keep(call->out, "%s", trouble.message);
    } else if (error != NULL) {
        *error = trouble;
    }
    return dependencies != NULL || trouble.kind == ERROR_REFUSED;
}

static bool run_phase(CommandCall *call, Error *error)
{
    Document *out = call->out;
    const Value *value = argument_value(call, "N", 0);
    if (value != NULL) {
        view_select_phase(call->view, value->entry);
        call->entry = value->entry;
    }
    if (call->select_only) {
        return true;
    }
    const PhaseEntry *entry = call->entry;
    const char *label = view_label(call->view, entry), *refusal;
    if (!find_refusal(call, &refusal, error)) {
        return false;
    }
    document_field(out, "phase", "phase", UNIT_NONE, cell_unsigned(entry->phase->number));
    document_field(out, "label", "label", UNIT_NONE,
                   label == NULL ? cell_null() : cell_text(document_keep(out, "%s", label)));
    document_field(out, "rank", "rank", UNIT_NONE, cell_unsigned(rank_of(call->view, entry)));
    Cell cells[8];
    cells_of_geometry(&entry->geometry, cells);
    answer_fields(out, phase_columns + 3, cells, 8);
    document_field(out, "iterations", "Repeat iterations", UNIT_COUNT,
                   cell_unsigned(phase_iterations(entry->phase)));
    document_field(out, "mode", "mode", UNIT_NONE, cell_text(mode_name(call->mode)));
    document_field_in(out, IN_JSON | IN_CSV, "mode_refusal", NULL, UNIT_NONE, cell_text(refusal));
    if (refusal != NULL) {
        document_note(out,
                      "mode %s is refused in this phase: %s. It stays chosen for the phases that have it; "
                      "`mode original` shows this one as captured",
                      mode_name(call->mode), refusal);
    }
    return true;
}

/* ---- mode, modes ---- */

static void note_mode(Document *out, Mode mode)
{
    if (mode == MODE_SOURCE || mode == MODE_BOTH) {
        document_note(out, "packing in place at a source is never claimed: a later consumer may still read "
                           "the original layout, so the staging buffer is fresh memory");
    }
}

static void note_failed_replay(Document *out, const ModeAnswer *answer)
{
    if (answer->replayed && !answer->replay.invariants_pass) {
        document_note(out, "the replay of mode %s FAILED its check, so its figures are not shown: %s",
                      mode_name(answer->mode), answer->replay.first_fault);
    }
}

static Cell *new_mode_cells(Error *error)
{
    return mem_new(mode_column_count, sizeof(Cell), error);
}

static bool run_mode(CommandCall *call, Error *error)
{
    const Value *value = argument_value(call, "NAME", 0);
    Mode mode = value != NULL ? value->mode : call->mode;
    ModeAnswer answer;
    if (call->select_only) {
        view_select_mode(call->view, mode); /* a refused one too: the screen says why it is */
        return true;
    }
    if (!mode_answer(call->view, call->entry, mode, call->progress, &answer, error)) {
        return false;
    }
    if (!answer.available) {
        return error_set(error, ERROR_REFUSED, "mode %s of phase %u is refused: %s", mode_name(mode),
                         (unsigned)call->entry->phase->number, answer.reason);
    }
    Cell *cells = new_mode_cells(error);
    if (cells == NULL) {
        return false;
    }
    if (value != NULL) {
        view_select_mode(call->view, mode);
    }
    answer_phase(call);
    mode_cells(&answer, call->out, cells);
    answer_fields(call->out, mode_columns, cells, mode_column_count);
    mem_free(cells);
    document_note(call->out, "%s: %s", mode_name(mode), mode_summary(mode));
    note_mode(call->out, mode);
    note_failed_replay(call->out, &answer);
    return true;
}

typedef struct ModesNeeded {
    const View *view;
    const PhaseEntry *entry;
    ModeAnswer answers[MODE_COUNT];
} ModesNeeded;

static bool need_mode(void *context, size_t index, Progress *progress, Error *error)
{
    ModesNeeded *needed = context;
    View *view = view_copy(needed->view, error);
    bool done = view != NULL &&
                mode_answer(view, needed->entry, (Mode)index, progress, &needed->answers[index], error);
    view_free(view);
    return done;
}

static ModesNeeded *need_all_modes(CommandCall *call, Error *error)
{
    ModesNeeded *needed = mem_zero(1, sizeof *needed, error);
    if (needed == NULL) {
        return NULL;
    }
    needed->view = call->view;
    needed->entry = call->entry;
    if (!session_parallel(call->session, MODE_COUNT, "building and proving modes", need_mode, needed,
                          call->progress, error)) {
        mem_free(needed);
        return NULL;
    }
    return needed;
}

/* Marks the best of a column: every valid mode that has the least. */
static void mark_best(const ModesNeeded *needed, Cell *cells, const char *key)
{
    size_t column = 0;
    uint64_t values[MODE_COUNT], best;
    bool stand[MODE_COUNT];
    while (strcmp(mode_columns[column].key, key) != 0) {
        column++;
    }
    for (size_t mode = 0; mode < MODE_COUNT; mode++) {
        const Cell *cell = &cells[mode * mode_column_count + column];
        stand[mode] = needed->answers[mode].equivalence.valid && cell->kind == CELL_UNSIGNED;
        values[mode] = stand[mode] ? cell->as.number : 0;
    }
    bool any = trust_best(values, stand, MODE_COUNT, &best);
    for (size_t mode = 0; any && mode < MODE_COUNT; mode++) {
        if (stand[mode] && values[mode] == best) {
            cells[mode * mode_column_count + column].mark = MARK_BEST;
        }
    }
}

static bool run_modes(CommandCall *call, Error *error)
{
    ModesNeeded *needed = need_all_modes(call, error);
    Cell *cells = needed == NULL ? NULL : mem_new(MODE_COUNT * mode_column_count, sizeof *cells, error);
    if (cells == NULL) {
        mem_free(needed);
        return false;
    }
    answer_phase(call);
    Table *table = document_table(call->out, "modes", mode_columns, mode_column_count);
    for (Mode mode = 0; mode < MODE_COUNT; mode++) {
        mode_cells(&needed->answers[mode], call->out, cells + mode * mode_column_count);
    }
    mark_best(needed, cells, "transfers");
    mark_best(needed, cells, "receive_fragments");
    mark_best(needed, cells, "maximum_endpoint_fragments");
    mark_best(needed, cells, "replay.horizon_cycles");
    mark_best(needed, cells, "replay.maximum_row_bytes");
    for (Mode mode = 0; mode < MODE_COUNT; mode++) {
        table_row(table, cells + mode * mode_column_count);
        note_failed_replay(call->out, &needed->answers[mode]);
    }
    document_note(
        call->out,
        "* best of the valid modes, ! not valid. Staging needs fresh memory, per tile and not proven "
        "to fit; copy cycles are a floor of 8 bytes a cycle.");
    note_mode(call->out, MODE_SOURCE);
    mem_free(cells);
    mem_free(needed);
    return true;
}

/* ---- compare ---- */

static const Column compare_columns[] = {
    {"figure", NULL, UNIT_NONE, IN_JSON | IN_CSV},
    {"figure_text", "figure", UNIT_NONE, IN_TEXT},
    {"before", "before", UNIT_COUNT, 0},
    {"after", "after", UNIT_COUNT, 0},
    {"delta", "change", UNIT_COUNT, 0},
    {"percent", "percent", UNIT_PERCENT, 0},
};

enum { COMPARE_COLUMNS = sizeof compare_columns / sizeof *compare_columns };

/* A figure under the name that `modes` and `mode` give it in each format. */
static void compare_row(Table *table, const Column *figure, const Cell *before, const Cell *after)
{
    if (before->kind != CELL_UNSIGNED || after->kind != CELL_UNSIGNED) {
        return;
    }
    const char *key = strncmp(figure->key, "replay.", 7) == 0 ? figure->key + 7 : figure->key;
    int64_t delta = (int64_t)after->as.number - (int64_t)before->as.number;
    CellMark mark = delta < 0 ? MARK_GOOD : delta > 0 ? MARK_WARN : MARK_FAINT;
    bool valid = before->mark != MARK_BAD && after->mark != MARK_BAD;
    Cell percent =
        before->as.number == 0 ? cell_null() : cell_real(100.0 * (double)delta / (double)before->as.number);
    table_row(table, (Cell[]){cell_text(key), cell_text(figure->title), *before, *after,
                              cell_marked(cell_signed(delta), valid ? mark : MARK_BAD),
                              cell_marked(percent, valid ? MARK_NONE : MARK_BAD)});
}

static void compare_side(Document *out, const char *key, const char *valid_key, const ModeAnswer *answer)
{
    Trust trust = trust_of(&answer->equivalence);
    document_identify(out, key, NULL, UNIT_NONE, cell_text(mode_name(answer->mode)));
    document_identify(out, valid_key, NULL, UNIT_NONE, cell_bool(answer->equivalence.valid));
    document_field_in(
        out, IN_TEXT, key, key, UNIT_NONE,
        cell_marked(cell_text(document_keep(out, "%s (%s)", mode_name(answer->mode), trust_words(trust))),
                    trust_mark(trust)));
}

static bool compare_answer(CommandCall *call, Mode mode, ModeAnswer *answer, Error *error)
{
    if (!mode_answer(call->view, call->entry, mode, call->progress, answer, error)) {
        return false;
    }
    return answer->available ||
           error_set(error, ERROR_REFUSED, "mode %s of phase %u is refused: %s", mode_name(mode),
                     (unsigned)call->entry->phase->number, answer->reason);
}

static bool run_compare(CommandCall *call, Error *error)
{
    ModeAnswer before, after;
    if (!compare_answer(call, argument_value(call, "BEFORE", 0)->mode, &before, error) ||
        !compare_answer(call, argument_value(call, "AFTER", 0)->mode, &after, error)) {
        return false;
    }
    Cell *cells = mem_new(2 * mode_column_count, sizeof *cells, error);
    if (cells == NULL) {
        return false;
    }
    mode_cells(&before, call->out, cells);
    mode_cells(&after, call->out, cells + mode_column_count);
    answer_phase(call);
    compare_side(call->out, "before", "before_valid", &before);
    compare_side(call->out, "after", "after_valid", &after);
    Table *table = document_table(call->out, "figures", compare_columns, COMPARE_COLUMNS);
    for (size_t i = 0; i < mode_column_count; i++) {
        const char *key = mode_columns[i].key;
        bool is_number_of_tile = strcmp(key, "busiest_tile") == 0 || strstr(key, "_tile") != NULL ||
                                 strncmp(key, "first_difference", 16) == 0;
        if (!is_number_of_tile) {
            compare_row(table, &mode_columns[i], &cells[i], &cells[mode_column_count + i]);
        }
    }
    note_failed_replay(call->out, &before);
    note_failed_replay(call->out, &after);
    if (!before.replayed || !after.replayed) {
        document_note(call->out,
                      "row bytes and cycles appear once both modes are replayed: replay --mode all");
    }
    mem_free(cells);
    return true;
}

/* ---- the table ---- */

static const Parameter phases_parameters[] = {
    {"--sort", PARAMETER_CHOICE, 0, phase_sort_names,
     "rank and maximum: most fragments on one tile; fragments: receive fragments; counts largest first"},
    {"--reverse", PARAMETER_FLAG, 0, NULL, "the other way round"},
    {"--top", PARAMETER_NUMBER, PARAMETER_POSITIVE, NULL, "only the first so many"},
    {"--filter", PARAMETER_TEXT, 0, NULL,
     "only phases whose label has this text, or whose number begins with it"},
    {0}};
static const Parameter phase_parameters[] = {
    {"N", PARAMETER_PHASE, 0, NULL,
     "select this phase, or the worst one; without it, the one that is selected"},
    {0}};
static const Parameter mode_parameters[] = {
    {"NAME", PARAMETER_MODE, 0, NULL,
     "select this mode (name or letter); without it, the one that is selected"},
    {"--phase", PARAMETER_PHASE, 0, NULL, "of this phase"},
    {0}};
static const Parameter modes_parameters[] = {{"--phase", PARAMETER_PHASE, 0, NULL, "of this phase"}, {0}};
static const Parameter compare_parameters[] = {
    {"BEFORE", PARAMETER_MODE, PARAMETER_REQUIRED, NULL, "mode, by name or letter"},
    {"AFTER", PARAMETER_MODE, PARAMETER_REQUIRED, NULL, "mode, by name or letter"},
    {"--phase", PARAMETER_PHASE, 0, NULL, "of this phase"},
    {0}};

static const Command commands[] = {
    {"phases", "all phases, the most fragmented first", "phases --top 5",
     "`overlap`: read/write when the phase reads bytes that it also writes, whichever comes first; "
     "write/write when it "
     "writes some bytes twice. Either way whole-phase staging is refused. "
     "`tail`: transfers from the first one on that waits for another.",
     run_phases, COMMAND_NEEDS_CAPTURE | COMMAND_SELECTS, phases_parameters},
    {"phase", "select a phase, or say which is selected", "phase worst", NULL, run_phase,
     COMMAND_INSTANT | COMMAND_NEEDS_PHASE | COMMAND_SELECTS, phase_parameters},
    {"mode", "select a mode, with all its figures", "mode coalesced",
     "Modes: original, coalesced, source, receiver, both, coalesced-prefix, coalesced-levels, "
     "reordered; or the letters o c s r b p l x.",
     run_mode, COMMAND_NEEDS_PHASE | COMMAND_SELECTS, mode_parameters},
    {"modes", "all modes of the phase side by side", "modes --phase worst",
     "Each mode is proved to do the same as the captured phase; one that is not proved is never shown "
     "as valid. Replay figures appear once the mode has been replayed.",
     run_modes, COMMAND_NEEDS_PHASE, modes_parameters},
    {"compare", "two modes before and after, figure by figure", "compare original coalesced", NULL,
     run_compare, COMMAND_NEEDS_PHASE, compare_parameters},
};

CommandTable commands_of_phases(void)
{
    return (CommandTable){commands, sizeof commands / sizeof *commands};
}
