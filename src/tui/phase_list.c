/* The list of phases as it is sorted and filtered, and the marks for export. */
#include "config.h"

#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "tui/app.h"

enum { MANY_PHASES = 2000 }; /* from here on, changes while loading are taken in a few times a second */

static bool list_is_due(const Tui *tui)
{
    if (!tui->ranked_valid) {
        return true;
    }
    return tui->ranked_changes != tui->seen_changes &&
           (tui->ranked_count < MANY_PHASES || thread_seconds() - tui->ranked_seconds > 0.3 ||
            tui->active_jobs == 0);
}

void phase_list_update(Tui *tui)
{
    if (!list_is_due(tui)) {
        return;
    }
    PhaseQuery query = {.sort = tui->preferences.phase_sort,
                        .reverse = tui->preferences.phase_reverse,
                        .filter = tui->phase_filter};
    Error error;
    size_t count;
    RankedPhase *ranked = phase_rank(tui->view, &query, &count, &error);
    if (ranked == NULL) {
        tui_fail(tui, &error);
        return;
    }
    mem_free(tui->ranked);
    tui->ranked = ranked;
    tui->ranked_count = count;
    tui->ranked_valid = true;
    tui->ranked_changes = tui->seen_changes;
    tui->ranked_seconds = thread_seconds();
}

void phase_list_forget(Tui *tui)
{
    mem_free(tui->ranked);
    tui->ranked = NULL;
    tui->ranked_count = 0;
    tui->ranked_valid = false;
    tui->phase_filter[0] = '\0';
    vec_free(&tui->marks);
}

/* Where the number is in the ascending marks, or would be. */
static size_t mark_place(const Tui *tui, uint32_t number)
{
    size_t low = 0, high = tui->marks.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (tui->marks.items[middle] < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

bool phase_marked(const Tui *tui, uint32_t number)
{
    size_t place = mark_place(tui, number);
    return place < tui->marks.count && tui->marks.items[place] == number;
}

void phase_toggle_mark(Tui *tui, uint32_t number)
{
    size_t place = mark_place(tui, number), rest = tui->marks.count - place;
    uint32_t *items = tui->marks.items;
    if (phase_marked(tui, number)) {
        memmove(items + place, items + place + 1, (rest - 1) * sizeof *items);
        tui->marks.count--;
        return;
    }
    Error error;
    if (!vec_push(&tui->marks, number, &error)) {
        tui_fail(tui, &error);
        return;
    }
    items = tui->marks.items;
    memmove(items + place + 1, items + place, rest * sizeof *items);
    items[place] = number;
}

bool phase_list_find(const Tui *tui, const PhaseEntry *entry, size_t *index)
{
    for (size_t i = 0; i < tui->ranked_count; i++) {
        if (tui->ranked[i].entry == entry) {
            *index = i;
            return true;
        }
    }
    return false;
}

bool phase_list_step(Tui *tui, int step)
{
    size_t at;
    if (tui->ranked_count == 0) {
        return false;
    }
    if (!phase_list_find(tui, tui_selection(tui).entry, &at)) {
        at = 0;
    } else if (step < 0 ? at == 0 : at + 1 == tui->ranked_count) {
        return false;
    } else {
        at += step < 0 ? (size_t)-1 : 1;
    }
    view_select_phase(tui->view, tui->ranked[at].entry);
    return true;
}
