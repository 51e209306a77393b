/* What the receivers of a phase hold when it is over: coverage and gaps. Follows spec/analysis.md, "Receiver
 * in-place feasibility". */
#ifndef EXSCOPE_ANALYSIS_COVERAGE_H
#define EXSCOPE_ANALYSIS_COVERAGE_H

#include "analysis/dependencies.h"

/* Which transfers a feasibility figure speaks of: the whole phase, or its independent prefix. The two differ
 * only where the phase has a dependency tail. */
typedef enum Scope { SCOPE_PHASE, SCOPE_PREFIX } Scope;

const char *scope_name(Scope scope); /* "phase", "prefix" */

/* The scope that is shown unless another is asked for: the prefix where the phase has a tail. */
Scope scope_default(const Dependencies *dependencies);

/* The scope covers the transfers [0, this) of the phase. */
uint32_t scope_transfers(const Phase *phase, const Dependencies *dependencies, Scope scope);

/* Bytes between two intervals of one receiver. Each needs its own liveness check. */
typedef struct CoverageGap {
    uint32_t address;
    uint32_t bytes;
} CoverageGap;

typedef struct TileCoverage {
    uint64_t payload_bytes; /* 0: the tile receives nothing, and all else is 0 */
    uint64_t union_bytes;
    uint64_t overlap_bytes; /* payload - union */
    uint32_t intervals;     /* disjoint; touching ones are one */
    bool contiguous;        /* one interval and no overlap */
    uint32_t low;           /* lowest byte address written */
    uint32_t high;          /* first byte address after the last one written */
    size_t gap_start;       /* Coverage.gaps[gap_start .. + intervals - 1), ascending */
} TileCoverage;

typedef struct Coverage {
    uint32_t transfers;       /* the scope: [0, transfers) of the phase */
    uint32_t receivers;       /* tiles that receive */
    uint32_t contiguous;      /* of them */
    int32_t busiest_receiver; /* most payload bytes, lowest tile on a tie; -1: none (null in JSON) */
    TileCoverage *tiles;      /* [tile_count] */
    uint16_t tile_count;
    CoverageGap *gaps;
    size_t gap_count;
} Coverage;

/* Of the first `transfers` transfers. Near linear. Fails when cancelled or out of memory. */
bool coverage_compute(const Phase *phase, uint16_t tile_count, uint32_t transfers, Progress *progress,
                      Coverage *coverage, Error *error);
void coverage_free(Coverage *coverage);

#endif
