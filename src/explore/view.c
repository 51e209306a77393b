#include "config.h"

#include "explore/view.h"

#include <string.h>

#include "explore/session_parts.h"

/* With the lock: takes in the phases that the dataset has by now. */
static bool view_take_entries(View *view, Error *error)
{
    size_t count = view->dataset->entries.count;
    if (!vec_reserve(&view->entries, count, error)) {
        return false;
    }
    if (count > view->entries.count) {
        memcpy(view->entries.items + view->entries.count, view->dataset->entries.items + view->entries.count,
               (count - view->entries.count) * sizeof *view->entries.items);
        view->entries.count = count;
    }
    return true;
}

View view_inner(Session *session, Dataset *dataset)
{
    return (View){.session = session, .dataset = dataset};
}

void view_close(View *view)
{
    view_unpin(view);
    vec_free(&view->pins);
    vec_free(&view->entries);
}

/* With the lock: a hold on `dataset`. */
static bool view_hold(View *view, Dataset *dataset, Error *error)
{
    view->dataset = dataset;
    if (!view_take_entries(view, error)) {
        return false;
    }
    dataset->references++;
    return true;
}

static View *view_of(Session *session, Dataset *dataset, Error *error)
{
    View *view = mem_zero(1, sizeof *view, error);
    if (view == NULL) {
        return NULL;
    }
    view->session = session;
    session_lock(session);
    if (dataset == NULL) {
        dataset = session->loading != NULL ? session->loading : session->open;
    }
    bool done = dataset != NULL ? view_hold(view, dataset, error)
                                : error_set(error, ERROR_INPUT, "no capture is open: load FILE opens one");
    session_unlock(session);
    if (!done) {
        vec_free(&view->entries);
        mem_free(view);
        return NULL;
    }
    return view;
}

View *view_new(Session *session, Error *error)
{
    return view_of(session, NULL, error);
}

View *view_copy(const View *view, Error *error)
{
    return view_of(view->session, view->dataset, error);
}

void view_free(View *view)
{
    if (view != NULL) {
        view_close(view);
        dataset_release(view->session, view->dataset);
        mem_free(view);
    }
}

bool view_refresh(View *view, bool *changed, Error *error)
{
    if (changed != NULL) {
        *changed = false;
    }
    session_lock(view->session);
    Dataset *shown = view->session->loading != NULL ? view->session->loading : view->session->open;
    bool same = shown == view->dataset;
    bool done = same && view_take_entries(view, error);
    session_unlock(view->session);
    if (same) {
        return done;
    }
    View *other = view_new(view->session, error);
    if (other == NULL) {
        return false;
    }
    View old = *view;
    *view = *other;
    *other = old;
    view_free(other);
    if (changed != NULL) {
        *changed = true;
    }
    return true;
}

void view_unpin(View *view)
{
    session_lock(view->session);
    for (size_t i = 0; i < view->pins.count; i++) {
        view->pins.items[i]->pins--;
    }
    vec_clear(&view->pins);
    session_unlock(view->session);
}

uint16_t view_tile_count(const View *view)
{
    session_lock(view->session);
    uint16_t tile_count = view->dataset->tile_count;
    session_unlock(view->session);
    return tile_count;
}

const char *view_path(const View *view)
{
    return view->dataset->path;
}

const Capture *view_capture(const View *view)
{
    session_lock(view->session);
    const Capture *capture = view->dataset->loading ? NULL : view->dataset->capture;
    session_unlock(view->session);
    return capture;
}

bool view_loading(const View *view)
{
    return view_capture(view) == NULL;
}

size_t view_phase_count(const View *view)
{
    return view->entries.count;
}

const PhaseEntry *view_phase_at(const View *view, size_t index)
{
    return view->entries.items[index];
}

const PhaseEntry *view_phase(const View *view, uint32_t number)
{
    for (size_t i = 0; i < view->entries.count; i++) {
        if (view->entries.items[i]->phase->number == number) {
            return view->entries.items[i];
        }
    }
    return NULL;
}

const char *view_label(const View *view, const PhaseEntry *entry)
{
    const Capture *capture = view_capture(view);
    return capture == NULL ? NULL : capture_label(capture, entry->phase->number);
}

const PhaseEntry *view_worst_phase(const View *view)
{
    const PhaseEntry *worst = NULL;
    for (size_t i = 0; i < view->entries.count; i++) {
        const PhaseEntry *entry = view->entries.items[i];
        if (worst == NULL ||
            entry->geometry.maximum_endpoint_fragments > worst->geometry.maximum_endpoint_fragments) {
            worst = entry;
        }
    }
    return worst;
}

Selection view_selection(const View *view)
{
    session_lock(view->session);
    const Dataset *dataset = view->dataset;
    Selection selection = {.entry = dataset->chosen, .mode = dataset->mode, .tile = dataset->tile};
    session_unlock(view->session);
    if (selection.entry == NULL) {
        selection.entry = view_worst_phase(view);
    }
    return selection;
}

void view_select_phase(View *view, const PhaseEntry *entry)
{
    const PhaseEntry *before = view_selection(view).entry;
    session_lock(view->session);
    view->dataset->chosen = entry;
    if (entry != before) {
        view->dataset->tile = -1;
    }
    session_changed(view->session);
    session_unlock(view->session);
}

void view_select_mode(View *view, Mode mode)
{
    session_lock(view->session);
    view->dataset->mode = mode;
    session_changed(view->session);
    session_unlock(view->session);
}

void view_select_tile(View *view, int32_t tile)
{
    session_lock(view->session);
    view->dataset->tile = tile;
    session_changed(view->session);
    session_unlock(view->session);
}
