/* Local copies of staging modes. Follows spec/analysis.md, "Exact construction" rule 6 and "Affine loops". */
#ifndef EXSCOPE_TRANSFORM_COPIES_H
#define EXSCOPE_TRANSFORM_COPIES_H

#include "transform/modes.h"

/* Whether `next` merges with the copy made just before it: same tile, contiguous on both sides. */
static inline bool copy_continues(const Copy *copy, const Copy *next)
{
    return copy->tile == next->tile && copy->from + copy->bytes == next->from &&
           copy->to + copy->bytes == next->to;
}

/* Figures of the copies of one side. */
typedef struct CopyFigures {
    uint64_t tile_max_bytes; /* most copied on one tile */
    uint64_t loops;          /* affine loops of all tiles */
    uint64_t tiles_with_one_loop;
    uint64_t tile_max_loops;
} CopyFigures;

/* Of merged copies in emission order, grouped by tile. Linear. */
CopyFigures copies_measure(const Copy *copies, size_t count);

#endif
