#include "config.h"

#include <string.h>

#include "analysis/routes.h"
#include "base/memory.h"
#include "base/vec.h"
#include "transform/copies.h"
#include "transform/modes.h"

enum {
    SOURCE_BASE = 0x10000,        /* of source staging */
    RECEIVER_BASE = 0x10000,      /* of receiver staging, in mode receiver */
    RECEIVER_BASE_BOTH = 0x80000, /* in mode both */
    SOURCE_STAGING_LIMIT = 0x40000,
    RECEIVER_STAGING_LIMIT = 0x40000,
    RECEIVER_STAGING_LIMIT_BOTH = 0x60000,
    STAGING_ALIGNMENT = 8,
    COPY_BYTES_PER_CYCLE = 8,
    POLL_TRANSFERS = 4096
};

/* Staging at one side: how far each tile's buffer is filled. */
typedef struct Staging {
    bool used;
    uint32_t base;
    uint32_t *filled_bytes; /* [tile_count] */
} Staging;

/* Copies at receivers, written tile by tile into slices: tile t fills [start[t], end[t]). */
typedef struct ReceiverCopies {
    Copy *copies;
    uint32_t *start, *end;
} ReceiverCopies;

/* The members of the routes are gathered from the captured phase a batch at a time, and written to `built`
 * one after the other; a phase never gets longer. */
typedef struct Builder {
    const Phase *phase;
    uint16_t tile_count;
    Mode mode;
    Progress *progress;
    Routes routes;
    Phase *built;
    uint32_t *emitted;
    uint32_t *gathered_at; /* NULL unless staged at the source */
    Staging source, receiver;
    VEC(Copy) source_copies;
    ReceiverCopies receiver_copies;
    uint32_t *staged_receiver_addresses; /* of the member at hand */
} Builder;

/* A transfer as the mode writes it, before merging. */
typedef struct Member {
    uint16_t source;
    uint16_t words;
    uint8_t width;
    uint32_t repeat;
    const uint32_t *addresses; /* source addresses, one when all are equal */
    uint32_t address_count;
    const uint16_t *tiles;
    const uint32_t *receiver_addresses;
    uint32_t receivers;
} Member;

/* ---- the transformed phase ---- */

/* Appends `words` of the member, from `skipped` words on. */
static void built_append(Phase *built, const Member *member, uint32_t skipped, uint32_t words)
{
    uint32_t i = built->transfers++, a = built->address_start[i], r = built->receiver_start[i];
    built->source[i] = member->source;
    built->words[i] = (uint16_t)words;
    built->width[i] = member->width;
    built->repeat[i] = member->repeat;
    for (uint32_t k = 0; k < member->address_count; k++) {
        built->addresses[a + k] = member->addresses[k] + 4 * skipped;
    }
    for (uint32_t k = 0; k < member->receivers; k++) {
        built->receiver_tile[r + k] = member->tiles[k];
        built->receiver_address[r + k] = member->receiver_addresses[k] + 4 * skipped;
    }
    built->address_start[i + 1] = a + member->address_count;
    built->receiver_start[i + 1] = r + member->receivers;
}

/* Whether every address of the member, of the same route, goes on where the last transfer ends. */
static bool built_continues(const Phase *built, const Member *member)
{
    uint32_t last = built->transfers - 1, bytes = 4u * (uint32_t)built->words[last];
    const uint32_t *addresses = built->addresses + built->address_start[last];
    const uint32_t *receiver_addresses = built->receiver_address + built->receiver_start[last];
    if (built->repeat[last] != member->repeat || phase_address_count(built, last) != member->address_count) {
        return false;
    }
    for (uint32_t k = 0; k < member->address_count; k++) {
        if (addresses[k] + bytes != member->addresses[k]) {
            return false;
        }
    }
    for (uint32_t k = 0; k < member->receivers; k++) {
        if (receiver_addresses[k] + bytes != member->receiver_addresses[k]) {
            return false;
        }
    }
    return true;
}

/* Rule 5: fills the last transfer up to the longest one that can be sent, the rest becomes the next. */
static void built_merge(Phase *built, const Member *member)
{
    uint32_t last = built->transfers - 1;
    uint32_t room = TRANSFER_WORDS_MAX - (uint32_t)built->words[last];
    if (member->words <= room) {
        built->words[last] = (uint16_t)(built->words[last] + member->words);
        return;
    }
    built->words[last] = TRANSFER_WORDS_MAX;
    built_append(built, member, room, member->words - room);
}

/* ---- staging ---- */

static void staging_align(Staging *staging, uint16_t tile)
{
    uint32_t mask = STAGING_ALIGNMENT - 1;
    staging->filled_bytes[tile] = (staging->filled_bytes[tile] + mask) & ~mask;
}

/* Takes the next bytes of the tile's buffer. */
static bool staging_take(const Builder *builder, Staging *staging, uint16_t tile, uint32_t bytes,
                         uint32_t *address, Error *error)
{
    uint64_t start = (uint64_t)staging->base + staging->filled_bytes[tile];
    if (start + bytes + STAGING_ALIGNMENT > UINT32_MAX) {
        return error_set(error, ERROR_REFUSED,
                         "phase %u, mode %s: the staging buffer of tile %u exceeds 4 GiB",
                         builder->phase->number, mode_name(builder->mode), tile);
    }
    *address = (uint32_t)start;
    staging->filled_bytes[tile] += bytes;
    return true;
}

/* Rule 3: at the start of a route. */
static void builder_align(Builder *builder, const Routes *routes, const Route *route)
{
    if (builder->source.used) {
        staging_align(&builder->source, route->source);
    }
    for (uint32_t k = 0; builder->receiver.used && k < route->receivers; k++) {
        staging_align(&builder->receiver, routes->receiver_tile[route->receiver_start + k]);
    }
}

/* Rule 4 at the source: the member is read from staging, from one address. */
static bool builder_stage_source(Builder *builder, uint32_t transfer, Member *member, Error *error)
{
    uint32_t *staged = &builder->gathered_at[transfer], bytes = 4u * (uint32_t)member->words;
    if (!staging_take(builder, &builder->source, member->source, bytes, staged, error)) {
        return false;
    }
    Copy copy = {.tile = member->source, .from = member->addresses[0], .to = *staged, .bytes = bytes};
    member->addresses = staged;
    member->address_count = member->repeat = 1;
    size_t count = builder->source_copies.count;
    if (count > 0 && copy_continues(&builder->source_copies.items[count - 1], &copy)) {
        builder->source_copies.items[count - 1].bytes += bytes;
        return true;
    }
    return vec_push(&builder->source_copies, copy, error);
}

/* Rule 4 at the receivers. */
static bool builder_stage_receivers(Builder *builder, Member *member, Error *error)
{
    ReceiverCopies *copies = &builder->receiver_copies;
    uint32_t *staged = builder->staged_receiver_addresses, bytes = 4u * (uint32_t)member->words;
    for (uint32_t k = 0; k < member->receivers; k++) {
        uint16_t tile = member->tiles[k];
        if (!staging_take(builder, &builder->receiver, tile, bytes, &staged[k], error)) {
            return false;
        }
        Copy copy = {.tile = tile, .from = staged[k], .to = member->receiver_addresses[k], .bytes = bytes};
        uint32_t *end = &copies->end[tile];
        if (*end > copies->start[tile] && copy_continues(&copies->copies[*end - 1], &copy)) {
            copies->copies[*end - 1].bytes += bytes;
        } else {
            copies->copies[(*end)++] = copy;
        }
    }
    member->receiver_addresses = staged;
    return true;
}

/* ---- emission ---- */

/* Transfer k of a phase as it is. */
static Member member_of(const Phase *phase, uint32_t k)
{
    return (Member){.source = phase->source[k],
                    .words = phase->words[k],
                    .width = phase->width[k],
                    .repeat = phase->repeat[k],
                    .addresses = phase->addresses + phase->address_start[k],
                    .address_count = phase_address_count(phase, k),
                    .tiles = phase->receiver_tile + phase->receiver_start[k],
                    .receiver_addresses = phase->receiver_address + phase->receiver_start[k],
                    .receivers = phase_receivers(phase, k)};
}

/* `member` is captured transfer `captured`. */
static bool builder_emit_member(Builder *builder, Member member, uint32_t captured, bool may_merge,
                                Error *error)
{
    member.width = WIDTH_WORD32;
    if ((builder->source.used && !builder_stage_source(builder, captured, &member, error)) ||
        (builder->receiver.used && !builder_stage_receivers(builder, &member, error))) {
        return false;
    }
    if (may_merge && built_continues(builder->built, &member)) {
        built_merge(builder->built, &member);
    } else {
        built_append(builder->built, &member, 0, member.words);
    }
    return true;
}

static bool builder_emit_routes(void *context, const Routes *routes, const RouteBatch *batch, Error *error)
{
    Builder *builder = context;
    progress_set(builder->progress, batch->start);
    if (!progress_go_on(builder->progress, error)) {
        return false;
    }
    for (uint32_t g = batch->first_route; g < batch->end_route; g++) {
        const Route *route = &routes->routes[g];
        bool merges = !route_is_loopback(routes, route);
        builder_align(builder, routes, route);
        for (uint32_t k = route->start; k < route->start + route->transfers; k++) {
            Member member = member_of(batch->phase, batch->order[k - batch->start]);
            if (!builder_emit_member(builder, member, routes->order[k], merges && k > route->start, error)) {
                return false;
            }
        }
    }
    return true;
}

/* Rule 7: the tail stays as it is. */
static bool builder_emit_tail(Builder *builder, Error *error)
{
    const Phase *phase = builder->phase;
    for (uint32_t k = builder->routes.members; k < phase->transfers; k++) {
        Member member = member_of(phase, k);
        built_append(builder->built, &member, 0, member.words);
        if (k % POLL_TRANSFERS == 0 && !progress_go_on(builder->progress, error)) {
            return false;
        }
    }
    return true;
}

/* Makes the order of the routes the order of emission: then comes the rest of the phase as captured. */
static bool builder_take_order(Builder *builder, Error *error)
{
    Routes *routes = &builder->routes;
    uint32_t transfers = builder->phase->transfers;
    if (routes->members < transfers && !mem_resize(&routes->order, transfers, sizeof *routes->order, error)) {
        return false;
    }
    builder->emitted = routes->order;
    routes->order = NULL;
    for (uint32_t k = routes->members; k < transfers; k++) {
        builder->emitted[k] = k;
    }
    return true;
}

/* ---- set-up ---- */

static bool builder_stage_at_sources(Builder *builder, Error *error)
{
    builder->source =
        (Staging){.used = true,
                  .base = SOURCE_BASE,
                  .filled_bytes = mem_zero(builder->tile_count, sizeof *builder->source.filled_bytes, error)};
    builder->gathered_at = mem_zero(builder->phase->transfers, sizeof *builder->gathered_at, error);
    /* Touched as far as there are copies: growing it step by step would need room for two. */
    return builder->source.filled_bytes != NULL && builder->gathered_at != NULL &&
           vec_reserve(&builder->source_copies, builder->phase->transfers, error);
}

static bool builder_stage_at_receivers(Builder *builder, Error *error)
{
    const Phase *phase = builder->phase;
    ReceiverCopies *copies = &builder->receiver_copies;
    uint32_t receivers = phase->receiver_start[phase->transfers], sum = 0;
    builder->receiver = (Staging){
        .used = true,
        .base = builder->mode == MODE_BOTH ? RECEIVER_BASE_BOTH : RECEIVER_BASE,
        .filled_bytes = mem_zero(builder->tile_count, sizeof *builder->receiver.filled_bytes, error)};
    builder->staged_receiver_addresses =
        mem_new(builder->tile_count, sizeof *builder->staged_receiver_addresses, error);
    copies->copies = mem_new(receivers, sizeof *copies->copies, error);
    copies->start = mem_zero(builder->tile_count, sizeof *copies->start, error);
    copies->end = mem_zero(builder->tile_count, sizeof *copies->end, error);
    if (builder->receiver.filled_bytes == NULL || builder->staged_receiver_addresses == NULL ||
        copies->copies == NULL || copies->start == NULL || copies->end == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < receivers; k++) {
        copies->end[phase->receiver_tile[k]]++;
    }
    for (uint16_t t = 0; t < builder->tile_count; t++) {
        uint32_t here = copies->end[t];
        copies->start[t] = copies->end[t] = sum;
        sum += here;
    }
    return true;
}

static bool builder_open(Builder *builder, Error *error)
{
    const Phase *phase = builder->phase;
    uint32_t n = phase->transfers;
    builder->built = phase_new(phase->number, error);
    return builder->built != NULL &&
           phase_reserve(builder->built, n, mode_stages_source(builder->mode) ? n : phase->address_start[n],
                         phase->receiver_start[n], error) &&
           (!mode_stages_source(builder->mode) || builder_stage_at_sources(builder, error)) &&
           (!mode_stages_receiver(builder->mode) || builder_stage_at_receivers(builder, error));
}

static void builder_close(Builder *builder)
{
    routes_free(&builder->routes);
    phase_free(builder->built);
    mem_free(builder->emitted);
    mem_free(builder->gathered_at);
    mem_free(builder->source.filled_bytes);
    mem_free(builder->receiver.filled_bytes);
    vec_free(&builder->source_copies);
    mem_free(builder->receiver_copies.copies);
    mem_free(builder->receiver_copies.start);
    mem_free(builder->receiver_copies.end);
    mem_free(builder->staged_receiver_addresses);
}

static bool builder_run(Builder *builder, const Dependencies *dependencies, Error *error)
{
    const Phase *phase = builder->phase;
    uint32_t coalesced =
        builder->mode == MODE_COALESCED_PREFIX ? dependencies->prefix_transfers : phase->transfers;
    const uint32_t *level = builder->mode == MODE_COALESCED_LEVELS ? dependencies->depth : NULL;
    RouteMembers by =
        builder->mode == MODE_SOURCE ? ROUTE_MEMBERS_BY_RECEIVER_ADDRESS : ROUTE_MEMBERS_BY_SOURCE_ADDRESS;
    if (!routes_visit(phase, coalesced, level, by, builder_emit_routes, builder, builder->progress,
                      &builder->routes, error) ||
        !builder_emit_tail(builder, error) || !builder_take_order(builder, error)) {
        return false;
    }
    phase_shrink(builder->built);
    return progress_go_on(builder->progress, error);
}

/* ---- figures ---- */

/* Closes the gaps that merging left between the slices of the tiles; the number of copies. */
static size_t receiver_copies_compact(ReceiverCopies *copies, uint16_t tile_count)
{
    size_t count = 0;
    for (uint16_t t = 0; t < tile_count; t++) {
        uint32_t here = copies->end[t] - copies->start[t];
        memmove(copies->copies + count, copies->copies + copies->start[t], here * sizeof *copies->copies);
        count += here;
    }
    /* Shrinking fails harmlessly. */
    (void)mem_resize(&copies->copies, count, sizeof *copies->copies, NULL);
    return count;
}

static bool staging_holds(const Staging *staging, uint16_t tile, uint32_t address)
{
    return staging->used && address - staging->base < staging->filled_bytes[tile];
}

/* Whether some captured address lies in the staging range of its tile. */
static bool builder_aliases(const Builder *builder)
{
    const Phase *phase = builder->phase;
    const Staging *source = &builder->source, *receiver = &builder->receiver;
    if (!source->used && !receiver->used) {
        return false;
    }
    for (uint32_t i = 0; i < phase->transfers; i++) {
        for (uint32_t k = phase->address_start[i]; k < phase->address_start[i + 1]; k++) {
            if (staging_holds(source, phase->source[i], phase->addresses[k]) ||
                staging_holds(receiver, phase->source[i], phase->addresses[k])) {
                return true;
            }
        }
        for (uint32_t k = phase->receiver_start[i]; k < phase->receiver_start[i + 1]; k++) {
            if (staging_holds(source, phase->receiver_tile[k], phase->receiver_address[k]) ||
                staging_holds(receiver, phase->receiver_tile[k], phase->receiver_address[k])) {
                return true;
            }
        }
    }
    return false;
}

static void figures_measure_staging(const Builder *builder, ModeFigures *figures)
{
    const Staging *source = &builder->source, *receiver = &builder->receiver;
    for (uint16_t t = 0; t < builder->tile_count; t++) {
        uint64_t sent = source->used ? source->filled_bytes[t] : 0;
        uint64_t received = receiver->used ? receiver->filled_bytes[t] : 0;
        if (sent > figures->source_staging_max_bytes) {
            figures->source_staging_max_bytes = sent;
        }
        if (received > figures->destination_staging_max_bytes) {
            figures->destination_staging_max_bytes = received;
        }
        if (sent + received > figures->combined_staging_max_bytes) {
            figures->combined_staging_max_bytes = sent + received;
        }
    }
    uint64_t receiver_limit =
        builder->mode == MODE_BOTH ? RECEIVER_STAGING_LIMIT_BOTH : RECEIVER_STAGING_LIMIT;
    figures->replay_address_ranges_valid = figures->source_staging_max_bytes <= SOURCE_STAGING_LIMIT &&
                                           figures->destination_staging_max_bytes <= receiver_limit;
}

static void figures_measure_copies(const Counterfactual *made, ModeFigures *figures)
{
    CopyFigures source = copies_measure(made->source_copies, made->source_copy_count);
    CopyFigures receiver = copies_measure(made->receiver_copies, made->receiver_copy_count);
    figures->source_copy_max_bytes = source.tile_max_bytes;
    figures->destination_copy_max_bytes = receiver.tile_max_bytes;
    figures->local_copy_runs = made->source_copy_count + made->receiver_copy_count;
    figures->affine_copy_loops = source.loops + receiver.loops;
    figures->receivers_with_one_affine_loop = receiver.tiles_with_one_loop;
    figures->maximum_affine_loops_per_receiver = receiver.tile_max_loops;
    figures->copy_cycles_floor = (source.tile_max_bytes + COPY_BYTES_PER_CYCLE - 1) / COPY_BYTES_PER_CYCLE +
                                 (receiver.tile_max_bytes + COPY_BYTES_PER_CYCLE - 1) / COPY_BYTES_PER_CYCLE;
}

/* Hands everything that was built over. */
static bool builder_finish(Builder *builder, Counterfactual *made, Error *error)
{
    if (!geometry_compute(builder->built, builder->tile_count, NULL, &made->geometry, error)) {
        return false;
    }
    made->figures.staging_alias = builder_aliases(builder);
    figures_measure_staging(builder, &made->figures);
    if (builder->receiver.used) {
        made->receiver_copy_count = receiver_copies_compact(&builder->receiver_copies, builder->tile_count);
    }
    if (builder->source.used) {
        /* Shrinking fails harmlessly. */
        (void)mem_resize(&builder->source_copies.items, builder->source_copies.count,
                         sizeof *builder->source_copies.items, NULL);
    }
    made->source_copies = builder->source_copies.items;
    made->source_copy_count = builder->source_copies.count;
    made->receiver_copies = builder->receiver_copies.copies;
    made->source_staging_bytes = builder->source.filled_bytes;
    made->receiver_staging_bytes = builder->receiver.filled_bytes;
    made->emitted = builder->emitted;
    made->gathered_at = builder->gathered_at;
    made->phase = made->built = builder->built;
    figures_measure_copies(made, &made->figures);
    builder->source_copies.items = NULL;
    builder->receiver_copies.copies = NULL;
    builder->source.filled_bytes = builder->receiver.filled_bytes = NULL;
    builder->emitted = builder->gathered_at = NULL;
    builder->built = NULL;
    return true;
}

bool mode_build(const Phase *phase, uint16_t tile_count, const Dependencies *dependencies, Mode mode,
                Progress *progress, Counterfactual *counterfactual, Error *error)
{
    *counterfactual = (Counterfactual){.mode = mode, .phase = phase};
    if (mode == MODE_ORIGINAL) {
        counterfactual->figures.replay_address_ranges_valid = true;
        return geometry_compute(phase, tile_count, NULL, &counterfactual->geometry, error);
    }
    const char *refusal = mode_refusal(mode, dependencies);
    if (refusal != NULL) {
        return error_set(error, ERROR_REFUSED, "mode %s of phase %u is refused: %s", mode_name(mode),
                         phase->number, refusal);
    }
    progress_stage(progress, mode_name(mode), phase->transfers);
    Builder builder = {.phase = phase, .tile_count = tile_count, .mode = mode, .progress = progress};
    bool done = builder_open(&builder, error) && builder_run(&builder, dependencies, error) &&
                builder_finish(&builder, counterfactual, error);
    builder_close(&builder);
    return done;
}

void counterfactual_free(Counterfactual *counterfactual)
{
    phase_free(counterfactual->built);
    mem_free(counterfactual->emitted);
    mem_free(counterfactual->gathered_at);
    mem_free(counterfactual->source_copies);
    mem_free(counterfactual->receiver_copies);
    mem_free(counterfactual->source_staging_bytes);
    mem_free(counterfactual->receiver_staging_bytes);
    *counterfactual = (Counterfactual){0};
}
