/* The job list. */
#include "config.h"

#include <stdio.h>

#include "tui/app.h"
#include "tui/list.h"

typedef struct JobsState {
    List list;
    Rect area;
    bool computing;   /* the first row is what is computed for the screen before */
    JobInfo computed; /* as a job, without a number */
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

typedef struct JobCells {
    const Tui *tui;
    const JobsState *state;
} JobCells;

static const JobInfo *job_of_row(const Tui *tui, const JobsState *state, uint64_t row)
{
    return state->computing && row == 0 ? &state->computed : &tui->jobs[row - state->computing];
}

static void put_cell(void *context, uint64_t row, int column, ListCell *cell)
{
    const JobCells *cells = context;
    const JobInfo *job = job_of_row(cells->tui, cells->state, row);
    bool measured = job->state == JOB_RUNNING && job->total > 0;
    switch ((JobColumn)column) {
    case COLUMN_ID:
        if (job->id != 0) {
            snprintf(cell->text, sizeof cell->text, "%u", (unsigned)job->id);
        }
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
        if (job->state != JOB_QUEUED && job->id != 0) {
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
    JobCells cells = {tui, state};
    JobInfo *computed = &state->computed;
    state->computing =
        tui_computing(tui, computed->title, sizeof computed->title, &computed->done, &computed->total);
    computed->state = JOB_RUNNING;
    computed->stage = "for the screen before";
    ListModel model = {
        .columns = columns,
        .column_count = COLUMN_COUNT,
        .frozen = 2,
        .rows = tui->job_count + state->computing,
        .cell = put_cell,
        .context = &cells,
        .empty = "No job has been started. R on a phase replays it.",
    };
    list_draw(&state->list, &model, &tui->grid, state->area, true);
}

static void cancel(Tui *tui, const JobInfo *job)
{
    if (job->id == 0) {
        fetch_stop(tui->fetch);
        tui_say(tui, "stopped: %s; it goes on with the next phase, mode or screen", job->title);
    } else {
        tui_say(tui, session_cancel(tui->session, job->id) ? "cancelling: %s" : "%s has ended already",
                job->title);
    }
}

static void tell(Tui *tui, const JobInfo *job)
{
    if (job->state == JOB_FAILED) {
        tui_fail(tui, &job->error);
    } else {
        tui_say(tui, "%s: %s", job->title, job_state_name(job->state));
    }
}

static bool jobs_act(Tui *tui, void *context, Action action)
{
    JobsState *state = context;
    if (action == ACTION_CANCEL_JOB || action == ACTION_OPEN) {
        if (state->list.cursor >= tui->job_count + state->computing) {
            tui_say(tui, "there is no job");
            return true;
        }
        const JobInfo *job = job_of_row(tui, state, state->list.cursor);
        if (action == ACTION_OPEN) {
            tell(tui, job);
        } else {
            cancel(tui, job);
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
