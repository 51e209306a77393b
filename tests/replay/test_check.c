/* The invariant checker on a replay worked out by hand: it passes, and each way of spoiling it is named. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "replay/check.h"

/* Tiles 0 and 1 are physical 0 and 2; the times to mux are -28 from 0 to 1 and -29 back, the directions 1.
 *
 *   transfer 0: 3 words, 0 -> 1       sent at 28, source event 1, written at 53, memory free at 61
 *   transfer 1: 52 words, 0 -> 1      sent at 32 = 28 + offset 4, source event 5, written at 5 + 51 = 56,
 * free at 114 transfer 2: 2 words, 1 -> 0       the only receive of tile 0: source event 113, sent at 113 - 1
 * + 29 = 141, written at 165 from the incoming base on, free at 172
 *
 * Offset 4 is the first at which transfer 1's payload starts no earlier than transfer 0's ends. */
enum {
    TILES = 2,
    TRANSFERS = 3,
    ROW_WORDS = 9, /* of each tile */
    ACTIVITIES = 3 /* of each tile */
};

static const uint32_t hand_words[TILES * ROW_WORDS] = {
    0x40a0001b,                               /* 0: delay to 28 */
    0x78000000 | 2 << 21 | 0x14000 << 3 | 1,  /* send transfer 0, [28, 31) */
    0x40a00000,                               /* delay to 32 */
    0x78000000 | 51 << 21 | 0x14003 << 3 | 1, /* send transfer 1, [32, 84) */
    0x64000000 | 28 << 14 | 2,                /* mux <- physical 2 at 113 */
    0x64000000 | 1 << 14 | 0x640,             /* neutral at 115 */
    0x60000000 | 49 << 19 | 0,                /* pointer <- 0 at 165 */
    0x40a00006,                               /* delay to 172 */
    0x43a00000,                               /* return */

    0x64000000,                              /* 9: mux <- physical 0 at 1 */
    0x64000000 | 2 << 14 | 0x640,            /* neutral at 4 */
    0x64000000,                              /* mux <- physical 0 at 5 */
    0x60000000 | 47 << 19 | 0x18000,         /* pointer <- 0x60000 at 53 */
    0x60000000 | 2 << 19 | 0x18040,          /* pointer <- 0x60100 at 56 */
    0x64000000 | 0x640,                      /* neutral at 57 */
    0x40a00053,                              /* delay to 141 */
    0x78000000 | 1 << 21 | 0x15000 << 3 | 1, /* send transfer 2, [141, 143) */
    0x43a00000,                              /* return */
};

static const Activity hand_activities[TILES * ACTIVITIES] = {
    {0, 0x50000, 28, 31, 31, 3, ACTIVITY_SEND},       {1, 0x5000c, 32, 84, 84, 52, ACTIVITY_SEND},
    {2, 0x70000, 165, 167, 172, 2, ACTIVITY_RECEIVE},

    {0, 0x60000, 53, 56, 61, 3, ACTIVITY_RECEIVE},    {1, 0x60100, 56, 108, 114, 52, ACTIVITY_RECEIVE},
    {2, 0x54000, 141, 143, 143, 2, ACTIVITY_SEND},
};

/* A replay in arrays that a test may change. */
typedef struct Hand {
    Phase *phase;
    Dependencies dependencies;
    Replay replay;
    uint64_t row_start[TILES + 1];
    uint32_t row_words[TILES * ROW_WORDS + 1];
    uint32_t tile_horizon[TILES];
    int32_t incoming_base[TILES];
    uint64_t activity_start[TILES + 1];
    Activity activities[TILES * ACTIVITIES];
    uint32_t completion[TRANSFERS], send_start[TRANSFERS], offset[TRANSFERS], requested[TRANSFERS];
    uint8_t wait_kind[TRANSFERS];
    uint32_t wait_transfer[TRANSFERS];
    uint32_t predecessor_start[TRANSFERS + 1];
    uint32_t predecessors[1];
} Hand;

static void append(Phase *phase, uint16_t source, uint16_t words, uint32_t address, uint16_t tile,
                   uint32_t tile_address)
{
    assert_true(phase_append(phase, source, words, WIDTH_WORD32, &address, 1, &tile, &tile_address, 1, NULL));
}

static Phase *hand_phase(void)
{
    Phase *phase = phase_new(1, NULL);
    assert_non_null(phase);
    append(phase, 0, 3, 0x50000, 1, 0x60000);
    append(phase, 0, 52, 0x5000c, 1, 0x60100);
    append(phase, 1, 2, 0x54000, 0, 0x70000);
    return phase;
}

/* FNV-1a as the page has it. */
static uint64_t fingerprint(const Replay *replay)
{
    uint64_t h = 0xcbf29ce484222325;
    for (int t = 0; t < replay->tile_count; t++) {
        h = (h ^ (replay->row_start[t + 1] - replay->row_start[t])) * 0x100000001b3;
        for (uint64_t w = replay->row_start[t]; w < replay->row_start[t + 1]; w++) {
            h = (h ^ replay->row_words[w]) * 0x100000001b3;
        }
    }
    return h;
}

static void hand_make(Hand *hand)
{
    *hand = (Hand){.phase = hand_phase(),
                   .row_start = {0, ROW_WORDS, 2 * ROW_WORDS},
                   .tile_horizon = {172, 143},
                   .incoming_base = {0x70000, -1},
                   .activity_start = {0, ACTIVITIES, 2 * ACTIVITIES},
                   .completion = {56, 108, 167},
                   .send_start = {28, 32, 141},
                   .offset = {0, 4, 0},
                   .wait_kind = {WAIT_NONE, WAIT_RECEIVE_STREAM, WAIT_NONE},
                   .wait_transfer = {WAIT_NO_TRANSFER, 0, WAIT_NO_TRANSFER}};
    memcpy(hand->row_words, hand_words, sizeof hand_words);
    memcpy(hand->activities, hand_activities, sizeof hand_activities);
    hand->replay = (Replay){
        .tile_count = TILES,
        .horizon_cycles = 172,
        .maximum_row_words = ROW_WORDS,
        .maximum_row_tile = 0,
        .total_row_words = 2 * ROW_WORDS,
        .active_tiles = 2,
        .endpoint_lower_bound_cycles = 55,
        .pass = 1,
        .row_start = hand->row_start,
        .row_words = hand->row_words,
        .tile_horizon = hand->tile_horizon,
        .incoming_base = hand->incoming_base,
        .activity_start = hand->activity_start,
        .activities = hand->activities,
        .completion = hand->completion,
        .send_start = hand->send_start,
        .offset = hand->offset,
        .requested = hand->requested,
        .wait_kind = hand->wait_kind,
        .wait_transfer = hand->wait_transfer,
    };
    hand->replay.row_fingerprint = fingerprint(&hand->replay);
}

/* An edge from transfer 0 to transfer `after`. */
static void hand_depend(Hand *hand, uint32_t after)
{
    for (uint32_t i = after + 1; i <= TRANSFERS; i++) {
        hand->predecessor_start[i] = 1;
    }
    hand->dependencies = (Dependencies){
        .edges = 1, .predecessor_start = hand->predecessor_start, .predecessors = hand->predecessors};
    hand->requested[after] = hand->completion[0];
}

static ReplayVerdict hand_check(Hand *hand)
{
    ReplayVerdict verdict;
    Error error = {0};
    assert_true(replay_check(hand->phase, TILES, &hand->dependencies, &hand->replay, NULL, &verdict, &error));
    assert_true(verdict.pass == (verdict.first_fault[0] == '\0'));
    return verdict;
}

/* The end of one spoilt case: the fault must contain `expected`. */
static void hand_expect(Hand *hand, const char *expected)
{
    ReplayVerdict verdict = hand_check(hand);
    phase_free(hand->phase);
    if (strstr(verdict.first_fault, expected) == NULL) {
        fail_msg("wanted \"%s\", got \"%s\"", expected, verdict.first_fault);
    }
}

static void the_hand_made_replay_passes(void **state)
{
    (void)state;
    Hand hand;
    hand_make(&hand);
    ReplayVerdict verdict = hand_check(&hand);
    assert_string_equal(verdict.first_fault, "");
    hand_depend(&hand, 2); /* sent at 141, well after 56 */
    assert_true(hand_check(&hand).pass);
    phase_free(hand.phase);
}

/* ---- one row word changed, figures of the rows made to fit ---- */

typedef struct WordCase {
    size_t at;
    uint32_t word;
    const char *fault;
} WordCase;

static const WordCase word_cases[] = {
    /* grammar */
    {8, 0x40a00000, "tile 0, cycle 173: row word 9: no return"},
    {2, 0x00000000, "tile 0, cycle 31: row word 2: no instruction"},
    {2, 0x43a00000, "row word 3: words after the return"},
    {2, 0x70000001 | 1 << 3, "row word 2: sendoff with a delta"},
    {4, 0x64000000 | 28 << 14 | 1500, "row word 4: a mux value that is no tile"},
    {9, 0x64002000, "tile 1, cycle 1: a control with a selector"},
    {12, 0x60000000 | 47 << 19 | 1 << 18 | 0x18000, "tile 1, cycle 53: a control with a selector"},
    /* times */
    {0, 0x40a0001c, "tile 0, cycle 173: the row ends, the horizon is 172"},
    {7, 0x40a00005, "tile 0, cycle 171: the row ends, the horizon is 172"},
    /* sources */
    {4, 0x64000000 | 28 << 14 | 4, "tile 0: transfer 2 (2 words from tile 1 to 0x70000) is never received"},
    {4, 0x64000000 | 28 << 14 | 0x640, "tile 0, cycle 113: neutral where no source is selected"},
    {5, 0x64000000 | 1 << 14 | 2, "tile 0, cycle 115: a source that no neutral ends"},
    {5, 0x40a00001, "tile 0, cycle 113: a source that no neutral ends"},
    {10, 0x64000000 | 2 << 14, "tile 1, cycle 56: a payload starts before the one before it ends"},
    {14, 0x40a00000, "tile 1, cycle 5: a source that no neutral ends"},
    {9, 0x40a00000, "tile 1, cycle 4: neutral where no source is selected"},
    /* pointers */
    {6, 0x60000000 | 49 << 19 | 1, "tile 0, cycle 165: pointer 0x4 on top of an incoming base"},
    {6, 0x40a00000 | 49, "tile 0, cycle 165: the first payload starts without a pointer control"},
    {12, 0x60000000 | 47 << 19 | 0x18001, "transfer 0 (3 words from tile 0 to 0x60000) is never received"},
    {13, 0x60000000 | 2 << 19 | 0x18041, "transfer 1 (52 words from tile 0 to 0x60100) is never received"},
    {13, 0x60000000 | 2 << 19 | 0x18003, "tile 1, cycle 56: a pointer control where the payload continues"},
    {13, 0x40a00002, "to 0x6000c, which no transfer asks for"},
    {15, 0x60000000 | 83 << 19 | 0x18040, "tile 1, cycle 141: a pointer control where no payload starts"},
    /* sends */
    {1, 0x78000000 | 2 << 21 | 0x14001 << 3 | 1, "tile 0, cycle 28: sends from 0x50004 with sctl 1"},
    {1, 0x78000000 | 2 << 21 | 0x14000 << 3 | 2, "tile 0, cycle 28: sends from 0x50000 with sctl 2"},
    {1, 0x78000000 | 2 << 21 | 0x14000 << 3 | 3, "sctl 3, transfer 0 from 0x50000 with 1"},
    {1, 0x78000000 | 2 << 21 | 0x14000 << 3 | 5, "sctl 5, transfer 0 from 0x50000 with 1"},
    {1, 0x40a00002, "tile 0, cycle 28: transfer 0 is not sent"},
    {2, 0x70000001, "tile 0, cycle 31: sends 1 words that belong to no transfer"},
    {7, 0x78000000 | 6 << 21 | 1, "tile 0, cycle 165: sends 7 words that belong to no transfer"},
};

static void a_spoilt_word_is_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof word_cases / sizeof *word_cases; i++) {
        Hand hand;
        hand_make(&hand);
        hand.row_words[word_cases[i].at] = word_cases[i].word;
        hand.replay.row_fingerprint = fingerprint(&hand.replay);
        hand_expect(&hand, word_cases[i].fault);
    }
}

/* The words of transfer 0 by a send and a sendoff in place of one send: the schedule is the same. */
static void another_spelling_passes(void **state)
{
    (void)state;
    Hand hand;
    hand_make(&hand);
    memmove(hand.row_words + 3, hand.row_words + 2, (TILES * ROW_WORDS - 2) * sizeof *hand.row_words);
    hand.row_words[1] = 0x78000000 | 0x14000 << 3 | 1;
    hand.row_words[2] = 0x70000000 | 1 << 21 | 1;
    hand.row_start[1]++;
    hand.row_start[2]++;
    hand.replay.maximum_row_words++;
    hand.replay.total_row_words++;
    hand.replay.row_fingerprint = fingerprint(&hand.replay);
    assert_string_equal(hand_check(&hand).first_fault, "");
    phase_free(hand.phase);
}

/* ---- figures, bases, activities, dependencies ---- */

static void a_spoilt_figure_is_named(void **state)
{
    (void)state;
    Hand hand;
    hand_make(&hand);
    hand.replay.horizon_cycles++;
    hand_expect(&hand, "horizon_cycles is 172, not 173");
    hand_make(&hand);
    hand.replay.maximum_row_words--;
    hand_expect(&hand, "maximum_row_words is 9, not 8");
    hand_make(&hand);
    hand.replay.maximum_row_tile = 1; /* a tie goes to the lowest */
    hand_expect(&hand, "maximum_row_tile is 0, not 1");
    hand_make(&hand);
    hand.replay.total_row_words++;
    hand_expect(&hand, "total_row_words is 18, not 19");
    hand_make(&hand);
    hand.replay.active_tiles = 1;
    hand_expect(&hand, "active_tiles is 2, not 1");
    hand_make(&hand);
    hand.replay.endpoint_lower_bound_cycles = 54;
    hand_expect(&hand, "endpoint_lower_bound_cycles is 55, not 54");
    hand_make(&hand);
    hand.replay.paired64_transfers = 1;
    hand_expect(&hand, "paired64_transfers is 0, not 1");
    hand_make(&hand);
    hand.replay.pass = 3;
    hand_expect(&hand, "pass 3");
    hand_make(&hand);
    hand.replay.row_fingerprint ^= 1;
    hand_expect(&hand, "row_fingerprint is ");
    hand_make(&hand);
    hand.replay.tile_count = 1;
    hand_expect(&hand, "a replay of 1 tiles, not 2");
    hand_make(&hand);
    hand.completion[1]++;
    hand_expect(&hand, "transfer 1 completes at cycle 108, not 109");
    hand_make(&hand);
    hand.tile_horizon[1]--;
    hand_expect(&hand, "tile 1, cycle 143: the row ends, the horizon is 142");
}

static void a_spoilt_base_is_named(void **state)
{
    (void)state;
    Hand hand;
    hand_make(&hand);
    hand.incoming_base[0] = 0x70004;
    hand_expect(&hand, "transfer 2 (2 words from tile 1 to 0x70000) is never received");
    hand_make(&hand);
    hand.incoming_base[0] = -1;
    hand_expect(&hand, "tile 0: incoming base -1 where its sole receive needs one");
    hand_make(&hand);
    hand.incoming_base[1] = 0x60000;
    hand_expect(&hand, "tile 1: incoming base 393216 without a sole receive");
    hand_make(&hand);
    hand.incoming_base[1] = -2;
    hand_expect(&hand, "tile 1: incoming base -2 without a sole receive");
}

static void a_spoilt_row_slice_is_named(void **state)
{
    (void)state;
    Hand hand;
    hand_make(&hand);
    hand.row_start[1] = 0;
    hand_expect(&hand, "tile 0, cycle 0: row word 0: no return");
    hand_make(&hand);
    hand.row_start[1] = 8;
    hand_expect(&hand, "tile 0, cycle 172: row word 8: no return");
    hand_make(&hand);
    hand.row_start[1] = 10;
    hand_expect(&hand, "tile 0, cycle 172: row word 9: words after the return");
    hand_make(&hand);
    hand.row_start[2] = 3;
    hand_expect(&hand, "tile 1: its row or activities end before they start");
    hand_make(&hand);
    hand.activity_start[0] = 1;
    hand_expect(&hand, "tile 0: its row or activities do not come first");
}

static void a_spoilt_activity_is_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < TILES * ACTIVITIES; i++) {
        for (unsigned member = 0; member < 7; member++) {
            Hand hand;
            hand_make(&hand);
            Activity *activity = &hand.activities[i];
            switch (member) {
            case 0:
                activity->transfer++;
                break;
            case 1:
                activity->address += 4;
                break;
            case 2:
                activity->start++;
                break;
            case 3:
                activity->end--;
                break;
            case 4:
                activity->memory_end++;
                break;
            case 5:
                activity->words ^= 1;
                break;
            default:
                activity->kind ^= 1;
                break;
            }
            hand_expect(&hand, "is not as in the row");
        }
    }
    Hand hand;
    hand_make(&hand);
    hand.activities[2].transfer = UINT32_MAX;
    hand_expect(&hand, "tile 0, cycle 165: the activity of transfer 4294967295 is not as in the row");
    hand_make(&hand);
    hand.activity_start[2]--;
    hand_expect(&hand, "tile 1: activities of its row are missing");
    hand_make(&hand);
    hand.activity_start[1]++;
    hand_expect(&hand, "tile 0, cycle 53: the activity of transfer 0 is not as in the row");
}

static void an_early_successor_is_named(void **state)
{
    (void)state;
    Hand hand;
    hand_make(&hand);
    hand_depend(&hand, 1);
    hand_expect(
        &hand, "tile 0, cycle 32: transfer 1 starts before transfer 0, on which it depends, completes at 56");
}

/* All of transfer 2 a cycle early, at both of its ends: the source event would be at 112. */
static void a_send_before_offset_0_is_named(void **state)
{
    (void)state;
    Hand hand;
    hand_make(&hand);
    hand.row_words[4] = 0x64000000 | 27 << 14 | 2;
    hand.row_words[15] = 0x40a00052;
    hand.tile_horizon[0]--;
    hand.tile_horizon[1]--;
    hand_expect(&hand, "tile 1, cycle 140: transfer 2 is sent before cycle 141, which its route needs");
}

/* ---- a multicast with a loopback ---- */

/* 3 words from 0x50000 of tile 0 to 0x60000 of tiles 0 and 1; times to mux -29 and -28. Sent at 29, source
 * events 1 and 2, written at 53 and 54, memory free at 61 and 62. */
static const uint32_t loop_words[] = {
    0x64000000,                              /* 0: mux <- physical 0 at 1 */
    0x64000000 | 2 << 14 | 0x640,            /* neutral at 4 */
    0x40a00018,                              /* delay to 29 */
    0x78000000 | 2 << 21 | 0x14000 << 3 | 3, /* send, [29, 32) */
    0x60000000 | 20 << 19 | 0x18000,         /* pointer <- 0x60000 at 53 */
    0x40a00007,                              /* delay to 61 */
    0x43a00000,

    0x64000000 | 1 << 14,            /* 7: mux <- physical 0 at 2 */
    0x64000000 | 2 << 14 | 0x640,    /* neutral at 5 */
    0x60000000 | 48 << 19 | 0x18000, /* pointer <- 0x60000 at 54 */
    0x40a00007,                      /* delay to 62 */
    0x43a00000,
};

static void loop_make(Hand *hand)
{
    hand_make(hand);
    phase_free(hand->phase);
    hand->phase = phase_new(1, NULL);
    static const uint16_t tiles[2] = {0, 1};
    static const uint32_t addresses[2] = {0x60000, 0x60000}, source_address = 0x50000;
    assert_true(hand->phase != NULL &&
                phase_append(hand->phase, 0, 3, WIDTH_WORD32, &source_address, 1, tiles, addresses, 2, NULL));
    memcpy(hand->row_words, loop_words, sizeof loop_words);
    hand->row_start[1] = 7;
    hand->row_start[2] = 12;
    hand->tile_horizon[0] = 61;
    hand->tile_horizon[1] = 62;
    hand->incoming_base[0] = -1;
    hand->activities[0] = (Activity){0, 0x50000, 29, 32, 32, 3, ACTIVITY_SEND};
    hand->activities[1] = (Activity){0, 0x60000, 53, 56, 61, 3, ACTIVITY_RECEIVE};
    hand->activities[2] = (Activity){0, 0x60000, 54, 57, 62, 3, ACTIVITY_RECEIVE};
    hand->activity_start[1] = 2;
    hand->activity_start[2] = 3;
    hand->completion[0] = 57;
    hand->send_start[0] = 29;
    hand->replay.horizon_cycles = 62;
    hand->replay.maximum_row_words = 7;
    hand->replay.total_row_words = 12;
    hand->replay.endpoint_lower_bound_cycles = 3;
    hand->replay.row_fingerprint = fingerprint(&hand->replay);
}

static void receivers_must_agree(void **state)
{
    (void)state;
    Hand hand;
    loop_make(&hand);
    assert_string_equal(hand_check(&hand).first_fault, "");
    phase_free(hand.phase);

    loop_make(&hand); /* tile 1 hears it a cycle later */
    hand.row_words[7] += 1 << 14;
    hand.tile_horizon[1]++;
    hand_expect(&hand, "tile 1, cycle 3: transfer 0 would be sent at cycle 30, for another receiver at 29");

    loop_make(&hand); /* in one direction only */
    hand.row_words[3] ^= 2;
    hand_expect(&hand, "sctl 1, transfer 0 from 0x50000 with 3");
}

static void an_illegal_loopback_is_named(void **state)
{
    (void)state;
    Hand hand;
    loop_make(&hand); /* into the element that it reads */
    hand.row_words[4] = 0x60000000 | 20 << 19 | 0x14040;
    hand.phase->receiver_address[0] = 0x50100;
    hand_expect(&hand, "tile 0, cycle 29: transfer 0 sends to its own tile, to an element that it reads");

    loop_make(&hand); /* to tile 0 alone, in the sole-receive form: everything 112 cycles later */
    hand.row_words[0] = 0x64000000 | 112 << 14;
    hand.row_words[3] = 0x78000000 | 2 << 21 | 0x14000 << 3 | 1;
    hand.row_words[4] = 0x60000000 | 20 << 19;
    hand.row_words[7] = 0x43a00000;
    hand.row_start[2] = 8;
    hand.tile_horizon[0] = 173;
    hand.tile_horizon[1] = 0;
    hand.incoming_base[0] = 0x60000;
    hand.phase->receiver_start[1] = 1;
    hand_expect(&hand, "tile 0, cycle 141: transfer 0 sends to its own tile, and to no other");
}

/* ---- memory elements ---- */

/* The first fixture with transfers 0 and 1 `by` cycles later and transfer 2 read from 0x60400, in the element
 * that they write until 114 + by (52 words: 6 cycles after the last write). Transfer 2 is sent at 141. */
static void shared_element_make(Hand *hand, uint32_t by)
{
    hand_make(hand);
    hand->phase->addresses[2] = 0x60400;
    hand->row_words[0] += by;
    hand->row_words[4] -= by << 14;
    hand->row_words[9] += by << 14;
    hand->row_words[15] -= by;
    hand->row_words[16] = 0x78000000 | 1 << 21 | 0x18100 << 3 | 1;
    hand->activities[5].address = 0x60400;
    static const size_t moved[] = {0, 1, 3, 4};
    for (size_t i = 0; i < sizeof moved / sizeof *moved; i++) {
        Activity *activity = &hand->activities[moved[i]];
        activity->start += by;
        activity->end += by;
        activity->memory_end += by;
    }
    for (size_t i = 0; i < 2; i++) {
        hand->completion[i] += by;
        hand->send_start[i] += by;
        hand->offset[i] += by;
        hand->wait_kind[i] = WAIT_RECEIVE_STREAM;
    }
    hand->replay.row_fingerprint = fingerprint(&hand->replay);
}

static void a_shared_element_is_named(void **state)
{
    (void)state;
    Hand hand;
    shared_element_make(&hand, 27);
    assert_string_equal(hand_check(&hand).first_fault, "");
    phase_free(hand.phase);

    shared_element_make(&hand, 28);
    hand_expect(&hand,
                "tile 1, cycle 141: transfer 2 sends from an element that a receive from tile 0 to 0x60100 "
                "writes from cycle 84 on");

    shared_element_make(&hand, 28); /* in a second Repeat iteration only */
    uint32_t *addresses = hand.phase->addresses;
    assert_true(hand.phase->address_capacity > 3);
    addresses[3] = addresses[2];
    addresses[2] = 0x54000;
    hand.phase->address_start[3] = 4;
    hand.phase->repeat[2] = 2;
    hand.row_words[16] = 0x78000000 | 1 << 21 | 0x15000 << 3 | 1;
    hand_expect(&hand, "tile 1, cycle 141: transfer 2 sends from an element");
}

/* ---- another phase than the one replayed ---- */

static void another_phase_is_named(void **state)
{
    (void)state;
    Hand hand;
    hand_make(&hand);
    hand.phase->words[0] = 2;
    hand_expect(&hand, "tile 1: transfer 0 (2 words from tile 0 to 0x60000) is never received");
    hand_make(&hand);
    append(hand.phase, 0, 1, 0x50000, 1, 0x68000);
    hand_expect(&hand, "tile 1: transfer 3 (1 words from tile 0 to 0x68000) is never received");
    hand_make(&hand);
    hand.phase->receiver_address[1] = 0x60104;
    hand_expect(&hand, "which no transfer asks for");
    hand_make(&hand);
    hand.phase->addresses[1] = 0x50010;
    hand_expect(&hand, "tile 0, cycle 32: sends from 0x5000c with sctl 1, transfer 1 from 0x50010 with 1");
    hand_make(&hand);
    hand.phase->width[2] = WIDTH_PAIRED64;
    hand_expect(&hand, "paired64_transfers is 1, not 0");
}

static void a_cancel_and_lost_memory_are_errors(void **state)
{
    (void)state;
    Hand hand;
    hand_make(&hand);
    Progress progress = {.cancel = true};
    ReplayVerdict verdict;
    Error error = {0};
    assert_false(
        replay_check(hand.phase, TILES, &hand.dependencies, &hand.replay, &progress, &verdict, &error));
    assert_int_equal(error.kind, ERROR_CANCELLED);
    assert_false(verdict.pass);

    long allocations = 0;
    for (;; allocations++) {
        error = (Error){0};
        mem_fault_set(allocations + 1);
        bool done = replay_check(hand.phase, TILES, &hand.dependencies, &hand.replay, NULL, &verdict, &error);
        bool fired = mem_fault_left() == 0;
        mem_fault_set(0);
        if (!fired) {
            assert_true(done && verdict.pass);
            break;
        }
        assert_false(done);
        assert_false(verdict.pass);
        assert_int_equal(error.kind, ERROR_MEMORY);
    }
    assert_true(allocations > 8);
    phase_free(hand.phase);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hand_made_replay_passes),
        cmocka_unit_test(a_spoilt_word_is_named),
        cmocka_unit_test(another_spelling_passes),
        cmocka_unit_test(a_spoilt_figure_is_named),
        cmocka_unit_test(a_spoilt_base_is_named),
        cmocka_unit_test(a_spoilt_row_slice_is_named),
        cmocka_unit_test(a_spoilt_activity_is_named),
        cmocka_unit_test(an_early_successor_is_named),
        cmocka_unit_test(a_send_before_offset_0_is_named),
        cmocka_unit_test(receivers_must_agree),
        cmocka_unit_test(an_illegal_loopback_is_named),
        cmocka_unit_test(a_shared_element_is_named),
        cmocka_unit_test(another_phase_is_named),
        cmocka_unit_test(a_cancel_and_lost_memory_are_errors),
    };
    return cmocka_run_group_tests_name("replay/check", tests, NULL, NULL);
}
