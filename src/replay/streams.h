/* Streams and the chunks that waves cut them into. Follows spec/scheduler.md, "Order", 1 and 2. Internal to
 * order.c and balance.c. */
#ifndef EXSCOPE_REPLAY_STREAMS_H
#define EXSCOPE_REPLAY_STREAMS_H

#include "base/progress.h"
#include "base/vec.h"
#include "capture/phase.h"

/* The transfers of one stream that begin in one wave. */
typedef struct Chunk {
    uint32_t first; /* in Streams.sequence */
    uint32_t count;
    uint32_t wave;
    uint32_t stream;
    uint64_t words;
} Chunk;

typedef VEC(Chunk) ChunkVec;

typedef struct Streams {
    uint32_t *sequence;     /* transfers: stream by stream, in stream order */
    ChunkVec chunks;        /* ascending (wave, stream) */
    uint64_t *stream_words; /* [streams] total words */
    uint32_t count;         /* streams */
} Streams;

/* Starts from {0}. Near n log n. Fails when cancelled, out of memory, or when a stream has more waves than 32
 * bits count. */
bool streams_compute(const Phase *phase, uint16_t tile_count, uint32_t wave_words, Progress *progress,
                     Streams *streams, Error *error);
void streams_free(Streams *streams);

/* The transfer that tells a chunk's tiles. */
static inline uint32_t chunk_transfer(const Streams *streams, const Chunk *chunk)
{
    return streams->sequence[chunk->first];
}

#endif
