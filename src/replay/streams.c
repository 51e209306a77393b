#include "config.h"

#include "replay/streams.h"

#include <string.h>

#include "base/sort.h"

enum {
    KEY_TILES = 4, /* receiver tiles that fit a sorting key, 16 bits each */
    POLL_TRANSFERS = 1 << 15
};

/* Compares the receiver lists of two transfers from their `from`-th tile on; the shorter one first. */
static int compare_receivers(const Phase *phase, uint32_t left, uint32_t right, uint32_t from)
{
    uint32_t left_count = phase_receivers(phase, left), right_count = phase_receivers(phase, right);
    const uint16_t *left_tiles = phase->receiver_tile + phase->receiver_start[left];
    const uint16_t *right_tiles = phase->receiver_tile + phase->receiver_start[right];
    for (uint32_t i = from; i < left_count && i < right_count; i++) {
        if (left_tiles[i] != right_tiles[i]) {
            return left_tiles[i] < right_tiles[i] ? -1 : 1;
        }
    }
    return left_count < right_count ? -1 : left_count > right_count;
}

static int compare_later_receivers(uint32_t left, uint32_t right, const void *context)
{
    return compare_receivers(context, left, right, KEY_TILES);
}

static bool same_stream(const Phase *phase, uint32_t left, uint32_t right)
{
    return phase->source[left] == phase->source[right] && compare_receivers(phase, left, right, 0) == 0;
}

/* The first receiver tiles, most significant first, so that a missing one sorts before every tile. */
static uint64_t receivers_key(const Phase *phase, uint32_t transfer)
{
    uint64_t key = 0;
    uint32_t start = phase->receiver_start[transfer], count = phase_receivers(phase, transfer);
    for (uint32_t i = 0; i < KEY_TILES; i++) {
        key = key << 16 | (i < count ? phase->receiver_tile[start + i] + 1u : 0);
    }
    return key;
}

/* Puts transfers whose keys are equal, though their lists may go on, in the order of the whole lists. */
static bool sort_long_receivers(const Phase *phase, const SortItem *items, uint32_t *transfers, size_t count,
                                Error *error)
{
    for (size_t low = 0, high; low < count; low = high) {
        high = low + 1;
        while (high < count && items[high].key == items[low].key) {
            high++;
        }
        if ((items[low].key & 0xffff) != 0 &&
            !sort_indices(transfers + low, high - low, compare_later_receivers, phase, error)) {
            return false;
        }
    }
    return true;
}

/* Orders the transfers of one source by (receiver tiles, first destination address, first source address,
 * index); they are in index order before. */
static bool sort_source(const Phase *phase, uint32_t *transfers, size_t count, SortItem *items, Error *error)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t transfer = transfers[i];
        uint64_t destination = phase->receiver_address[phase->receiver_start[transfer]];
        uint64_t source = phase->addresses[phase->address_start[transfer]];
        items[i] = (SortItem){.key = destination << 32 | source, .value = transfer};
    }
    if (!sort_items(items, count, error)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        items[i].key = receivers_key(phase, items[i].value);
    }
    if (!sort_items(items, count, error)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        transfers[i] = items[i].value;
    }
    return sort_long_receivers(phase, items, transfers, count, error);
}

/* Fills `sequence` with all transfers, grouped by source, in index order; starts[s] .. starts[s + 1] is the
 * part of source s. */
static void group_by_source(const Phase *phase, uint16_t tile_count, uint32_t *starts, uint32_t *sequence)
{
    memset(starts, 0, ((size_t)tile_count + 2) * sizeof *starts);
    for (uint32_t i = 0; i < phase->transfers; i++) {
        starts[phase->source[i] + 2]++;
    }
    for (size_t tile = 1; tile < tile_count; tile++) {
        starts[tile + 1] += starts[tile];
    }
    for (uint32_t i = 0; i < phase->transfers; i++) {
        sequence[starts[phase->source[i] + 1]++] = i;
    }
}

static bool sort_streams(const Phase *phase, uint16_t tile_count, Progress *progress, uint32_t *sequence,
                         Error *error)
{
    uint32_t *starts = mem_new((size_t)tile_count + 2, sizeof *starts, error);
    if (starts == NULL) {
        return false;
    }
    group_by_source(phase, tile_count, starts, sequence);
    uint32_t largest = 0;
    for (uint16_t tile = 0; tile < tile_count; tile++) {
        uint32_t count = starts[tile + 1] - starts[tile];
        largest = count > largest ? count : largest;
    }
    SortItem *items = mem_new(largest, sizeof *items, error);
    bool done = items != NULL;
    for (uint16_t tile = 0; done && tile < tile_count; tile++) {
        done = progress_go_on(progress, error) &&
               sort_source(phase, sequence + starts[tile], starts[tile + 1] - starts[tile], items, error);
    }
    mem_free(items);
    mem_free(starts);
    return done;
}

/* Cuts the streams of the sequence into chunks, ascending (stream, wave). */
static bool cut_streams(const Phase *phase, uint32_t wave_words, Progress *progress, Streams *streams,
                        Error *error)
{
    uint64_t offset = 0;
    Chunk *chunk = NULL;
    for (uint32_t i = 0; i < phase->transfers; i++) {
        uint32_t transfer = streams->sequence[i];
        if (i % POLL_TRANSFERS == 0 && !progress_go_on(progress, error)) {
            return false;
        }
        if (i == 0 || !same_stream(phase, streams->sequence[i - 1], transfer)) {
            streams->count++;
            offset = 0;
            chunk = NULL;
        }
        uint64_t wave = offset / wave_words;
        if (wave > UINT32_MAX) {
            return error_set(error, ERROR_REFUSED, "phase %u, transfer %u: its stream has too many waves",
                             phase->number, transfer);
        }
        if (chunk == NULL || chunk->wave != wave) {
            Chunk fresh = {.first = i, .wave = (uint32_t)wave, .stream = streams->count - 1};
            if (!vec_push(&streams->chunks, fresh, error)) {
                return false;
            }
            chunk = &streams->chunks.items[streams->chunks.count - 1];
        }
        chunk->count++;
        chunk->words += phase->words[transfer];
        offset += phase->words[transfer];
    }
    return true;
}

/* Stable, so that streams stay ascending inside a wave. */
static bool sort_by_wave(ChunkVec *chunks, Error *error)
{
    SortItem *items = mem_new(chunks->count, sizeof *items, error);
    Chunk *sorted = mem_new(chunks->count, sizeof *sorted, error);
    bool done = items != NULL && sorted != NULL;
    if (done) {
        for (size_t i = 0; i < chunks->count; i++) {
            items[i] = (SortItem){.key = chunks->items[i].wave, .value = (uint32_t)i};
        }
        done = sort_items(items, chunks->count, error);
    }
    if (done) {
        for (size_t i = 0; i < chunks->count; i++) {
            sorted[i] = chunks->items[items[i].value];
        }
        mem_free(chunks->items);
        chunks->items = sorted;
        chunks->capacity = chunks->count;
        sorted = NULL;
    }
    mem_free(sorted);
    mem_free(items);
    return done;
}

static bool sum_streams(Streams *streams, Error *error)
{
    streams->stream_words = mem_zero(streams->count, sizeof *streams->stream_words, error);
    if (streams->stream_words == NULL) {
        return false;
    }
    for (size_t i = 0; i < streams->chunks.count; i++) {
        streams->stream_words[streams->chunks.items[i].stream] += streams->chunks.items[i].words;
    }
    return true;
}

bool streams_compute(const Phase *phase, uint16_t tile_count, uint32_t wave_words, Progress *progress,
                     Streams *streams, Error *error)
{
    streams->sequence = mem_new(phase->transfers, sizeof *streams->sequence, error);
    return streams->sequence != NULL && sort_streams(phase, tile_count, progress, streams->sequence, error) &&
           cut_streams(phase, wave_words, progress, streams, error) && progress_go_on(progress, error) &&
           sort_by_wave(&streams->chunks, error) && progress_go_on(progress, error) &&
           sum_streams(streams, error);
}

void streams_free(Streams *streams)
{
    mem_free(streams->sequence);
    mem_free(streams->stream_words);
    vec_free(&streams->chunks);
}
