/* Fixtures: what is written loads again as the same, unknown members and labels included, and never appears
 * half. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "support.h"

static Capture *load_text(const char *text)
{
    Error error = {0};
    Capture *capture = support_load(text, strlen(text), 1 << 20, SIZE_MAX, &error);
    assert_string_equal(error.message, "");
    return capture;
}

static const char everything[] =
    " { \"model\" : \"m\\u0031\", \"phase_labels\" : { \"5\" : \"\\u001b[31m\\ud83d\\ude00\", \"why\":[1] "
    "},\n"
    " \"schema_version\": 3, \"a\": {\"b\" : [ 1.50, \"x\" ]}, \"tile_count\" : 9, \"a\":2, \"phases\" : [ {"
    "\"late\": {}, \"transfers\": [ {\"kind\": \"k\", \"source\":1, \"source_addresses\": [8,16,8], "
    "\"destinations\": "
    "[ [2, 8] , {\"q\": 1,\"tile\":3, \"address\":16, \"r\":2}, [4,24] ], \"words\":2, "
    "\"width\":\"Paired64\", "
    "\"more\" : null}, {\"source\":8,\"source_addresses\":[4,4],\"destinations\":[[8,1048572]],\"words\":1} "
    "], "
    "\"phase\":5, \"early\":[ ] }, {\"phase\":6,\"transfers\":[]} ] }";

static void a_fixture_is_written_to_the_letter(void **state)
{
    (void)state;
    Capture *capture = load_text(everything);
    const char *path = support_path("fixture.json");
    Error error = {0};
    assert_true(capture_write_fixture(capture, capture_phase(capture, 5), path, false, NULL, &error));
    size_t length;
    char *text = support_get(path, &length);
    assert_string_equal(
        text,
        "{\"schema_version\":3,\"tile_count\":9,\"phase_labels\":{ \"5\" : \"\\u001b[31m\\ud83d\\ude00\", "
        "\"why\":[1] },\"model\":\"m\\u0031\",\"a\":{\"b\" : [ 1.50, \"x\" "
        "]},\"a\":2,\"phases\":[{\"phase\":5,"
        "\"transfers\":[{\"source\":1,\"source_addresses\":[8,16,8],\"destinations\":[[2,8],{\"tile\":3,"
        "\"address\":16,\"q\":1,\"r\":2},[4,24]],\"words\":2,\"width\":\"Paired64\",\"kind\":\"k\",\"more\":"
        "null},"
        "{\"source\":8,\"source_addresses\":[4,4],\"destinations\":[[8,1048572]],\"words\":1,\"width\":"
        "\"Word32\"}],"
        "\"late\":{},\"early\":[ ]}]}\n");
    free(text);
    capture_free(capture);
}

/* A phase that was built by hand has no unknown members; the spelling is that of the capture. */
static void a_counterfactual_phase_is_written_in_the_spelling_of_its_capture(void **state)
{
    (void)state;
    Phase *phase = phase_new(7, NULL);
    assert_non_null(phase);
    assert_true(phase_append(phase, 1, 4, WIDTH_WORD32, (uint32_t[]){64, 64}, 2, (uint16_t[]){2, 0},
                             (uint32_t[]){128, 256}, 2, NULL));
    static const struct {
        const char *endpoint, *expected;
    } cases[] = {
        {"{\"tile\":0,\"address\":4}", "[{\"tile\":2,\"address\":128},{\"tile\":0,\"address\":256}]"},
        {"[0,4]", "[[2,128],[0,256]]"}};
    for (size_t i = 0; i < 2; i++) {
        char text[300];
        snprintf(
            text, sizeof text,
            "{\"schema_version\":4,\"tile_count\":3,\"phases\":[{\"phase\":7,\"transfers\":[{\"source\":0,"
            "\"source_addresses\":[0],\"destinations\":[%s,[1,4]],\"words\":1,\"x\":1}]}]}",
            cases[i].endpoint);
        Capture *capture = load_text(text);
        const char *path = support_path("spelling.json");
        assert_true(capture_write_fixture(capture, phase, path, true, NULL, NULL));
        size_t length;
        char *written = support_get(path, &length);
        snprintf(
            text, sizeof text,
            "{\"schema_version\":4,\"tile_count\":3,\"phases\":[{\"phase\":7,\"transfers\":[{\"source\":1,"
            "\"source_addresses\":[64,64],\"destinations\":%s,\"words\":4,\"width\":\"Word32\"}]}]}\n",
            cases[i].expected);
        assert_string_equal(written, text);
        free(written);
        capture_free(capture);
    }
    phase_free(phase);
}

static void an_existing_file_is_kept_unless_replaced(void **state)
{
    (void)state;
    Capture *capture = load_text(everything);
    const char *path = support_path("existing.json");
    support_put(path, "mine", 4);
    Error error = {0};
    assert_false(capture_write_fixture(capture, capture->phases[0], path, false, NULL, &error));
    assert_int_equal(error.kind, ERROR_REFUSED);
    size_t length;
    char *text = support_get(path, &length);
    assert_string_equal(text, "mine");
    free(text);
    assert_true(capture_write_fixture(capture, capture->phases[0], path, true, NULL, NULL));
    Capture *again = capture_load(path, NULL, NULL, NULL);
    assert_non_null(again);
    support_assert_same_phase(again->phases[0], capture->phases[0]);
    capture_free(again);
    capture_free(capture);
}

static void a_cancelled_export_leaves_nothing(void **state)
{
    (void)state;
    Capture *capture = load_text(everything);
    const char *path = support_path("cancelled.json");
    Progress progress = {.cancel = true};
    Error error = {0};
    assert_false(capture_write_fixture(capture, capture->phases[0], path, false, &progress, &error));
    assert_int_equal(error.kind, ERROR_CANCELLED);
    assert_false(file_exists(path));
    capture_free(capture);
}

/* Load and export with the n-th allocation, then the n-th file operation failing, for every n: an error each
 * time, the old fixture whole. (That nothing leaks is what the sanitizers and valgrind see.) */
static bool load_and_export(const char *from, const char *to, Error *error)
{
    Capture *capture = capture_load(from, NULL, NULL, error);
    bool good = capture != NULL && capture_write_fixture(capture, capture->phases[0], to, true, NULL, error);
    capture_free(capture);
    return good;
}

static void check_faults(void (*set)(long), long (*left)(void), ErrorKind kind)
{
    char from[300], to[300];
    strcpy(from, support_path("from.json"));
    strcpy(to, support_path("to.json"));
    support_put(from, everything, strlen(everything));
    long nth = 0;
    for (bool injected = true; injected;) {
        Error error = {0};
        support_put(to, "old", 3);
        set(++nth);
        bool good = load_and_export(from, to, &error);
        injected = left() <= 0;
        set(0);
        if (good) {
            Capture *capture = capture_load(to, NULL, NULL, NULL);
            assert_non_null(capture);
            assert_int_equal(capture->transfers, 2);
            capture_free(capture);
        } else {
            assert_true(injected);
            assert_int_equal(error.kind, kind);
            assert_true(error.message[0] != '\0');
            size_t length;
            char *text = support_get(to, &length);
            assert_true(strcmp(text, "old") == 0 || strstr(error.message, "folder cannot be synced") != NULL);
            free(text);
        }
        assert_true(nth < 1000);
    }
    assert_true(nth > 8);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    check_faults(mem_fault_set, mem_fault_left, ERROR_MEMORY);
}

static void every_file_operation_may_fail(void **state)
{
    (void)state;
    check_faults(file_fault_set, file_fault_left, ERROR_SYSTEM);
}

static const char *reference_folder(char *buffer, size_t size)
{
    const char *folder = getenv("EXSCOPE_REFERENCE_DIR");
    if (folder == NULL) {
        const char *source = getenv("EXSCOPE_SOURCE_DIR");
        snprintf(buffer, size, "%s/../shared/reference", source == NULL ? "." : source);
        folder = buffer;
    }
    return folder;
}

static bool is_capture(const char *name)
{
    size_t length = strlen(name);
    return length > 5 && strcmp(name + length - 5, ".json") == 0 && strstr(name, ".expected.") == NULL &&
           strstr(name, ".rows.") == NULL;
}

/* Every phase of every reference capture, exported and loaded again. */
static void reference_captures_survive(void **state)
{
    (void)state;
    char buffer[500];
    const char *folder = reference_folder(buffer, sizeof buffer);
    DIR *directory = opendir(folder);
    if (directory == NULL) {
        skip();
    }
    unsigned captures = 0;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (!is_capture(entry->d_name)) {
            continue;
        }
        char path[800];
        Error error = {0};
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        Capture *capture = capture_load(path, NULL, NULL, &error);
        assert_string_equal(error.message, "");
        captures++;
        for (size_t i = 0; i < capture->phase_count; i++) {
            const char *fixture = support_path("reference.json");
            assert_true(capture_write_fixture(capture, capture->phases[i], fixture, true, NULL, NULL));
            Capture *again = capture_load(fixture, NULL, NULL, &error);
            assert_string_equal(error.message, "");
            assert_int_equal(again->phase_count, 1);
            support_assert_same_phase(again->phases[0], capture->phases[i]);
            /* Else the same, once the phases are left aside. */
            size_t phases = capture->phase_count;
            uint64_t transfers = capture->transfers;
            capture->phase_count = again->phase_count = 0;
            capture->transfers = again->transfers;
            if (again->phases[0]->transfers == 0) { /* no endpoint shows the spelling */
                again->spelling = capture->spelling;
            }
            support_assert_same_capture(again, capture);
            capture->phase_count = phases;
            capture->transfers = transfers;
            again->phase_count = 1;
            capture_free(again);
        }
        capture_free(capture);
    }
    closedir(directory);
    assert_true(captures > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fixture_is_written_to_the_letter),
        cmocka_unit_test(a_counterfactual_phase_is_written_in_the_spelling_of_its_capture),
        cmocka_unit_test(an_existing_file_is_kept_unless_replaced),
        cmocka_unit_test(a_cancelled_export_leaves_nothing),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(every_file_operation_may_fail),
        cmocka_unit_test(reference_captures_survive),
    };
    return cmocka_run_group_tests_name("capture/writer", tests, support_make_folder, support_remove_folder);
}
