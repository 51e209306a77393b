/* Computes what the screen lacks, on a thread of its own, so that no frame waits and no long replay on the
 * workers holds the figures up that a person is looking at. The screen says after each frame what it wants;
 * what is no longer wanted is cancelled. */
#ifndef EXSCOPE_TUI_FETCH_H
#define EXSCOPE_TUI_FETCH_H

#include <stdatomic.h>

#include "explore/session.h"

/* Work that is not a result of the session: the transfers of one tile in some order, a row taken apart. The
 * screen fills in what it needs, posts the task with its wants and reads its product once it is ready. */
typedef enum TaskState { TASK_WAITING, TASK_READY, TASK_FAILED } TaskState;

typedef struct Task Task;
struct Task {
    bool (*run)(Task *task, View *view, Progress *progress, Error *error);
    void (*destroy)(Task *task);
    atomic_int references;
    _Atomic(TaskState) state;
    Error error; /* of TASK_FAILED */
};

/* Starts with the caller's reference. */
void task_start(Task *task, bool (*run)(Task *, View *, Progress *, Error *), void (*destroy)(Task *));
void task_hold(Task *task); /* one more reference; these two: NULL is fine */
void task_release(Task *task);
bool task_ready(const Task *task); /* NULL: false */

enum { FETCH_WANTS_MAX = 256 };

typedef struct Want {
    ResultKey key;  /* of a task: only `entry` counts, the phase that it is about */
    uint32_t index; /* entry->index, so that an entry out of date is found out without looking into it */
    Task *task;     /* NULL: a result of the session */
    int priority;   /* lower comes first; equal ones in the order posted */
} Want;

typedef struct Fetch Fetch;

/* `wake(context)` is called on the fetching thread whenever something has become ready or failed. */
Fetch *fetch_new(Session *session, void (*wake)(void *context), void *context, Error *error);
void fetch_free(Fetch *fetch); /* NULL is fine */

/* Replaces what is wanted. `entry` pointers may be out of date: they are looked up again before use. */
void fetch_post(Fetch *fetch, const Want *wants, size_t count);

/* Stops what is being computed and rests until fetch_go_on(); true when there was something to stop. */
bool fetch_stop(Fetch *fetch);
void fetch_go_on(Fetch *fetch);

/* What is being computed; false: nothing. A task in *want is not to be touched, only compared. */
bool fetch_current(Fetch *fetch, Want *want);

/* How many wants were finished (or failed) so far: a frame drawn at another number is out of date. */
uint64_t fetch_finished(const Fetch *fetch);

/* Nothing wanted is left to do. */
bool fetch_idle(Fetch *fetch);

#endif
