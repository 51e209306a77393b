/* How far a long computation is, and the flag that stops it. Shared between the thread that works and those
 * that watch; every field is atomic. A Progress* of NULL is allowed everywhere and means: nobody watches. */
#ifndef EXSCOPE_BASE_PROGRESS_H
#define EXSCOPE_BASE_PROGRESS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct Progress {
    _Atomic uint64_t done;       /* in the unit of the work: bytes, transfers, ... */
    _Atomic uint64_t total;      /* 0: not known */
    _Atomic bool cancel;         /* set by whoever wants it to stop */
    _Atomic(const char *) stage; /* a string constant: what is being done now */
    const struct Progress *also; /* a second cancel flag to honour, or NULL; set before the work starts */
} Progress;

static inline void progress_stage(Progress *progress, const char *stage, uint64_t total)
{
    if (progress != NULL) {
        atomic_store_explicit(&progress->stage, stage, memory_order_relaxed);
        atomic_store_explicit(&progress->total, total, memory_order_relaxed);
        atomic_store_explicit(&progress->done, 0, memory_order_relaxed);
    }
}

static inline void progress_set(Progress *progress, uint64_t done)
{
    if (progress != NULL) {
        atomic_store_explicit(&progress->done, done, memory_order_relaxed);
    }
}

static inline bool progress_cancelled(const Progress *progress)
{
    for (; progress != NULL; progress = progress->also) {
        if (atomic_load_explicit(&progress->cancel, memory_order_relaxed)) {
            return true;
        }
    }
    return false;
}

/* false, with ERROR_CANCELLED, when a cancel was asked for. Cheap enough for every few thousand steps. */
static inline bool progress_go_on(const Progress *progress, Error *error)
{
    return !progress_cancelled(progress) || error_set(error, ERROR_CANCELLED, "cancelled");
}

#endif
