/* Any small phase through everything that is computed from it: dependencies, coverage and the proof of
 * equivalence against their definitions, modes against the rules that they keep. The first bytes choose a
 * corruption of one mode, about which proof and definition must agree too. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/identity.h"
#include "analysis/routes.h"
#include "mutate.h"
#include "naive.h"

enum { TRANSFERS_MAX = 40, COST_MAX = 6000 };

/* ---- dependencies ---- */

static bool naive_edge(const NaiveDependencies *naive, uint32_t i, uint32_t j)
{
    return naive->kinds[i * naive->n + j] != 0;
}

static void check_edges(const Dependencies *found, const NaiveDependencies *naive)
{
    uint64_t edges = 0;
    uint32_t n = naive->n, prefix = n, deepest = 0, depth[TRANSFERS_MAX] = {0};
    bool waw = false;
    for (uint32_t j = 0; j < n; j++) {
        uint32_t at = found->edges > 0 ? found->predecessor_start[j] : 0;
        for (uint32_t i = 0; i < j; i++) {
            if (naive_edge(naive, i, j)) {
                FUZZ_CHECK(found->edges > 0 && at < found->predecessor_start[j + 1] &&
                               found->predecessors[at] == i,
                           "%u -> %u is missing", i, j);
                at++;
                edges++;
                waw |= (naive->kinds[i * n + j] >> DEPENDENCY_WAW & 1) != 0;
                prefix = j < prefix ? j : prefix;
                depth[j] = depth[i] + 1 > depth[j] ? depth[i] + 1 : depth[j];
            }
        }
        FUZZ_CHECK(found->edges == 0 || at == found->predecessor_start[j + 1], "too many edges to %u", j);
        FUZZ_CHECK(found->edges == 0 || found->depth[j] == depth[j], "depth of %u", j);
        deepest = depth[j] > deepest ? depth[j] : deepest;
    }
    FUZZ_CHECK(found->edges == edges, "%llu edges, not %llu", (unsigned long long)found->edges,
               (unsigned long long)edges);
    FUZZ_CHECK(found->prefix_transfers == prefix && found->tail_transfers == n - prefix, "prefix %u, not %u",
               found->prefix_transfers, prefix);
    FUZZ_CHECK(found->maximum_depth == deepest, "depth %u, not %u", found->maximum_depth, deepest);
    FUZZ_CHECK(found->write_write_overlap == waw, "write-write overlap");
    FUZZ_CHECK(found->read_write_overlap == naive->read_write_overlap, "read-write overlap");
}

static void check_reasons(const Phase *phase, uint16_t tile_count, const Dependencies *dependencies,
                          const NaiveDependencies *naive)
{
    uint32_t n = naive->n;
    DependencyReasons reasons = {0};
    size_t starts[TRANSFERS_MAX + 1];
    Error error = {0};
    FUZZ_CHECK(dependencies_explain(phase, tile_count, dependencies, 0, n, &reasons, starts, NULL, &error),
               "%s", error.message);
    for (uint32_t j = 0; j < n; j++) {
        uint8_t kinds[TRANSFERS_MAX] = {0};
        for (size_t k = starts[j]; k < starts[j + 1]; k++) {
            const DependencyReason *reason = &reasons.list.items[k];
            FUZZ_CHECK(reason->transfer < j, "%u waits for %u", j, reason->transfer);
            FUZZ_CHECK(reason->bytes > 0 && reason->bytes % 4 == 0, "%u bytes", reason->bytes);
            FUZZ_CHECK((reason->iteration_count == 0) == (reason->kind == DEPENDENCY_WAW), "iterations");
            kinds[reason->transfer] |= (uint8_t)(1 << reason->kind);
        }
        for (uint32_t i = 0; i < j; i++) {
            FUZZ_CHECK(kinds[i] == naive->kinds[i * n + j], "%u -> %u: kinds %u, not %u", i, j, kinds[i],
                       naive->kinds[i * n + j]);
        }
    }
    dependency_reasons_free(&reasons);
}

/* ---- coverage ---- */

static void check_coverage(const Phase *phase, uint16_t tile_count, uint32_t transfers)
{
    Coverage coverage;
    Identity identity;
    Error error = {0};
    FUZZ_CHECK(coverage_compute(phase, tile_count, transfers, NULL, &coverage, &error), "%s", error.message);
    FUZZ_CHECK(identity_compute(phase, &coverage, NULL, &identity, &error), "%s", error.message);
    uint32_t receivers = 0, checked = 0;
    for (uint16_t t = 0; t < tile_count; t++) {
        const TileCoverage *tile = &coverage.tiles[t];
        receivers += tile->payload_bytes > 0;
        if (tile->payload_bytes == 0 || checked++ > 0) {
            continue;
        }
        NaiveCoverage naive = naive_coverage(phase, transfers, t);
        FUZZ_CHECK(tile->payload_bytes == naive.payload_bytes && tile->union_bytes == naive.union_bytes &&
                       tile->intervals == naive.intervals,
                   "tile %u", t);
        FUZZ_CHECK(tile->overlap_bytes == naive.payload_bytes - naive.union_bytes, "tile %u", t);
        FUZZ_CHECK(tile->contiguous == (tile->intervals == 1 && tile->overlap_bytes == 0), "tile %u", t);
        FUZZ_CHECK(tile->contiguous == identity.tiles[t].contiguous, "tile %u", t);
        if (tile->contiguous) {
            Permutation permutation;
            FUZZ_CHECK(permutation_compute(phase, &coverage, t, NULL, &permutation, &error), "%s",
                       error.message);
            permutation_free(&permutation);
        }
    }
    FUZZ_CHECK(coverage.receivers == receivers, "%u receivers, not %u", coverage.receivers, receivers);
    identity_free(&identity);
    coverage_free(&coverage);
}

/* ---- modes ---- */

typedef struct Case {
    const Phase *phase;
    uint16_t tile_count;
    const Dependencies *dependencies;
    Bytes corruption;
    Mode corrupted;
} Case;

/* Proof and definition must agree; `what` was corrupted, NULL: nothing. */
static void check_verdict(const Case *this, const Counterfactual *made, const char *what)
{
    Equivalence found;
    Error error = {0};
    FUZZ_CHECK(
        equivalence_prove(this->phase, this->tile_count, this->dependencies, made, NULL, &found, &error),
        "%s", error.message);
    uint32_t iteration, address;
    uint16_t tile;
    bool same = naive_equivalent(this->phase, made, &iteration, &tile, &address);
    const char *name = mode_name(made->mode);
    FUZZ_CHECK((found.verdict == VERDICT_EQUIVALENT) == same, "%s, %s corrupted", name, what);
    FUZZ_CHECK(same || made->mode == MODE_REORDERED || what != NULL, "%s is not equivalent", name);
    FUZZ_CHECK(same || (found.iteration == iteration && found.tile == tile && found.address == address),
               "%s: (%u, %u, 0x%x), not (%u, %u, 0x%x)", name, found.iteration, found.tile, found.address,
               iteration, tile, address);
    bool ignores = made->mode == MODE_REORDERED && this->dependencies->edges > 0;
    FUZZ_CHECK(found.valid == (same && !ignores), "%s", name);
}

static void check_mode(const Case *this, Mode mode)
{
    const Dependencies *dependencies = this->dependencies;
    bool staged = mode_stages_source(mode) || mode_stages_receiver(mode);
    bool refused = (staged || mode == MODE_COALESCED) &&
                   (dependencies->read_write_overlap || dependencies->write_write_overlap);
    FUZZ_CHECK((mode_refusal(mode, dependencies) != NULL) == refused, "%s", mode_name(mode));
    Counterfactual made;
    Error error = {0};
    bool built = mode_build(this->phase, this->tile_count, dependencies, mode, NULL, &made, &error);
    FUZZ_CHECK(built == !refused, "%s: %s", mode_name(mode), error.message);
    if (!built) {
        FUZZ_CHECK(error.kind == ERROR_REFUSED, "%s", error.message);
        return;
    }
    Geometry before;
    FUZZ_CHECK(geometry_compute(this->phase, this->tile_count, NULL, &before, &error), "%s", error.message);
    FUZZ_CHECK(made.geometry.transmitted_bytes == before.transmitted_bytes &&
                   made.geometry.received_bytes == before.received_bytes &&
                   made.geometry.transfers <= before.transfers &&
                   made.geometry.transfers == made.phase->transfers,
               "%s", mode_name(mode));
    FUZZ_CHECK(staged || phase_check(made.phase, this->tile_count, &error), "%s", error.message);
    check_verdict(this, &made, NULL);
    if (mode == this->corrupted && mode != MODE_ORIGINAL) {
        Bytes bytes = this->corruption;
        const char *what = mutate_counterfactual(&bytes, this->tile_count, &made, this->phase->transfers);
        if (what != NULL) {
            check_verdict(this, &made, what);
        }
    }
    counterfactual_free(&made);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { CORRUPTION = 8 };
    if (size < 1 + CORRUPTION) {
        return 0;
    }
    Bytes bytes = {data + 1 + CORRUPTION, data + size};
    Case this = {.corrupted = (Mode)(data[0] % MODE_COUNT), .corruption = {data + 1, data + 1 + CORRUPTION}};
    Phase *phase = fuzz_phase(&bytes, TRANSFERS_MAX, COST_MAX, &this.tile_count);
    this.phase = phase;

    Dependencies dependencies;
    Error error = {0};
    FUZZ_CHECK(dependencies_compute(phase, this.tile_count, NULL, &dependencies, &error), "%s",
               error.message);
    this.dependencies = &dependencies;
    NaiveDependencies naive = naive_dependencies(phase);
    check_edges(&dependencies, &naive);
    check_reasons(phase, this.tile_count, &dependencies, &naive);
    free(naive.kinds);

    check_coverage(phase, this.tile_count, phase->transfers);
    if (dependencies.tail_transfers > 0) {
        check_coverage(phase, this.tile_count, dependencies.prefix_transfers);
    }
    for (Mode mode = MODE_ORIGINAL; mode < MODE_COUNT; mode++) {
        check_mode(&this, mode);
    }
    dependencies_free(&dependencies);
    phase_free(phase);
    return 0;
}
