#include "config.h"

#include "fabric/fabric.h"

enum {
    PAIRS_IN_BLOCK = 23, /* a block is one column's half: one pair of tiles in every row */
    PLAIN_BYTES_END = 0x80000,
    PLAIN_ELEMENT_BYTES = 0x4000,
    INTERLEAVED_ELEMENT_BYTES = 0x8000
};

uint16_t fabric_physical(uint16_t logical)
{
    unsigned pair = logical / 2u, lane = logical % 2u;
    unsigned block = pair / PAIRS_IN_BLOCK, row = pair % PAIRS_IN_BLOCK;
    if (block % 2 != 0) { /* odd blocks run the other way: numbering snakes through the fabric */
        row = PAIRS_IN_BLOCK - 1 - row;
    }
    return (uint16_t)(row * 64 + block / 2 * 4 + block % 2 + 2 * lane);
}

uint16_t fabric_logical(uint16_t physical)
{
    unsigned row = physical >> 6, block = ((physical >> 2) & 15u) * 2 + (physical & 1u);
    if (block % 2 != 0) {
        row = PAIRS_IN_BLOCK - 1 - row;
    }
    return (uint16_t)((block * PAIRS_IN_BLOCK + row) * 2 + ((physical >> 1) & 1u));
}

/* The page's formulas, sorted by the tile they depend on. With s the source and t the receiver:
 *   displacement = [6*fold(t) + approach(t)] - [6*(fold(s) + ((col(s)>>3) ^ (s&1)))]
 *   time to mux  = [L(s) + (k(s)>>1 ^ 3) + edge(s) + turn(s, bit 5 of t) + 2*row(s) - 34]
 *                + [-col(t) - edge(t) - 2*row(t)] + |displacement|            k(s) = (s>>2)&7 */
FabricTile fabric_tile(uint16_t logical)
{
    uint16_t physical = fabric_physical(logical);
    int p = physical, row = p >> 6, column = (p >> 2) & 15;
    int half = column >> 3;
    int edge = half != 0 ? (column * 4) ^ 60 : column * 4;
    int fold = half != 0 ? column ^ 15 : column;

    int place = p & 3, approach;
    if (place > 1) {
        approach = half == (place & 1) ? 2 : 4;
    } else {
        approach = half == place ? 1 : 5;
    }

    int k = (p >> 2) & 7, lead = ((p >> 2) & 8) | ((p >> 3) & 3);
    int send = lead + ((k >> 1) ^ 3) + edge + 2 * row - 34;
    int same = k + 1, across = 16 - k, side = (p >> 5) & 1;

    FabricTile tile = {
        .physical = physical,
        .row = (uint8_t)row,
        .column = (uint8_t)column,
        .send_position = (int16_t)(6 * (fold + (half ^ (p & 1)))),
        .receive_position = (int16_t)(6 * fold + approach),
        .receive_time = (int16_t)(-column - edge - 2 * row),
    };
    tile.send_time[side] = (int16_t)(send + same);
    tile.send_time[side ^ 1] = (int16_t)(send + across);
    return tile;
}

static unsigned element_at(uint32_t address)
{
    return address < PLAIN_BYTES_END
               ? address / PLAIN_ELEMENT_BYTES
               : FABRIC_PLAIN_ELEMENTS + (address - PLAIN_BYTES_END) / INTERLEAVED_ELEMENT_BYTES;
}

uint64_t fabric_elements(uint32_t address, uint32_t bytes)
{
    if (bytes == 0) {
        return 0;
    }
    /* The numbering grows with the address, so a span is a run of bits; the last bit is below 48. */
    unsigned first = element_at(address), last = element_at(address + bytes - 1);
    return (UINT64_C(2) << last) - (UINT64_C(1) << first);
}
