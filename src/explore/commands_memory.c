/* coverage, identity, copies, cycles */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "explore/answers.h"

static const char *const scope_names[] = {[SCOPE_PHASE] = "phase", [SCOPE_PREFIX] = "prefix", NULL};

/* The scope that --scope names, or the default one. */
static bool call_scope(CommandCall *call, Scope *scope, Error *error)
{
    const Dependencies *dependencies =
        view_need_dependencies(call->view, call->entry, MODE_ORIGINAL, call->progress, error);
    if (dependencies == NULL) {
        return false;
    }
    *scope = (Scope)argument_number(call, "--scope", scope_default(dependencies));
    return true;
}

static const Coverage *call_coverage(CommandCall *call, Scope *scope, Error *error)
{
    return call_scope(call, scope, error)
               ? view_need_coverage(call->view, call->entry, *scope, call->progress, error)
               : NULL;
}

static void note_gaps(Document *out)
{
    document_note(out, "a span of addresses proves nothing about the memory in its gaps: each needs a "
                       "liveness check of its own");
}

/* ---- coverage ---- */

static const Column coverage_columns[] = {
    {"tile", "tile", UNIT_NONE, 0},
    {"payload_bytes", "payload bytes", UNIT_BYTES, 0},
    {"union_bytes", "union bytes", UNIT_BYTES, 0},
    {"intervals", "intervals", UNIT_COUNT, 0},
    {"overlap_bytes", "overlap bytes", UNIT_BYTES, 0},
    {"contiguous", "contiguous", UNIT_NONE, 0},
    {"low", "low", UNIT_ADDRESS, 0},
    {"high", "high", UNIT_ADDRESS, 0},
};

static const Column busiest_coverage_columns[] = {
    {"busiest.payload_bytes", "payload bytes", UNIT_BYTES, 0},
    {"busiest.union_bytes", "union bytes", UNIT_BYTES, 0},
    {"busiest.intervals", "intervals", UNIT_COUNT, 0},
    {"busiest.overlap_bytes", "overlap bytes", UNIT_BYTES, 0},
    {"busiest.contiguous", "contiguous", UNIT_NONE, 0},
    {"busiest.low", "lowest address", UNIT_ADDRESS, 0},
    {"busiest.high", "end address", UNIT_ADDRESS, 0},
};

static const Column one_coverage_columns[] = {
    {"coverage.payload_bytes", "payload bytes", UNIT_BYTES, 0},
    {"coverage.union_bytes", "union bytes", UNIT_BYTES, 0},
    {"coverage.intervals", "intervals", UNIT_COUNT, 0},
    {"coverage.overlap_bytes", "overlap bytes", UNIT_BYTES, 0},
    {"coverage.contiguous", "contiguous", UNIT_NONE, 0},
    {"coverage.low", "lowest address", UNIT_ADDRESS, 0},
    {"coverage.high", "end address", UNIT_ADDRESS, 0},
};

enum { COVERAGE_CELLS = sizeof one_coverage_columns / sizeof *one_coverage_columns };

static void coverage_cells(const TileCoverage *tile, Cell *cell)
{
    bool any = tile->payload_bytes != 0;
    *cell++ = cell_unsigned(tile->payload_bytes);
    *cell++ = cell_unsigned(tile->union_bytes);
    *cell++ = cell_unsigned(tile->intervals);
    *cell++ = cell_unsigned(tile->overlap_bytes);
    *cell++ = cell_bool(tile->contiguous);
    *cell++ = any ? cell_unsigned(tile->low) : cell_null();
    *cell++ = any ? cell_unsigned(tile->high) : cell_null();
}

void answer_tile_coverage(Document *out, const TileCoverage *tile)
{
    Cell cells[COVERAGE_CELLS];
    coverage_cells(tile, cells);
    answer_fields(out, one_coverage_columns, cells, COVERAGE_CELLS);
}

static const Column gap_columns[] = {
    {"address", "gap at", UNIT_ADDRESS, 0},
    {"bytes", "bytes", UNIT_BYTES, 0},
};

static void gap_row(void *context, size_t index, Cell *cells)
{
    const CoverageGap *gap = (const CoverageGap *)context + index;
    cells[0] = cell_unsigned(gap->address);
    cells[1] = cell_unsigned(gap->bytes);
}

/* Tiles that receive something, ascending. */
typedef struct ReceiverList {
    const Coverage *coverage;
    const Identity *identity; /* NULL: rows of coverage */
    uint16_t tiles[FABRIC_TILES];
    size_t count;
} ReceiverList;

static ReceiverList *receiver_list(const Coverage *coverage, const Identity *identity, Error *error)
{
    ReceiverList *list = mem_zero(1, sizeof *list, error);
    if (list == NULL) {
        return NULL;
    }
    list->coverage = coverage;
    list->identity = identity;
    for (uint16_t tile = 0; tile < coverage->tile_count; tile++) {
        if (coverage->tiles[tile].payload_bytes != 0) {
            list->tiles[list->count++] = tile;
        }
    }
    return list;
}

static void coverage_row(void *context, size_t index, Cell *cells)
{
    const ReceiverList *list = context;
    uint16_t tile = list->tiles[index];
    cells[0] = cell_unsigned(tile);
    coverage_cells(&list->coverage->tiles[tile], cells + 1);
}

static void answer_receivers(CommandCall *call, const Coverage *coverage)
{
    Document *out = call->out;
    document_field(out, "receivers", "receivers", UNIT_COUNT, cell_unsigned(coverage->receivers));
    document_field(out, "contiguous", "contiguous receivers", UNIT_COUNT,
                   cell_unsigned(coverage->contiguous));
}

/* What follows is about one receiver, not about the phase. */
static void answer_busiest(Document *out, int32_t busiest)
{
    document_field_in(out, busiest < 0 ? 0 : IN_JSON | IN_CSV, "busiest_receiver", "busiest receiver",
                      UNIT_NONE, cell_tile(busiest));
    if (busiest >= 0) {
        document_heading(out, "the busiest receiver, tile %" PRId32, busiest);
    }
}

static void answer_receiver(Document *out, uint16_t tile)
{
    document_identify(out, "tile", NULL, UNIT_NONE, cell_unsigned(tile));
    document_heading(out, "receiver tile %" PRIu16, tile);
}

static bool coverage_of_tile(CommandCall *call, const Coverage *coverage, uint16_t number)
{
    const TileCoverage *tile = &coverage->tiles[number];
    size_t gaps = tile->intervals == 0 ? 0 : tile->intervals - 1;
    answer_receiver(call->out, number);
    answer_tile_coverage(call->out, tile);
    Table *table = document_lazy_table(call->out, 0, "gaps", gap_columns, 2, gaps, gap_row,
                                       gaps == 0 ? NULL : coverage->gaps + tile->gap_start);
    table_empty(table, "no gaps");
    if (gaps != 0) {
        note_gaps(call->out);
    }
    return true;
}

static bool run_coverage(CommandCall *call, Error *error)
{
    Document *out = call->out;
    Scope scope;
    const Coverage *coverage = call_coverage(call, &scope, error);
    if (coverage == NULL) {
        return false;
    }
    answer_phase(call);
    answer_scope(call, scope, coverage->transfers);
    answer_receivers(call, coverage);
    if (argument_given(call, "--tile")) {
        return coverage_of_tile(call, coverage, (uint16_t)call->tile);
    }
    answer_busiest(out, coverage->busiest_receiver);
    if (coverage->busiest_receiver < 0) {
        document_field_in(out, IN_JSON | IN_CSV, "busiest", NULL, UNIT_NONE, cell_null());
    } else {
        Cell cells[COVERAGE_CELLS];
        coverage_cells(&coverage->tiles[coverage->busiest_receiver], cells);
        answer_fields(out, busiest_coverage_columns, cells, COVERAGE_CELLS);
    }
    if (argument_given(call, "--all")) {
        ReceiverList *list = receiver_list(coverage, NULL, error);
        if (list == NULL) {
            return false;
        }
        document_lazy_table(out, 0, "tiles", coverage_columns, COVERAGE_CELLS + 1, list->count, coverage_row,
                            list);
        document_own(out, list, mem_free);
    }
    note_gaps(out);
    return true;
}

/* ---- identity ---- */

#define IDENTITY_COLUMN_LIST(head)                                                                           \
    {head "words", "words", UNIT_WORDS, 0}, {head "identity_words", "identity words", UNIT_WORDS, 0},        \
        {head "identity", "identity", UNIT_NONE, 0}, {head "padded", "padded", UNIT_NONE, 0},                \
        {head "cycles", "permutation cycles", UNIT_COUNT, 0},                                                \
        {head "longest_cycle", "longest permutation cycle", UNIT_WORDS, 0},                                  \
        {head "words_moved", "words moved", UNIT_WORDS, 0},                                                  \
        {head "bitmap_bytes", "bitmap bytes", UNIT_BYTES, 0}, {head "transposition", NULL, UNIT_NONE, 0},    \
        {head "transposition.rows", "transposition: rows", UNIT_COUNT, 0},                                   \
        {head "transposition.columns", "columns", UNIT_COUNT, 0},                                            \
    {                                                                                                        \
        head "transposition.element_words", "element words", UNIT_WORDS, 0                                   \
    }

static const Column identity_columns[] = {
    {"tile", "tile", UNIT_NONE, 0},
    {"contiguous", "contiguous", UNIT_NONE, 0},
    IDENTITY_COLUMN_LIST(""),
};

static const Column busiest_identity_columns[] = {IDENTITY_COLUMN_LIST("busiest.")};
static const Column one_identity_columns[] = {IDENTITY_COLUMN_LIST("permutation.")};

enum { IDENTITY_CELLS = sizeof one_identity_columns / sizeof *one_identity_columns };

/* All absent for a receiver that is not contiguous. */
static void identity_cells(const TileIdentity *tile, Cell cells[IDENTITY_CELLS])
{
    for (size_t i = 0; i < IDENTITY_CELLS; i++) {
        cells[i] = cell_absent();
    }
    if (!tile->contiguous) {
        return;
    }
    cells[0] = cell_unsigned(tile->words);
    cells[1] = cell_unsigned(tile->identity_words);
    cells[2] = cell_bool(tile->identity);
    cells[3] = cell_bool(tile->padded);
    cells[4] = cell_unsigned(tile->cycles);
    cells[5] = cell_unsigned(tile->longest_cycle);
    cells[6] = cell_unsigned(tile->words_moved);
    cells[7] = cell_unsigned(tile->bitmap_bytes);
    if (tile->transposition.element_words == 0) {
        cells[8] = cell_null();
    } else {
        cells[9] = cell_unsigned(tile->transposition.rows);
        cells[10] = cell_unsigned(tile->transposition.columns);
        cells[11] = cell_unsigned(tile->transposition.element_words);
    }
}

static void identity_row(void *context, size_t index, Cell *cells)
{
    const ReceiverList *list = context;
    uint16_t tile = list->tiles[index];
    const TileIdentity *identity = &list->identity->tiles[tile];
    cells[0] = cell_unsigned(tile);
    cells[1] = cell_bool(identity->contiguous);
    identity_cells(identity, cells + 2);
}

static void answer_busiest_identity(Document *out, const Identity *identity)
{
    int32_t busiest = identity->busiest_receiver;
    answer_busiest(out, busiest);
    if (busiest < 0 || !identity->tiles[busiest].contiguous) {
        document_field(out, "busiest", "its permutation", UNIT_NONE, cell_null());
        return;
    }
    Cell cells[IDENTITY_CELLS];
    identity_cells(&identity->tiles[busiest], cells);
    answer_fields(out, busiest_identity_columns, cells, IDENTITY_CELLS);
}

static void identity_of_tile(CommandCall *call, const Identity *identity, uint16_t tile)
{
    Cell cells[IDENTITY_CELLS];
    answer_receiver(call->out, tile);
    document_field(call->out, "tile_contiguous", "contiguous", UNIT_NONE,
                   cell_bool(identity->tiles[tile].contiguous));
    identity_cells(&identity->tiles[tile], cells);
    answer_fields(call->out, one_identity_columns, cells, IDENTITY_CELLS);
    if (!identity->tiles[tile].contiguous) {
        document_field_in(call->out, IN_JSON, "permutation", NULL, UNIT_NONE, cell_null());
        document_note(call->out, "only a contiguous receiver has a permutation");
    }
}

static bool run_identity(CommandCall *call, Error *error)
{
    Document *out = call->out;
    Scope scope;
    const Coverage *coverage = call_coverage(call, &scope, error);
    const Identity *identity =
        coverage == NULL ? NULL : view_need_identity(call->view, call->entry, scope, call->progress, error);
    if (identity == NULL) {
        return false;
    }
    answer_phase(call);
    answer_scope(call, scope, identity->transfers);
    answer_receivers(call, coverage);
    document_field(out, "identity", "identity receivers", UNIT_COUNT, cell_unsigned(identity->identity));
    if (argument_given(call, "--tile")) {
        identity_of_tile(call, identity, (uint16_t)call->tile);
        return true;
    }
    answer_busiest_identity(out, identity);
    if (argument_given(call, "--all")) {
        ReceiverList *list = receiver_list(coverage, identity, error);
        if (list == NULL) {
            return false;
        }
        document_lazy_table(out, 0, "tiles", identity_columns, IDENTITY_CELLS + 2, list->count, identity_row,
                            list);
        document_own(out, list, mem_free);
    }
    document_note(
        out, "an identity receiver needs no scatter: its packed receive base may be its destination. The "
             "rest of this is about receivers only; packing in place at a source is never claimed.");
    return true;
}

/* ---- copies ---- */

static const Column copy_columns[] = {
    {"side", "side", UNIT_NONE, 0}, {"tile", "tile", UNIT_NONE, 0},    {"from", "from", UNIT_ADDRESS, 0},
    {"to", "to", UNIT_ADDRESS, 0},  {"bytes", "bytes", UNIT_BYTES, 0},
};

typedef struct CopyList {
    const Copy *side[2]; /* source, receiver */
    size_t count[2];
} CopyList;

static void copy_row(void *context, size_t index, Cell *cells)
{
    const CopyList *list = context;
    unsigned side = index >= list->count[0];
    const Copy *copy = &list->side[side][index - (side == 0 ? 0 : list->count[0])];
    cells[0] = cell_text(side == 0 ? "source" : "receiver");
    cells[1] = cell_unsigned(copy->tile);
    cells[2] = cell_unsigned(copy->from);
    cells[3] = cell_unsigned(copy->to);
    cells[4] = cell_unsigned(copy->bytes);
}

/* Copies are grouped by ascending tile: narrows one side to one tile. */
static void copies_narrow(const Copy **copies, size_t *count, uint16_t tile)
{
    size_t first = 0;
    while (first < *count && (*copies)[first].tile < tile) {
        first++;
    }
    size_t end = first;
    while (end < *count && (*copies)[end].tile == tile) {
        end++;
    }
    *copies = end == 0 ? NULL : *copies + first;
    *count = end - first;
}

static bool run_copies(CommandCall *call, Error *error)
{
    const Counterfactual *built =
        view_need_counterfactual(call->view, call->entry, call->mode, call->progress, error);
    CopyList *list = built == NULL || !answer_mode(call, error) ? NULL : mem_zero(1, sizeof *list, error);
    if (list == NULL) {
        return false;
    }
    *list = (CopyList){{built->source_copies, built->receiver_copies},
                       {built->source_copy_count, built->receiver_copy_count}};
    if (argument_given(call, "--tile")) {
        document_identify(call->out, "tile", "tile", UNIT_NONE, cell_unsigned((uint64_t)call->tile));
        copies_narrow(&list->side[0], &list->count[0], (uint16_t)call->tile);
        copies_narrow(&list->side[1], &list->count[1], (uint16_t)call->tile);
    }
    size_t count = list->count[0] + list->count[1];
    document_field(call->out, "copy_runs", "copy runs", UNIT_COUNT, cell_unsigned(count));
    Table *table = document_lazy_table(call->out, 0, "copies", copy_columns, 5, count, copy_row, list);
    table_empty(table, "no local copies");
    document_own(call->out, list, mem_free);
    if (count != 0) {
        document_note(call->out, "of Repeat iteration 0; a gather runs once per iteration");
    }
    return true;
}

/* ---- cycles ---- */

static const Column cycle_columns[] = {
    {"first", "first word", UNIT_NONE, 0},
    {"length", "length", UNIT_WORDS, 0},
};

static void permutation_release(void *context)
{
    permutation_free(context);
    mem_free(context);
}

static void cycle_row(void *context, size_t index, Cell *cells)
{
    const Permutation *permutation = context;
    cells[0] = cell_unsigned(permutation->cycles[index].first);
    cells[1] = cell_unsigned(permutation->cycles[index].length);
}

static bool cycles_tile(CommandCall *call, const Coverage *coverage, uint16_t *tile, Error *error)
{
    int32_t chosen = argument_given(call, "--tile") ? call->tile : coverage->busiest_receiver;
    if (chosen < 0) {
        return error_set(error, ERROR_INPUT, "phase %u has no receiver",
                         (unsigned)call->entry->phase->number);
    }
    *tile = (uint16_t)chosen;
    return true;
}

static bool run_cycles(CommandCall *call, Error *error)
{
    Scope scope;
    uint16_t tile = 0;
    const Coverage *coverage = call_coverage(call, &scope, error);
    Permutation *permutation = coverage == NULL || !cycles_tile(call, coverage, &tile, error)
                                   ? NULL
                                   : mem_zero(1, sizeof *permutation, error);
    if (permutation == NULL) {
        return false;
    }
    if (!permutation_compute(call->entry->phase, coverage, tile, call->progress, permutation, error)) {
        permutation_release(permutation);
        return false;
    }
    answer_phase(call);
    answer_scope(call, scope, coverage->transfers);
    document_identify(call->out, "tile", "tile", UNIT_NONE, cell_unsigned(tile));
    document_field(call->out, "words", "words", UNIT_WORDS, cell_unsigned(permutation->words));
    document_identify(call->out, "unit_words", "words that move together", UNIT_WORDS,
                      cell_unsigned(permutation->unit_words));
    Table *table = document_lazy_table(call->out, 0, "cycles", cycle_columns, 2, permutation->cycle_count,
                                       cycle_row, permutation);
    table_empty(table, "no word moves");
    document_own(call->out, permutation, permutation_release);
    document_note(call->out, "fixed points are left out; each line stands for as many cycles side by side as "
                             "words move together");
    return true;
}

/* ---- the table ---- */

#define SCOPE_PARAMETER                                                                                      \
    {                                                                                                        \
        "--scope", PARAMETER_CHOICE, 0, scope_names, "whole phase, or its independent prefix"                \
    }
#define PHASE_PARAMETER                                                                                      \
    {                                                                                                        \
        "--phase", PARAMETER_PHASE, 0, NULL, "of this phase"                                                 \
    }

static const Parameter receiver_parameters[] = {
    {"--tile", PARAMETER_TILE, 0, NULL, "this receiver in detail"},
    {"--all", PARAMETER_FLAG, 0, NULL, "a line for every receiver"},
    SCOPE_PARAMETER,
    PHASE_PARAMETER,
    {0}};
static const Parameter copies_parameters[] = {{"--tile", PARAMETER_TILE, 0, NULL, "only on this tile"},
                                              {"--mode", PARAMETER_MODE, 0, NULL, "in this mode"},
                                              PHASE_PARAMETER,
                                              {0}};
static const Parameter cycles_parameters[] = {
    {"--tile", PARAMETER_TILE, 0, NULL, "of this receiver; without it, the busiest one"},
    SCOPE_PARAMETER,
    PHASE_PARAMETER,
    {0}};

static const Command commands[] = {
    {"coverage", "what the receivers hold: union, overlap, gaps", "coverage --tile busiest",
     "Over the whole phase, or over its independent prefix where it has a dependency tail; --scope chooses.",
     run_coverage, COMMAND_NEEDS_PHASE, receiver_parameters},
    {"identity", "could receivers use their packed buffer in place", "identity --all",
     "Of contiguous receivers under receiver staging: identity words stay where they were staged; the "
     "rest is a permutation, with its cycles and the cost of rotating in place.",
     run_identity, COMMAND_NEEDS_PHASE, receiver_parameters},
    {"copies", "the local copies of the current mode", "copies --mode receiver --tile 3", NULL, run_copies,
     COMMAND_NEEDS_PHASE, copies_parameters},
    {"cycles", "the permutation cycles of one contiguous receiver", "cycles --tile busiest", NULL, run_cycles,
     COMMAND_NEEDS_PHASE, cycles_parameters},
};

CommandTable commands_of_memory(void)
{
    return (CommandTable){commands, sizeof commands / sizeof *commands};
}
