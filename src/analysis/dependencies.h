/* Dependencies inside a phase: RAW, WAR and WAW over all Repeat addresses. Follows spec/analysis.md,
 * "Dependencies". */
#ifndef EXSCOPE_ANALYSIS_DEPENDENCIES_H
#define EXSCOPE_ANALYSIS_DEPENDENCIES_H

#include "base/progress.h"
#include "base/vec.h"
#include "capture/phase.h"

enum { DEPENDENCY_EDGES_MAX = 64 * 1000 * 1000 };

typedef struct Dependencies {
    bool read_write_overlap;
    bool write_write_overlap; /* a WAW edge exists */
    uint64_t edges;           /* distinct (i, j) pairs */
    uint32_t prefix_transfers;
    uint32_t tail_transfers;
    uint32_t maximum_depth;

    /* NULL when edges is 0. */
    uint32_t *depth;             /* [n] */
    uint32_t *predecessor_start; /* [n+1] */
    uint32_t *predecessors;      /* ascending inside each slice */
} Dependencies;

typedef enum DependencyKind { DEPENDENCY_RAW, DEPENDENCY_WAR, DEPENDENCY_WAW } DependencyKind;

/* Why one transfer waits for another: one adjacent byte range on one tile. */
typedef struct DependencyReason {
    uint32_t transfer; /* the predecessor */
    DependencyKind kind;
    uint16_t tile;
    uint32_t address;
    uint32_t bytes;
    /* Repeat iterations of the reader in which its addresses meet the range: [iteration_start,
     * +iteration_count) of the list's iterations; none for WAW. */
    uint32_t iteration_start, iteration_count;
} DependencyReason;

typedef struct DependencyReasons {
    VEC(DependencyReason) list; /* ascending (transfer, kind, tile, address) */
    VEC(uint32_t) iterations;
} DependencyReasons;

const char *dependency_kind_name(DependencyKind kind); /* "RAW", "WAR", "WAW" */

/* Near n log n in transfers x Repeat addresses. The phase obeys phase_check(). Fails when cancelled, out of
 * memory, or entangled beyond DEPENDENCY_EDGES_MAX pairs (ERROR_REFUSED, names phase and tile). progress:
 * accesses swept. */
bool dependencies_compute(const Phase *phase, uint16_t tile_count, Progress *progress,
                          Dependencies *dependencies, Error *error);
void dependencies_free(Dependencies *dependencies);

/* The reasons of the transfers [first, first + count), appended; starts[k] .. starts[k+1] is the slice of
 * list that belongs to transfer first + k (`starts` has count + 1 entries). Every tile that one of them reads
 * or writes is swept again; the work space is bounded, the list is as long as there are pairs and ranges. */
bool dependencies_explain(const Phase *phase, uint16_t tile_count, const Dependencies *dependencies,
                          uint32_t first, uint32_t count, DependencyReasons *reasons, size_t *starts,
                          Progress *progress, Error *error);
/* The other way round: why others wait for `transfer`. In each reason `transfer` is the one that waits.
 * Appended in the same order. Every tile that `transfer` reads or writes is swept again. */
bool dependencies_explain_waiting(const Phase *phase, uint16_t tile_count, const Dependencies *dependencies,
                                  uint32_t transfer, DependencyReasons *reasons, Progress *progress,
                                  Error *error);
void dependency_reasons_free(DependencyReasons *reasons);

#endif
