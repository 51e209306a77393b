#include "config.h"

#include "explore/session.h"

#include <string.h>
#include <time.h>

#include "base/file.h"
#include "explore/command.h"
#include "explore/command_parts.h"
#include "explore/session_parts.h"

enum {
    AWAIT_MILLISECONDS = 20,
    OPENERS = 2 /* one that is being stopped, and one that takes its place */
};

void session_lock(Session *session)
{
    pthread_mutex_lock(&session->lock);
}

void session_unlock(Session *session)
{
    pthread_mutex_unlock(&session->lock);
}

void session_changed(Session *session)
{
    atomic_fetch_add_explicit(&session->changes, 1, memory_order_relaxed);
    pthread_cond_broadcast(&session->changed);
}

void session_await(Session *session)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += AWAIT_MILLISECONDS * 1000000L;
    if (until.tv_nsec >= 1000000000L) {
        until.tv_nsec -= 1000000000L;
        until.tv_sec++;
    }
    pthread_cond_timedwait(&session->changed, &session->lock, &until);
}

uint64_t session_changes(const Session *session)
{
    return atomic_load_explicit(&session->changes, memory_order_relaxed);
}

Session *session_new(unsigned workers, Error *error)
{
    Session *session = mem_zero(1, sizeof *session, error);
    if (session == NULL) {
        return NULL;
    }
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&session->lock, NULL);
    pthread_cond_init(&session->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    session->settings = settings_default();
    session->workers = workers == 0 ? thread_online_cores() : workers;
    session->pool = pool_new(session->workers, error);
    session->openers = session->pool == NULL ? NULL : pool_new(OPENERS, error);
    session->commands = session->openers == NULL ? NULL : commands_new(error);
    if (session->commands == NULL || !commands_add_own(session->commands, error)) {
        session_free(session);
        return NULL;
    }
    return session;
}

static void session_drop(Session *session, Dataset *dataset)
{
    if (dataset != NULL) {
        dataset_release(session, dataset);
    }
}

void session_free(Session *session)
{
    if (session == NULL) {
        return;
    }
    session_lock(session);
    session->closing = true;
    session_unlock(session);
    session_cancel_all(session);
    pool_free(session->openers);
    pool_free(session->pool);
    jobs_free(session);
    session_drop(session, session->open);
    vec_free(&session->datasets);
    for (size_t i = 0; i < session->history.count; i++) {
        mem_free(session->history.items[i]);
    }
    vec_free(&session->history);
    commands_free(session->commands);
    pthread_cond_destroy(&session->changed);
    pthread_mutex_destroy(&session->lock);
    mem_free(session);
}

CommandSet *session_commands(Session *session)
{
    return session->commands;
}

void session_quit(Session *session)
{
    atomic_store(&session->quitting, true);
}

bool session_quitting(const Session *session)
{
    return atomic_load(&session->quitting);
}

/* ---- history ---- */

bool session_history_add(Session *session, const char *line, Error *error)
{
    char *copy = mem_copy_text(line, strlen(line), error);
    if (copy == NULL) {
        return false;
    }
    session_lock(session);
    bool added = vec_push(&session->history, copy, error);
    session_unlock(session);
    if (!added) {
        mem_free(copy);
    }
    return added;
}

size_t session_history_count(Session *session)
{
    session_lock(session);
    size_t count = session->history.count;
    session_unlock(session);
    return count;
}

bool session_history_line(Session *session, size_t index, Text *line)
{
    session_lock(session);
    bool there = index < session->history.count;
    if (there) {
        text_append(line, session->history.items[index]);
    }
    session_unlock(session);
    return there;
}

/* ---- datasets ---- */

static void dataset_free(Dataset *dataset)
{
    for (size_t i = 0; i < dataset->entries.count; i++) {
        results_free(dataset->entries.items[i]->results);
        mem_free(dataset->entries.items[i]);
    }
    vec_free(&dataset->entries);
    capture_free(dataset->capture);
    mem_free(dataset->path);
    mem_free(dataset);
}

void dataset_release(Session *session, Dataset *dataset)
{
    session_lock(session);
    bool last = --dataset->references == 0;
    for (size_t i = 0; last && i < session->datasets.count; i++) {
        if (session->datasets.items[i] == dataset) {
            session->datasets.items[i] = session->datasets.items[--session->datasets.count];
        }
    }
    for (size_t i = 0; last && i < dataset->entries.count; i++) {
        session->bulky_bytes -= results_bulky_bytes(dataset->entries.items[i]->results);
    }
    session_unlock(session);
    if (last) {
        dataset_free(dataset);
    }
}

static Dataset *dataset_new(const char *path, Error *error)
{
    Dataset *dataset = mem_zero(1, sizeof *dataset, error);
    char *copy = dataset == NULL ? NULL : mem_copy_text(path, strlen(path), error);
    if (copy == NULL) {
        mem_free(dataset);
        return NULL;
    }
    dataset->path = copy;
    dataset->references = 1;
    dataset->loading = true;
    dataset->tile = -1;
    return dataset;
}

/* ---- loading ---- */

typedef struct Loading {
    Session *session;
    Dataset *dataset;
    const Progress *progress;
} Loading;

static bool loading_add(const Loading *loading, const Phase *phase, uint16_t tile_count, Error *error)
{
    Dataset *dataset = loading->dataset;
    PhaseEntry *entry = mem_zero(1, sizeof *entry, error);
    PhaseResults *results = results_new(dataset, error);
    bool done = entry != NULL && results != NULL &&
                geometry_compute(phase, tile_count, NULL, &entry->geometry, error);
    if (done) {
        entry->phase = phase;
        entry->results = results;
        session_lock(loading->session);
        entry->index = (uint32_t)dataset->entries.count;
        dataset->tile_count = tile_count;
        done = vec_push(&dataset->entries, entry, error);
        if (done && entry->index == 0) { /* from here on it is the one that is seen */
            jobs_cancel_others(loading->session, loading->progress);
        }
        session_changed(loading->session);
        session_unlock(loading->session);
    }
    if (!done) {
        results_free(results);
        mem_free(entry);
    }
    return done;
}

static void loading_phase(void *context, const Phase *phase, uint16_t tile_count)
{
    Loading *loading = context;
    Dataset *dataset = loading->dataset;
    if (!dataset->failed && !loading_add(loading, phase, tile_count, &dataset->failure)) {
        dataset->failed = true;
    }
}

static void loading_abandon(void *context, Capture *capture)
{
    Loading *loading = context;
    loading->dataset->capture = capture; /* freed with the dataset; views do not look at it while `loading` */
}

/* Makes `dataset` the one that loads, once no other does. A load that still runs is given up for it. */
static bool loading_begin(Session *session, Dataset *dataset, Progress *progress, Error *error)
{
    session_lock(session);
    bool done = true;
    if (session->loading != NULL) {
        jobs_cancel_other_openings(session, progress);
    }
    while (session->loading != NULL && (done = progress_go_on(progress, error))) {
        session_await(session);
    }
    done = done && vec_push(&session->datasets, dataset, error);
    if (done) {
        session->loading = dataset;
        session_changed(session);
    }
    session_unlock(session);
    return done;
}

/* Opens what was loaded, or goes back. Returns the dataset that is left. */
static Dataset *loading_end(Session *session, Dataset *dataset, Capture *capture)
{
    session_lock(session);
    Dataset *left = dataset;
    session->loading = NULL;
    if (capture != NULL) {
        dataset->capture = capture;
        dataset->tile_count = capture->tile_count;
        dataset->loading = false;
        left = session->open;
        session->open = dataset;
    }
    session_changed(session);
    session_unlock(session);
    return left;
}

/* A path that leads nowhere is told at once, and neither waits for nor ends a load that runs. */
static bool leads_somewhere(const char *path, Error *error)
{
    Text nothing = {0};
    bool there = strcmp(path, "-") == 0 || file_exists(path) || file_read_text(path, 0, &nothing, error);
    text_free(&nothing);
    return there;
}

void session_keep_input(Session *session)
{
    session->keeps_input = true;
}

bool session_load(Session *session, const char *path, Progress *progress, Error *error)
{
    if (session->keeps_input && strcmp(path, "-") == 0) {
        return error_set(
            error, ERROR_INPUT,
            "standard input has the commands, not a capture: name a file, or use exscope - -e ...");
    }
    if (!leads_somewhere(path, error)) {
        return false;
    }
    Dataset *dataset = dataset_new(path, error);
    if (dataset == NULL) {
        return false;
    }
    if (!loading_begin(session, dataset, progress, error)) {
        dataset_free(dataset);
        return false;
    }
    Loading loading = {session, dataset, progress};
    CaptureWatcher watcher = {.phase = loading_phase, .abandon = loading_abandon, .context = &loading};
    Capture *capture = capture_load(path, &watcher, progress, error);
    if (capture != NULL && dataset->failed) {
        loading_abandon(&loading, capture);
        capture = NULL;
        if (error != NULL) {
            *error = dataset->failure;
        }
    }
    session_drop(session, loading_end(session, dataset, capture));
    return capture != NULL;
}

static bool load_job(Session *session, void *context, Progress *progress, Error *error)
{
    return session_load(session, context, progress, error);
}

bool session_load_start(Session *session, const char *path, uint32_t *job, Error *error)
{
    char *copy = mem_copy_text(path, strlen(path), error);
    if (copy == NULL) {
        return false;
    }
    Text title = {0};
    text_printf(&title, "load %s", path);
    bool done = session_run_opening(session, text_view(&title), load_job, copy, mem_free, job, error);
    text_free(&title);
    if (!done) {
        mem_free(copy);
    }
    return done;
}
