/* Modes: every rule of their construction and every figure, on phases worked out by hand. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../analysis/support.h"
#include "base/text.h"
#include "transform/copies.h"
#include "transform/modes.h"

/* Word addresses of the staging bases: what phases as text show. 0x10000 is 16384, 0x80000 is 131072. */
enum { TILES = 8 };

typedef struct Made {
    Phase *phase;
    Dependencies dependencies;
    Counterfactual result;
} Made;

static Made make(const char *text, Mode mode)
{
    Made made = {.phase = support_phase(text)};
    Error error = {0};
    assert_true(dependencies_compute(made.phase, TILES, NULL, &made.dependencies, NULL));
    if (!mode_build(made.phase, TILES, &made.dependencies, mode, NULL, &made.result, &error)) {
        fail_msg("%s", error.message);
    }
    return made;
}

static void made_free(Made *made)
{
    counterfactual_free(&made->result);
    dependencies_free(&made->dependencies);
    phase_free(made->phase);
}

static void expect(const char *text, Mode mode, const char *expected)
{
    Made made = make(text, mode);
    support_expect(made.result.phase, expected);
    made_free(&made);
}

/* "tile@from>to+words; ..." */
static void expect_copies(const Copy *copies, size_t count, const char *expected)
{
    Text text = {0};
    for (size_t k = 0; k < count; k++) {
        text_printf(&text, "%s%u@%u>%u+%u", k > 0 ? "; " : "", copies[k].tile, copies[k].from / 4,
                    copies[k].to / 4, copies[k].bytes / 4);
    }
    assert_string_equal(text_view(&text), expected);
    text_free(&text);
}

/* ---- names ---- */

static void modes_have_names(void **state)
{
    (void)state;
    const char letters[] = "ocsrbplx";
    for (Mode mode = MODE_ORIGINAL; mode < MODE_COUNT; mode++) {
        Mode parsed;
        char letter[] = {mode_letter(mode), '\0'};
        assert_int_equal(letter[0], letters[mode]);
        assert_true(mode_parse(mode_name(mode), &parsed) && parsed == mode);
        assert_true(mode_parse(letter, &parsed) && parsed == mode);
        assert_true(strlen(mode_summary(mode)) > 10);
        assert_string_equal(mode_script_name(mode), mode == MODE_RECEIVER ? "destination" : mode_name(mode));
    }
    Mode mode;
    assert_true(mode_parse("destination", &mode) && mode == MODE_RECEIVER);
    assert_false(mode_parse("", &mode) || mode_parse("coal", &mode) || mode_parse("oo", &mode));
}

static void staging_needs_independence(void **state)
{
    (void)state;
    const struct {
        const char *phase;
        bool refused;
    } examples[] = {
        {"0@0 > 1@0 x 4; 0@0 > 2@0 x 4", false},
        {"0@0 > 1@0 x 4; 1@3 > 2@0 x 4", true}, /* an edge */
        {"0@0 > 1@0 x 4; 0@9 > 1@3 x 4", true}, /* writes only */
        {"0@0 > 0@2 x 4", true},                /* an overlap without an edge */
    };
    for (size_t k = 0; k < sizeof examples / sizeof examples[0]; k++) {
        Phase *phase = support_phase(examples[k].phase);
        Dependencies dependencies;
        assert_true(dependencies_compute(phase, TILES, NULL, &dependencies, NULL));
        for (Mode mode = MODE_ORIGINAL; mode < MODE_COUNT; mode++) {
            bool refused = examples[k].refused && mode >= MODE_COALESCED && mode <= MODE_BOTH;
            Counterfactual made;
            Error error = {0};
            assert_int_equal(mode_refusal(mode, &dependencies) != NULL, refused);
            assert_int_equal(mode_build(phase, TILES, &dependencies, mode, NULL, &made, &error), !refused);
            if (refused) {
                assert_int_equal(error.kind, ERROR_REFUSED);
                assert_non_null(strstr(error.message, mode_refusal(mode, &dependencies)));
                assert_non_null(strstr(error.message, mode_name(mode)));
            } else {
                counterfactual_free(&made);
            }
        }
        dependencies_free(&dependencies);
        phase_free(phase);
    }
}

/* ---- construction ---- */

static void original_is_the_phase_itself(void **state)
{
    (void)state;
    const char *text = "0@4,8 > 2@10,1@10 x 2p; 0@0 > 1@0 x 1";
    Made made = make(text, MODE_ORIGINAL);
    assert_ptr_equal(made.result.phase, made.phase);
    assert_null(made.result.built);
    assert_true(made.result.figures.replay_address_ranges_valid);
    made_free(&made);
    /* it needs no dependencies */
    Phase *phase = support_phase(text);
    assert_true(mode_build(phase, TILES, NULL, MODE_ORIGINAL, NULL, &made.result, NULL));
    assert_int_equal(made.result.geometry.transfers, 2);
    counterfactual_free(&made.result);
    phase_free(phase);
}

static void routes_ascend_and_receivers_are_sorted(void **state)
{
    (void)state;
    expect("1@0 > 2@0 x 2p; 0@6 > 3@8,2@8 x 2p; 0@2 > 2@20 x 1", MODE_COALESCED,
           "0@2 > 2@20 x 1; 0@6 > 2@8,3@8 x 2; 1@0 > 2@0 x 2");
}

static void contiguous_runs_merge(void **state)
{
    (void)state;
    /* in any order in the phase, over all receivers */
    expect("0@4 > 1@14,2@24 x 2; 0@0 > 2@20,1@10 x 4; 0@6 > 1@16,2@26 x 1", MODE_COALESCED,
           "0@0 > 1@10,2@20 x 7");
    /* one receiver does not go on; or the source does not */
    expect("0@0 > 1@10,2@20 x 4; 0@4 > 1@14,2@25 x 2", MODE_COALESCED,
           "0@0 > 1@10,2@20 x 4; 0@4 > 1@14,2@25 x 2");
    expect("0@0 > 1@10 x 4; 0@5 > 1@14 x 2", MODE_COALESCED, "0@0 > 1@10 x 4; 0@5 > 1@14 x 2");
    /* another route */
    expect("0@0 > 1@10 x 4; 0@4 > 1@14,2@14 x 2", MODE_COALESCED, "0@0 > 1@10 x 4; 0@4 > 1@14,2@14 x 2");
    /* only with the transfer just emitted */
    expect("0@0 > 1@10 x 4; 0@2 > 1@30 x 1; 0@4 > 1@14 x 2", MODE_COALESCED,
           "0@0 > 1@10 x 4; 0@2 > 1@30 x 1; 0@4 > 1@14 x 2");
}

static void every_repeat_address_must_go_on(void **state)
{
    (void)state;
    expect("0@0,100 > 1@10 x 4; 0@4,104 > 1@14 x 2", MODE_COALESCED, "0@0,100 > 1@10 x 6");
    expect("0@0,100 > 1@10 x 4; 0@4,105 > 1@14 x 2", MODE_COALESCED,
           "0@0,100 > 1@10 x 4; 0@4,105 > 1@14 x 2");
    /* equally many addresses, moving or not */
    expect("0@0,0 > 1@10 x 4; 0@4,4 > 1@14 x 2", MODE_COALESCED, "0@0,0 > 1@10 x 6");
    expect("0@0,0 > 1@10 x 4; 0@4,4,4 > 1@14 x 2", MODE_COALESCED, "0@0,0 > 1@10 x 4; 0@4,4,4 > 1@14 x 2");
    expect("0@0,0 > 1@10 x 4; 0@4 > 1@14 x 2", MODE_COALESCED, "0@0,0 > 1@10 x 4; 0@4 > 1@14 x 2");
    expect("0@0,0 > 1@10 x 4; 0@4,6 > 1@14 x 2", MODE_COALESCED, "0@0,0 > 1@10 x 4; 0@4,6 > 1@14 x 2");
}

static void a_loopback_never_merges(void **state)
{
    (void)state;
    expect("0@0 > 1@10,0@110 x 4; 0@4 > 0@114,1@14 x 2", MODE_COALESCED,
           "0@0 > 0@110,1@10 x 4; 0@4 > 0@114,1@14 x 2");
}

static void runs_longer_than_a_transfer_are_cut(void **state)
{
    (void)state;
    expect("0@0 > 1@10000 x 4000; 0@4000 > 1@14000 x 100; 0@4100 > 1@14100 x 100", MODE_COALESCED,
           "0@0 > 1@10000 x 4148; 0@4148 > 1@14148 x 52");
    /* a member is cut in two, in every iteration and at every receiver */
    expect("0@0,20000 > 1@10000,2@30000 x 4147; 0@4147,24147 > 1@14147,2@34147 x 4148; "
           "0@8295,28295 > 1@18295,2@38295 x 1",
           MODE_COALESCED, "0@0,20000 > 1@10000,2@30000 x 4148; 0@4148,24148 > 1@14148,2@34148 x 4148");
    /* full pieces stay as they are */
    expect("0@0 > 1@10000 x 4148; 0@4148 > 1@14148 x 4148", MODE_COALESCED,
           "0@0 > 1@10000 x 4148; 0@4148 > 1@14148 x 4148");
}

static void source_staging_gathers(void **state)
{
    (void)state;
    /* Sorted by destination; routes start at multiples of 8 bytes, members do not; Repeat collapses, so that
     * lists of any length merge. */
    const char *text = "0@7,9 > 1@10 x 3; 0@2 > 1@13 x 2; 0@4 > 2@0 x 1; 3@0 > 1@50 x 1; 0@90 > 4@0 x 4";
    Made made = make(text, MODE_SOURCE);
    support_expect(made.result.phase, "0@16384 > 1@10 x 5; 0@16390 > 2@0 x 1; 0@16392 > 4@0 x 4; "
                                      "3@16384 > 1@50 x 1");
    expect_copies(made.result.source_copies, made.result.source_copy_count,
                  "0@7>16384+3; 0@2>16387+2; 0@4>16390+1; 0@90>16392+4; 3@0>16384+1");
    assert_int_equal(made.result.receiver_copy_count, 0);
    assert_null(made.result.receiver_staging_bytes);
    assert_int_equal(made.result.source_staging_bytes[0], 48);
    assert_int_equal(made.result.source_staging_bytes[3], 4);
    assert_int_equal(made.result.gathered_at[2], 4 * 16390);
    const ModeFigures *figures = &made.result.figures;
    assert_int_equal(figures->source_staging_max_bytes, 48);
    assert_int_equal(figures->destination_staging_max_bytes, 0);
    assert_int_equal(figures->combined_staging_max_bytes, 48);
    assert_int_equal(figures->source_copy_max_bytes, 40);
    assert_int_equal(figures->destination_copy_max_bytes, 0);
    assert_int_equal(figures->local_copy_runs, 5);
    assert_int_equal(figures->copy_cycles_floor, 5);
    assert_int_equal(figures->receivers_with_one_affine_loop, 0);
    assert_int_equal(figures->maximum_affine_loops_per_receiver, 0);
    made_free(&made);
}

static void receiver_staging_scatters(void **state)
{
    (void)state;
    /* Sorted by source address; each receiver has its own buffer, rounded where a route begins. */
    const char *text = "0@4 > 1@10,2@60 x 1; 0@0 > 1@30,2@50 x 3; 3@0,7 > 1@11 x 2; 3@2,9 > 1@13 x 2";
    Made made = make(text, MODE_RECEIVER);
    support_expect(made.result.phase, "0@0 > 1@16384,2@16384 x 3; 0@4 > 1@16387,2@16387 x 1; "
                                      "3@0,7 > 1@16388 x 4");
    expect_copies(made.result.receiver_copies, made.result.receiver_copy_count,
                  "1@16384>30+3; 1@16387>10+5; 2@16384>50+3; 2@16387>60+1");
    assert_null(made.result.gathered_at);
    const ModeFigures *figures = &made.result.figures;
    assert_int_equal(figures->source_staging_max_bytes, 0);
    assert_int_equal(figures->destination_staging_max_bytes, 32);
    assert_int_equal(figures->destination_copy_max_bytes, 32);
    assert_int_equal(figures->local_copy_runs, 4);
    assert_int_equal(figures->affine_copy_loops, 4);
    assert_int_equal(figures->receivers_with_one_affine_loop, 0);
    assert_int_equal(figures->maximum_affine_loops_per_receiver, 2);
    made_free(&made);
}

static void both_stages_on_both_sides(void **state)
{
    (void)state;
    const char *text = "0@4 > 1@10 x 3; 0@20 > 1@20 x 2; 1@0 > 0@100 x 6; 0@40 > 2@0 x 1";
    Made made = make(text, MODE_BOTH);
    support_expect(made.result.phase,
                   "0@16384 > 1@131072 x 5; 0@16390 > 2@131072 x 1; 1@16384 > 0@131072 x 6");
    expect_copies(made.result.source_copies, made.result.source_copy_count,
                  "0@4>16384+3; 0@20>16387+2; 0@40>16390+1; 1@0>16384+6");
    expect_copies(made.result.receiver_copies, made.result.receiver_copy_count,
                  "0@131072>100+6; 1@131072>10+3; 1@131075>20+2; 2@131072>0+1");
    const ModeFigures *figures = &made.result.figures;
    assert_int_equal(figures->source_staging_max_bytes, 28);
    assert_int_equal(figures->destination_staging_max_bytes, 24);
    /* tile 0: 28 + 24, tile 1: 24 + 20 */
    assert_int_equal(figures->combined_staging_max_bytes, 52);
    assert_int_equal(figures->source_copy_max_bytes, 24);
    assert_int_equal(figures->destination_copy_max_bytes, 24);
    assert_int_equal(figures->copy_cycles_floor, 6);
    assert_int_equal(figures->local_copy_runs, 8);
    /* copies of 3, 2 and 1 words make a loop each */
    assert_int_equal(figures->affine_copy_loops, 8);
    assert_int_equal(figures->receivers_with_one_affine_loop, 2);
    assert_int_equal(figures->maximum_affine_loops_per_receiver, 2);
    made_free(&made);
}

static void loopbacks_are_staged_one_by_one(void **state)
{
    (void)state;
    Made made = make("0@0 > 0@110 x 3; 0@3 > 0@113 x 2", MODE_BOTH);
    support_expect(made.result.phase, "0@16384 > 0@131072 x 3; 0@16387 > 0@131075 x 2");
    expect_copies(made.result.source_copies, made.result.source_copy_count, "0@0>16384+5");
    expect_copies(made.result.receiver_copies, made.result.receiver_copy_count, "0@131072>110+5");
    made_free(&made);
}

static void the_tail_stays_as_captured(void **state)
{
    (void)state;
    /* 3 waits for 0; what comes after it is the tail, receivers and width as they were, and nothing merges
     * with it */
    const char *text = "0@4 > 1@14 x 4; 3@0 > 2@0 x 2p; 0@0 > 1@10 x 4; 1@10 > 3@50,2@50 x 2p; "
                       "0@8 > 1@18 x 4; 0@12 > 1@22 x 4";
    expect(text, MODE_COALESCED_PREFIX,
           "0@0 > 1@10 x 8; 3@0 > 2@0 x 2; 1@10 > 3@50,2@50 x 2p; 0@8 > 1@18 x 4; 0@12 > 1@22 x 4");
    Made made = make(text, MODE_COALESCED_PREFIX);
    const uint32_t emitted[] = {2, 0, 1, 3, 4, 5};
    assert_memory_equal(made.result.emitted, emitted, sizeof emitted);
    assert_int_equal(made.result.figures.local_copy_runs, 0);
    assert_int_equal(made.result.figures.combined_staging_max_bytes, 0);
    assert_true(made.result.figures.replay_address_ranges_valid);
    made_free(&made);
}

static void levels_are_coalesced_one_by_one(void **state)
{
    (void)state;
    const char *text = "0@4 > 1@14 x 4; 3@0 > 2@0 x 2p; 0@0 > 1@10 x 4; 1@12 > 3@52,2@52 x 2p; "
                       "0@8 > 1@18 x 4; 1@10 > 2@50,3@50 x 2";
    expect(text, MODE_COALESCED_LEVELS, "0@0 > 1@10 x 12; 3@0 > 2@0 x 2; 1@10 > 2@50,3@50 x 4");
    /* the same route in two levels: in place, but never merged */
    expect("1@0 > 0@10 x 2; 0@10 > 1@50 x 2; 1@2 > 0@12 x 2; 0@6 > 1@46 x 4", MODE_COALESCED_LEVELS,
           "0@6 > 1@46 x 4; 1@0 > 0@10 x 4; 0@10 > 1@50 x 2");
}

static void reordered_ignores_dependencies(void **state)
{
    (void)state;
    expect("1@0 > 0@10 x 2; 0@10 > 1@50 x 2", MODE_REORDERED, "0@10 > 1@50 x 2; 1@0 > 0@10 x 2");
}

static void an_empty_phase_has_all_modes(void **state)
{
    (void)state;
    for (Mode mode = MODE_ORIGINAL; mode < MODE_COUNT; mode++) {
        Made made = make("", mode);
        assert_int_equal(made.result.geometry.transfers, 0);
        assert_int_equal(made.result.geometry.busiest_tile, -1);
        assert_int_equal(made.result.figures.copy_cycles_floor, 0);
        assert_true(made.result.figures.replay_address_ranges_valid);
        made_free(&made);
    }
}

/* ---- figures ---- */

static void affine_loops_are_greedy(void **state)
{
    (void)state;
    const struct {
        Copy copies[6];
        size_t count, loops, most;
    } examples[] = {
        {{{0, 0, 100, 4}}, 1, 1, 1},
        /* a regular run; a change of stride; a size that differs */
        {{{0, 0, 100, 4}, {0, 8, 104, 4}, {0, 16, 108, 4}}, 3, 1, 1},
        {{{0, 0, 100, 4}, {0, 8, 104, 4}, {0, 16, 112, 4}}, 3, 2, 2},
        {{{0, 0, 100, 4}, {0, 8, 104, 8}, {0, 16, 112, 8}}, 3, 2, 2},
        /* the first two are taken although the second would start a longer loop */
        {{{0, 0, 100, 4}, {0, 80, 104, 4}, {0, 88, 108, 4}, {0, 96, 112, 4}}, 4, 2, 2},
        /* descending addresses, zero strides */
        {{{0, 80, 100, 4}, {0, 40, 104, 4}, {0, 0, 108, 4}}, 3, 1, 1},
        {{{0, 80, 100, 4}, {0, 80, 104, 4}, {0, 80, 108, 4}}, 3, 1, 1},
        /* tiles are apart */
        {{{0, 0, 100, 4}, {1, 8, 104, 4}, {1, 16, 108, 4}, {2, 24, 112, 4}, {2, 0, 0, 8}}, 5, 4, 2},
    };
    for (size_t k = 0; k < sizeof examples / sizeof examples[0]; k++) {
        CopyFigures figures = copies_measure(examples[k].copies, examples[k].count);
        assert_int_equal(figures.loops, examples[k].loops);
        assert_int_equal(figures.tile_max_loops, examples[k].most);
    }
    CopyFigures figures = copies_measure(examples[7].copies, examples[7].count);
    assert_int_equal(figures.tiles_with_one_loop, 2);
    assert_int_equal(figures.tile_max_bytes, 12);
    assert_int_equal(copies_measure(NULL, 0).loops, 0);
}

/* Fills the buffer of one receiver up to `words`. */
static void expect_range(Mode mode, uint32_t words, bool valid)
{
    Phase *phase = phase_new(1, NULL);
    assert_non_null(phase);
    const uint16_t tile = 1;
    for (uint32_t done = 0; done < words;) {
        uint32_t here = words - done < 4096 ? words - done : 4096, from = 0, to = 4 * done;
        assert_true(phase_append(phase, 0, (uint16_t)here, WIDTH_WORD32, &from, 1, &tile, &to, 1, NULL));
        done += here;
    }
    Dependencies dependencies;
    Counterfactual made;
    assert_true(dependencies_compute(phase, TILES, NULL, &dependencies, NULL));
    assert_true(mode_build(phase, TILES, &dependencies, mode, NULL, &made, NULL));
    assert_int_equal(made.figures.replay_address_ranges_valid, valid);
    assert_int_equal(made.figures.combined_staging_max_bytes, 4 * words);
    counterfactual_free(&made);
    dependencies_free(&dependencies);
    phase_free(phase);
}

static void staging_must_fit_its_range(void **state)
{
    (void)state;
    expect_range(MODE_SOURCE, 0x10000, true);
    expect_range(MODE_SOURCE, 0x10001, false);
    expect_range(MODE_RECEIVER, 0x10000, true);
    expect_range(MODE_RECEIVER, 0x10001, false);
    expect_range(MODE_BOTH, 0x10000, true);
    expect_range(MODE_BOTH, 0x10001, false); /* for the source's sake */
    /* the receiver of mode both may take 0x60000 bytes, from several sources */
    Phase *phase = phase_new(1, NULL);
    assert_non_null(phase);
    for (uint32_t k = 0; k < 0x18001; k += 4096) {
        uint32_t words = 0x18001 - k < 4096 ? 0x18001 - k : 4096, from = 0, to = 4 * k;
        const uint16_t tile = 0;
        assert_true(phase_append(phase, (uint16_t)(1 + k / 4096 % 4), (uint16_t)words, WIDTH_WORD32, &from, 1,
                                 &tile, &to, 1, NULL));
    }
    Dependencies dependencies;
    Counterfactual made;
    assert_true(dependencies_compute(phase, TILES, NULL, &dependencies, NULL));
    assert_true(mode_build(phase, TILES, &dependencies, MODE_BOTH, NULL, &made, NULL));
    assert_int_equal(made.figures.destination_staging_max_bytes, 0x60008); /* one hole of a word */
    assert_false(made.figures.replay_address_ranges_valid);
    counterfactual_free(&made);
    phase->transfers--; /* without the last word of all */
    assert_true(mode_build(phase, TILES, &dependencies, MODE_BOTH, NULL, &made, NULL));
    assert_int_equal(made.figures.destination_staging_max_bytes, 0x60000);
    assert_true(made.figures.replay_address_ranges_valid);
    counterfactual_free(&made);
    dependencies_free(&dependencies);
    phase_free(phase);
}

static void aliases_are_found_on_the_tile_alone(void **state)
{
    (void)state;
    const struct {
        const char *phase;
        Mode mode;
        bool alias;
    } examples[] = {
        /* source staging of tile 0 is [16384, 16388): a source address in it, and just outside */
        {"0@16387,0 > 1@0 x 4", MODE_SOURCE, true},
        {"0@0,16387 > 1@0 x 4", MODE_SOURCE, true},
        {"0@16388 > 1@0 x 4", MODE_SOURCE, false},
        {"0@16380 > 1@0 x 4", MODE_SOURCE, false},
        /* what counts is where a range starts */
        {"0@16383 > 1@0 x 4", MODE_SOURCE, false},
        /* a receiver's address: on another tile, on the tile itself */
        {"0@0 > 1@16384 x 4", MODE_SOURCE, false},
        {"0@0 > 1@16384 x 4; 1@0 > 2@0 x 1", MODE_SOURCE, true},
        {"0@0 > 1@16384 x 4; 1@0 > 2@0 x 1", MODE_COALESCED, false},
        /* receiver staging: 16384 alone, 131072 in mode both */
        {"0@0 > 1@16385 x 4", MODE_RECEIVER, true},
        {"0@0 > 1@131073 x 4", MODE_RECEIVER, false},
        {"0@0 > 1@131073 x 4", MODE_BOTH, true},
        {"0@0 > 1@131076 x 4", MODE_BOTH, false},
        {"0@0 > 1@16384 x 4", MODE_BOTH, false},
        {"0@0 > 1@0 x 4; 1@131074 > 2@0 x 1", MODE_BOTH, true},
    };
    for (size_t k = 0; k < sizeof examples / sizeof examples[0]; k++) {
        Made made = make(examples[k].phase, examples[k].mode);
        if (made.result.figures.staging_alias != examples[k].alias) {
            fail_msg("%s in mode %s", examples[k].phase, mode_name(examples[k].mode));
        }
        made_free(&made);
    }
}

/* 270,000 sends of 4,148 words from one tile: more than a buffer can name. */
static void a_buffer_beyond_4_gib_is_refused(void **state)
{
    (void)state;
    Phase *phase = phase_new(44, NULL);
    assert_non_null(phase);
    const uint32_t from = 0;
    uint32_t to[TILES] = {0};
    for (uint32_t k = 0; k < 270000; k++) {
        const uint16_t tile = (uint16_t)(1 + k % 7);
        assert_true(phase_append(phase, 0, 4148, WIDTH_WORD32, &from, 1, &tile, &to[tile], 1, NULL));
    }
    const Dependencies independent = {.prefix_transfers = phase->transfers};
    Counterfactual made;
    Error error = {0};
    assert_false(mode_build(phase, TILES, &independent, MODE_SOURCE, NULL, &made, &error));
    assert_int_equal(error.kind, ERROR_REFUSED);
    assert_non_null(strstr(error.message, "phase 44"));
    assert_non_null(strstr(error.message, "tile 0"));
    counterfactual_free(&made);
    phase_free(phase);
}

/* ---- cancel and memory ---- */

typedef struct Attempt {
    const Phase *phase;
    const Dependencies *dependencies;
    Mode mode;
} Attempt;

static bool attempt(void *context, Error *error)
{
    const Attempt *what = context;
    Counterfactual made;
    bool done = mode_build(what->phase, TILES, what->dependencies, what->mode, NULL, &made, error);
    counterfactual_free(&made);
    return done;
}

static void lost_memory_and_a_cancel_are_errors(void **state)
{
    (void)state;
    const RandomShape shape = {.tiles = 8,
                               .transfers = 90,
                               .memory_words = 2000,
                               .words = 5,
                               .fan = 3,
                               .repeat = 3,
                               .disjoint = true};
    support_seed(3);
    Phase *phase = support_random_phase(&shape);
    Dependencies dependencies;
    assert_true(dependencies_compute(phase, TILES, NULL, &dependencies, NULL));
    for (Mode mode = MODE_ORIGINAL; mode < MODE_COUNT; mode++) {
        Attempt what = {.phase = phase, .dependencies = &dependencies, .mode = mode};
        support_try_all_faults(attempt, &what);
        Progress progress = {.cancel = true};
        Error error = {0};
        Counterfactual made;
        if (mode != MODE_ORIGINAL) {
            assert_false(mode_build(phase, TILES, &dependencies, mode, &progress, &made, &error));
            assert_int_equal(error.kind, ERROR_CANCELLED);
            counterfactual_free(&made);
        }
    }
    dependencies_free(&dependencies);
    phase_free(phase);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modes_have_names),
        cmocka_unit_test(staging_needs_independence),
        cmocka_unit_test(original_is_the_phase_itself),
        cmocka_unit_test(routes_ascend_and_receivers_are_sorted),
        cmocka_unit_test(contiguous_runs_merge),
        cmocka_unit_test(every_repeat_address_must_go_on),
        cmocka_unit_test(a_loopback_never_merges),
        cmocka_unit_test(runs_longer_than_a_transfer_are_cut),
        cmocka_unit_test(source_staging_gathers),
        cmocka_unit_test(receiver_staging_scatters),
        cmocka_unit_test(both_stages_on_both_sides),
        cmocka_unit_test(loopbacks_are_staged_one_by_one),
        cmocka_unit_test(the_tail_stays_as_captured),
        cmocka_unit_test(levels_are_coalesced_one_by_one),
        cmocka_unit_test(reordered_ignores_dependencies),
        cmocka_unit_test(an_empty_phase_has_all_modes),
        cmocka_unit_test(affine_loops_are_greedy),
        cmocka_unit_test(staging_must_fit_its_range),
        cmocka_unit_test(aliases_are_found_on_the_tile_alone),
        cmocka_unit_test(a_buffer_beyond_4_gib_is_refused),
        cmocka_unit_test(lost_memory_and_a_cancel_are_errors),
    };
    return cmocka_run_group_tests_name("transform/modes", tests, NULL, NULL);
}
