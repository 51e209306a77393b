#include "config.h"

#include "tui/map.h"

#include <stdlib.h>

#include "fabric/fabric.h"

/* The logical tile at a place of the fabric, -1 where the capture has none. */
static int32_t tile_at(int row, int column, uint16_t tile_count)
{
    if (row < 0 || row >= MAP_ROWS || column < 0 || column >= MAP_COLUMNS) {
        return -1;
    }
    uint16_t tile = fabric_logical((uint16_t)(row * MAP_COLUMNS + column));
    return tile < tile_count ? tile : -1;
}

unsigned map_shade(uint64_t value, uint64_t most)
{
    if (value == 0 || most == 0) {
        return 0;
    }
    double share = (double)value / (double)most * SHADE_MOST;
    unsigned shade = (unsigned)share;
    shade += share > (double)shade;
    return shade < 1 ? 1 : shade > SHADE_MOST ? SHADE_MOST : shade;
}

const char *map_glyph(unsigned shade, bool utf8)
{
    static const char *const blocks[SHADE_MOST + 1] = {"·", "░", "░", "▒", "▒", "▓", "▓", "█", "█"};
    static const char *const ascii[SHADE_MOST + 1] = {".", ":", "-", "=", "+", "*", "#", "%", "@"};
    return utf8 ? blocks[shade] : ascii[shade];
}

void map_layout(Map *map, Rect area, bool alone, bool half_blocks, int32_t selected)
{
    map->cell_width = area.width >= 2 * MAP_COLUMNS ? 2 : 1;
    map->pairs = area.height < MAP_ROWS && !alone;
    map->halves = map->pairs && half_blocks;
    int needed = map->pairs ? (MAP_ROWS + 1) / 2 : MAP_ROWS;
    int height = area.height < needed ? area.height : needed;
    int rows = map->pairs ? height * 2 : height; /* of the fabric that show */
    int row = selected < 0 ? 0 : fabric_physical((uint16_t)selected) / MAP_COLUMNS;
    if (row < map->first_row) {
        map->first_row = row;
    } else if (row >= map->first_row + rows) {
        map->first_row = row - rows + 1;
    }
    if (map->first_row + rows > MAP_ROWS) {
        map->first_row = MAP_ROWS > rows ? MAP_ROWS - rows : 0;
    }
    map->cells = (Rect){area.row, area.column, height, map->cell_width * MAP_COLUMNS};
}

static unsigned shade_of(int32_t tile, const uint64_t *values, uint64_t most)
{
    return tile < 0 ? 0 : map_shade(values[tile], most);
}

static void put(const Map *map, Grid *grid, int row, int column, Style style, const char *glyph)
{
    int at = map->cells.column + column * map->cell_width;
    for (int i = 0; i < map->cell_width; i++) {
        grid_put(grid, map->cells.row + row, at + i, style, glyph);
    }
}

/* Two tiles as the halves of one cell. */
static void draw_halves(const Map *map, Grid *grid, int row, int column, const int32_t tiles[2],
                        const unsigned shades[2], int32_t selected)
{
    unsigned upper = tiles[0] >= 0 && tiles[0] == selected ? SHADE_SELECTED : shades[0];
    unsigned lower = tiles[1] >= 0 && tiles[1] == selected ? SHADE_SELECTED : shades[1];
    if (upper == 0 && lower == 0) {
        put(map, grid, row, column, LOOK_DIM, tiles[0] < 0 && tiles[1] < 0 ? " " : "·");
    } else if (upper == 0) {
        put(map, grid, row, column, style_shades(lower, 0), "▄");
    } else {
        put(map, grid, row, column, style_shades(upper, lower), "▀");
    }
}

void map_draw(const Map *map, Grid *grid, const uint64_t *values, bool known, uint16_t tile_count,
              int32_t selected, bool colors)
{
    uint64_t most = 0;
    for (uint16_t tile = 0; known && tile < tile_count; tile++) {
        most = values[tile] > most ? values[tile] : most;
    }
    int step = map->pairs ? 2 : 1;
    for (int row = 0; row < map->cells.height; row++) {
        for (int column = 0; column < MAP_COLUMNS; column++) {
            int fabric_row = map->first_row + row * step;
            int32_t tiles[2] = {tile_at(fabric_row, column, tile_count),
                                map->pairs ? tile_at(fabric_row + 1, column, tile_count) : -1};
            unsigned shades[2] = {known ? shade_of(tiles[0], values, most) : 0,
                                  known ? shade_of(tiles[1], values, most) : 0};
            if (map->halves) {
                draw_halves(map, grid, row, column, tiles, shades, selected);
            } else if (tiles[0] < 0 && tiles[1] < 0) {
                put(map, grid, row, column, LOOK_NORMAL, " ");
            } else if (selected >= 0 && (tiles[0] == selected || tiles[1] == selected)) {
                put(map, grid, row, column, LOOK_CURSOR, grid->utf8 ? "◆" : "X");
            } else {
                unsigned shade = shades[0] > shades[1] ? shades[0] : shades[1];
                Style style = shade == 0 || !known ? LOOK_DIM : colors ? style_shades(shade, 0) : LOOK_NORMAL;
                put(map, grid, row, column, style, map_glyph(shade, grid->utf8));
            }
        }
    }
}

int32_t map_tile_at(const Map *map, int row, int column, uint16_t tile_count)
{
    row -= map->cells.row;
    column -= map->cells.column;
    if (row < 0 || row >= map->cells.height || column < 0 || column >= map->cells.width) {
        return -1;
    }
    int fabric_row = map->first_row + row * (map->pairs ? 2 : 1);
    int32_t tile = tile_at(fabric_row, column / map->cell_width, tile_count);
    if (tile < 0 && map->pairs) {
        tile = tile_at(fabric_row + 1, column / map->cell_width, tile_count);
    }
    return tile;
}

int32_t map_neighbour(int32_t tile, int rows, int columns, uint16_t tile_count)
{
    int physical = fabric_physical((uint16_t)tile);
    int row = physical / MAP_COLUMNS, column = physical % MAP_COLUMNS;
    int32_t best = tile;
    int best_distance = 1 << 20;
    for (uint16_t other = 0; other < tile_count; other++) {
        int there = fabric_physical(other);
        int down = there / MAP_COLUMNS - row, right = there % MAP_COLUMNS - column;
        int along = rows != 0 ? down * (rows > 0 ? 1 : -1) : right * (columns > 0 ? 1 : -1);
        int aside = abs(rows != 0 ? right : down);
        /* straight ahead first: a step aside counts as much as the whole way across */
        int distance = along + aside * MAP_COLUMNS;
        if (along > 0 && distance < best_distance) {
            best_distance = distance;
            best = other;
        }
    }
    return best;
}
