/* The order of transfers: a case worked by hand, and random phases against a plain balancing. */
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
#include "replay/order.h"

static void append(Phase *phase, uint16_t source, uint16_t words, uint32_t read, uint16_t receiver,
                   uint32_t write)
{
    assert_true(phase_append(phase, source, words, WIDTH_WORD32, &read, 1, &receiver, &write, 1, NULL));
}

static void check_order(const Phase *phase, uint16_t tiles, const uint32_t *depth, ReplayOptions options)
{
    uint32_t *order = calloc(phase->transfers + 1, sizeof *order);
    uint32_t *expected = calloc(phase->transfers + 1, sizeof *expected);
    assert_non_null(order);
    assert_non_null(expected);
    plain_order(phase, depth, options.stream_words, options.balance, expected);
    assert_true(order_compute(phase, tiles, depth, &options, NULL, order, NULL));
    assert_memory_equal(order, expected, phase->transfers * sizeof *order);
    free(order);
    free(expected);
}

/* Three streams of two waves each:
 *
 *     stream 0: 0 -> 2, 6 words in wave 0
 *     stream 1: 0 -> 3, 4 words in wave 0, 4 in wave 1
 *     stream 2: 1 -> 3, 4 words in wave 0
 *
 * Remainders at first: sender 0: 14, sender 1: 4, receiver 2: 6, receiver 3: 12. All loads are 0, so the
 * greatest remainder decides between streams 0 and 1 (14 both): stream 0 goes first and takes sender 0 with
 * it. Stream 2 (load 0) is next, then stream 1 at load 6. */
static void balances_as_worked_by_hand(void **state)
{
    (void)state;
    Phase *phase = phase_new(1, NULL);
    append(phase, 1, 4, 0x10000, 3, 0x20000); /* 0: stream 2 */
    append(phase, 0, 4, 0x10100, 3, 0x20110); /* 1: stream 1, wave 1 by its address */
    append(phase, 0, 4, 0x10000, 3, 0x20100); /* 2: stream 1, wave 0 */
    append(phase, 0, 3, 0x1000c, 2, 0x2000c); /* 3: stream 0, second */
    append(phase, 0, 3, 0x10000, 2, 0x20000); /* 4: stream 0, first */
    static const uint32_t expected[] = {4, 3, 0, 2, 1};
    uint32_t order[5];
    ReplayOptions options = {.stream_words = 4, .balance = true};
    assert_true(order_compute(phase, 4, NULL, &options, NULL, order, NULL));
    assert_memory_equal(order, expected, sizeof order);

    /* Not balanced: stream 1 has 8 words, stream 0 six, stream 2 four. */
    static const uint32_t by_size[] = {2, 4, 3, 0, 1};
    options.balance = false;
    assert_true(order_compute(phase, 4, NULL, &options, NULL, order, NULL));
    assert_memory_equal(order, by_size, sizeof order);

    /* Depth before everything else. */
    static const uint32_t depth[] = {0, 0, 1, 0, 2};
    static const uint32_t by_depth[] = {3, 0, 1, 2, 4};
    options.balance = true;
    assert_true(order_compute(phase, 4, depth, &options, NULL, order, NULL));
    assert_memory_equal(order, by_depth, sizeof order);
    phase_free(phase);
}

static void orders_random_phases_as_the_plain_code(void **state)
{
    (void)state;
    static const uint32_t stream_words[] = {1, 3, 64, 1024, UINT32_MAX};
    uint64_t random = 12345;
    for (unsigned round = 0; round < 400; round++) {
        RandomShape shape = random_shape(&random, 120);
        Phase *phase = random_phase(&random, &shape);
        uint32_t *depth = calloc(phase->transfers, sizeof *depth);
        assert_non_null(depth);
        for (uint32_t i = 0; i < phase->transfers; i++) {
            depth[i] = random_below(&random, 3);
        }
        for (unsigned i = 0; i < 5; i++) {
            check_order(phase, random_tile_count(&shape), NULL, (ReplayOptions){stream_words[i], true});
            check_order(phase, random_tile_count(&shape), depth,
                        (ReplayOptions){stream_words[i], round % 2 == 0});
        }
        free(depth);
        phase_free(phase);
    }
}

/* Receiver lists that agree in many tiles, and lists that are the beginning of others. */
static void orders_long_receiver_lists_as_the_plain_code(void **state)
{
    (void)state;
    enum { TILES = 12, LONGEST = 9 };
    uint64_t random = 4711;
    for (unsigned round = 0; round < 60; round++) {
        Phase *phase = phase_new(1, NULL);
        static const uint32_t reads[] = {0x10000, 0x10100};
        uint32_t writes[LONGEST];
        for (uint32_t i = 0; i < 60; i++) {
            uint16_t receivers[LONGEST], source = (uint16_t)random_below(&random, 2);
            uint32_t count = 1 + random_below(&random, LONGEST);
            for (uint16_t k = 0; k < LONGEST; k++) { /* 2, 3, 4, ..., or two neighbours the other way round */
                receivers[k] = (uint16_t)(2 + k);
                writes[k] = 0x20000 + 0x100 * random_below(&random, 2);
            }
            uint32_t swap = random_below(&random, LONGEST);
            receivers[swap] = (uint16_t)(swap + 1 < LONGEST ? receivers[swap + 1] : TILES - 1);
            if (swap + 1 < LONGEST) {
                receivers[swap + 1] = (uint16_t)(2 + swap);
            }
            uint32_t read = reads[random_below(&random, 2)];
            assert_true(phase_append(phase, source, (uint16_t)(1 + random_below(&random, 3)), WIDTH_WORD32,
                                     &read, 1, receivers, writes, count, NULL));
        }
        check_order(phase, TILES, NULL, REPLAY_OPTIONS_DEFAULT);
        check_order(phase, TILES, NULL, (ReplayOptions){4, round % 2 == 0});
        phase_free(phase);
    }
}

/* Many endpoints of equal and of unequal remainders at one load level: where ties decide. */
static void orders_dense_phases_as_the_plain_code(void **state)
{
    (void)state;
    uint64_t random = 777;
    for (unsigned round = 0; round < 12; round++) {
        uint16_t tiles = (uint16_t)(round % 3 == 0 ? 100 : 34 + random_below(&random, 40));
        uint32_t words = 1 + round % 4;
        Phase *phase = phase_new(1, NULL);
        for (uint32_t i = 0; i < 900; i++) {
            uint16_t source = (uint16_t)random_below(&random, tiles);
            uint16_t receivers[3];
            uint32_t writes[3] = {0x20000, 0x20000, 0x20000}, read = 0x10000, count = 0;
            uint32_t wanted = random_below(&random, 10) == 0 && round % 2 == 0 ? 3 : 1;
            while (count < wanted) {
                receivers[count] = (uint16_t)random_below(&random, tiles);
                bool taken = receivers[count] == source;
                for (uint32_t k = 0; k < count; k++) {
                    taken = taken || receivers[k] == receivers[count];
                }
                count += !taken;
            }
            uint16_t length = (uint16_t)(words == 1 ? 1 : 1 + random_below(&random, words));
            assert_true(
                phase_append(phase, source, length, WIDTH_WORD32, &read, 1, receivers, writes, count, NULL));
        }
        check_order(phase, tiles, NULL, REPLAY_OPTIONS_DEFAULT);
        check_order(phase, tiles, NULL, (ReplayOptions){2, true});
        phase_free(phase);
    }
}

/* Receivers of one remainder that is greater than that of any sender. */
static void many_busy_receivers_are_balanced_as_by_the_plain_code(void **state)
{
    (void)state;
    enum { SENDERS = 120, RECEIVERS = 40, EACH = 4 };
    Phase *phase = phase_new(1, NULL);
    for (uint16_t source = 0; source < SENDERS; source++) {
        for (uint32_t k = 0; k < EACH; k++) {
            append(phase, source, 3, 0x10000, (uint16_t)(SENDERS + (source * 7u + k * 11u) % RECEIVERS),
                   0x20000);
        }
    }
    check_order(phase, SENDERS + RECEIVERS, NULL, REPLAY_OPTIONS_DEFAULT);
    phase_free(phase);
}

static void all_to_all_is_balanced_as_by_the_plain_code(void **state)
{
    (void)state;
    enum { TILES = 40 };
    for (unsigned uneven = 0; uneven < 2; uneven++) {
        Phase *phase = phase_new(1, NULL);
        for (uint16_t source = 0; source < TILES; source++) {
            for (uint16_t receiver = 0; receiver < TILES; receiver++) {
                if (source != receiver) {
                    append(phase, source, (uint16_t)(1 + uneven * ((source * 7u + receiver) % 3)), 0x10000,
                           receiver, 0x20000);
                }
            }
        }
        check_order(phase, TILES, NULL, REPLAY_OPTIONS_DEFAULT);
        phase_free(phase);
    }
}

static void an_empty_phase_has_an_empty_order(void **state)
{
    (void)state;
    Phase *phase = phase_new(1, NULL);
    uint32_t nothing;
    assert_true(order_compute(phase, 1, NULL, &REPLAY_OPTIONS_DEFAULT, NULL, &nothing, NULL));
    phase_free(phase);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balances_as_worked_by_hand),
        cmocka_unit_test(orders_random_phases_as_the_plain_code),
        cmocka_unit_test(orders_long_receiver_lists_as_the_plain_code),
        cmocka_unit_test(orders_dense_phases_as_the_plain_code),
        cmocka_unit_test(many_busy_receivers_are_balanced_as_by_the_plain_code),
        cmocka_unit_test(all_to_all_is_balanced_as_by_the_plain_code),
        cmocka_unit_test(an_empty_phase_has_an_empty_order),
    };
    return cmocka_run_group_tests_name("replay/order", tests, NULL, NULL);
}
