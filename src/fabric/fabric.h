/* The statically timed exchange fabric: where tiles are and how long a word travels between them. Follows
 * spec/fabric-and-rows.md, "Tiles" and "Memory elements".
 *
 * A tile has a logical number (what captures speak of) and a physical one (where it is: what a source mux
 * names), both 0 .. FABRIC_TILES-1. Times are exchange events ("cycles").
 *
 *      column 0         column 1       ...  column 15
 *      lanes 0 1 2 3    0 1 2 3             0 1 2 3      physical = row * 64 + column * 4 + place
 *      row 0            :                   :
 *      ...              :                   :
 *      row 22           :                   : */
#ifndef EXSCOPE_FABRIC_FABRIC_H
#define EXSCOPE_FABRIC_FABRIC_H

#include <stdint.h>

#include "capture/phase.h"

enum {
    FABRIC_ROWS = 23,
    FABRIC_COLUMNS = 16,       /* of four tiles each */
    FABRIC_PLAIN_ELEMENTS = 32 /* elements of 0x4000 bytes below 0x80000; the interleaved ones follow */
};

/* Where one tile is, and the parts of a route's time that depend on this tile alone: a caller that times
 * millions of routes makes these once per tile. */
typedef struct FabricTile {
    uint16_t physical;
    uint8_t row;    /* 0 .. FABRIC_ROWS-1 */
    uint8_t column; /* 0 .. FABRIC_COLUMNS-1 */

    /* private to the functions below */
    int16_t send_position, receive_position; /* along the row; their difference is the displacement */
    int16_t send_time[2];                    /* by bit 5 of the receiver's physical number */
    int16_t receive_time;
} FabricTile;

/* A permutation of 0 .. FABRIC_TILES-1 and its inverse; the argument must be in that range. */
uint16_t fabric_physical(uint16_t logical);
uint16_t fabric_logical(uint16_t physical);

/* The tile with this logical number (below FABRIC_TILES). */
FabricTile fabric_tile(uint16_t logical);

/* Signed hops along the row from `source` to `receiver`. */
static inline int fabric_displacement(const FabricTile *source, const FabricTile *receiver)
{
    return receiver->receive_position - source->send_position;
}

/* The direction in which `source` must send to reach `receiver`: 1 or 2. */
static inline unsigned fabric_direction(const FabricTile *source, const FabricTile *receiver)
{
    return fabric_displacement(source, receiver) < 1 ? 2 : 1;
}

/* Cycles from a send's start until its first word is one event before the receiver's mux. May be negative. */
static inline int fabric_time_to_mux(const FabricTile *source, const FabricTile *receiver)
{
    int displacement = fabric_displacement(source, receiver);
    return source->send_time[(receiver->physical >> 5) & 1] + receiver->receive_time +
           (displacement < 0 ? -displacement : displacement);
}

/* The memory elements that `bytes` bytes from `address` touch, one bit each: bit e is plain element e, bit
 * FABRIC_PLAIN_ELEMENTS + e interleaved element e. 0 for an empty span. The span must end within
 * ADDRESS_BYTES_END. Two spans of one tile contend when their masks meet. */
uint64_t fabric_elements(uint32_t address, uint32_t bytes);

#endif
