/* Dependencies: hand-worked phases, and random ones against an oracle that goes word by word. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/dependencies.h"
#include "analysis/rank_set.h"
#include "base/text.h"
#include "base/thread.h"
#include "support.h"

enum { TILES = 8 };

/* ---- sets of ranks ---- */

static void rank_sets_find_neighbours(void **state)
{
    (void)state;
    enum { SIZE = 5000 };
    bool *in = calloc(SIZE, sizeof *in);
    RankSet set;
    assert_non_null(in);
    assert_true(rank_set_init(&set, SIZE, NULL));
    for (uint32_t step = 0; step < 4000; step++) {
        uint32_t rank = support_random(step % 3 == 0 ? 70 : SIZE), at = support_random(SIZE);
        in[rank] = support_random(3) == 0;
        if (in[rank]) {
            rank_set_insert(&set, rank);
        } else {
            rank_set_remove(&set, rank);
        }
        assert_int_equal(rank_set_has(&set, rank), in[rank]);
        uint32_t next = at, previous = at;
        while (next < SIZE && !in[next]) {
            next++;
        }
        while (previous > 0 && !in[previous - 1]) {
            previous--;
        }
        assert_int_equal(rank_set_next(&set, at), next < SIZE ? next : RANK_NONE);
        assert_int_equal(rank_set_previous(&set, at), previous > 0 ? previous - 1 : RANK_NONE);
    }
    assert_int_equal(rank_set_next(&set, SIZE + 1000), RANK_NONE);
    rank_set_free(&set);
    free(in);
}

/* ---- hand-worked phases ---- */

/* "0-1 0-2" */
static void expect_edges(const Dependencies *dependencies, uint32_t transfers, const char *expected)
{
    Text text = {0};
    for (uint32_t j = 0; dependencies->edges > 0 && j < transfers; j++) {
        for (uint32_t k = dependencies->predecessor_start[j]; k < dependencies->predecessor_start[j + 1];
             k++) {
            text_printf(&text, "%s%u-%u", text.length > 0 ? " " : "", dependencies->predecessors[k], j);
        }
    }
    assert_string_equal(text_view(&text), expected);
    text_free(&text);
}

/* "2: 0 RAW 1@10+4 {0,2}; ...": tiles, word addresses and words, iterations. */
static void expect_reasons(const Phase *phase, const Dependencies *dependencies, uint32_t first,
                           uint32_t count, const char *expected)
{
    size_t starts[ORACLE_TRANSFERS + 1];
    DependencyReasons reasons = {0};
    Text text = {0};
    assert_true(dependencies_explain(phase, TILES, dependencies, first, count, &reasons, starts, NULL, NULL));
    assert_int_equal(starts[0], 0);
    assert_int_equal(starts[count], reasons.list.count);
    for (uint32_t k = 0; k < count; k++) {
        for (size_t r = starts[k]; r < starts[k + 1]; r++) {
            const DependencyReason *reason = &reasons.list.items[r];
            text_printf(&text, "%s%u: %u %s %u@%u+%u {", text.length > 0 ? "; " : "", first + k,
                        reason->transfer, dependency_kind_name(reason->kind), reason->tile,
                        reason->address / 4, reason->bytes / 4);
            for (uint32_t n = 0; n < reason->iteration_count; n++) {
                text_printf(&text, "%s%u", n > 0 ? "," : "",
                            reasons.iterations.items[reason->iteration_start + n]);
            }
            text_append(&text, "}");
        }
    }
    assert_string_equal(text_view(&text), expected);
    text_free(&text);
    dependency_reasons_free(&reasons);
}

typedef struct Example {
    const char *phase, *edges, *reasons;
    bool read_write, write_write;
    uint32_t prefix, depth;
} Example;

static const Example examples[] = {
    /* nothing at all */
    {"", "", "", false, false, 0, 0},
    {"0@0 > 1@0 x 4; 0@0 > 2@0 x 4; 0@2 > 1@4 x 4", "", "", false, false, 3, 0},
    /* one byte range beside another */
    {"0@0 > 1@10 x 4; 1@14 > 2@0 x 4; 1@6 > 2@4 x 4", "", "", false, false, 3, 0},
    /* RAW */
    {"0@0 > 1@10 x 4; 1@12 > 2@0 x 4", "0-1", "1: 0 RAW 1@12+2 {0}", true, false, 1, 1},
    /* WAR */
    {"1@12 > 2@0 x 4; 0@0 > 1@10 x 4", "0-1", "1: 0 WAR 1@12+2 {0}", true, false, 1, 1},
    /* WAW; the tail ends the list, whoever depends */
    {"0@0 > 1@10 x 4; 0@4 > 2@0 x 4; 0@8 > 1@13 x 4; 0@12 > 3@0 x 4", "0-2", "2: 0 WAW 1@13+1 {}", false,
     true, 2, 1},
    /* only the last writer counts, byte by byte */
    {"0@0 > 1@10 x 4; 0@4 > 1@12 x 4; 1@10 > 2@0 x 6", "0-1 0-2 1-2",
     "1: 0 WAW 1@12+2 {}; 2: 0 RAW 1@10+2 {0}; 2: 1 RAW 1@12+4 {0}", true, true, 1, 2},
    /* a covered write is forgotten */
    {"0@0 > 1@10 x 4; 0@4 > 1@8 x 8; 1@10 > 2@0 x 4", "0-1 1-2", "1: 0 WAW 1@10+4 {}; 2: 1 RAW 1@10+4 {0}",
     true, true, 1, 2},
    /* a read before the last write is forgotten */
    {"1@10 > 2@0 x 4; 0@0 > 1@10 x 4; 0@4 > 1@10 x 2", "0-1 1-2", "1: 0 WAR 1@10+4 {0}; 2: 1 WAW 1@10+2 {}",
     true, true, 1, 2},
    /* ... where it was written only: the rest of the read is remembered */
    {"1@10 > 2@0 x 4; 0@0 > 1@10 x 2; 0@4 > 1@10 x 4", "0-1 0-2 1-2",
     "1: 0 WAR 1@10+2 {0}; 2: 0 WAR 1@12+2 {0}; 2: 1 WAW 1@10+2 {}", true, true, 1, 2},
    /* several readers */
    {"1@10 > 2@0 x 4; 1@11 > 3@0 x 1; 1@20 > 3@1 x 4; 0@0 > 1@10 x 8", "0-3 1-3",
     "3: 0 WAR 1@10+4 {0}; 3: 1 WAR 1@11+1 {0}", true, false, 3, 1},
    /* every Repeat address reads; a late one alone is enough */
    {"0@0 > 1@10 x 2; 1@0,4,10,11 > 2@0 x 2", "0-1", "1: 0 RAW 1@10+2 {2,3}", true, false, 1, 1},
    {"1@0,4,10 > 2@0 x 2; 0@0 > 1@10 x 2", "0-1", "1: 0 WAR 1@10+2 {2}", true, false, 1, 1},
    /* addresses that do not move are read in every iteration */
    {"0@0 > 1@10 x 2; 1@11,11,11 > 2@0 x 2", "0-1", "1: 0 RAW 1@11+1 {0,1,2}", true, false, 1, 1},
    /* adjacent ranges of one pair are joined, over iterations and over a third writer's end */
    {"0@0 > 1@10 x 8; 1@14,10 > 2@0 x 4", "0-1", "1: 0 RAW 1@10+8 {0,1}", true, false, 1, 1},
    {"0@0 > 1@10 x 8; 1@10,15 > 2@0 x 3", "0-1", "1: 0 RAW 1@10+3 {0}; 1: 0 RAW 1@15+3 {1}", true, false, 1,
     1},
    /* no edge to itself: a transfer that reads and writes the same bytes reads first */
    {"0@10 > 0@12 x 4", "", "", true, false, 1, 0},
    {"1@0 > 0@10 x 4; 0@10 > 0@12 x 4", "0-1", "1: 0 RAW 0@10+4 {0}; 1: 0 WAW 0@12+2 {}", true, true, 1, 1},
    /* its own write ends its read for others */
    {"0@10 > 0@10 x 4; 1@0 > 0@10 x 4", "0-1", "1: 0 WAW 0@10+4 {}", true, true, 1, 1},
    /* a multicast conflicts on several tiles: one edge */
    {"0@0 > 1@10,2@20,3@30 x 2; 4@0 > 2@21,3@30 x 1", "0-1", "1: 0 WAW 2@21+1 {}; 1: 0 WAW 3@30+1 {}", false,
     true, 1, 1},
    /* a chain */
    {"0@0 > 1@0 x 2; 1@0 > 2@0 x 2; 2@0 > 3@0 x 2; 3@0 > 4@0 x 2", "0-1 1-2 2-3",
     "1: 0 RAW 1@0+2 {0}; 2: 1 RAW 2@0+2 {0}; 3: 2 RAW 3@0+2 {0}", true, false, 1, 3},
};

static void hand_worked_phases(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof examples / sizeof examples[0]; k++) {
        const Example *example = &examples[k];
        Phase *phase = support_phase(example->phase);
        Dependencies dependencies;
        assert_true(dependencies_compute(phase, TILES, NULL, &dependencies, NULL));
        expect_edges(&dependencies, phase->transfers, example->edges);
        expect_reasons(phase, &dependencies, 0, phase->transfers, example->reasons);
        assert_int_equal(dependencies.read_write_overlap, example->read_write);
        assert_int_equal(dependencies.write_write_overlap, example->write_write);
        assert_int_equal(dependencies.prefix_transfers, example->prefix);
        assert_int_equal(dependencies.tail_transfers, phase->transfers - example->prefix);
        assert_int_equal(dependencies.maximum_depth, example->depth);
        dependencies_free(&dependencies);
        phase_free(phase);
    }
}

/* ---- random phases ---- */

static const RandomShape random_shapes[] = {
    {.tiles = 4, .transfers = 30, .memory_words = 40, .words = 8, .fan = 3, .repeat = 3},
    {.tiles = 2, .transfers = 120, .memory_words = 200, .words = 30, .fan = 2, .repeat = 1},
    {.tiles = 5, .transfers = 60, .memory_words = 1000, .words = 20, .fan = 5, .repeat = 5},
    {.tiles = 1, .transfers = 40, .memory_words = 64, .words = 12, .fan = 1, .repeat = 2},
    {.tiles = 8, .transfers = 150, .memory_words = 4000, .words = 90, .fan = 3, .repeat = 2, .runs = true},
    {.tiles = 8, .transfers = 150, .memory_words = 600, .words = 4, .fan = 2, .repeat = 9, .disjoint = true},
};

static void expect_as_oracle(const Dependencies *dependencies, const Oracle *oracle, uint32_t transfers)
{
    assert_int_equal(dependencies->read_write_overlap, oracle->read_write_overlap);
    assert_int_equal(dependencies->write_write_overlap, oracle->write_write_overlap);
    assert_int_equal(dependencies->edges, oracle->pairs);
    assert_int_equal(dependencies->prefix_transfers, oracle->prefix);
    assert_int_equal(dependencies->maximum_depth, oracle->maximum_depth);
    for (uint32_t j = 0; dependencies->edges > 0 && j < transfers; j++) {
        assert_int_equal(dependencies->depth[j], oracle->depth[j]);
        uint32_t start = dependencies->predecessor_start[j], end = dependencies->predecessor_start[j + 1];
        for (uint32_t k = start; k < end; k++) {
            assert_true(oracle->pair[dependencies->predecessors[k]][j]);
            assert_true(k == start || dependencies->predecessors[k - 1] < dependencies->predecessors[k]);
        }
    }
}

/* Whether the reader meets the range in this iteration. */
static bool reader_meets(const Phase *phase, uint32_t reader, uint32_t r, const DependencyReason *reason)
{
    uint32_t address = phase_address(phase, reader, r), bytes = 4u * phase->words[reader];
    return address < reason->address + reason->bytes && address + bytes > reason->address;
}

static void expect_iterations(const Phase *phase, uint32_t after, const DependencyReasons *reasons,
                              const DependencyReason *reason)
{
    uint32_t reader = reason->kind == DEPENDENCY_RAW ? after : reason->transfer, count = 0;
    for (uint32_t r = 0; reason->kind != DEPENDENCY_WAW && r < phase->repeat[reader]; r++) {
        if (reader_meets(phase, reader, r, reason)) {
            assert_true(count < reason->iteration_count);
            assert_int_equal(reasons->iterations.items[reason->iteration_start + count++], r);
        }
    }
    assert_int_equal(reason->iteration_count, count);
}

/* Every word that the oracle names lies in exactly one reason, and reasons hold nothing else. */
static void expect_reasons_as_oracle(const Phase *phase, const Dependencies *dependencies,
                                     const Oracle *oracle, uint32_t first, uint32_t count)
{
    size_t starts[ORACLE_TRANSFERS + 1], explained = 0, words = 0;
    DependencyReasons reasons = {0};
    assert_true(dependencies_explain(phase, TILES, dependencies, first, count, &reasons, starts, NULL, NULL));
    for (uint32_t k = 0; k < count; k++) {
        for (size_t r = starts[k]; r < starts[k + 1]; r++) {
            const DependencyReason *reason = &reasons.list.items[r], *before = reason - 1;
            words += reason->bytes / 4;
            expect_iterations(phase, first + k, &reasons, reason);
            bool same = r > starts[k] && before->transfer == reason->transfer &&
                        before->kind == reason->kind && before->tile == reason->tile;
            assert_true(!same || before->address + before->bytes < reason->address);
        }
    }
    for (size_t e = 0; e < oracle->edge_count; e++) {
        const OracleEdge *edge = &oracle->edges[e];
        if (edge->after < first || edge->after >= first + count) {
            continue;
        }
        explained++;
        bool found = false;
        for (size_t r = starts[edge->after - first]; r < starts[edge->after - first + 1] && !found; r++) {
            const DependencyReason *reason = &reasons.list.items[r];
            found = reason->transfer == edge->before && reason->kind == (DependencyKind)edge->kind &&
                    reason->tile == edge->tile && reason->address / 4 <= edge->word &&
                    edge->word < (reason->address + reason->bytes) / 4;
        }
        assert_true(found);
    }
    assert_int_equal(words, explained);
    dependency_reasons_free(&reasons);
}

static bool same_reason(const DependencyReasons *reasons, const DependencyReason *reason, uint32_t before,
                        const DependencyReasons *others, const DependencyReason *other)
{
    return reason->transfer == before && reason->kind == other->kind && reason->tile == other->tile &&
           reason->address == other->address && reason->bytes == other->bytes &&
           reason->iteration_count == other->iteration_count &&
           (reason->iteration_count == 0 || memcmp(reasons->iterations.items + reason->iteration_start,
                                                   others->iterations.items + other->iteration_start,
                                                   reason->iteration_count * sizeof(uint32_t)) == 0);
}

/* Who waits for a transfer: what the reasons of all others say of it, in the order of those that wait. */
static void expect_waiting_as_reasons(const Phase *phase, const Dependencies *dependencies)
{
    size_t starts[ORACLE_TRANSFERS + 1];
    DependencyReasons reasons = {0};
    assert_true(
        dependencies_explain(phase, TILES, dependencies, 0, phase->transfers, &reasons, starts, NULL, NULL));
    for (uint32_t before = 0; before < phase->transfers; before++) {
        DependencyReasons waiting = {0};
        size_t found = 0;
        assert_true(dependencies_explain_waiting(phase, TILES, dependencies, before, &waiting, NULL, NULL));
        for (uint32_t after = 0; after < phase->transfers; after++) {
            for (size_t r = starts[after]; r < starts[after + 1]; r++) {
                const DependencyReason *reason = &reasons.list.items[r];
                if (reason->transfer == before) {
                    assert_true(found < waiting.list.count);
                    const DependencyReason *other = &waiting.list.items[found++];
                    assert_int_equal(other->transfer, after);
                    assert_true(same_reason(&reasons, reason, before, &waiting, other));
                }
            }
        }
        assert_int_equal(found, waiting.list.count);
        dependency_reasons_free(&waiting);
    }
    dependency_reasons_free(&reasons);
}

static void random_phases_agree_with_the_oracle(void **state)
{
    (void)state;
    uint64_t with_edges = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        support_seed(seed);
        Phase *phase = support_random_phase(&random_shapes[seed % 6]);
        Oracle *oracle = oracle_dependencies(phase);
        Dependencies dependencies;
        assert_true(dependencies_compute(phase, TILES, NULL, &dependencies, NULL));
        expect_as_oracle(&dependencies, oracle, phase->transfers);
        expect_reasons_as_oracle(phase, &dependencies, oracle, 0, phase->transfers);
        uint32_t middle = phase->transfers / 2;
        expect_reasons_as_oracle(phase, &dependencies, oracle, middle, phase->transfers > 0 ? 1 : 0);
        expect_waiting_as_reasons(phase, &dependencies);
        with_edges += dependencies.edges > 0;
        dependencies_free(&dependencies);
        oracle_free(oracle);
        phase_free(phase);
    }
    assert_true(with_edges > 100 && with_edges < 300);
}

/* ---- large phases ---- */

static void add(Phase *phase, uint32_t source, uint32_t from, uint32_t receiver, uint32_t to, uint32_t words)
{
    uint16_t tile = (uint16_t)receiver;
    from *= 4;
    to *= 4;
    assert_true(
        phase_append(phase, (uint16_t)source, (uint16_t)words, WIDTH_WORD32, &from, 1, &tile, &to, 1, NULL));
}

/* `writers` write one word each, then `readers` read them all. */
static Phase *entangled(uint32_t writers, uint32_t readers)
{
    Phase *phase = phase_new(12, NULL);
    assert_non_null(phase);
    for (uint32_t k = 0; k < writers; k++) {
        add(phase, 0, 0, 5, 100 + k, 1);
    }
    for (uint32_t k = 0; k < readers; k++) {
        add(phase, 5, 100, 6 + k % 2, 100 + k * 2, writers);
    }
    return phase;
}

#if defined __has_feature
#if __has_feature(address_sanitizer)
#define INSTRUMENTED 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define INSTRUMENTED 1
#endif

static void a_phase_that_is_too_entangled_is_refused_by_name(void **state)
{
    (void)state;
#ifdef INSTRUMENTED
    skip(); /* 64 million pairs take long there */
#endif
    /* 4,000 x 16,001 pairs are just too many. */
    Phase *phase = phase_new(12, NULL);
    assert_non_null(phase);
    for (uint32_t k = 0; k < 4000; k++) {
        add(phase, 0, 0, 5, 100 + k, 1);
    }
    for (uint32_t k = 0; k < 16001; k++) {
        add(phase, 5, 100, 6, 0, 4000);
    }
    Dependencies dependencies;
    Error error = {0};
    assert_false(dependencies_compute(phase, TILES, NULL, &dependencies, &error));
    assert_int_equal(error.kind, ERROR_REFUSED);
    assert_non_null(strstr(error.message, "phase 12"));
    assert_non_null(strstr(error.message, "tile 5"));
    assert_non_null(strstr(error.message, "64 million"));
    assert_null(dependencies.predecessors);
    phase_free(phase);
}

static void many_pairs_below_the_bound_are_counted(void **state)
{
    (void)state;
    Phase *phase = entangled(1000, 1000);
    Dependencies dependencies;
    assert_true(dependencies_compute(phase, TILES, NULL, &dependencies, NULL));
    /* 1,000,000 RAW; the readers write 1,000 words every 4 on two tiles: each depends on the last one. */
    assert_int_equal(dependencies.edges, 1000000 + 2 * 499);
    assert_int_equal(dependencies.prefix_transfers, 1000);
    assert_int_equal(dependencies.maximum_depth, 500);
    dependencies_free(&dependencies);
    phase_free(phase);
}

/* Phases where comparing every two accesses would take hours: 100,000 reads of one range, as many writes of
 * one range, and reads that start and end everywhere. */
static void nothing_is_compared_pair_by_pair(void **state)
{
    (void)state;
    enum { MANY = 100000 };
    Phase *phase = phase_new(1, NULL);
    assert_non_null(phase);
    for (uint32_t k = 0; k < MANY; k++) {
        add(phase, 0, 0, 1, 10, 100);
    }
    for (uint32_t k = 0; k < MANY; k++) {
        add(phase, 2, k % 1000, 3, 5000 + k, 1 + k % 1000);
    }
    for (uint32_t k = 0; k < MANY; k++) {
        add(phase, 4, k % 1000, 5, k % 997 * 100, 1);
    }
    add(phase, 6, 0, 0, 50, 100);
    Dependencies dependencies;
    double start = thread_seconds();
    assert_true(dependencies_compute(phase, TILES, NULL, &dependencies, NULL));
    assert_true(thread_seconds() - start < 60);
    /* All reads of tile 0 before its write; one write after the other on tile 1; on tile 3 a write of k %
     * 1000
     * + 1 words from 5000 + k on follows those whose end lies beyond its start and is not covered yet; on
     * tile 5 every 997th writes the same word. */
    assert_true(dependencies.read_write_overlap && dependencies.write_write_overlap);
    assert_true(dependencies.edges >= (uint64_t)MANY + MANY - 1 + MANY - 997);
    dependencies_free(&dependencies);
    phase_free(phase);
}

/* ---- cancel and memory ---- */

static void a_cancel_is_honoured(void **state)
{
    (void)state;
    Phase *phase = entangled(20, 20);
    Progress progress = {0};
    Dependencies dependencies;
    Error error = {0};
    progress.cancel = true;
    assert_false(dependencies_compute(phase, TILES, &progress, &dependencies, &error));
    assert_int_equal(error.kind, ERROR_CANCELLED);
    phase_free(phase);
}

static bool attempt(void *context, Error *error)
{
    const Phase *phase = context;
    Dependencies dependencies;
    DependencyReasons reasons = {0};
    size_t starts[ORACLE_TRANSFERS + 1];
    if (!dependencies_compute(phase, TILES, NULL, &dependencies, error)) {
        return false;
    }
    bool done = dependencies_explain(phase, TILES, &dependencies, 0, phase->transfers, &reasons, starts, NULL,
                                     error) &&
                dependencies_explain_waiting(phase, TILES, &dependencies, 0, &reasons, NULL, error);
    dependency_reasons_free(&reasons);
    dependencies_free(&dependencies);
    return done;
}

static void lost_memory_is_an_error(void **state)
{
    (void)state;
    Phase *phase = entangled(30, 60);
    support_try_all_faults(attempt, phase);
    phase_free(phase);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rank_sets_find_neighbours),
        cmocka_unit_test(hand_worked_phases),
        cmocka_unit_test(random_phases_agree_with_the_oracle),
        cmocka_unit_test(a_phase_that_is_too_entangled_is_refused_by_name),
        cmocka_unit_test(many_pairs_below_the_bound_are_counted),
        cmocka_unit_test(nothing_is_compared_pair_by_pair),
        cmocka_unit_test(a_cancel_is_honoured),
        cmocka_unit_test(lost_memory_is_an_error),
    };
    return cmocka_run_group_tests_name("analysis/dependencies", tests, NULL, NULL);
}
