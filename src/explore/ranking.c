#include "config.h"

#include "explore/ranking.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"

const char *const phase_sort_names[] = {
    [PHASE_SORT_RANK] = "rank",           [PHASE_SORT_PHASE] = "phase",
    [PHASE_SORT_LABEL] = "label",         [PHASE_SORT_TRANSFERS] = "transfers",
    [PHASE_SORT_FRAGMENTS] = "fragments", [PHASE_SORT_MAXIMUM] = "maximum",
    [PHASE_SORT_SENT] = "sent",           [PHASE_SORT_RECEIVED] = "received",
    [PHASE_SORT_TAIL] = "tail",           [PHASE_SORT_COUNT] = NULL,
};

typedef struct Candidate {
    RankedPhase ranked;
    const char *label; /* NULL: none */
    uint64_t key;      /* of the numeric orders: larger comes first */
} Candidate;

static uint64_t sort_key(View *view, const PhaseEntry *entry, PhaseSort sort)
{
    const Geometry *geometry = &entry->geometry;
    switch (sort) {
    case PHASE_SORT_TRANSFERS:
        return geometry->transfers;
    case PHASE_SORT_FRAGMENTS:
        return geometry->receive_fragments;
    case PHASE_SORT_SENT:
        return geometry->transmitted_bytes;
    case PHASE_SORT_RECEIVED:
        return geometry->received_bytes;
    case PHASE_SORT_TAIL: {
        const Dependencies *dependencies = view_peek_dependencies(view, entry, MODE_ORIGINAL);
        return dependencies == NULL ? 0 : 1 + (uint64_t)dependencies->tail_transfers;
    }
    case PHASE_SORT_PHASE:
        return UINT32_MAX - entry->phase->number;
    case PHASE_SORT_RANK:
    case PHASE_SORT_MAXIMUM:
    case PHASE_SORT_LABEL:
    case PHASE_SORT_COUNT:
        break;
    }
    return geometry->maximum_endpoint_fragments;
}

static bool contains(const char *text, const char *part)
{
    for (; *text != '\0'; text++) {
        size_t i = 0;
        while (part[i] != '\0' && tolower((unsigned char)text[i]) == tolower((unsigned char)part[i])) {
            i++;
        }
        if (part[i] == '\0') {
            return true;
        }
    }
    return false;
}

static bool matches(const Candidate *candidate, const char *filter)
{
    char number[16];
    snprintf(number, sizeof number, "%u", (unsigned)candidate->ranked.entry->phase->number);
    return filter == NULL || strncmp(number, filter, strlen(filter)) == 0 ||
           (candidate->label != NULL && contains(candidate->label, filter));
}

static int compare_keys(uint32_t left, uint32_t right, const void *context)
{
    const Candidate *all = context;
    return all[left].key > all[right].key ? -1 : all[left].key < all[right].key;
}

static int compare_labels(uint32_t left, uint32_t right, const void *context)
{
    const Candidate *all = context;
    const char *a = all[left].label, *b = all[right].label;
    if (a == NULL || b == NULL) {
        return (a == NULL) - (b == NULL);
    }
    return strcmp(a, b);
}

/* All phases in ranking: order[0] is the worst. Ties keep the order of the file. */
static bool rank_all(View *view, Candidate *all, uint32_t *order, size_t count, Error *error)
{
    for (size_t i = 0; i < count; i++) {
        const PhaseEntry *entry = view_phase_at(view, i);
        all[i] = (Candidate){.ranked.entry = entry,
                             .label = view_label(view, entry),
                             .key = sort_key(view, entry, PHASE_SORT_RANK)};
        order[i] = (uint32_t)i;
    }
    if (!sort_indices(order, count, compare_keys, all, error)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        all[order[i]].ranked.rank = (uint32_t)i + 1;
    }
    return true;
}

/* Keeps what the filter lets through, in the order asked for. Ties keep the ranking. */
static bool rank_select(View *view, const PhaseQuery *query, Candidate *all, uint32_t *order, size_t *count,
                        Error *error)
{
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++) {
        if (matches(&all[order[i]], query->filter)) {
            all[order[i]].key = sort_key(view, all[order[i]].ranked.entry, query->sort);
            order[kept++] = order[i];
        }
    }
    *count = kept;
    if (!sort_indices(order, kept, query->sort == PHASE_SORT_LABEL ? compare_labels : compare_keys, all,
                      error)) {
        return false;
    }
    for (size_t i = 0; query->reverse && i < kept / 2; i++) {
        uint32_t swapped = order[i];
        order[i] = order[kept - 1 - i];
        order[kept - 1 - i] = swapped;
    }
    return true;
}

RankedPhase *phase_rank(View *view, const PhaseQuery *query, size_t *count, Error *error)
{
    size_t total = view_phase_count(view);
    Candidate *all = mem_new(total, sizeof *all, error);
    uint32_t *order = mem_new(total, sizeof *order, error);
    RankedPhase *list = mem_new(total, sizeof *list, error);
    *count = total;
    if (all == NULL || order == NULL || list == NULL || !rank_all(view, all, order, total, error) ||
        !rank_select(view, query, all, order, count, error)) {
        mem_free(list);
        list = NULL;
    } else {
        *count = query->top != 0 && query->top < *count ? query->top : *count;
        for (size_t i = 0; i < *count; i++) {
            list[i] = all[order[i]].ranked;
        }
    }
    mem_free(all);
    mem_free(order);
    return list;
}
