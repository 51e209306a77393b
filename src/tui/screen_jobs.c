/* The job list. */
#include "config.h"

#include <stdio.h>

#include "tui/app.h"
#include "tui/list.h"

typedef struct JobsState {
    List list;
    Rect area;
} JobsState;

typedef enum JobColumn {
    COLUMN_ID,
    COLUMN_STATE,
    COLUMN_PROGRESS,
    COLUMN_BAR,
    COLUMN_TIME,
    COLUMN_TITLE,
    COLUMN_COUNT
} JobColumn;

static void put_state(const JobInfo *job, ListCell *cell)
{
    snprintf(cell->text, sizeof cell->text, "%s", job_state_name(job->state));
    cell->style = job->state == JOB_RUNNING  ? LOOK_STRONG
                  : job->state == JOB_FAILED ? LOOK_INVALID
                  : job->state == JOB_QUEUED ? LOOK_NORMAL
                                             : LOOK_DIM;
}

static void put_cell(void *context, uint64_t row, int column, ListCell *cell)
{
    const JobInfo *job = &((const Tui *)context)->jobs[row];
    bool measured = job->state == JOB_RUNNING && job->total > 0;
    switch ((JobColumn)column) {
    case COLUMN_ID:
        snprintf(cell->text, sizeof cell->text, "%u", (unsigned)job->id);
        break;
    case COLUMN_STATE:
        put_state(job, cell);
        break;
    case COLUMN_PROGRESS:
        if (measured) {
            snprintf(cell->text, sizeof cell->text, "%d%%", (int)(job->done * 100 / job->total));
        }
        break;
    case COLUMN_BAR:
        if (measured) {
            cell->bar = (double)job->done;
            cell->bar_maximum = (double)job->total;
            cell->style = LOOK_BETTER;
        }
        break;
    case COLUMN_TIME:
        if (job->state != JOB_QUEUED) {
            snprintf(cell->text, sizeof cell->text, "%s", figure_seconds(job->seconds).text);
        }
        break;
    case COLUMN_TITLE:
        if (job->state == JOB_FAILED) {
            snprintf(cell->text, sizeof cell->text, "%s: %.180s", job->title, job->error.message);
        } else if (job->state == JOB_RUNNING && job->stage != NULL) {
            snprintf(cell->text, sizeof cell->text, "%s (%s)", job->title, job->stage);
        } else {
            snprintf(cell->text, sizeof cell->text, "%s", job->title);
        }
        break;
    case COLUMN_COUNT:
        break;
    }
}

static void jobs_layout(Tui *tui, void *context, Rect area)
{
    (void)tui;
    ((JobsState *)context)->area = area;
}

static void jobs_draw(Tui *tui, void *context)
{
    static const ListColumn columns[COLUMN_COUNT] = {
        [COLUMN_ID] = {"job", 4, true, false, false},
        [COLUMN_STATE] = {"state", 9, false, false, false},
        [COLUMN_PROGRESS] = {"done", 4, true, false, false},
        [COLUMN_BAR] = {"", 10, false, false, false},
        [COLUMN_TIME] = {"time", 8, true, false, false},
        [COLUMN_TITLE] = {"what", 20, false, true, false},
    };
    JobsState *state = context;
    ListModel model = {
        .columns = columns,
        .column_count = COLUMN_COUNT,
        .frozen = 2,
        .rows = tui->job_count,
        .cell = put_cell,
        .context = tui,
        .empty = "No job has been started. R on a phase replays it.",
    };
    list_draw(&state->list, &model, &tui->grid, state->area, true);
}

static const JobInfo *selected_job(Tui *tui, const JobsState *state)
{
    if (state->list.cursor < tui->job_count) {
        return &tui->jobs[state->list.cursor];
    }
    tui_say(tui, "there is no job");
    return NULL;
}

static bool jobs_act(Tui *tui, void *context, Action action)
{
    JobsState *state = context;
    if (action == ACTION_CANCEL_JOB) {
        const JobInfo *job = selected_job(tui, state);
        if (job != NULL) {
            tui_say(tui, session_cancel(tui->session, job->id) ? "cancelling: %s" : "%s has ended already",
                    job->title);
        }
        return true;
    }
    if (action == ACTION_OPEN) {
        const JobInfo *job = selected_job(tui, state);
        if (job != NULL && job->state == JOB_FAILED) {
            tui_fail(tui, &job->error);
        } else if (job != NULL) {
            tui_say(tui, "%s: %s", job->title, job_state_name(job->state));
        }
        return true;
    }
    return list_act(&state->list, action);
}

static bool jobs_mouse(Tui *tui, void *context, const Event *event)
{
    JobsState *state = context;
    uint64_t row;
    (void)tui;
    if (event->kind == EVENT_WHEEL_UP || event->kind == EVENT_WHEEL_DOWN) {
        list_scroll(&state->list, event->kind == EVENT_WHEEL_UP ? -3 : 3);
        return true;
    }
    if (!list_row_at(&state->list, event->row, event->column, &row)) {
        return false;
    }
    list_go(&state->list, row);
    return true;
}

const ScreenOps screen_jobs = {
    .state_size = sizeof(JobsState),
    .layout = jobs_layout,
    .draw = jobs_draw,
    .act = jobs_act,
    .mouse = jobs_mouse,
};
