#include "config.h"

#include "explore/terms.h"

#include <string.h>
#include <strings.h>

static const Term terms[] = {
    /* what a phase is made of */
    {"phase", "phases", "phase, phases",
     "an exchange between two synchronisations of the program: a list of transfers, with the number that the "
     "compiler gave it"},
    {"label", NULL, "label", "what the capture says the phase is for: free text"},
    {"tile", "tiles", "tile, tiles, tile_count", "a processor with its memory, by its logical number"},
    {"transfer", "transfers", "transfer, transfers",
     "words of 32 bits sent from one tile to one or more receivers; transfers are numbered from 0 in program "
     "order"},
    {"fragment", "fragments, all fragments", "endpoint_fragments",
     "one role of a tile in one transfer: a transfer counts once at its source and once at each receiver, so "
     "the fragments of a tile are its sends and its receives"},
    {"receive fragments", "recv frag, receives", "receive_fragments",
     "receive roles only: of a phase, the receivers of all its transfers; of a tile, the transfers that it "
     "receives"},
    {"sends", NULL, "send_fragments", "the transfers that a tile sends"},
    {"max frag", "most on a tile, fragments at the busiest endpoint", "maximum_endpoint_fragments",
     "the most fragments, sends and receives together, at one tile: what makes a row long, and what phases "
     "are ranked by"},
    {"rank", "#", "rank", "place of the phase by max frag, the most first; ties in file order"},
    {"busiest tile", NULL, "busiest_tile", "the tile with max frag, the lowest number on a tie"},
    {"source", "sender", "source", "the tile that sends"},
    {"receiver", "destination", "destinations, receivers",
     "a tile that receives. Captures, analysis.json and file names say destination: mode receiver is called "
     "destination there"},
    {"route", "routes", "route_count", "the source and the set of receivers that transfers have in common"},
    {"loopback", NULL, "loopback", "a multicast that sends to its own tile too: it counts there twice"},
    {"Repeat iteration", "repeat, Repeat iterations", "iterations, repeat",
     "one pass of a loop around the phase: iteration r reads source address r, or the first where a transfer "
     "has fewer"},
    {"width", "Paired64, Word32", "width", "how words travel: one at a time, or in pairs of 64 bits"},
    {"sent B", "sent bytes", "transmitted_bytes, sent_bytes", "bytes sent, each transfer once"},
    {"received B", "received bytes, recv B", "received_bytes",
     "bytes received, each receiver of a transfer counted"},
    {"most sent", "most received", "maximum_outgoing_bytes, maximum_incoming_bytes",
     "the most bytes that one tile sends, or receives"},
    {"map", "shade, fabric", NULL,
     "every tile at its place on the fabric, the fuller the larger its share of the largest value; dot: "
     "none, "
     "blank: no such tile, diamond or X: selected. In a low window a character is two rows of tiles: upper "
     "and lower half in colours, else the larger of the two; z shows one tile a character"},
    /* order */
    {"dependency", "dependent pairs, dependencies, edges", "edges",
     "an earlier transfer that a later one must wait for, since they meet in bytes of a tile's memory; "
     "counted "
     "as pairs of transfers"},
    {"RAW", "WAR, WAW, kind", "kind",
     "why one waits. RAW: it reads what the other wrote; WAR: it writes what the other read; WAW: it writes "
     "what the other wrote"},
    {"prefix", "independent prefix", "prefix_transfers",
     "the transfers before the tail: none of them waits for another"},
    {"tail", "dependency tail, DEP, dependent", "tail_transfers",
     "from the first transfer on that waits for another: all that follow it, whether they wait or not"},
    {"depth", "maximum depth", "depth, maximum_depth",
     "0 for a transfer that waits for none, else one more than the deepest that it waits for"},
    {"overlap", "read/write overlap", "read_write_overlap",
     "the phase reads bytes that it also writes, in whatever order: modes coalesced, source, receiver and "
     "both are refused"},
    {"write/write overlap", NULL, "write_write_overlap",
     "the phase writes bytes twice: the same modes are refused"},
    /* modes and their verdict */
    {"mode", "modes", "mode, available, reason",
     "one of eight ways to cut a phase into transfers, or why it is refused; `help mode` tells what each "
     "does"},
    {"original", NULL, NULL, "the phase as captured: what every change is measured against"},
    {"verdict", "valid, INVALID, equivalent", "equivalent, valid, verdict",
     "valid: proved to leave the same bytes in the same places as the captured phase. INVALID: not so, or it "
     "ignores dependencies by construction"},
    {"first difference", NULL,
     "first_difference, first_difference.iteration, first_difference.tile, first_difference.address",
     "where memory first differs from what the captured phase leaves"},
    {"*", "best", NULL, "the best value of its column among the modes that are not INVALID"},
    {"!", NULL, NULL, "a figure of a mode that is not valid: never a result"},
    {"none", "refused", "mode_refusal",
     "no figure: the phase refuses the mode. A dash: no figure yet, of a replay that has not been run, or "
     "none "
     "to be had"},
    {"change", "Δ, Δ%, percent", "delta, percent", "a figure against that of mode original"},
    {"staging B", "staging bytes, staging", "combined_staging_max_bytes",
     "the most bytes of staging buffers, for sending and receiving together, that one tile needs: fresh "
     "scratch memory"},
    {"source staging", "receiver staging", "source_staging_max_bytes, destination_staging_max_bytes",
     "the most bytes of staging buffer on one tile, for what it sends, or for what it receives"},
    {"copy cyc", "copy cycles", "copy_cycles_floor",
     "cycles of the local copies at 8 bytes a cycle, largest source plus largest receiver: a floor, without "
     "setup, barriers or bank conflicts"},
    {"source copies", "receiver copies", "source_copy_max_bytes, destination_copy_max_bytes",
     "the most bytes that one tile copies into the buffer that it sends from, or out of the one that it "
     "receives into"},
    {"copy runs", "local copies", "local_copy_runs, copy_runs",
     "local copies of all tiles in Repeat iteration 0, adjacent ones made one"},
    {"loops", "affine loops, affine", "affine_copy_loops",
     "loops that the copy runs can be written as: runs of one size whose addresses advance by constant "
     "strides; a lone copy is one"},
    {"receivers with one loop", "most loops of a receiver",
     "receivers_with_one_affine_loop, maximum_affine_loops_per_receiver",
     "receivers whose copies are a single affine loop, and the most loops that one receiver needs"},
    {"ranges valid", NULL, "replay_address_ranges_valid",
     "staging fits into the addresses that a replay has for it; else the mode is neither replayed nor "
     "exported"},
    {"alias", "staging alias", "staging_alias",
     "the replay's staging addresses lie over captured ones of the same tile: it may show hazards that a "
     "real "
     "placement would not have"},
    /* replay */
    {"replay", NULL, "replay", "the exchange scheduler run on the phase: rows and cycles come from it"},
    {"row", "row words", "row, row_words, maximum_row_words",
     "the supervisor words that one tile executes in the phase, the closing return included"},
    {"row B", "row bytes", "row_bytes, maximum_row_bytes, scheduled_row_max_bytes",
     "4 bytes a row word: of a tile, or of the longest row of the phase"},
    {"longest row on tile", NULL, "maximum_row_tile", "the tile with the longest row"},
    {"words of all rows", NULL, "total_row_words", "the rows of all tiles added up, in words"},
    {"active tiles", NULL, "active_tiles", "tiles that send or receive in the phase"},
    {"cycles", "horizon, horizon cycles", "horizon_cycles, scheduled_horizon_cycles",
     "length of the phase in the scheduling model: from the entry synchronisation to the end of the last "
     "tile. Permutation cycles are another thing"},
    {"tile ends at", "ends at, ends at cycle, tile ends at cycle", "tile_event_cycles, horizon_cycles",
     "the cycle in which this tile's part of the phase is over, its memory included"},
    {"endpoint lower bound", "lower bound", "endpoint_lower_bound_cycles",
     "the most words that one tile sends, or receives: one word a cycle, so no schedule is shorter"},
    {"above the endpoint bound", "gap to it, gap cycles", "gap_cycles",
     "cycles of the phase beyond the endpoint lower bound"},
    {"pass", NULL, "pass",
     "1: rows could be encoded where transfers were placed first; 2: placed again, with the alignment of "
     "rows "
     "checked"},
    {"row fingerprint", NULL, "row_fingerprint", "a hash of all rows: equal when they agree word for word"},
    {"invariants", "PASS, FAIL, first fault", "invariants, first_fault",
     "PASS: a check that shares nothing with the scheduler finds every transfer in the rows; FAIL: no figure "
     "of the replay is shown"},
    {"stream words", "balanced", "stream_words, balanced",
     "how the replay orders transfers: words of one wave of a stream, and whether streams are balanced"},
    {"replayed as 32-bit", NULL, "paired64_transfers", "Paired64 transfers, which are replayed as Word32"},
    {"took", "load time", "seconds, load_seconds", "how long the replay, or the loading, took this program"},
    {"idle", "idle cycles, idle between", "idle_cycles",
     "cycles without a payload word: of a tile, neither sent nor received; of an endpoint, between its first "
     "and last word"},
    {"incoming base", NULL, "incoming_base, incoming_bases",
     "the address with which a row is entered when its tile receives a single transfer, sent to it alone"},
    {"critical chain", "waited for, what fixed its start, lost cycles",
     "chain, wait, waited_for, reason, lost_cycles, before_chain_cycles",
     "from the transfer that ends last backwards, each with what kept it from starting a cycle earlier; lost "
     "cycles count from where its predecessors alone would have let it start"},
    {"sole receive", NULL, NULL,
     "the only transfer that its receiver gets, sent to it alone: the row is entered with the address, and "
     "the "
     "source mux is fixed at event 113, so that the send starts late"},
    {"earliest event", NULL, NULL,
     "nothing is waited for: the send is at event 0, or starts so that the source mux of its nearest "
     "receiver "
     "turns at event 1"},
    {"send lane", NULL, NULL, "a tile sends one transfer at a time"},
    {"receive stream", NULL, NULL,
     "a tile hears one transfer at a time, and stores one at a time, in the order in which they were placed"},
    {"control slot", NULL, NULL,
     "no mux or pointer event of a tile may fall on the first two events of one of its sends, nor on another "
     "of its kind"},
    {"memory element", NULL, NULL, "a piece of a tile's memory that cannot be read and written at once"},
    {"alignment", NULL, NULL,
     "two controls in one event need an instruction at an even word of the row: where it cannot be had, the "
     "transfer is placed later"},
    /* receivers */
    {"scope", NULL, "scope, scope_transfers",
     "the transfers that figures of receivers are about: the whole phase, or its independent prefix"},
    {"coverage", "payload bytes, union bytes, overlap bytes", "payload_bytes, union_bytes, overlap_bytes",
     "what a receiver holds in the end: bytes received, different bytes written, and bytes written more than "
     "once"},
    {"busiest receiver", NULL, "busiest_receiver, busiest",
     "the receiver that gets the most bytes, the lowest number on a tie"},
    {"contiguous", "intervals", "contiguous, intervals",
     "all that a receiver gets is one interval of addresses, without overlap"},
    {"gap", "gaps", "gaps, largest_gaps",
     "addresses between the intervals of a receiver; of an endpoint, cycles between two of its transfers"},
    {"identity", "identity words, identity receivers", "identity, identity_words",
     "every word is staged where it ends: the receiver needs no scatter"},
    {"permutation cycles", "longest permutation cycle, words moved", "cycles, longest_cycle, words_moved",
     "of a contiguous receiver's words from staged to final order, fixed points included: not a time"},
    {"bitmap bytes", NULL, "bitmap_bytes",
     "memory that rotating the words in place needs beside one temporary word, unless they are transposed"},
    {"transposition", NULL, "transposition",
     "the permutation is that of a matrix of rows by columns, of so many words each: it needs no bitmap"},
    {"padded", NULL, "padded",
     "rounding left holes between staged words: rotating in place needs a compaction first"},
};

const Term *terms_table(size_t *count)
{
    *count = sizeof terms / sizeof *terms;
    return terms;
}

/* Whether one of the names of a list is, or begins with, `word`. */
static bool list_has(const char *list, const char *word, bool whole)
{
    size_t length = strlen(word);
    for (const char *at = list; at != NULL && *at != '\0';) {
        size_t name = strcspn(at, ",");
        if (name >= length && (name == length || !whole) && strncasecmp(at, word, length) == 0) {
            return true;
        }
        at += name;
        at += strspn(at, ", ");
    }
    return false;
}

bool term_is_called(const Term *term, const char *word)
{
    return strcasecmp(term->name, word) == 0 || list_has(term->also, word, true) ||
           list_has(term->keys, word, true);
}

bool term_begins(const Term *term, const char *word)
{
    return strncasecmp(term->name, word, strlen(word)) == 0 || list_has(term->also, word, false);
}
