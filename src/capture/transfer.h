/* One transfer on its way from the text into a phase: the rules it must meet, and the fast way to read it. */
#ifndef EXSCOPE_CAPTURE_TRANSFER_H
#define EXSCOPE_CAPTURE_TRANSFER_H

#include "base/vec.h"
#include "capture/capture.h"

typedef struct Transfer {
    uint16_t source;
    uint16_t words;
    Width width;
    VEC(uint32_t) addresses; /* as many as the Repeat list has */
    VEC(uint16_t) tiles;     /* receivers: tile and address */
    VEC(uint32_t) tile_addresses;
    EndpointSpelling spelling; /* of the first receiver */
} Transfer;

void transfer_free(Transfer *transfer);

/* The rules of spec/capture-format.md about one transfer, given as plain arrays: `count` source addresses,
 * `receivers` tiles with their addresses. The message says what was found and expected, not where. */
bool transfer_check(uint16_t source, uint16_t words, Width width, const uint32_t *addresses, size_t count,
                    const uint16_t *tiles, const uint32_t *tile_addresses, size_t receivers,
                    uint16_t tile_count, Error *error);

enum { TRANSFER_SCAN_PADDING = 20 }; /* the longest key or number that is compared in one step */

/* Reads a transfer object that is written plainly: known keys without escapes, each once, numbers of at most
 * seven digits that fit their columns, lists that fit the room `transfer` has. `text` starts at '{'; behind
 * its last byte stand TRANSFER_SCAN_PADDING NUL bytes. Returns the place after the closing brace, or
 * NULL when the transfer is not like that or not all there: it may still be good, and is to be read the
 * general way. transfer_check() is still to be called. */
const char *transfer_scan(const char *text, Transfer *transfer);

#endif
