/* Messages, and how jobs ended. */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/thread.h"
#include "tui/app.h"

enum { ANSWER_MILLISECONDS = 1500 }; /* that the answer to a key stays before news take its place */

static void show_message(Tui *tui, const Message *message)
{
    tui->shown_message = *message;
    tui->message_shown = true;
    tui->has_news = false;
    tui->shown_seconds = thread_seconds();
    tui->dirty = true;
}

/* The answer to a key goes up at once. News of the background wait until that has been read, and never take
 * the place of a failure: that one stays until a key. (Without a terminal nobody reads: then news go up at
 * once too.) */
static bool may_show(const Tui *tui)
{
    return tui->handling || !tui->message_shown ||
           (!tui->shown_message.failure &&
            (!tui->terminal || (thread_seconds() - tui->shown_seconds) * 1000 > ANSWER_MILLISECONDS));
}

static void add_message(Tui *tui, bool failure, const char *text)
{
    Message *message = &tui->messages[tui->message_count++ % MESSAGES_KEPT];
    time_t now = time(NULL);
    struct tm local = {0};
    localtime_r(&now, &local);
    strftime(message->clock, sizeof message->clock, "%H:%M:%S", &local);
    text_copy_visible(message->text, sizeof message->text, text, strlen(text));
    message->failure = failure;
    if (failure || may_show(tui)) {
        show_message(tui, message);
    } else {
        tui->news = *message;
        tui->has_news = true;
    }
}

void tui_show_news(Tui *tui)
{
    if (tui->has_news && may_show(tui)) {
        show_message(tui, &tui->news);
    }
}

void tui_say(Tui *tui, const char *format, ...)
{
    char text[sizeof tui->messages->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    add_message(tui, false, text);
}

void tui_fail(Tui *tui, const Error *error)
{
    add_message(tui, true, error->message);
}

size_t tui_messages_kept(const Tui *tui)
{
    return tui->message_count < MESSAGES_KEPT ? (size_t)tui->message_count : MESSAGES_KEPT;
}

const Message *tui_message(const Tui *tui, uint64_t index)
{
    return &tui->messages[(tui->message_count - tui_messages_kept(tui) + index) % MESSAGES_KEPT];
}

/* ---- jobs ---- */

static bool job_is_active(const JobInfo *job)
{
    return job->state == JOB_QUEUED || job->state == JOB_RUNNING;
}

static void report_ended_job(Tui *tui, const JobInfo *job)
{
    if (tui_run_owns_job(tui, job->id)) {
        return; /* run.c tells how it ended */
    }
    if (job->state == JOB_FAILED) {
        tui_fail(tui, &job->error);
    } else if (job->state == JOB_CANCELLED) {
        tui_say(tui, "%s: cancelled", job->title);
    } else {
        tui_say(tui, "%s: done, %s", job->title, figure_seconds(job->seconds).text);
    }
}

/* The record of a job in what was last copied; NULL when it is no longer remembered. */
static const JobInfo *find_job(const Tui *tui, uint32_t id)
{
    for (size_t i = 0; i < tui->job_count; i++) {
        if (tui->jobs[i].id == id) {
            return &tui->jobs[i];
        }
    }
    return NULL;
}

static void report_watched_jobs(Tui *tui)
{
    size_t kept = 0;
    for (size_t i = 0; i < tui->watched_jobs.count; i++) {
        uint32_t id = tui->watched_jobs.items[i];
        const JobInfo *job = find_job(tui, id);
        if (job != NULL && job_is_active(job)) {
            tui->watched_jobs.items[kept++] = id;
        } else if (job != NULL) {
            report_ended_job(tui, job);
        }
    }
    tui->watched_jobs.count = kept;
}

void tui_look_at_jobs(Tui *tui)
{
    size_t count = session_jobs(tui->session, tui->jobs, JOBS_SHOWN);
    tui->job_count = count < JOBS_SHOWN ? count : JOBS_SHOWN;
    tui->active_jobs = 0;
    report_watched_jobs(tui);
    for (size_t i = tui->job_count; i-- > 0;) { /* oldest first */
        const JobInfo *job = &tui->jobs[i];
        tui->active_jobs += job_is_active(job);
        if (job->id <= tui->newest_job) {
            continue;
        }
        tui->newest_job = job->id;
        if (!job_is_active(job) || !vec_push(&tui->watched_jobs, job->id, NULL)) {
            report_ended_job(tui, job);
        }
    }
}

void tui_forget_job(Tui *tui, uint32_t id)
{
    size_t kept = 0;
    for (size_t i = 0; i < tui->watched_jobs.count; i++) {
        if (tui->watched_jobs.items[i] != id) {
            tui->watched_jobs.items[kept++] = tui->watched_jobs.items[i];
        }
    }
    tui->watched_jobs.count = kept;
}
