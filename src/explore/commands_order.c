/* tail, deps */
#include "config.h"

#include <string.h>

#include "explore/answers.h"

static const Column wait_columns[] = {
    {"transfer", "transfer", UNIT_NONE, 0},
    {"transfer", "waits for", UNIT_NONE, 0},
    {"kind", "kind", UNIT_NONE, 0},
    {"tile", "tile", UNIT_NONE, 0},
    {"address", "address", UNIT_ADDRESS, 0},
    {"bytes", "bytes", UNIT_BYTES, 0},
    {"iterations", "iterations", UNIT_NONE, 0},
};

enum { WAIT_COLUMNS = sizeof wait_columns / sizeof *wait_columns };

/* Those of a reason, of a transfer that waits. */
static const Column waiting_columns[] = {
    {"transfer", "waits on it", UNIT_NONE, 0},
    {"kind", "kind", UNIT_NONE, 0},
    {"tile", "tile", UNIT_NONE, 0},
    {"address", "address", UNIT_ADDRESS, 0},
    {"bytes", "bytes", UNIT_BYTES, 0},
    {"iterations", "iterations", UNIT_NONE, 0},
};

/* The reasons of some transfers, made into rows when they are written: one a reason, or one that is empty for
 * a transfer without. */
typedef struct Waits {
    uint32_t first, count; /* transfers */
    DependencyReasons reasons;
    size_t *starts;    /* [count + 1] into the reasons */
    size_t *row_start; /* [count + 1] into the rows */
} Waits;

static void waits_free(void *context)
{
    Waits *waits = context;
    dependency_reasons_free(&waits->reasons);
    mem_free(waits->starts);
    mem_free(waits->row_start);
    mem_free(waits);
}

/* The transfer that row `index` belongs to, counted from the first. */
static uint32_t waits_transfer(const Waits *waits, size_t index)
{
    uint32_t low = 0, high = waits->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (waits->row_start[middle] <= index) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The columns after the first. */
static void reason_row(void *context, size_t index, Cell *cells)
{
    const Waits *waits = context;
    const DependencyReason *reason = &waits->reasons.list.items[index];
    cells[0] = cell_unsigned(reason->transfer);
    cells[1] = cell_text(dependency_kind_name(reason->kind));
    cells[2] = cell_unsigned(reason->tile);
    cells[3] = cell_unsigned(reason->address);
    cells[4] = cell_unsigned(reason->bytes);
    cells[5] =
        reason->iteration_count == 0
            ? cell_list(NULL, 0)
            : cell_list(waits->reasons.iterations.items + reason->iteration_start, reason->iteration_count);
}

static void wait_row(void *context, size_t index, Cell *cells)
{
    const Waits *waits = context;
    uint32_t at = waits_transfer(waits, index);
    cells[0] = cell_unsigned(waits->first + at);
    if (waits->starts[at] != waits->starts[at + 1]) {
        reason_row(context, waits->starts[at] + (index - waits->row_start[at]), cells + 1);
    }
}

static Waits *waits_new(CommandCall *call, const Dependencies *dependencies, uint32_t first, uint32_t count,
                        Error *error)
{
    Waits *waits = mem_zero(1, sizeof *waits, error);
    if (waits == NULL) {
        return NULL;
    }
    waits->first = first;
    waits->count = count;
    waits->starts = mem_zero((size_t)count + 1, sizeof *waits->starts, error);
    waits->row_start = mem_zero((size_t)count + 1, sizeof *waits->row_start, error);
    bool done = waits->starts != NULL && waits->row_start != NULL &&
                dependencies_explain(call->entry->phase, view_tile_count(call->view), dependencies, first,
                                     count, &waits->reasons, waits->starts, call->progress, error);
    if (!done) {
        waits_free(waits);
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        size_t reasons = waits->starts[i + 1] - waits->starts[i];
        waits->row_start[i + 1] = waits->row_start[i] + (reasons == 0 ? 1 : reasons);
    }
    return waits;
}

/* ---- tail ---- */

static bool run_tail(CommandCall *call, Error *error)
{
    Document *out = call->out;
    if (call->select_only) {
        return true;
    }
    const Dependencies *dependencies =
        view_need_dependencies(call->view, call->entry, MODE_ORIGINAL, call->progress, error);
    if (dependencies == NULL) {
        return false;
    }
    uint32_t shown = dependencies->tail_transfers;
    uint32_t top = argument_number(call, "--top", shown);
    shown = top < shown ? top : shown;
    Waits *waits = waits_new(call, dependencies, dependencies->prefix_transfers, shown, error);
    if (waits == NULL) {
        return false;
    }
    answer_phase(call);
    document_field(out, "edges", "dependent pairs", UNIT_COUNT, cell_unsigned(dependencies->edges));
    document_field(out, "read_write_overlap", "read/write overlap", UNIT_NONE,
                   cell_bool(dependencies->read_write_overlap));
    document_field(out, "write_write_overlap", "write/write overlap", UNIT_NONE,
                   cell_bool(dependencies->write_write_overlap));
    document_field(out, "prefix_transfers", "independent prefix", UNIT_COUNT,
                   cell_unsigned(dependencies->prefix_transfers));
    document_field(out, "tail_transfers", "tail", UNIT_COUNT, cell_unsigned(dependencies->tail_transfers));
    document_field(out, "maximum_depth", "maximum depth", UNIT_COUNT,
                   cell_unsigned(dependencies->maximum_depth));
    Table *table = document_lazy_table(out, 0, "tail", wait_columns, WAIT_COLUMNS, waits->row_start[shown],
                                       wait_row, waits);
    table_group(table, 1, "waits_for");
    table_empty(table, "no transfer waits for another");
    if (shown < dependencies->tail_transfers) {
        document_note(out, "the first %u of the tail's transfers", shown);
    }
    document_own(out, waits, waits_free);
    return true;
}

/* ---- deps ---- */

/* Those that wait for the transfer. */
static bool answer_waiting(CommandCall *call, const Dependencies *dependencies, uint32_t transfer,
                           Error *error)
{
    Waits *waiting = mem_zero(1, sizeof *waiting, error);
    if (waiting == NULL) {
        return false;
    }
    if (!dependencies_explain_waiting(call->entry->phase, view_tile_count(call->view), dependencies, transfer,
                                      &waiting->reasons, call->progress, error)) {
        waits_free(waiting);
        return false;
    }
    Table *table = document_lazy_table(call->out, IN_TEXT | IN_JSON, "waited_on_by", waiting_columns,
                                       WAIT_COLUMNS - 1, waiting->reasons.list.count, reason_row, waiting);
    table_empty(table, "no other transfer waits on it");
    document_own(call->out, waiting, waits_free);
    return true;
}

static bool run_deps(CommandCall *call, Error *error)
{
    uint32_t transfer = argument_number(call, "N", 0);
    uint32_t transfers = call->entry->phase->transfers;
    if (transfer >= transfers) {
        return error_set(error, ERROR_INPUT, "phase %u has no transfer %u: it has %u",
                         (unsigned)call->entry->phase->number, transfer, transfers);
    }
    const Dependencies *dependencies =
        view_need_dependencies(call->view, call->entry, MODE_ORIGINAL, call->progress, error);
    Waits *waits = dependencies == NULL ? NULL : waits_new(call, dependencies, transfer, 1, error);
    if (waits == NULL) {
        return false;
    }
    answer_phase(call);
    document_identify(call->out, "transfer", "transfer", UNIT_NONE, cell_unsigned(transfer));
    document_field(call->out, "depth", "depth", UNIT_COUNT,
                   cell_unsigned(dependencies->depth == NULL ? 0 : dependencies->depth[transfer]));
    Table *table = document_lazy_table(call->out, 0, "waits_for", wait_columns + 1, WAIT_COLUMNS - 1,
                                       waits->starts[1], reason_row, waits);
    table_empty(table, "it waits for no other transfer");
    document_own(call->out, waits, waits_free);
    return answer_waiting(call, dependencies, transfer, error);
}

/* ---- the table ---- */

static const Parameter tail_parameters[] = {
    {"--phase", PARAMETER_PHASE, 0, NULL, "of this phase"},
    {"--top", PARAMETER_NUMBER, PARAMETER_POSITIVE, NULL, "only the first so many transfers"},
    {0}};
static const Parameter deps_parameters[] = {
    {"N", PARAMETER_NUMBER, PARAMETER_REQUIRED, NULL, "a transfer of the captured phase, from 0"},
    {"--phase", PARAMETER_PHASE, 0, NULL, "of this phase"},
    {0}};

static const Command commands[] = {
    {"tail", "the dependency tail: from the first transfer on that waits for another", "tail --top 20",
     "Of the captured phase. RAW: reads what the other wrote; WAR: writes what the other read; WAW: "
     "writes what the other wrote. `iterations`: the Repeat iterations of the reader whose addresses "
     "meet the range.",
     run_tail, COMMAND_NEEDS_PHASE | COMMAND_SELECTS, tail_parameters},
    {"deps", "what one transfer waits for, what waits on it, and why", "deps 12",
     "Of the captured phase; kinds and iterations as in tail. CSV has what it waits for only.", run_deps,
     COMMAND_NEEDS_PHASE, deps_parameters},
};

CommandTable commands_of_order(void)
{
    return (CommandTable){commands, sizeof commands / sizeof *commands};
}
