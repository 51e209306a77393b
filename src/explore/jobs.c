/* Jobs: what runs on the workers, listed and stopped by id. */
#include "config.h"

#include <string.h>

#include "explore/session_parts.h"

enum { JOBS_REMEMBERED = 100 };

const char *job_state_name(JobState state)
{
    static const char *const names[] = {"queued", "running", "done", "failed", "cancelled"};
    return names[state];
}

static bool job_ended(const Job *job)
{
    return job->state != JOB_QUEUED && job->state != JOB_RUNNING;
}

/* With the lock: forgets the oldest ended jobs beyond those that are remembered. */
static void jobs_forget(Session *session)
{
    size_t settled = 0, kept = 0;
    for (size_t i = 0; i < session->jobs.count; i++) {
        settled += session->jobs.items[i]->settled;
    }
    for (size_t i = 0; i < session->jobs.count; i++) {
        Job *job = session->jobs.items[i];
        if (job->settled && settled > JOBS_REMEMBERED) {
            settled--;
            mem_free(job);
        } else {
            session->jobs.items[kept++] = job;
        }
    }
    session->jobs.count = kept;
}

static void job_task(void *argument)
{
    Job *job = argument;
    Session *session = job->session;
    session_lock(session);
    bool run = job->state == JOB_QUEUED;
    if (run) {
        job->state = JOB_RUNNING;
        job->started = thread_seconds();
        session_changed(session);
    }
    session_unlock(session);
    Error error = {0};
    bool done = run && job->function(session, job->context, &job->progress, &error);
    if (job->release != NULL) {
        job->release(job->context);
    }
    session_lock(session);
    if (run) {
        job->state = done ? JOB_DONE : error.kind == ERROR_CANCELLED ? JOB_CANCELLED : JOB_FAILED;
        job->error = error;
        job->seconds = thread_seconds() - job->started;
    }
    job->settled = true;
    jobs_forget(session);
    session_changed(session);
    session_unlock(session);
}

/* With the lock. */
static bool jobs_add(Session *session, Job *job, Error *error)
{
    if (session->closing) {
        return error_set(error, ERROR_CANCELLED, "cancelled");
    }
    if (!vec_push(&session->jobs, job, error)) {
        return false;
    }
    job->id = ++session->last_job;
    if (!pool_submit(job->opens ? session->openers : session->pool, job_task, job, error)) {
        session->jobs.count--;
        return false;
    }
    session_changed(session);
    return true;
}

static bool jobs_start(Session *session, const char *title, JobFunction function, void *context,
                       void (*release)(void *context), bool opens, uint32_t *id, Error *error)
{
    Job *job = mem_zero(1, sizeof *job, error);
    if (job == NULL) {
        return false;
    }
    job->state = JOB_QUEUED;
    job->session = session;
    job->function = function;
    job->context = context;
    job->release = release;
    job->opens = opens;
    text_copy_visible(job->title, sizeof job->title, title, strlen(title));
    session_lock(session);
    bool done = jobs_add(session, job, error);
    if (done && id != NULL) {
        *id = job->id;
    }
    session_unlock(session);
    if (!done) {
        mem_free(job);
    }
    return done;
}

bool session_run(Session *session, const char *title, JobFunction function, void *context,
                 void (*release)(void *context), uint32_t *id, Error *error)
{
    return jobs_start(session, title, function, context, release, false, id, error);
}

bool session_run_opening(Session *session, const char *title, JobFunction function, void *context,
                         void (*release)(void *context), uint32_t *id, Error *error)
{
    return jobs_start(session, title, function, context, release, true, id, error);
}

/* With the lock. */
static void job_info(const Job *job, JobInfo *info)
{
    *info = (JobInfo){.id = job->id,
                      .state = job->state,
                      .seconds = job->seconds,
                      .error = job->error,
                      .opens = job->opens};
    memcpy(info->title, job->title, sizeof info->title);
    if (job->state == JOB_RUNNING) {
        info->done = atomic_load(&job->progress.done);
        info->total = atomic_load(&job->progress.total);
        info->stage = atomic_load(&job->progress.stage);
        info->seconds = thread_seconds() - job->started;
    }
}

size_t session_jobs(Session *session, JobInfo *jobs, size_t capacity)
{
    session_lock(session);
    size_t count = session->jobs.count;
    for (size_t i = 0; i < count && i < capacity; i++) {
        job_info(session->jobs.items[count - 1 - i], &jobs[i]);
    }
    session_unlock(session);
    return count;
}

/* With the lock. */
static Job *jobs_find(Session *session, uint32_t id)
{
    for (size_t i = session->jobs.count; i-- > 0;) {
        if (session->jobs.items[i]->id == id) {
            return session->jobs.items[i];
        }
    }
    return NULL;
}

bool session_job(Session *session, uint32_t id, JobInfo *info)
{
    session_lock(session);
    const Job *job = jobs_find(session, id);
    if (job != NULL) {
        job_info(job, info);
    }
    session_unlock(session);
    return job != NULL;
}

/* With the lock. */
static bool job_stop(Job *job)
{
    if (job_ended(job)) {
        return false;
    }
    atomic_store(&job->progress.cancel, true);
    if (job->state == JOB_QUEUED) {
        job->state = JOB_CANCELLED;
        error_set(&job->error, ERROR_CANCELLED, "cancelled");
    }
    session_changed(job->session);
    return true;
}

bool session_cancel(Session *session, uint32_t id)
{
    session_lock(session);
    Job *job = jobs_find(session, id);
    bool stopped = job != NULL && job_stop(job);
    session_unlock(session);
    return stopped;
}

void session_cancel_all(Session *session)
{
    session_lock(session);
    for (size_t i = 0; i < session->jobs.count; i++) {
        job_stop(session->jobs.items[i]);
    }
    session_unlock(session);
}

static void cancel_others(Session *session, const Progress *own, bool openings_only)
{
    for (size_t i = 0; i < session->jobs.count; i++) {
        Job *job = session->jobs.items[i];
        bool mine = false;
        for (const Progress *at = own; at != NULL; at = at->also) {
            mine = mine || at == &job->progress;
        }
        if (!mine && (job->opens || !openings_only)) {
            job_stop(job);
        }
    }
}

void jobs_cancel_others(Session *session, const Progress *own)
{
    cancel_others(session, own, false);
}

void jobs_cancel_other_openings(Session *session, const Progress *own)
{
    cancel_others(session, own, true);
}

bool session_wait(Session *session, uint32_t id, Progress *progress, Error *error)
{
    session_lock(session);
    bool done = true;
    for (;;) {
        const Job *job = jobs_find(session, id);
        if (job == NULL || job_ended(job)) {
            done = job == NULL ? error_set(error, ERROR_USAGE, "there is no job %u", (unsigned)id)
                               : job->state == JOB_DONE;
            if (job != NULL && !done && error != NULL) {
                *error = job->error;
            }
            break;
        }
        if (!progress_go_on(progress, error)) {
            done = false;
            break;
        }
        progress_copy(progress, &job->progress);
        session_await(session);
    }
    session_unlock(session);
    return done;
}

void jobs_free(Session *session)
{
    for (size_t i = 0; i < session->jobs.count; i++) {
        mem_free(session->jobs.items[i]);
    }
    vec_free(&session->jobs);
}

/* ---- many items at once ---- */

/* Shared by the thread that asked and its helpers on the workers. A helper may start long after the work is
 * over: it then finds no item left and looks at nothing else. */
typedef struct Parallel {
    pthread_mutex_t lock;
    pthread_cond_t idle; /* no item is being worked on */
    unsigned references;
    size_t count, next, finished;
    unsigned busy;
    ParallelItem item;
    void *context;
    Progress *progress;
    size_t failed; /* lowest index that failed; `count` when none did */
    Error error;
} Parallel;

static void parallel_drop(Parallel *work)
{
    pthread_mutex_lock(&work->lock);
    bool last = --work->references == 0;
    pthread_mutex_unlock(&work->lock);
    if (last) {
        pthread_cond_destroy(&work->idle);
        pthread_mutex_destroy(&work->lock);
        mem_free(work);
    }
}

/* Takes items until none is left. Items are taken in ascending order and a failure only stops the taking, so
 * the lowest failure is the same however many threads there are. */
static void parallel_work(Parallel *work)
{
    pthread_mutex_lock(&work->lock);
    while (work->next < work->count && work->failed == work->count) {
        size_t index = work->next++;
        work->busy++;
        pthread_mutex_unlock(&work->lock);
        Progress progress = {.also = work->progress};
        Error error = {0};
        bool done = progress_go_on(&progress, &error) && work->item(work->context, index, &progress, &error);
        pthread_mutex_lock(&work->lock);
        if (!done && index < work->failed) {
            work->failed = index;
            work->error = error;
        }
        progress_set(work->progress, ++work->finished);
        if (--work->busy == 0) {
            pthread_cond_broadcast(&work->idle);
        }
    }
    pthread_mutex_unlock(&work->lock);
}

static void parallel_helper(void *argument)
{
    parallel_work(argument);
    parallel_drop(argument);
}

bool session_parallel(Session *session, size_t count, const char *stage, ParallelItem item, void *context,
                      Progress *progress, Error *error)
{
    if (count <= 1) {
        return count == 0 || item(context, 0, progress, error);
    }
    Parallel *work = mem_zero(1, sizeof *work, error);
    if (work == NULL) {
        return false;
    }
    pthread_mutex_init(&work->lock, NULL);
    pthread_cond_init(&work->idle, NULL);
    size_t helpers = count < session->workers ? count - 1 : session->workers - 1;
    work->references = 1 + (unsigned)helpers;
    work->count = work->failed = count;
    work->item = item;
    work->context = context;
    work->progress = progress;
    progress_stage(progress, stage, count);
    for (size_t i = 0; i < helpers; i++) {
        if (!pool_submit(session->pool, parallel_helper, work, NULL)) {
            parallel_drop(work); /* fewer helpers do as well */
        }
    }
    parallel_work(work);
    pthread_mutex_lock(&work->lock);
    while (work->busy != 0) {
        pthread_cond_wait(&work->idle, &work->lock);
    }
    bool done = work->failed == work->count;
    if (!done && error != NULL) {
        *error = work->error;
    }
    pthread_mutex_unlock(&work->lock);
    parallel_drop(work);
    return done;
}
