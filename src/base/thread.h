/* A fixed pool of worker threads with a first-in first-out queue. */
#ifndef EXSCOPE_BASE_THREAD_H
#define EXSCOPE_BASE_THREAD_H

#include <stdint.h>

#include "base/error.h"

typedef struct Pool Pool;
typedef void (*PoolTask)(void *argument);

/* The number of cores that are online, at least 1. */
unsigned thread_online_cores(void);

/* A clock that only goes forward, in seconds. */
double thread_seconds(void);

/* Starts `threads` workers (1..256). Signals stay with the calling thread: workers block them all. NULL with
 * an error when not even one can be started. */
Pool *pool_new(unsigned threads, Error *error);

/* Queues task(argument). May be called from any thread, a worker included. */
bool pool_submit(Pool *pool, PoolTask task, void *argument, Error *error);

/* Waits for what is queued, and for what that queues in its turn; then ends the workers. Not from a worker.
 * NULL is fine. */
void pool_free(Pool *pool);

#endif
