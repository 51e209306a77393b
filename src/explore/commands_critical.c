/* critical */
#include "config.h"

#include "explore/answers.h"
#include "replay/critical.h"
#include "replay/idle.h"

enum { LINKS_SHOWN = 30 };

static const Column link_columns[] = {
    {"transfer", "transfer", UNIT_NONE, 0},
    {"source", "source", UNIT_NONE, 0},
    {"words", "words", UNIT_WORDS, 0},
    {"start", "start", UNIT_CYCLES, 0},
    {"end", "end", UNIT_CYCLES, 0},
    {"wait", "waited for", UNIT_NONE, 0},
    {"waited_for", "of transfer", UNIT_NONE, 0},
    {"lost_cycles", "lost cycles", UNIT_CYCLES, 0},
};

enum { LINK_COLUMNS = sizeof link_columns / sizeof *link_columns };

typedef struct LinkList {
    const Phase *phase;
    CriticalChain chain;
} LinkList;

static void link_list_free(void *context)
{
    LinkList *list = context;
    vec_free(&list->chain);
    mem_free(list);
}

static void link_row(void *context, size_t index, Cell *cells)
{
    const LinkList *list = context;
    const CriticalLink *link = &list->chain.items[index];
    cells[0] = cell_unsigned(link->transfer);
    cells[1] = cell_unsigned(list->phase->source[link->transfer]);
    cells[2] = cell_unsigned(list->phase->words[link->transfer]);
    cells[3] = cell_unsigned(link->start);
    cells[4] = cell_unsigned(link->end);
    cells[5] = cell_text(wait_kind_name(link->wait));
    cells[6] = link->waited_for == WAIT_NO_TRANSFER ? cell_null() : cell_unsigned(link->waited_for);
    cells[7] = cell_unsigned(link->lost_cycles);
}

/* ---- the endpoint that the lower bound comes from ---- */

typedef struct BusiestEndpoint {
    uint16_t tile;
    const char *role;
    EndpointIdle idle;
} BusiestEndpoint;

/* The one with the most payload cycles; the lowest tile, its sends first, on a tie. */
static BusiestEndpoint busiest_endpoint(const Replay *replay)
{
    BusiestEndpoint busiest = {.role = "send"};
    for (uint16_t tile = 0; tile < replay->tile_count; tile++) {
        TileIdle idle = idle_of_tile(replay, tile);
        if (idle.send.busy_cycles > busiest.idle.busy_cycles) {
            busiest = (BusiestEndpoint){tile, "send", idle.send};
        }
        if (idle.receive.busy_cycles > busiest.idle.busy_cycles) {
            busiest = (BusiestEndpoint){tile, "receive", idle.receive};
        }
    }
    return busiest;
}

static const Column gap_columns[] = {
    {"from_cycle", "gap from", UNIT_CYCLES, 0},
    {"to_cycle", "to", UNIT_CYCLES, 0},
    {"cycles", "cycles", UNIT_CYCLES, 0},
};

static void answer_endpoint(Document *out, const Replay *replay)
{
    BusiestEndpoint busiest = busiest_endpoint(replay);
    const EndpointIdle *idle = &busiest.idle;
    document_field(out, "endpoint.tile", "busiest endpoint on tile", UNIT_NONE,
                   idle->activities == 0 ? cell_null() : cell_unsigned(busiest.tile));
    document_field(out, "endpoint.role", "its role", UNIT_NONE, cell_text(busiest.role));
    document_field(out, "endpoint.first_cycle", "first word at", UNIT_CYCLES,
                   cell_unsigned(idle->first_start));
    document_field(out, "endpoint.end_cycle", "last word ends", UNIT_CYCLES, cell_unsigned(idle->last_end));
    document_field(out, "endpoint.busy_cycles", "busy cycles", UNIT_CYCLES, cell_unsigned(idle->busy_cycles));
    document_field(out, "endpoint.idle_cycles", "idle between", UNIT_CYCLES,
                   cell_unsigned(idle->idle_cycles));
    document_field(out, "endpoint.gaps", "gaps", UNIT_COUNT, cell_unsigned(idle->gap_count));
    Table *table = document_table_in(out, IN_TEXT | IN_JSON, "largest_gaps", gap_columns, 3);
    for (uint32_t i = 0; i < idle->largest_count; i++) {
        const IdleGap *gap = &idle->largest[i];
        Cell cells[] = {cell_unsigned(gap->from), cell_unsigned(gap->to), cell_unsigned(gap->to - gap->from)};
        table_row(table, cells);
    }
    table_empty(table, "that endpoint has no gap");
}

/* ---- the command ---- */

static bool run_critical(CommandCall *call, Error *error)
{
    const Replay *replay = answer_replay(call, error);
    const Counterfactual *made =
        replay == NULL ? NULL
                       : view_need_counterfactual(call->view, call->entry, call->mode, call->progress, error);
    LinkList *list = made == NULL || !answer_mode(call, error) ? NULL : mem_zero(1, sizeof *list, error);
    if (list == NULL) {
        return false;
    }
    list->phase = made->phase;
    if (!critical_chain(replay, &list->chain, error)) {
        link_list_free(list);
        return false;
    }
    Document *out = call->out;
    size_t links = list->chain.count;
    uint32_t top = argument_number(call, "--top", LINKS_SHOWN);
    document_field(out, "horizon_cycles", "horizon cycles", UNIT_CYCLES,
                   cell_unsigned(replay->horizon_cycles));
    document_field(out, "endpoint_lower_bound_cycles", "lower bound", UNIT_CYCLES,
                   cell_unsigned(replay->endpoint_lower_bound_cycles));
    document_field(out, "links", "links in the chain", UNIT_COUNT, cell_unsigned(links));
    answer_endpoint(out, replay);
    Table *table = document_lazy_table(out, 0, "chain", link_columns, LINK_COLUMNS, links < top ? links : top,
                                       link_row, list);
    table_empty(table, "nothing is transferred");
    if (links > top) {
        document_note(out, "the last %u of %zu links; --top shows more", (unsigned)top, links);
    }
    document_note(out, "the chain runs backwards from the horizon: each transfer could not start a cycle "
                       "earlier because of the next one. Lost cycles are counted from where its "
                       "predecessors alone would have let it start");
    document_own(out, list, link_list_free);
    return true;
}

static const Parameter critical_parameters[] = {
    {"--top", PARAMETER_NUMBER, PARAMETER_POSITIVE, NULL, "so many links from the horizon backwards (30)"},
    {"--phase", PARAMETER_PHASE, 0, NULL, "of this phase"},
    {"--mode", PARAMETER_MODE, 0, NULL, "in this mode"},
    {0}};

static const Command commands[] = {
    {"critical", "why the phase takes as long: who waits for whom", "critical --top 10",
     "From the transfer that ends at the horizon backwards, what kept each from starting a cycle earlier: a "
     "dependency, the send lane of its tile, the receive stream or a memory element of a tile, a control "
     "slot, or alignment of a row. Above it, the endpoint with the most payload and its idle gaps. Replays "
     "the mode if need be.",
     run_critical, COMMAND_NEEDS_PHASE, critical_parameters},
};

CommandTable commands_of_critical(void)
{
    return (CommandTable){commands, sizeof commands / sizeof *commands};
}
