#include "config.h"

#include "base/thread.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"

enum { THREADS_MAX = 256, STACK_BYTES = 8 << 20 };

typedef struct PoolJob {
    struct PoolJob *next;
    PoolTask task;
    void *argument;
} PoolJob;

struct Pool {
    pthread_mutex_t lock;
    pthread_cond_t work; /* a job was queued, or the pool is closing */
    PoolJob *first, *last;
    unsigned threads;
    bool closing;
    pthread_t thread[THREADS_MAX];
};

unsigned thread_online_cores(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > THREADS_MAX ? THREADS_MAX : (unsigned)cores;
}

double thread_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void *pool_worker(void *argument)
{
    Pool *pool = argument;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (pool->first == NULL && !pool->closing) {
            pthread_cond_wait(&pool->work, &pool->lock);
        }
        PoolJob *job = pool->first;
        if (job == NULL) {
            break;
        }
        pool->first = job->next;
        pthread_mutex_unlock(&pool->lock);
        job->task(job->argument);
        mem_free(job);
        pthread_mutex_lock(&pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

Pool *pool_new(unsigned threads, Error *error)
{
    Pool *pool = mem_zero(1, sizeof *pool, error);
    if (pool == NULL) {
        return NULL;
    }
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->work, NULL);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    threads = threads < 1 ? 1 : threads > THREADS_MAX ? THREADS_MAX : threads;
    int failure = 0;
    while (pool->threads < threads && failure == 0) {
        failure = pthread_create(&pool->thread[pool->threads], &attributes, pool_worker, pool);
        pool->threads += failure == 0;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (pool->threads == 0) {
        error_set_errno(error, failure, "cannot start a worker thread");
        pool_free(pool);
        return NULL;
    }
    return pool;
}

bool pool_submit(Pool *pool, PoolTask task, void *argument, Error *error)
{
    PoolJob *job = mem_new(1, sizeof *job, error);
    if (job == NULL) {
        return false;
    }
    *job = (PoolJob){.task = task, .argument = argument};
    pthread_mutex_lock(&pool->lock);
    if (pool->first == NULL) {
        pool->first = job;
    } else {
        pool->last->next = job;
    }
    pool->last = job;
    pthread_cond_signal(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    return true;
}

void pool_free(Pool *pool)
{
    if (pool == NULL) {
        return;
    }
    pthread_mutex_lock(&pool->lock);
    pool->closing = true;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    for (unsigned i = 0; i < pool->threads; i++) {
        pthread_join(pool->thread[i], NULL);
    }
    pthread_cond_destroy(&pool->work);
    pthread_mutex_destroy(&pool->lock);
    mem_free(pool);
}
