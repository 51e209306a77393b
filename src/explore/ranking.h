/* Ranking, filter and sort of phases. Follows spec/analysis.md, "Ranking". Right at any moment of a load: the
 * rank is among the phases that the view knows. */
#ifndef EXSCOPE_EXPLORE_RANKING_H
#define EXSCOPE_EXPLORE_RANKING_H

#include "explore/view.h"

typedef enum PhaseSort {
    PHASE_SORT_RANK,      /* 1, 2, ... */
    PHASE_SORT_PHASE,     /* number, ascending */
    PHASE_SORT_LABEL,     /* by bytes, unlabelled last */
    PHASE_SORT_TRANSFERS, /* this and the following: largest first, ties by rank */
    PHASE_SORT_FRAGMENTS, /* receive_fragments */
    PHASE_SORT_MAXIMUM,   /* maximum_endpoint_fragments */
    PHASE_SORT_SENT,      /* transmitted_bytes */
    PHASE_SORT_RECEIVED,  /* received_bytes */
    PHASE_SORT_TAIL,      /* tail_transfers; phases whose dependencies are not known come last */
    PHASE_SORT_COUNT
} PhaseSort;

/* Names for the command line, ended by NULL: "rank", "phase", ... */
extern const char *const phase_sort_names[];

typedef struct PhaseQuery {
    PhaseSort sort;
    bool reverse;
    const char *filter; /* NULL or "": all. Else phases whose number begins with it, or whose label contains
                           it, upper and lower case alike */
    size_t top;         /* 0: all. Else the first so many of what is left */
} PhaseQuery;

typedef struct RankedPhase {
    const PhaseEntry *entry;
    uint32_t rank; /* 1: worst, among all phases of the view */
} RankedPhase;

/* A list of the caller's to free with mem_free; *count may be 0. NULL only for want of memory. */
RankedPhase *phase_rank(View *view, const PhaseQuery *query, size_t *count, Error *error);

#endif
