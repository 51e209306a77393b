/* The explorer inside a process, without a terminal: whole sessions, random keys, what runs beside it, what
 * fails. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/memory.h"
#include "explore/interpreter.h"
#include "report/commands.h"
#include "tui/app.h"
#include "tui/tile_replay.h"
#include "tui/transfers.h"

/* ---- a session to play with ---- */

typedef struct Play {
    Session *session;
    Tui *tui;
    char folder[64]; /* of the files that it writes; the working folder */
} Play;

static const char *data_path(const char *name)
{
    static char path[4096];
    const char *source = getenv("EXSCOPE_SOURCE_DIR");
    snprintf(path, sizeof path, "%s/data/%s", source == NULL ? "." : source, name);
    return path;
}

static Play play_new(const char *capture)
{
    Play play = {.session = session_new(2, NULL)};
    Error error = {0};
    snprintf(play.folder, sizeof play.folder, "/tmp/exscope-test-XXXXXX");
    assert_non_null(mkdtemp(play.folder));
    assert_int_equal(chdir(play.folder), 0);
    assert_non_null(play.session);
    assert_true(report_commands_add(play.session, &error));
    play.tui = tui_new(play.session, &error);
    assert_non_null(play.tui);
    if (capture != NULL && !session_load(play.session, data_path(capture), NULL, &error)) {
        fail_msg("%s", error.message);
    }
    return play;
}

static void play_end(Play *play)
{
    char command[128];
    tui_free(play->tui);
    session_free(play->session);
    assert_int_equal(chdir("/"), 0);
    snprintf(command, sizeof command, "rm -rf '%s'", play->folder);
    assert_int_equal(system(command), 0);
}

static bool run(Play *play, const char *line, Error *error)
{
    Text out = {0};
    Interpreter interpreter = {.session = play->session, .sink = sink_text(&out)};
    bool done = interpreter_line(&interpreter, line, error);
    text_free(&out);
    return done;
}

static void keys(Play *play, const char *keys)
{
    Error error = {0};
    char line[2000];
    snprintf(line, sizeof line, "keys \"%s\"", keys);
    if (!run(play, line, &error)) {
        fail_msg("%s: %s", line, error.message);
    }
}

/* Whether the screen holds a text. */
static bool shows(Play *play, const char *text)
{
    Text screen = {0};
    grid_append_text(&play->tui->grid, &screen);
    bool found = strstr(text_view(&screen), text) != NULL;
    text_free(&screen);
    return found;
}

static void assert_shows(Play *play, const char *text)
{
    if (!shows(play, text)) {
        Text screen = {0};
        grid_append_text(&play->tui->grid, &screen);
        fail_msg("'%s' does not show in\n%s", text, text_view(&screen));
    }
}

static void pause_milliseconds(long milliseconds)
{
    struct timespec pause = {.tv_nsec = milliseconds * 1000000};
    nanosleep(&pause, NULL);
}

/* ---- sessions ---- */

static void a_whole_session_works(void **state)
{
    (void)state;
    Play play = play_new("showcase.json");
    keys(&play, "");
    assert_shows(&play, "11 phases, 2,633 transfers");
    keys(&play, "<Enter>A12345678");
    assert_shows(&play, "reordered: the rejected control");
    keys(&play, "4<Tab>jlw<Enter><Tab><Tab><Tab>+++lh-0<Tab>jjs<Down><Enter>/12<Enter>aac.,");
    assert_shows(&play, "receiver");
    keys(&play, "q?/mode<Enter>nNqzz:modes<Enter>qq e<Enter>");
    assert_shows(&play, "fixtures/phase-20-destination.json");
    keys(&play, "q/chain<Enter>Tjjj<Enter>qq");
    assert_shows(&play, "forwarding chain");
    keys(&play, "JMqq1:tiles --top 3 > tiles.txt<Enter>");
    assert_true(file_exists("tiles.txt"));
    keys(&play, ":set ascii on<Enter>");
    assert_shows(&play, "exscope > showcase.json");
    play_end(&play);
}

/* The very first frame of the messages says which of them show. */
static void the_first_frame_of_messages_is_whole(void **state)
{
    (void)state;
    Play play = play_new("late.json");
    const Event messages = {.kind = EVENT_KEY, .key = 'M'};
    keys(&play, "~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~");
    tui_handle(play.tui, &messages);
    tui_update(play.tui);
    assert_shows(&play, "(11 to 30 of 30 lines)");
    play_end(&play);
}

/* Keys that come faster than frames act on what is selected, not on what the last frame showed. */
static void keys_may_outrun_frames(void **state)
{
    (void)state;
    static const char *const bursts[] = {"4<Enter>",
                                         "<End>4<Enter>",
                                         "a<End>4<Enter>",
                                         "8<End>1<Enter>",
                                         "<End>,<Enter>",
                                         "<End>:phase 8<Enter><Enter>",
                                         "<End>:phase 2<Enter>T<Enter>"};
    for (size_t i = 0; i < sizeof bursts / sizeof *bursts; i++) {
        Play play = play_new("showcase.json");
        const char *at = bursts[i];
        Event event;
        keys(&play, "/chain<Enter>T<End><Esc>/<C-u><Enter><Home><Enter><Enter><End>");
        while (input_next(&at, &event)) {
            tui_handle(play.tui, &event);
        }
        keys(&play, "");
        play_end(&play);
    }
}

static void moves_begin_at_what_is_selected(void **state)
{
    (void)state;
    const char *at = "4jj";
    Event event;
    Play play = play_new("showcase.json");
    keys(&play, "<Enter>");
    while (input_next(&at, &event)) {
        tui_handle(play.tui, &event);
    }
    assert_int_equal(tui_selection(play.tui).mode, MODE_COALESCED_PREFIX);
    keys(&play, "q");
    at = "j:phase 8<Enter>qk"; /* the last of the list, then one up */
    while (input_next(&at, &event)) {
        tui_handle(play.tui, &event);
    }
    keys(&play, "");
    assert_shows(&play, "▸  10    23 random");
    play_end(&play);
}

/* Any keys, in any order, in windows of any size. */
static void random_keys_do_no_harm(void **state)
{
    (void)state;
    static const char *const words[] = {
        "<Enter>", "<Esc>",  "<Tab>",       "<S-Tab>",          "<Up>",
        "<Down>",  "<Left>", "<Right>",     "<PgUp>",           "<PgDn>",
        "<Home>",  "<End>",  "<BS>",        "<Space>",          "<C-w>",
        "<C-u>",   "<Del>",  "<Click:5:9>", "<WheelDown:8:70>", "<DoubleClick:14:3>",
    };
    static const char letters[] = "jkhlgG123456789[]RATwmzidsSnN/eJMo?:qxc+-0.,a<>fortil~";
    static const int sizes[][2] = {{24, 80}, {43, 132}, {60, 200},  {24, 80},
                                   {10, 40}, {25, 81},  {300, 400}, {1, 1}};
    uint32_t seed = 20261129;
    Play play = play_new("showcase.json");
    for (int i = 0; i < 900; i++) {
        Event event;
        char letter[2] = "";
        seed = seed * 1664525 + 1013904223;
        uint32_t choice = seed >> 8;
        const char *key = letter;
        if (choice % 4 == 0) {
            key = words[choice / 4 % (sizeof words / sizeof *words)];
        } else {
            letter[0] = letters[choice / 4 % (sizeof letters - 1)];
        }
        if (i % 50 == 49) {
            const int *size = sizes[i / 50 % 8];
            assert_true(tui_resize(play.tui, size[0], size[1], NULL));
        }
        assert_true(input_next(&key, &event));
        tui_handle(play.tui, &event);
        if (seed >> 30 != 0) { /* sometimes several keys come before the next frame */
            tui_update(play.tui);
        }
        play.tui->quitting = false;
        if (session_quitting(play.session)) {
            break;
        }
    }
    play_end(&play);
}

static void another_capture_is_taken_over(void **state)
{
    (void)state;
    Play play = play_new("chain.json");
    char line[4200];
    keys(&play, "<Enter><Enter>jj");
    assert_shows(&play, "transfers of the tile");
    snprintf(line, sizeof line, ":load %s<Enter>", data_path("late.json"));
    keys(&play, line);
    assert_shows(&play, "late");
    assert_shows(&play, "tile tail"); /* the list of phases: the tile is gone */
    keys(&play, "<Enter><Enter><Tab><Tab>R");
    assert_shows(&play, "instruction");
    keys(&play, ":load /nosuch<Enter>");
    assert_shows(&play, "cannot be opened");
    assert_shows(&play, "late");
    play_end(&play);
}

static void a_first_load_that_fails_leaves_nothing_open(void **state)
{
    (void)state;
    Play play = play_new(NULL);
    keys(&play, "<Enter>jkRAsSe1T<Space>/x<Esc>");
    assert_shows(&play, "No capture is open.");
    assert_true(file_write_text(
        "cut.json", "{\"schema_version\":4,\"tile_count\":4,\"phases\":[{\"phase\":1,\"transfers\":[]},", 73,
        false, NULL));
    keys(&play, ":load cut.json<Enter>");
    assert_shows(&play, "cut.json");
    assert_shows(&play, "No capture is open.");
    keys(&play, ":quit<Enter>");
    assert_true(session_quitting(play.session));
    play_end(&play);
}

static void a_mode_toggle_leaves_the_places(void **state)
{
    (void)state;
    Play play = play_new("showcase.json");
    keys(&play, "<Enter><Tab>ljj");
    int32_t tile = tui_selection(play.tui).tile;
    keys(&play, "2345678[[]]1");
    assert_int_equal(tui_selection(play.tui).tile, tile);
    assert_shows(&play, "original: the phase as captured");
    play_end(&play);
}

/* Not even one frame is empty while the transfers are put in another order. */
static void a_list_stays_until_the_next_one_is_ready(void **state)
{
    (void)state;
    static const char sort[] = "s<Down><Enter>";
    const char *at = sort;
    Play play = play_new("showcase.json");
    Event event;
    keys(&play, "<Enter><Enter>");
    assert_shows(&play, "send →");
    while (input_next(&at, &event)) {
        tui_handle(play.tui, &event);
        tui_update(play.tui);
        assert_false(shows(&play, "listing…"));
    }
    assert_shows(&play, "send →");
    play_end(&play);
}

/* ---- beside the explorer ---- */

static bool wait_for_cancel(Session *session, void *context, Progress *progress, Error *error)
{
    (void)session;
    atomic_store((atomic_bool *)context, true);
    while (progress_go_on(progress, error)) {
        pause_milliseconds(1);
    }
    return false;
}

static void x_cancels_a_job(void **state)
{
    (void)state;
    Play play = play_new("chain.json");
    atomic_bool started = false;
    uint32_t job;
    Event x = {.kind = EVENT_KEY, .key = 'x'}, jobs = {.kind = EVENT_KEY, .key = 'J'},
          q = {.kind = EVENT_KEY, .key = 'Q'};
    Error error = {0};
    assert_true(run(&play, "screen s.txt", &error)); /* it settles: no other job comes first in the list */
    assert_true(session_run(play.session, "wait", wait_for_cancel, &started, NULL, &job, NULL));
    while (!atomic_load(&started)) {
        pause_milliseconds(1);
    }
    tui_update(play.tui);
    tui_handle(play.tui, &jobs);
    tui_update(play.tui);
    assert_shows(&play, "running");
    tui_handle(play.tui, &q);
    tui_update(play.tui);
    assert_shows(&play, "1 job is still running: leave and cancel it?");
    tui_handle(play.tui, &(Event){.kind = EVENT_KEY, .key = 'n'});
    assert_false(play.tui->quitting);
    tui_handle(play.tui, &x);
    assert_false(session_wait(play.session, job, NULL, NULL));
    tui_update(play.tui);
    assert_shows(&play, "wait: cancelled");
    tui_handle(play.tui, &x);
    tui_update(play.tui);
    assert_shows(&play, "wait has ended already");
    play_end(&play);
}

/* `:load` shows the new capture's phases and how long it took; what ran for the one before is cancelled. */
static void another_capture_takes_the_screen(void **state)
{
    (void)state;
    Play play = play_new("chain.json");
    atomic_bool started = false;
    uint32_t job;
    Error error = {0};
    keys(&play, "<Enter>T");
    assert_true(session_run(play.session, "wait", wait_for_cancel, &started, NULL, &job, NULL));
    while (!atomic_load(&started)) {
        pause_milliseconds(1);
    }
    assert_int_equal(symlink(data_path("late.json"), "late.json"), 0); /* its message fits into a line */
    Event event;
    for (const char *at = ":load late.json<Enter>";
         input_next(&at, &event);) { /* `keys` would wait for the job */
        tui_handle(play.tui, &event);
    }
    keys(&play, "");
    assert_false(session_wait(play.session, job, NULL, &error));
    assert_int_equal(error.kind, ERROR_CANCELLED);
    assert_shows(&play, "exscope › late.json › ");
    assert_int_equal(tui_screen(play.tui), CONTEXT_PHASES);
    keys(&play, "M");
    assert_shows(&play, "wait: cancelled");
    assert_shows(&play, "late.json: done, ");
    play_end(&play);
}

/* A map of what only a replay knows would be empty in a capture that was just opened. */
static void another_capture_begins_with_a_map_that_shows_something(void **state)
{
    (void)state;
    Play play = play_new("chain.json");
    char line[5000];
    keys(&play, "<Enter>Rmmm");
    assert_shows(&play, "m: idle cycles");
    snprintf(line, sizeof line, ":load %s<Enter><Enter>", data_path("late.json"));
    keys(&play, line);
    assert_shows(&play, "m: fragments");
    keys(&play, "m");
    assert_shows(&play, "m: sent bytes");
    snprintf(line, sizeof line, ":load %s<Enter><Enter>", data_path("chain.json"));
    keys(&play, line);
    assert_shows(&play, "m: sent bytes"); /* a choice that works everywhere stays */
    play_end(&play);
}

static void the_first_frame_of_messages_is_right(void **state)
{
    (void)state;
    Play play = play_new("chain.json");
    keys(&play, "~~");
    tui_handle(play.tui, &(Event){.kind = EVENT_KEY, .key = 'M'});
    tui_update(play.tui);
    assert_shows(&play, "(1 to 2 of 2 lines)");
    play_end(&play);
}

static bool end_at_once(Session *session, void *context, Progress *progress, Error *error)
{
    (void)session;
    (void)progress;
    return context != NULL || error_set(error, ERROR_INPUT, "it went wrong");
}

/* News do not take the place of a failure, and are shown with the next key. */
static void a_failure_stays_until_a_key(void **state)
{
    (void)state;
    Play play = play_new("chain.json");
    static int good;
    uint32_t bad_job, good_job;
    keys(&play, "");
    assert_true(session_run(play.session, "bad", end_at_once, NULL, NULL, &bad_job, NULL));
    assert_false(session_wait(play.session, bad_job, NULL, NULL));
    tui_update(play.tui);
    assert_true(session_run(play.session, "good", end_at_once, &good, NULL, &good_job, NULL));
    assert_true(session_wait(play.session, good_job, NULL, NULL));
    Error error;
    assert_true(run(&play, "screen s.txt", &error)); /* it settles */
    assert_shows(&play, "it went wrong");
    assert_false(shows(&play, "good: done"));
    keys(&play, "j");
    assert_shows(&play, "good: done");
    play_end(&play);
}

static void scripts_drive_the_explorer_from_a_job(void **state)
{
    (void)state;
    static const char script[] =
        "keys '<Enter>'\nscreen inner.txt\nkeys '4' --size 132x43\n-screen inner.txt\nkeys ':screen "
        "typed.txt<Enter>'\nscreen last.txt\n";
    Play play = play_new("showcase.json");
    assert_true(file_write_text("script", script, strlen(script), false, NULL));
    keys(&play, ":source script<Enter>");
    Text text = {0};
    assert_true(file_read_text("last.txt", 100000, &text, NULL));
    assert_non_null(strstr(text_view(&text), "receiver"));
    text_clear(&text);
    assert_true(file_read_text("inner.txt", 100000, &text, NULL));
    assert_non_null(strstr(text_view(&text), "phase 20"));
    assert_true(file_exists("typed.txt"));
    text_free(&text);
    /* a file is replaced only when asked to */
    Error error = {0};
    assert_false(run(&play, "screen inner.txt", &error));
    assert_int_equal(error.kind, ERROR_REFUSED);
    assert_true(run(&play, "screen inner.txt --force", &error));
    assert_false(run(&play, "screen other.txt --size 80", &error));
    assert_int_equal(error.kind, ERROR_USAGE);
    play_end(&play);
}

/* ---- the thread that computes for the screen ---- */

typedef struct SlowTask {
    Task task;
    atomic_int runs, cancelled;
    bool waits;
} SlowTask;

static bool run_slow(Task *task, View *view, Progress *progress, Error *error)
{
    SlowTask *slow = (SlowTask *)task;
    (void)view;
    atomic_fetch_add(&slow->runs, 1);
    while (slow->waits && progress_go_on(progress, error)) {
        pause_milliseconds(1);
    }
    if (slow->waits) {
        atomic_fetch_add(&slow->cancelled, 1);
        return false;
    }
    return true;
}

static void keep_slow(Task *task)
{
    (void)task; /* it lives on the test's stack */
}

static void ignore_wake(void *context)
{
    (void)context;
}

static void wait_idle(Fetch *fetch)
{
    while (!fetch_idle(fetch)) {
        pause_milliseconds(1);
    }
}

static void what_is_no_longer_wanted_is_cancelled(void **state)
{
    (void)state;
    Play play = play_new("chain.json");
    View *view = view_new(play.session, NULL);
    const PhaseEntry *entry = view_phase_at(view, 0);
    Fetch *fetch = fetch_new(play.session, ignore_wake, NULL, NULL);
    SlowTask first = {.waits = true}, second = {.waits = false}, third = {.waits = true};
    assert_non_null(fetch);
    task_start(&first.task, run_slow, keep_slow);
    task_start(&second.task, run_slow, keep_slow);
    task_start(&third.task, run_slow, keep_slow);
    Want wants[2] = {{.key = {.entry = entry}, .task = &second.task, .priority = 5},
                     {.key = {.entry = entry}, .task = &first.task, .priority = 1}};
    fetch_post(fetch, wants, 2);
    while (atomic_load(&first.runs) == 0) { /* the more urgent one begins */
        pause_milliseconds(1);
    }
    assert_int_equal(atomic_load(&second.runs), 0);
    fetch_post(fetch, wants, 2); /* still wanted: it goes on */
    pause_milliseconds(5);
    assert_int_equal(atomic_load(&first.cancelled), 0);
    fetch_post(fetch, wants, 1); /* no longer */
    wait_idle(fetch);
    assert_true(atomic_load(&first.cancelled) == 1 && atomic_load(&first.runs) == 1);
    assert_true(task_ready(&second.task) && !task_ready(&first.task));
    /* stopped by the user: nothing begins until told to go on */
    wants[0].task = &third.task;
    fetch_post(fetch, wants, 1);
    while (atomic_load(&third.runs) == 0) {
        pause_milliseconds(1);
    }
    assert_true(fetch_stop(fetch));
    wait_idle(fetch);
    fetch_post(fetch, wants, 1);
    pause_milliseconds(10);
    assert_int_equal(atomic_load(&third.runs), 1);
    fetch_go_on(fetch);
    while (atomic_load(&third.runs) == 1) {
        pause_milliseconds(1);
    }
    fetch_free(fetch); /* while it runs */
    assert_int_equal(atomic_load(&first.task.references), 1);
    assert_int_equal(atomic_load(&second.task.references), 1);
    assert_int_equal(atomic_load(&third.task.references), 1);
    view_free(view);
    play_end(&play);
}

/* An entry of a capture that is no longer open is never looked at. */
static void wants_of_another_capture_are_dropped(void **state)
{
    (void)state;
    Play play = play_new("chain.json");
    Fetch *fetch = fetch_new(play.session, ignore_wake, NULL, NULL);
    SlowTask task = {.waits = false};
    task_start(&task.task, run_slow, keep_slow);
    Want wants[2] = {{.key = {.entry = (const PhaseEntry *)&task}, .index = 0, .task = &task.task},
                     {.key = {.entry = (const PhaseEntry *)&task, .kind = RESULT_FIGURES}, .index = 1000000}};
    fetch_post(fetch, wants, 2);
    wait_idle(fetch);
    assert_int_equal(atomic_load(&task.runs), 0);
    fetch_free(fetch);
    play_end(&play);
}

/* ---- transfers ---- */

static bool run_task(View *view, Task *task)
{
    Error error = {0};
    if (!task->run(task, view, NULL, &error)) {
        fail_msg("%s", error.message);
    }
    atomic_store(&task->state, TASK_READY);
    return true;
}

static uint64_t row_value(const Phase *phase, const TransferRow *row, TransferSort sort)
{
    bool sent = row->receiver == TRANSFER_SENT;
    uint32_t receiver = sent ? phase->receiver_start[row->transfer] : row->receiver;
    switch (sort) {
    case TRANSFER_SORT_WORDS:
        return UINT16_MAX - phase->words[row->transfer];
    case TRANSFER_SORT_PEER:
        return sent ? phase->receiver_tile[receiver] : phase->source[row->transfer];
    case TRANSFER_SORT_SOURCE_ADDRESS:
        return phase_address(phase, row->transfer, 0);
    case TRANSFER_SORT_ADDRESS:
        return phase->receiver_address[receiver];
    case TRANSFER_SORT_START:
        return row->start;
    default:
        return row->transfer;
    }
}

/* Against the tile's figures and the replay, phase by phase: every role once, sorted, with its own time. */
static void transfers_of_a_tile_are_all_there(void **state)
{
    (void)state;
    Play play = play_new("showcase.json");
    View *view = view_new(play.session, NULL);
    for (size_t index = 0; index < view_phase_count(view); index++) {
        const PhaseEntry *entry = view_phase_at(view, index);
        const TileFigures *figures = view_need_tiles(view, entry, MODE_COALESCED_LEVELS, NULL, NULL);
        const Counterfactual *mode = view_need_counterfactual(view, entry, MODE_COALESCED_LEVELS, NULL, NULL);
        const Replay *replay = view_need_replay(view, entry, MODE_COALESCED_LEVELS, NULL, NULL, NULL);
        assert_true(figures != NULL && mode != NULL && replay != NULL);
        for (int sort = 0; sort < TRANSFER_SORT_COUNT * 2; sort++) {
            int32_t tile = (int32_t)((unsigned)sort * 7 % view_tile_count(view));
            TransferQuery query = {.entry = entry,
                                   .mode = MODE_COALESCED_LEVELS,
                                   .tile = tile,
                                   .sort = (TransferSort)(sort % TRANSFER_SORT_COUNT),
                                   .reverse = sort >= TRANSFER_SORT_COUNT,
                                   .times = true,
                                   .options = REPLAY_OPTIONS_DEFAULT};
            TransferList *list = transfers_new(&query, NULL);
            run_task(view, &list->task);
            size_t sends = 0, receives = 0;
            uint64_t before = 0;
            for (size_t i = 0; i < list->count; i++) {
                TransferRow row = transfers_row(list, i);
                bool sent = row.receiver == TRANSFER_SENT;
                sends += sent;
                receives += !sent;
                assert_int_equal(sent ? mode->phase->source[row.transfer]
                                      : mode->phase->receiver_tile[row.receiver],
                                 tile);
                assert_int_equal(row.end - row.start, mode->phase->words[row.transfer]);
                uint64_t value = row_value(mode->phase, &row, query.sort);
                assert_true(i == 0 || (query.reverse ? value <= before : value >= before));
                before = value;
            }
            assert_int_equal(sends, figures[tile].send_fragments);
            assert_int_equal(receives, figures[tile].receive_fragments);
            task_release(&list->task);
        }
    }
    view_free(view);
    play_end(&play);
}

static size_t count_filtered(View *view, int32_t tile, const char *filter)
{
    TransferQuery query = {.entry = view_phase_at(view, 0), .mode = MODE_ORIGINAL, .tile = tile};
    snprintf(query.filter, sizeof query.filter, "%s", filter);
    TransferList *list = transfers_new(&query, NULL);
    run_task(view, &list->task);
    size_t count = list->count;
    task_release(&list->task);
    return count;
}

static void filters_choose_transfers(void **state)
{
    (void)state;
    Play play = play_new("chain.json");
    View *view = view_new(play.session, NULL);
    const Phase *phase = view_phase_at(view, 0)->phase;
    size_t all = count_filtered(view, 3, "");
    size_t sends = count_filtered(view, 3, "send"), receives = count_filtered(view, 3, "rec");
    assert_true(sends > 0 && receives > 0);
    assert_int_equal(sends + receives, all);
    assert_int_equal(count_filtered(view, 3, "send receive"), 0);
    assert_int_equal(count_filtered(view, -1, ""), phase->transfers);
    char address[20];
    snprintf(address, sizeof address, "0x%x", (unsigned)phase->addresses[0] + 4);
    size_t touching = count_filtered(view, -1, address);
    assert_true(touching > 0 && touching < phase->transfers);
    assert_true(count_filtered(view, -1, "0xffffc") == 0);
    assert_true(count_filtered(view, -1, "7") >= 1);
    assert_true(transfer_filter_check("  send 12 0x4c000 ", NULL));
    assert_false(transfer_filter_check("words", NULL));
    assert_false(transfer_filter_check("12x", NULL));
    assert_false(transfer_filter_check("4294967296", NULL));
    view_free(view);
    play_end(&play);
}

/* ---- the time line ---- */

static void lanes_count_busy_cycles(void **state)
{
    (void)state;
    Play play = play_new("showcase.json");
    View *view = view_new(play.session, NULL);
    const PhaseEntry *entry = view_worst_phase(view);
    const Replay *replay = view_need_replay(view, entry, MODE_ORIGINAL, NULL, NULL, NULL);
    TileReplay *tile = tile_replay_new(entry, MODE_ORIGINAL, 5, REPLAY_OPTIONS_DEFAULT, NULL);
    run_task(view, &tile->task);
    assert_null(tile->fault);
    assert_true(tile->steps.count > 10);
    for (uint32_t from = 0; from < replay->horizon_cycles; from += 13) {
        for (uint32_t to = from; to <= replay->horizon_cycles + 5; to += 29) {
            uint64_t busy[2] = {0, 0};
            for (uint64_t i = replay->activity_start[5]; i < replay->activity_start[6]; i++) {
                const Activity *activity = &replay->activities[i];
                uint32_t start = activity->start > from ? activity->start : from;
                uint32_t end = activity->end < to ? activity->end : to;
                busy[activity->kind] += end > start ? end - start : 0;
            }
            assert_int_equal(lane_busy(&tile->lanes[ACTIVITY_SEND], from, to), busy[ACTIVITY_SEND]);
            assert_int_equal(lane_busy(&tile->lanes[ACTIVITY_RECEIVE], from, to), busy[ACTIVITY_RECEIVE]);
        }
    }
    /* zooming keeps its center and stays inside the phase */
    Timeline timeline = {0};
    for (int i = 0; i < 40; i++) {
        assert_true(timeline_act(&timeline, tile, i % 3 == 2 ? ACTION_ZOOM_OUT : ACTION_ZOOM_IN, 100));
        assert_true(timeline.from == timeline.to || (timeline.from <= 100 && timeline.to > 100));
        assert_true(timeline.to <= tile->phase_cycles);
    }
    assert_true(timeline_act(&timeline, tile, ACTION_LAST, 0));
    assert_int_equal(timeline.to, tile->phase_cycles);
    assert_true(timeline_act(&timeline, tile, ACTION_ZOOM_FIT, 0));
    assert_true(timeline.from == 0 && timeline.to == 0);
    task_release(&tile->task);
    view_free(view);
    play_end(&play);
}

/* ---- preferences ---- */

static void assert_preferences(const Preferences *a, const Preferences *b)
{
    assert_int_equal(a->phase_sort, b->phase_sort);
    assert_int_equal(a->phase_reverse, b->phase_reverse);
    assert_int_equal(a->shade, b->shade);
    assert_int_equal(a->deltas, b->deltas);
    assert_int_equal(a->tile_pane, b->tile_pane);
    assert_int_equal(a->transfer_sort, b->transfer_sort);
    assert_int_equal(a->transfer_reverse, b->transfer_reverse);
}

static void preferences_survive_and_damage_is_told(void **state)
{
    (void)state;
    Play play = play_new(NULL);
    setenv("XDG_STATE_HOME", play.folder, 1);
    Preferences saved = {.phase_sort = PHASE_SORT_TAIL,
                         .phase_reverse = true,
                         .shade = SHADE_IDLE,
                         .deltas = DELTAS_ALL,
                         .tile_pane = TILE_ROW,
                         .transfer_sort = TRANSFER_SORT_START};
    Preferences read;
    Error error;
    preferences_default(&read);
    assert_true(preferences_load(&read, &error)); /* no file: the defaults */
    assert_true(preferences_save(&saved, &error));
    assert_true(preferences_load(&read, &error));
    assert_preferences(&read, &saved);
    static const char *const damaged[] = {
        "", "[]", "{", "{\"shade\":7}", "{\"shade\":\"pink\"}", "{\"phase_reverse\":1}"};
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        assert_true(file_write_text("exscope/state.json", damaged[i], strlen(damaged[i]), true, NULL));
        assert_false(preferences_load(&read, &error));
        assert_non_null(strstr(error.message, "ignored"));
        assert_preferences(&read, &saved);
    }
    /* members that are not there, or that another version knows, are no damage */
    assert_true(file_write_text("exscope/state.json", "{\"shade\":\"sent\",\"new\":[1]}", 26, true, NULL));
    assert_true(preferences_load(&read, &error));
    assert_true(read.shade == SHADE_SENT && read.deltas == DELTAS_ALL);
    unsetenv("XDG_STATE_HOME");
    play_end(&play);
}

/* ---- out of memory ---- */

static void no_allocation_that_fails_is_a_crash(void **state)
{
    (void)state;
    static const char script[] = "<Enter>4<Enter><Tab>jq:modes<Enter>qT<Esc>e<Esc>";
    for (long nth = 1; nth < 400; nth += nth < 100 ? 1 : 7) {
        Play play = play_new("late.json");
        const char *at = script;
        Event event;
        mem_fault_set(nth);
        while (input_next(&at, &event)) {
            tui_handle(play.tui, &event);
            for (int i = 0; i < 3; i++) {
                tui_update(play.tui);
                wait_idle(play.tui->fetch);
            }
        }
        mem_fault_set(0);
        play_end(&play);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_session_works),
        cmocka_unit_test(the_first_frame_of_messages_is_whole),
        cmocka_unit_test(keys_may_outrun_frames),
        cmocka_unit_test(moves_begin_at_what_is_selected),
        cmocka_unit_test(random_keys_do_no_harm),
        cmocka_unit_test(another_capture_is_taken_over),
        cmocka_unit_test(a_first_load_that_fails_leaves_nothing_open),
        cmocka_unit_test(a_mode_toggle_leaves_the_places),
        cmocka_unit_test(a_list_stays_until_the_next_one_is_ready),
        cmocka_unit_test(x_cancels_a_job),
        cmocka_unit_test(another_capture_takes_the_screen),
        cmocka_unit_test(another_capture_begins_with_a_map_that_shows_something),
        cmocka_unit_test(the_first_frame_of_messages_is_right),
        cmocka_unit_test(a_failure_stays_until_a_key),
        cmocka_unit_test(scripts_drive_the_explorer_from_a_job),
        cmocka_unit_test(what_is_no_longer_wanted_is_cancelled),
        cmocka_unit_test(wants_of_another_capture_are_dropped),
        cmocka_unit_test(transfers_of_a_tile_are_all_there),
        cmocka_unit_test(filters_choose_transfers),
        cmocka_unit_test(lanes_count_busy_cycles),
        cmocka_unit_test(preferences_survive_and_damage_is_told),
        cmocka_unit_test(no_allocation_that_fails_is_a_crash),
    };
    return cmocka_run_group_tests_name("tui/explorer", tests, NULL, NULL);
}
