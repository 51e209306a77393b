/* The inside of a Session, for the files that make it up: session.c (life, loading), jobs.c, settings.c,
 * view.c and results.c.
 *
 * One lock guards everything here that may change; it is never held while something is computed, read,
 * written or freed. `changed` is signalled whenever a result, a job or a load ends. */
#ifndef EXSCOPE_EXPLORE_SESSION_PARTS_H
#define EXSCOPE_EXPLORE_SESSION_PARTS_H

#include <pthread.h>

#include "base/thread.h"
#include "base/vec.h"
#include "explore/session.h"

/* A place for one result. While RUNNING one thread computes it and the others wait. */
typedef struct Slot {
    ResultKind kind;
    ResultState state;
    void *value;
    size_t bytes;         /* of a bulky value, which may be given back; 0: kept as long as the dataset */
    unsigned pins;        /* views that hold it */
    uint64_t used;        /* session->uses when it was last handed out */
    const Progress *work; /* RUNNING: of the thread that computes; may be NULL */
    Error *error;         /* FAILED: why; NULL when there was no memory for it */
} Slot;

typedef struct ReplaySlots {
    ReplayOptions options;
    Slot replay, figures;
    struct ReplaySlots *next;
} ReplaySlots;

typedef struct ModeResults {
    Slot dependencies, counterfactual, figures, equivalence, tiles;
    ReplaySlots *replays; /* one for each set of options that was asked for */
} ModeResults;

typedef struct PhaseResults {
    struct Dataset *dataset;
    ModeResults mode[MODE_COUNT];
    Slot coverage[2], identity[2]; /* by Scope */
} PhaseResults;

typedef struct Dataset {
    unsigned references; /* the session and views */
    bool loading;
    char *path;
    uint16_t tile_count; /* 0 until the first phase was read */
    Capture *capture;    /* NULL while loading; of a failed load, what was read of it */
    VEC(PhaseEntry *) entries;
    bool failed; /* while loading: no memory for an entry */
    Error failure;
    const PhaseEntry *chosen; /* NULL: nobody chose a phase */
    Mode mode;
    int32_t tile;
} Dataset;

typedef struct Job {
    uint32_t id;
    JobState state;
    char title[120];
    Progress progress;
    double started, seconds;
    Error error;
    Session *session;
    JobFunction function;
    void *context;
    void (*release)(void *context);
    bool opens;   /* another capture: it runs beside the workers */
    bool settled; /* its task is over: the record may go */
} Job;

struct View {
    Session *session;
    Dataset *dataset;
    VEC(PhaseEntry *) entries;
    VEC(Slot *) pins;
    bool peek_failed; /* a result that is there could not be handed out for want of memory */
};

struct Session {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    Pool *pool;
    Pool *openers; /* of jobs that open another capture */
    unsigned workers;
    CommandSet *commands;
    _Atomic uint64_t changes;
    _Atomic bool quitting;
    _Atomic bool keeps_input; /* standard input is no capture */
    Settings settings;
    Dataset *open;           /* NULL: nothing */
    Dataset *loading;        /* NULL: nothing */
    VEC(Dataset *) datasets; /* all that are alive: open, loading, or held by a view */
    uint64_t uses;           /* grows each time that a result is handed out */
    uint64_t bulky_bytes;    /* of all bulky values */
    VEC(Job *) jobs;         /* ascending id */
    uint32_t last_job;
    bool closing; /* no more jobs are taken */
    VEC(char *) history;
};

/* ---- session.c ---- */

void session_lock(Session *session);
void session_unlock(Session *session);

/* With the lock: something that a screen shows has changed. */
void session_changed(Session *session);

/* With the lock: waits up to 20 ms for a change; the caller looks at its own cancel each time. */
void session_await(Session *session);

/* Drops one reference, without the lock; the last one frees the dataset with its results. */
void dataset_release(Session *session, Dataset *dataset);

/* ---- view.c ---- */

/* A view of a dataset that the caller holds anyway. Cannot fail: it lists no phases. view_close() ends it. */
View view_inner(Session *session, Dataset *dataset);
void view_close(View *view);

/* ---- results.c ---- */

/* Results of a phase, all absent. NULL when memory is out. Freeing: nobody uses a value any more. */
PhaseResults *results_new(Dataset *dataset, Error *error);
void results_free(PhaseResults *results); /* NULL is fine */

/* With the lock: the bytes of bulky values of a phase. */
uint64_t results_bulky_bytes(const PhaseResults *results);

/* ---- jobs.c ---- */

/* With the lock: another capture takes over. Asks all jobs but the one that `own` is the progress of to stop:
 * what they compute is of the capture before. */
void jobs_cancel_others(Session *session, const Progress *own);

/* With the lock: the same for jobs that open a capture alone. */
void jobs_cancel_other_openings(Session *session, const Progress *own);

/* All have ended. */
void jobs_free(Session *session);

/* ---- settings.c ---- */

Settings settings_default(void);

/* Copies progress of the thread that works to one that waits. */
void progress_copy(Progress *progress, const Progress *from);

#endif
