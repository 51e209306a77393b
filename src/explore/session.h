/* The session that all faces share: what is open, settings, worker threads, jobs, commands. It owns
 * everything; there is no other state. Any thread may call any function here. */
#ifndef EXSCOPE_EXPLORE_SESSION_H
#define EXSCOPE_EXPLORE_SESSION_H

#include "base/progress.h"
#include "base/text.h"
#include "explore/view.h"

typedef struct CommandSet CommandSet;

/* Starts `workers` threads (0: one per online core). */
Session *session_new(unsigned workers, Error *error);

/* Cancels every job, waits for the workers, frees all. No view may be left. NULL is fine. */
void session_free(Session *session);

/* The commands that this session knows (command.h): explore/ has put its own in. */
CommandSet *session_commands(Session *session);

/* ---- loading ---- */

/* Loads a capture on this thread. Views made meanwhile show its phases as they arrive; when it fails or is
 * cancelled they change back to the capture that was open before, which was not touched. A second load at the
 * same time waits for the first. */
bool session_load(Session *session, const char *path, Progress *progress, Error *error);

/* Commands or keys come from standard input: from now on `-` is refused as a capture. */
void session_keep_input(Session *session);

/* The same as a job; *job (NULL is fine) is its id. */
bool session_load_start(Session *session, const char *path, uint32_t *job, Error *error);

/* Grows each time that something changes which a screen shows: a phase arrived, a result became ready, a job
 * ended, another capture was opened. Cheap; for a face that wants to know whether to draw. */
uint64_t session_changes(const Session *session);

/* ---- jobs: what runs on the workers ---- */

typedef enum JobState { JOB_QUEUED, JOB_RUNNING, JOB_DONE, JOB_FAILED, JOB_CANCELLED } JobState;

const char *job_state_name(JobState state); /* "queued", "running", "done", "failed", "cancelled" */

typedef struct JobInfo {
    uint32_t id; /* 1, 2, ... */
    JobState state;
    char title[120];      /* "replay 62 coalesced"; safe to print */
    uint64_t done, total; /* while it runs; total 0: not known */
    const char *stage;    /* while it runs; may be NULL */
    double seconds;       /* since it started, or how long it took */
    Error error;          /* when it failed */
    bool opens;           /* it opens another capture */
} JobInfo;

typedef bool (*JobFunction)(Session *session, void *context, Progress *progress, Error *error);

/* Queues function(session, context, ...) on the workers. `release` (NULL is fine) frees the context once,
 * also when the job never ran. On failure of this call the context stays the caller's. */
bool session_run(Session *session, const char *title, JobFunction function, void *context,
                 void (*release)(void *context), uint32_t *job, Error *error);

/* The same for a job that opens another capture: it does not wait until a worker is free. */
bool session_run_opening(Session *session, const char *title, JobFunction function, void *context,
                         void (*release)(void *context), uint32_t *job, Error *error);

/* Copies up to `capacity` jobs, newest first; returns how many are remembered (the last 100 ended ones are).
 */
size_t session_jobs(Session *session, JobInfo *jobs, size_t capacity);
bool session_job(Session *session, uint32_t id, JobInfo *job);

/* Asks a job to stop. false when there is no such job or it has ended. */
bool session_cancel(Session *session, uint32_t id);
void session_cancel_all(Session *session);

/* Waits until the job has ended, honouring the caller's cancel (which then leaves the job alone). False with
 * the job's error. */
bool session_wait(Session *session, uint32_t id, Progress *progress, Error *error);

/* Runs item(context, 0 .. count-1, ...) on the workers and on this thread, and waits. The order in which
 * items run is not fixed: each writes to a place of its own. Items get a Progress of their own that honours
 * ours; ours counts finished items. Stops at the first failure and reports the one of the lowest index. Works
 * on a worker thread too. */
typedef bool (*ParallelItem)(void *context, size_t index, Progress *progress, Error *error);
bool session_parallel(Session *session, size_t count, const char *stage, ParallelItem item, void *context,
                      Progress *progress, Error *error);

/* ---- settings: `set KEY VALUE` ---- */

typedef enum OutputFormat { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV } OutputFormat;

typedef struct Settings {
    OutputFormat format;
    bool color;
    bool ascii;
    bool verbose; /* text tables show every column */
    bool quiet;   /* no notes, no progress */
    bool mouse;   /* explorer */
    uint32_t stream_words;
    bool balance;
    uint64_t memory_megabytes; /* budget for bulky results */
} Settings;

Settings session_settings(Session *session);
void session_set_settings(Session *session, const Settings *settings);

/* One setting by its name and text; ERROR_USAGE, with what is allowed, when either is wrong. */
bool session_set(Session *session, const char *key, const char *value, Error *error);

/* Names, ascending, NULL past the last; the values allowed (ended by NULL), or NULL when it is a number; what
 * it is; its value now as text. */
const char *setting_name(size_t index);
const char *setting_full_name(const char *word, Error *error); /* of a unique beginning */
const char *const *setting_values(const char *key);
const char *setting_summary(const char *key);
bool session_setting_text(Session *session, const char *key, Text *text);

/* ---- lines that were entered, oldest first ---- */

bool session_history_add(Session *session, const char *line, Error *error);
size_t session_history_count(Session *session);
bool session_history_line(Session *session, size_t index, Text *line);

/* `quit` was given: the face ends when it can. */
void session_quit(Session *session);
bool session_quitting(const Session *session);

#endif
