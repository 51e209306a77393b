/* Whole replays: all figures against plain code, determinism, the critical chain and idle gaps, refusals,
 * cancelling, and memory that runs out. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../replay/plain.h"
#include "../replay/random_phase.h"
#include "base/memory.h"
#include "base/thread.h"
#include "fabric/fabric.h"
#include "replay/critical.h"
#include "replay/idle.h"

enum { TRIES_MAX = 3000000 };

static void append(Phase *phase, uint16_t source, uint16_t words, uint32_t read, uint16_t receiver,
                   uint32_t write)
{
    assert_true(phase_append(phase, source, words, WIDTH_WORD32, &read, 1, &receiver, &write, 1, NULL));
}

static void run(const Phase *phase, uint16_t tiles, ReplayOptions options, Replay *replay)
{
    Error error = {0};
    Dependencies dependencies;
    assert_true(dependencies_compute(phase, tiles, NULL, &dependencies, &error));
    if (!replay_run(phase, tiles, &dependencies, &options, NULL, replay, &error)) {
        fail_msg("%s", error.message);
    }
    dependencies_free(&dependencies);
    if (!replay->invariants_pass) {
        fail_msg("%s", replay->first_fault);
    }
}

/* ---- figures ---- */

static uint64_t unit(uint64_t hash, uint32_t value)
{
    return (hash ^ value) * 0x100000001b3u;
}

static void check_tile(const Phase *phase, const Replay *replay, const PlainTile *plain, uint16_t tile)
{
    uint64_t start = replay->row_start[tile];
    uint32_t words, *row = plain_encode(plain, &words);
    assert_non_null(row);
    assert_int_equal(replay->row_start[tile + 1] - start, words);
    assert_memory_equal(replay->row_words + start, row, words * sizeof *row);
    free(row);
    assert_int_equal(replay->tile_horizon[tile], plain->horizon);
    bool sole = plain->receive_count == 1 && phase_receivers(phase, plain->receives[0].transfer) == 1;
    assert_int_equal(replay->incoming_base[tile], sole ? (int32_t)plain->receives[0].address : -1);

    uint32_t sends = 0, receives = 0;
    for (uint64_t i = replay->activity_start[tile]; i < replay->activity_start[tile + 1]; i++) {
        const Activity *activity = &replay->activities[i];
        if (activity->kind == ACTIVITY_SEND) {
            const PlainSend *send = &plain->sends[sends++];
            assert_int_equal(activity->transfer, send->transfer);
            assert_int_equal(activity->start, send->start);
            assert_int_equal(activity->memory_end, send->memory_end);
            assert_int_equal(activity->address, 4 * send->address);
            assert_int_equal(activity->words, send->words);
        } else {
            const PlainReceive *receive = &plain->receives[receives++];
            assert_int_equal(activity->transfer, receive->transfer);
            assert_int_equal(activity->start, receive->payload_start);
            assert_int_equal(activity->memory_end, receive->memory_end);
            assert_int_equal(activity->address, receive->address);
            assert_int_equal(activity->words, receive->words);
        }
        assert_int_equal(activity->end, activity->start + activity->words);
        assert_true(i == replay->activity_start[tile] || activity[-1].start < activity->start ||
                    (activity[-1].start == activity->start && activity[-1].kind < activity->kind));
    }
    assert_int_equal(sends, plain->send_count);
    assert_int_equal(receives, plain->receive_count);
}

static void check_replay(const Phase *phase, uint16_t tiles, ReplayOptions options, const Replay *replay)
{
    static PlainReplay plain;
    Dependencies dependencies;
    uint32_t *order = calloc(phase->transfers + 1, sizeof *order);
    assert_true(dependencies_compute(phase, tiles, NULL, &dependencies, NULL));
    plain_order(phase, dependencies.depth, options.stream_words, options.balance, order);
    assert_true(plain_run(phase, tiles, &dependencies, order, TRIES_MAX, &plain));
    assert_int_equal(replay->pass, plain.pass);
    assert_memory_equal(replay->completion, plain.completion, phase->transfers * sizeof(uint32_t));
    uint64_t hash = 0xcbf29ce484222325u;
    uint32_t horizon = 0, longest = 0, active = 0;
    int32_t longest_tile = -1;
    for (uint16_t tile = 0; tile < tiles; tile++) {
        const PlainTile *own = &plain.tiles[tile];
        check_tile(phase, replay, own, tile);
        uint32_t words = (uint32_t)(replay->row_start[tile + 1] - replay->row_start[tile]);
        hash = unit(hash, words);
        for (uint32_t i = 0; i < words; i++) {
            hash = unit(hash, replay->row_words[replay->row_start[tile] + i]);
        }
        horizon = own->horizon > horizon ? own->horizon : horizon;
        active += own->send_count + own->receive_count > 0;
        if (words > longest) {
            longest = words;
            longest_tile = tile;
        }
    }
    assert_true(replay->row_fingerprint == hash);
    assert_int_equal(replay->horizon_cycles, horizon);
    assert_int_equal(replay->maximum_row_words, longest);
    assert_int_equal(replay->maximum_row_tile, longest_tile);
    assert_int_equal(replay->total_row_words, replay->row_start[tiles]);
    assert_int_equal(replay->active_tiles, active);
    plain_free(&plain);
    dependencies_free(&dependencies);
    free(order);
}

/* The chain must lead from the horizon to a transfer that waits for nothing, each link placed by the next. */
/* The lead is that of the form alone on the fabric, worked out from the route times. */
static void check_lead(const CriticalLink *link, const Phase *phase)
{
    uint32_t first = phase->receiver_start[link->transfer];
    FabricTile source = fabric_tile(phase->source[link->transfer]);
    int least = 0;
    for (uint32_t r = first; r < phase->receiver_start[link->transfer + 1]; r++) {
        FabricTile receiver = fabric_tile(phase->receiver_tile[r]);
        int time = fabric_time_to_mux(&source, &receiver);
        least = time < least ? time : least;
    }
    uint32_t received = 0; /* transfers of its first receiver */
    for (uint32_t i = 0; i < phase->receiver_start[phase->transfers]; i++) {
        received += phase->receiver_tile[i] == phase->receiver_tile[first];
    }
    FabricTile receiver = fabric_tile(phase->receiver_tile[first]);
    bool sole = phase_receivers(phase, link->transfer) == 1 && received == 1;
    assert_int_equal(link->sole_receive, sole);
    assert_int_equal((int)link->lead_cycles, sole ? 112 - fabric_time_to_mux(&source, &receiver) : -least);
    if (link->wait == WAIT_NONE) {
        assert_string_equal(critical_cause(link), sole ? "sole receive" : "earliest event");
        assert_int_equal(link->start, link->lead_cycles);
    }
}

static void check_critical_chain(const Replay *replay, const Phase *phase)
{
    CriticalChain chain = {0};
    assert_true(critical_chain(replay, phase, &chain, NULL));
    assert_true(chain.count > 0);
    assert_int_equal(chain.items[0].end, replay->horizon_cycles);
    int64_t explained = chain.items[chain.count - 1].start; /* of all cycles of the phase */
    for (size_t i = 0; i < chain.count; i++) {
        const CriticalLink *link = &chain.items[i];
        bool last = i + 1 == chain.count;
        assert_int_equal(link->waited_for, last ? WAIT_NO_TRANSFER : chain.items[i + 1].transfer);
        assert_true(link->start < link->end);
        assert_int_equal(link->start - link->requested, link->lost_cycles);
        assert_true(link->wait > WAIT_DEPENDENCY || link->lost_cycles == 0);
        assert_true(!last || link->wait == WAIT_NONE || link->wait == WAIT_ALIGNMENT);
        check_lead(link, phase);
        explained += link->cycles;
    }
    assert_int_equal(explained, replay->horizon_cycles);
    vec_free(&chain);
}

static void check_idle(const Replay *replay)
{
    for (uint16_t tile = 0; tile < replay->tile_count; tile++) {
        TileIdle idle = idle_of_tile(replay, tile);
        uint32_t busy[2] = {0}, count[2] = {0};
        for (uint64_t i = replay->activity_start[tile]; i < replay->activity_start[tile + 1]; i++) {
            busy[replay->activities[i].kind] += replay->activities[i].words;
            count[replay->activities[i].kind]++;
        }
        const EndpointIdle *sides[2] = {&idle.send, &idle.receive};
        for (unsigned side = 0; side < 2; side++) {
            const EndpointIdle *own = sides[side];
            assert_int_equal(own->activities, count[side]);
            assert_int_equal(own->busy_cycles, busy[side]);
            assert_int_equal(own->busy_cycles + own->idle_cycles, own->last_end - own->first_start);
            for (uint32_t i = 1; i < own->largest_count; i++) {
                assert_true(own->largest[i - 1].to - own->largest[i - 1].from >=
                            own->largest[i].to - own->largest[i].from);
            }
        }
    }
}

static void random_replays_are_those_of_the_plain_code(void **state)
{
    (void)state;
    uint64_t random = 5150;
    unsigned second_passes = 0;
    for (unsigned round = 0; round < 260; round++) {
        RandomShape shape = random_shape(&random, 50);
        shape.words_max = shape.words_max > 300 && round % 8 != 0 ? 300 : shape.words_max;
        Phase *phase = random_phase(&random, &shape);
        ReplayOptions options = {.stream_words = round % 3 == 0 ? 64 : 1024, .balance = round % 4 != 0};
        Replay replay;
        run(phase, random_tile_count(&shape), options, &replay);
        check_replay(phase, random_tile_count(&shape), options, &replay);
        check_critical_chain(&replay, phase);
        check_idle(&replay);
        second_passes += replay.pass == 2;
        replay_free(&replay);
        phase_free(phase);
    }
    assert_true(second_passes > 5);
}

static void the_same_replay_comes_out_every_time(void **state)
{
    (void)state;
    uint64_t random = 8;
    RandomShape shape = {.tiles = 60,
                         .tile_step = 1,
                         .transfers = 2000,
                         .words_max = 140,
                         .receivers_max = 4,
                         .pair_percent = 50};
    Phase *phase = random_phase(&random, &shape);
    Replay first, second;
    run(phase, random_tile_count(&shape), REPLAY_OPTIONS_DEFAULT, &first);
    run(phase, random_tile_count(&shape), REPLAY_OPTIONS_DEFAULT, &second);
    assert_true(first.row_fingerprint == second.row_fingerprint);
    assert_int_equal(first.total_row_words, second.total_row_words);
    assert_memory_equal(first.row_words, second.row_words, first.total_row_words * sizeof *first.row_words);
    assert_memory_equal(first.completion, second.completion, phase->transfers * sizeof(uint32_t));
    assert_memory_equal(first.wait_kind, second.wait_kind, phase->transfers);
    assert_memory_equal(first.wait_transfer, second.wait_transfer, phase->transfers * sizeof(uint32_t));
    replay_free(&first);
    replay_free(&second);
    phase_free(phase);
}

static void an_empty_phase_has_rows_of_one_word(void **state)
{
    (void)state;
    Phase *phase = phase_new(7, NULL);
    Replay replay;
    run(phase, 3, REPLAY_OPTIONS_DEFAULT, &replay);
    assert_int_equal(replay.total_row_words, 3);
    assert_int_equal(replay.maximum_row_words, 1);
    assert_int_equal(replay.maximum_row_tile, -1);
    assert_int_equal(replay.horizon_cycles, 0);
    CriticalChain chain = {0};
    assert_true(critical_chain(&replay, phase, &chain, NULL));
    assert_int_equal(chain.count, 0);
    replay_free(&replay);
    phase_free(phase);
}

/* Tile 0 sends 8 words to tile 1 and then 16, which waits for nothing but the receiver's stream; tile 1
 * passes the first 8 on to tile 2, which must wait until they have landed (61). */
static void a_critical_chain_as_worked_by_hand(void **state)
{
    (void)state;
    Phase *phase = phase_new(1, NULL);
    append(phase, 0, 8, 0x10000, 1, 0x20000);
    append(phase, 0, 16, 0x10020, 1, 0x30000);
    append(phase, 1, 8, 0x20000, 2, 0x30000);
    append(phase, 1, 8, 0x10000, 2, 0x40000);
    Replay replay;
    run(phase, 3, REPLAY_OPTIONS_DEFAULT, &replay);
    assert_int_equal(replay.completion[0], 61);
    assert_int_equal(replay.requested[2], 61);
    CriticalChain chain = {0};
    assert_true(critical_chain(&replay, phase, &chain, NULL));
    assert_int_equal(chain.count, 2);
    assert_int_equal(chain.items[0].transfer, 2);
    assert_int_equal(chain.items[0].wait, WAIT_DEPENDENCY);
    assert_int_equal(chain.items[0].lost_cycles, 0);
    assert_int_equal(chain.items[1].transfer, 0);
    assert_int_equal(chain.items[1].wait, WAIT_NONE);
    assert_int_equal(chain.items[1].end, 61);
    vec_free(&chain);
    replay_free(&replay);
    phase_free(phase);
}

static void idle_gaps_as_worked_by_hand(void **state)
{
    (void)state;
    static Activity activities[] = {
        {.start = 10, .end = 14, .kind = ACTIVITY_SEND},   {.start = 12, .end = 20, .kind = ACTIVITY_RECEIVE},
        {.start = 14, .end = 15, .kind = ACTIVITY_SEND},   {.start = 18, .end = 20, .kind = ACTIVITY_SEND},
        {.start = 21, .end = 22, .kind = ACTIVITY_SEND},   {.start = 30, .end = 31, .kind = ACTIVITY_SEND},
        {.start = 34, .end = 35, .kind = ACTIVITY_SEND},   {.start = 45, .end = 50, .kind = ACTIVITY_SEND},
        {.start = 50, .end = 60, .kind = ACTIVITY_RECEIVE}};
    uint64_t starts[] = {0, 9};
    Replay replay = {.tile_count = 1, .activity_start = starts, .activities = activities};
    TileIdle idle = idle_of_tile(&replay, 0);
    assert_int_equal(idle.send.activities, 7);
    assert_int_equal(idle.send.first_start, 10);
    assert_int_equal(idle.send.last_end, 50);
    assert_int_equal(idle.send.busy_cycles, 15);
    assert_int_equal(idle.send.idle_cycles, 25);
    assert_int_equal(idle.send.gap_count, 5);
    static const IdleGap largest[] = {{35, 45}, {22, 30}, {15, 18}, {31, 34}};
    assert_int_equal(idle.send.largest_count, IDLE_GAPS);
    assert_memory_equal(idle.send.largest, largest, sizeof largest);
    assert_int_equal(idle.receive.idle_cycles, 30);
    assert_int_equal(idle.receive.largest_count, 1);
}

/* ---- refusals ---- */

static void expect_refusal(const Phase *phase, const char *text)
{
    Dependencies dependencies;
    Replay replay;
    Error error = {0};
    assert_true(dependencies_compute(phase, 4, NULL, &dependencies, NULL));
    assert_false(replay_run(phase, 4, &dependencies, &REPLAY_OPTIONS_DEFAULT, NULL, &replay, &error));
    assert_int_equal(error.kind, ERROR_REFUSED);
    if (strstr(error.message, text) == NULL) {
        fail_msg("'%s' does not say '%s'", error.message, text);
    }
    dependencies_free(&dependencies);
}

static void illegal_loopbacks_are_refused_by_name(void **state)
{
    (void)state;
    Phase *phase = phase_new(9, NULL);
    append(phase, 1, 4, 0x10000, 2, 0x40000);
    append(phase, 1, 4, 0x10000, 1, 0x40000);
    expect_refusal(phase, "phase 9, transfer 1: it sends to its own tile 1 and to no other");
    phase_free(phase);

    uint16_t tiles[] = {3, 1};
    uint32_t reads[] = {0x10000, 0x50000, 0x20000}, writes[] = {0x40000, 0x53ffc};
    phase = phase_new(9, NULL);
    assert_true(phase_append(phase, 1, 4, WIDTH_WORD32, reads, 3, tiles, writes, 2, NULL));
    expect_refusal(phase, "phase 9, transfer 0: it sends to its own tile 1 inside one memory element");
    phase_free(phase);

    /* m(s, s) is -28 or -29: of 27 to 29 words two lengths meet the start of the send. */
    FabricTile tile = fabric_tile(1);
    uint16_t neutral = (uint16_t)-fabric_time_to_mux(&tile, &tile);
    for (uint16_t words = (uint16_t)(neutral - 2); words <= neutral + 1; words++) {
        phase = phase_new(9, NULL);
        writes[1] = 0x60000;
        assert_true(phase_append(phase, 1, words, WIDTH_WORD32, reads, 1, tiles, writes, 2, NULL));
        if (words == neutral || words == neutral - 1) {
            expect_refusal(phase, "its neutral mux event meets the start of its send");
        } else {
            Replay replay;
            run(phase, 4, REPLAY_OPTIONS_DEFAULT, &replay);
            replay_free(&replay);
        }
        phase_free(phase);
    }
}

static void a_phase_beyond_the_cycle_counter_is_refused(void **state)
{
    (void)state;
    Phase *phase = phase_new(9, NULL);
    for (uint32_t i = 0; i < (1u << 31) / TRANSFER_WORDS_MAX + 1; i++) {
        append(phase, 1, TRANSFER_WORDS_MAX, 0x10000, 2, 0x40000);
    }
    Dependencies none = {0};
    Replay replay;
    Error error = {0};
    assert_false(replay_run(phase, 4, &none, &REPLAY_OPTIONS_DEFAULT, NULL, &replay, &error));
    assert_int_equal(error.kind, ERROR_REFUSED);
    phase_free(phase);
}

/* ---- cancelling and memory ---- */

typedef struct Cancel {
    Progress *progress;
    double after_seconds, cancelled_at;
} Cancel;

static void cancel_later(void *argument)
{
    Cancel *cancel = argument;
    double start = thread_seconds();
    while (thread_seconds() - start < cancel->after_seconds) {
    }
    atomic_store(&cancel->progress->cancel, true);
    cancel->cancelled_at = thread_seconds();
}

static void a_cancel_ends_a_replay_at_once(void **state)
{
    (void)state;
    uint64_t random = 8;
    RandomShape shape = {.tiles = 60,
                         .tile_step = 1,
                         .transfers = 60000,
                         .words_max = 140,
                         .receivers_max = 4,
                         .pair_percent = 50};
    Phase *phase = random_phase(&random, &shape);
    Dependencies none = {0};
    Replay replay;
    Error error = {0};
    for (int i = 0; i < 8; i++) {
        Progress progress = {0};
        Cancel cancel = {.progress = &progress, .after_seconds = i * 0.01};
        Pool *pool = pool_new(1, NULL);
        assert_true(pool_submit(pool, cancel_later, &cancel, NULL));
        bool done = replay_run(phase, random_tile_count(&shape), &none, &REPLAY_OPTIONS_DEFAULT, &progress,
                               &replay, &error);
        double end = thread_seconds();
        pool_free(pool);
        if (done) {
            replay_free(&replay);
            continue; /* it was faster than the cancel */
        }
        assert_int_equal(error.kind, ERROR_CANCELLED);
        assert_true(end - cancel.cancelled_at < 1.0); /* 0.1 on a machine of one's own: see the bench */
    }
    Progress cancelled = {.cancel = true};
    assert_false(replay_run(phase, random_tile_count(&shape), &none, &REPLAY_OPTIONS_DEFAULT, &cancelled,
                            &replay, &error));
    assert_int_equal(error.kind, ERROR_CANCELLED);
    phase_free(phase);
}

static void every_lost_allocation_is_an_error(void **state)
{
    (void)state;
    uint64_t random = 15;
    RandomShape shape = {.tiles = 20,
                         .tile_step = 1,
                         .transfers = 300,
                         .words_max = 140,
                         .receivers_max = 4,
                         .pair_percent = 60};
    Phase *phase = random_phase(&random, &shape);
    Dependencies none = {0};
    for (long nth = 1;; nth++) {
        Replay replay;
        Error error = {0};
        mem_fault_set(nth);
        bool done = replay_run(phase, random_tile_count(&shape), &none, &REPLAY_OPTIONS_DEFAULT, NULL,
                               &replay, &error);
        long left = mem_fault_left();
        mem_fault_set(0);
        if (done) {
            assert_true(replay.invariants_pass);
            replay_free(&replay);
            if (left > 0) {
                assert_true(nth > 20);
                break;
            }
            continue; /* what was lost was a memory of blocked starts, which is not needed */
        }
        assert_int_equal(error.kind, ERROR_MEMORY);
    }
    phase_free(phase);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_replays_are_those_of_the_plain_code),
        cmocka_unit_test(the_same_replay_comes_out_every_time),
        cmocka_unit_test(an_empty_phase_has_rows_of_one_word),
        cmocka_unit_test(a_critical_chain_as_worked_by_hand),
        cmocka_unit_test(idle_gaps_as_worked_by_hand),
        cmocka_unit_test(illegal_loopbacks_are_refused_by_name),
        cmocka_unit_test(a_phase_beyond_the_cycle_counter_is_refused),
        cmocka_unit_test(a_cancel_ends_a_replay_at_once),
        cmocka_unit_test(every_lost_allocation_is_an_error),
    };
    return cmocka_run_group_tests_name("replay/replay", tests, NULL, NULL);
}
