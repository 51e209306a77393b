/* Equivalence: random phases in every mode, as built and deliberately damaged, against a simulator that goes
 * word by word through every Repeat iteration. */
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
#include "transform/equivalence.h"

enum { TILES = 8, SLOTS = 1 << 15 };

/* ---- the simulator ---- */

/* A word of memory and what it holds, both as (space, tile, word) numbers. */
typedef struct Word {
    uint64_t place, content;
} Word;

typedef struct Machine {
    Word words[SLOTS]; /* a hash table; place 0: free */
    size_t count;
} Machine;

typedef enum Space { SPACE_MEMORY = 1, SPACE_SENDER, SPACE_RECEIVER } Space;

static uint64_t place_of(Space space, uint32_t tile, uint32_t address)
{
    return (uint64_t)space << 40 | (uint64_t)tile << 32 | address;
}

static Word *machine_word(Machine *machine, uint64_t place)
{
    size_t slot = (size_t)(place * UINT64_C(0x9e3779b97f4a7c15) >> 40) % SLOTS;
    while (machine->words[slot].place != 0 && machine->words[slot].place != place) {
        slot = (slot + 1) % SLOTS;
    }
    return &machine->words[slot];
}

static uint64_t machine_read(Machine *machine, uint64_t place)
{
    const Word *word = machine_word(machine, place);
    return word->place == 0 ? place : word->content;
}

static void machine_write(Machine *machine, uint64_t place, uint64_t content)
{
    Word *word = machine_word(machine, place);
    if (word->place == 0) {
        assert_true(++machine->count < SLOTS / 2);
    }
    *word = (Word){.place = place, .content = content};
}

static void machine_copy(Machine *machine, uint32_t tile, Space from_space, uint32_t from, Space to_space,
                         uint32_t to, uint32_t bytes)
{
    uint64_t *moved = calloc(bytes / 4 + 1, sizeof *moved);
    assert_non_null(moved);
    for (uint32_t w = 0; w < bytes / 4; w++) {
        moved[w] = machine_read(machine, place_of(from_space, tile, from + 4 * w));
    }
    for (uint32_t w = 0; w < bytes / 4; w++) {
        machine_write(machine, place_of(to_space, tile, to + 4 * w), moved[w]);
    }
    free(moved);
}

static void machine_run(Machine *machine, const Phase *phase, uint32_t r, Space from_space, Space to_space)
{
    uint64_t moved[TRANSFER_WORDS_MAX];
    for (uint32_t i = 0; i < phase->transfers; i++) {
        uint32_t from = r < phase_address_count(phase, i) ? phase->addresses[phase->address_start[i] + r]
                                                          : phase->addresses[phase->address_start[i]];
        for (uint32_t w = 0; w < phase->words[i]; w++) {
            moved[w] = machine_read(machine, place_of(from_space, phase->source[i], from + 4 * w));
        }
        for (uint32_t k = phase->receiver_start[i]; k < phase->receiver_start[i + 1]; k++) {
            for (uint32_t w = 0; w < phase->words[i]; w++) {
                uint32_t to = phase->receiver_address[k] + 4 * w;
                machine_write(machine, place_of(to_space, phase->receiver_tile[k], to), moved[w]);
            }
        }
    }
}

static void machine_run_counterfactual(Machine *machine, const Phase *original, const Counterfactual *made,
                                       uint32_t r)
{
    bool gathers = made->gathered_at != NULL, scatters = made->receiver_staging_bytes != NULL;
    for (size_t k = 0; r == 0 && k < made->source_copy_count; k++) {
        const Copy *copy = &made->source_copies[k];
        machine_copy(machine, copy->tile, SPACE_MEMORY, copy->from, SPACE_SENDER, copy->to, copy->bytes);
    }
    for (uint32_t k = 0; r > 0 && gathers && k < original->transfers; k++) {
        uint32_t i = made->emitted[k];
        machine_copy(machine, original->source[i], SPACE_MEMORY, phase_address(original, i, r), SPACE_SENDER,
                     made->gathered_at[i], 4u * original->words[i]);
    }
    machine_run(machine, made->phase, r, gathers ? SPACE_SENDER : SPACE_MEMORY,
                scatters ? SPACE_RECEIVER : SPACE_MEMORY);
    for (size_t k = 0; k < made->receiver_copy_count; k++) {
        const Copy *copy = &made->receiver_copies[k];
        machine_copy(machine, copy->tile, SPACE_RECEIVER, copy->from, SPACE_MEMORY, copy->to, copy->bytes);
    }
}

/* The lowest place of tile memory that `machine` wrote and the two hold different content; UINT64_MAX: none.
 */
static uint64_t machine_difference(Machine *machine, Machine *other, uint64_t lowest)
{
    for (size_t slot = 0; slot < SLOTS; slot++) {
        uint64_t place = machine->words[slot].place;
        if (place >> 40 == SPACE_MEMORY && place < lowest &&
            machine->words[slot].content != machine_read(other, place)) {
            lowest = place;
        }
    }
    return lowest;
}

/* What equivalence_prove must say, found without any of its means. */
static Equivalence simulate(const Phase *original, const Counterfactual *made)
{
    static Machine before, after;
    uint32_t iterations = phase_iterations(original), made_iterations = phase_iterations(made->phase);
    iterations = made_iterations > iterations ? made_iterations : iterations;
    for (uint32_t r = 0; r < iterations; r++) {
        memset(&before, 0, sizeof before);
        memset(&after, 0, sizeof after);
        machine_run(&before, original, r, SPACE_MEMORY, SPACE_MEMORY);
        machine_run_counterfactual(&after, original, made, r);
        uint64_t lowest = machine_difference(&before, &after, UINT64_MAX);
        lowest = machine_difference(&after, &before, lowest);
        if (lowest != UINT64_MAX) {
            return (Equivalence){.verdict = VERDICT_DIFFERENT,
                                 .iteration = r,
                                 .tile = (uint16_t)(lowest >> 32 & 0xff),
                                 .address = (uint32_t)lowest};
        }
    }
    return (Equivalence){.verdict = VERDICT_EQUIVALENT};
}

static void expect_verdict(const Phase *phase, const Dependencies *dependencies, const Counterfactual *made,
                           Equivalence expected)
{
    Equivalence found;
    Error error = {0};
    if (!equivalence_prove(phase, TILES, dependencies, made, NULL, &found, &error)) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(found.verdict, expected.verdict);
    assert_int_equal(found.iteration, expected.iteration);
    assert_int_equal(found.tile, expected.tile);
    assert_int_equal(found.address, expected.address);
    bool rejected = made->mode == MODE_REORDERED && dependencies->edges > 0;
    assert_int_equal(found.valid, expected.verdict == VERDICT_EQUIVALENT && !rejected);
}

/* ---- what every mode keeps ---- */

static void expect_same_words(const Phase *phase, const Counterfactual *made)
{
    uint64_t sent[TILES] = {0}, received[TILES] = {0};
    for (uint32_t i = 0; i < phase->transfers; i++) {
        sent[phase->source[i]] += phase->words[i];
        for (uint32_t k = phase->receiver_start[i]; k < phase->receiver_start[i + 1]; k++) {
            received[phase->receiver_tile[k]] += phase->words[i];
        }
    }
    for (uint32_t i = 0; i < made->phase->transfers; i++) {
        sent[made->phase->source[i]] -= made->phase->words[i];
        assert_in_range(made->phase->words[i], 1, TRANSFER_WORDS_MAX);
        for (uint32_t k = made->phase->receiver_start[i]; k < made->phase->receiver_start[i + 1]; k++) {
            received[made->phase->receiver_tile[k]] -= made->phase->words[i];
        }
    }
    for (uint32_t t = 0; t < TILES; t++) {
        assert_true(sent[t] == 0 && received[t] == 0);
    }
    assert_true(made->phase->transfers <= phase->transfers);
    /* Every route of the one is a route of the other: the words were compared tile by tile only. */
    for (uint32_t i = 0; i < phase->transfers; i++) {
        OracleReceiver wanted[TILES], found[TILES];
        uint32_t fan = oracle_receivers(phase, i, wanted), same = 0;
        for (uint32_t k = 0; k < made->phase->transfers && same < fan; k++) {
            same = 0;
            if (made->phase->source[k] == phase->source[i] &&
                oracle_receivers(made->phase, k, found) == fan) {
                while (same < fan && found[same].tile == wanted[same].tile) {
                    same++;
                }
            }
        }
        assert_int_equal(same, fan);
    }
}

/* ---- damage ---- */

/* Changes one thing of a counterfactual; false when there is nothing of that kind. */
static bool damage(Counterfactual *made, uint32_t kind)
{
    Phase *built = made->built;
    if (built->transfers == 0) {
        return false;
    }
    uint32_t i = support_random(built->transfers), last = built->transfers - 1;
    uint32_t address = built->address_start[i] + support_random(phase_address_count(built, i));
    uint32_t receiver = built->receiver_start[i] + support_random(phase_receivers(built, i));
    switch (kind) {
    case 0: /* read elsewhere, perhaps in one iteration only */
        built->addresses[address] += 4;
        return true;
    case 1: /* write elsewhere */
        built->receiver_address[receiver] += 4;
        return true;
    case 2: /* too few words */
        built->words[i]--;
        return built->words[i] > 0;
    case 3: /* another sender */
        built->source[i] = (uint16_t)((built->source[i] + 1) % TILES);
        return true;
    case 4: /* two transfers in the wrong order, or at least in another */
        built->words[i] ^= built->words[last];
        built->words[last] ^= built->words[i];
        built->words[i] ^= built->words[last];
        return i != last;
    case 5: /* the last transfer is lost */
        built->transfers--;
        return true;
    case 6: /* a gather copy of iteration 0 */
        if (made->source_copy_count == 0) {
            return false;
        }
        made->source_copies[support_random((uint32_t)made->source_copy_count)].from += 4;
        return true;
    case 7: /* a scatter copy */
        if (made->receiver_copy_count == 0) {
            return false;
        }
        made->receiver_copies[support_random((uint32_t)made->receiver_copy_count)].to += 4;
        return true;
    case 8: /* where something is gathered to in later iterations */
        if (made->gathered_at == NULL) {
            return false;
        }
        made->gathered_at[made->emitted[0]] += 4;
        return true;
    case 9: /* the last scatter is lost */
        return made->receiver_copy_count > 0 && made->receiver_copy_count-- > 0;
    default: /* the same copy twice, of another place */
        if (made->receiver_copy_count < 2) {
            return false;
        }
        made->receiver_copies[0].to = made->receiver_copies[1].to;
        return true;
    }
}

enum { DAMAGE_KINDS = 11 };

/* ---- random phases ---- */

static const RandomShape shapes[] = {
    {.tiles = 4, .transfers = 40, .memory_words = 60, .words = 5, .fan = 3, .repeat = 3, .runs = true},
    {.tiles = 8, .transfers = 60, .memory_words = 2000, .words = 9, .fan = 4, .repeat = 4, .disjoint = true},
    {.tiles = 2, .transfers = 60, .memory_words = 400, .words = 9, .fan = 2, .repeat = 2, .runs = true},
    {.tiles = 5, .transfers = 50, .memory_words = 1500, .words = 12, .fan = 3, .repeat = 5, .runs = true},
    {.tiles = 1, .transfers = 12, .memory_words = 100, .words = 8, .fan = 1, .repeat = 2},
    {.tiles = 8, .transfers = 16, .memory_words = 1000, .words = 20, .fan = 2, .repeat = 3},
    {.tiles = 7, .transfers = 80, .memory_words = 3000, .words = 3, .fan = 1, .repeat = 1, .disjoint = true},
};

/* Runs `test` on every available mode of many random phases. */
static void on_random_phases(uint64_t seeds,
                             void (*test)(const Phase *phase, const Dependencies *dependencies,
                                          Counterfactual *made, void *context),
                             void *context)
{
    for (uint64_t seed = 0; seed < seeds; seed++) {
        support_seed(seed);
        Phase *phase = support_random_phase(&shapes[seed % (sizeof shapes / sizeof shapes[0])]);
        Dependencies dependencies;
        assert_true(dependencies_compute(phase, TILES, NULL, &dependencies, NULL));
        for (Mode mode = MODE_ORIGINAL; mode < MODE_COUNT; mode++) {
            Counterfactual made;
            if (mode_refusal(mode, &dependencies) == NULL) {
                assert_true(mode_build(phase, TILES, &dependencies, mode, NULL, &made, NULL));
                test(phase, &dependencies, &made, context);
                counterfactual_free(&made);
            }
        }
        dependencies_free(&dependencies);
        phase_free(phase);
    }
}

typedef struct Tally {
    uint32_t equivalent, different, order_did_not_matter;
} Tally;

static void check_as_built(const Phase *phase, const Dependencies *dependencies, Counterfactual *made,
                           void *context)
{
    Tally *tally = context;
    Equivalence expected = simulate(phase, made);
    expect_same_words(phase, made);
    expect_verdict(phase, dependencies, made, expected);
    if (made->mode != MODE_REORDERED) {
        assert_int_equal(expected.verdict, VERDICT_EQUIVALENT);
    } else if (dependencies->edges > 0) {
        tally->different += expected.verdict == VERDICT_DIFFERENT;
        tally->order_did_not_matter += expected.verdict == VERDICT_EQUIVALENT;
    }
    tally->equivalent += expected.verdict == VERDICT_EQUIVALENT;
}

static void every_mode_is_equivalent_or_caught(void **state)
{
    (void)state;
    Tally tally = {0};
    on_random_phases(240, check_as_built, &tally);
    assert_true(tally.equivalent > 1000);
    assert_true(tally.different > 50 && tally.order_did_not_matter > 5);
}

static void check_damaged(const Phase *phase, const Dependencies *dependencies, Counterfactual *made,
                          void *context)
{
    Tally *tally = context;
    if (made->mode == MODE_ORIGINAL || !damage(made, support_random(DAMAGE_KINDS))) {
        return;
    }
    Equivalence expected = simulate(phase, made);
    expect_verdict(phase, dependencies, made, expected);
    tally->equivalent += expected.verdict == VERDICT_EQUIVALENT;
    tally->different += expected.verdict == VERDICT_DIFFERENT;
}

static void damage_is_caught_where_it_shows_first(void **state)
{
    (void)state;
    Tally tally = {0};
    on_random_phases(600, check_damaged, &tally);
    /* Some damage is none: a value that is overwritten, or bytes that nobody reads. */
    assert_true(tally.different > 1000 && tally.equivalent > 20);
}

/* ---- by hand ---- */

static Equivalence prove(const char *text, Mode mode)
{
    Phase *phase = support_phase(text);
    Dependencies dependencies;
    Counterfactual made;
    Equivalence equivalence;
    assert_true(dependencies_compute(phase, TILES, NULL, &dependencies, NULL));
    assert_true(mode_build(phase, TILES, &dependencies, mode, NULL, &made, NULL));
    assert_true(equivalence_prove(phase, TILES, &dependencies, &made, NULL, &equivalence, NULL));
    counterfactual_free(&made);
    dependencies_free(&dependencies);
    phase_free(phase);
    return equivalence;
}

static void a_reordered_chain_differs(void **state)
{
    (void)state;
    /* 1 forwards what 0 brought; reordered, it forwards what was there before */
    const char *text = "1@0 > 0@10 x 2; 0@10 > 1@50 x 2";
    Equivalence equivalence = prove(text, MODE_REORDERED);
    assert_int_equal(equivalence.verdict, VERDICT_DIFFERENT);
    assert_int_equal(equivalence.iteration, 0);
    assert_int_equal(equivalence.tile, 1);
    assert_int_equal(equivalence.address, 200);
    assert_false(equivalence.valid);
    equivalence = prove(text, MODE_COALESCED_LEVELS);
    assert_true(equivalence.valid && equivalence.verdict == VERDICT_EQUIVALENT);
}

static void the_lowest_iteration_comes_first(void **state)
{
    (void)state;
    /* Only in iteration 2 is what 0 wrote read; iteration 3 is the same as iteration 2. */
    const char *text = "1@0 > 0@10 x 2; 0@20,30,10,10 > 1@50 x 2";
    Equivalence equivalence = prove(text, MODE_REORDERED);
    assert_int_equal(equivalence.verdict, VERDICT_DIFFERENT);
    assert_int_equal(equivalence.iteration, 2);
    assert_int_equal(equivalence.iterations_proved, 3);
    equivalence = prove(text, MODE_COALESCED_PREFIX);
    assert_int_equal(equivalence.verdict, VERDICT_EQUIVALENT);
    assert_int_equal(equivalence.iteration, 0);
    assert_int_equal(equivalence.iterations_proved, 3);
}

static void reordered_is_invalid_even_when_equal(void **state)
{
    (void)state;
    /* two writes of the same words to the same place */
    Equivalence equivalence = prove("0@0 > 2@10 x 2; 0@0 > 2@10 x 2", MODE_REORDERED);
    assert_int_equal(equivalence.verdict, VERDICT_EQUIVALENT);
    assert_false(equivalence.valid);
    /* and valid where the phase has no edge */
    equivalence = prove("0@0 > 2@10 x 2; 0@0 > 2@12 x 2", MODE_REORDERED);
    assert_true(equivalence.valid);
}

static void distinct_iterations_are_counted(void **state)
{
    (void)state;
    assert_int_equal(prove("0@0 > 2@10 x 2; 0@3,3,3 > 2@12 x 2", MODE_COALESCED).iterations_proved, 1);
    assert_int_equal(prove("0@0,5 > 2@10 x 2; 0@3,3,9 > 2@12 x 2", MODE_COALESCED).iterations_proved, 3);
    /* beyond its list a transfer reads its first address: iterations 2 and 0 are the same */
    assert_int_equal(prove("0@0,5 > 2@10 x 2; 0@3,3,3 > 2@12 x 2", MODE_COALESCED).iterations_proved, 2);
    assert_int_equal(prove("0@0,5,0,5 > 2@10 x 2; 0@3,4,3,6 > 2@12 x 2", MODE_BOTH).iterations_proved, 3);
    assert_int_equal(prove("0@0,5,0,5,5 > 2@10 x 2; 0@1,2,2,2,1 > 2@14 x 1", MODE_SOURCE).iterations_proved,
                     4);
    assert_int_equal(prove("", MODE_ORIGINAL).iterations_proved, 1);
}

/* Staging buffers have numbers that are addresses of the phase: that is no conflict. */
static void staging_has_an_address_space_of_its_own(void **state)
{
    (void)state;
    const char *text = "0@16384 > 1@16390 x 4; 2@0 > 0@131072 x 3; 1@131072 > 0@16392 x 3";
    for (Mode mode = MODE_COALESCED; mode <= MODE_BOTH; mode++) {
        assert_true(prove(text, mode).valid);
    }
}

/* ---- counterfactuals that only look right ---- */

/* Builds a mode as if the phase had no dependencies, changes it, and expects the proof to find out. */
static void expect_caught(const char *text, Mode mode, void (*change)(Counterfactual *made))
{
    Phase *phase = support_phase(text);
    Dependencies dependencies, none = {.prefix_transfers = phase->transfers};
    Counterfactual made;
    assert_true(dependencies_compute(phase, TILES, NULL, &dependencies, NULL));
    assert_true(mode_build(phase, TILES, &none, mode, NULL, &made, NULL));
    if (change != NULL) {
        change(&made);
    }
    Equivalence expected = simulate(phase, &made);
    assert_int_equal(expected.verdict, VERDICT_DIFFERENT);
    expect_verdict(phase, &dependencies, &made, expected);
    counterfactual_free(&made);
    dependencies_free(&dependencies);
    phase_free(phase);
}

static void read_elsewhere_in_iteration_2(Counterfactual *made)
{
    made->built->addresses[2] += 4;
}

static void cut_in_half(Counterfactual *made)
{
    Phase *built = made->built;
    const uint16_t tile = built->receiver_tile[0];
    const uint16_t half = built->words[0] / 2;
    uint32_t from = built->addresses[0] + 4u * half, to = built->receiver_address[0] + 4u * half;
    built->words[0] = half;
    assert_true(phase_append(built, built->source[0], half, WIDTH_WORD32, &from, 1, &tile, &to, 1, NULL));
}

static void gather_both_to_one_place(Counterfactual *made)
{
    made->built->addresses[1] = made->built->addresses[0];
    made->gathered_at[1] = made->gathered_at[0];
    made->source_copies[1].to = made->source_copies[0].to;
}

static void receive_both_in_one_place(Counterfactual *made)
{
    made->built->receiver_address[1] = made->built->receiver_address[0];
    made->receiver_copies[1].from = made->receiver_copies[0].from;
}

/* The staged words, but in iteration 1 from elsewhere. */
static void read_staging_elsewhere_in_iteration_1(Counterfactual *made)
{
    Phase *built = made->built;
    const uint32_t addresses[2] = {built->addresses[0], built->addresses[0] + 400};
    const uint16_t tile = built->receiver_tile[0], source = built->source[0], words = built->words[0];
    const uint32_t to = built->receiver_address[0];
    built->transfers = 0;
    assert_true(phase_append(built, source, words, WIDTH_WORD32, addresses, 2, &tile, &to, 1, NULL));
}

static void send_the_first_twice(Counterfactual *made)
{
    made->emitted[1] = made->emitted[0];
    made->built->addresses[1] = made->built->addresses[0];
    made->built->receiver_address[1] = made->built->receiver_address[0];
}

static void send_one_more(Counterfactual *made)
{
    const uint16_t tile = 5;
    const uint32_t address = 400;
    assert_true(phase_append(made->built, 0, 1, WIDTH_WORD32, &address, 1, &tile, &address, 1, NULL));
}

static void scatter_once_more(Counterfactual *made)
{
    size_t count = made->receiver_copy_count++;
    made->receiver_copies = realloc(made->receiver_copies, (count + 1) * sizeof *made->receiver_copies);
    assert_non_null(made->receiver_copies);
    made->receiver_copies[count] = made->receiver_copies[0];
    made->receiver_copies[count].to += 400;
}

static void receive_on_one_tile_twice(Counterfactual *made)
{
    made->built->receiver_tile[1] = made->built->receiver_tile[0];
}

static void emit_what_is_none(Counterfactual *made)
{
    made->emitted[0] = 1000;
    made->built->receiver_address[0] += 4;
}

static void receive_on_a_tile_that_is_none(Counterfactual *made)
{
    made->built->receiver_tile[0] = 2000;
}

static void appearances_do_not_deceive_the_proof(void **state)
{
    (void)state;
    /* iteration 2 of the captured phase is the same as iteration 0, of the other it is not */
    expect_caught("0@0,5,0 > 1@10 x 2", MODE_COALESCED, read_elsewhere_in_iteration_2);
    /* what a transfer sends to its own tile must not be cut where it overlaps itself */
    expect_caught("0@0 > 0@2 x 8", MODE_COALESCED_PREFIX, cut_in_half);
    /* staging in spite of dependencies: gathers come before, scatters after all transfers */
    expect_caught("1@0 > 0@10 x 2; 0@10 > 1@50 x 2", MODE_SOURCE, NULL);
    expect_caught("1@0 > 0@10 x 2; 0@10 > 1@50 x 2", MODE_RECEIVER, NULL);
    expect_caught("1@0 > 0@10 x 2; 0@10 > 1@50 x 2", MODE_BOTH, NULL);
    expect_caught("4@0 > 0@10 x 2; 3@0 > 0@11 x 2", MODE_RECEIVER, NULL);
    expect_caught("0@0 > 1@10 x 2; 0@50 > 1@60 x 2", MODE_SOURCE, gather_both_to_one_place);
    expect_caught("0@0 > 1@10 x 2; 0@50 > 1@60 x 2", MODE_RECEIVER, receive_both_in_one_place);
    expect_caught("0@0,8 > 1@10 x 2", MODE_SOURCE, read_staging_elsewhere_in_iteration_1);
    expect_caught("0@0 > 1@10 x 2; 0@50 > 1@60 x 2", MODE_COALESCED, send_the_first_twice);
    expect_caught("0@0 > 1@10 x 2; 0@50 > 1@60 x 2", MODE_COALESCED, send_one_more);
    expect_caught("0@0 > 1@10 x 2; 0@50 > 1@60 x 2", MODE_RECEIVER, scatter_once_more);
    expect_caught("0@0 > 1@10,2@10 x 2", MODE_COALESCED, receive_on_one_tile_twice);
    expect_caught("0@0 > 1@10 x 2", MODE_COALESCED, emit_what_is_none);
}

/* A tile beyond the last one is no reason to read beyond arrays. */
static void tiles_that_are_none_are_caught(void **state)
{
    (void)state;
    Phase *phase = support_phase("0@0 > 1@10 x 2");
    Dependencies none = {.prefix_transfers = 1};
    Counterfactual made;
    Equivalence equivalence;
    assert_true(mode_build(phase, TILES, &none, MODE_COALESCED, NULL, &made, NULL));
    receive_on_a_tile_that_is_none(&made);
    assert_true(equivalence_prove(phase, TILES, &none, &made, NULL, &equivalence, NULL));
    assert_int_equal(equivalence.verdict, VERDICT_DIFFERENT);
    assert_int_equal(equivalence.tile, 1);
    counterfactual_free(&made);
    phase_free(phase);
}

/* ---- cancel and memory ---- */

typedef struct Attempt {
    const Phase *phase;
    const Dependencies *dependencies;
    const Counterfactual *made;
} Attempt;

static bool attempt(void *context, Error *error)
{
    const Attempt *what = context;
    Equivalence equivalence;
    bool done =
        equivalence_prove(what->phase, TILES, what->dependencies, what->made, NULL, &equivalence, error);
    assert_true(done || (equivalence.verdict == VERDICT_UNKNOWN && !equivalence.valid));
    return done;
}

static void check_faults(const Phase *phase, const Dependencies *dependencies, Counterfactual *made,
                         void *context)
{
    uint32_t *damaged = context;
    Attempt what = {.phase = phase, .dependencies = dependencies, .made = made};
    support_try_all_faults(attempt, &what);
    if (made->mode != MODE_ORIGINAL && damage(made, support_random(DAMAGE_KINDS))) {
        support_try_all_faults(attempt, &what);
        ++*damaged;
    }
}

static void lost_memory_leaves_the_verdict_open(void **state)
{
    (void)state;
    uint32_t damaged = 0;
    on_random_phases(6, check_faults, &damaged);
    assert_true(damaged > 10);
}

static void check_cancel(const Phase *phase, const Dependencies *dependencies, Counterfactual *made,
                         void *context)
{
    (void)context;
    Progress progress = {.cancel = true};
    Equivalence equivalence;
    Error error = {0};
    if (made->mode == MODE_ORIGINAL) {
        return;
    }
    assert_false(equivalence_prove(phase, TILES, dependencies, made, &progress, &equivalence, &error));
    assert_int_equal(error.kind, ERROR_CANCELLED);
    assert_int_equal(equivalence.verdict, VERDICT_UNKNOWN);
    assert_false(equivalence.valid);
}

static void a_cancel_leaves_the_verdict_open(void **state)
{
    (void)state;
    on_random_phases(6, check_cancel, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mode_is_equivalent_or_caught),
        cmocka_unit_test(damage_is_caught_where_it_shows_first),
        cmocka_unit_test(a_reordered_chain_differs),
        cmocka_unit_test(the_lowest_iteration_comes_first),
        cmocka_unit_test(reordered_is_invalid_even_when_equal),
        cmocka_unit_test(distinct_iterations_are_counted),
        cmocka_unit_test(staging_has_an_address_space_of_its_own),
        cmocka_unit_test(appearances_do_not_deceive_the_proof),
        cmocka_unit_test(tiles_that_are_none_are_caught),
        cmocka_unit_test(lost_memory_leaves_the_verdict_open),
        cmocka_unit_test(a_cancel_leaves_the_verdict_open),
    };
    return cmocka_run_group_tests_name("transform/equivalence", tests, NULL, NULL);
}
