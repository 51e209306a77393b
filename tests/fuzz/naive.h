/* The definitions of spec/analysis.md word by word, with no thought of speed: what the fast code is compared
 * with. Shares nothing with it but the types. */
#ifndef EXSCOPE_TESTS_NAIVE_H
#define EXSCOPE_TESTS_NAIVE_H

#include "analysis/coverage.h"
#include "analysis/dependencies.h"
#include "transform/equivalence.h"

/* edges[i * n + j]: bits 1 RAW, 2 WAR, 4 WAW of the pair i -> j. */
typedef struct NaiveDependencies {
    uint32_t n;
    uint8_t *kinds;
    bool read_write_overlap;
} NaiveDependencies;

NaiveDependencies naive_dependencies(const Phase *phase);

/* Simulates both phases word by word in every Repeat iteration that
 * differs from the earlier ones. False, with the lowest difference, when they
 * leave different memory behind. */
bool naive_equivalent(const Phase *original, const Counterfactual *counterfactual, uint32_t *iteration,
                      uint16_t *tile, uint32_t *address);

/* Payload, union and intervals of what a tile receives from the first `transfers` transfers. */
typedef struct NaiveCoverage {
    uint64_t payload_bytes, union_bytes;
    uint32_t intervals;
} NaiveCoverage;

NaiveCoverage naive_coverage(const Phase *phase, uint32_t transfers, uint16_t tile);

#endif
