/* Finds where transfers of a phase conflict on one tile: which byte ranges one of them reads or writes after
 * another did. The common ground of the dependency figures and of their explanation.
 *
 * Only accesses that can conflict are looked at closely: tiles where nothing read is written and nothing
 * written twice, nearly all of them, take one sort of their writes and a search for every read. */
#ifndef EXSCOPE_ANALYSIS_CONFLICTS_H
#define EXSCOPE_ANALYSIS_CONFLICTS_H

#include "analysis/dependencies.h"
#include "analysis/endpoints.h"
#include "analysis/rank_set.h"

/* Who is told of conflicts: from byte `address` on, `after` conflicts with `before` (begins), or no longer
 * does. Ends are told only when they are asked for. The same begin or end may be told more than once; between
 * a begin and the next end of the same two transfers and kind the conflict holds for every byte. */
typedef struct ConflictSink {
    bool (*conflict)(void *context, uint32_t before, uint32_t after, DependencyKind kind, uint32_t address,
                     bool begins, Error *error);
    void *context;
    bool ends;
} ConflictSink;

/* Work space that serves one tile after the other. */
typedef struct Conflicts {
    const Phase *phase;
    uint16_t tile_count;
    Progress *progress;
    Endpoints sends, receives;

    /* Of the tile at hand. */
    bool read_write_overlap, write_write_overlap;
    VEC(uint64_t) writes; /* address << 32 | end, ascending, then their union */
    VEC(uint64_t) events; /* where accesses that may conflict start and end */

    /* Of the byte at hand; empty before and after every tile. Made for the first tile that needs them. */
    RankSet readers, writers;
    uint32_t *reads_running; /* [transfers] how many reads of a transfer cover the byte */
} Conflicts;

/* Free with conflicts_close, also after a failure. `phase` must outlive it. */
bool conflicts_open(const Phase *phase, uint16_t tile_count, Progress *progress, Conflicts *conflicts,
                    Error *error);
void conflicts_close(Conflicts *conflicts);

/* Tells every conflict on `tile` and sets the two overlap flags. After a failure only conflicts_close may
 * follow. Time: accesses x log, plus what is told, which is a small multiple of the distinct pairs. */
bool conflicts_on_tile(Conflicts *conflicts, uint16_t tile, const ConflictSink *sink, Error *error);

#endif
