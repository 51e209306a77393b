/* analyze on every reference capture: the rows of analysis.json are the expected figures. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "../report/folder.h"
#include "reference.h"
#include "report/analyze.h"

enum { REPLAY_FILE_BYTES_MAX = 1 << 20, FILE_BYTES_MAX = 256 << 20 };

static const char *script_name(const char *mode)
{
    return strcmp(mode, "receiver") == 0 ? "destination" : mode;
}

static const cJSON *find_row(const cJSON *rows, int phase, const char *mode)
{
    const cJSON *row;
    cJSON_ArrayForEach(row, rows)
    {
        if (cJSON_GetObjectItemCaseSensitive(row, "phase")->valueint == phase &&
            strcmp(cJSON_GetObjectItemCaseSensitive(row, "mode")->valuestring, script_name(mode)) == 0) {
            return row;
        }
    }
    return NULL;
}

/* Every member of `expected`, but those named in `except`, stands in `found` with the same value. */
static void assert_has(const cJSON *expected, const cJSON *found, const char *except, const char *where)
{
    const cJSON *member;
    cJSON_ArrayForEach(member, expected)
    {
        const cJSON *other = cJSON_GetObjectItemCaseSensitive(found, member->string);
        if (strstr(except, member->string) == NULL && !cJSON_Compare(member, other, true)) {
            char *wanted = cJSON_PrintUnformatted(member), *got = cJSON_PrintUnformatted(other);
            print_error("%s, %s: expected %s, got %s\n", where, member->string, wanted,
                        got == NULL ? "nothing" : got);
            free(wanted);
            free(got);
            fail();
        }
    }
}

static void assert_mode(const cJSON *expected, const cJSON *row, bool replayed, const char *where)
{
    const cJSON *replay = cJSON_GetObjectItemCaseSensitive(expected, "replay");
    const cJSON *found = cJSON_GetObjectItemCaseSensitive(row, "replay");
    assert_has(expected, row, "replay ", where);
    if (!replayed) {
        assert_null(found);
        return;
    }
    assert_int_equal(replay == NULL, found == NULL);
    if (replay != NULL) {
        assert_has(replay, found, "from", where); /* where the expectation comes from is no figure */
        assert_string_equal(cJSON_GetObjectItemCaseSensitive(found, "invariants")->valuestring, "PASS");
        assert_int_equal(cJSON_GetObjectItemCaseSensitive(row, "scheduled_row_max_bytes")->valueint,
                         4 * cJSON_GetObjectItemCaseSensitive(replay, "maximum_row_words")->valueint);
        assert_int_equal(cJSON_GetObjectItemCaseSensitive(row, "scheduled_horizon_cycles")->valueint,
                         cJSON_GetObjectItemCaseSensitive(replay, "horizon_cycles")->valueint);
    }
}

static int assert_phase(const char *name, const cJSON *expected, const cJSON *rows, bool replayed)
{
    const cJSON *modes = cJSON_GetObjectItemCaseSensitive(expected, "modes"), *mode;
    int phase = cJSON_GetObjectItemCaseSensitive(expected, "phase")->valueint, count = 0;
    char where[200];
    cJSON_ArrayForEach(mode, modes)
    {
        const cJSON *row = find_row(rows, phase, mode->string);
        snprintf(where, sizeof where, "%s, phase %d, %s", name, phase, mode->string);
        if (row == NULL) {
            print_error("%s: no row\n", where);
            fail();
        }
        if (count++ == 0) {
            assert_has(expected, row, "modes other_orders", where);
        } else {
            assert_has(expected, row, "modes other_orders scope coverage identity", where);
        }
        assert_mode(mode, row, replayed, where);
    }
    return count;
}

static double endpoint_fragments(const cJSON *row)
{
    return cJSON_GetObjectItemCaseSensitive(row, "maximum_endpoint_fragments")->valuedouble;
}

/* Phases come in ranking order, their modes together and `original` first. */
static void assert_order(const cJSON *rows)
{
    const cJSON *row, *before = NULL;
    cJSON_ArrayForEach(row, rows)
    {
        if (strcmp(cJSON_GetObjectItemCaseSensitive(row, "mode")->valuestring, "original") == 0) {
            assert_true(before == NULL || endpoint_fragments(before) >= endpoint_fragments(row));
            before = row;
        } else {
            assert_non_null(before);
            assert_int_equal(cJSON_GetObjectItemCaseSensitive(before, "phase")->valueint,
                             cJSON_GetObjectItemCaseSensitive(row, "phase")->valueint);
        }
    }
}

static void assert_capture(const char *name)
{
    char *path = reference_path(name, ".json"), *folder = folder_new();
    cJSON *expected = reference_json(name, ".expected.json");
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    bool replayed = status.st_size <= REPLAY_FILE_BYTES_MAX; /* the larger ones are replayed elsewhere */
    Error error = {0};
    Session *session = session_new(2, &error);
    Document *out = document_new(&error);
    AnalyzeOptions options = {
        .capture = path, .folder = folder, .top = replayed ? 1000 : 0, .top_given = true};
    if (session == NULL || out == NULL || !analyze_run(session, &options, NULL, out, &error)) {
        print_error("%s: %s\n", name, error.message);
        fail();
    }
    cJSON *rows = folder_json(folder, "analysis.json", FILE_BYTES_MAX);
    const cJSON *phases = cJSON_GetObjectItemCaseSensitive(expected, "phases"), *phase;
    int count = 0;
    cJSON_ArrayForEach(phase, phases)
    {
        count += assert_phase(name, phase, rows, replayed);
    }
    assert_int_equal(count, cJSON_GetArraySize(rows)); /* a mode that is not expected has no row */
    assert_order(rows);
    cJSON_Delete(rows);
    cJSON_Delete(expected);
    document_free(out);
    session_free(session);
    folder_free(folder);
    free(path);
}

static void analyze_gives_the_expected_figures(void **state)
{
    (void)state;
    if (reference_folder() == NULL) {
        skip();
    }
    char **names = reference_names(".expected.json");
    assert_non_null(names[0]);
    for (char **name = names; *name != NULL; name++) {
        assert_capture(*name);
    }
    reference_names_free(names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(analyze_gives_the_expected_figures),
    };
    return cmocka_run_group_tests_name("reference/analyze", tests, NULL, NULL);
}
