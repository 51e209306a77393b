/* What happens when an allocation or a system call fails, for every one of them: a step of a session is run
 * again and again, and each time the next one fails. A step that fails must say so in one line; one that
 * succeeds in spite of it must print what it always prints. Either way the session goes on: the same step
 * then succeeds, and no file is left that is not whole.
 *
 *     test_faults [STRIDE]      every STRIDE-th call (default 1: all; `make check` takes larger steps)
 *
 * Leaks are found by the sanitizers under which the suite also runs. */
#include "config.h"

#include <cJSON.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../fuzz/fuzz.h"
#include "base/file.h"
#include "base/memory.h"
#include "explore/interpreter.h"
#include "repl/history.h"
#include "report/analyze.h"
#include "report/commands.h"
#include "tui/app.h"

/* ---- steps ---- */

typedef struct Step {
    const char *before; /* lines run first, without faults; NULL: none */
    const char *line;
    bool files; /* worth trying with failing files too */
} Step;

static const Step steps[] = {
    {NULL, "load c.json", true},
    {NULL, "load c.json.gz", true},
    {NULL, "load c.json.zst", true},
    {NULL, "info", false},
    {NULL, "phases --filter b", false},
    {"phase 3", "modes", false},
    {"phase 9", "modes", false},
    {"phase 3", "tiles", false},
    {"phase 3", "tile busiest", false},
    {"phase 3", "transfers --tile 1", false},
    {"phase 3", "routes", false},
    {"phase 9", "tail", false},
    {"phase 9", "deps 1", false},
    {"phase 9", "coverage --all", false},
    {"phase 3", "identity --all", false},
    {"phase 3", "cycles --tile 1", false},
    {"phase 3\nmode both", "copies", false},
    {"phase 3", "replay", false},
    {NULL, "replay --mode all --phase all", false},
    {"phase 3\nreplay", "rows --tile 1", false},
    {"phase 3", "rows --all", false},
    {"phase 3\nreplay", "timeline --tile 1", false},
    {"phase 3", "compare original coalesced", false},
    {"phase 3", "critical", false},
    {"phase 9\nmode coalesced-levels\nreplay", "critical --top 2", false},
    {"set format text\nphase 9", "critical", false},
    {"set format csv\nphase 9", "critical", false},
    {NULL, "jobs", false},
    {NULL, "complete 'modes --ph'", false},
    {NULL, "complete 'modes --phase '", false},
    {NULL, "complete 'tile '", false},
    {NULL, "complete 'load c'", false},
    {NULL, "help replay", false},
    {NULL, "help", false},
    {"set format text", "help replay", false},
    {"set format text\nset color on", "phases", false},
    {"set format text\nphase 3", "modes", false},
    {"set format text\nphase 9", "tail", false},
    {"set format text\nphase 3\nreplay", "rows --tile 1", false},
    {"set format text\nphase 3\nreplay", "timeline --tile 1", false},
    {"set format csv", "phases", false},
    {"set format csv\nphase 9", "tail", false},
    {NULL, "show", false},
    {NULL, "history", false},
    {NULL, "set stream_words 8", false},
    {NULL, "source script", true},
    {"phase 3", "modes >| out.json", true},
    {NULL, "export out --mode original --mode both --mode coalesced --phase 3 --force", true},
    {"phase 3", "export out --mode all --phase all --force", true},
    {NULL, "report out --force", true},
    {"phase 3\nreplay", "report out --force", true},
    {NULL, "analyze c.json out --top 2", true},
    {NULL, "analyze c.json.zst out --phase 9 --mode original --mode reordered --format csv", true},
    {"export out --mode all --phase all --force", "analyze c.json.gz out --replay-only --format json", true},
    {NULL, "keys '<Enter>3wRj<Enter><Tab><Tab><Tab>:modes<Enter><Esc>?'", false},
    {NULL, "keys 'T<Esc>/b<Enter>sSn<Esc>m'", false},
    {"keys '<Enter>'", "screen shown.txt --force", true},
};

enum { STEPS = sizeof steps / sizeof *steps };

/* ---- a session for one try ---- */

typedef struct Face {
    Session *session;
    Tui *tui;
    Text out;
    Interpreter interpreter;
    Progress progress;
} Face;

static void face_start(Face *face)
{
    Error error = {0};
    *face = (Face){.session = session_new(1, &error)};
    FUZZ_CHECK(face->session != NULL && report_commands_add(face->session, &error), "%s", error.message);
    face->tui = tui_new(face->session, &error);
    FUZZ_CHECK(face->tui != NULL, "%s", error.message);
    FUZZ_CHECK(session_load(face->session, "c.json", NULL, &error), "%s", error.message);
    FUZZ_CHECK(session_set(face->session, "format", "json", &error), "%s", error.message);
    face->interpreter =
        (Interpreter){.session = face->session, .sink = sink_text(&face->out), .progress = &face->progress};
}

static void face_end(Face *face)
{
    tui_free(face->tui);
    session_free(face->session);
    text_free(&face->out);
}

/* The batch job is no command: it takes the arguments of the program. */
static bool face_analyze(Face *face, const char *line, Error *error)
{
    char copy[200];
    char *words[20];
    int count = 0;
    AnalyzeOptions options;
    snprintf(copy, sizeof copy, "%s", line);
    char *rest;
    for (char *word = strtok_r(copy, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        words[count++] = word;
    }
    Document *out = document_new(error);
    bool done = analyze_parse(count - 1, words + 1, &options, error) && out != NULL;
    if (done) {
        Settings settings = session_settings(face->session);
        settings.format = options.format;
        RenderOptions render = render_options(&settings);
        done = analyze_run(face->session, &options, &face->progress, out, error) && document_ok(out, error) &&
               document_render(out, &render, &face->interpreter.sink, &face->progress, error);
    }
    analyze_options_free(&options);
    document_free(out);
    return done;
}

static bool face_run(Face *face, const char *line, Error *error)
{
    text_clear(&face->out);
    *error = (Error){0};
    return strncmp(line, "analyze ", strlen("analyze ")) == 0
               ? face_analyze(face, line, error)
               : interpreter_line(&face->interpreter, line, error);
}

static void face_prepare(Face *face, const char *lines)
{
    char copy[200];
    snprintf(copy, sizeof copy, "%s", lines == NULL ? "" : lines);
    char *rest;
    for (char *line = strtok_r(copy, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        Error error;
        FUZZ_CHECK(face_run(face, line, &error), "%s: %s", line, error.message);
    }
}

/* Times differ from run to run: digits behind "seconds": become a dash. */
static char *face_output(const Face *face)
{
    char *copy = mem_copy_text(text_view(&face->out), face->out.length, NULL);
    FUZZ_CHECK(copy != NULL, "memory");
    for (char *place = copy; (place = strstr(place, "seconds\":")) != NULL;) {
        place += strlen("seconds\":");
        while (*place != '\0' && strchr("0123456789.e-+", *place) != NULL) {
            *place++ = '-';
        }
        char *rest = place;
        while (rest > copy && rest[-1] == '-') {
            rest--;
        }
        memmove(rest, place, strlen(place) + 1);
        place = rest;
    }
    return copy;
}

/* ---- the folder ---- */

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), tail = strlen(end);
    return length >= tail && strcmp(name + length - tail, end) == 0;
}

static void check_file(const char *path, const char *name)
{
    Text text = {0};
    Error error = {0};
    FUZZ_CHECK(strstr(name, ".tmp") == NULL, "%s was left behind", path);
    FUZZ_CHECK(file_read_text(path, 1 << 24, &text, &error), "%s", error.message);
    if (ends_with(name, ".json")) {
        cJSON *tree = cJSON_ParseWithLength(text_view(&text), text.length);
        FUZZ_CHECK(tree != NULL, "%s is not whole", path);
        cJSON_Delete(tree);
    } else if (ends_with(name, ".html")) {
        FUZZ_CHECK(strstr(text_view(&text), "</html>") != NULL, "%s is not whole", path);
    } else if (ends_with(name, ".txt") || ends_with(name, ".log")) {
        FUZZ_CHECK(text.length > 0 && text.bytes[text.length - 1] == '\n', "%s is not whole", path);
    }
    text_free(&text);
}

/* Returns how many files there are. Verdicts and logs do not count: they go before the fixture that they are
 * about is replaced. */
static unsigned check_folder(const char *path)
{
    unsigned files = 0;
    DIR *folder = opendir(path);
    FUZZ_CHECK(folder != NULL, "%s", path);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char inside[600];
        struct stat status;
        snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name);
        FUZZ_CHECK(stat(inside, &status) == 0, "%s", inside);
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
            continue;
        }
        if (S_ISDIR(status.st_mode)) {
            files += check_folder(inside);
            continue;
        }
        files += !ends_with(entry->d_name, ".verdict.json") && !ends_with(entry->d_name, ".log");
        if (!ends_with(entry->d_name, ".gz") && !ends_with(entry->d_name, ".zst")) {
            check_file(inside, entry->d_name);
        }
    }
    closedir(folder);
    return files;
}

static void fill_folder(void)
{
    fuzz_folder_clear();
    fuzz_write("c.json", fuzz_capture, strlen(fuzz_capture));
    fuzz_write("script", "phase 3\nmodes\ntile 1\n", strlen("phase 3\nmodes\ntile 1\n"));
    FUZZ_CHECK(system("gzip -k c.json") == 0 && system("zstd -q c.json") == 0, "gzip and zstd");
}

/* ---- faults ---- */

typedef struct Faults {
    const char *name;
    void (*set)(long nth);
    long (*left)(void);
    bool (*is_of)(const Error *error);
} Faults;

static bool is_of_memory(const Error *error)
{
    return error->kind == ERROR_MEMORY;
}

static bool is_of_files(const Error *error)
{
    return error->kind == ERROR_SYSTEM || error->kind == ERROR_INPUT;
}

static const Faults faults_of_memory = {"allocation", mem_fault_set, mem_fault_left, is_of_memory};
static const Faults faults_of_files = {"system call", file_fault_set, file_fault_left, is_of_files};

typedef struct Tally {
    unsigned long tried, failed, survived;
} Tally;

/* What the step prints when all is well. */
static char *expected_output(const Step *step)
{
    Face face;
    Error error;
    face_start(&face);
    face_prepare(&face, step->before);
    FUZZ_CHECK(face_run(&face, step->line, &error), "%s: %s", step->line, error.message);
    char *output = face_output(&face);
    face_end(&face);
    return output;
}

static void expect(const Face *face, const Step *step, const char *expected, long nth, const char *when)
{
    char *output = face_output(face);
    FUZZ_CHECK(strcmp(output, expected) == 0, "%s, %ld, %s: printed\n%s\ninstead of\n%s", step->line, nth,
               when, output, expected);
    mem_free(output);
}

/* One try. False when the step has no `nth` call. */
static bool try_step(const Step *step, const Faults *faults, long nth, const char *expected, Tally *tally)
{
    Face face;
    Error error;
    face_start(&face);
    face_prepare(&face, step->before);
    unsigned files = check_folder(".");
    faults->set(nth);
    bool done = face_run(&face, step->line, &error);
    bool fired = faults->left() <= 0;
    faults->set(0);
    if (fired && !done) {
        fuzz_check_error(&error);
        FUZZ_CHECK(faults->is_of(&error), "%s, %s %ld: %s", step->line, faults->name, nth, error.message);
    } else {
        FUZZ_CHECK(done, "%s: %s", step->line, error.message);
        expect(&face, step, expected, nth, "in spite of a fault");
    }
    tally->tried += fired;
    tally->failed += !done;
    tally->survived += fired && done;
    if (fired) {
        FUZZ_CHECK(check_folder(".") >= files, "%s, %s %ld: a file is lost", step->line, faults->name, nth);
        FUZZ_CHECK(face_run(&face, step->line, &error), "%s after %s %ld failed: %s", step->line,
                   faults->name, nth, error.message);
        expect(&face, step, expected, nth, "afterwards");
    }
    face_end(&face);
    return fired;
}

static void try_all(const Step *step, const Faults *faults, long stride, Tally *tally)
{
    char *expected = expected_output(step);
    for (long nth = 1; try_step(step, faults, nth, expected, tally); nth += stride) {
    }
    mem_free(expected);
}

/* ---- allocations of cJSON, which reads and writes the preferences ---- */

static long hook_countdown;

static void *hook_malloc(size_t size)
{
    return hook_countdown > 0 && --hook_countdown == 0 ? NULL : malloc(size);
}

static unsigned long try_preferences(void)
{
    Preferences before, after;
    Error error = {0};
    unsigned long tried = 0;
    cJSON_InitHooks(&(cJSON_Hooks){hook_malloc, free});
    preferences_default(&before);
    before.phase_sort = (PhaseSort)(PHASE_SORT_COUNT - 1);
    before.tile_pane = TILE_TIMELINE;
    FUZZ_CHECK(preferences_save(&before, &error), "%s", error.message);
    for (long nth = 1, left = 0; left == 0; nth++, tried++) {
        hook_countdown = nth;
        bool saved = preferences_save(&before, &error);
        left = hook_countdown;
        FUZZ_CHECK(saved || error.kind == ERROR_MEMORY, "saving, %ld: %s", nth, error.message);
        hook_countdown = nth;
        preferences_default(&after);
        bool loaded = preferences_load(&after, &error);
        hook_countdown = 0;
        if (!loaded) {
            fuzz_check_error(&error);
            FUZZ_CHECK(preferences_load(&after, &error), "%s", error.message);
        }
        FUZZ_CHECK(after.phase_sort == before.phase_sort && after.tile_pane == before.tile_pane,
                   "%ld: not what was saved", nth);
    }
    cJSON_InitHooks(NULL);
    return tried - 1;
}

/* ---- what the faces keep between sessions ---- */

enum { LINES_BEFORE = 2 };

/* A session as it is after its face has started: with the history that is there. */
static Session *history_session(Error *error)
{
    Session *session = session_new(1, error);
    FUZZ_CHECK(session != NULL, "%s", error->message);
    return session;
}

static void check_history(const char *text, const Faults *faults, long nth)
{
    Text file = {0};
    Error error = {0};
    FUZZ_CHECK(file_read_text("exscope/history", 1 << 20, &file, &error), "%s", error.message);
    FUZZ_CHECK(strcmp(text_view(&file), text) == 0, "history, %s %ld:\n%s", faults->name, nth,
               text_view(&file));
    text_free(&file);
}

/* Lines that are entered after the two of the file. False when there is no `nth` call. */
static bool try_history_once(const Faults *faults, long nth, unsigned long *tried)
{
    static const char *const before = "modes\nphase 3\n", *const after = "modes\nphase 3\ntiles\n";
    Error error = {0};
    fuzz_write("exscope/history", before, strlen(before));
    Session *session = history_session(&error);
    faults->set(nth);
    bool loaded = history_load(session, &error);
    bool fired = faults->left() <= 0;
    if (loaded) {
        FUZZ_CHECK(session_history_count(session) == LINES_BEFORE, "%s %ld: lines are missing", faults->name,
                   nth);
    } else {
        FUZZ_CHECK(fired && faults->is_of(&error), "loading: %s", error.message);
        FUZZ_CHECK(session_history_count(session) < LINES_BEFORE, "%s %ld: all is there", faults->name, nth);
    }
    size_t known = session_history_count(session);
    bool added = session_history_add(session, "tiles", &error);
    if (!added) { /* that was the fault; there is no second one */
        added = session_history_add(session, "tiles", &error);
    }
    FUZZ_CHECK(added, "%s", error.message);
    bool saved = history_save(session, known, &error);
    fired = faults->left() <= 0;
    faults->set(0);
    FUZZ_CHECK(saved || (fired && faults->is_of(&error)), "saving: %s", error.message);
    /* what has its name already when its folder cannot be synced is the new one */
    Text file = {0};
    bool renamed = !saved && file_read_text("exscope/history", 1 << 20, &file, NULL) &&
                   strcmp(text_view(&file), after) == 0;
    text_free(&file);
    check_history(saved || renamed ? after : before, faults, nth);
    check_folder(".");
    session_free(session);
    *tried += fired;
    return fired;
}

static unsigned long try_history(void)
{
    unsigned long tried = 0;
    fuzz_folder_clear();
    FUZZ_CHECK(mkdir("exscope", 0700) == 0, "mkdir");
    for (long nth = 1; try_history_once(&faults_of_memory, nth, &tried); nth++) {
    }
    for (long nth = 1; try_history_once(&faults_of_files, nth, &tried); nth++) {
    }
    return tried;
}

/* Allocations of exscope itself, and system calls, as the preferences are saved and read. */
static unsigned long try_preferences_with(const Faults *faults)
{
    unsigned long tried = 0;
    for (long nth = 1, fired = 1; fired != 0; nth++, tried++) {
        Preferences before, after;
        Error error = {0};
        preferences_default(&before);
        before.tile_pane = nth % 2 == 0 ? TILE_TIMELINE : TILE_TRANSFERS;
        faults->set(nth);
        bool saved = preferences_save(&before, &error);
        FUZZ_CHECK(saved || faults->is_of(&error), "saving, %ld: %s", nth, error.message);
        preferences_default(&after);
        bool loaded = preferences_load(&after, &error);
        fired = faults->left() <= 0;
        faults->set(0);
        FUZZ_CHECK(loaded || faults->is_of(&error), "reading, %ld: %s", nth, error.message);
        FUZZ_CHECK(loaded || preferences_load(&after, &error), "%s", error.message);
        FUZZ_CHECK(!saved || after.tile_pane == before.tile_pane, "%ld: not what was saved", nth);
        check_folder(".");
    }
    return tried - 1;
}

int main(int count, char **arguments)
{
    long stride = count > 1 ? strtol(arguments[1], NULL, 10) : 1;
    setenv("XDG_STATE_HOME", fuzz_folder(), 1);
    printf("1..%d\n", STEPS + 3);
    Tally sum = {0};
    for (int i = 0; i < STEPS; i++) {
        Tally memory = {0}, files = {0};
        fill_folder();
        try_all(&steps[i], &faults_of_memory, stride < 1 ? 1 : stride, &memory);
        if (steps[i].files) {
            try_all(&steps[i], &faults_of_files, 1, &files);
        }
        printf("ok %d - %s: %lu allocations failed (%lu told, %lu survived), %lu system calls (%lu told)\n",
               i + 1, steps[i].line, memory.tried, memory.failed, memory.survived, files.tried, files.failed);
        fflush(stdout);
        sum.tried += memory.tried + files.tried;
        sum.survived += memory.survived + files.survived;
    }
    printf("ok %d - preferences: %lu allocations of cJSON failed\n", STEPS + 1, try_preferences());
    unsigned long calls = try_preferences_with(&faults_of_memory) + try_preferences_with(&faults_of_files);
    printf("ok %d - preferences: %lu allocations and system calls failed\n", STEPS + 2, calls);
    printf("ok %d - history: %lu allocations and system calls failed\n", STEPS + 3, try_history());
    printf("# %lu faults, %lu of them without an effect\n", sum.tried, sum.survived);
    return 0;
}
