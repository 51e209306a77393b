#include "config.h"

#include "../replay/random_phase.h"

#include <stdlib.h>

#include "fabric/fabric.h"

uint64_t random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

uint32_t random_below(uint64_t *state, uint32_t bound)
{
    return (uint32_t)((random_next(state) >> 20) % bound);
}

static bool random_chance(uint64_t *state, uint32_t percent)
{
    return random_below(state, 100) < percent;
}

RandomShape random_shape(uint64_t *state, uint32_t transfers_max)
{
    static const uint32_t words[] = {2, 8, 60, 70, 140, 4148};
    static const uint16_t tiles[] = {2, 3, 4, 7, 60}, steps[] = {1, 1, 5, 24};
    return (RandomShape){
        .tiles = tiles[random_below(state, 5)],
        .tile_step = steps[random_below(state, 4)],
        .transfers = 1 + random_below(state, transfers_max),
        .words_max = words[random_below(state, 6)],
        .receivers_max = 1 + random_below(state, 4),
        .hub_percent = random_below(state, 3) * 45,
        .pair_percent = random_below(state, 3) * 40,
        .continue_percent = random_below(state, 3) * 40,
        .element_percent = random_below(state, 3) * 30,
        .loopback_percent = random_below(state, 3) * 10,
    };
}

uint16_t random_tile_count(const RandomShape *shape)
{
    return (uint16_t)((shape->tiles - 1) * shape->tile_step + 1);
}

static uint16_t random_tile(uint64_t *state, const RandomShape *shape)
{
    return (uint16_t)(random_below(state, shape->tiles) * shape->tile_step);
}

static uint32_t random_words(uint64_t *state, const RandomShape *shape, uint16_t receiver)
{
    static const uint32_t limits[] = {1,   2,   3,   5,   6,    27,   28,   29,   51,  52,  53,
                                      54,  63,  64,  65,  66,   67,   127,  128,  129, 130, 192,
                                      193, 256, 257, 600, 1024, 4095, 4096, 4097, 4148};
    uint32_t words = limits[random_below(state, sizeof limits / sizeof *limits)];
    if (random_chance(state, shape->pair_percent)) {
        words = 52 + 2u * fabric_tile(receiver).row;
    } else if (random_chance(state, 30)) {
        words = 1 + random_below(state, 12);
    }
    return words <= shape->words_max ? words : 1 + random_below(state, shape->words_max);
}

/* Reads lie in elements 4 .. 6, writes in 8 and above; both in 8 and 9 where elements are to be shared. */
static uint32_t random_read(uint64_t *state, const RandomShape *shape, uint32_t words)
{
    uint32_t base = random_chance(state, shape->element_percent) ? 0x20000 : 0x10000;
    return base + 4 * random_below(state, 0xc000 / 4 - words);
}

static uint32_t random_write(uint64_t *state, const RandomShape *shape, uint32_t words)
{
    uint32_t base = random_chance(state, shape->element_percent) ? 0x20000 : 0x7c000;
    return base + 4 * random_below(state, 0x18000 / 4 - words);
}

/* Whether the transfer may be in a phase at all (its first receiver may be its own source). */
static bool random_is_legal(uint16_t source, uint32_t words, uint32_t receivers, const uint16_t *tiles,
                            const uint32_t *writes, const uint32_t *reads, uint32_t repeat)
{
    for (uint32_t i = 0; i < receivers; i++) {
        if (tiles[i] != source) {
            continue;
        }
        FabricTile tile = fabric_tile(source);
        int neutral = fabric_time_to_mux(&tile, &tile) + 1 + (int)words;
        uint64_t read = 0;
        for (uint32_t r = 0; r < repeat; r++) {
            read |= fabric_elements(reads[r], 4 * words);
        }
        if (receivers == 1 || neutral == 0 || neutral == 1 ||
            (read & fabric_elements(writes[i], 4 * words)) != 0) {
            return false;
        }
    }
    return true;
}

static bool random_add(uint64_t *state, const RandomShape *shape, uint32_t *next_address, Phase *phase)
{
    uint16_t tiles[64];
    uint32_t writes[64], reads[3], receivers = 0, wanted = 1 + random_below(state, shape->receivers_max);
    uint16_t source = random_tile(state, shape);
    uint16_t first = random_tile(state, shape);
    bool loopback = random_chance(state, shape->loopback_percent);
    if (random_chance(state, shape->hub_percent)) {
        source = random_chance(state, 50) ? 0 : source;
        first = source == 0 ? first : 0;
    }
    uint32_t words = random_words(state, shape, first);
    for (uint32_t i = 0; i < wanted; i++) {
        uint16_t tile = i == 0 ? first : random_tile(state, shape);
        bool taken = tile == source && !loopback;
        for (uint32_t k = 0; k < receivers; k++) {
            taken = taken || tiles[k] == tile;
        }
        if (!taken) {
            writes[receivers] = random_write(state, shape, words);
            if (random_chance(state, shape->continue_percent) && next_address[tile] != 0 &&
                next_address[tile] + 4 * words <= ADDRESS_BYTES_END) {
                writes[receivers] = next_address[tile];
            }
            tiles[receivers++] = tile;
        }
    }
    uint32_t repeat = random_chance(state, 20) ? 3 : 1;
    for (uint32_t r = 0; r < repeat; r++) {
        reads[r] = random_read(state, shape, words);
    }
    if (receivers == 0 || !random_is_legal(source, words, receivers, tiles, writes, reads, repeat)) {
        return false;
    }
    for (uint32_t i = 0; i < receivers; i++) {
        next_address[tiles[i]] = writes[i] + 4 * words;
    }
    if (!phase_append(phase, source, (uint16_t)words, WIDTH_WORD32, reads, repeat, tiles, writes, receivers,
                      NULL)) {
        abort();
    }
    return true;
}

Phase *random_phase(uint64_t *state, const RandomShape *shape)
{
    uint32_t next_address[FABRIC_TILES] = {0};
    Phase *phase = phase_new(1, NULL);
    if (phase == NULL) {
        abort();
    }
    while (phase->transfers < shape->transfers) {
        random_add(state, shape, next_address, phase);
    }
    return phase;
}
