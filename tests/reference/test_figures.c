/* Every figure and verdict of every reference capture, but for replays. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../reference/reference.h"
#include "analysis/identity.h"
#include "capture/capture.h"
#include "transform/equivalence.h"

enum { CAPTURES_MAX = 200 };

static const char *current; /* the capture at hand, for messages */

static void add_number(cJSON *object, const char *key, uint64_t value)
{
    assert_non_null(cJSON_AddNumberToObject(object, key, (double)value));
}

static void add_bool(cJSON *object, const char *key, bool value)
{
    assert_non_null(cJSON_AddBoolToObject(object, key, value));
}

/* A tile, or null. */
static void add_tile(cJSON *object, const char *key, int32_t tile)
{
    if (tile < 0) {
        cJSON_AddNullToObject(object, key);
    } else {
        add_number(object, key, (uint64_t)tile);
    }
}

static void add_geometry(cJSON *object, const Geometry *geometry)
{
    add_number(object, "transfers", geometry->transfers);
    add_number(object, "receive_fragments", geometry->receive_fragments);
    add_number(object, "maximum_endpoint_fragments", geometry->maximum_endpoint_fragments);
    add_tile(object, "busiest_tile", geometry->busiest_tile);
    add_number(object, "transmitted_bytes", geometry->transmitted_bytes);
    add_number(object, "received_bytes", geometry->received_bytes);
    add_number(object, "maximum_outgoing_bytes", geometry->maximum_outgoing_bytes);
    add_number(object, "maximum_incoming_bytes", geometry->maximum_incoming_bytes);
}

static void add_figures(cJSON *object, const ModeFigures *figures)
{
    add_number(object, "source_staging_max_bytes", figures->source_staging_max_bytes);
    add_number(object, "destination_staging_max_bytes", figures->destination_staging_max_bytes);
    add_number(object, "combined_staging_max_bytes", figures->combined_staging_max_bytes);
    add_number(object, "source_copy_max_bytes", figures->source_copy_max_bytes);
    add_number(object, "destination_copy_max_bytes", figures->destination_copy_max_bytes);
    add_number(object, "local_copy_runs", figures->local_copy_runs);
    add_number(object, "affine_copy_loops", figures->affine_copy_loops);
    add_number(object, "receivers_with_one_affine_loop", figures->receivers_with_one_affine_loop);
    add_number(object, "maximum_affine_loops_per_receiver", figures->maximum_affine_loops_per_receiver);
    add_number(object, "copy_cycles_floor", figures->copy_cycles_floor);
    add_bool(object, "replay_address_ranges_valid", figures->replay_address_ranges_valid);
    add_bool(object, "staging_alias", figures->staging_alias);
}

static void add_equivalence(cJSON *object, const Equivalence *equivalence)
{
    add_bool(object, "equivalent", equivalence->verdict == VERDICT_EQUIVALENT);
    add_bool(object, "valid", equivalence->valid);
    if (equivalence->verdict == VERDICT_DIFFERENT) {
        cJSON *difference = cJSON_AddObjectToObject(object, "first_difference");
        add_number(difference, "iteration", equivalence->iteration);
        add_number(difference, "tile", equivalence->tile);
        add_number(difference, "address", equivalence->address);
    }
}

static cJSON *dependency_figures(const Dependencies *dependencies)
{
    cJSON *object = cJSON_CreateObject();
    add_bool(object, "read_write_overlap", dependencies->read_write_overlap);
    add_bool(object, "write_write_overlap", dependencies->write_write_overlap);
    add_number(object, "edges", dependencies->edges);
    add_number(object, "prefix_transfers", dependencies->prefix_transfers);
    add_number(object, "tail_transfers", dependencies->tail_transfers);
    add_number(object, "maximum_depth", dependencies->maximum_depth);
    return object;
}

static cJSON *coverage_figures(const Coverage *coverage)
{
    cJSON *object = cJSON_CreateObject();
    add_number(object, "receivers", coverage->receivers);
    add_number(object, "contiguous", coverage->contiguous);
    add_tile(object, "busiest_receiver", coverage->busiest_receiver);
    if (coverage->busiest_receiver < 0) {
        cJSON_AddNullToObject(object, "busiest");
        return object;
    }
    const TileCoverage *tile = &coverage->tiles[coverage->busiest_receiver];
    cJSON *busiest = cJSON_AddObjectToObject(object, "busiest");
    add_number(busiest, "payload_bytes", tile->payload_bytes);
    add_number(busiest, "union_bytes", tile->union_bytes);
    add_number(busiest, "intervals", tile->intervals);
    add_number(busiest, "overlap_bytes", tile->overlap_bytes);
    add_bool(busiest, "contiguous", tile->contiguous);
    add_number(busiest, "low", tile->low);
    return object;
}

static cJSON *identity_figures(const Identity *identity)
{
    cJSON *object = cJSON_CreateObject();
    add_number(object, "contiguous", identity->contiguous);
    add_number(object, "identity", identity->identity);
    add_tile(object, "busiest_receiver", identity->busiest_receiver);
    if (identity->busiest_receiver < 0 || !identity->tiles[identity->busiest_receiver].contiguous) {
        cJSON_AddNullToObject(object, "busiest");
        return object;
    }
    const TileIdentity *tile = &identity->tiles[identity->busiest_receiver];
    cJSON *busiest = cJSON_AddObjectToObject(object, "busiest");
    add_number(busiest, "words", tile->words);
    add_number(busiest, "identity_words", tile->identity_words);
    add_bool(busiest, "identity", tile->identity);
    add_bool(busiest, "padded", tile->padded);
    add_number(busiest, "cycles", tile->cycles);
    add_number(busiest, "longest_cycle", tile->longest_cycle);
    add_number(busiest, "words_moved", tile->words_moved);
    add_number(busiest, "bitmap_bytes", tile->bitmap_bytes);
    if (tile->transposition.rows != 0) {
        cJSON *transposition = cJSON_AddObjectToObject(busiest, "transposition");
        add_number(transposition, "rows", tile->transposition.rows);
        add_number(transposition, "columns", tile->transposition.columns);
        add_number(transposition, "element_words", tile->transposition.element_words);
    }
    return object;
}

/* Every figure that is expected must be there and equal. `computed` is freed. */
static void check(const cJSON *expected, cJSON *computed, uint32_t phase, const char *what)
{
    for (const cJSON *item = expected->child; item != NULL; item = item->next) {
        if (strcmp(item->string, "replay") == 0) {
            continue;
        }
        const cJSON *own = cJSON_GetObjectItemCaseSensitive(computed, item->string);
        if (!cJSON_Compare(item, own, true)) {
            char *wanted = cJSON_PrintUnformatted(item), *found = cJSON_PrintUnformatted(own);
            fail_msg("%s phase %u %s: %s is %s, expected %s", current, phase, what, item->string,
                     found != NULL ? found : "missing", wanted);
        }
    }
    cJSON_Delete(computed);
}

static void check_mode(const Phase *phase, uint16_t tile_count, const Dependencies *dependencies, Mode mode,
                       const cJSON *expected)
{
    if (expected == NULL) {
        assert_non_null(mode_refusal(mode, dependencies));
        return;
    }
    Error error = {0};
    Counterfactual made;
    Equivalence equivalence;
    assert_null(mode_refusal(mode, dependencies));
    if (!mode_build(phase, tile_count, dependencies, mode, NULL, &made, &error) ||
        !equivalence_prove(phase, tile_count, dependencies, &made, NULL, &equivalence, &error)) {
        fail_msg("%s", error.message);
    }
    cJSON *computed = cJSON_CreateObject();
    add_geometry(computed, &made.geometry);
    add_figures(computed, &made.figures);
    add_equivalence(computed, &equivalence);
    /* Where the verdict is left out, the phase has no dependency: every mode must be equivalent. */
    if (!cJSON_HasObjectItem(expected, "equivalent")) {
        assert_int_equal(equivalence.verdict, VERDICT_EQUIVALENT);
    }
    if (cJSON_HasObjectItem(expected, "equivalent") && !cJSON_HasObjectItem(expected, "first_difference")) {
        assert_int_equal(equivalence.verdict, VERDICT_EQUIVALENT);
    }
    check(expected, computed, phase->number, mode_name(mode));
    counterfactual_free(&made);
}

static void check_receivers(const Phase *phase, uint16_t tile_count, const Dependencies *dependencies,
                            const cJSON *expected)
{
    Scope scope = scope_default(dependencies);
    assert_string_equal(cJSON_GetObjectItemCaseSensitive(expected, "scope")->valuestring, scope_name(scope));
    Coverage coverage;
    Identity identity;
    uint32_t transfers = scope_transfers(phase, dependencies, scope);
    assert_true(coverage_compute(phase, tile_count, transfers, NULL, &coverage, NULL));
    assert_true(identity_compute(phase, &coverage, NULL, &identity, NULL));
    const cJSON *wanted = cJSON_GetObjectItemCaseSensitive(expected, "coverage");
    check(wanted, coverage_figures(&coverage), phase->number, "coverage");
    wanted = cJSON_GetObjectItemCaseSensitive(expected, "identity");
    cJSON *computed = identity_figures(&identity);
    const cJSON *busiest = cJSON_GetObjectItemCaseSensitive(wanted, "busiest");
    assert_int_equal(
        cJSON_HasObjectItem(busiest, "transposition"),
        cJSON_HasObjectItem(cJSON_GetObjectItemCaseSensitive(computed, "busiest"), "transposition"));
    check(wanted, computed, phase->number, "identity");
    coverage_free(&coverage);
    identity_free(&identity);
}

static void check_phase(const Phase *phase, uint16_t tile_count, const cJSON *expected)
{
    static const char *const elsewhere[] = {"phase",    "modes", "other_orders", "scope", "coverage",
                                            "identity", NULL};
    Dependencies dependencies;
    assert_true(dependencies_compute(phase, tile_count, NULL, &dependencies, NULL));
    cJSON *own = cJSON_Duplicate(expected, true);
    for (const char *const *key = elsewhere; *key != NULL; key++) {
        cJSON_DeleteItemFromObjectCaseSensitive(own, *key);
    }
    check(own, dependency_figures(&dependencies), phase->number, "dependencies");
    cJSON_Delete(own);
    const cJSON *modes = cJSON_GetObjectItemCaseSensitive(expected, "modes");
    for (Mode mode = MODE_ORIGINAL; mode < MODE_COUNT; mode++) {
        check_mode(phase, tile_count, &dependencies, mode,
                   cJSON_GetObjectItemCaseSensitive(modes, mode_name(mode)));
    }
    check_receivers(phase, tile_count, &dependencies, expected);
    dependencies_free(&dependencies);
}

static void figures_are_as_expected(void **state)
{
    current = *state;
    char *path = reference_path(current, ".json");
    cJSON *expected = reference_json(current, ".expected.json");
    Error error = {0};
    Capture *capture = capture_load(path, NULL, NULL, &error);
    if (capture == NULL) {
        fail_msg("%s", error.message);
    }
    const cJSON *phases = cJSON_GetObjectItemCaseSensitive(expected, "phases"), *phase;
    assert_int_equal(cJSON_GetArraySize(phases), capture->phase_count);
    cJSON_ArrayForEach(phase, phases)
    {
        uint32_t number = (uint32_t)cJSON_GetObjectItemCaseSensitive(phase, "phase")->valuedouble;
        assert_non_null(capture_phase(capture, number));
        check_phase(capture_phase(capture, number), capture->tile_count, phase);
    }
    capture_free(capture);
    cJSON_Delete(expected);
    free(path);
}

static void references_are_absent(void **state)
{
    (void)state;
    skip();
}

int main(void)
{
    if (reference_folder() == NULL) {
        const struct CMUnitTest tests[] = {cmocka_unit_test(references_are_absent)};
        return cmocka_run_group_tests_name("reference/figures", tests, NULL, NULL);
    }
    char **names = reference_names(".expected.json");
    struct CMUnitTest tests[CAPTURES_MAX];
    size_t count = 0;
    for (; count < CAPTURES_MAX && names[count] != NULL; count++) {
        tests[count] = (struct CMUnitTest){
            .name = names[count], .test_func = figures_are_as_expected, .initial_state = names[count]};
    }
    int failed = _cmocka_run_group_tests("reference/figures", tests, count, NULL, NULL);
    reference_names_free(names);
    return failed;
}
