/* The numbers that the map of the fabric shows: one a tile, of the kind that the preferences choose. */
#ifndef EXSCOPE_TUI_MAP_VALUES_H
#define EXSCOPE_TUI_MAP_VALUES_H

#include "tui/app.h"

typedef struct IdleTask IdleTask;

typedef struct MapValues {
    bool known;
    uint64_t numbers[FABRIC_TILES];
    IdleTask *idle; /* NULL, or the last one that was asked for */
} MapValues;

/* By Shade: "row bytes", ... */
extern const char *const shade_names[];

bool shade_needs_replay(Shade shade);

/* Reads what is there and asks for the rest; `refused`: the selected mode has no figures. */
void map_values_read(Tui *tui, MapValues *values, Selection selection, bool refused);
void map_values_forget(MapValues *values);

/* The tile that comes after `from` in descending order of the numbers (ties: ascending tile), or before it;
 * -1: none. With `from` -1 and `after` the very first one. */
int32_t map_values_step(const MapValues *values, uint16_t tiles, int32_t from, bool after);

uint64_t tile_row_bytes(const Replay *replay, int32_t tile);

#endif
