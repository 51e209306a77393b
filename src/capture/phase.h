/* A phase as columns: the captured one and every counterfactual one. Follows spec/capture-format.md.
 *
 * Units: tiles are logical (0 .. tile_count-1), addresses are bytes of tile SRAM, sizes are 32-bit words
 * unless a name says _bytes. About 27 bytes for a unicast transfer with one source address. */
#ifndef EXSCOPE_CAPTURE_PHASE_H
#define EXSCOPE_CAPTURE_PHASE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum {
    FABRIC_TILES = 1472,        /* logical tiles of the C600 fabric */
    TRANSFER_WORDS_MAX = 4148,  /* of one transfer */
    ADDRESS_BYTES_END = 1 << 20 /* a word address has 18 bits: every byte address is below this */
};

typedef enum Width { WIDTH_WORD32 = 0, WIDTH_PAIRED64 = 1 } Width;

/* Raw text of a member that this program does not know, kept for fixtures of mode original. */
typedef struct PhaseExtra {
    uint32_t transfer; /* index, or PHASE_EXTRA_PHASE for a member of the phase object itself */
    uint32_t
        receiver; /* index inside the transfer, or PHASE_EXTRA_TRANSFER for a member of the transfer object */
    char *member; /* "key":value, as in the file */
} PhaseExtra;

#define PHASE_EXTRA_PHASE UINT32_MAX
#define PHASE_EXTRA_TRANSFER UINT32_MAX

typedef struct Phase {
    uint32_t number;    /* the phase's own number, unique in a capture */
    uint32_t transfers; /* n */

    uint16_t *source; /* [n] sending tile */
    uint16_t *words;  /* [n] 1..TRANSFER_WORDS_MAX */
    uint8_t *width;   /* [n] Width */
    uint32_t *repeat; /* [n] entries of source_addresses, >= 1 */

    /* Source addresses of transfer i: addresses[address_start[i] .. address_start[i+1]). That slice has
     * repeat[i] entries, or a single one when all of them are equal. */
    uint32_t *address_start; /* [n+1] */
    uint32_t *addresses;

    /* Receivers of transfer i, in the order of the file: [receiver_start[i] .. receiver_start[i+1]). */
    uint32_t *receiver_start; /* [n+1] */
    uint16_t *receiver_tile;
    uint32_t *receiver_address;

    PhaseExtra *extras; /* ascending (transfer, receiver) */
    size_t extra_count;

    size_t transfer_capacity, address_capacity, receiver_capacity, extra_capacity;
} Phase;

/* An empty phase. NULL when memory is out. */
Phase *phase_new(uint32_t number, Error *error);
void phase_free(Phase *phase);

/* Room for this many transfers, pool addresses and receivers. */
bool phase_reserve(Phase *phase, size_t transfers, size_t addresses, size_t receivers, Error *error);

/* Appends a transfer. `repeat` >= 1 source addresses (collapsed to one when all are equal), `receivers` >= 1
 * tiles and addresses. Values are taken as they are: the reader and phase_check() test them. Fails for want
 * of memory or when a pool would exceed 2^32 - 1 entries. */
bool phase_append(Phase *phase, uint16_t source, uint16_t words, Width width, const uint32_t *addresses,
                  uint32_t repeat, const uint16_t *tiles, const uint32_t *tile_addresses, uint32_t receivers,
                  Error *error);

/* Makes `into` the transfers order[0 .. count) of `from`, without extras. A column is walked at a time: an
 * order that leaps through a large phase touches a page of every column at each step, which is quick as long
 * as few of them take turns. Callers that do more with each transfer than look at one or two columns gather
 * them first, PHASE_GATHER_TRANSFERS or so at a time, which stay in the cache. Fails for want of memory. */
bool phase_gather(Phase *into, const Phase *from, const uint32_t *order, uint32_t count, Error *error);

enum { PHASE_GATHER_TRANSFERS = 8192 };

/* Gives unused capacity back. */
void phase_shrink(Phase *phase);

/* The bytes that the columns occupy. */
size_t phase_memory_bytes(const Phase *phase);

/* Iterations of the phase: the longest address list, 1 for an empty phase. */
uint32_t phase_iterations(const Phase *phase);

/* Distinct pool entries of transfer i: 1 when it does not move. */
static inline uint32_t phase_address_count(const Phase *phase, uint32_t i)
{
    return phase->address_start[i + 1] - phase->address_start[i];
}

/* The source address that transfer i reads in Repeat iteration r. */
static inline uint32_t phase_address(const Phase *phase, uint32_t i, uint32_t r)
{
    uint32_t start = phase->address_start[i];
    return phase->addresses[r < phase->address_start[i + 1] - start ? start + r : start];
}

static inline uint32_t phase_receivers(const Phase *phase, uint32_t i)
{
    return phase->receiver_start[i + 1] - phase->receiver_start[i];
}

#endif
