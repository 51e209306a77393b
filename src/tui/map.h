/* The fabric in its physical shape: 23 rows of 64 tiles, one cell a tile, or one cell for two tiles above
 * each other where the window is low. */
#ifndef EXSCOPE_TUI_MAP_H
#define EXSCOPE_TUI_MAP_H

#include "capture/phase.h"
#include "tui/grid.h"

enum { MAP_ROWS = 23, MAP_COLUMNS = 64 };

typedef struct Map {
    Rect cells; /* where it is drawn */
    int cell_width;
    bool pairs;    /* a cell holds two tiles, one above the other */
    bool halves;   /* and shows both, as half-blocks; else the larger one */
    int first_row; /* of the fabric, where not all fit */
} Map;

/* The map for an area; `alone` asks for one cell a tile, scrolled if need be. `selected` (a tile, or -1) is
 * kept in view. Half-blocks need UTF-8 and colours. */
void map_layout(Map *map, Rect area, bool alone, bool half_blocks, int32_t selected);

/* `values` has one number a tile, `known` false leaves the shades out (they are not known yet). */
void map_draw(const Map *map, Grid *grid, const uint64_t *values, bool known, uint16_t tile_count,
              int32_t selected, bool colors);

/* The shade of a value, 0 .. SHADE_MOST. */
unsigned map_shade(uint64_t value, uint64_t most);

/* What stands for a shade where colour alone cannot: 0 .. SHADE_MOST. */
const char *map_glyph(unsigned shade, bool utf8);

/* The tile drawn at a place of the screen; -1: none. */
int32_t map_tile_at(const Map *map, int row, int column, uint16_t tile_count);

/* The nearest tile in a direction (one of the two is not 0); the tile itself where there is none. */
int32_t map_neighbour(int32_t tile, int rows, int columns, uint16_t tile_count);

#endif
