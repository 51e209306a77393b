#include "config.h"

#include "analysis/coverage.h"

#include "analysis/endpoints.h"
#include "base/memory.h"
#include "base/sort.h"

const char *scope_name(Scope scope)
{
    return scope == SCOPE_PREFIX ? "prefix" : "phase";
}

Scope scope_default(const Dependencies *dependencies)
{
    return dependencies->tail_transfers > 0 ? SCOPE_PREFIX : SCOPE_PHASE;
}

uint32_t scope_transfers(const Phase *phase, const Dependencies *dependencies, Scope scope)
{
    return scope == SCOPE_PREFIX ? dependencies->prefix_transfers : phase->transfers;
}

typedef struct CoverageBuilder {
    Coverage *coverage;
    VEC(CoverageGap) gaps;
    VEC(uint64_t) writes; /* of one tile: address << 32 | bytes */
} CoverageBuilder;

/* Sweeps the sorted writes of one tile. */
static bool coverage_sweep(CoverageBuilder *builder, TileCoverage *tile, Error *error)
{
    const uint64_t *writes = builder->writes.items;
    uint32_t end = (uint32_t)(writes[0] >> 32);
    tile->low = end;
    tile->intervals = 1;
    tile->gap_start = builder->gaps.count;
    for (size_t k = 0; k < builder->writes.count; k++) {
        uint32_t address = (uint32_t)(writes[k] >> 32), bytes = (uint32_t)writes[k];
        tile->payload_bytes += bytes;
        if (address > end) {
            if (!vec_push(&builder->gaps, ((CoverageGap){.address = end, .bytes = address - end}), error)) {
                return false;
            }
            tile->intervals++;
            end = address;
        }
        if (address + bytes > end) {
            tile->union_bytes += address + bytes - end;
            end = address + bytes;
        }
    }
    tile->high = end;
    tile->overlap_bytes = tile->payload_bytes - tile->union_bytes;
    tile->contiguous = tile->intervals == 1 && tile->overlap_bytes == 0;
    return true;
}

static bool coverage_tile(CoverageBuilder *builder, const Phase *phase, const Endpoints *receives,
                          uint16_t tile, Error *error)
{
    vec_clear(&builder->writes);
    for (uint32_t k = receives->start[tile]; k < receives->start[tile + 1]; k++) {
        uint64_t bytes = 4u * (uint64_t)phase->words[receives->transfer[k]];
        if (!vec_push(&builder->writes, (uint64_t)receives->address[k] << 32 | bytes, error)) {
            return false;
        }
    }
    if (builder->writes.count == 0) {
        return true;
    }
    Coverage *coverage = builder->coverage;
    TileCoverage *figures = &coverage->tiles[tile];
    if (!sort_u64(builder->writes.items, builder->writes.count, error) ||
        !coverage_sweep(builder, figures, error)) {
        return false;
    }
    coverage->receivers++;
    coverage->contiguous += figures->contiguous;
    if (coverage->busiest_receiver < 0 ||
        figures->payload_bytes > coverage->tiles[coverage->busiest_receiver].payload_bytes) {
        coverage->busiest_receiver = tile;
    }
    return true;
}

bool coverage_compute(const Phase *phase, uint16_t tile_count, uint32_t transfers, Progress *progress,
                      Coverage *coverage, Error *error)
{
    *coverage = (Coverage){.transfers = transfers, .busiest_receiver = -1, .tile_count = tile_count};
    CoverageBuilder builder = {.coverage = coverage};
    Endpoints receives = {0};
    coverage->tiles = mem_zero(tile_count, sizeof *coverage->tiles, error);
    bool done = coverage->tiles != NULL && endpoints_receives(phase, tile_count, transfers, &receives, error);
    progress_stage(progress, "coverage", tile_count);
    for (uint16_t t = 0; done && t < tile_count; t++) {
        done = progress_go_on(progress, error) && coverage_tile(&builder, phase, &receives, t, error);
        progress_set(progress, t);
    }
    endpoints_free(&receives);
    vec_free(&builder.writes);
    coverage->gaps = builder.gaps.items;
    coverage->gap_count = builder.gaps.count;
    if (!done) {
        coverage_free(coverage);
    }
    return done;
}

void coverage_free(Coverage *coverage)
{
    mem_free(coverage->tiles);
    mem_free(coverage->gaps);
    *coverage = (Coverage){.busiest_receiver = -1};
}
