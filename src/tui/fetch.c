#include "config.h"

#include "tui/fetch.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "base/memory.h"

struct Fetch {
    Session *session;
    void (*wake)(void *context);
    void *context;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t work;
    _Atomic uint64_t finished;

    /* under the mutex */
    Want wants[FETCH_WANTS_MAX];
    size_t want_count;
    size_t next;  /* those before it are done */
    bool running; /* `current` is being computed */
    Want current;
    bool stopped, ending;
    Progress *progress; /* of `current` */
};

/* ---- tasks ---- */

void task_start(Task *task, bool (*run)(Task *, View *, Progress *, Error *), void (*destroy)(Task *))
{
    task->run = run;
    task->destroy = destroy;
    atomic_init(&task->references, 1);
    atomic_init(&task->state, TASK_WAITING);
}

void task_hold(Task *task)
{
    if (task != NULL) {
        atomic_fetch_add(&task->references, 1);
    }
}

void task_release(Task *task)
{
    if (task != NULL && atomic_fetch_sub(&task->references, 1) == 1) {
        task->destroy(task);
    }
}

bool task_ready(const Task *task)
{
    return task != NULL && atomic_load(&task->state) == TASK_READY;
}

/* ---- the thread ---- */

static bool same_want(const Want *a, const Want *b)
{
    const ResultKey *x = &a->key, *y = &b->key;
    if (a->task != NULL || b->task != NULL) {
        return a->task == b->task;
    }
    return x->entry == y->entry && x->kind == y->kind && x->mode == y->mode && x->scope == y->scope &&
           x->options.stream_words == y->options.stream_words && x->options.balance == y->options.balance;
}

/* The view on what is open now, and only if the wanted phase is still of it: its pointer is then good. */
static bool entry_is_current(View **view, Session *session, const PhaseEntry *entry, uint32_t index)
{
    if (*view == NULL) {
        *view = view_new(session, NULL);
    } else if (!view_refresh(*view, NULL, NULL)) {
        return false;
    }
    return *view != NULL && index < view_phase_count(*view) && view_phase_at(*view, index) == entry;
}

static void compute(const Want *want, View *view, Progress *progress)
{
    Error error = {0};
    if (want->task == NULL) {
        view_need(view, &want->key, progress, &error); /* a failure is kept by the session */
    } else if (want->task->run(want->task, view, progress, &error)) {
        atomic_store(&want->task->state, TASK_READY);
    } else if (error.kind != ERROR_CANCELLED) {
        want->task->error = error;
        atomic_store(&want->task->state, TASK_FAILED);
    }
}

static void *fetch_thread(void *argument)
{
    Fetch *fetch = argument;
    View *view = NULL;
    Want last = {0};
    pthread_mutex_lock(&fetch->mutex);
    while (!fetch->ending) {
        if (fetch->stopped || fetch->next == fetch->want_count) {
            pthread_cond_wait(&fetch->work, &fetch->mutex);
            continue;
        }
        Progress progress = {0};
        fetch->current = fetch->wants[fetch->next++];
        task_hold(fetch->current.task);
        fetch->running = true;
        fetch->progress = &progress;
        Want want = fetch->current;
        pthread_mutex_unlock(&fetch->mutex);

        if (entry_is_current(&view, fetch->session, want.key.entry, want.index)) {
            /* What was made stays pinned until another phase or mode is wanted: the screen must get hold of
             * it before it can be given back. */
            if (want.key.entry != last.key.entry || want.key.mode != last.key.mode) {
                view_unpin(view);
            }
            compute(&want, view, &progress);
            last = want;
        }
        atomic_fetch_add(&fetch->finished, 1);
        fetch->wake(fetch->context);
        task_release(want.task);

        pthread_mutex_lock(&fetch->mutex);
        fetch->running = false;
        fetch->progress = NULL;
    }
    pthread_mutex_unlock(&fetch->mutex);
    view_free(view);
    return NULL;
}

Fetch *fetch_new(Session *session, void (*wake)(void *context), void *context, Error *error)
{
    Fetch *fetch = mem_zero(1, sizeof *fetch, error);
    sigset_t all, before;
    if (fetch == NULL) {
        return NULL;
    }
    fetch->session = session;
    fetch->wake = wake;
    fetch->context = context;
    pthread_mutex_init(&fetch->mutex, NULL);
    pthread_cond_init(&fetch->work, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before); /* signals stay with the interface thread */
    int failure = pthread_create(&fetch->thread, NULL, fetch_thread, fetch);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failure != 0) {
        pthread_cond_destroy(&fetch->work);
        pthread_mutex_destroy(&fetch->mutex);
        mem_free(fetch);
        error_set_errno(error, failure, "cannot start a thread");
        return NULL;
    }
    return fetch;
}

/* Under the mutex. */
static void drop_wants(Fetch *fetch)
{
    for (size_t i = 0; i < fetch->want_count; i++) {
        task_release(fetch->wants[i].task);
    }
    fetch->want_count = fetch->next = 0;
}

void fetch_free(Fetch *fetch)
{
    if (fetch == NULL) {
        return;
    }
    pthread_mutex_lock(&fetch->mutex);
    fetch->ending = true;
    drop_wants(fetch);
    if (fetch->progress != NULL) {
        atomic_store(&fetch->progress->cancel, true);
    }
    pthread_cond_signal(&fetch->work);
    pthread_mutex_unlock(&fetch->mutex);
    pthread_join(fetch->thread, NULL);
    pthread_cond_destroy(&fetch->work);
    pthread_mutex_destroy(&fetch->mutex);
    mem_free(fetch);
}

void fetch_post(Fetch *fetch, const Want *wants, size_t count)
{
    bool still_wanted = false;
    pthread_mutex_lock(&fetch->mutex);
    for (size_t i = 0; i < count; i++) { /* before dropping: a task may be in both */
        task_hold(wants[i].task);
    }
    drop_wants(fetch);
    for (size_t i = 0; i < count; i++) {
        bool same = fetch->running && same_want(&wants[i], &fetch->current);
        if (same || fetch->want_count == FETCH_WANTS_MAX) {
            still_wanted = still_wanted || same;
            task_release(wants[i].task);
            continue;
        }
        /* insertion by priority, stable */
        size_t at = fetch->want_count++;
        while (at > 0 && fetch->wants[at - 1].priority > wants[i].priority) {
            fetch->wants[at] = fetch->wants[at - 1];
            at--;
        }
        fetch->wants[at] = wants[i];
    }
    if (fetch->running && !still_wanted) {
        atomic_store(&fetch->progress->cancel, true);
    }
    if (fetch->want_count > 0) {
        pthread_cond_signal(&fetch->work);
    }
    pthread_mutex_unlock(&fetch->mutex);
}

bool fetch_stop(Fetch *fetch)
{
    pthread_mutex_lock(&fetch->mutex);
    bool any = fetch->running || fetch->next < fetch->want_count;
    if (any) {
        fetch->stopped = true;
    }
    if (fetch->running) {
        atomic_store(&fetch->progress->cancel, true);
    }
    pthread_mutex_unlock(&fetch->mutex);
    return any;
}

void fetch_go_on(Fetch *fetch)
{
    pthread_mutex_lock(&fetch->mutex);
    fetch->stopped = false;
    pthread_cond_signal(&fetch->work);
    pthread_mutex_unlock(&fetch->mutex);
}

bool fetch_current(Fetch *fetch, Want *want)
{
    pthread_mutex_lock(&fetch->mutex);
    bool running = fetch->running;
    *want = fetch->current;
    pthread_mutex_unlock(&fetch->mutex);
    return running;
}

uint64_t fetch_finished(const Fetch *fetch)
{
    return atomic_load(&fetch->finished);
}

bool fetch_idle(Fetch *fetch)
{
    pthread_mutex_lock(&fetch->mutex);
    bool idle = !fetch->running && (fetch->stopped || fetch->next == fetch->want_count);
    pthread_mutex_unlock(&fetch->mutex);
    return idle;
}
