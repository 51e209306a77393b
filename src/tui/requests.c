/* `keys` and `screen`: what scripts, tests and the documentation drive the explorer with.
 *
 * One thread at a time owns the explorer: the one in tui_run(), or, without a terminal, the one that runs
 * such a command. A command on another thread (a script that runs as a job) leaves a request and waits until
 * the owner serves it. */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "explore/command.h"
#include "tui/app.h"

enum { WAIT_MILLISECONDS = 20, SETTLE_MICROSECONDS = 500 };

typedef struct Request {
    bool (*serve)(Tui *tui, const struct Request *request, Error *error);
    const char *text;  /* the keys, or the file */
    int rows, columns; /* 0: as they are */
    bool replace;
    Progress *progress;
    Error *error;
    bool foreign; /* of another thread than the owner */
    bool serving, succeeded, done;
} Request;

static void sleep_shortly(long microseconds)
{
    struct timespec pause = {.tv_nsec = microseconds * 1000};
    nanosleep(&pause, NULL);
}

/* ---- on the owner's thread ---- */

/* Without a terminal: runs the explorer until nothing is going on; the next key is typed only then. */
static bool settle(Tui *tui, Progress *progress, Error *error)
{
    do {
        do {
            tui_update(tui);
            requests_serve(tui);
            if (!progress_go_on(progress, error)) {
                return false;
            }
            if (!tui_settled(tui)) {
                sleep_shortly(SETTLE_MICROSECONDS);
            }
        } while (!tui_settled(tui));
    } while (tui_take_typed(tui));
    tui->quitting = false; /* there is no terminal to leave */
    return true;
}

static bool prepare(Tui *tui, const Request *request, Error *error)
{
    if (tui->terminal) {
        return true;
    }
    tui->dirty = true;
    return request->rows == 0 || tui_resize(tui, request->rows, request->columns, error);
}

/* Someone waits for the screen to settle further up: it must not be waited for here too. */
static bool may_settle(const Tui *tui, const Request *request)
{
    return !tui->terminal && !tui->handling && !request->foreign;
}

static bool serve_keys(Tui *tui, const Request *request, Error *error)
{
    if (!prepare(tui, request, error)) {
        return false;
    }
    text_append(&tui->typed, request->text);
    if (!text_ok(&tui->typed, error)) {
        tui->typed.failed = false; /* nothing was appended */
        return false;
    }
    bool done = true;
    if (may_settle(tui, request)) {
        done = settle(tui, request->progress, error);
    }
    while (done && request->foreign && tui_take_typed(tui)) { /* else the loop that is running types them */
        tui_update(tui);
    }
    if (!done) {
        text_clear(&tui->typed); /* the rest is not for the next `keys` */
        tui->typed_start = 0;
    }
    return done;
}

static bool serve_screen(Tui *tui, const Request *request, Error *error)
{
    if (!prepare(tui, request, error) ||
        (may_settle(tui, request) && !settle(tui, request->progress, error))) {
        return false;
    }
    tui->dirty = true;
    tui_update(tui);
    Text text = {0};
    grid_append_text(&tui->grid, &text);
    bool done = text_ok(&text, error) &&
                file_write_text(request->text, text_view(&text), text.length, request->replace, error);
    text_free(&text);
    return done;
}

/* ---- who owns the explorer ---- */

/* Becomes the owner. False when another thread is; *again tells that this one was already. */
static bool own(Tui *tui, bool *again)
{
    pthread_mutex_lock(&tui->request_lock);
    *again = tui->owned && pthread_equal(tui->owner, pthread_self());
    bool mine = !tui->owned || *again;
    if (mine) {
        tui->owned = true;
        tui->owner = pthread_self();
    }
    pthread_mutex_unlock(&tui->request_lock);
    return mine;
}

void requests_open(Tui *tui)
{
    bool again;
    while (!own(tui, &again)) { /* a script is still driving it without a terminal */
        sleep_shortly(SETTLE_MICROSECONDS);
    }
}

void requests_close(Tui *tui)
{
    pthread_mutex_lock(&tui->request_lock);
    tui->owned = false;
    pthread_cond_broadcast(&tui->request_done);
    pthread_mutex_unlock(&tui->request_lock);
}

void requests_serve(Tui *tui)
{
    pthread_mutex_lock(&tui->request_lock);
    Request *request = tui->request;
    if (request != NULL && !request->done && !request->serving) {
        request->serving = true; /* from here on its thread waits for us, whatever happens */
        pthread_mutex_unlock(&tui->request_lock);
        request->succeeded = request->serve(tui, request, request->error);
        pthread_mutex_lock(&tui->request_lock);
        request->done = true;
        pthread_cond_broadcast(&tui->request_done);
    }
    pthread_mutex_unlock(&tui->request_lock);
}

/* ---- on another thread ---- */

/* Under the lock: waits a moment for a change; false when cancelled. */
static bool await(Tui *tui, const Request *request)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += WAIT_MILLISECONDS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_cond_timedwait(&tui->request_done, &tui->request_lock, &until);
    return progress_go_on(request->progress, request->error);
}

static bool leave_request(Tui *tui, Request *request)
{
    bool go_on = true;
    request->foreign = true;
    pthread_mutex_lock(&tui->request_lock);
    while (go_on && tui->owned && tui->request != NULL) {
        go_on = await(tui, request);
    }
    if (go_on && tui->owned) {
        tui->request = request;
        tui_wake(tui);
        while (!request->done && (request->serving || (go_on && tui->owned))) {
            go_on = await(tui, request);
        }
        tui->request = NULL;
        pthread_cond_broadcast(&tui->request_done);
    }
    if (go_on && !request->done) {
        error_set(request->error, ERROR_CANCELLED, "the explorer has ended");
    }
    pthread_mutex_unlock(&tui->request_lock);
    return request->done && request->succeeded;
}

/* ---- the commands ---- */

/* "132x43": columns, then rows, as terminals say it. */
static bool parse_size(const char *text, Request *request, Error *error)
{
    int used = 0;
    if (text == NULL) {
        return true;
    }
    // NOLINTNEXTLINE(cert-err34-c): four digits cannot overflow
    if (sscanf(text, "%4dx%4d%n", &request->columns, &request->rows, &used) != 2 || text[used] != '\0' ||
        request->columns < 1 || request->rows < 1 || request->columns > GRID_SIDE_MAX ||
        request->rows > GRID_SIDE_MAX) {
        return error_set(error, ERROR_USAGE, "'%s' is no size: COLUMNSxROWS is, such as 132x43", text);
    }
    return true;
}

static bool run_request(CommandCall *call, Request *request, Error *error)
{
    Tui *tui = call->context;
    bool again;
    request->progress = call->progress;
    request->error = error;
    if (!parse_size(argument_text(call, "--size"), request, error)) {
        return false;
    }
    if (!own(tui, &again)) {
        return leave_request(tui, request);
    }
    bool done = request->serve(tui, request, error);
    if (!again) {
        requests_close(tui);
    }
    return done;
}

static bool command_keys(CommandCall *call, Error *error)
{
    Request request = {.serve = serve_keys, .text = argument_text(call, "STRING")};
    return input_check(request.text, error) && run_request(call, &request, error);
}

static bool command_screen(CommandCall *call, Error *error)
{
    Request request = {.serve = serve_screen,
                       .text = argument_text(call, "FILE"),
                       .replace = argument_given(call, "--force")};
    if (!request.replace && file_exists(request.text)) {
        return error_set(error, ERROR_REFUSED, "%s: exists already (--force replaces it)", request.text);
    }
    return run_request(call, &request, error);
}

static const Parameter keys_parameters[] = {
    {"STRING", PARAMETER_TEXT, PARAMETER_REQUIRED, NULL, "the keys, names in angle brackets"},
    {"--size", PARAMETER_TEXT, 0, NULL, "COLUMNSxROWS, without a terminal"},
    {0},
};

static const Parameter screen_parameters[] = {
    {"FILE", PARAMETER_FILE, PARAMETER_REQUIRED, NULL, "where the text goes"},
    {"--size", PARAMETER_TEXT, 0, NULL, "COLUMNSxROWS, without a terminal"},
    {"--force", PARAMETER_FLAG, 0, NULL, "replace FILE"},
    {0},
};

static const Command commands[] = {
    {"keys", "type keys into the explorer", "keys 'jj<Enter>3'",
     "Characters stand for themselves. Other keys are named in angle brackets: <Enter> <Esc> <Tab> <S-Tab> "
     "<Space> "
     "<Up> <Down> <Left> <Right> <PgUp> <PgDn> <Home> <End> <Del> <BS> <F1>, <C-x> for Control and x, <lt> "
     "for <, "
     "<Click:ROW:COLUMN>, <DoubleClick:..>, <WheelUp:..> and <WheelDown:..>. Without a terminal the explorer "
     "works "
     "on an unseen screen of 80x24, or of --size; the command ends when everything that the keys began is "
     "done.",
     command_keys, COMMAND_INSTANT, keys_parameters},
    {"screen", "write the explorer's screen as text", "screen phases.txt --size 132x43",
     "What the explorer shows now, without colours. Without a terminal it first waits until everything that "
     "the "
     "screen shows has been computed.",
     command_screen, COMMAND_INSTANT, screen_parameters},
};

bool requests_add_commands(Tui *tui, Error *error)
{
    return commands_add(session_commands(tui->session), commands, sizeof commands / sizeof *commands, tui,
                        error);
}
