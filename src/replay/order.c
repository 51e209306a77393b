#include "config.h"

#include "replay/order.h"

#include "base/sort.h"
#include "replay/balance.h"
#include "replay/streams.h"

/* Without balancing: inside a wave by descending total words of the stream, then by stream. */
static bool order_by_size(const Streams *streams, uint32_t *places, Error *error)
{
    size_t count = streams->chunks.count;
    SortItem *items = mem_new(count, sizeof *items, error);
    if (items == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        items[i] = (SortItem){.key = UINT64_MAX - streams->stream_words[streams->chunks.items[i].stream],
                              .value = (uint32_t)i};
    }
    bool done = sort_items(items, count, error);
    for (size_t i = 0; done && i < count; i++) {
        items[i].key = streams->chunks.items[items[i].value].wave;
    }
    done = done && sort_items(items, count, error);
    for (size_t i = 0; done && i < count; i++) {
        places[i] = items[i].value;
    }
    mem_free(items);
    return done;
}

/* Depth first; everything else stays as it is. */
static bool order_by_depth(uint32_t *order, uint32_t count, const uint32_t *depth, Error *error)
{
    SortItem *items = mem_new(count, sizeof *items, error);
    if (items == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        items[i] = (SortItem){.key = depth[order[i]], .value = order[i]};
    }
    bool done = sort_items(items, count, error);
    for (uint32_t i = 0; done && i < count; i++) {
        order[i] = items[i].value;
    }
    mem_free(items);
    return done;
}

bool order_compute(const Phase *phase, uint16_t tile_count, const uint32_t *depth,
                   const ReplayOptions *options, Progress *progress, uint32_t *order, Error *error)
{
    Streams streams = {0};
    uint32_t *places = NULL;
    bool done = streams_compute(phase, tile_count, options->stream_words, progress, &streams, error) &&
                (places = mem_new(streams.chunks.count, sizeof *places, error)) != NULL &&
                (options->balance ? balance_waves(phase, tile_count, &streams, progress, places, error)
                                  : order_by_size(&streams, places, error));
    if (done) {
        uint32_t out = 0;
        for (size_t i = 0; i < streams.chunks.count; i++) {
            const Chunk *chunk = &streams.chunks.items[places[i]];
            for (uint32_t k = 0; k < chunk->count; k++) {
                order[out++] = streams.sequence[chunk->first + k];
            }
        }
        done = progress_go_on(progress, error) &&
               (depth == NULL || order_by_depth(order, phase->transfers, depth, error));
    }
    mem_free(places);
    streams_free(&streams);
    return done;
}
