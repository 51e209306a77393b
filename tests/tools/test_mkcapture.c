/* The generator's captures are legal, and every shape shows what its name says. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "analysis/identity.h"
#include "capture/capture.h"
#include "transform/equivalence.h"

enum { COMMAND_BYTES = 4096 };

static Capture *make_capture(const char *arguments)
{
    const char *build = getenv("EXSCOPE_BUILD_DIR"), *base = getenv("TMPDIR");
    char path[COMMAND_BYTES], command[2 * COMMAND_BYTES];
    Error error = {0};
    snprintf(path, sizeof path, "%s/mkcapture-test-XXXXXX", base == NULL ? "/tmp" : base);
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    snprintf(command, sizeof command, "'%s/tests/tools/mkcapture' -o '%s' %s", build == NULL ? "." : build,
             path, arguments);
    assert_int_equal(system(command), 0);
    Capture *capture = capture_load(path, NULL, NULL, &error);
    unlink(path);
    if (capture == NULL) {
        print_error("%s: %s\n", arguments, error.message);
        fail();
    }
    return capture;
}

/* ---- one phase with what the program finds in it ---- */

typedef struct Study {
    Capture *capture;
    const Phase *phase;
    Dependencies dependencies;
    Geometry geometry;
} Study;

static Study study_open(const char *arguments)
{
    Study study = {.capture = make_capture(arguments)};
    assert_int_equal(study.capture->phase_count, 1);
    study.phase = study.capture->phases[0];
    uint16_t tiles = study.capture->tile_count;
    assert_true(geometry_compute(study.phase, tiles, NULL, &study.geometry, NULL));
    assert_true(dependencies_compute(study.phase, tiles, NULL, &study.dependencies, NULL));
    return study;
}

static void study_close(Study *study)
{
    dependencies_free(&study->dependencies);
    capture_free(study->capture);
}

/* Transfers that a mode leaves; its verdict goes to `proof` where that is not NULL. */
static uint64_t transfers_in(const Study *study, Mode mode, Equivalence *proof)
{
    Counterfactual counterfactual = {0};
    Error error = {0};
    uint16_t tiles = study->capture->tile_count;
    if (!mode_build(study->phase, tiles, &study->dependencies, mode, NULL, &counterfactual, &error)) {
        print_error("%s\n", error.message);
        fail();
    }
    if (proof != NULL) {
        assert_true(equivalence_prove(study->phase, tiles, &study->dependencies, &counterfactual, NULL, proof,
                                      &error));
    }
    uint64_t transfers = counterfactual.geometry.transfers;
    counterfactual_free(&counterfactual);
    return transfers;
}

static void assert_independent(const Study *study)
{
    assert_false(study->dependencies.read_write_overlap);
    assert_false(study->dependencies.write_write_overlap);
    assert_int_equal(study->dependencies.edges, 0);
}

/* ---- the shapes, on 24 tiles ---- */

static void destination_fragments_need_staging_at_the_receiver(void **state)
{
    (void)state;
    Study study = study_open("--tiles 24 destination:each=10,fan=3");
    assert_independent(&study);
    assert_int_equal(study.geometry.transfers, 240);
    assert_int_equal(study.geometry.receive_fragments, 720);
    assert_int_equal(transfers_in(&study, MODE_COALESCED, NULL), 240);
    assert_int_equal(transfers_in(&study, MODE_SOURCE, NULL), 240);
    assert_int_equal(transfers_in(&study, MODE_RECEIVER, NULL), 24);
    study_close(&study);
}

static void source_fragments_need_staging_at_the_source(void **state)
{
    (void)state;
    Study study = study_open("--tiles 24 source:each=12,fan=3");
    assert_independent(&study);
    assert_int_equal(transfers_in(&study, MODE_COALESCED, NULL), 288);
    assert_int_equal(transfers_in(&study, MODE_RECEIVER, NULL), 288);
    assert_int_equal(transfers_in(&study, MODE_SOURCE, NULL), 72);
    study_close(&study);
}

static void multicast_needs_staging_on_both_sides(void **state)
{
    (void)state;
    Study study = study_open("--tiles 24 multicast:each=5,fan=8,repeat=27");
    assert_independent(&study);
    assert_int_equal(phase_iterations(study.phase), 27);
    assert_int_equal(transfers_in(&study, MODE_SOURCE, NULL), 120);
    assert_int_equal(transfers_in(&study, MODE_RECEIVER, NULL), 120);
    assert_int_equal(transfers_in(&study, MODE_BOTH, NULL), 24);
    study_close(&study);
}

static void interleaved_runs_coalesce_before_the_tail(void **state)
{
    (void)state;
    Study study = study_open("--tiles 24 interleaved:each=21,fan=3");
    Equivalence proof;
    assert_true(study.dependencies.read_write_overlap);
    assert_int_equal(study.dependencies.tail_transfers, 6);
    assert_int_equal(transfers_in(&study, MODE_COALESCED_PREFIX, &proof), 24 * 3 + 6);
    assert_true(proof.valid);
    transfers_in(&study, MODE_REORDERED, &proof);
    assert_int_equal(proof.verdict, VERDICT_DIFFERENT);
    Coverage coverage;
    Identity identity;
    assert_true(
        coverage_compute(study.phase, 24, study.dependencies.prefix_transfers, NULL, &coverage, NULL));
    assert_true(identity_compute(study.phase, &coverage, NULL, &identity, NULL));
    assert_int_equal(identity.contiguous, 24);
    assert_int_equal(identity.identity, 24 - 10); /* but for those that some source is above and some below */
    identity_free(&identity);
    coverage_free(&coverage);
    study_close(&study);
}

static void distinct_routes_have_nothing_to_join(void **state)
{
    (void)state;
    Study study = study_open("--tiles 24 distinct:each=23");
    assert_independent(&study);
    for (Mode mode = MODE_ORIGINAL; mode < MODE_COUNT; mode++) {
        assert_int_equal(transfers_in(&study, mode, NULL), 24 * 23);
    }
    study_close(&study);
}

static void transposition_is_recognised(void **state)
{
    (void)state;
    Study study = study_open("--tiles 24 transpose:each=20,columns=4");
    assert_independent(&study);
    assert_int_equal(transfers_in(&study, MODE_RECEIVER, NULL), 24);
    Coverage coverage;
    Identity identity;
    assert_true(coverage_compute(study.phase, 24, study.phase->transfers, NULL, &coverage, NULL));
    assert_true(identity_compute(study.phase, &coverage, NULL, &identity, NULL));
    assert_int_equal(identity.tiles[7].transposition.rows, 5);
    assert_int_equal(identity.tiles[7].transposition.columns, 4);
    assert_int_equal(identity.tiles[7].transposition.element_words, 2);
    identity_free(&identity);
    coverage_free(&coverage);
    study_close(&study);
}

static void chain_hands_on_wave_after_wave(void **state)
{
    (void)state;
    Study study = study_open("--tiles 24 chain:each=9");
    Equivalence proof;
    assert_int_equal(study.dependencies.maximum_depth, 8);
    assert_int_equal(study.dependencies.edges, 24 * 8);
    assert_int_equal(study.dependencies.prefix_transfers, 24);
    transfers_in(&study, MODE_REORDERED, &proof);
    assert_int_equal(proof.verdict, VERDICT_DIFFERENT);
    study_close(&study);
}

static void overlapping_writes_are_nothing_but_that(void **state)
{
    (void)state;
    Study study = study_open("--tiles 24 overlap:each=7");
    assert_true(study.dependencies.write_write_overlap);
    assert_false(study.dependencies.read_write_overlap);
    assert_int_equal(study.dependencies.edges, 12 * 6);
    study_close(&study);
}

static void late_overlap_is_in_one_iteration_only(void **state)
{
    (void)state;
    Study study = study_open("--tiles 24 late:each=5,repeat=6,late=4");
    Equivalence proof;
    DependencyReasons reasons = {0};
    size_t starts[2];
    assert_int_equal(study.dependencies.edges, 1);
    assert_true(dependencies_explain(study.phase, 24, &study.dependencies, study.phase->transfers - 1, 1,
                                     &reasons, starts, NULL, NULL));
    assert_int_equal(reasons.list.count, 1);
    assert_int_equal(reasons.list.items[0].iteration_count, 1);
    assert_int_equal(reasons.iterations.items[reasons.list.items[0].iteration_start], 4);
    dependency_reasons_free(&reasons);
    transfers_in(&study, MODE_REORDERED, &proof);
    assert_int_equal(proof.verdict, VERDICT_DIFFERENT);
    assert_int_equal(proof.iteration, 4);
    study_close(&study);
}

static void hub_sends_and_receives_for_all(void **state)
{
    (void)state;
    Study study = study_open("--tiles 24 hub:each=500");
    assert_independent(&study);
    assert_int_equal(study.geometry.busiest_tile, 0);
    assert_int_equal(study.geometry.maximum_endpoint_fragments, 1000);
    study_close(&study);
}

static void all_to_all_is_every_pair_once(void **state)
{
    (void)state;
    Study study = study_open("--tiles 24 alltoall");
    bool seen[24][24] = {{false}};
    assert_independent(&study);
    assert_int_equal(study.geometry.transfers, 24 * 23);
    for (uint32_t i = 0; i < study.phase->transfers; i++) {
        uint16_t source = study.phase->source[i];
        uint16_t receiver = study.phase->receiver_tile[study.phase->receiver_start[i]];
        assert_true(source != receiver && !seen[source][receiver]);
        seen[source][receiver] = true;
    }
    study_close(&study);
}

/* ---- the options ---- */

static void every_option_makes_a_legal_capture(void **state)
{
    (void)state;
    static const char *const tiles[] = {"2", "3", "5", "64"};
    for (size_t i = 0; i < sizeof tiles / sizeof tiles[0]; i++) {
        for (int variant = 0; variant < 4; variant++) {
            char arguments[COMMAND_BYTES];
            snprintf(arguments, sizeof arguments,
                     "--tiles %s --schema %d --spelling %s --labels %s %s --seed %d destination:each=9 "
                     "source:each=8 "
                     "interleaved:each=24 multicast:each=5,repeat=5 distinct:each=1 transpose:each=32 chain "
                     "overlap "
                     "late hub:each=300 alltoall random empty random:hazards=80,fan=1,phase=77",
                     tiles[i], variant + 1, variant % 2 == 0 ? "array" : "object",
                     variant == 3   ? "none"
                     : variant == 2 ? "hostile"
                                    : "plain",
                     variant > 1 ? "--extra" : "", variant);
            Capture *capture = make_capture(arguments);
            assert_int_equal(capture->phase_count, 14);
            assert_int_equal(capture->schema_version, variant + 1);
            assert_non_null(capture_phase(capture, 77));
            assert_int_equal(capture->label_count, variant == 3 ? 0 : 14);
            assert_int_equal(capture->extra_count, variant > 1 ? 1 : 0);
            capture_free(capture);
        }
    }
}

static void a_whole_model_has_all_shapes(void **state)
{
    (void)state;
    Capture *capture = make_capture("--tiles 64 capture:phases=28,largest=6400");
    size_t largest = 0;
    for (size_t i = 0; i < capture->phase_count; i++) {
        largest = capture->phases[i]->transfers > largest ? capture->phases[i]->transfers : largest;
    }
    assert_int_equal(capture->phase_count, 28);
    assert_int_equal(largest, 6400);
    capture_free(capture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(destination_fragments_need_staging_at_the_receiver),
        cmocka_unit_test(source_fragments_need_staging_at_the_source),
        cmocka_unit_test(multicast_needs_staging_on_both_sides),
        cmocka_unit_test(interleaved_runs_coalesce_before_the_tail),
        cmocka_unit_test(distinct_routes_have_nothing_to_join),
        cmocka_unit_test(transposition_is_recognised),
        cmocka_unit_test(chain_hands_on_wave_after_wave),
        cmocka_unit_test(overlapping_writes_are_nothing_but_that),
        cmocka_unit_test(late_overlap_is_in_one_iteration_only),
        cmocka_unit_test(hub_sends_and_receives_for_all),
        cmocka_unit_test(all_to_all_is_every_pair_once),
        cmocka_unit_test(every_option_makes_a_legal_capture),
        cmocka_unit_test(a_whole_model_has_all_shapes),
    };
    return cmocka_run_group_tests_name("tools/mkcapture", tests, NULL, NULL);
}
