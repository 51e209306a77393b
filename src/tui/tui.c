#include "config.h"

#include "tui/tui.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "tui/app.h"
#include "tui/map_values.h"
#include "tui/terminal.h"

enum {
    FRAME_MILLISECONDS = 33, /* between frames while what a key began runs */
    IDLE_MILLISECONDS = 120, /* the same, once it takes longer: a slow line has better to do than bars */
    PATIENCE_MILLISECONDS = 400,
    HOLD_MILLISECONDS = 8,     /* that a frame may wait for what it lacks */
    EVENTS_PER_FRAME_MAX = 200 /* a held key must not keep the picture from changing */
};

static const ScreenOps *const screens[CONTEXT_SCREENS] = {
    [CONTEXT_PHASES] = &screen_phases,     [CONTEXT_PHASE] = &screen_phase,   [CONTEXT_TILE] = &screen_tile,
    [CONTEXT_TAIL] = &screen_tail,         [CONTEXT_OUTPUT] = &screen_output, [CONTEXT_JOBS] = &screen_jobs,
    [CONTEXT_MESSAGES] = &screen_messages, [CONTEXT_HELP] = &screen_help,
};

/* ---- screens ---- */

Context tui_screen(const Tui *tui)
{
    return tui->stack[tui->depth - 1];
}

Context tui_context(const Tui *tui)
{
    static const Context contexts[] = {
        [OVERLAY_PROMPT] = CONTEXT_PROMPT, [OVERLAY_FILTER] = CONTEXT_FILTER,
        [OVERLAY_MENU] = CONTEXT_MENU,     [OVERLAY_QUESTION] = CONTEXT_QUESTION,
        [OVERLAY_EXPORT] = CONTEXT_EXPORT,
    };
    return tui->overlay == OVERLAY_NONE ? tui_screen(tui) : contexts[tui->overlay];
}

void *tui_state(Tui *tui, Context screen)
{
    return tui->states[screen];
}

const ScreenOps *tui_operations(Context screen)
{
    return screens[screen];
}

void tui_show(Tui *tui, Context context)
{
    int at = 0;
    while (at < tui->depth && tui->stack[at] != context) {
        at++;
    }
    if (at == tui->depth && at == SCREEN_DEPTH_MAX) {
        at = SCREEN_DEPTH_MAX - 1;
    }
    tui->stack[at] = context;
    tui->depth = at + 1;
    tui->dirty = true;
    if (screens[context]->open != NULL) {
        screens[context]->open(tui, tui->states[context]);
    }
}

void tui_back(Tui *tui)
{
    if (tui->depth > 1) {
        tui->depth--;
    } else {
        tui_say(tui, "this is the first screen: q leaves exscope");
    }
    tui->dirty = true;
}

static void close_screens(Tui *tui)
{
    for (int i = 0; i < CONTEXT_SCREENS; i++) {
        if (screens[i]->close != NULL) {
            screens[i]->close(tui, tui->states[i]);
        }
        if (tui->states[i] != NULL) {
            memset(tui->states[i], 0, screens[i]->state_size);
        }
    }
}

/* Another capture, or none: nothing that was taken from the old one may be used. */
static void forget_capture(Tui *tui)
{
    fetch_post(tui->fetch, NULL, 0);
    close_screens(tui);
    phase_list_forget(tui);
    tui->pinned_entry = NULL;
    if (shade_needs_replay(tui->preferences.shade)) { /* nothing is replayed yet: the map would be empty */
        tui->preferences.shade = SHADE_FRAGMENTS;
    }
    if (tui_screen(tui) < CONTEXT_OUTPUT || tui->depth > 2) {
        tui->depth = 1;
        tui->stack[0] = CONTEXT_PHASES;
    }
    if (tui->overlay == OVERLAY_EXPORT || tui->overlay == OVERLAY_MENU) {
        overlay_close(tui);
    }
}

/* Results of the phase and mode that were left may be given back. */
static void release_pins(Tui *tui)
{
    Selection selection = tui_selection(tui);
    Context screen = tui_screen(tui);
    if (selection.entry != tui->pinned_entry || selection.mode != tui->pinned_mode ||
        screen != tui->pinned_context) {
        view_unpin(tui->view);
        fetch_go_on(tui->fetch);
        tui->pinned_entry = selection.entry;
        tui->pinned_mode = selection.mode;
        tui->pinned_context = screen;
    }
}

/* ---- events ---- */

/* Puts the phase, mode and tile that the screen means into a command. */
static void expand(Tui *tui, const char *template, char *line, size_t size)
{
    Selection selection = tui_selection(tui);
    size_t length = 0;
    for (const char *at = template; *at != '\0' && length + 1 < size; at++) {
        char value[40] = {*at, '\0'};
        if (at[0] == '%' && at[1] != '\0') {
            at++;
            if (*at == 'p') {
                snprintf(value, sizeof value, "%u",
                         selection.entry == NULL ? 0 : (unsigned)selection.entry->phase->number);
            } else if (*at == 'm') {
                snprintf(value, sizeof value, "%s", mode_name(selection.mode));
            } else if (*at == 't') {
                snprintf(value, sizeof value, "%d", (int)selection.tile);
            }
        }
        length += (size_t)snprintf(line + length, size - length, "%s", value);
    }
}

/* The list of phases is in front, and its filter leaves none: what is selected cannot be seen, and no key
 * means it. */
static bool hides_selection(const Tui *tui)
{
    return tui_screen(tui) == CONTEXT_PHASES && tui->phase_filter[0] != '\0' && tui->ranked_valid &&
           tui->ranked_count == 0;
}

static void run_binding(Tui *tui, const char *template)
{
    char line[200];
    Selection selection = tui_selection(tui);
    if (selection.entry == NULL) {
        tui_say(tui, tui->view == NULL ? "no capture is open: `:load FILE` opens one"
                                       : "no phase has been read yet");
    } else if (hides_selection(tui) && strncmp(template, "mode ", 5) != 0) {
        tui_say(tui, "no phase matches the filter; / Ctrl-U Enter shows all");
    } else if (strstr(template, "%t") != NULL && selection.tile < 0) {
        tui_say(tui, "no tile takes part in this phase");
    } else {
        expand(tui, template, line, sizeof line);
        tui_run_line(tui, line, true);
    }
}

static void step_mode(Tui *tui, int step)
{
    char line[80];
    Selection selection = tui_selection(tui);
    int mode = ((int)selection.mode + step + MODE_COUNT) % MODE_COUNT;
    snprintf(line, sizeof line, "mode %s", mode_name((Mode)mode));
    run_binding(tui, line);
}

static void quit_answered(Tui *tui, bool yes)
{
    tui->quitting = yes;
}

static void quit(Tui *tui)
{
    if (tui->active_jobs > 0) {
        overlay_ask(tui, quit_answered, "%zu job%s still running: leave and cancel %s?", tui->active_jobs,
                    tui->active_jobs == 1 ? " is" : "s are", tui->active_jobs == 1 ? "it" : "them");
    } else {
        tui->quitting = true;
    }
}

/* Ctrl-C and SIGINT: the newest job, else what is being computed for the screen. */
static void stop(Tui *tui)
{
    tui_look_at_jobs(tui);
    for (size_t i = 0; i < tui->job_count; i++) {
        if (session_cancel(tui->session, tui->jobs[i].id)) {
            tui_say(tui, "cancelling: %s", tui->jobs[i].title);
            return;
        }
    }
    if (fetch_stop(tui->fetch)) {
        tui_say(tui,
                "stopped computing what this screen lacks; it goes on with the next phase, mode or screen");
    } else {
        tui_say(tui, "nothing is running; q leaves exscope");
    }
}

static void show_output(Tui *tui)
{
    if (tui->output_version == 0) {
        tui_say(tui, "no command has written anything yet");
    } else {
        tui_show(tui, CONTEXT_OUTPUT);
    }
}

static void act_on_screen(Tui *tui, Action action)
{
    Context screen = tui_screen(tui);
    uint64_t messages = tui->message_count;
    if ((screens[screen]->act == NULL || !screens[screen]->act(tui, tui->states[screen], action)) &&
        messages == tui->message_count) {
        tui_say(tui, "nothing to do for this key now; ? shows the keys");
    }
}

static void act(Tui *tui, const KeyBinding *binding)
{
    switch (binding->action) {
    case ACTION_COMMAND:
        run_binding(tui, binding->command);
        break;
    case ACTION_MODE_NEXT:
    case ACTION_MODE_PREVIOUS:
        step_mode(tui, binding->action == ACTION_MODE_NEXT ? 1 : -1);
        break;
    case ACTION_BACK:
        tui_back(tui);
        break;
    case ACTION_QUIT:
        quit(tui);
        break;
    case ACTION_HELP:
        tui_show(tui, CONTEXT_HELP);
        break;
    case ACTION_JOBS:
        tui_show(tui, CONTEXT_JOBS);
        break;
    case ACTION_MESSAGES:
        tui_show(tui, CONTEXT_MESSAGES);
        break;
    case ACTION_OUTPUT:
        show_output(tui);
        break;
    case ACTION_PROMPT:
        overlay_prompt(tui, "");
        break;
    case ACTION_FILTER:
        overlay_find(tui);
        break;
    case ACTION_EXPORT:
        if (hides_selection(tui) && tui->marks.count == 0) {
            tui_say(tui, "no phase matches the filter; / Ctrl-U Enter shows all");
        } else {
            export_open(tui);
        }
        break;
    case ACTION_STOP:
        stop(tui);
        break;
    case ACTION_REDRAW:
        if (tui->terminal) {
            terminal_redraw();
        }
        break;
    case ACTION_SUSPEND:
        tui->suspend = true;
        break;
    default:
        act_on_screen(tui, binding->action);
    }
}

static void handle_key(Tui *tui, const Event *event)
{
    Context context = tui_context(tui);
    const KeyBinding *binding = keymap_find(context, event->key);
    bool typing = context == CONTEXT_PROMPT || context == CONTEXT_FILTER || context == CONTEXT_EXPORT;
    if (event->pasted && !typing) {
        tui_say(tui, "pasted text is taken only in a line of input: `:` opens one");
    } else if (event->pasted || (binding == NULL && context >= CONTEXT_SCREENS)) {
        overlay_type(tui, event->key);
    } else if (binding == NULL) {
        char name[20];
        input_key_name(event->key, name, sizeof name);
        tui_say(tui, "%s does nothing here; ? shows the keys", name);
    } else if (context >= CONTEXT_SCREENS) {
        overlay_act(tui, binding->action);
    } else {
        act(tui, binding);
    }
}

static void handle_mouse(Tui *tui, const Event *event)
{
    Context screen = tui_screen(tui);
    Key key = event->kind == EVENT_CLICK || event->kind == EVENT_DOUBLE_CLICK
                  ? chrome_key_at(tui, event->row, event->column)
                  : KEY_NONE;
    if (key != KEY_NONE) {
        handle_key(tui, &(Event){.kind = EVENT_KEY, .key = key});
    } else if (tui->overlay != OVERLAY_NONE) {
        overlay_mouse(tui, event);
    } else if (screens[screen]->mouse == NULL || !screens[screen]->mouse(tui, tui->states[screen], event)) {
        tui_say(tui, "there is nothing to select there");
    }
}

void tui_handle(Tui *tui, const Event *event)
{
    bool nested = tui->handling;
    if (chrome_too_small(tui) && event->key != key_control('c')) {
        return;
    }
    tui->handling = true;
    tui->message_shown = false;
    tui->dirty = true;
    if (event->kind == EVENT_KEY) {
        handle_key(tui, event);
    } else {
        handle_mouse(tui, event);
    }
    tui->handling = nested;
}

/* ---- frames ---- */

/* The view follows the session: phases that arrived, another capture. */
static void look_at_capture(Tui *tui)
{
    bool changed = false;
    Error error = {0};
    if (tui->view == NULL) {
        tui->view = view_new(tui->session, NULL);
        changed = tui->view != NULL;
    } else if (!view_refresh(tui->view, &changed, &error) && error.kind == ERROR_INPUT) {
        forget_capture(tui); /* the first load failed: nothing is open any more */
        view_free(tui->view);
        tui->view = NULL;
        return;
    }
    if (changed) {
        forget_capture(tui);
    }
}

/* `set` may have changed how things are shown. */
static void look_at_settings(Tui *tui)
{
    Settings now = session_settings(tui->session), before = tui->settings;
    tui->settings = now;
    tui->dirty = tui->dirty || now.ascii != before.ascii || now.color != before.color;
    tui->grid.utf8 = tui->utf8 && !now.ascii;
    if (tui->terminal && (now.color != before.color || now.mouse != before.mouse)) {
        terminal_use(now.color, now.mouse);
        tui->colors = terminal_colors();
    }
}

void tui_update(Tui *tui)
{
    uint64_t changes = session_changes(tui->session), finished = fetch_finished(tui->fetch);
    if (changes != tui->seen_changes || tui->active_jobs > 0) {
        tui->seen_changes = changes;
        look_at_capture(tui);
        tui_look_at_jobs(tui);
        tui->dirty = true;
    }
    tui_collect_runs(tui);
    look_at_settings(tui);
    tui_show_news(tui);
    if (!tui->dirty && finished == tui->seen_finished && fetch_idle(tui->fetch)) {
        return;
    }
    tui->seen_finished = finished;
    tui->dirty = false;
    tui->want_count = 0;
    if (tui->view != NULL) {
        release_pins(tui);
        phase_list_update(tui);
    }
    chrome_draw(tui, screens[tui_screen(tui)]);
    if (tui_screen(tui) <
        CONTEXT_OUTPUT) { /* below a text or the job list, the screen before goes on computing */
        fetch_post(tui->fetch, tui->wants, tui->want_count);
    }
    tui->drawn++;
}

bool tui_settled(Tui *tui)
{
    return !tui->dirty && (!tui->has_news || tui->shown_message.failure) && tui->active_jobs == 0 &&
           !tui_runs_pending(tui) && fetch_idle(tui->fetch) &&
           session_changes(tui->session) == tui->seen_changes &&
           fetch_finished(tui->fetch) == tui->seen_finished;
}

bool tui_resize(Tui *tui, int rows, int columns, Error *error)
{
    tui->dirty = true;
    return grid_resize(&tui->grid, rows, columns, error);
}

bool tui_take_typed(Tui *tui)
{
    Event event;
    const char *keys = text_view(&tui->typed) + tui->typed_start;
    if (tui->handling || tui->typed_start >= tui->typed.length) {
        return false;
    }
    bool more = input_next(&keys, &event);
    tui->typed_start = (size_t)(keys - text_view(&tui->typed));
    if (more) {
        tui_handle(tui, &event);
    }
    if (tui->typed_start >= tui->typed.length) {
        text_clear(&tui->typed);
        tui->typed_start = 0;
    }
    return true;
}

/* ---- life ---- */

void tui_wake(Tui *tui)
{
    if (atomic_load(&tui->terminal)) {
        terminal_wake();
    }
}

static void wake(void *context)
{
    tui_wake(context);
}

Tui *tui_new(Session *session, Error *error)
{
    Tui *tui = mem_zero(1, sizeof *tui, error);
    if (tui == NULL) {
        return NULL;
    }
    tui->session = session;
    tui->depth = 1;
    tui->dirty = true;
    tui->utf8 = true;
    tui->settings = session_settings(session);
    preferences_default(&tui->preferences);
    pthread_mutex_init(&tui->request_lock, NULL);
    pthread_cond_init(&tui->request_done, NULL);
    tui->messages = mem_zero(MESSAGES_KEPT, sizeof *tui->messages, error);
    tui->jobs = mem_new(JOBS_SHOWN, sizeof *tui->jobs, error);
    bool made = tui->messages != NULL && tui->jobs != NULL &&
                grid_resize(&tui->grid, SCREEN_ROWS_MIN, SCREEN_COLUMNS_MIN, error);
    for (int i = 0; made && i < CONTEXT_SCREENS; i++) {
        tui->states[i] = mem_zero(1, screens[i]->state_size, error);
        made = tui->states[i] != NULL;
    }
    made = made && (tui->fetch = fetch_new(session, wake, tui, error)) != NULL;
    if (!made || !requests_add_commands(tui, error)) {
        tui_free(tui);
        return NULL;
    }
    return tui;
}

/* Jobs may hold on to this explorer, through `keys` and `screen`. */
static void end_jobs(Tui *tui)
{
    do {
        session_cancel_all(tui->session);
        tui_look_at_jobs(tui);
        for (size_t i = 0; i < tui->job_count; i++) {
            session_wait(tui->session, tui->jobs[i].id, NULL, NULL);
        }
    } while (tui->active_jobs > 0);
}

void tui_free(Tui *tui)
{
    if (tui == NULL) {
        return;
    }
    if (tui->jobs != NULL && tui->messages != NULL) {
        end_jobs(tui);
    }
    if (tui->fetch != NULL) {
        fetch_free(tui->fetch);
        tui->fetch = NULL;
    }
    tui_free_runs(tui);
    overlay_close(tui);
    for (int i = 0; i < CONTEXT_SCREENS; i++) {
        if (tui->states[i] != NULL && screens[i]->close != NULL) {
            screens[i]->close(tui, tui->states[i]);
        }
        mem_free(tui->states[i]);
    }
    phase_list_forget(tui);
    view_free(tui->view);
    vec_free(&tui->watched_jobs);
    text_free(&tui->output);
    text_free(&tui->typed);
    mem_free(tui->messages);
    mem_free(tui->jobs);
    grid_free(&tui->grid);
    pthread_cond_destroy(&tui->request_done);
    pthread_mutex_destroy(&tui->request_lock);
    mem_free(tui);
}

/* ---- on a terminal ---- */

static void fit_terminal(Tui *tui)
{
    int rows, columns;
    terminal_size(&rows, &columns);
    if (rows != tui->grid.rows || columns != tui->grid.columns) {
        Error error;
        if (!tui_resize(tui, rows, columns, &error)) {
            tui_fail(tui, &error);
        }
    }
}

static void take_signals(Tui *tui)
{
    unsigned signals = terminal_signals();
    if (signals & TERMINAL_END) {
        tui->quitting = true;
    }
    if (signals & TERMINAL_INTERRUPTED) {
        stop(tui);
    }
    if ((signals & TERMINAL_SUSPEND) || tui->suspend) {
        tui->suspend = false;
        terminal_suspend();
        fit_terminal(tui);
        tui->dirty = true;
    } else if (signals & TERMINAL_CONTINUED) {
        terminal_continue();
        tui->dirty = true;
    }
    if (signals & TERMINAL_RESIZED) {
        fit_terminal(tui);
        terminal_redraw();
        tui->dirty = true;
    }
}

/* What a key has made the screen lack often takes a millisecond: a frame without it is not worth showing. */
static bool holds_frame(Tui *tui, double key_seconds)
{
    return tui->want_count > 0 && !fetch_idle(tui->fetch) &&
           (thread_seconds() - key_seconds) * 1000 < HOLD_MILLISECONDS;
}

/* How long to wait for a key, or for what is computed, before the next look; -1: without end. */
static int patience(Tui *tui, bool hold, double key_seconds)
{
    if (hold) {
        return HOLD_MILLISECONDS / 2;
    }
    if (tui_settled(tui)) {
        return -1;
    }
    return (thread_seconds() - key_seconds) * 1000 < PATIENCE_MILLISECONDS ? FRAME_MILLISECONDS
                                                                           : IDLE_MILLISECONDS;
}

static void loop(Tui *tui)
{
    Event event;
    uint64_t presented = tui->drawn - 1;
    double key_seconds = thread_seconds();
    while (!tui->quitting && !session_quitting(tui->session)) {
        take_signals(tui);
        for (int i = 0; i < EVENTS_PER_FRAME_MAX && !tui->quitting && terminal_event(&event); i++) {
            tui_handle(tui, &event);
            key_seconds = thread_seconds();
        }
        requests_serve(tui);
        do {
            tui_update(tui); /* each typed key sees the screen that the one before made */
        } while (!tui->quitting && tui_take_typed(tui));
        bool hold = holds_frame(tui, key_seconds);
        if (tui->drawn != presented && !hold) {
            terminal_present(&tui->grid);
            presented = tui->drawn;
        }
        if (!tui->quitting && !tui->suspend && !session_quitting(tui->session)) {
            terminal_wait(patience(tui, hold, key_seconds));
        }
    }
}

static void rest_fetch(Tui *tui)
{
    fetch_post(tui->fetch, NULL, 0);
    while (!fetch_idle(tui->fetch)) {
        terminal_wait(1);
    }
}

int tui_run(Tui *tui, Error *error)
{
    Settings settings = session_settings(tui->session);
    Error trouble = {0};
    if (!terminal_open(settings.color, settings.mouse, error)) {
        return -1;
    }
    tui->settings = settings;
    if (!preferences_load(&tui->preferences, &trouble)) {
        tui_fail(tui, &trouble);
    }
    tui->utf8 = terminal_utf8();
    tui->colors = terminal_colors();
    atomic_store(&tui->terminal, true);
    fit_terminal(tui);
    requests_open(tui);
    loop(tui);
    requests_close(tui);
    rest_fetch(tui); /* it must not wake a terminal that is closed */
    atomic_store(&tui->terminal, false);
    bool ended = (terminal_signals() & TERMINAL_END) != 0;
    int signal_number = terminal_end_signal();
    terminal_close();
    preferences_save(&tui->preferences, NULL); /* nobody is left to be told of a failure */
    return ended ? 128 + signal_number : 0;
}
