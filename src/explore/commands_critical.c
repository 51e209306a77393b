/* critical */
#include "config.h"

#include <inttypes.h>
#include <limits.h>

#include "explore/answers.h"
#include "fabric/fabric.h"
#include "replay/critical.h"
#include "replay/idle.h"

enum { LINKS_SHOWN = 30 };

static const Column link_columns[] = {
    {"transfer", "transfer", UNIT_NONE, 0},
    {"source", "source", UNIT_NONE, 0},
    {"words", "words", UNIT_WORDS, 0},
    {"start", "start", UNIT_CYCLES, 0},
    {"end", "end", UNIT_CYCLES, 0},
    {"wait", NULL, UNIT_NONE, IN_JSON | IN_CSV},
    {"waited_for", NULL, UNIT_NONE, IN_JSON | IN_CSV},
    {"lost_cycles", "lost cycles", UNIT_CYCLES, 0},
    {"cycles", "cycles", UNIT_CYCLES, 0},
    {"reason", "what fixed its start", UNIT_NONE, 0},
};

enum { LINK_COLUMNS = sizeof link_columns / sizeof *link_columns };

typedef struct LinkList {
    const Phase *phase;
    const Replay *replay;
    CriticalChain chain;
    Text reason; /* of the row made last */
} LinkList;

static void link_list_free(void *context)
{
    LinkList *list = context;
    vec_free(&list->chain);
    text_free(&list->reason);
    mem_free(list);
}

/* ---- why a link starts when it does ---- */

/* The receiver whose source mux turns first. */
static uint16_t nearest_receiver(const Phase *phase, uint32_t transfer)
{
    FabricTile source = fabric_tile(phase->source[transfer]);
    uint16_t nearest = phase->receiver_tile[phase->receiver_start[transfer]];
    int least = INT_MAX;
    for (uint32_t r = phase->receiver_start[transfer]; r < phase->receiver_start[transfer + 1]; r++) {
        FabricTile receiver = fabric_tile(phase->receiver_tile[r]);
        int time = fabric_time_to_mux(&source, &receiver);
        if (time < least) {
            least = time;
            nearest = phase->receiver_tile[r];
        }
    }
    return nearest;
}

/* What fixes the start of a transfer that is placed at `offset`. */
static void append_lead(const LinkList *list, const CriticalLink *link, uint32_t offset, Text *text)
{
    if (link->sole_receive) {
        text_printf(text, "sole receive: source mux fixed at event %" PRIu32,
                    offset + SOLE_RECEIVE_MUX_EVENT);
    } else if (link->lead_cycles > 0) {
        text_printf(text, "earliest event: source mux of tile %u at %" PRIu32,
                    (unsigned)nearest_receiver(list->phase, link->transfer), offset + 1);
    } else {
        text_printf(text, "earliest event: send at %" PRIu32, offset);
    }
}

/* The tile that two transfers have as a receiver; -1 where there is none, or there are several. */
static int32_t common_receiver(const Phase *phase, uint32_t one, uint32_t other)
{
    bool receives[FABRIC_TILES] = {false};
    int32_t common = -1;
    for (uint32_t r = phase->receiver_start[one]; r < phase->receiver_start[one + 1]; r++) {
        receives[phase->receiver_tile[r]] = true;
    }
    for (uint32_t r = phase->receiver_start[other]; r < phase->receiver_start[other + 1]; r++) {
        if (receives[phase->receiver_tile[r]]) {
            if (common >= 0) {
                return -1;
            }
            common = phase->receiver_tile[r];
        }
    }
    return common;
}

static void append_stream(const LinkList *list, const CriticalLink *link, Text *text)
{
    int32_t tile = common_receiver(list->phase, link->transfer, link->waited_for);
    if (tile >= 0) {
        text_printf(text, "receive stream: tile %" PRId32, tile);
    } else {
        text_append(text, "receive stream: a receiver");
    }
    text_printf(text, " hears or stores transfer %" PRIu32 " before", link->waited_for);
}

static void append_reason(const LinkList *list, const CriticalLink *link, Text *text)
{
    const Replay *replay = list->replay;
    uint32_t other = link->waited_for;
    switch (link->wait) {
    case WAIT_DEPENDENCY:
        text_printf(text, "dependency: transfer %" PRIu32 " complete at %" PRIu32 ", then ", other,
                    replay->completion[other]);
        append_lead(list, link, replay->completion[other], text);
        break;
    case WAIT_SEND_LANE:
        text_printf(text, "send lane: tile %u sends transfer %" PRIu32 " until %" PRIu32,
                    (unsigned)list->phase->source[link->transfer], other,
                    replay->send_start[other] + list->phase->words[other]);
        break;
    case WAIT_RECEIVE_STREAM:
        append_stream(list, link, text);
        break;
    case WAIT_CONTROL_SLOT:
        text_printf(text, "control slot: transfer %" PRIu32 " has a control or a send in that event", other);
        break;
    case WAIT_MEMORY_ELEMENT:
        text_printf(text, "memory element: in use by transfer %" PRIu32 " before", other);
        break;
    case WAIT_ALIGNMENT:
        text_append(text, "alignment: a row could not be encoded before");
        if (other != WAIT_NO_TRANSFER) {
            text_printf(text, ", first held by transfer %" PRIu32, other);
        }
        break;
    case WAIT_NONE:
    case WAIT_KINDS:
        append_lead(list, link, 0, text);
        break;
    }
}

static void link_row(void *context, size_t index, Cell *cells)
{
    LinkList *list = context;
    const CriticalLink *link = &list->chain.items[index];
    text_clear(&list->reason);
    append_reason(list, link, &list->reason);
    cells[0] = cell_unsigned(link->transfer);
    cells[1] = cell_unsigned(list->phase->source[link->transfer]);
    cells[2] = cell_unsigned(list->phase->words[link->transfer]);
    cells[3] = cell_unsigned(link->start);
    cells[4] = cell_unsigned(link->end);
    cells[5] = cell_text(critical_cause(link));
    cells[6] = link->waited_for == WAIT_NO_TRANSFER ? cell_null() : cell_unsigned(link->waited_for);
    cells[7] = cell_unsigned(link->lost_cycles);
    cells[8] = link->cycles < 0 ? cell_signed(link->cycles) : cell_unsigned((uint64_t)link->cycles);
    cells[9] = cell_scratch(&list->reason);
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
    bool none = idle->activities == 0;
    document_field(out, "endpoint.tile", "busiest endpoint on tile", UNIT_NONE,
                   none ? cell_null() : cell_unsigned(busiest.tile));
    document_field(out, "endpoint.role", "its role", UNIT_NONE, none ? cell_null() : cell_text(busiest.role));
    document_field(out, "endpoint.first_cycle", "first word at", UNIT_CYCLES,
                   none ? cell_null() : cell_unsigned(idle->first_start));
    document_field(out, "endpoint.end_cycle", "last word ends", UNIT_CYCLES,
                   none ? cell_null() : cell_unsigned(idle->last_end));
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
    table_empty(table, none ? "no endpoint sends or receives" : "that endpoint has no gap");
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
    list->replay = replay;
    if (!critical_chain(replay, made->phase, &list->chain, error)) {
        link_list_free(list);
        return false;
    }
    Document *out = call->out;
    size_t links = list->chain.count;
    uint32_t top = argument_number(call, "--top", LINKS_SHOWN);
    document_field(out, "horizon_cycles", "cycles", UNIT_CYCLES, cell_unsigned(replay->horizon_cycles));
    document_field(out, "endpoint_lower_bound_cycles", "lower bound", UNIT_CYCLES,
                   cell_unsigned(replay->endpoint_lower_bound_cycles));
    document_field(out, "links", "links in the chain", UNIT_COUNT, cell_unsigned(links));
    document_field(out, "before_chain_cycles", "before the chain's first word", UNIT_CYCLES,
                   cell_unsigned(links == 0 ? 0 : list->chain.items[links - 1].start));
    answer_endpoint(out, replay);
    Table *table = document_lazy_table(out, 0, "chain", link_columns, LINK_COLUMNS, links < top ? links : top,
                                       link_row, list);
    table_empty(table, "nothing is transferred");
    if (links > top) {
        document_note(out, "the last %u of %zu links; --top shows more", (unsigned)top, links);
    }
    document_note(
        out, "the chain runs backwards from the end of the phase: no transfer could start a cycle "
             "earlier, for the reason beside it; the one that the reason names is in the next line. "
             "Cycles count from its first word to that of the line above, in the first line to the "
             "end of the phase; with those before the chain's first word they add up to all. Lost "
             "cycles count from where its predecessors alone would have let it start. A line ends with the "
             "last word that lands, the first one with the phase");
    document_own(out, list, link_list_free);
    return true;
}

static const Parameter critical_parameters[] = {
    {"--top", PARAMETER_NUMBER, PARAMETER_POSITIVE, NULL, "so many links from the end backwards (30)"},
    {"--phase", PARAMETER_PHASE, 0, NULL, "of this phase"},
    {"--mode", PARAMETER_MODE, 0, NULL, "in this mode"},
    {0}};

static const Command commands[] = {
    {"critical", "why the phase takes as long: who waits for whom", "critical --top 10",
     "From the transfer that ends last backwards, what kept each from starting a cycle earlier: a "
     "dependency, "
     "the send lane of its tile, the receive stream or a memory element of a tile, a control slot, alignment "
     "of a row; of the last one, that it is all that its receiver gets (sole receive), or that there is no "
     "earlier event. Above it, the endpoint with the most payload and its idle gaps. Replays the mode if "
     "need be.",
     run_critical, COMMAND_NEEDS_PHASE, critical_parameters},
};

CommandTable commands_of_critical(void)
{
    return (CommandTable){commands, sizeof commands / sizeof *commands};
}
