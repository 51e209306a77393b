/* Coverage, identity and permutations of receivers: hand-worked phases, and random ones word by word. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/identity.h"
#include "base/text.h"
#include "support.h"

enum { TILES = 8 };

typedef struct Receivers {
    Phase *phase;
    Coverage coverage;
    Identity identity;
} Receivers;

static void receivers_compute(Receivers *receivers, uint32_t transfers)
{
    assert_true(coverage_compute(receivers->phase, TILES, transfers, NULL, &receivers->coverage, NULL));
    assert_true(identity_compute(receivers->phase, &receivers->coverage, NULL, &receivers->identity, NULL));
}

static Receivers receivers_of(const char *text)
{
    Receivers receivers = {.phase = support_phase(text)};
    receivers_compute(&receivers, receivers.phase->transfers);
    return receivers;
}

static void receivers_free(Receivers *receivers)
{
    coverage_free(&receivers->coverage);
    identity_free(&receivers->identity);
    phase_free(receivers->phase);
}

/* ---- scope ---- */

static void scopes_have_names_and_a_default(void **state)
{
    (void)state;
    assert_string_equal(scope_name(SCOPE_PREFIX), "prefix");
    assert_string_equal(scope_name(SCOPE_PHASE), "phase");
    Phase *phase = support_phase("0@0 > 1@0 x 1; 1@0 > 2@0 x 1; 0@0 > 3@0 x 1");
    Dependencies dependencies;
    assert_true(dependencies_compute(phase, TILES, NULL, &dependencies, NULL));
    assert_int_equal(scope_default(&dependencies), SCOPE_PREFIX);
    assert_int_equal(scope_transfers(phase, &dependencies, SCOPE_PREFIX), 1);
    assert_int_equal(scope_transfers(phase, &dependencies, SCOPE_PHASE), 3);
    dependencies_free(&dependencies);
    dependencies = (Dependencies){.prefix_transfers = 3};
    assert_int_equal(scope_default(&dependencies), SCOPE_PHASE);
    phase_free(phase);
}

/* ---- coverage ---- */

/* "payload union intervals low high gap+bytes..." of one tile, in words */
static void expect_coverage(const Coverage *coverage, uint16_t tile, const char *expected)
{
    const TileCoverage *figures = &coverage->tiles[tile];
    Text text = {0};
    text_printf(&text, "%llu %llu %u%s %u-%u", (unsigned long long)figures->payload_bytes / 4,
                (unsigned long long)figures->union_bytes / 4, figures->intervals,
                figures->contiguous ? " contiguous" : "", figures->low / 4, figures->high / 4);
    for (uint32_t k = 0; k + 1 < figures->intervals; k++) {
        const CoverageGap *gap = &coverage->gaps[figures->gap_start + k];
        text_printf(&text, " %u+%u", gap->address / 4, gap->bytes / 4);
    }
    assert_string_equal(text_view(&text), expected);
    assert_int_equal(figures->overlap_bytes, figures->payload_bytes - figures->union_bytes);
    text_free(&text);
}

static void coverage_joins_what_touches(void **state)
{
    (void)state;
    Receivers receivers = receivers_of("0@0 > 1@14 x 6; 0@0 > 1@10,2@50 x 4;"             /* touching */
                                       "0@0 > 3@10 x 4; 0@0 > 3@30 x 2; 0@0 > 3@20 x 1;"  /* two gaps */
                                       "0@0 > 4@10 x 8; 0@0 > 4@12 x 2; 0@0 > 4@17 x 3"); /* overlaps */
    const Coverage *coverage = &receivers.coverage;
    expect_coverage(coverage, 0, "0 0 0 0-0");
    expect_coverage(coverage, 1, "10 10 1 contiguous 10-20");
    expect_coverage(coverage, 2, "4 4 1 contiguous 50-54");
    expect_coverage(coverage, 3, "7 7 3 10-32 14+6 21+9");
    expect_coverage(coverage, 4, "13 10 1 10-20");
    assert_int_equal(coverage->receivers, 4);
    assert_int_equal(coverage->contiguous, 2);
    assert_int_equal(coverage->busiest_receiver, 4);
    assert_int_equal(coverage->gap_count, 2);
    receivers_free(&receivers);
}

static void coverage_of_a_scope_and_of_nothing(void **state)
{
    (void)state;
    Receivers receivers = {.phase = support_phase("0@0 > 2@0 x 4; 0@0 > 1@0 x 4; 0@0 > 1@4 x 1")};
    receivers_compute(&receivers, 2);
    assert_int_equal(receivers.coverage.transfers, 2);
    assert_int_equal(receivers.coverage.busiest_receiver, 1); /* a tie */
    coverage_free(&receivers.coverage);
    identity_free(&receivers.identity);
    receivers_compute(&receivers, 0);
    assert_int_equal(receivers.coverage.receivers, 0);
    assert_int_equal(receivers.coverage.busiest_receiver, -1);
    assert_int_equal(receivers.identity.busiest_receiver, -1);
    assert_int_equal(receivers.identity.contiguous, 0);
    receivers_free(&receivers);
}

/* ---- identity ---- */

/* "words identity_words cycles longest moved ..." */
static void expect_identity(const Identity *identity, uint16_t tile, const char *expected)
{
    const TileIdentity *figures = &identity->tiles[tile];
    Text text = {0};
    if (!figures->contiguous) {
        text_append(&text, "none");
    } else {
        text_printf(&text, "%u words, %u identity%s%s, %u cycles to %u, %u moved, %u bitmap", figures->words,
                    figures->identity_words, figures->identity ? " (all)" : "",
                    figures->padded ? ", padded" : "", figures->cycles, figures->longest_cycle,
                    figures->words_moved, figures->bitmap_bytes);
    }
    if (figures->transposition.rows != 0) {
        text_printf(&text, ", %ux%u of %u", figures->transposition.rows, figures->transposition.columns,
                    figures->transposition.element_words);
    }
    assert_string_equal(text_view(&text), expected);
    text_free(&text);
}

static void identity_of_receivers(void **state)
{
    (void)state;
    /* tile 1: two sources, in place; 2: swapped; 3: overlap */
    Receivers receivers = receivers_of("0@0 > 1@10 x 8; 4@0 > 1@18 x 9; 0@0 > 2@20 x 4; 4@0 > 2@16 x 4;"
                                       "0@0 > 3@0 x 2; 4@0 > 3@1 x 2");
    expect_identity(&receivers.identity, 1, "17 words, 17 identity (all), 17 cycles to 1, 0 moved, 3 bitmap");
    expect_identity(&receivers.identity, 2, "8 words, 0 identity, 4 cycles to 2, 8 moved, 1 bitmap");
    expect_identity(&receivers.identity, 3, "none");
    assert_int_equal(receivers.identity.contiguous, 2);
    assert_int_equal(receivers.identity.identity, 1);
    assert_int_equal(receivers.identity.busiest_receiver, 1);
    receivers_free(&receivers);
}

static void rounding_pads_the_buffer(void **state)
{
    (void)state;
    /* 3 words of one route, a hole of one word, 4 of the next: in order, but 4 words too far */
    Receivers receivers = receivers_of("0@0 > 1@10 x 3; 4@0 > 1@13 x 4; 0@0 > 2@0 x 3");
    expect_identity(&receivers.identity, 1, "7 words, 3 identity, padded, 7 cycles to 1, 0 moved, 1 bitmap");
    expect_identity(&receivers.identity, 2, "3 words, 3 identity (all), 3 cycles to 1, 0 moved, 1 bitmap");
    receivers_free(&receivers);
    /* members of one route follow each other without a hole, wherever they end */
    receivers = receivers_of("0@0 > 1@10 x 3; 0@3 > 1@13 x 4; 0@7 > 1@17 x 1");
    expect_identity(&receivers.identity, 1, "8 words, 8 identity (all), 8 cycles to 1, 0 moved, 1 bitmap");
    receivers_free(&receivers);
}

static void staging_follows_source_addresses(void **state)
{
    (void)state;
    /* sent in the order of the receiver, staged in the order of the source */
    Receivers receivers = receivers_of("0@4 > 1@0 x 2; 0@2 > 1@2 x 2; 0@0 > 1@4 x 2");
    expect_identity(&receivers.identity, 1, "6 words, 2 identity, 4 cycles to 2, 4 moved, 1 bitmap");
    receivers_free(&receivers);
}

static void transpositions_are_recognised(void **state)
{
    (void)state;
    /* 2 rows of 3 elements of 2 words: staged a b c d e f, final a d b e c f */
    Receivers receivers = receivers_of("0@0 > 1@0 x 2; 0@2 > 1@4 x 2; 0@4 > 1@8 x 2;"
                                       "0@6 > 1@2 x 2; 0@8 > 1@6 x 2; 0@10 > 1@10 x 2");
    expect_identity(&receivers.identity, 1,
                    "12 words, 4 identity, 6 cycles to 4, 8 moved, 2 bitmap, 2x3 of 2");
    receivers_free(&receivers);
    /* 2 x 2, its elements in two transfers each */
    receivers = receivers_of("0@0 > 1@0 x 1; 0@1 > 1@1 x 2; 0@3 > 1@6 x 2; 0@5 > 1@8 x 1;"
                             "0@6 > 1@3 x 3; 0@9 > 1@9 x 3");
    expect_identity(&receivers.identity, 1,
                    "12 words, 6 identity, 9 cycles to 2, 6 moved, 2 bitmap, 2x2 of 3");
    receivers_free(&receivers);
    /* one element astray */
    receivers = receivers_of("0@0 > 1@0 x 2; 0@2 > 1@4 x 2; 0@4 > 1@8 x 2;"
                             "0@6 > 1@2 x 2; 0@8 > 1@10 x 2; 0@10 > 1@6 x 2");
    expect_identity(&receivers.identity, 1, "12 words, 2 identity, 4 cycles to 5, 10 moved, 2 bitmap");
    receivers_free(&receivers);
}

/* ---- random phases, word by word ---- */

typedef struct WordMap {
    uint32_t words;
    uint32_t staged[ORACLE_WORDS]; /* byte offset in the buffer */
    uint32_t final[ORACLE_WORDS];  /* word offset from the lowest address */
} WordMap;

static void map_tile(const Phase *phase, const uint32_t *order, uint32_t count, uint16_t tile, uint32_t low,
                     WordMap *map)
{
    uint32_t cursor = 0;
    map->words = 0;
    for (uint32_t k = 0; k < count; k++) {
        OracleReceiver receivers[ORACLE_TILES];
        uint32_t i = order[k], fan = oracle_receivers(phase, i, receivers);
        bool first = k == 0 || !oracle_same_route(phase, order[k - 1], i);
        for (uint32_t f = 0; f < fan; f++) {
            if (receivers[f].tile != tile) {
                continue;
            }
            cursor = first ? (cursor + 7) / 8 * 8 : cursor;
            for (uint32_t w = 0; w < phase->words[i]; w++, cursor += 4, map->words++) {
                map->staged[map->words] = cursor;
                map->final[map->words] = (receivers[f].address - low) / 4 + w;
            }
        }
    }
}

static Transposition naive_transposition(const WordMap *map)
{
    for (uint32_t element = map->words; element > 0; element--) {
        uint32_t count = map->words / element;
        for (uint32_t rows = 2; map->words % element == 0 && rows * 2 <= count; rows++) {
            uint32_t columns = count / rows;
            bool fits = rows * columns == count;
            for (uint32_t w = 0; fits && w < map->words; w++) {
                uint32_t k = w / element;
                fits = map->final[w] == (k % columns * rows + k / columns) * element + w % element;
            }
            if (fits) {
                return (Transposition){.rows = rows, .columns = columns, .element_words = element};
            }
        }
    }
    return (Transposition){0};
}

static TileIdentity naive_identity(const WordMap *map)
{
    TileIdentity tile = {.contiguous = true, .words = map->words, .bitmap_bytes = (map->words + 7) / 8};
    bool *seen = calloc(map->words, sizeof *seen);
    assert_non_null(seen);
    for (uint32_t w = 0; w < map->words; w++) {
        tile.identity_words += map->staged[w] == 4 * map->final[w];
        tile.words_moved += map->final[w] != w;
        tile.padded |= w > 0 && map->staged[w] != map->staged[w - 1] + 4;
        uint32_t length = 0;
        for (uint32_t at = w; !seen[at]; at = map->final[at]) {
            seen[at] = true;
            length++;
        }
        tile.cycles += length > 0;
        tile.longest_cycle = length > tile.longest_cycle ? length : tile.longest_cycle;
    }
    tile.identity = tile.identity_words == tile.words;
    tile.transposition = naive_transposition(map);
    free(seen);
    return tile;
}

/* The listed cycles, spread over their units, must be exactly the cycles of the map. */
static void check_permutation(const Receivers *receivers, uint16_t tile, const WordMap *map)
{
    Permutation permutation;
    const TileIdentity *figures = &receivers->identity.tiles[tile];
    assert_true(permutation_compute(receivers->phase, &receivers->coverage, tile, NULL, &permutation, NULL));
    assert_int_equal(permutation.words, map->words);
    uint32_t unit = permutation.unit_words, cycles = 0, moved = 0, before = 0;
    for (uint32_t w = 0; w < map->words; w++) {
        assert_int_equal(permutation.next[w / unit] * unit + w % unit, map->final[w]);
    }
    for (size_t c = 0; c < permutation.cycle_count; c++) {
        const PermutationCycle *cycle = &permutation.cycles[c];
        uint32_t at = cycle->first / unit, length = 0;
        assert_true(c == 0 || cycle->first > before);
        before = cycle->first;
        do {
            assert_true(at >= cycle->first / unit);
            at = permutation.next[at];
            length++;
        } while (at != cycle->first / unit);
        assert_int_equal(length, cycle->length);
        cycles += unit;
        moved += unit * length;
    }
    assert_int_equal(moved, figures->words_moved);
    assert_int_equal(cycles + figures->words - moved, figures->cycles);
    permutation_free(&permutation);
}

static bool check_tile(const Receivers *receivers, const uint32_t *order, uint32_t count, uint16_t tile)
{
    bool written[ORACLE_WORDS] = {false};
    static WordMap map;
    const Phase *phase = receivers->phase;
    uint32_t low = UINT32_MAX, high = 0, payload = 0, covered = 0, intervals = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = phase->receiver_start[i]; k < phase->receiver_start[i + 1]; k++) {
            for (uint32_t w = 0; phase->receiver_tile[k] == tile && w < phase->words[i]; w++, payload++) {
                uint32_t word = phase->receiver_address[k] / 4 + w;
                written[word] = true;
                low = word < low ? word : low;
                high = word >= high ? word + 1 : high;
            }
        }
    }
    for (uint32_t w = 0; w < ORACLE_WORDS; w++) {
        covered += written[w];
        intervals += written[w] && (w == 0 || !written[w - 1]);
    }
    const TileCoverage *coverage = &receivers->coverage.tiles[tile];
    assert_int_equal(coverage->payload_bytes, 4 * payload);
    assert_int_equal(coverage->union_bytes, 4 * covered);
    assert_int_equal(coverage->intervals, intervals);
    assert_int_equal(coverage->contiguous, intervals == 1 && covered == payload);
    for (uint32_t k = 0; k + 1 < intervals; k++) {
        const CoverageGap *gap = &receivers->coverage.gaps[coverage->gap_start + k];
        for (uint32_t w = gap->address / 4; w < (gap->address + gap->bytes) / 4; w++) {
            assert_false(written[w]);
        }
        assert_true(written[gap->address / 4 - 1] && written[(gap->address + gap->bytes) / 4]);
    }
    if (!coverage->contiguous) {
        assert_false(receivers->identity.tiles[tile].contiguous);
        return false;
    }
    assert_int_equal(coverage->low, 4 * low);
    assert_int_equal(coverage->high, 4 * high);
    map_tile(phase, order, count, tile, 4 * low, &map);
    TileIdentity expected = naive_identity(&map);
    const TileIdentity *found = &receivers->identity.tiles[tile];
    assert_int_equal(found->contiguous, expected.contiguous);
    assert_int_equal(found->words, expected.words);
    assert_int_equal(found->identity_words, expected.identity_words);
    assert_int_equal(found->identity, expected.identity);
    assert_int_equal(found->padded, expected.padded);
    assert_int_equal(found->cycles, expected.cycles);
    assert_int_equal(found->longest_cycle, expected.longest_cycle);
    assert_int_equal(found->words_moved, expected.words_moved);
    assert_int_equal(found->bitmap_bytes, expected.bitmap_bytes);
    assert_int_equal(found->transposition.rows, expected.transposition.rows);
    assert_int_equal(found->transposition.columns, expected.transposition.columns);
    assert_int_equal(found->transposition.element_words, expected.transposition.element_words);
    check_permutation(receivers, tile, &map);
    return true;
}

/* `tiles` receivers, each written without gaps by pieces that come from random places; `regular` makes the
 * pieces equal and transposes them. */
static Phase *random_contiguous_phase(bool regular)
{
    Phase *phase = phase_new(3, NULL);
    assert_non_null(phase);
    uint32_t element = 1 + support_random(3), rows = 2 + support_random(4), columns = 2 + support_random(4);
    for (uint32_t k = 0, to = 0; k < rows * columns; k++) {
        uint32_t words = regular ? element : 1 + support_random(5);
        uint32_t place = regular ? k % columns * rows + k / columns : to;
        uint32_t from = 4 * (regular ? k * element : support_random(200));
        uint32_t addresses[2] = {4 * (100 + place * (regular ? element : 1)), 400};
        uint16_t tiles[2] = {(uint16_t)(1 + support_random(regular ? 1 : 2)), 3};
        assert_true(phase_append(phase, regular ? 0 : (uint16_t)(4 + support_random(3)), (uint16_t)words,
                                 WIDTH_WORD32, &from, 1, tiles, addresses, 1, NULL));
        to += words;
    }
    return phase;
}

static void random_receivers_agree_word_by_word(void **state)
{
    (void)state;
    const RandomShape shapes[] = {
        {.tiles = 8, .transfers = 12, .memory_words = 400, .words = 9, .fan = 3, .repeat = 3},
        {.tiles = 4,
         .transfers = 30,
         .memory_words = 4000,
         .words = 20,
         .fan = 2,
         .repeat = 2,
         .disjoint = true},
    };
    uint32_t contiguous = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        support_seed(seed);
        Receivers receivers = {.phase = seed % 4 < 2 ? support_random_phase(&shapes[seed % 4])
                                                     : random_contiguous_phase(seed % 4 == 2)};
        uint32_t count = receivers.phase->transfers * (1 + support_random(4)) / 4, order[ORACLE_TRANSFERS];
        receivers_compute(&receivers, seed % 4 == 2 ? receivers.phase->transfers : count);
        count = receivers.coverage.transfers;
        oracle_order(receivers.phase, count, NULL, false, order);
        uint32_t found = 0;
        for (uint16_t tile = 0; tile < TILES; tile++) {
            found += check_tile(&receivers, order, count, tile);
        }
        assert_int_equal(found, receivers.coverage.contiguous);
        assert_int_equal(found, receivers.identity.contiguous);
        contiguous += found;
        receivers_free(&receivers);
    }
    assert_true(contiguous > 400);
}

static void a_permutation_needs_a_contiguous_receiver(void **state)
{
    (void)state;
    Receivers receivers = receivers_of("0@0 > 1@0 x 1; 0@1 > 1@5 x 1");
    Permutation permutation;
    Error error = {0};
    assert_false(permutation_compute(receivers.phase, &receivers.coverage, 1, NULL, &permutation, &error));
    assert_int_equal(error.kind, ERROR_REFUSED);
    assert_false(
        permutation_compute(receivers.phase, &receivers.coverage, TILES, NULL, &permutation, &error));
    receivers_free(&receivers);
}

/* ---- cancel and memory ---- */

static bool attempt_with(Phase *phase, Progress *progress, Error *error)
{
    Coverage coverage;
    Identity identity;
    Permutation permutation;
    if (!coverage_compute(phase, TILES, phase->transfers, progress, &coverage, error)) {
        return false;
    }
    bool done = identity_compute(phase, &coverage, progress, &identity, error);
    if (done) {
        identity_free(&identity);
        done = permutation_compute(phase, &coverage, 1, progress, &permutation, error);
    }
    if (done) {
        permutation_free(&permutation);
    }
    coverage_free(&coverage);
    return done;
}

static bool attempt(void *context, Error *error)
{
    return attempt_with(context, NULL, error);
}

static void lost_memory_and_a_cancel_are_errors(void **state)
{
    (void)state;
    support_seed(9);
    Phase *phase = random_contiguous_phase(true);
    const uint16_t tiles[] = {3, 2};
    const uint32_t from = 0, addresses[] = {0, 40};
    assert_true(phase_append(phase, 0, 1, WIDTH_WORD32, &from, 1, tiles, addresses, 2, NULL));
    assert_true(
        phase_append(phase, 0, 1, WIDTH_WORD32, &from, 1, tiles, (const uint32_t[]){80, 80}, 2, NULL));
    support_try_all_faults(attempt, phase);
    Progress progress = {.cancel = true};
    Error error = {0};
    assert_false(attempt_with(phase, &progress, &error));
    assert_int_equal(error.kind, ERROR_CANCELLED);
    phase_free(phase);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scopes_have_names_and_a_default),
        cmocka_unit_test(coverage_joins_what_touches),
        cmocka_unit_test(coverage_of_a_scope_and_of_nothing),
        cmocka_unit_test(identity_of_receivers),
        cmocka_unit_test(rounding_pads_the_buffer),
        cmocka_unit_test(staging_follows_source_addresses),
        cmocka_unit_test(transpositions_are_recognised),
        cmocka_unit_test(random_receivers_agree_word_by_word),
        cmocka_unit_test(a_permutation_needs_a_contiguous_receiver),
        cmocka_unit_test(lost_memory_and_a_cancel_are_errors),
    };
    return cmocka_run_group_tests_name("analysis/receivers", tests, NULL, NULL);
}
