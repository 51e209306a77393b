#include "config.h"

#include "repl/face.h"

#include <errno.h>
#include <langinfo.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "base/thread.h"
#include "explore/lexer.h"

/* A signal handler has no argument: these two are what it may touch. */
static _Atomic(Progress *) signal_progress;
static volatile sig_atomic_t signal_last;

static void face_on_signal(int number)
{
    signal_last = number;
    Progress *progress = atomic_load(&signal_progress);
    if (progress != NULL) {
        atomic_store(&progress->cancel, true);
    }
}

/* ---- progress line ---- */

enum {
    LINE_FIRST_MILLISECONDS = 300,
    LINE_NEXT_MILLISECONDS = 100,
    LINE_PLAIN_MILLISECONDS = 5000,
    BAR_CELLS = 24
};

static void line_draw(const ProgressLine *line, double seconds)
{
    const Progress *progress = line->progress;
    const char *stage = atomic_load(&progress->stage);
    uint64_t done = atomic_load(&progress->done), total = atomic_load(&progress->total);
    char share[16] = "", bar[BAR_CELLS + 4] = "";
    if (total != 0) {
        double part = done < total ? (double)done / (double)total : 1;
        snprintf(share, sizeof share, " %.0f%%", 100 * part);
        memset(bar, '.', BAR_CELLS);
        memset(bar, '#', (size_t)(part * BAR_CELLS));
        memcpy(bar + BAR_CELLS, "  ", 3);
    }
    if (stage == NULL) {
        stage = "working";
    }
    if (line->plain) {
        fprintf(stderr, "exscope: %s%s, %.0f s\n", stage, share, seconds);
    } else {
        fprintf(stderr, "\r\033[K%s%s%s  %.1f s (Ctrl-C stops)", bar, stage, share, seconds);
    }
    fflush(stderr);
}

static void wait_until(ProgressLine *line, long milliseconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += milliseconds / 1000;
    until.tv_nsec += milliseconds % 1000 * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    while (!line->ending && pthread_cond_timedwait(&line->end, &line->lock, &until) == 0) {
    }
}

static void *line_thread(void *argument)
{
    ProgressLine *line = argument;
    double start = thread_seconds();
    bool drawn = false;
    pthread_mutex_lock(&line->lock);
    wait_until(line, line->plain ? LINE_PLAIN_MILLISECONDS : LINE_FIRST_MILLISECONDS);
    while (!line->ending) {
        line_draw(line, thread_seconds() - start);
        drawn = true;
        wait_until(line, line->plain ? LINE_PLAIN_MILLISECONDS : LINE_NEXT_MILLISECONDS);
    }
    pthread_mutex_unlock(&line->lock);
    if (drawn && !line->plain) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
    return NULL;
}

static void line_start(Face *face, bool batch)
{
    ProgressLine *line = &face->line;
    line->plain = isatty(STDERR_FILENO) == 0;
    if (line->running || (line->plain && !batch) || session_settings(face->interpreter.session).quiet) {
        return;
    }
    line->ending = false;
    line->progress = &face->progress;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals stay with the main thread */
    line->running = pthread_create(&line->thread, NULL, line_thread, line) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void line_stop(Face *face)
{
    ProgressLine *line = &face->line;
    if (line->running) {
        pthread_mutex_lock(&line->lock);
        line->ending = true;
        pthread_cond_signal(&line->end);
        pthread_mutex_unlock(&line->lock);
        pthread_join(line->thread, NULL);
        line->running = false;
    }
}

/* ---- the interpreter's ends ---- */

static void face_begin(void *context, const Command *command)
{
    if ((command->flags & (COMMAND_INSTANT | COMMAND_RUNS_OTHERS)) == 0) {
        line_start(context, false);
    }
}

static void face_end(void *context)
{
    line_stop(context);
}

void face_say(bool ascii, const char *where, const char *message)
{
    Text line = {0};
    text_append(&line, where);
    text_append(&line, where[0] == '\0' ? "" : ": ");
    text_append(&line, message);
    if (ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0) {
        Text plain = {0};
        text_append_ascii(&plain, text_view(&line), line.length);
        text_free(&line);
        line = plain;
    }
    fprintf(stderr, "exscope: %s\n", text_ok(&line, NULL) ? text_view(&line) : message);
    text_free(&line);
}

static void face_tell(void *context, const char *where, const char *line, const Error *error)
{
    const Face *face = context;
    (void)line;
    if (!face->pipe_closed) {
        face_say(session_settings(face->interpreter.session).ascii, where, error->message);
    }
}

static bool face_write(void *context, const char *bytes, size_t length, Error *error)
{
    Face *face = context;
    Sink sink = sink_descriptor(&face->output);
    if (sink.write(sink.context, bytes, length, error)) {
        return true;
    }
    face->pipe_closed = errno == EPIPE;
    return false;
}

static void take_signal(int number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler};
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL); /* no SA_RESTART: reads and waits end, and look at the cancel flag */
}

void face_open(Face *face, Session *session, int output)
{
    *face = (Face){.output = output};
    face->interpreter = (Interpreter){.session = session,
                                      .sink = {face_write, face},
                                      .indent = isatty(output) != 0,
                                      .progress = &face->progress,
                                      .failed = face_tell,
                                      .begin = face_begin,
                                      .end = face_end,
                                      .context = face};
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&face->line.lock, NULL);
    pthread_cond_init(&face->line.end, &monotonic);
    pthread_condattr_destroy(&monotonic);
    atomic_store(&signal_progress, &face->progress);
    take_signal(SIGINT, face_on_signal);
    take_signal(SIGTERM, face_on_signal);
    take_signal(SIGHUP, face_on_signal);
    take_signal(SIGPIPE, SIG_IGN);
}

void face_close(Face *face)
{
    take_signal(SIGINT, SIG_DFL);
    take_signal(SIGTERM, SIG_DFL);
    take_signal(SIGHUP, SIG_DFL);
    atomic_store(&signal_progress, NULL);
    pthread_cond_destroy(&face->line.end);
    pthread_mutex_destroy(&face->line.lock);
}

void face_failed(Face *face, const char *command, const Error *error)
{
    interpreter_failed(&face->interpreter, command, error);
}

bool face_load(Face *face, const char *path)
{
    Error error = {0};
    line_start(face, false);
    bool done = session_load(face->interpreter.session, path, &face->progress, &error);
    line_stop(face);
    if (!done) {
        Text command = {0};
        text_append(&command, "load ");
        line_append_word(&command, path);
        face_failed(face, text_view(&command), &error);
        text_free(&command);
    }
    return done;
}

void face_batch_begin(Face *face)
{
    line_start(face, true);
}

void face_batch_end(Face *face)
{
    line_stop(face);
}

int face_status(const Face *face, bool done)
{
    if (progress_cancelled(&face->progress) && signal_last != 0) {
        return 128 + (int)signal_last;
    }
    return done && !face->interpreter.output_failed ? 0 : 1;
}

int face_signal(void)
{
    return (int)signal_last;
}

void face_rearm(Face *face)
{
    if (signal_last == SIGINT) {
        signal_last = 0;
        atomic_store(&face->progress.cancel, false);
    }
}
