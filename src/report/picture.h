/* The pictures of index.html: inline SVG, coloured by the page's style sheet. */
#ifndef EXSCOPE_REPORT_PICTURE_H
#define EXSCOPE_REPORT_PICTURE_H

#include "base/text.h"

/* 1234567 as "1,234,567". */
void number_append(Text *text, uint64_t number);

typedef struct Bar {
    const char *name; /* a constant of the program's own, no text from a file */
    uint64_t value;
    bool invalid; /* drawn hollow, its figure struck out */
    bool best;
} Bar;

/* One bar below the other, with name and value, under a title: "Row bytes". */
void picture_bars(Text *text, const char *title, const Bar *bars, size_t count);

/* Two bars without words, for a table cell: `after` under `before`. */
void picture_before_after(Text *text, uint64_t before, uint64_t after, const char *what);

/* The fabric in its physical shape, one cell per tile, shaded by value in eight steps up to `scale` (the same
 * scale makes two maps comparable). 0: a tile that takes no part. `name` and `what` as for bars. */
void picture_tiles(Text *text, const uint32_t *values, uint16_t tile_count, uint32_t scale, const char *name,
                   const char *what);

#endif
