/* The row encoder against plain code: rows at every limit of delays and sends, the test of a change against a
 * whole encoding, and the next verdict against trying every start. */
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
#include "row/encode.h"

enum { SENDS_MAX = 30, RECEIVES_MAX = 30 };

/* One tile, held twice. */
typedef struct Twin {
    RowStates states;
    RowState *row;
    PlainTile plain;
} Twin;

static void twin_init(Twin *twin, uint16_t tile)
{
    uint32_t sends[FABRIC_TILES] = {0}, receives[FABRIC_TILES] = {0};
    sends[tile] = SENDS_MAX;
    receives[tile] = RECEIVES_MAX;
    memset(twin, 0, sizeof *twin);
    assert_true(row_states_init(&twin->states, (uint16_t)(tile + 1), sends, receives, NULL));
    twin->row = &twin->states.tiles[tile];
}

static void twin_free(Twin *twin)
{
    row_states_free(&twin->states);
    plain_tile_free(&twin->plain);
}

static PlainSend plain_send(const RowSend *send)
{
    return (PlainSend){send->start,   send->words, row_send_memory_end(send),
                       send->address, send->sctl,  send->transfer};
}

static bool slot_is_free(const PlainTile *tile, uint32_t start)
{
    for (uint32_t i = 0; i < tile->control_count; i++) {
        if (tile->controls[i].time == start || tile->controls[i].time == start + 1) {
            return false;
        }
    }
    return true;
}

static bool send_is_legal(const PlainTile *tile, uint32_t start, uint32_t words)
{
    for (uint32_t i = 0; i < tile->send_count; i++) {
        const PlainSend *send = &tile->sends[i];
        if (start < send->start + send->words && send->start < start + words) {
            return false;
        }
    }
    return slot_is_free(tile, start);
}

static bool control_is_legal(const PlainTile *tile, uint32_t time)
{
    for (uint32_t i = 0; i < tile->send_count; i++) {
        if (tile->sends[i].start == time || tile->sends[i].start + 1 == time) {
            return false;
        }
    }
    return true;
}

static void twin_add_send(Twin *twin, const RowSend *send)
{
    if (twin->plain.send_count < SENDS_MAX && send_is_legal(&twin->plain, send->start, send->words)) {
        plain_add_send(&twin->plain, plain_send(send));
        row_add_send(twin->row, send);
    }
}

static void twin_add_receive(Twin *twin, const RowReceive *receive)
{
    const RowState *row = twin->row;
    uint32_t neutral = row_source_end(receive), pointer = row_payload_start(row, receive);
    PlainTile *plain = &twin->plain;
    if (row->receive_count == RECEIVES_MAX || !control_is_legal(plain, receive->mux_start) ||
        !control_is_legal(plain, neutral) || (receive->sets_pointer && !control_is_legal(plain, pointer))) {
        return;
    }
    for (uint32_t i = 0; i < plain->control_count; i++) {
        if (plain->controls[i].kind == PLAIN_NEUTRAL && plain->controls[i].time == receive->mux_start) {
            plain->control_count--;
            memmove(&plain->controls[i], &plain->controls[i + 1],
                    (plain->control_count - i) * sizeof *plain->controls);
        }
    }
    plain_add_control(plain, (PlainControl){receive->mux_start, receive->source, PLAIN_SOURCE});
    plain_add_control(plain, (PlainControl){neutral, 0x640, PLAIN_NEUTRAL});
    if (receive->sets_pointer) {
        plain_add_control(plain, (PlainControl){pointer, receive->address / 4, PLAIN_POINTER});
    }
    uint32_t horizon = row_receive_memory_end(row, receive);
    plain->horizon = horizon > plain->horizon ? horizon : plain->horizon;
    row_add_receive(twin->row, receive, 0);
}

static uint32_t random_gap(uint64_t *random, bool huge)
{
    static const uint32_t gaps[] = {0,  0,  0,   1,   1,   2,   3,    4,    60,   63,  64,
                                    65, 66, 127, 128, 129, 130, 4095, 4096, 4097, 4200};
    static const uint32_t huge_gaps[] = {0x7ffff, 0x80000, 0x80001,  0x81000,
                                         0x81001, 0xfffff, 0x100000, 0x100001};
    if (huge && random_below(random, 8) == 0) {
        return huge_gaps[random_below(random, 8)] + random_below(random, 3) * 64;
    }
    return random_below(random, 4) == 0 ? random_below(random, 200) : gaps[random_below(random, 21)];
}

static uint32_t random_length(uint64_t *random, const RowState *row)
{
    static const uint32_t words[] = {1, 1, 2, 3, 5, 52, 53, 63, 64, 65, 66, 128, 129, 4095, 4096, 4097, 4148};
    return random_below(random, 3) == 0 ? row->pointer_lag : words[random_below(random, 17)];
}

static RowReceive random_receive(uint64_t *random, const RowState *row, bool huge)
{
    /* Often one that puts its own pair, or the next receive's source event with its pointer, close to others.
     */
    uint32_t words = random_length(random, row);
    if (random_below(random, 2) == 0) {
        words = row->pointer_lag - 2 + random_below(random, 4);
    }
    RowReceive receive = {.address = 4 * random_below(random, 1 << 16),
                          .words = (uint16_t)words,
                          .source = (uint16_t)random_below(random, FABRIC_TILES),
                          .sets_pointer = random_below(random, 4) != 0};
    const RowReceive *last = row_last_receive(row);
    uint32_t earliest = 1;
    if (last != NULL) {
        uint32_t payload_end = row_payload_end(row, last), lag = row_pointer_lag(row, receive.words);
        earliest = row_source_end(last);
        earliest = payload_end > earliest + lag ? payload_end - lag : earliest;
    }
    receive.mux_start =
        earliest + (random_below(random, 3) == 0 ? random_gap(random, huge) : random_below(random, 3));
    return receive;
}

static RowSend random_send(uint64_t *random, const RowState *row, bool huge)
{
    uint32_t near = row->horizon == 0 ? 0 : random_below(random, row->horizon);
    if (row->send_count > 0 && random_below(random, 3) != 0) {
        near = row_send_end(&row->sends[random_below(random, row->send_count)]);
    } else if (row->receive_count > 0 && random_below(random, 2) == 0) {
        near = row->receives[random_below(random, row->receive_count)].mux_start;
    }
    return (RowSend){.start = near + random_gap(random, huge),
                     .address = random_below(random, 1 << 16),
                     .words = (uint16_t)random_length(random, row),
                     .sctl = (uint8_t)(1 + random_below(random, 3))};
}

static Twin random_twin(uint64_t *random, bool huge)
{
    Twin twin;
    twin_init(&twin, (uint16_t)random_below(random, 40));
    uint32_t sends = random_below(random, SENDS_MAX), receives = random_below(random, RECEIVES_MAX);
    for (uint32_t i = 0; i < sends + receives; i++) {
        if (random_below(random, sends + receives) < sends) {
            RowSend send = random_send(random, twin.row, huge);
            twin_add_send(&twin, &send);
        } else {
            RowReceive receive = random_receive(random, twin.row, huge);
            twin_add_receive(&twin, &receive);
        }
    }
    return twin;
}

static bool check_twin(const Twin *twin)
{
    uint32_t words, plain_words;
    uint32_t *expected = plain_encode(&twin->plain, &plain_words);
    assert_int_equal(row_measure(twin->row, &words), expected != NULL);
    if (expected == NULL) {
        return false;
    }
    uint32_t *found = malloc(words * sizeof *found);
    assert_int_equal(words, plain_words);
    row_encode(twin->row, found);
    assert_memory_equal(found, expected, words * sizeof *found);
    free(found);
    free(expected);
    return true;
}

static void rows_are_those_of_the_plain_encoder(void **state)
{
    (void)state;
    uint64_t random = 2024;
    unsigned encodable = 0, not_encodable = 0;
    for (unsigned round = 0; round < 6000; round++) {
        Twin twin = random_twin(&random, round % 2 == 0);
        *(check_twin(&twin) ? &encodable : &not_encodable) += 1;
        twin_free(&twin);
    }
    assert_true(encodable > 500 && not_encodable > 500);
}

/* Tells whether the plain tile is encodable with the send in it. */
static bool plain_encodable_and(const PlainTile *tile, const RowSend *send)
{
    PlainTile copy = *tile;
    copy.sends = malloc((tile->send_count + 1) * sizeof *copy.sends);
    if (tile->send_count > 0) {
        memcpy(copy.sends, tile->sends, tile->send_count * sizeof *copy.sends);
    }
    plain_add_send(&copy, plain_send(send));
    uint32_t words, *row = plain_encode(&copy, &words);
    free(copy.sends);
    free(row);
    return row != NULL;
}

/* Between a start that fails and the next verdict every legal start of the same gap must fail too. Far jumps
 * are sampled. */
static void check_next_verdict(uint64_t *random, const Twin *twin, RowSend send)
{
    uint32_t start = send.start, next = row_next_verdict(twin->row, &send);
    assert_true(next > start);
    for (uint32_t i = 0; i < 64; i++) {
        send.start = start + (next - start < 32 ? i % (next - start)
                              : i < 16          ? i
                              : i < 32          ? next - start - 1 - (i - 16)
                                                : random_below(random, next - start));
        if (send_is_legal(&twin->plain, send.start, send.words)) {
            assert_false(plain_encodable_and(&twin->plain, &send));
        }
    }
}

/* Grows a row by what leaves it encodable; every change is tested both ways. */
static void changes_are_judged_as_by_a_whole_encoding(void **state)
{
    (void)state;
    uint64_t random = 31337;
    unsigned accepted = 0, rejected = 0, far = 0;
    for (unsigned round = 0; round < 1500; round++) {
        Twin twin;
        twin_init(&twin, (uint16_t)random_below(&random, 40));
        bool huge = round % 4 == 0;
        for (unsigned step = 0; step < 40; step++) {
            if (random_below(&random, 2) == 0) {
                RowSend send = random_send(&random, twin.row, huge);
                if (twin.row->send_count == SENDS_MAX ||
                    !send_is_legal(&twin.plain, send.start, send.words)) {
                    continue;
                }
                bool encodable = plain_encodable_and(&twin.plain, &send);
                assert_int_equal(row_still_encodable(twin.row, &send, send.start, row_send_end(&send)),
                                 encodable);
                if (encodable) {
                    twin_add_send(&twin, &send);
                } else {
                    far += row_next_verdict(twin.row, &send) > send.start + 8;
                    check_next_verdict(&random, &twin, send);
                }
                *(encodable ? &accepted : &rejected) += 1;
                continue;
            }
            RowReceive receive = random_receive(&random, twin.row, huge);
            RowMark mark = row_mark(twin.row);
            uint32_t before = twin.row->receive_count, horizon = twin.row->horizon;
            PlainTile saved = twin.plain;
            saved.controls = malloc((saved.control_count + 1) * sizeof *saved.controls);
            if (saved.control_count > 0) {
                memcpy(saved.controls, twin.plain.controls, saved.control_count * sizeof *saved.controls);
            }
            twin_add_receive(&twin, &receive);
            if (twin.row->receive_count == before) {
                free(saved.controls);
                continue;
            }
            uint32_t words, *plain_row = plain_encode(&twin.plain, &words);
            uint32_t last = row_source_end(&receive), pointer = row_payload_start(twin.row, &receive);
            last = receive.sets_pointer && pointer > last ? pointer : last;
            assert_int_equal(row_still_encodable(twin.row, NULL, receive.mux_start, last), plain_row != NULL);
            if (plain_row == NULL) {
                row_take_back(twin.row, &mark);
                assert_int_equal(twin.row->receive_count, before);
                assert_int_equal(twin.row->horizon, horizon);
                free(twin.plain.controls);
                twin.plain = saved;
                rejected++;
            } else {
                free(saved.controls);
                accepted++;
            }
            free(plain_row);
        }
        assert_true(check_twin(&twin));
        twin_free(&twin);
    }
    assert_true(accepted > 5000 && rejected > 500 && far > 20);
}

static bool encodable_with(const Twin *twin, uint32_t start, uint16_t words)
{
    RowSend send = {.start = start, .words = words, .sctl = 1};
    assert_true(send_is_legal(&twin->plain, start, words));
    return row_still_encodable(twin->row, &send, start, row_send_end(&send));
}

static uint32_t next_verdict(const Twin *twin, uint32_t start, uint16_t words)
{
    return row_next_verdict(twin->row, &(RowSend){.start = start, .words = words, .sctl = 1});
}

/* A control on the first two events of a send, which placement avoids, has no instruction. */
static void a_control_at_the_start_of_a_send_is_not_encodable(void **state)
{
    (void)state;
    static const RowReceive meeting[] = {{.mux_start = 100, .words = 9},
                                         {.mux_start = 101, .words = 9},
                                         {.mux_start = 91, .words = 9},
                                         {.mux_start = 92, .words = 9},
                                         {.mux_start = 46, .words = 9, .sets_pointer = true},
                                         {.mux_start = 47, .words = 54, .sets_pointer = true}};
    static const RowReceive beside[] = {{.mux_start = 102, .words = 9}, {.mux_start = 90, .words = 9}};
    uint32_t words;
    for (size_t i = 0; i < sizeof meeting / sizeof *meeting + 2; i++) {
        Twin twin;
        bool meets = i >= 2;
        twin_init(&twin, 2); /* in row 1: lag 54 */
        row_add_send(twin.row, &(RowSend){.start = 100, .words = 5, .sctl = 1});
        row_add_receive(twin.row, meets ? &meeting[i - 2] : &beside[i], 0);
        assert_int_equal(row_measure(twin.row, &words), !meets);
        twin_free(&twin);
    }
}

/* Two pairs, the second without slack, and a gap in which a send decides the parity of the words between:
 *
 *     54   118                      4118    4171    4172
 *     |pair)                        |mux    |mux    |pair
 *          ......... the gap .......
 *
 * Without a send the gap is one delayxpic: with the one at 4171 two words, which is even. A send of 10 words
 * is one word more, and with the delay before it, from 119 on, two. One of 70 words is two, and with the
 * delay three.
 */
static void a_send_in_a_wide_gap_jumps_over_it(void **state)
{
    (void)state;
    Twin twin;
    twin_init(&twin, 2); /* in row 1: lag 54 */
    twin_add_receive(&twin, &(RowReceive){.mux_start = 1, .words = 54, .sets_pointer = true});
    twin_add_receive(&twin,
                     &(RowReceive){.mux_start = 4118, .words = 53, .sets_pointer = true, .address = 4});
    twin_add_receive(&twin, &(RowReceive){.mux_start = 4171, .words = 1, .address = 216});
    static const uint32_t pairs[] = {55, 4172};
    assert_int_equal(twin.row->pair_count, 2);
    assert_memory_equal(twin.row->pairs, pairs, sizeof pairs);
    assert_true(check_twin(&twin));

    assert_false(encodable_with(&twin, 60, 10));
    assert_int_equal(next_verdict(&twin, 60, 10), 119);
    assert_true(encodable_with(&twin, 119, 10));
    assert_true(encodable_with(&twin, 4107, 10));

    assert_true(encodable_with(&twin, 118, 70));
    assert_false(encodable_with(&twin, 119, 70));
    assert_false(encodable_with(&twin, 4047, 70));
    assert_int_equal(next_verdict(&twin, 119, 70), 4048);
    assert_int_equal(next_verdict(&twin, 3000, 70), 4048);
    twin_free(&twin);
}

/* A send after which a pair without slack follows at 4171 and 4172, or as much later: of 10 and of 70 words
 * one fails where the delay before the send has the wrong number of words, from `first` on, and no longer at
 * `changes`. */
static void check_change(const Twin *twin, uint32_t first, uint32_t changes)
{
    unsigned failed = 0;
    for (uint16_t words = 10; words <= 70; words = (uint16_t)(words + 60)) {
        if (encodable_with(twin, first, words)) {
            assert_false(encodable_with(twin, changes, words));
            continue;
        }
        failed++;
        assert_false(encodable_with(twin, changes - 1, words));
        assert_int_equal(next_verdict(twin, first, words), changes);
        assert_true(encodable_with(twin, changes, words));
    }
    assert_int_equal(failed, 1);
}

static void add_pair_without_slack(Twin *twin, uint32_t mux)
{
    twin_add_receive(twin, &(RowReceive){.mux_start = mux, .words = 53, .sets_pointer = true, .address = 4});
    twin_add_receive(twin, &(RowReceive){.mux_start = mux + 53, .words = 1, .address = 216});
}

/* The second receive continues the first, so that nothing happens on the row where its payload starts, at
 * 109; the pair's sendpicp reaches from 54 to 118. */
static void a_pair_reaches_over_a_payload_that_continues(void **state)
{
    (void)state;
    Twin twin;
    twin_init(&twin, 2);
    twin_add_receive(&twin, &(RowReceive){.mux_start = 1, .words = 54, .sets_pointer = true});
    twin_add_receive(&twin, &(RowReceive){.mux_start = 55, .words = 3000, .address = 216});
    add_pair_without_slack(&twin, 4118);
    check_change(&twin, 110, 119);
    twin_free(&twin);
}

/* A delay that takes a second word from 0x80000 events on begins at the last control, the neutral event at
 * 210, not at the send that ended before. */
static void a_long_delay_begins_at_the_last_control(void **state)
{
    (void)state;
    enum { LONGEST = 0x80000, NEUTRAL = 210 };
    Twin twin;
    twin_init(&twin, 2);
    twin_add_receive(&twin, &(RowReceive){.mux_start = 1, .words = 54, .sets_pointer = true});
    twin_add_send(&twin, &(RowSend){.start = 190, .words = 5, .sctl = 1});
    twin_add_receive(&twin, &(RowReceive){.mux_start = 200, .words = 10, .address = 216});
    add_pair_without_slack(&twin, NEUTRAL + LONGEST + 1000);
    check_change(&twin, NEUTRAL + LONGEST - 5, NEUTRAL + LONGEST + 1);
    twin_free(&twin);
}

/* The first receive sets the pointer at 1055; the second is taken back; the third begins just there, which is
 * a pair only for who still looks at the first. Sends lie before and after. */
static void what_is_taken_back_leaves_no_trace(void **state)
{
    (void)state;
    Twin twin;
    twin_init(&twin, 2);
    twin_add_receive(&twin, &(RowReceive){.mux_start = 1001, .words = 1, .sets_pointer = true});
    twin_add_send(&twin, &(RowSend){.start = 1100, .words = 2, .sctl = 1});
    twin_add_send(&twin, &(RowSend){.start = 1200, .words = 2, .sctl = 1});
    RowMark mark = row_mark(twin.row);
    RowReceive far = {.mux_start = 5000, .words = 54, .sets_pointer = true, .address = 64};
    row_add_receive(twin.row, &far, 1);
    assert_int_equal(twin.row->near_send, 2);
    assert_int_equal(twin.row->pair_count, 1);
    row_take_back(twin.row, &mark);
    assert_int_equal(twin.row->pair_count, 0);
    assert_int_equal(twin.row->near_send, 0);
    assert_true(twin.row->received_elements == 0);
    twin_add_receive(&twin,
                     &(RowReceive){.mux_start = 1055, .words = 3, .sets_pointer = true, .address = 64});
    assert_int_equal(twin.row->pair_count, 1);
    assert_int_equal(twin.row->pairs[0], 1055);
    assert_true(check_twin(&twin));
    twin_free(&twin);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_those_of_the_plain_encoder),
        cmocka_unit_test(changes_are_judged_as_by_a_whole_encoding),
        cmocka_unit_test(a_control_at_the_start_of_a_send_is_not_encodable),
        cmocka_unit_test(what_is_taken_back_leaves_no_trace),
        cmocka_unit_test(a_send_in_a_wide_gap_jumps_over_it),
        cmocka_unit_test(a_pair_reaches_over_a_payload_that_continues),
        cmocka_unit_test(a_long_delay_begins_at_the_last_control),
    };
    return cmocka_run_group_tests_name("row/encode", tests, NULL, NULL);
}
