/* Every replay of the reference captures: all figures of every mode and every other order, and every row
 * where rows are given. */
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
#include "capture/capture.h"
#include "replay/replay.h"
#include "transform/modes.h"

enum { CAPTURES_MAX = 200 };

static uint64_t number_of(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    if (!cJSON_IsNumber(item)) {
        fail_msg("no number %s", key);
    }
    return (uint64_t)item->valuedouble;
}

static void check_figure(const char *where, const cJSON *expected, const char *key, uint64_t found)
{
    if (number_of(expected, key) != found) {
        fail_msg("%s: %s is %llu, expected %llu", where, key, (unsigned long long)found,
                 (unsigned long long)number_of(expected, key));
    }
}

static void check_replay(const char *where, const cJSON *expected, const Replay *replay)
{
    check_figure(where, expected, "horizon_cycles", replay->horizon_cycles);
    check_figure(where, expected, "maximum_row_words", replay->maximum_row_words);
    check_figure(where, expected, "total_row_words", replay->total_row_words);
    check_figure(where, expected, "endpoint_lower_bound_cycles", replay->endpoint_lower_bound_cycles);
    check_figure(where, expected, "pass", replay->pass);
    char fingerprint[20];
    snprintf(fingerprint, sizeof fingerprint, "%016llx", (unsigned long long)replay->row_fingerprint);
    const cJSON *wanted = cJSON_GetObjectItemCaseSensitive(expected, "row_fingerprint");
    if (!cJSON_IsString(wanted) || strcmp(wanted->valuestring, fingerprint) != 0) {
        fail_msg("%s: row_fingerprint is %s", where, fingerprint);
    }
    if (!replay->invariants_pass) {
        fail_msg("%s: %s", where, replay->first_fault);
    }
}

static void check_rows(const char *where, const cJSON *expected, const Replay *replay)
{
    assert_int_equal(cJSON_GetArraySize(expected), replay->tile_count);
    unsigned tile = 0;
    const cJSON *row;
    cJSON_ArrayForEach(row, expected)
    {
        uint64_t start = replay->row_start[tile], words = replay->row_start[tile + 1] - start;
        if (strlen(row->valuestring) != 8 * words) {
            fail_msg("%s: the row of tile %u has %llu words", where, tile, (unsigned long long)words);
        }
        for (uint64_t i = 0; i < words; i++) {
            char word[9];
            snprintf(word, sizeof word, "%08x", replay->row_words[start + i]);
            if (memcmp(word, row->valuestring + 8 * i, 8) != 0) {
                fail_msg("%s: word %llu of the row of tile %u is %s", where, (unsigned long long)i, tile,
                         word);
            }
        }
        tile++;
    }
}

static void check_mode(const Phase *phase, uint16_t tile_count, const Dependencies *dependencies, Mode mode,
                       const cJSON *expected, const cJSON *rows)
{
    char where[80];
    snprintf(where, sizeof where, "%u/%s", phase->number, mode_name(mode));
    Error error = {0};
    Counterfactual made;
    Dependencies own;
    Replay replay;
    if (!mode_build(phase, tile_count, dependencies, mode, NULL, &made, &error) ||
        !dependencies_compute(made.phase, tile_count, NULL, &own, &error) ||
        !replay_run(made.phase, tile_count, &own, &REPLAY_OPTIONS_DEFAULT, NULL, &replay, &error)) {
        fail_msg("%s: %s", where, error.message);
    }
    check_replay(where, expected, &replay);
    if (rows != NULL) {
        const cJSON *own_rows = cJSON_GetObjectItemCaseSensitive(rows, where);
        assert_non_null(own_rows);
        check_rows(where, own_rows, &replay);
    }
    replay_free(&replay);
    dependencies_free(&own);
    counterfactual_free(&made);
}

static void check_other_order(const Phase *phase, uint16_t tile_count, const Dependencies *dependencies,
                              const cJSON *expected)
{
    ReplayOptions options = {
        .stream_words = (uint32_t)number_of(expected, "stream_words"),
        .balance = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(expected, "balanced")),
    };
    char where[80];
    snprintf(where, sizeof where, "%u, %u words, %s", phase->number, options.stream_words,
             options.balance ? "balanced" : "not balanced");
    Error error = {0};
    Replay replay;
    if (!replay_run(phase, tile_count, dependencies, &options, NULL, &replay, &error)) {
        fail_msg("%s: %s", where, error.message);
    }
    check_replay(where, expected, &replay);
    replay_free(&replay);
}

static unsigned check_phase(const Phase *phase, uint16_t tile_count, const cJSON *expected, const cJSON *rows)
{
    unsigned replays = 0;
    Dependencies dependencies;
    assert_true(dependencies_compute(phase, tile_count, NULL, &dependencies, NULL));
    const cJSON *modes = cJSON_GetObjectItemCaseSensitive(expected, "modes");
    for (Mode mode = MODE_ORIGINAL; mode < MODE_COUNT; mode++) {
        const cJSON *replay = cJSON_GetObjectItemCaseSensitive(
            cJSON_GetObjectItemCaseSensitive(modes, mode_name(mode)), "replay");
        if (replay != NULL) {
            check_mode(phase, tile_count, &dependencies, mode, replay, rows);
            replays++;
        }
    }
    const cJSON *order;
    cJSON_ArrayForEach(order, cJSON_GetObjectItemCaseSensitive(expected, "other_orders"))
    {
        check_other_order(phase, tile_count, &dependencies, order);
    }
    dependencies_free(&dependencies);
    return replays;
}

static void replays_are_as_expected(void **state)
{
    const char *name = *state;
    char *path = reference_path(name, ".json"), *rows_path = reference_path(name, ".rows.json");
    cJSON *expected = reference_json(name, ".expected.json");
    FILE *rows_file = fopen(rows_path, "r");
    cJSON *rows = rows_file == NULL ? NULL : reference_json(name, ".rows.json");
    Error error = {0};
    Capture *capture = capture_load(path, NULL, NULL, &error);
    if (capture == NULL) {
        fail_msg("%s", error.message);
    }
    unsigned replays = 0;
    const cJSON *phase;
    cJSON_ArrayForEach(phase, cJSON_GetObjectItemCaseSensitive(expected, "phases"))
    {
        replays += check_phase(capture_phase(capture, (uint32_t)number_of(phase, "phase")),
                               capture->tile_count, phase, rows);
    }
    assert_true(replays > 0);
    if (rows != NULL) {
        assert_int_equal(replays, cJSON_GetArraySize(rows));
        fclose(rows_file);
    }
    capture_free(capture);
    cJSON_Delete(rows);
    cJSON_Delete(expected);
    free(rows_path);
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
        return cmocka_run_group_tests_name("reference/rows", tests, NULL, NULL);
    }
    char **names = reference_names(".expected.json");
    struct CMUnitTest tests[CAPTURES_MAX];
    size_t count = 0;
    for (; names[count] != NULL && count < CAPTURES_MAX; count++) {
        tests[count] = (struct CMUnitTest){
            .name = names[count], .test_func = replays_are_as_expected, .initial_state = names[count]};
    }
    int failed = _cmocka_run_group_tests("reference/rows", tests, count, NULL, NULL);
    reference_names_free(names);
    return failed;
}
