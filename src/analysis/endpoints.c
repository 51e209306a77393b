#include "config.h"

#include "analysis/endpoints.h"

#include <string.h>

#include "base/memory.h"

/* start[t] = the number of roles of lower tiles, for a counting sort. */
static bool endpoints_count(const uint16_t *tiles, size_t count, uint16_t tile_count, Endpoints *endpoints,
                            Error *error)
{
    endpoints->start = mem_zero((size_t)tile_count + 1, sizeof *endpoints->start, error);
    endpoints->transfer = mem_new(count, sizeof *endpoints->transfer, error);
    if (endpoints->start == NULL || endpoints->transfer == NULL) {
        return false;
    }
    for (size_t k = 0; k < count; k++) {
        endpoints->start[tiles[k] + 1]++;
    }
    for (uint16_t t = 0; t < tile_count; t++) {
        endpoints->start[t + 1] += endpoints->start[t];
    }
    return true;
}

/* Filling moved every start to the start of the next tile. */
static void endpoints_move_back(Endpoints *endpoints, uint16_t tile_count)
{
    memmove(endpoints->start + 1, endpoints->start, tile_count * sizeof *endpoints->start);
    endpoints->start[0] = 0;
}

bool endpoints_sends(const Phase *phase, uint16_t tile_count, uint32_t transfers, Endpoints *endpoints,
                     Error *error)
{
    *endpoints = (Endpoints){0};
    if (!endpoints_count(phase->source, transfers, tile_count, endpoints, error)) {
        endpoints_free(endpoints);
        return false;
    }
    for (uint32_t i = 0; i < transfers; i++) {
        endpoints->transfer[endpoints->start[phase->source[i]]++] = i;
    }
    endpoints_move_back(endpoints, tile_count);
    return true;
}

bool endpoints_receives(const Phase *phase, uint16_t tile_count, uint32_t transfers, Endpoints *endpoints,
                        Error *error)
{
    *endpoints = (Endpoints){0};
    uint32_t count = phase->receiver_start[transfers];
    endpoints->address = mem_new(count, sizeof *endpoints->address, error);
    if (endpoints->address == NULL ||
        !endpoints_count(phase->receiver_tile, count, tile_count, endpoints, error)) {
        endpoints_free(endpoints);
        return false;
    }
    for (uint32_t i = 0; i < transfers; i++) {
        for (uint32_t k = phase->receiver_start[i]; k < phase->receiver_start[i + 1]; k++) {
            uint32_t at = endpoints->start[phase->receiver_tile[k]]++;
            endpoints->transfer[at] = i;
            endpoints->address[at] = phase->receiver_address[k];
        }
    }
    endpoints_move_back(endpoints, tile_count);
    return true;
}

void endpoints_free(Endpoints *endpoints)
{
    mem_free(endpoints->start);
    mem_free(endpoints->transfer);
    mem_free(endpoints->address);
    *endpoints = (Endpoints){0};
}
