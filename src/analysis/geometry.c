#include "config.h"

#include "analysis/geometry.h"

#include <string.h>

#include "base/memory.h"

static void geometry_count_roles(const Phase *phase, TileFigures *tiles)
{
    for (uint32_t i = 0; i < phase->transfers; i++) {
        uint64_t bytes = 4u * (uint64_t)phase->words[i];
        TileFigures *source = &tiles[phase->source[i]];
        source->send_fragments++;
        source->sent_bytes += bytes;
        for (uint32_t k = phase->receiver_start[i]; k < phase->receiver_start[i + 1]; k++) {
            TileFigures *receiver = &tiles[phase->receiver_tile[k]];
            receiver->receive_fragments++;
            receiver->received_bytes += bytes;
        }
    }
}

static void geometry_summarise(const TileFigures *tiles, uint16_t tile_count, Geometry *geometry)
{
    for (uint16_t t = 0; t < tile_count; t++) {
        const TileFigures *tile = &tiles[t];
        uint64_t fragments = (uint64_t)tile->send_fragments + tile->receive_fragments;
        geometry->receive_fragments += tile->receive_fragments;
        geometry->transmitted_bytes += tile->sent_bytes;
        geometry->received_bytes += tile->received_bytes;
        if (fragments > geometry->maximum_endpoint_fragments) {
            geometry->maximum_endpoint_fragments = fragments;
            geometry->busiest_tile = t;
        }
        if (tile->sent_bytes > geometry->maximum_outgoing_bytes) {
            geometry->maximum_outgoing_bytes = tile->sent_bytes;
        }
        if (tile->received_bytes > geometry->maximum_incoming_bytes) {
            geometry->maximum_incoming_bytes = tile->received_bytes;
        }
    }
}

bool geometry_compute(const Phase *phase, uint16_t tile_count, TileFigures *tiles, Geometry *geometry,
                      Error *error)
{
    TileFigures *owned = NULL;
    if (tiles == NULL) {
        tiles = owned = mem_zero(tile_count, sizeof *tiles, error);
        if (owned == NULL) {
            return false;
        }
    } else {
        memset(tiles, 0, tile_count * sizeof *tiles);
    }
    *geometry = (Geometry){.transfers = phase->transfers, .busiest_tile = -1};
    geometry_count_roles(phase, tiles);
    geometry_summarise(tiles, tile_count, geometry);
    mem_free(owned);
    return true;
}
