/* The session: loading beside what is open, results computed once, jobs, many items at once. */
#include "config.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/thread.h"
#include "explore/session.h"
#include "make_capture.h"

static Session *new_session(unsigned workers)
{
    Error error = {0};
    Session *session = session_new(workers, &error);
    if (session == NULL) {
        fail_msg("%s", error.message);
    }
    return session;
}

static Session *session_with(unsigned workers, const unsigned *transfers, size_t phases)
{
    Session *session = new_session(workers);
    char *path = capture_file(transfers, phases);
    assert_true(session_load(session, path, NULL, NULL));
    temporary_remove(path);
    return session;
}

static View *new_view(Session *session)
{
    Error error = {0};
    View *view = view_new(session, &error);
    if (view == NULL) {
        fail_msg("%s", error.message);
    }
    return view;
}

/* ---- loading ---- */

static void nothing_is_open_at_first(void **state)
{
    (void)state;
    Session *session = new_session(1);
    Error error = {0};
    assert_null(view_new(session, &error));
    assert_int_equal(error.kind, ERROR_INPUT);
    assert_string_equal(error.message, "no capture is open: load FILE opens one");
    assert_false(session_load(session, "/does/not/exist", NULL, &error));
    assert_null(view_new(session, NULL));
    session_free(session);
}

static void worst_phase_is_selected_until_one_is_chosen(void **state)
{
    (void)state;
    Session *session = session_with(1, (unsigned[]){3, 9, 9, 0}, 4);
    View *view = new_view(session);
    assert_int_equal(view_phase_count(view), 4);
    assert_int_equal(view_tile_count(view), 4);
    assert_false(view_loading(view));
    assert_string_equal(view_label(view, view_phase(view, 1)), "Second <one>");
    assert_null(view_label(view, view_phase(view, 2)));
    assert_null(view_phase(view, 7));
    Selection selection = view_selection(view);
    assert_int_equal(selection.entry->phase->number, 1);
    assert_int_equal(selection.mode, MODE_ORIGINAL);
    assert_int_equal(selection.tile, -1);
    view_select_tile(view, 2);
    view_select_mode(view, MODE_BOTH);
    view_select_phase(view, view_phase(view, 1));
    assert_int_equal(view_selection(view).tile, 2);
    view_select_phase(view, view_phase(view, 3));
    selection = view_selection(view);
    assert_int_equal(selection.entry->phase->number, 3);
    assert_int_equal(selection.mode, MODE_BOTH);
    assert_int_equal(selection.tile, -1);
    view_free(view);
    session_free(session);
}

static void failed_load_keeps_what_was_open(void **state)
{
    (void)state;
    Session *session = session_with(1, (unsigned[]){3, 9}, 2);
    View *before = new_view(session);
    view_select_phase(before, view_phase(before, 0));
    char *bad =
        temporary_file("{\"schema_version\":4,\"tile_count\":4,\"phases\":[{\"phase\":5,\"transfers\":[]},");
    Error error = {0};
    assert_false(session_load(session, bad, NULL, &error));
    assert_non_null(strstr(error.message, bad));
    bool changed = true;
    assert_true(view_refresh(before, &changed, NULL));
    assert_false(changed);
    View *after = new_view(session);
    assert_int_equal(view_phase_count(after), 2);
    assert_ptr_equal(view_selection(after).entry, view_phase(before, 0));
    assert_ptr_equal(view_capture(after), view_capture(before));
    view_free(after);
    view_free(before);
    temporary_remove(bad);
    session_free(session);
}

static void another_capture_takes_over(void **state)
{
    (void)state;
    Session *session = session_with(1, (unsigned[]){3}, 1);
    View *old = new_view(session);
    const PhaseEntry *kept = view_phase(old, 0);
    char *path = capture_file((unsigned[]){1, 2}, 2);
    uint64_t changes = session_changes(session);
    assert_true(session_load(session, path, NULL, NULL));
    assert_true(session_changes(session) > changes);
    assert_int_equal(kept->phase->transfers, 3); /* held by the view, though another one is open */
    assert_non_null(view_need_dependencies(old, kept, MODE_ORIGINAL, NULL, NULL));
    bool changed = false;
    assert_true(view_refresh(old, &changed, NULL));
    assert_true(changed);
    assert_int_equal(view_phase_count(old), 2);
    assert_string_equal(view_path(old), path);
    view_free(old);
    temporary_remove(path);
    session_free(session);
}

/* Writes to a fifo that a load job reads. */
static int open_for_writing(const char *path)
{
    int file = open(path, O_WRONLY);
    assert_true(file >= 0);
    return file;
}

static void put(int file, const char *text)
{
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
}

/* Waits for a view of `session` that lists `phases` phases. */
static View *view_with_phases(Session *session, size_t phases)
{
    for (unsigned i = 0; i < 1000; i++) {
        View *view = view_new(session, NULL);
        if (view != NULL && view_loading(view) && view_phase_count(view) >= phases) {
            return view;
        }
        view_free(view);
        pause_milliseconds(5);
    }
    fail_msg("%s", "phases did not arrive");
    return NULL;
}

/* The reader takes in blocks: this much blank makes it look at what came before. */
static void put_blank(int file)
{
    static char blank[1 << 16];
    memset(blank, ' ', sizeof blank);
    for (unsigned i = 0; i < 80; i++) {
        if (write(file, blank, sizeof blank) < 0) {
            return;
        }
    }
}

static void phases_can_be_used_while_others_still_load(void **state)
{
    (void)state;
    Session *session = session_with(2, (unsigned[]){3}, 1);
    View *open_one = new_view(session);
    char *path = temporary_fifo();
    uint32_t job;
    assert_true(session_load_start(session, path, &job, NULL));
    int file = open_for_writing(path);
    char *first = make_phase(7, 20);
    put(file, capture_head);
    put(file, first);
    put(file, ",");
    put_blank(file);
    View *view = view_with_phases(session, 1);
    assert_null(view_capture(view));
    assert_null(view_label(view, view_phase(view, 7)));
    assert_int_equal(view_selection(view).entry->phase->number, 7);
    Counterfactual const *built =
        view_need_counterfactual(view, view_phase(view, 7), MODE_COALESCED, NULL, NULL);
    assert_non_null(built);
    assert_int_equal(built->geometry.transfers, 1);
    char *second = make_phase(8, 30);
    put(file, second);
    put_blank(file);
    view_free(view_with_phases(session, 2));
    assert_true(view_refresh(view, NULL, NULL));
    assert_int_equal(view_phase_count(view), 2);
    assert_int_equal(view_selection(view).entry->phase->number, 8);
    put(file, capture_end);
    close(file);
    assert_true(session_wait(session, job, NULL, NULL));
    bool changed = true;
    assert_true(view_refresh(view, &changed, NULL));
    assert_false(changed);
    assert_non_null(view_capture(view));
    assert_ptr_equal(view_need_counterfactual(view, view_phase(view, 7), MODE_COALESCED, NULL, NULL), built);
    assert_true(view_refresh(open_one, &changed, NULL));
    assert_true(changed);
    view_free(view);
    view_free(open_one);
    free(first);
    free(second);
    temporary_remove(path);
    session_free(session);
}

/* A load that ends badly after phases were shown: `cancel` it, or cut it off. */
static void load_that_is_abandoned(bool cancel)
{
    Session *session = session_with(2, (unsigned[]){3}, 1);
    char *path = temporary_fifo();
    uint32_t job;
    Error error = {0};
    assert_true(session_load_start(session, path, &job, NULL));
    int file = open_for_writing(path);
    char *phase = make_phase(7, 20);
    put(file, capture_head);
    put(file, phase);
    put_blank(file);
    View *view = view_with_phases(session, 1);
    const PhaseEntry *entry = view_phase(view, 7);
    if (cancel) {
        assert_true(session_cancel(session, job));
    }
    put_blank(file);
    close(file);
    assert_false(session_wait(session, job, NULL, &error));
    assert_int_equal(error.kind, cancel ? ERROR_CANCELLED : ERROR_INPUT);
    /* What the view shows is still there, though the session has gone back. */
    assert_int_equal(entry->phase->transfers, 20);
    assert_non_null(view_need_dependencies(view, entry, MODE_ORIGINAL, NULL, NULL));
    assert_null(view_capture(view));
    bool changed = false;
    assert_true(view_refresh(view, &changed, NULL));
    assert_true(changed);
    assert_int_equal(view_phase_at(view, 0)->phase->transfers, 3);
    view_free(view);
    free(phase);
    temporary_remove(path);
    session_free(session);
}

static void load_that_fails_goes_back(void **state)
{
    (void)state;
    load_that_is_abandoned(false);
}

static void load_that_is_cancelled_goes_back(void **state)
{
    (void)state;
    load_that_is_abandoned(true);
}

static void memory_may_run_out_while_loading(void **state)
{
    (void)state;
    Session *session = session_with(1, (unsigned[]){3}, 1);
    char *path = capture_file((unsigned[]){2, 1}, 2);
    unsigned failures = 0;
    for (long nth = 1;; nth++) {
        Error error = {0};
        mem_fault_set(nth);
        bool done = session_load(session, path, NULL, &error);
        bool reached = mem_fault_left() <= 0;
        mem_fault_set(0);
        View *view = new_view(session);
        assert_int_equal(view_phase_count(view), done ? 2 : 1);
        view_free(view);
        if (done && !reached) {
            break;
        }
        failures += !done;
        assert_true(done || error.kind == ERROR_MEMORY);
        if (done) { /* a place that does without: start again from the old one */
            session_free(session);
            session = session_with(1, (unsigned[]){3}, 1);
        }
    }
    assert_true(failures > 5);
    temporary_remove(path);
    session_free(session);
}

/* ---- results ---- */

static ResultState state_of(View *view, const ResultKey *key)
{
    ResultStatus status;
    view_status(view, key, &status);
    return status.state;
}

static void results_are_computed_once(void **state)
{
    (void)state;
    Session *session = session_with(1, (unsigned[]){50}, 1);
    View *view = new_view(session);
    const PhaseEntry *entry = view_phase(view, 0);
    ResultKey key = {.entry = entry, .kind = RESULT_COUNTERFACTUAL, .mode = MODE_BOTH};
    assert_int_equal(state_of(view, &key), RESULT_ABSENT);
    ResultKey figures = {.entry = entry, .kind = RESULT_FIGURES, .mode = MODE_BOTH};
    assert_null(view_peek(view, &key));
    assert_null(view_peek(view, &figures));
    const Counterfactual *built = view_need_counterfactual(view, entry, MODE_BOTH, NULL, NULL);
    assert_non_null(built);
    assert_int_equal(state_of(view, &key), RESULT_READY);
    assert_ptr_equal(view_peek(view, &key), built);
    assert_ptr_equal(view_need_counterfactual(view, entry, MODE_BOTH, NULL, NULL), built);
    const ModeSummary *summary = view_peek(view, &figures); /* comes with it */
    assert_non_null(summary);
    assert_int_equal(summary->geometry.transfers, built->geometry.transfers);
    assert_ptr_equal(view_need_phase(view, entry, MODE_BOTH, NULL, NULL), built->phase);
    assert_ptr_equal(view_need_phase(view, entry, MODE_ORIGINAL, NULL, NULL), entry->phase);
    assert_int_equal(view_need_equivalence(view, entry, MODE_BOTH, NULL, NULL)->verdict, VERDICT_EQUIVALENT);
    assert_int_equal(view_need_tiles(view, entry, MODE_ORIGINAL, NULL, NULL)[0].send_fragments, 50);
    assert_int_equal(view_need_coverage(view, entry, SCOPE_PHASE, NULL, NULL)->receivers, 1);
    assert_int_equal(view_need_identity(view, entry, SCOPE_PHASE, NULL, NULL)->identity, 1);
    key = (ResultKey){.entry = entry, .kind = RESULT_IDENTITY, .scope = SCOPE_PREFIX};
    assert_null(view_peek(view, &key));
    view_free(view);
    session_free(session);
}

static void original_needs_no_dependencies(void **state)
{
    (void)state;
    Session *session = session_with(1, (unsigned[]){50}, 1);
    View *view = new_view(session);
    const PhaseEntry *entry = view_phase(view, 0);
    assert_non_null(view_need_figures(view, entry, MODE_ORIGINAL, NULL, NULL));
    assert_true(view_need_equivalence(view, entry, MODE_ORIGINAL, NULL, NULL)->valid);
    assert_non_null(view_need_tiles(view, entry, MODE_ORIGINAL, NULL, NULL));
    assert_null(view_peek_dependencies(view, entry, MODE_ORIGINAL));
    view_free(view);
    session_free(session);
}

static void refusals_stay_and_cancelled_results_do_not(void **state)
{
    (void)state;
    Session *session = new_session(1);
    Text text = {0};
    text_printf(&text, "%s%s%s", capture_head, dependent_phase, capture_end);
    char *path = temporary_file(text_view(&text));
    text_free(&text);
    assert_true(session_load(session, path, NULL, NULL));
    View *view = new_view(session);
    const PhaseEntry *entry = view_phase(view, 90);
    Progress progress = {.cancel = true};
    Error error = {0};
    ResultKey key = {.entry = entry, .kind = RESULT_DEPENDENCIES};
    assert_null(view_need_dependencies(view, entry, MODE_ORIGINAL, &progress, &error));
    assert_int_equal(error.kind, ERROR_CANCELLED);
    assert_int_equal(state_of(view, &key), RESULT_ABSENT);
    assert_non_null(view_need_dependencies(view, entry, MODE_ORIGINAL, NULL, NULL));

    key = (ResultKey){.entry = entry, .kind = RESULT_COUNTERFACTUAL, .mode = MODE_SOURCE};
    assert_null(view_need(view, &key, NULL, &error));
    assert_int_equal(error.kind, ERROR_REFUSED);
    ResultStatus status;
    view_status(view, &key, &status);
    assert_int_equal(status.state, RESULT_FAILED);
    assert_string_equal(status.error.message, error.message);
    Error again = {0};
    assert_null(view_need(view, &key, NULL, &again));
    assert_string_equal(again.message, error.message);
    /* Asking for something that builds upon it gives the same reason. */
    assert_null(view_need_equivalence(view, entry, MODE_SOURCE, NULL, &again));
    assert_string_equal(again.message, error.message);
    view_free(view);
    temporary_remove(path);
    session_free(session);
}

static void memory_may_run_out_while_computing(void **state)
{
    (void)state;
    Session *session = session_with(1, (unsigned[]){20}, 1);
    View *view = new_view(session);
    const PhaseEntry *entry = view_phase(view, 0);
    unsigned failures = 0;
    for (long nth = 1;; nth++) {
        Error error = {0};
        mem_fault_set(nth);
        const Identity *identity = view_need_identity(view, entry, SCOPE_PHASE, NULL, &error);
        const Equivalence *proof =
            identity == NULL ? NULL : view_need_equivalence(view, entry, MODE_BOTH, NULL, &error);
        const TileFigures *tiles =
            proof == NULL ? NULL : view_need_tiles(view, entry, MODE_BOTH, NULL, &error);
        bool reached = mem_fault_left() <= 0;
        mem_fault_set(0);
        if (tiles != NULL && !reached) {
            break;
        }
        if (tiles == NULL) {
            failures++;
            assert_int_equal(error.kind, ERROR_MEMORY);
        } else { /* done without it: everything is there, so nothing more can fail */
            break;
        }
    }
    assert_true(failures > 5);
    view_free(view);
    session_free(session);
}

static void bulky_results_nobody_holds_are_given_back(void **state)
{
    (void)state;
    enum { PHASES = 12, TRANSFERS = 6000 };
    unsigned transfers[PHASES];
    for (unsigned i = 0; i < PHASES; i++) {
        transfers[i] = TRANSFERS;
    }
    Session *session = session_with(1, transfers, PHASES);
    assert_true(session_set(session, "memory_megabytes", "1", NULL));
    View *holder = new_view(session), *passing = new_view(session);
    const PhaseEntry *held = view_phase(holder, 0);
    const Counterfactual *built = view_need_counterfactual(holder, held, MODE_SOURCE, NULL, NULL);
    assert_non_null(built);
    for (unsigned i = 1; i < PHASES; i++) {
        for (Mode mode = MODE_COALESCED; mode <= MODE_BOTH; mode++) { /* at least 24 kB each */
            assert_non_null(view_need_counterfactual(passing, view_phase(passing, i), mode, NULL, NULL));
            view_unpin(passing);
        }
    }
    ResultKey key = {.entry = held, .kind = RESULT_COUNTERFACTUAL, .mode = MODE_SOURCE};
    assert_ptr_equal(view_peek(holder, &key), built);
    unsigned there = 0;
    for (unsigned i = 0; i < PHASES; i++) {
        key.entry = view_phase(passing, i);
        key.kind = RESULT_COUNTERFACTUAL;
        there += state_of(passing, &key) == RESULT_READY;
        key.kind = RESULT_FIGURES;
        assert_non_null(view_peek(passing, &key)); /* these stay */
    }
    assert_true(there >= 2 && there < PHASES);
    ResultKey last = {
        .entry = view_phase(passing, PHASES - 1), .kind = RESULT_COUNTERFACTUAL, .mode = MODE_BOTH};
    assert_int_equal(state_of(passing, &last), RESULT_READY);
    assert_non_null(view_need_counterfactual(passing, view_phase(passing, 1), MODE_SOURCE, NULL, NULL));
    view_free(passing);
    view_free(holder);
    session_free(session);
}

typedef struct Asker {
    Session *session;
    const PhaseEntry *entry;
    const void *got[7];
} Asker;

static bool ask_for_all(void *context, size_t index, Progress *progress, Error *error)
{
    Asker *asker = context;
    View *view = view_new(asker->session, error);
    for (Mode mode = MODE_COUNT; view != NULL && mode-- > 0;) {
        if (view_need_equivalence(view, asker->entry, mode, progress, error) == NULL ||
            view_need_tiles(view, asker->entry, mode, progress, error) == NULL) {
            view_free(view);
            return false;
        }
    }
    const void *proof =
        view == NULL ? NULL : view_need_equivalence(view, asker->entry, MODE_BOTH, NULL, error);
    asker->got[index] = proof;
    view_free(view);
    return proof != NULL;
}

static void threads_share_results(void **state)
{
    (void)state;
    Session *session = session_with(4, (unsigned[]){3000}, 1);
    View *view = new_view(session);
    Asker asker = {.session = session, .entry = view_phase(view, 0)};
    Error error = {0};
    if (!session_parallel(session, 7, "asking", ask_for_all, &asker, NULL, &error)) {
        fail_msg("%s", error.message);
    }
    for (size_t i = 0; i < 7; i++) {
        assert_ptr_equal(asker.got[i], view_need_equivalence(view, asker.entry, MODE_BOTH, NULL, NULL));
    }
    view_free(view);
    session_free(session);
}

/* ---- jobs ---- */

typedef struct Gate {
    _Atomic bool entered, open;
    _Atomic unsigned released;
} Gate;

static bool wait_at_gate(Session *session, void *context, Progress *progress, Error *error)
{
    (void)session;
    Gate *gate = context;
    atomic_store(&gate->entered, true);
    progress_stage(progress, "waiting", 10);
    progress_set(progress, 3);
    while (!atomic_load(&gate->open)) {
        if (!progress_go_on(progress, error)) {
            return false;
        }
        pause_milliseconds(1);
    }
    return true;
}

static bool fail_at_once(Session *session, void *context, Progress *progress, Error *error)
{
    (void)session;
    (void)context;
    (void)progress;
    return error_set(error, ERROR_INPUT, "it went wrong");
}

static void release_gate(void *context)
{
    atomic_fetch_add(&((Gate *)context)->released, 1);
}

static void jobs_are_listed_waited_for_and_stopped(void **state)
{
    (void)state;
    Session *session = new_session(1);
    Gate gate = {0}, queued = {0};
    uint32_t first, second, third;
    JobInfo info[3];
    assert_true(session_run(session, "first\033", wait_at_gate, &gate, release_gate, &first, NULL));
    assert_true(session_run(session, "second", wait_at_gate, &queued, release_gate, &second, NULL));
    assert_true(session_run(session, "third", fail_at_once, &gate, NULL, &third, NULL));
    while (!atomic_load(&gate.entered)) {
        pause_milliseconds(1);
    }
    assert_int_equal(session_jobs(session, info, 3), 3);
    assert_int_equal(info[2].id, first);
    assert_string_equal(info[2].title, "first^[");
    assert_int_equal(info[2].state, JOB_RUNNING);
    assert_int_equal(info[1].state, JOB_QUEUED);
    assert_true(session_cancel(session, second));
    assert_true(session_job(session, second, &info[0]));
    assert_int_equal(info[0].state, JOB_CANCELLED);
    assert_false(session_cancel(session, second));
    Progress impatient = {.cancel = true};
    Error error = {0};
    assert_false(session_wait(session, first, &impatient, &error));
    assert_int_equal(error.kind, ERROR_CANCELLED);
    assert_true(session_job(session, first, &info[0]));
    assert_int_equal(info[0].state, JOB_RUNNING); /* waiting no longer does not stop it */
    atomic_store(&gate.open, true);
    assert_true(session_wait(session, first, NULL, NULL));
    assert_false(session_wait(session, third, NULL, &error));
    assert_string_equal(error.message, "it went wrong");
    assert_false(session_wait(session, 999, NULL, &error));
    assert_int_equal(atomic_load(&gate.released), 1);
    assert_int_equal(atomic_load(&queued.released), 1);
    assert_false(atomic_load(&queued.entered));
    session_free(session);
}

static void cancelled_jobs_end_soon(void **state)
{
    (void)state;
    Session *session = new_session(1);
    Gate gate = {0};
    uint32_t job;
    Error error = {0};
    assert_true(session_run(session, "long", wait_at_gate, &gate, release_gate, &job, NULL));
    while (!atomic_load(&gate.entered)) {
        pause_milliseconds(1);
    }
    double start = thread_seconds();
    assert_true(session_cancel(session, job));
    assert_false(session_wait(session, job, NULL, &error));
    assert_int_equal(error.kind, ERROR_CANCELLED);
    assert_true(thread_seconds() - start < 1.0);
    session_free(session);
}

static bool do_nothing(Session *session, void *context, Progress *progress, Error *error)
{
    (void)session;
    (void)context;
    (void)progress;
    (void)error;
    return true;
}

static void old_jobs_are_forgotten(void **state)
{
    (void)state;
    Session *session = new_session(2);
    uint32_t last = 0;
    for (unsigned i = 0; i < 300; i++) {
        assert_true(session_run(session, "short", do_nothing, NULL, NULL, &last, NULL));
        assert_true(session_wait(session, last, NULL, NULL));
    }
    JobInfo info;
    assert_true(session_jobs(session, NULL, 0) <= 101);
    assert_false(session_job(session, 1, &info));
    assert_true(session_job(session, last, &info));
    session_free(session);
}

static void freeing_stops_what_runs(void **state)
{
    (void)state;
    Session *session = new_session(1);
    Gate gate = {0}, queued = {0};
    assert_true(session_run(session, "runs", wait_at_gate, &gate, release_gate, NULL, NULL));
    assert_true(session_run(session, "waits", wait_at_gate, &queued, release_gate, NULL, NULL));
    session_free(session);
    assert_int_equal(atomic_load(&gate.released), 1);
    assert_int_equal(atomic_load(&queued.released), 1);
}

/* ---- another capture while jobs run ---- */

static JobState job_state(Session *session, uint32_t job)
{
    JobInfo info = {0};
    assert_true(session_job(session, job, &info));
    return info.state;
}

/* The only worker is busy, and another job waits for it. */
static void start_two_jobs(Session *session, Gate *gate, Gate *queued, uint32_t jobs[2])
{
    assert_true(session_run(session, "runs", wait_at_gate, gate, release_gate, &jobs[0], NULL));
    assert_true(session_run(session, "waits", wait_at_gate, queued, release_gate, &jobs[1], NULL));
    while (!atomic_load(&gate->entered)) {
        pause_milliseconds(1);
    }
}

static void another_capture_does_not_wait_for_jobs_and_ends_them(void **state)
{
    (void)state;
    Session *session = session_with(1, (unsigned[]){3}, 1);
    char *path = capture_file((unsigned[]){1, 2}, 2);
    Gate gate = {0}, queued = {0};
    uint32_t jobs[2], load;
    Error error = {0};
    start_two_jobs(session, &gate, &queued, jobs);
    assert_true(session_load_start(session, path, &load, NULL));
    assert_true(session_wait(session, load, NULL, NULL));
    assert_false(session_wait(session, jobs[0], NULL, &error));
    assert_int_equal(error.kind, ERROR_CANCELLED);
    assert_int_equal(job_state(session, jobs[1]), JOB_CANCELLED);
    assert_false(atomic_load(&queued.entered));
    View *view = new_view(session);
    assert_int_equal(view_phase_count(view), 2);
    view_free(view);
    temporary_remove(path);
    session_free(session);
}

/* No capture comes of it, so nothing is taken away. */
static void a_load_that_fails_at_once_ends_no_jobs(void **state)
{
    (void)state;
    Session *session = session_with(1, (unsigned[]){3}, 1);
    char *broken = temporary_file("{\"schema_version\":4,\"tile_count\":4,\"phases\":[{\"phase\":\"five\"");
    Gate gate = {0}, queued = {0};
    uint32_t jobs[2], load;
    start_two_jobs(session, &gate, &queued, jobs);
    assert_true(session_load_start(session, "/nowhere/at-all.json", &load, NULL));
    assert_false(session_wait(session, load, NULL, NULL));
    assert_true(session_load_start(session, broken, &load, NULL));
    assert_false(session_wait(session, load, NULL, NULL));
    assert_int_equal(job_state(session, jobs[0]), JOB_RUNNING);
    assert_int_equal(job_state(session, jobs[1]), JOB_QUEUED);
    temporary_remove(broken);
    session_free(session);
}

static void a_load_gives_way_to_the_next(void **state)
{
    (void)state;
    Session *session = new_session(1);
    char *fifo = temporary_fifo(), *path = capture_file((unsigned[]){1, 2}, 2);
    uint32_t first, second;
    assert_true(session_load_start(session, fifo, &first, NULL));
    int file = open_for_writing(fifo);
    put(file, capture_head);
    put_blank(file);
    assert_true(session_load_start(session, "/nowhere/at-all.json", &second, NULL));
    assert_false(session_wait(session, second, NULL, NULL)); /* told at once */
    assert_int_equal(job_state(session, first), JOB_RUNNING);
    assert_true(session_load_start(session, path, &second, NULL));
    assert_true(session_wait(session, second, NULL, NULL));
    assert_false(session_wait(session, first, NULL, NULL)); /* which may hear of it a little later */
    assert_int_equal(job_state(session, first), JOB_CANCELLED);
    close(file);
    temporary_remove(fifo);
    temporary_remove(path);
    session_free(session);
}

static bool load_in_a_job(Session *session, void *context, Progress *progress, Error *error)
{
    Progress inner = {.also = progress};
    return session_load(session, context, &inner, error) && progress_go_on(progress, error);
}

static void a_job_that_opens_a_capture_goes_on(void **state)
{
    (void)state;
    Session *session = session_with(1, (unsigned[]){3}, 1);
    char *path = capture_file((unsigned[]){1, 2}, 2);
    uint32_t job;
    assert_true(session_run(session, "script", load_in_a_job, path, NULL, &job, NULL));
    assert_true(session_wait(session, job, NULL, NULL));
    temporary_remove(path);
    session_free(session);
}

/* ---- many items at once ---- */

typedef struct Items {
    Session *session;
    _Atomic unsigned done[100];
    size_t fail_from;
} Items;

static bool count_item(void *context, size_t index, Progress *progress, Error *error)
{
    Items *items = context;
    if (!progress_go_on(progress, error)) {
        return false;
    }
    atomic_fetch_add(&items->done[index], 1);
    return index < items->fail_from || error_set(error, ERROR_INPUT, "item %zu", index);
}

static void items_run_once_each(void **state)
{
    (void)state;
    for (unsigned workers = 1; workers <= 4; workers++) {
        Session *session = new_session(workers);
        Items items = {.fail_from = 100};
        Progress progress = {0};
        assert_true(session_parallel(session, 100, "counting", count_item, &items, &progress, NULL));
        for (size_t i = 0; i < 100; i++) {
            assert_int_equal(atomic_load(&items.done[i]), 1);
        }
        assert_int_equal(atomic_load(&progress.done), 100);
        assert_int_equal(atomic_load(&progress.total), 100);
        assert_true(session_parallel(session, 0, "nothing", count_item, &items, NULL, NULL));
        session_free(session);
    }
}

static void lowest_failure_is_told(void **state)
{
    (void)state;
    for (unsigned workers = 1; workers <= 4; workers++) {
        Session *session = new_session(workers);
        Items items = {.fail_from = 17};
        Error error = {0};
        assert_false(session_parallel(session, 100, "counting", count_item, &items, NULL, &error));
        assert_string_equal(error.message, "item 17");
        Progress progress = {.cancel = true};
        assert_false(session_parallel(session, 100, "counting", count_item, &items, &progress, &error));
        assert_int_equal(error.kind, ERROR_CANCELLED);
        session_free(session);
    }
}

static bool nested_items(Session *session, void *context, Progress *progress, Error *error)
{
    return session_parallel(session, 100, "inside", count_item, context, progress, error);
}

static void items_run_inside_jobs(void **state)
{
    (void)state;
    Session *session = new_session(1); /* the only worker is the one that asks */
    Items items = {.fail_from = 100};
    uint32_t job;
    assert_true(session_run(session, "outer", nested_items, &items, NULL, &job, NULL));
    assert_true(session_wait(session, job, NULL, NULL));
    assert_int_equal(atomic_load(&items.done[99]), 1);
    session_free(session);
}

/* ---- settings, history ---- */

static void settings_are_set_by_name(void **state)
{
    (void)state;
    Session *session = new_session(1);
    Text text = {0};
    for (size_t i = 0; setting_name(i) != NULL; i++) {
        const char *key = setting_name(i);
        assert_true(i == 0 || strcmp(setting_name(i - 1), key) < 0);
        assert_non_null(setting_summary(key));
        const char *const *values = setting_values(key);
        for (; values != NULL && *values != NULL; values++) {
            assert_true(session_set(session, key, *values, NULL));
            text_clear(&text);
            assert_true(session_setting_text(session, key, &text));
            assert_string_equal(text_view(&text), *values);
        }
        if (setting_values(key) == NULL) {
            assert_true(session_set(session, key, "512", NULL));
            text_clear(&text);
            assert_true(session_setting_text(session, key, &text));
            assert_string_equal(text_view(&text), "512");
            assert_false(session_set(session, key, "0", NULL));
        }
    }
    Settings settings = session_settings(session);
    assert_int_equal(settings.stream_words, 512);
    assert_int_equal(settings.format, FORMAT_CSV);
    Error error = {0};
    assert_false(session_set(session, "colour", "on", &error));
    assert_string_equal(error.message, "unknown setting 'colour': did you mean color?");
    assert_false(session_set(session, "format", "xml", &error));
    assert_string_equal(error.message, "unknown format 'xml': use one of text, json, csv");
    assert_true(session_set(session, "form", "j", NULL));
    assert_int_equal(session_settings(session).format, FORMAT_JSON);
    assert_false(session_setting_text(session, "none", &text));
    assert_null(setting_summary("none"));
    assert_null(setting_values("none"));
    text_free(&text);
    session_free(session);
}

static void history_keeps_lines(void **state)
{
    (void)state;
    Session *session = new_session(1);
    Text line = {0};
    assert_true(session_history_add(session, "phases", NULL));
    assert_true(session_history_add(session, "modes", NULL));
    assert_int_equal(session_history_count(session), 2);
    assert_true(session_history_line(session, 1, &line));
    assert_string_equal(text_view(&line), "modes");
    assert_false(session_history_line(session, 2, &line));
    assert_false(session_quitting(session));
    session_quit(session);
    assert_true(session_quitting(session));
    text_free(&line);
    session_free(session);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN); /* a load that ends early leaves its fifo without a reader */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_open_at_first),
        cmocka_unit_test(worst_phase_is_selected_until_one_is_chosen),
        cmocka_unit_test(failed_load_keeps_what_was_open),
        cmocka_unit_test(another_capture_takes_over),
        cmocka_unit_test(phases_can_be_used_while_others_still_load),
        cmocka_unit_test(load_that_fails_goes_back),
        cmocka_unit_test(load_that_is_cancelled_goes_back),
        cmocka_unit_test(memory_may_run_out_while_loading),
        cmocka_unit_test(results_are_computed_once),
        cmocka_unit_test(original_needs_no_dependencies),
        cmocka_unit_test(refusals_stay_and_cancelled_results_do_not),
        cmocka_unit_test(memory_may_run_out_while_computing),
        cmocka_unit_test(bulky_results_nobody_holds_are_given_back),
        cmocka_unit_test(threads_share_results),
        cmocka_unit_test(jobs_are_listed_waited_for_and_stopped),
        cmocka_unit_test(cancelled_jobs_end_soon),
        cmocka_unit_test(old_jobs_are_forgotten),
        cmocka_unit_test(freeing_stops_what_runs),
        cmocka_unit_test(another_capture_does_not_wait_for_jobs_and_ends_them),
        cmocka_unit_test(a_load_that_fails_at_once_ends_no_jobs),
        cmocka_unit_test(a_load_gives_way_to_the_next),
        cmocka_unit_test(a_job_that_opens_a_capture_goes_on),
        cmocka_unit_test(items_run_once_each),
        cmocka_unit_test(lowest_failure_is_told),
        cmocka_unit_test(items_run_inside_jobs),
        cmocka_unit_test(settings_are_set_by_name),
        cmocka_unit_test(history_keeps_lines),
    };
    return cmocka_run_group_tests_name("explore/session", tests, NULL, NULL);
}
