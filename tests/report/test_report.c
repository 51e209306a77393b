/* analyze, export and report: what they write, what they refuse, and what stays after a failure. */
#include "config.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../explore/make_capture.h"
#include "base/file.h"
#include "explore/interpreter.h"
#include "folder.h"
#include "report/analysis_json.h"
#include "report/analyze.h"
#include "report/commands.h"
#include "report/fixture.h"
#include "report/page.h"

enum { LIMIT = 64 << 20, PATH_BYTES = 4096 };

/* Phase 7: tile 3 sends to tile 1, which passes it on: a dependency.
 * Phase 3: a strided source, so that staging at the source helps. The labels are %s and %s. */
static const char capture_format[] =
    "{\"schema_version\":4,\"tile_count\":4,\"compiler\":[1,2],\"phase_labels\":{\"7\":%s,\"3\":%s},"
    "\"phases\":["
    "{\"phase\":7,\"transfers\":["
    "{\"source\":3,\"source_addresses\":[311296],\"destinations\":[[1,409600]],\"words\":4},"
    "{\"source\":1,\"source_addresses\":[409600],\"destinations\":[[2,409600]],\"words\":4}]},"
    "{\"phase\":3,\"transfers\":["
    "{\"source\":0,\"source_addresses\":[311296],\"destinations\":[[1,409600]],\"words\":2},"
    "{\"source\":0,\"source_addresses\":[311312],\"destinations\":[[1,409608]],\"words\":2},"
    "{\"source\":0,\"source_addresses\":[311328],\"destinations\":[[1,409616]],\"words\":2}]}]}";

static void write_capture(const char *folder, const char *name, const char *label7, const char *label3)
{
    char path[PATH_BYTES];
    Text text = {0};
    Error error = {0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    text_printf(&text, capture_format, label7, label3);
    if (!file_write_text(path, text.bytes, text.length, true, &error)) {
        print_error("%s\n", error.message);
        fail();
    }
    text_free(&text);
}

/* A folder with that capture, and an empty one to write into. */
typedef struct Place {
    char *in, *out;
    char capture[PATH_BYTES];
} Place;

static Place place_open(void)
{
    Place place = {.in = folder_new(), .out = folder_new()};
    write_capture(place.in, "c.json", "\"seven\"", "\"three\"");
    snprintf(place.capture, sizeof place.capture, "%s/c.json", place.in);
    return place;
}

static void place_close(Place *place)
{
    folder_free(place->out);
    folder_free(place->in);
}

static const char *data_path(const char *name, char path[PATH_BYTES])
{
    const char *source = getenv("EXSCOPE_SOURCE_DIR");
    snprintf(path, PATH_BYTES, "%s/data/%s", source == NULL ? "." : source, name);
    return path;
}

/* One run of analyze in a session of its own. */
static bool analyze(const AnalyzeOptions *options, Progress *progress, Error *error)
{
    Session *session = session_new(options->jobs, error);
    Document *out = document_new(error);
    assert_non_null(session);
    assert_non_null(out);
    bool good = analyze_run(session, options, progress, out, error);
    document_free(out);
    session_free(session);
    return good;
}

static void assert_analyze(const AnalyzeOptions *options)
{
    Error error = {0};
    if (!analyze(options, NULL, &error)) {
        print_error("%s\n", error.message);
        fail();
    }
}

static void assert_names(const char *folder, const char *expected)
{
    char *names = folder_names(folder);
    assert_string_equal(names, expected);
    free(names);
}

/* ---- analyze ---- */

static void analyze_writes_its_files(void **state)
{
    (void)state;
    Place place = place_open();
    assert_analyze(&(AnalyzeOptions){.capture = place.capture,
                                     .folder = place.out,
                                     .top = 1,
                                     .top_given = true,
                                     .jobs = 2,
                                     .modes = 1u << MODE_SOURCE | 1u << MODE_RECEIVER});
    /* phase 3 is worse: three fragments at one endpoint */
    assert_names(place.out, "analysis.json index.html phase-3-destination.json phase-3-destination.log "
                            "phase-3-destination.verdict.json phase-3-source.json phase-3-source.log "
                            "phase-3-source.verdict.json");
    cJSON *rows = folder_json(place.out, "analysis.json", LIMIT);
    assert_int_equal(cJSON_GetArraySize(rows), 2); /* phase 7 refuses both */
    const cJSON *row = cJSON_GetArrayItem(rows, 0);
    assert_string_equal(cJSON_GetObjectItem(row, "mode")->valuestring, "source");
    assert_string_equal(cJSON_GetObjectItem(row, "label")->valuestring, "three");
    assert_int_equal(cJSON_GetObjectItem(row, "transfers")->valueint, 1);
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(row, "valid")));
    assert_true(cJSON_GetObjectItem(row, "scheduled_row_max_bytes")->valueint > 0);
    assert_string_equal(cJSON_GetObjectItem(cJSON_GetArrayItem(rows, 1), "mode")->valuestring, "destination");
    cJSON_Delete(rows);
    char *log = folder_text(place.out, "phase-3-source.log", LIMIT);
    assert_non_null(strstr(log, "phase=3 transfers=1 destinations=1 horizonCycles="));
    assert_non_null(strstr(log, " invariants=PASS\n"));
    assert_non_null(strstr(log, " equivalent=true valid=true\n"));
    free(log);
    /* the fixture is a capture; unknown members at the top and labels are kept */
    cJSON *fixture = folder_json(place.out, "phase-3-source.json", LIMIT);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(fixture, "compiler")), 2);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(fixture, "phases")), 1);
    cJSON_Delete(fixture);
    place_close(&place);
}

static void invalid_modes_are_marked_everywhere(void **state)
{
    (void)state;
    Place place = place_open();
    AnalyzeOptions options = {.capture = place.capture, .folder = place.out, .jobs = 1};
    assert_true(vec_push(&options.phases, 7, NULL));
    assert_analyze(&options);
    analyze_options_free(&options);
    /* the whole-phase modes are refused: a read meets a write */
    assert_names(place.out,
                 "analysis.json index.html phase-7-coalesced-levels.json phase-7-coalesced-levels.log "
                 "phase-7-coalesced-levels.verdict.json phase-7-coalesced-prefix.json "
                 "phase-7-coalesced-prefix.log phase-7-coalesced-prefix.verdict.json phase-7-original.json "
                 "phase-7-original.log phase-7-original.verdict.json phase-7-reordered.json "
                 "phase-7-reordered.log phase-7-reordered.verdict.json");
    cJSON *verdict = folder_json(place.out, "phase-7-reordered.verdict.json", LIMIT);
    const cJSON *difference = cJSON_GetObjectItem(verdict, "first_difference");
    assert_true(cJSON_IsFalse(cJSON_GetObjectItem(verdict, "equivalent")));
    assert_true(cJSON_IsFalse(cJSON_GetObjectItem(verdict, "valid")));
    assert_int_equal(cJSON_GetObjectItem(difference, "iteration")->valueint, 0);
    assert_int_equal(cJSON_GetObjectItem(difference, "tile")->valueint, 2);
    assert_int_equal(cJSON_GetObjectItem(difference, "address")->valueint, 409600);
    cJSON_Delete(verdict);
    char *log = folder_text(place.out, "phase-7-reordered.log", LIMIT);
    assert_non_null(strstr(log, " equivalent=false valid=false\n"));
    free(log);
    char *page = folder_text(place.out, "index.html", LIMIT);
    assert_non_null(
        strstr(page, "<strong>invalid:</strong> not equivalent: first difference in Repeat iteration 0, "
                     "tile 2, address 0x64000"));
    assert_non_null(strstr(page, "refused: the phase reads bytes that it also writes"));
    free(page);
    cJSON *rows = folder_json(place.out, "analysis.json", LIMIT);
    const cJSON *refused = cJSON_GetObjectItem(cJSON_GetArrayItem(rows, 0), "refused_modes");
    assert_int_equal(cJSON_GetArraySize(refused), 4);
    assert_non_null(cJSON_GetObjectItem(refused, "destination"));
    cJSON_Delete(rows);
    place_close(&place);
}

static void a_capture_without_phases_is_reported(void **state)
{
    (void)state;
    char *out = folder_new(), path[PATH_BYTES];
    Error error = {0};
    static const char empty[] = "{\"schema_version\":1,\"tile_count\":1,\"phases\":[]}";
    snprintf(path, sizeof path, "%s/c.json", out);
    assert_true(file_write_text(path, empty, strlen(empty), true, &error));
    assert_analyze(&(AnalyzeOptions){.capture = path, .folder = out, .jobs = 1});
    cJSON *rows = folder_json(out, "analysis.json", LIMIT);
    assert_int_equal(cJSON_GetArraySize(rows), 0);
    cJSON_Delete(rows);
    assert_names(out, "analysis.json c.json index.html");
    folder_free(out);
}

/* A copy of the log without what may differ: the seconds. */
static char *without_seconds(char *text)
{
    char *at = strstr(text, " seconds=");
    if (at != NULL) {
        char *end = strchr(at, '\n');
        memmove(at, end, strlen(end) + 1);
    }
    return text;
}

static void any_number_of_workers_writes_the_same(void **state)
{
    (void)state;
    char *one = folder_new(), *four = folder_new(), path[PATH_BYTES];
    data_path("showcase.json", path);
    AnalyzeOptions options = {.capture = path, .folder = one, .top = 100, .top_given = true, .jobs = 1};
    assert_analyze(&options);
    options.folder = four;
    options.jobs = 4;
    assert_analyze(&options);
    char *names = folder_names(one), *rest = names;
    assert_names(four, names);
    for (char *name = strtok_r(rest, " ", &rest); name != NULL; name = strtok_r(NULL, " ", &rest)) {
        char *left = without_seconds(folder_text(one, name, LIMIT));
        char *right = without_seconds(folder_text(four, name, LIMIT));
        if (strcmp(left, right) != 0) {
            print_error("%s differs\n", name);
            fail();
        }
        free(left);
        free(right);
    }
    free(names);
    folder_free(one);
    folder_free(four);
}

static void replay_only_takes_what_the_folder_holds(void **state)
{
    (void)state;
    Place place = place_open();
    char fixture[PATH_BYTES];
    AnalyzeOptions options = {.capture = place.capture, .folder = place.out, .jobs = 2, .replay_only = true};
    Error error = {0};
    assert_false(analyze(&options, NULL, &error));
    assert_non_null(strstr(error.message, "holds no fixture"));
    assert_names(place.out, "");

    options.replay_only = false;
    options.modes = 1u << MODE_ORIGINAL | 1u << MODE_SOURCE;
    assert_analyze(&options);
    char *before = folder_text(place.out, "phase-3-source.json", LIMIT);
    snprintf(fixture, sizeof fixture, "%s/phase-3-original.json", place.out);
    assert_int_equal(unlink(fixture), 0);
    options.replay_only = true;
    options.modes = 0;
    assert_analyze(&options);
    cJSON *rows = folder_json(place.out, "analysis.json", LIMIT), *row;
    int replayed = 0;
    cJSON_ArrayForEach(row, rows)
    {
        replayed += cJSON_GetObjectItem(row, "replay") != NULL;
    }
    assert_int_equal(replayed, 2); /* phase 3 source, phase 7 original */
    cJSON_Delete(rows);
    char *after = folder_text(place.out, "phase-3-source.json", LIMIT);
    assert_string_equal(before, after);
    free(before);
    free(after);

    /* a fixture that is not of this capture is refused by name */
    snprintf(fixture, sizeof fixture, "%s/phase-3-source.json", place.out);
    char *other = folder_text(place.out, "phase-7-original.json", LIMIT);
    assert_true(file_write_text(fixture, other, strlen(other), true, &error));
    free(other);
    assert_false(analyze(&options, NULL, &error));
    assert_int_equal(error.kind, ERROR_INPUT);
    assert_non_null(strstr(error.message, "phase-3-source.json: does not hold what this capture gives"));
    place_close(&place);
}

static void unknown_phases_and_bad_folders_are_refused(void **state)
{
    (void)state;
    char *out = folder_new(), path[PATH_BYTES], file[PATH_BYTES];
    Error error = {0};
    AnalyzeOptions options = {.capture = data_path("late.json", path), .folder = out, .jobs = 1};
    assert_true(vec_push(&options.phases, 99, NULL));
    assert_false(analyze(&options, NULL, &error));
    assert_non_null(strstr(error.message, "there is no phase 99"));
    analyze_options_free(&options);
    assert_names(out, "");
    snprintf(file, sizeof file, "%s/file", out);
    assert_true(file_write_text(file, "x", 1, true, &error));
    options.folder = file;
    assert_false(analyze(&options, NULL, &error));
    options.folder = out;
    options.capture = file;
    assert_false(analyze(&options, NULL, &error));
    assert_int_equal(error.kind, ERROR_INPUT);
    assert_names(out, "file");
    folder_free(out);
}

static void assert_usage(int count, char *const *arguments, const char *expected)
{
    AnalyzeOptions options;
    Error error = {0};
    assert_false(analyze_parse(count, arguments, &options, &error));
    analyze_options_free(&options);
    assert_int_equal(error.kind, ERROR_USAGE);
    if (strstr(error.message, expected) == NULL) {
        print_error("'%s' does not say '%s'\n", error.message, expected);
        fail();
    }
}

static void arguments_are_read(void **state)
{
    (void)state;
    AnalyzeOptions options;
    Error error = {0};
    char *const good[] = {"--top=2", "c.json", "--phase", "5", "--phase", "62",          "out",
                          "-j",      "3",      "--mode",  "o", "--mode",  "destination", "--replay-only"};
    assert_true(analyze_parse(14, good, &options, &error));
    assert_string_equal(options.capture, "c.json");
    assert_string_equal(options.folder, "out");
    assert_true(options.top_given && options.top == 2 && options.jobs == 3 && options.replay_only);
    assert_int_equal(options.phases.count, 2);
    assert_int_equal(options.phases.items[1], 62);
    assert_int_equal(options.modes, 1u << MODE_ORIGINAL | 1u << MODE_RECEIVER);
    analyze_options_free(&options);
    assert_usage(0, NULL, "needs a capture and a folder");
    assert_usage(1, (char *const[]){"c"}, "needs a capture and a folder");
    assert_usage(3, (char *const[]){"c", "o", "x"}, "not 'x' too");
    assert_usage(3, (char *const[]){"c", "o", "--tops"}, "does not know --tops");
    assert_usage(3, (char *const[]){"c", "o", "--top"}, "--top needs a value");
    assert_usage(3, (char *const[]){"c", "o", "--top=-1"}, "--top");
    assert_usage(4, (char *const[]){"c", "o", "--jobs", "257"}, "--jobs");
    assert_usage(4, (char *const[]){"c", "o", "--phase", "4294967296"}, "--phase");
    assert_usage(4, (char *const[]){"c", "o", "--mode", "z"}, "no mode 'z'");
}

/* ---- texts from files ---- */

static size_t count_of(const char *text, const char *piece)
{
    size_t count = 0;
    for (const char *at = strstr(text, piece); at != NULL; at = strstr(at + 1, piece)) {
        count++;
    }
    return count;
}

static void hostile_labels_stay_text(void **state)
{
    (void)state;
    char *in = folder_new(), *out = folder_new(), path[PATH_BYTES];
    Text label = {0};
    text_append(&label, "\"</td></details><script>alert(1)</script>\\u001b[31m\\u202e&amp;'\\\"");
    for (int i = 0; i < 1250; i++) {
        text_append(&label, "<a><b x='");
    }
    text_append(&label, "end of it\"");
    write_capture(in, "<i>c.json", label.bytes, "\"=HYPERLINK(\\\"x\\\")\"");
    snprintf(path, sizeof path, "%s/<i>c.json", in);
    assert_analyze(&(AnalyzeOptions){.capture = path, .folder = out, .top = 1, .top_given = true, .jobs = 1});
    char *page = folder_text(out, "index.html", LIMIT);
    assert_int_equal(count_of(page, "<script"), 1); /* our own */
    assert_int_equal(count_of(page, "<details"), 2);
    assert_int_equal(count_of(page, "</details>"), 2);
    assert_int_equal(count_of(page, "<a>"), 0);
    assert_int_equal(count_of(page, "<i>"), 0);
    assert_int_equal(count_of(page, "end of it"), 1); /* the whole label once, elsewhere it is cut */
    assert_null(strchr(page, '\033'));
    assert_null(strstr(page, "\xe2\x80\xae"));
    assert_non_null(
        strstr(page, "&lt;script&gt;alert(1)&lt;/script&gt;^[[31m&lt;U+202E&gt;&amp;amp;&#39;&quot;"));
    free(page);
    cJSON *rows = folder_json(out, "analysis.json", LIMIT);
    const cJSON *found = cJSON_GetObjectItem(cJSON_GetArrayItem(rows, cJSON_GetArraySize(rows) - 1), "label");
    assert_int_equal(strncmp(found->valuestring, "</td></details><script>alert(1)</script>\033[31m", 45), 0);
    assert_int_equal(strlen(found->valuestring), 41 + 5 + 3 + 5 + 2 + 1250 * 9 + 9 - 1);
    cJSON_Delete(rows);
    text_free(&label);
    folder_free(out);
    folder_free(in);
}

/* A phase whose dependencies are refused has one row, and says why it has no other; a replay that fails its
 * invariants shows no figure. (Made by hand: the real thing has 64 million pairs.) */
static void what_is_not_known_is_not_shown(void **state)
{
    (void)state;
    Phase numbered = {.number = 5, .transfers = 2};
    PhaseEntry entry = {.phase = &numbered, .geometry = {.transfers = 2, .busiest_tile = 1}};
    Capture capture = {.path = "c.json", .tile_count = 2, .phase_count = 1};
    ReportPhase phase = {.entry = &entry, .rank = 1, .refusal = "too <entangled>"};
    Report report = {.capture = &capture, .phases = &phase, .phase_count = 1};
    for (size_t m = 0; m < MODE_COUNT; m++) {
        phase.rows[m] = (ReportRow){.phase = &phase,
                                    .mode = (Mode)m,
                                    .selected = true,
                                    .reason = m == MODE_ORIGINAL ? NULL : phase.refusal};
    }
    ReportRow *original = &phase.rows[MODE_ORIGINAL];
    original->equivalence = (Equivalence){.verdict = VERDICT_EQUIVALENT, .valid = true};
    original->summary.figures.replay_address_ranges_valid = true;
    original->replay_state = ROW_REPLAY_DONE;
    original->replay = (ReplaySummary){
        .horizon_cycles = 424242, .maximum_row_words = 242424, .first_fault = "tile 1: <nothing> at 7"};
    Text json = {0}, page = {0};
    analysis_json_append(&report, &json);
    page_append(&report, &page);
    cJSON *rows = cJSON_Parse(text_view(&json));
    assert_int_equal(cJSON_GetArraySize(rows), 1);
    const cJSON *row = cJSON_GetArrayItem(rows, 0), *replay = cJSON_GetObjectItem(row, "replay");
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(row, "read_write_overlap")));
    assert_null(cJSON_GetObjectItem(row, "edges"));
    assert_null(cJSON_GetObjectItem(row, "scheduled_horizon_cycles"));
    assert_string_equal(cJSON_GetObjectItem(replay, "invariants")->valuestring, "FAIL");
    assert_int_equal(cJSON_GetArraySize(replay), 2);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(row, "refused_modes")), 7);
    cJSON_Delete(rows);
    assert_int_equal(count_of(text_view(&page), "refused: too &lt;entangled&gt;"), 7);
    assert_int_equal(count_of(text_view(&page), "Dependencies are not known: too &lt;entangled&gt;."), 1);
    assert_int_equal(
        count_of(text_view(&page), "FAILED its invariants:</strong> tile 1: &lt;nothing&gt; at 7"), 1);
    assert_int_equal(count_of(text_view(&page), "424,242") + count_of(text_view(&page), "969,696"), 0);
    text_free(&json);
    text_free(&page);
}

/* ---- export and report ---- */

typedef struct Prompt {
    Session *session;
    Interpreter interpreter;
    Text output;
} Prompt;

static void ignore_failure(void *context, const char *where, const char *line, const Error *error)
{
    (void)context;
    (void)where;
    (void)line;
    (void)error;
}

static void prompt_open(Prompt *prompt, const char *capture)
{
    Error error = {0};
    *prompt = (Prompt){.session = session_new(2, &error)};
    assert_non_null(prompt->session);
    prompt->interpreter = (Interpreter){
        .session = prompt->session, .sink = sink_text(&prompt->output), .failed = ignore_failure};
    if (!report_commands_add(prompt->session, &error) ||
        !session_load(prompt->session, capture, NULL, &error) ||
        !session_set(prompt->session, "format", "json", &error)) {
        print_error("%s\n", error.message);
        fail();
    }
}

static void prompt_close(Prompt *prompt)
{
    text_free(&prompt->output);
    session_free(prompt->session);
}

/* Runs "BEFORE 'FOLDER' AFTER". */
static bool prompt_run(Prompt *prompt, const char *before, const char *folder, const char *after,
                       Error *error)
{
    char line[PATH_BYTES];
    snprintf(line, sizeof line, "%s '%s' %s", before, folder, after);
    text_clear(&prompt->output);
    return interpreter_line(&prompt->interpreter, line, error);
}

static void assert_runs(Prompt *prompt, const char *before, const char *folder, const char *after)
{
    Error error = {0};
    if (!prompt_run(prompt, before, folder, after, &error)) {
        print_error("%s .. %s: %s\n", before, after, error.message);
        fail();
    }
}

static void assert_refuses(Prompt *prompt, const char *before, const char *folder, const char *after,
                           const char *expected)
{
    Error error = {0};
    assert_false(prompt_run(prompt, before, folder, after, &error));
    if (strstr(error.message, expected) == NULL) {
        print_error("'%s' does not say '%s'\n", error.message, expected);
        fail();
    }
}

static void export_writes_and_refuses(void **state)
{
    (void)state;
    Place place = place_open();
    Prompt prompt;
    prompt_open(&prompt, place.capture);

    assert_runs(&prompt, "export", place.out, ""); /* the worst phase, as captured */
    assert_names(place.out, "phase-3-original.json phase-3-original.verdict.json");
    char *original = folder_text(place.out, "phase-3-original.json", LIMIT);
    assert_refuses(&prompt, "export", place.out, "",
                   "phase-3-original.json: exists already (--force replaces it)");
    assert_refuses(&prompt, "export", place.out, "--mode source --mode o", "exists already");
    assert_names(place.out, "phase-3-original.json phase-3-original.verdict.json"); /* source neither */
    assert_runs(&prompt, "export", place.out, "--force");
    char *again = folder_text(place.out, "phase-3-original.json", LIMIT);
    assert_string_equal(original, again);
    free(original);
    free(again);
    folder_clear(place.out);

    assert_refuses(&prompt, "export", place.out, "--phase 7 --mode source",
                   "mode source of phase 7 is refused: the phase reads bytes that it also writes");
    assert_names(place.out, "");
    assert_runs(&prompt, "export", place.out, "--phase all --mode all");
    cJSON *document = cJSON_Parse(text_view(&prompt.output)), *item;
    const cJSON *exports = cJSON_GetObjectItem(document, "exports");
    int written = 0, refused = 0, invalid = 0;
    cJSON_ArrayForEach(item, exports)
    {
        bool file = cJSON_IsString(cJSON_GetObjectItem(item, "file"));
        written += file;
        refused += !file && cJSON_IsString(cJSON_GetObjectItem(item, "reason"));
        invalid += cJSON_IsFalse(cJSON_GetObjectItem(item, "valid"));
    }
    assert_int_equal(written, 12);
    assert_int_equal(refused, 4);
    assert_int_equal(invalid, 1);
    cJSON_Delete(document);
    prompt_close(&prompt);
    place_close(&place);
}

/* To a fifo that a load job reads; then as much blank as makes it look at what came before. */
static void put(int file, const char *text, size_t blanks)
{
    Text block = {0};
    text_append(&block, text);
    for (size_t i = 0; i < blanks; i++) {
        text_append(&block, " ");
    }
    for (size_t done = 0; done < block.length;) {
        ssize_t count = write(file, block.bytes + done, block.length - done);
        assert_true(count > 0);
        done += (size_t)count;
    }
    text_free(&block);
}

static void wait_for_a_phase(Session *session)
{
    for (unsigned i = 0; i < 1000; i++) {
        View *view = view_new(session, NULL);
        bool there = view != NULL && view_loading(view) && view_phase_count(view) > 0;
        view_free(view);
        if (there) {
            return;
        }
        pause_milliseconds(5);
    }
    fail_msg("%s", "no phase arrived");
}

static void nothing_is_written_of_a_capture_that_is_loading(void **state)
{
    (void)state;
    Place place = place_open();
    Prompt prompt;
    prompt_open(&prompt, place.capture);
    char *path = temporary_fifo(), *phase = make_phase(7, 20);
    uint32_t job;
    assert_true(session_load_start(prompt.session, path, &job, NULL));
    int file = open(path, O_WRONLY);
    assert_true(file >= 0);
    put(file, capture_head, 0);
    put(file, phase, 5 << 20);
    wait_for_a_phase(prompt.session);
    assert_refuses(&prompt, "export", place.out, "", "the capture is still loading");
    assert_refuses(&prompt, "export", place.out, "--mode all --force", "the capture is still loading");
    assert_refuses(&prompt, "report", place.out, "", "the capture is still loading");
    assert_names(place.out, "");
    put(file, capture_end, 0);
    close(file);
    assert_true(session_wait(prompt.session, job, NULL, NULL));
    assert_runs(&prompt, "export", place.out, "");
    assert_names(place.out, "phase-7-original.json phase-7-original.verdict.json");
    free(phase);
    temporary_remove(path);
    prompt_close(&prompt);
    place_close(&place);
}

static void report_takes_the_replays_that_are_there(void **state)
{
    (void)state;
    Place place = place_open();
    Prompt prompt;
    prompt_open(&prompt, place.capture);
    Error error = {0};
    assert_true(interpreter_line(&prompt.interpreter, "replay --phase 3 --mode source", &error));
    assert_runs(&prompt, "report", place.out, "");
    assert_names(place.out, "analysis.json index.html");
    cJSON *rows = folder_json(place.out, "analysis.json", LIMIT), *row;
    int replayed = 0;
    cJSON_ArrayForEach(row, rows)
    {
        replayed += cJSON_GetObjectItem(row, "replay") != NULL;
    }
    assert_int_equal(replayed, 1);
    assert_int_equal(cJSON_GetArraySize(rows), 12);
    cJSON_Delete(rows);
    assert_refuses(&prompt, "report", place.out, "", "analysis.json: exists already (--force replaces it)");
    assert_runs(&prompt, "report", place.out, "--force");
    prompt_close(&prompt);
    place_close(&place);
}

/* ---- what stays after a failure ---- */

/* Whatever is there is whole: no temporary file, JSON parses, a verdict stands beside its own fixture. */
static void assert_whole(const char *folder)
{
    char *names = folder_names(folder), *rest = names;
    assert_null(strstr(names, ".tmp"));
    for (char *name = strtok_r(rest, " ", &rest); name != NULL; name = strtok_r(NULL, " ", &rest)) {
        char *text = folder_text(folder, name, LIMIT);
        size_t length = strlen(text);
        assert_true(length > 0 && text[length - 1] == '\n');
        if (strstr(name, ".json") != NULL) {
            cJSON *json = cJSON_Parse(text);
            assert_non_null(json);
            cJSON_Delete(json);
        }
        free(text);
    }
    free(names);
}

static void a_disk_fault_leaves_whole_files(void **state)
{
    (void)state;
    Place place = place_open();
    AnalyzeOptions options = {.capture = place.capture,
                              .folder = place.out,
                              .jobs = 1,
                              .modes = 1u << MODE_ORIGINAL | 1u << MODE_SOURCE};
    assert_analyze(&options); /* then again over what is there, and once into an empty folder */
    for (int empty = 0; empty < 2; empty++) {
        long nth = 1;
        for (bool failed = true; failed; nth += 3) {
            Error error = {0};
            if (empty) {
                folder_clear(place.out);
            }
            file_fault_set(nth);
            failed = !analyze(&options, NULL, &error);
            assert_true(file_fault_left() <= 0 || !failed);
            file_fault_set(0);
            assert_true(!failed || error.kind != ERROR_NONE);
            assert_whole(place.out);
        }
        assert_true(nth > 20);
    }
    place_close(&place);
}

static void lost_memory_is_an_error(void **state)
{
    (void)state;
    Place place = place_open();
    Error error = {0};
    Session *session = session_new(1, &error);
    assert_non_null(session);
    AnalyzeOptions options = {.capture = place.capture, .folder = place.out};
    size_t failures = 0;
    for (long nth = 1, step = 1; step > 0; nth += 1 + nth / 16) {
        Document *document = document_new(&error);
        error = (Error){0};
        mem_fault_set(nth);
        bool good = analyze_run(session, &options, NULL, document, &error);
        bool met = mem_fault_left() <= 0;
        mem_fault_set(0);
        assert_true(good || (met && error.kind == ERROR_MEMORY));
        failures += !good;
        step = met ? 1 : 0; /* the run makes fewer allocations than that */
        document_free(document);
        assert_whole(place.out);
    }
    assert_true(failures > 20);
    session_free(session);
    place_close(&place);
}

typedef struct Stopped {
    AnalyzeOptions options;
    Progress progress;
    Error error;
    bool good;
} Stopped;

static void *run_stopped(void *argument)
{
    Stopped *stopped = argument;
    stopped->good = analyze(&stopped->options, &stopped->progress, &stopped->error);
    return NULL;
}

static void a_cancel_leaves_whole_files(void **state)
{
    (void)state;
    char path[PATH_BYTES];
    data_path("showcase.json", path);
    for (unsigned microseconds = 0; microseconds < 40000; microseconds += 4000) {
        char *out = folder_new();
        Stopped stopped = {
            .options = {.capture = path, .folder = out, .top = 100, .top_given = true, .jobs = 2}};
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, run_stopped, &stopped), 0);
        usleep(microseconds);
        stopped.progress.cancel = true;
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_true(stopped.good || stopped.error.kind == ERROR_CANCELLED);
        assert_whole(out);
        folder_free(out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(analyze_writes_its_files),
        cmocka_unit_test(invalid_modes_are_marked_everywhere),
        cmocka_unit_test(a_capture_without_phases_is_reported),
        cmocka_unit_test(any_number_of_workers_writes_the_same),
        cmocka_unit_test(replay_only_takes_what_the_folder_holds),
        cmocka_unit_test(unknown_phases_and_bad_folders_are_refused),
        cmocka_unit_test(arguments_are_read),
        cmocka_unit_test(hostile_labels_stay_text),
        cmocka_unit_test(what_is_not_known_is_not_shown),
        cmocka_unit_test(export_writes_and_refuses),
        cmocka_unit_test(nothing_is_written_of_a_capture_that_is_loading),
        cmocka_unit_test(report_takes_the_replays_that_are_there),
        cmocka_unit_test(a_disk_fault_leaves_whole_files),
        cmocka_unit_test(lost_memory_is_an_error),
        cmocka_unit_test(a_cancel_leaves_whole_files),
    };
    return cmocka_run_group_tests_name("report/report", tests, NULL, NULL);
}
