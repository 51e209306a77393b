#include "config.h"

#include "transform/copies.h"

/* The copies that one affine loop takes over from the front: the first two give the strides, and every
 * further one of the same size that keeps to them belongs to it. All are on one tile. */
static size_t copies_loop_length(const Copy *copies, size_t count)
{
    if (count == 1 || copies[1].bytes != copies[0].bytes) {
        return 1;
    }
    uint32_t from_stride = copies[1].from - copies[0].from, to_stride = copies[1].to - copies[0].to;
    size_t rows = 2;
    while (rows < count && copies[rows].bytes == copies[0].bytes &&
           copies[rows].from - copies[rows - 1].from == from_stride &&
           copies[rows].to - copies[rows - 1].to == to_stride) {
        rows++;
    }
    return rows;
}

static void copies_measure_tile(const Copy *copies, size_t count, CopyFigures *figures)
{
    uint64_t bytes = 0, loops = 0;
    for (size_t k = 0; k < count; k++) {
        bytes += copies[k].bytes;
    }
    for (size_t k = 0; k < count; k += copies_loop_length(copies + k, count - k)) {
        loops++;
    }
    figures->loops += loops;
    figures->tiles_with_one_loop += loops == 1;
    figures->tile_max_bytes = bytes > figures->tile_max_bytes ? bytes : figures->tile_max_bytes;
    figures->tile_max_loops = loops > figures->tile_max_loops ? loops : figures->tile_max_loops;
}

CopyFigures copies_measure(const Copy *copies, size_t count)
{
    CopyFigures figures = {0};
    for (size_t low = 0, high; low < count; low = high) {
        for (high = low + 1; high < count && copies[high].tile == copies[low].tile; high++) {
        }
        copies_measure_tile(copies + low, high - low, &figures);
    }
    return figures;
}
