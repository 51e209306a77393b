/* What the commands print as JSON, against every expected figure of the reference captures: what a script
 * sees is the figure, not just what the library computes. */
#include "config.h"

#include "reference.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "explore/interpreter.h"

static void tell(void *context, const char *where, const char *line, const Error *error)
{
    (void)context;
    (void)where;
    print_error("%s: %s\n", line, error->message);
}

/* The document that a line prints; a failure of the test when the line fails. */
static cJSON *answer(Session *session, const char *format, ...) __attribute__((format(printf, 2, 3)));

static cJSON *answer(Session *session, const char *format, ...)
{
    char line[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    Text text = {0};
    Interpreter interpreter = {.session = session, .sink = sink_text(&text), .failed = tell};
    if (!interpreter_line(&interpreter, line, NULL)) {
        fail_msg("%s fails", line);
    }
    cJSON *json = cJSON_ParseWithLength(text_view(&text), text.length);
    if (json == NULL) {
        fail_msg("%s does not print JSON", line);
    }
    text_free(&text);
    return json;
}

/* Every member of `wanted` is in `got` with the same value; `got` may have more. A member that is null may be
 * absent in either. */
static void compare(const char *where, const cJSON *got, const cJSON *wanted)
{
    char place[300];
    if (cJSON_IsObject(wanted)) {
        for (const cJSON *member = wanted->child; member != NULL; member = member->next) {
            snprintf(place, sizeof place, "%s.%s", where, member->string);
            compare(place, cJSON_GetObjectItemCaseSensitive(got, member->string), member);
        }
        return;
    }
    bool same = got == NULL ? cJSON_IsNull(wanted) : cJSON_Compare(got, wanted, true);
    if (!same) {
        char *left = cJSON_PrintUnformatted(got), *right = cJSON_PrintUnformatted(wanted);
        fail_msg("%s is %s, not %s", where, left == NULL ? "missing" : left, right);
    }
}

static const cJSON *find_mode(const cJSON *modes, const char *name)
{
    const cJSON *row = NULL;
    cJSON_ArrayForEach(row, modes)
    {
        if (strcmp(cJSON_GetStringValue(cJSON_GetObjectItem(row, "mode")), name) == 0) {
            return row;
        }
    }
    return NULL;
}

/* The figures of one phase as expected, but for what a table of modes says elsewhere. */
static void compare_modes(const char *where, const cJSON *got, cJSON *wanted)
{
    const cJSON *row = NULL;
    cJSON_ArrayForEach(row, got)
    {
        const char *name = cJSON_GetStringValue(cJSON_GetObjectItem(row, "mode"));
        cJSON *expected = cJSON_GetObjectItemCaseSensitive(wanted, name);
        bool available = cJSON_IsTrue(cJSON_GetObjectItem(row, "available"));
        if (available != (expected != NULL)) {
            fail_msg("%s: mode %s is %s", where, name, available ? "available" : "refused");
        }
        if (!available) {
            assert_non_null(cJSON_GetStringValue(cJSON_GetObjectItem(row, "reason")));
            continue;
        }
        char place[200];
        snprintf(place, sizeof place, "%s %s", where, name);
        cJSON_DeleteItemFromObject(expected, "replay"); /* compared elsewhere */
        compare(place, row, expected);
        if (cJSON_GetObjectItem(expected, "equivalent") == NULL) { /* left out: no phase has a dependency */
            assert_true(cJSON_IsTrue(cJSON_GetObjectItem(row, "equivalent")));
            assert_true(cJSON_IsTrue(cJSON_GetObjectItem(row, "valid")));
        }
    }
    assert_int_equal(cJSON_GetArraySize(got), 8);
    assert_non_null(find_mode(got, "reordered"));
}

static void compare_phase(Session *session, const char *name, cJSON *wanted)
{
    int phase = cJSON_GetObjectItem(wanted, "phase")->valueint;
    char where[100];
    snprintf(where, sizeof where, "%s phase %d", name, phase);
    cJSON *got = answer(session, "modes --phase %d", phase);
    compare_modes(where, cJSON_GetObjectItem(got, "modes"), cJSON_GetObjectItem(wanted, "modes"));
    cJSON_Delete(got);

    static const char *const tail_keys[] = {"read_write_overlap", "write_write_overlap", "edges",
                                            "prefix_transfers",   "tail_transfers",      "maximum_depth"};
    got = answer(session, "tail --phase %d --top 10", phase);
    for (size_t i = 0; i < sizeof tail_keys / sizeof *tail_keys; i++) {
        compare(where, cJSON_GetObjectItem(got, tail_keys[i]), cJSON_GetObjectItem(wanted, tail_keys[i]));
    }
    cJSON_Delete(got);

    static const char *const scoped[] = {"identity", "coverage"};
    for (size_t i = 0; i < 2; i++) {
        got = answer(session, "%s --phase %d", scoped[i], phase);
        compare(where, got, cJSON_GetObjectItem(wanted, scoped[i]));
        compare(where, cJSON_GetObjectItem(got, "scope"), cJSON_GetObjectItem(wanted, "scope"));
        cJSON_Delete(got);
    }
}

/* Runs `check` on every reference capture that is open in a session of its own. */
static void each_reference(void (*check)(Session *session, const char *name, cJSON *expected))
{
    if (reference_folder() == NULL) {
        skip();
    }
    char **names = reference_names(".expected.json");
    assert_non_null(names[0]);
    for (char **name = names; *name != NULL; name++) {
        Error error = {0};
        Session *session = session_new(2, &error);
        char *path = reference_path(*name, ".json");
        if (session == NULL || !session_load(session, path, NULL, &error) ||
            !session_set(session, "format", "json", &error)) {
            fail_msg("%s", error.message);
        }
        cJSON *expected = reference_json(*name, ".expected.json");
        check(session, *name, expected);
        cJSON_Delete(expected);
        free(path);
        session_free(session);
    }
    reference_names_free(names);
}

static void check_figures(Session *session, const char *name, cJSON *expected)
{
    cJSON *phases = cJSON_GetObjectItem(expected, "phases"), *phase = NULL;
    cJSON_ArrayForEach(phase, phases)
    {
        compare_phase(session, name, phase);
    }
}

static void figures_are_printed_as_expected(void **state)
{
    (void)state;
    each_reference(check_figures);
}

/* `phases`: the same phases, ranked by maximum_endpoint_fragments of the original, ties in file order. */
static void check_ranking(Session *session, const char *name, cJSON *expected)
{
    cJSON *got = answer(session, "phases"), *row = NULL;
    cJSON *list = cJSON_GetObjectItem(got, "phases"), *wanted = cJSON_GetObjectItem(expected, "phases");
    assert_int_equal(cJSON_GetArraySize(list), cJSON_GetArraySize(wanted));
    double last = 1e300;
    int rank = 1;
    cJSON_ArrayForEach(row, list)
    {
        const cJSON *phase = NULL;
        cJSON_ArrayForEach(phase, wanted)
        {
            if (cJSON_Compare(cJSON_GetObjectItem(phase, "phase"), cJSON_GetObjectItem(row, "phase"), true)) {
                break;
            }
        }
        assert_non_null(phase);
        const cJSON *original = cJSON_GetObjectItem(cJSON_GetObjectItem(phase, "modes"), "original");
        static const char *const keys[] = {
            "transfers",         "receive_fragments", "busiest_tile",           "maximum_endpoint_fragments",
            "transmitted_bytes", "received_bytes",    "maximum_outgoing_bytes", "maximum_incoming_bytes"};
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
            compare(name, cJSON_GetObjectItem(row, keys[i]), cJSON_GetObjectItem(original, keys[i]));
        }
        compare(name, cJSON_GetObjectItem(row, "tail_transfers"),
                cJSON_GetObjectItem(phase, "tail_transfers"));
        compare(name, cJSON_GetObjectItem(row, "read_write_overlap"),
                cJSON_GetObjectItem(phase, "read_write_overlap"));
        double fragments = cJSON_GetObjectItem(row, "maximum_endpoint_fragments")->valuedouble;
        assert_true(fragments <= last);
        last = fragments;
        assert_int_equal(cJSON_GetObjectItem(row, "rank")->valueint, rank++);
    }
    cJSON_Delete(got);
}

static void phases_are_ranked(void **state)
{
    (void)state;
    each_reference(check_ranking);
}

static const cJSON *find_replay(const cJSON *replays, int phase, const char *mode)
{
    const cJSON *row = NULL;
    cJSON_ArrayForEach(row, replays)
    {
        if (cJSON_GetObjectItem(row, "phase")->valueint == phase &&
            strcmp(cJSON_GetStringValue(cJSON_GetObjectItem(row, "mode")), mode) == 0) {
            return row;
        }
    }
    return NULL;
}

/* Large captures take too long under sanitizers; the replay's own tests have them. */
static bool is_small(cJSON *expected)
{
    double transfers = 0;
    const cJSON *phase = NULL;
    cJSON_ArrayForEach(phase, cJSON_GetObjectItem(expected, "phases"))
    {
        const cJSON *original = cJSON_GetObjectItem(cJSON_GetObjectItem(phase, "modes"), "original");
        transfers += cJSON_GetObjectItem(original, "transfers")->valuedouble;
    }
    return transfers < 10000;
}

static void check_replays(Session *session, const char *name, cJSON *expected)
{
    if (!is_small(expected)) {
        return;
    }
    cJSON *got = answer(session, "replay --phase all --mode all");
    const cJSON *replays = cJSON_GetObjectItem(got, "replays"), *phase = NULL, *mode = NULL;
    cJSON_ArrayForEach(phase, cJSON_GetObjectItem(expected, "phases"))
    {
        int number = cJSON_GetObjectItem(phase, "phase")->valueint;
        cJSON *modes = answer(session, "modes --phase %d", number);
        cJSON_ArrayForEach(mode, cJSON_GetObjectItem(phase, "modes"))
        {
            const cJSON *row = find_replay(replays, number, mode->string);
            cJSON *wanted = cJSON_GetObjectItem(mode, "replay");
            cJSON_DeleteItemFromObject(wanted, "from"); /* who computed it */
            const cJSON *replay = cJSON_GetObjectItem(row, "replay");
            const cJSON *table = find_mode(cJSON_GetObjectItem(modes, "modes"), mode->string);
            if (wanted == NULL) {
                assert_null(replay);
                continue;
            }
            char where[200];
            snprintf(where, sizeof where, "%s phase %d %s", name, number, mode->string);
            compare(where, replay, wanted);
            compare(where, cJSON_GetObjectItem(table, "replay"), wanted); /* `modes` shows what was run */
            assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(replay, "invariants")), "PASS");
        }
        cJSON_Delete(modes);
    }
    cJSON_Delete(got);
}

static void replays_are_printed_as_expected(void **state)
{
    (void)state;
    each_reference(check_replays);
}

static void rows_of_reference(const char *name)
{
    Error error = {0};
    Session *session = session_new(2, &error);
    char *path = reference_path(name, ".json");
    assert_non_null(session);
    assert_true(session_load(session, path, NULL, NULL) && session_set(session, "format", "json", NULL));
    cJSON *rows = reference_json(name, ".rows.json");
    const cJSON *wanted = NULL;
    cJSON_ArrayForEach(wanted, rows)
    {
        const char *slash = strchr(wanted->string, '/'); /* "phase/mode" */
        assert_true(slash != NULL && cJSON_IsArray(wanted));
        cJSON *got = answer(session, "rows --all --phase %.*s --mode %s", (int)(slash - wanted->string),
                            wanted->string, slash + 1);
        const cJSON *list = cJSON_GetObjectItem(got, "rows"), *row = NULL;
        assert_int_equal(cJSON_GetArraySize(list), cJSON_GetArraySize(wanted));
        assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(got, "incoming_bases")),
                         cJSON_GetArraySize(wanted));
        int tile = 0;
        cJSON_ArrayForEach(row, list)
        {
            const char *expected = cJSON_GetStringValue(cJSON_GetArrayItem(wanted, tile++));
            const cJSON *word = NULL;
            cJSON_ArrayForEach(word, row)
            {
                expected += strspn(expected, " ");
                assert_int_equal(strncmp(expected, cJSON_GetStringValue(word), 8), 0);
                expected += 8;
            }
            assert_int_equal(*expected, '\0');
        }
        cJSON_Delete(got);
    }
    cJSON_Delete(rows);
    free(path);
    session_free(session);
}

static void rows_are_printed_as_expected(void **state)
{
    (void)state;
    if (reference_folder() == NULL) {
        skip();
    }
    rows_of_reference("tiny");
    rows_of_reference("edges");
    rows_of_reference("random-a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_printed_as_expected),
        cmocka_unit_test(phases_are_ranked),
        cmocka_unit_test(replays_are_printed_as_expected),
        cmocka_unit_test(rows_are_printed_as_expected),
    };
    return cmocka_run_group_tests_name("reference/commands", tests, NULL, NULL);
}
