/* Placement, step by step, against plain code: the offset of every transfer, in both passes and in any order,
 * what is said to stand in the way, and every row after every transfer. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../replay/plain.h"
#include "../replay/random_phase.h"
#include "replay/place.h"
#include "row/encode.h"

enum { TRIES_MAX = 3000000, HUB = 44 };

typedef struct Bench {
    Phase *phase;
    uint16_t tile_count;
    Dependencies dependencies;
    uint32_t *order;
    FabricTile tiles[FABRIC_TILES];
    RowStates states;
    Replay replay; /* only the arrays per transfer */
} Bench;

static void bench_init(Bench *bench, Phase *phase, uint16_t tile_count)
{
    uint32_t sends[FABRIC_TILES] = {0}, receives[FABRIC_TILES] = {0}, alone[FABRIC_TILES] = {0};
    memset(bench, 0, sizeof *bench);
    bench->phase = phase;
    bench->tile_count = tile_count;
    for (uint32_t i = 0; i < phase->transfers; i++) {
        sends[phase->source[i]]++;
        for (uint32_t k = phase->receiver_start[i]; k < phase->receiver_start[i + 1]; k++) {
            receives[phase->receiver_tile[k]]++;
            alone[phase->receiver_tile[k]] += phase_receivers(phase, i) == 1;
        }
    }
    assert_true(row_states_init(&bench->states, tile_count, sends, receives, NULL));
    for (uint16_t tile = 0; tile < tile_count; tile++) {
        bench->tiles[tile] = fabric_tile(tile);
        bench->states.tiles[tile].sole_receive = receives[tile] == 1 && alone[tile] == 1;
    }
    bench->order = calloc(phase->transfers, sizeof *bench->order);
    bench->replay.offset = calloc(phase->transfers, sizeof(uint32_t));
    bench->replay.send_start = calloc(phase->transfers, sizeof(uint32_t));
    bench->replay.completion = calloc(phase->transfers, sizeof(uint32_t));
    bench->replay.requested = calloc(phase->transfers, sizeof(uint32_t));
    bench->replay.wait_kind = calloc(phase->transfers, 1);
    bench->replay.wait_transfer = calloc(phase->transfers, sizeof(uint32_t));
    for (uint32_t i = 0; i < phase->transfers; i++) {
        bench->order[i] = i;
    }
}

static void bench_free(Bench *bench)
{
    row_states_free(&bench->states);
    free(bench->order);
    replay_free(&bench->replay);
    dependencies_free(&bench->dependencies);
    phase_free(bench->phase);
}

static bool bench_place(Bench *bench, bool aligned, Error *error)
{
    FormMaker maker = {.phase = bench->phase, .states = &bench->states, .tiles = bench->tiles};
    return place_transfers(&maker, &bench->dependencies, bench->order, aligned, NULL, &bench->replay, error);
}

/* Any order and any dependencies of earlier ones in it: not those of the memory, but as good for placing. */
static void bench_shuffle(Bench *bench, uint64_t *random, uint32_t edges_percent)
{
    uint32_t n = bench->phase->transfers, count = 0;
    for (uint32_t i = n; i > 1; i--) {
        uint32_t k = random_below(random, i), swap = bench->order[k];
        bench->order[k] = bench->order[i - 1];
        bench->order[i - 1] = swap;
    }
    Dependencies *dependencies = &bench->dependencies;
    dependencies->depth = calloc(n, sizeof(uint32_t));
    dependencies->predecessor_start = calloc(n + 1, sizeof(uint32_t));
    dependencies->predecessors = calloc(n, sizeof(uint32_t));
    uint32_t *predecessor = calloc(n, sizeof *predecessor);
    for (uint32_t i = 1; i < n; i++) {
        bool edge = random_below(random, 100) < edges_percent;
        predecessor[bench->order[i]] = edge ? 1 + bench->order[random_below(random, i)] : 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        dependencies->predecessor_start[i] = count;
        if (predecessor[i] != 0) {
            dependencies->predecessors[count++] = predecessor[i] - 1;
        }
    }
    dependencies->predecessor_start[n] = count;
    dependencies->edges = count;
    free(predecessor);
}

/* The rows of a transfer's tiles: encodable or not, and word for word. */
static void check_row(const RowState *row, const PlainTile *plain)
{
    uint32_t words, plain_words;
    uint32_t *expected = plain_encode(plain, &plain_words);
    assert_int_equal(row_measure(row, &words), expected != NULL);
    if (expected != NULL) {
        uint32_t *found = malloc((words + 1) * sizeof *found);
        assert_int_equal(words, plain_words);
        row_encode(row, found);
        assert_memory_equal(found, expected, words * sizeof *found);
        free(found);
        free(expected);
    }
}

/* What is recorded must be what stands one cycle before. */
static void check_wait(const Bench *bench, PlainReplay *plain, uint32_t transfer)
{
    const Replay *replay = &bench->replay;
    uint32_t offset = replay->offset[transfer], blocker = replay->wait_transfer[transfer];
    assert_int_equal(replay->requested[transfer], plain_requested(plain, &bench->dependencies, transfer));
    unsigned why = offset == 0 ? 0 : plain_blocked(bench->phase, plain, transfer, offset - 1);
    switch ((WaitKind)replay->wait_kind[transfer]) {
    case WAIT_NONE:
        assert_int_equal(offset, 0);
        assert_int_equal(blocker, WAIT_NO_TRANSFER);
        break;
    case WAIT_DEPENDENCY:
        assert_int_equal(offset, replay->requested[transfer]);
        assert_int_equal(offset, plain->completion[blocker]);
        break;
    case WAIT_SEND_LANE:
        assert_true((why & PLAIN_LANE) != 0);
        assert_int_equal(bench->phase->source[blocker], bench->phase->source[transfer]);
        break;
    case WAIT_RECEIVE_STREAM:
        assert_true((why & PLAIN_STREAM) != 0);
        break;
    case WAIT_CONTROL_SLOT:
        assert_true((why & PLAIN_SLOT) != 0);
        break;
    case WAIT_MEMORY_ELEMENT:
        assert_true((why & PLAIN_MEMORY) != 0);
        break;
    case WAIT_ALIGNMENT:
        assert_int_equal(why, 0);
        assert_true(offset > replay->requested[transfer]);
        assert_false(plain_encodable_with(bench->phase, plain, transfer, offset - 1));
        break;
    default:
        fail();
    }
    if ((WaitKind)replay->wait_kind[transfer] > WAIT_DEPENDENCY && blocker != WAIT_NO_TRANSFER) {
        assert_true(blocker < bench->phase->transfers && blocker != transfer);
    }
}

/* Where nothing that was placed meets a transfer any more, nothing stands in its way, alignment neither. */
static void check_end_of_search(const Bench *bench, const PlainReplay *plain, uint32_t transfer)
{
    const Phase *phase = bench->phase;
    uint32_t free_from = bench->replay.requested[transfer];
    uint32_t horizon = plain->tiles[phase->source[transfer]].horizon;
    for (uint32_t k = phase->receiver_start[transfer]; k < phase->receiver_start[transfer + 1]; k++) {
        uint32_t other = plain->tiles[phase->receiver_tile[k]].horizon;
        horizon = other > horizon ? other : horizon;
    }
    free_from = horizon > free_from ? horizon : free_from;
    assert_true(bench->replay.offset[transfer] <= free_from);
}

static unsigned waits_seen[WAIT_KINDS];

static void check_placement(Bench *bench, bool aligned)
{
    static PlainReplay plain;
    Error error = {0};
    if (!bench_place(bench, aligned, &error)) {
        fail_msg("%s", error.message);
    }
    plain_start(bench->phase, bench->tile_count, &plain);
    for (uint32_t i = 0; i < bench->phase->transfers; i++) {
        uint32_t transfer = bench->order[i];
        check_wait(bench, &plain, transfer);
        check_end_of_search(bench, &plain, transfer);
        waits_seen[bench->replay.wait_kind[transfer]]++;
        uint32_t requested = plain_requested(&plain, &bench->dependencies, transfer);
        assert_true(plain_place(bench->phase, &plain, transfer, requested, aligned, TRIES_MAX));
        assert_int_equal(bench->replay.offset[transfer], plain.offset[transfer]);
        assert_int_equal(bench->replay.completion[transfer], plain.completion[transfer]);
    }
    for (uint16_t tile = 0; tile < bench->tile_count; tile++) {
        assert_int_equal(bench->states.tiles[tile].horizon, plain.tiles[tile].horizon);
        check_row(&bench->states.tiles[tile], &plain.tiles[tile]);
    }
    plain_free(&plain);
}

static void check_random_phases(bool aligned, uint64_t random, unsigned rounds, uint32_t transfers_max)
{
    for (unsigned round = 0; round < rounds; round++) {
        Bench bench;
        RandomShape shape = random_shape(&random, transfers_max);
        if (aligned && shape.words_max > 600) {
            shape.words_max = 600;
        }
        bench_init(&bench, random_phase(&random, &shape), random_tile_count(&shape));
        bench_shuffle(&bench, &random, random_below(&random, 3) * 20);
        check_placement(&bench, aligned);
        bench_free(&bench);
    }
}

static void offsets_are_those_of_the_plain_search(void **state)
{
    (void)state;
    check_random_phases(false, 4711, 150, 50);
}

static void aligned_offsets_are_those_of_the_plain_search(void **state)
{
    (void)state;
    check_random_phases(true, 1147, 150, 40);
}

/* A tile that sends and receives all the time: long stretches of blocked starts, holes between them. */
static void a_hub_is_placed_as_by_the_plain_search(void **state)
{
    (void)state;
    uint64_t random = 99;
    for (unsigned round = 0; round < 24; round++) {
        RandomShape shape = {.tiles = 30,
                             .tile_step = (uint16_t)(1 + round % 5 * 11),
                             .transfers = 150,
                             .words_max = round % 2 == 0 ? 8 : 70,
                             .receivers_max = 1,
                             .hub_percent = 100,
                             .pair_percent = round % 3 * 15,
                             .continue_percent = 60,
                             .element_percent = round % 4 * 25};
        Bench bench;
        bench_init(&bench, random_phase(&random, &shape), random_tile_count(&shape));
        bench_shuffle(&bench, &random, 0);
        check_placement(&bench, round >= 12);
        bench_free(&bench);
    }
}

/* A tile sends one word to another so far away that S is 0: its memory is busy until 6 cycles after the
 * start. A receive that writes the same element comes at every distance to that. */
static void a_short_send_keeps_its_element_for_six_cycles(void **state)
{
    (void)state;
    enum { NEAR = 44 }; /* in the last row: from there it is far to the first */
    FabricTile near = fabric_tile(NEAR);
    uint16_t far = 0;
    for (FabricTile tile = fabric_tile(far); fabric_time_to_mux(&near, &tile) < 0; tile = fabric_tile(far)) {
        far++;
        assert_true(far < FABRIC_TILES);
    }
    uint16_t tiles[] = {3, far, NEAR};
    uint32_t reads[] = {0x10000, 0x20000, 0x10000}, writes[] = {0x40000, 0x40000, 0x20100};
    for (uint16_t words = 1; words < 80; words++) {
        Phase *phase = phase_new(1, NULL);
        assert_true(
            phase_append(phase, 2, words, WIDTH_WORD32, &reads[0], 1, &tiles[0], &writes[0], 1, NULL));
        assert_true(phase_append(phase, NEAR, 1, WIDTH_WORD32, &reads[1], 1, &tiles[1], &writes[1], 1, NULL));
        /* Several to tiles 3 and NEAR, so that no receive is the only one of its tile. */
        for (int i = 0; i < 2; i++) {
            assert_true(
                phase_append(phase, 1, 3, WIDTH_WORD32, &reads[2], 1, &tiles[2], &writes[2], 1, NULL));
            assert_true(
                phase_append(phase, 2, 1, WIDTH_WORD32, &reads[0], 1, &tiles[0], &writes[0], 1, NULL));
        }
        uint16_t elsewhere = far == 5 ? 6 : 5; /* nor the one to the far tile */
        assert_true(
            phase_append(phase, elsewhere, 1, WIDTH_WORD32, &reads[0], 1, &tiles[1], &writes[1], 1, NULL));
        Bench bench;
        bench_init(&bench, phase, FABRIC_TILES);
        Dependencies *dependencies = &bench.dependencies;
        dependencies->depth = calloc(7, sizeof(uint32_t));
        dependencies->predecessor_start = calloc(8, sizeof(uint32_t));
        dependencies->predecessors = calloc(1, sizeof(uint32_t));
        for (uint32_t i = 2; i < 8; i++) {
            dependencies->predecessor_start[i] = 1; /* 1 waits for 0 */
        }
        dependencies->edges = 1;
        check_placement(&bench, false);
        bench_free(&bench);
    }
}

/* A transfer to its own tile whose neutral event is the third of its send, and there meets the pointer event
 * of the receive before: one word comes before that pair, which cannot be split, so that the parity of the
 * row before the send decides. */
static void a_pair_at_the_start_of_a_loopback_is_aligned(void **state)
{
    (void)state;
    enum { READ = 0x10000, WRITE = 0x40000 };
    for (unsigned round = 0; round < 4 * 3 * 3 * 2; round++) {
        unsigned earlier = round % 4;
        uint16_t self = round < 36 ? 0 : 2, tiles[] = {self, 1};
        FabricTile tile = fabric_tile(self);
        /* Source events this far apart, before it and of it, bring the pair about; and one more, one less. */
        uint16_t words = (uint16_t)(1 - fabric_time_to_mux(&tile, &tile) + (int)(round / 12 % 3));
        uint16_t before = (uint16_t)(51 - words + round / 4 % 3);
        uint32_t read = READ, writes[] = {WRITE, WRITE};
        Phase *phase = phase_new(1, NULL);
        for (unsigned i = 0; i < earlier; i++) {
            uint32_t write = WRITE + 0x1000 * (1 + i);
            assert_true(
                phase_append(phase, 1, (uint16_t)(1 + i), WIDTH_WORD32, &read, 1, &self, &write, 1, NULL));
        }
        uint32_t write = WRITE + 0x8000;
        assert_true(phase_append(phase, 1, before, WIDTH_WORD32, &read, 1, &self, &write, 1, NULL));
        assert_true(phase_append(phase, self, words, WIDTH_WORD32, &read, 1, tiles, writes, 2, NULL));
        Bench bench;
        bench_init(&bench, phase, 3);
        check_placement(&bench, true);
        bench_free(&bench);
    }
}

/* What may stand at the end of a search is proven not to: any transfer, alone on its tiles, has rows that can
 * be encoded at once, and so does a transfer to its own tile unless its neutral event meets the start of its
 * send, which is refused. */
static void a_transfer_on_its_own_needs_no_alignment(void **state)
{
    (void)state;
    uint32_t refused = 0;
    Phase *phase = phase_new(1, NULL);
    uint16_t tiles[] = {0, 0};
    uint32_t read = 0x10000, writes[] = {0x40000, 0x40000};
    assert_true(phase_append(phase, 0, 1, WIDTH_WORD32, &read, 1, tiles, writes, 1, NULL));
    assert_true(phase_append(phase, 0, 1, WIDTH_WORD32, &read, 1, tiles, writes, 2, NULL));
    assert_true(phase_append(phase, 1, 1, WIDTH_WORD32, &read, 1, tiles, writes, 2, NULL));
    static Bench bench; /* room for any of the three on any tile */
    bench_init(&bench, phase, FABRIC_TILES);
    row_states_free(&bench.states);
    static uint32_t room[FABRIC_TILES];
    for (uint16_t tile = 0; tile < FABRIC_TILES; tile++) {
        room[tile] = 2;
    }
    assert_true(row_states_init(&bench.states, FABRIC_TILES, room, room, NULL));
    phase->transfers = 1;
    for (uint16_t tile = 0; tile < FABRIC_TILES; tile++) {
        FabricTile self = fabric_tile(tile);
        uint16_t pair = (uint16_t)(52 + 2 * self.row), meets = (uint16_t)-fabric_time_to_mux(&self, &self);
        const uint16_t words[] = {1,  2,  3,  26,  meets, 53,   54,   (uint16_t)(pair - 1),
                                  27, 28, 29, 30,  52,    64,   65,   (uint16_t)(meets - 1),
                                  66, 80, 99, 100, 4096,  4097, 4148, pair};
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            for (unsigned loopback = 0; loopback < 2; loopback++) {
                uint16_t other = (uint16_t)((tile + 1 + 97 * i) % FABRIC_TILES);
                if (other == tile) {
                    continue;
                }
                phase->source[0] = loopback ? tile : other;
                phase->words[0] = words[i];
                phase->receiver_start[1] = 1 + loopback;
                phase->receiver_tile[0] = tile;
                phase->receiver_tile[1] = other;
                row_states_clear(&bench.states);
                FormMaker maker = {.phase = phase, .states = &bench.states, .tiles = bench.tiles};
                bool may = place_check_phase(&maker, NULL, NULL);
                assert_int_equal(may, !loopback || (words[i] != meets && words[i] != meets - 1));
                refused += !may;
                if (may) {
                    uint32_t count;
                    assert_true(bench_place(&bench, true, NULL));
                    assert_int_equal(bench.replay.offset[0], 0);
                    assert_int_equal(bench.replay.wait_kind[0], WAIT_NONE);
                    assert_true(row_measure(&bench.states.tiles[tile], &count));
                    assert_true(row_measure(&bench.states.tiles[other], &count));
                }
            }
        }
    }
    assert_true(refused > 2 * FABRIC_TILES);
    phase->transfers = 3;
    bench_free(&bench);
}

/* Offsets end in front of 2^31, with room for the transfer itself. */
static void a_transfer_after_the_end_of_time_is_refused(void **state)
{
    (void)state;
    enum { ROOM = 1 << 14 };
    Phase *phase = phase_new(9, NULL);
    uint16_t tile = 1;
    uint32_t read = 0x10000, write = 0x40000;
    for (int i = 0; i < 2; i++) {
        assert_true(phase_append(phase, 0, 4148, WIDTH_WORD32, &read, 1, &tile, &write, 1, NULL));
    }
    Bench bench;
    bench_init(&bench, phase, 2);
    bench_shuffle(&bench, &(uint64_t){1}, 100);
    uint32_t first = bench.order[0];
    /* The one that the other depends on has completed already, as late as may be. */
    bench.order[0] = bench.order[1];
    bench.order[1] = first;
    bench.replay.completion[first] = INT32_MAX - ROOM;
    phase->transfers = 1;
    assert_true(bench_place(&bench, true, NULL));
    assert_int_equal(bench.replay.offset[bench.order[0]], INT32_MAX - ROOM);
    assert_true(bench.states.tiles[1].horizon < INT32_MAX);

    row_states_clear(&bench.states);
    bench.replay.completion[first] = INT32_MAX - ROOM + 1;
    Error error = {0};
    assert_false(bench_place(&bench, true, &error));
    assert_int_equal(error.kind, ERROR_REFUSED);
    assert_non_null(strstr(error.message, "phase 9, transfer "));
    assert_non_null(strstr(error.message, "it would start after 2^31 cycles, beyond any row"));
    phase->transfers = 2;
    bench_free(&bench);
}

/* A tile stores a stream closely, in one and then in another element, and then with holes of a few cycles,
 * while it sends: from one of the elements, from both or neither; far away, which keeps the memory busy for 6
 * cycles (S is 0), and near; one word or some. Where one of these fits another need not, and the searches
 * take so many steps that blocked starts are remembered. */
static void what_blocks_one_send_need_not_block_another(void **state)
{
    (void)state;
    enum { FAR = 1455, NEAR = 46, ENDS = 17, SOURCE = 2, OTHER = 3 };
    enum { CLOSE = 60, STREAM = 150, SENDS = 60, WORDS = 12 };
    static const uint32_t reads[] = {0x20000, 0x24000, 0x10000}; /* two elements of the stream and another */
    for (unsigned round = 0; round < 6; round++) {
        uint64_t random = 1014 + round; /* among these every part of what is remembered decides somewhere */
        Phase *phase = phase_new(1, NULL);
        uint16_t hub = HUB, other = OTHER;
        for (uint32_t i = 0; i < STREAM; i++) {
            uint32_t part = i / CLOSE, written = part < 2 ? part : random_below(&random, 2);
            uint32_t write = reads[written] + 0x100 + 64 * i;
            assert_true(phase_append(phase, SOURCE, WORDS, WIDTH_WORD32, reads, 1, &hub, &write, 1, NULL));
            if (part >= 2) { /* the memory is busy for 5 cycles more than there are words */
                uint16_t between = (uint16_t)(6 + random_below(&random, 5));
                assert_true(
                    phase_append(phase, SOURCE, between, WIDTH_WORD32, reads, 1, &other, &write, 1, NULL));
            }
        }
        uint32_t stream = phase->transfers;
        for (uint32_t i = 0; i < SENDS; i++) {
            static const uint16_t words[] = {1, 1, 1, 1, 2, 2, 3, 4};
            uint32_t write = 0x40000 + 64 * i, first = random_below(&random, 3);
            uint32_t end = (random_below(&random, 2) == 0 ? FAR : NEAR) + random_below(&random, ENDS);
            assert_true(phase_append(phase, HUB, words[random_below(&random, 8)], WIDTH_WORD32, reads + first,
                                     first == 0 ? 1 + random_below(&random, 2) : 1,
                                     &(uint16_t){(uint16_t)end}, &write, 1, NULL));
        }
        uint32_t sends_end = phase->transfers;
        for (uint16_t i = 0; i < 2 * ENDS; i++) { /* so that none of them has a sole receive */
            uint16_t end = (uint16_t)(i < ENDS ? FAR + i : NEAR + i - ENDS);
            uint32_t write = 0x50000;
            assert_true(phase_append(phase, SOURCE, 1, WIDTH_WORD32, reads, 1, &end, &write, 1, NULL));
        }
        Bench bench;
        bench_init(&bench, phase, FABRIC_TILES);
        uint32_t n = phase->transfers, count = 0;
        Dependencies *dependencies = &bench.dependencies;
        dependencies->depth = calloc(n, sizeof(uint32_t));
        dependencies->predecessor_start = calloc(n + 1, sizeof(uint32_t));
        dependencies->predecessors = calloc(n, sizeof(uint32_t));
        for (uint32_t i = 0; i < n;
             i++) { /* each of the sends waits for some part of the stream, mostly early */
            dependencies->predecessor_start[i] = count;
            if (i >= stream && i < sends_end) {
                uint32_t reach = random_below(&random, 3) == 0 ? stream : 8;
                dependencies->predecessors[count++] = random_below(&random, reach);
            }
        }
        dependencies->predecessor_start[n] = count;
        dependencies->edges = count;
        check_placement(&bench, round % 2 == 1);
        bench_free(&bench);
    }
}

/* Appends a transfer that waits for `waits` (NO_WAIT: for nothing) and tells its number. */
enum { NO_WAIT = UINT16_MAX };

static uint32_t append_waiting(Bench *bench, uint16_t source, uint16_t tile, uint32_t words, uint32_t read,
                               uint32_t waits)
{
    Dependencies *dependencies = &bench->dependencies;
    uint32_t i = bench->phase->transfers, write = 0x20100 + 64 * (i % 60);
    assert_true(
        phase_append(bench->phase, source, (uint16_t)words, WIDTH_WORD32, &read, 1, &tile, &write, 1, NULL));
    dependencies->predecessor_start = realloc(dependencies->predecessor_start, (i + 2) * sizeof(uint32_t));
    dependencies->predecessors = realloc(dependencies->predecessors, (i + 1) * sizeof(uint32_t));
    assert_non_null(dependencies->predecessor_start);
    assert_non_null(dependencies->predecessors);
    dependencies->predecessor_start[0] = 0;
    if (waits != NO_WAIT) {
        dependencies->predecessors[dependencies->edges++] = waits;
    }
    dependencies->predecessor_start[i + 1] = (uint32_t)dependencies->edges;
    return i;
}

/* Where a send from one tile to another starts at offset 0. */
static uint32_t first_start(uint16_t source, uint16_t tile)
{
    FabricTile from = fabric_tile(source), to = fabric_tile(tile);
    int time = fabric_time_to_mux(&from, &to);
    return time < 0 ? (uint32_t)-time : 0;
}

/* When a transfer of one word, alone on its way, completes at offset 0. */
static uint32_t first_completion(uint16_t tile)
{
    return 1 + 52 + 2u * fabric_tile(tile).row + 1;
}

enum {
    T = 46,
    U = 49,
    V = 48,
    W = 47,
    CLOCK = 4,
    CLOCK_SOURCE = 2,
    TEETH = 40,
    ELSEWHERE = 0x10000,
    SHARED = 0x20000
};

/* Every tile of the combs below receives something else, so that none has a sole receive; then places. */
static void comb_place(Bench *comb, bool aligned)
{
    for (uint16_t tile = HUB; tile <= U; tile++) {
        append_waiting(comb, 60, tile, 1, ELSEWHERE, NO_WAIT);
    }
    Dependencies dependencies = comb->dependencies;
    Phase *phase = comb->phase;
    bench_init(comb, phase, 61);
    comb->dependencies = dependencies;
    comb->dependencies.depth = calloc(phase->transfers, sizeof(uint32_t));
    check_placement(comb, aligned);
}

/* A comb of single words, one in two cycles, at whose teeth a send of two words is stuck for so long that it
 * is remembered. It began a cycle after a hole of two.
 *
 *     UUUUU..T.T.T.T.T.T.T   first to stick: from the second cycle of the hole on
 *          WW                what finds the hole later must not take it for blocked */
static void the_hole_before_a_comb_is_found(void **state)
{
    (void)state;
    for (unsigned aligned = 0; aligned < 2; aligned++) {
        Bench comb = {.phase = phase_new(1, NULL)};
        uint32_t clock = first_completion(CLOCK), hole = first_start(HUB, T) + clock + 8;
        for (uint32_t i = 0; i < 100; i++) { /* the i-th completes at clock + i */
            append_waiting(&comb, CLOCK_SOURCE, CLOCK, 1, ELSEWHERE, NO_WAIT);
        }
        append_waiting(&comb, HUB, U, hole - first_start(HUB, U), ELSEWHERE, NO_WAIT);
        for (uint32_t k = 0; k < TEETH; k++) {
            append_waiting(&comb, HUB, T, 1, ELSEWHERE, 10 + 2 * k);
        }
        uint32_t stuck = append_waiting(&comb, HUB, V, 2, ELSEWHERE, hole + 1 - first_start(HUB, V) - clock);
        uint32_t fits = append_waiting(&comb, HUB, W, 2, ELSEWHERE, hole - first_start(HUB, W) - clock);
        comb_place(&comb, aligned != 0);
        if (!aligned) {
            assert_int_equal(comb.replay.requested[stuck] + first_start(HUB, V), hole + 1);
            assert_int_equal(comb.replay.send_start[stuck], hole + 2 * TEETH + 1);
            assert_int_equal(comb.replay.send_start[fits], hole);
        }
        bench_free(&comb);
    }
}

/* The comb begins where a stream into an element ends. One send is remembered to be stuck until there for the
 * element's sake; a longer one jumps over that and then sticks in the comb; a third, which reads elsewhere,
 * may start in the middle of all that. */
static void a_comb_behind_a_stream_blocks_for_the_sake_of_both(void **state)
{
    (void)state;
    enum { STREAM = 60, WORDS = 12 };
    for (unsigned aligned = 0; aligned < 2; aligned++) {
        Bench comb = {.phase = phase_new(1, NULL)};
        uint32_t stream_end = 1 + STREAM * WORDS + 52 + 2u * fabric_tile(HUB).row + 5;
        for (uint32_t i = 0; i < STREAM; i++) {
            append_waiting(&comb, CLOCK_SOURCE, HUB, WORDS, ELSEWHERE, NO_WAIT);
        }
        /* A clock that ticks from the end of the stream on. */
        uint32_t first = stream_end - first_start(HUB, T) - first_completion(CLOCK) + 1;
        uint32_t clock = append_waiting(&comb, 6, CLOCK, first, ELSEWHERE, NO_WAIT);
        for (uint32_t i = 1; i < 2 * TEETH; i++) {
            append_waiting(&comb, 6, CLOCK, 1, ELSEWHERE, NO_WAIT);
        }
        for (uint32_t k = 0; k < TEETH; k++) {
            append_waiting(&comb, HUB, T, 1, ELSEWHERE, clock + 2 * k);
        }
        uint32_t one = append_waiting(&comb, HUB, U, 1, SHARED, 0);
        uint32_t two = append_waiting(&comb, HUB, V, 2, SHARED, 1);
        uint32_t free = append_waiting(&comb, HUB, W, 2, ELSEWHERE, 2);
        comb_place(&comb, aligned != 0);
        if (!aligned) {
            assert_int_equal(comb.replay.send_start[one], stream_end + 1);
            assert_int_equal(comb.replay.send_start[two], stream_end + 2 * TEETH - 1);
            assert_true(comb.replay.send_start[free] < stream_end - 100);
        }
        bench_free(&comb);
    }
}

/* The plain checks above are worth something only if every kind of wait was met. */
static void every_kind_of_wait_was_met(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < WAIT_KINDS; kind++) {
        if (waits_seen[kind] == 0) {
            fail_msg("no transfer waited for: %s", wait_kind_name((WaitKind)kind));
        }
    }
}

/* From tile 0 to tile 1 and back, worked by hand. Logical tiles 0 and 1 are physical 0 and 2, row 0, column
 * 0.
 *
 *     m(0 -> 2): L = 0, + (0 ^ 3) = 3, edges 0, turn 1, rows 0, d = 6 * (0 - 0) + (h == (t & 1) ? 2 : 4) = 2,
 *                0 - 0 + 3 + 0 + 1 - 0 + 0 + 2 - 34 = -28
 *     so S = 28, X = 28 - 28 + 1 = 1, Q = 53. */
static void two_transfers_as_worked_by_hand(void **state)
{
    (void)state;
    Phase *phase = phase_new(1, NULL);
    uint16_t receiver = 1;
    uint32_t read = 0x10000, write[] = {0x20000, 0x20020, 0x20060};
    assert_true(phase_append(phase, 0, 8, WIDTH_WORD32, &read, 1, &receiver, &write[0], 1, NULL));
    assert_true(phase_append(phase, 0, 16, WIDTH_WORD32, &read, 1, &receiver, &write[1], 1, NULL));
    assert_true(phase_append(phase, 0, 1, WIDTH_WORD32, &read, 1, &receiver, &write[2], 1, NULL));
    Bench bench;
    bench_init(&bench, phase, 2);
    assert_true(bench_place(&bench, false, NULL));
    static const uint32_t offsets[] = {0, 8, 24}, completions[] = {61, 77, 78};
    assert_memory_equal(bench.replay.offset, offsets, sizeof offsets);
    assert_memory_equal(bench.replay.completion, completions, sizeof completions);
    assert_int_equal(bench.replay.wait_kind[1], WAIT_RECEIVE_STREAM);
    assert_int_equal(bench.replay.wait_transfer[1], 0);

    /* Sender: delay 28, then one message each: 8, 16 and 1 words from word address 0x4000, direction 1
     * (d = 2), return at 53. */
    uint32_t words, row[32];
    static const uint32_t sender[] = {0x40a00000 | 27, 0x78000000 | 7 << 21 | 0x4000 << 3 | 1,
                                      0x78000000 | 15 << 21 | 0x4000 << 3 | 1, 0x78000000 | 0x4000 << 3 | 1,
                                      0x43a00000};
    assert_true(row_measure(&bench.states.tiles[0], &words));
    assert_int_equal(words, sizeof sender / sizeof *sender);
    row_encode(&bench.states.tiles[0], row);
    assert_memory_equal(row, sender, sizeof sender);

    /* Receiver: source at 1, again at 9 and 25 in the place of the neutrals, neutral at 26; the pointer once,
     * at 53, because the writes continue one another; horizon 77 + 1 + 5. */
    static const uint32_t listener[] = {
        0x64000000,         0x64000000 | 7 << 14,           0x64000000 | 15 << 14,
        0x64000000 | 0x640, 0x60000000 | 26 << 19 | 0x8000, 0x40a00000 | 29,
        0x43a00000};
    assert_true(row_measure(&bench.states.tiles[1], &words));
    assert_int_equal(words, sizeof listener / sizeof *listener);
    row_encode(&bench.states.tiles[1], row);
    assert_memory_equal(row, listener, sizeof listener);
    bench_free(&bench);
}

/* A sole receive is entered at its base: S = 112 - m = 140, X = 113, pointer value 0 at 165. */
static void a_sole_receive_as_worked_by_hand(void **state)
{
    (void)state;
    Phase *phase = phase_new(1, NULL);
    uint16_t receiver = 1;
    uint32_t read = 0x10000, write = 0x20000;
    assert_true(phase_append(phase, 0, 1, WIDTH_WORD32, &read, 1, &receiver, &write, 1, NULL));
    Bench bench;
    bench_init(&bench, phase, 2);
    assert_true(bench_place(&bench, false, NULL));
    assert_int_equal(bench.replay.offset[0], 0);
    assert_int_equal(bench.replay.completion[0], 166);
    static const uint32_t listener[] = {0x64000000 | 112 << 14, 0x64000000 | 0x640, 0x60000000 | 50 << 19,
                                        0x40a00000 | 5, 0x43a00000};
    uint32_t words, row[16];
    assert_true(row_measure(&bench.states.tiles[1], &words));
    assert_int_equal(words, sizeof listener / sizeof *listener);
    row_encode(&bench.states.tiles[1], row);
    assert_memory_equal(row, listener, sizeof listener);
    bench_free(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_transfers_as_worked_by_hand),
        cmocka_unit_test(a_sole_receive_as_worked_by_hand),
        cmocka_unit_test(offsets_are_those_of_the_plain_search),
        cmocka_unit_test(aligned_offsets_are_those_of_the_plain_search),
        cmocka_unit_test(a_hub_is_placed_as_by_the_plain_search),
        cmocka_unit_test(a_short_send_keeps_its_element_for_six_cycles),
        cmocka_unit_test(what_blocks_one_send_need_not_block_another),
        cmocka_unit_test(the_hole_before_a_comb_is_found),
        cmocka_unit_test(a_comb_behind_a_stream_blocks_for_the_sake_of_both),
        cmocka_unit_test(a_pair_at_the_start_of_a_loopback_is_aligned),
        cmocka_unit_test(a_transfer_on_its_own_needs_no_alignment),
        cmocka_unit_test(a_transfer_after_the_end_of_time_is_refused),
        cmocka_unit_test(every_kind_of_wait_was_met),
    };
    return cmocka_run_group_tests_name("replay/place", tests, NULL, NULL);
}
