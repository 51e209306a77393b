/* What screens draw from: results of the session, which are asked for when they are not there yet. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "explore/trust.h"
#include "tui/app.h"

bool tui_failed(Tui *tui, const ResultKey *key, Error *error)
{
    ResultStatus status;
    view_status(tui->view, key, &status);
    if (status.state == RESULT_FAILED && error != NULL) {
        *error = status.error;
    }
    return status.state == RESULT_FAILED;
}

static void add_want(Tui *tui, const ResultKey *key, Task *task, int priority)
{
    if (tui->want_count < WANTS_MAX) {
        tui->wants[tui->want_count++] =
            (Want){.key = *key, .index = key->entry->index, .task = task, .priority = priority};
    }
}

const void *tui_result(Tui *tui, const ResultKey *key, int priority)
{
    const void *result = view_peek(tui->view, key);
    if (result == NULL && !tui_failed(tui, key, NULL)) {
        add_want(tui, key, NULL, priority);
    }
    return result;
}

void tui_want_task(Tui *tui, Task *task, const PhaseEntry *entry, int priority)
{
    if (atomic_load(&task->state) == TASK_WAITING) {
        add_want(tui, &(ResultKey){.entry = entry}, task, priority);
    }
}

const Dependencies *tui_dependencies(Tui *tui, const PhaseEntry *entry, Mode mode, int priority)
{
    return tui_result(tui, &(ResultKey){.entry = entry, .kind = RESULT_DEPENDENCIES, .mode = mode}, priority);
}

const ModeSummary *tui_figures(Tui *tui, const PhaseEntry *entry, Mode mode, int priority)
{
    return tui_result(tui, &(ResultKey){.entry = entry, .kind = RESULT_FIGURES, .mode = mode}, priority);
}

const Equivalence *tui_equivalence(Tui *tui, const PhaseEntry *entry, Mode mode, int priority)
{
    return tui_result(tui, &(ResultKey){.entry = entry, .kind = RESULT_EQUIVALENCE, .mode = mode}, priority);
}

bool tui_distrusted(Tui *tui, const PhaseEntry *entry, Mode mode, int priority)
{
    const Equivalence *equivalence = tui_equivalence(tui, entry, mode, priority);
    const Dependencies *dependencies = view_peek_dependencies(tui->view, entry, MODE_ORIGINAL);
    if (mode == MODE_REORDERED && dependencies != NULL && dependencies->edges > 0) {
        return true; /* by construction, whatever the proof will say */
    }
    ResultKey key = {.entry = entry, .kind = RESULT_EQUIVALENCE, .mode = mode};
    return equivalence == NULL ? tui_failed(tui, &key, NULL) : trust_of(equivalence) != TRUST_VALID;
}

const TileFigures *tui_tiles(Tui *tui, const PhaseEntry *entry, Mode mode, int priority)
{
    return tui_result(tui, &(ResultKey){.entry = entry, .kind = RESULT_TILES, .mode = mode}, priority);
}

const Counterfactual *tui_counterfactual(Tui *tui, const PhaseEntry *entry, Mode mode, int priority)
{
    return tui_result(tui, &(ResultKey){.entry = entry, .kind = RESULT_COUNTERFACTUAL, .mode = mode},
                      priority);
}

const ReplaySummary *tui_replay_figures(Tui *tui, const PhaseEntry *entry, Mode mode)
{
    return view_peek_replay_figures(tui->view, entry, mode, NULL);
}

const Replay *tui_replay(Tui *tui, const PhaseEntry *entry, Mode mode)
{
    const ReplaySummary *figures = tui_replay_figures(tui, entry, mode);
    if (figures == NULL || !figures->invariants_pass) {
        return NULL;
    }
    return tui_result(tui, &(ResultKey){.entry = entry, .kind = RESULT_REPLAY, .mode = mode}, USUAL);
}

ReplayOptions tui_replay_options(const Tui *tui)
{
    return (ReplayOptions){.stream_words = tui->settings.stream_words, .balance = tui->settings.balance};
}

bool replay_options_equal(ReplayOptions a, ReplayOptions b)
{
    return a.stream_words == b.stream_words && a.balance == b.balance;
}

bool tui_replaying(Tui *tui, const PhaseEntry *entry, Mode mode, int *percent)
{
    ResultStatus status;
    view_status(tui->view, &(ResultKey){.entry = entry, .kind = RESULT_REPLAY, .mode = mode}, &status);
    *percent = status.total == 0 ? -1 : (int)(status.done * 100 / status.total);
    return status.state == RESULT_RUNNING;
}

Selection tui_selection(Tui *tui)
{
    if (tui->view == NULL) {
        return (Selection){.tile = -1};
    }
    Selection selection = view_selection(tui->view);
    if (selection.tile < 0 && selection.entry != NULL) {
        selection.tile = selection.entry->geometry.busiest_tile;
    }
    return selection;
}

void tui_label(Tui *tui, const PhaseEntry *entry, char *label, size_t size)
{
    const char *text = view_label(tui->view, entry);
    text_copy_visible(label, size, text == NULL ? "" : text, text == NULL ? 0 : strlen(text));
}

/* ---- what is being computed ---- */

static const char *kind_name(ResultKind kind)
{
    static const char *const names[RESULT_KINDS] = {
        [RESULT_DEPENDENCIES] = "dependencies",
        [RESULT_COUNTERFACTUAL] = "transfers",
        [RESULT_FIGURES] = "figures",
        [RESULT_EQUIVALENCE] = "equivalence",
        [RESULT_TILES] = "tiles",
        [RESULT_COVERAGE] = "coverage",
        [RESULT_IDENTITY] = "identity",
        [RESULT_REPLAY] = "replay",
        [RESULT_REPLAY_FIGURES] = "replay",
    };
    return names[kind];
}

static bool kind_has_mode(ResultKind kind)
{
    return kind != RESULT_COVERAGE && kind != RESULT_IDENTITY;
}

bool tui_computing(Tui *tui, char *text, size_t size, uint64_t *done, uint64_t *total)
{
    Want want;
    *done = *total = 0;
    if (tui->view == NULL || !fetch_current(tui->fetch, &want)) {
        return false;
    }
    if (want.task != NULL || want.index >= view_phase_count(tui->view) ||
        view_phase_at(tui->view, want.index) != want.key.entry) {
        snprintf(text, size, "computing");
        return true;
    }
    ResultStatus status;
    view_status(tui->view, &want.key, &status);
    *done = status.done;
    *total = status.total;
    snprintf(text, size, "phase %u: %s%s%s", (unsigned)want.key.entry->phase->number,
             kind_name(want.key.kind), kind_has_mode(want.key.kind) ? " of " : "",
             kind_has_mode(want.key.kind) ? mode_name(want.key.mode) : "");
    return true;
}
