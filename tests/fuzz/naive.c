#include "config.h"

#include "naive.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

/* Slow as it is, it need not be watched by the tools that watch the program. */
#ifdef __clang__
#pragma clang attribute push(__attribute__((no_sanitize("address", "undefined", "coverage"))),               \
                             apply_to = function)
#endif

/* ---- a map from words to values ---- */

/* Kept from one use to the next: an entry counts when its stamp is the map's. */
typedef struct Map {
    uint64_t *keys, *values;
    uint32_t *stamps, stamp;
    size_t capacity, count;
} Map;

static uint64_t word_key(uint64_t space, uint16_t tile, uint32_t address)
{
    return space << 60 | (uint64_t)tile << 32 | address / 4;
}

static void *grab(size_t count, size_t size)
{
    void *block = calloc(count == 0 ? 1 : count, size);
    FUZZ_CHECK(block != NULL, "memory");
    return block;
}

static bool map_has(const Map *map, size_t place)
{
    return map->stamps[place] == map->stamp;
}

static size_t map_place(const Map *map, uint64_t key)
{
    size_t place = (size_t)((key * 0x9e3779b97f4a7c15) >> 32) & (map->capacity - 1);
    while (map_has(map, place) && map->keys[place] != key) {
        place = (place + 1) & (map->capacity - 1);
    }
    return place;
}

static void map_grow(Map *map);

static void map_clear(Map *map)
{
    map->count = 0;
    map->stamp++;
    if (map->capacity == 0) {
        map_grow(map);
    }
}

static uint64_t map_get(const Map *map, uint64_t key, uint64_t otherwise)
{
    size_t place = map_place(map, key);
    return map_has(map, place) ? map->values[place] : otherwise;
}

static void map_put(Map *map, uint64_t key, uint64_t value)
{
    size_t place = map_place(map, key);
    if (!map_has(map, place)) {
        if (2 * (map->count + 1) > map->capacity) {
            map_grow(map);
            place = map_place(map, key);
        }
        map->count++;
        map->keys[place] = key;
        map->stamps[place] = map->stamp;
    }
    map->values[place] = value;
}

static void map_free(Map *map)
{
    free(map->keys);
    free(map->values);
    free(map->stamps);
}

static void map_grow(Map *map)
{
    Map old = *map;
    size_t capacity = old.capacity == 0 ? 4096 : 2 * old.capacity;
    *map = (Map){.keys = grab(capacity, sizeof *map->keys),
                 .values = grab(capacity, sizeof *map->values),
                 .stamps = grab(capacity, sizeof *map->stamps),
                 .stamp = 1,
                 .capacity = capacity};
    for (size_t i = 0; i < old.capacity; i++) {
        if (map_has(&old, i)) {
            map_put(map, old.keys[i], old.values[i]);
        }
    }
    map_free(&old);
}

/* ---- dependencies ---- */

enum { NAIVE_TRANSFERS_MAX = 64 };

/* Who last wrote each word (its index + 1), and which transfers have read it since, as a bit mask. */
typedef struct Accesses {
    Map writer, readers;
} Accesses;

static void naive_read(NaiveDependencies *result, Accesses *accesses, const Phase *phase, uint32_t j)
{
    for (uint32_t r = 0; r < phase->repeat[j]; r++) {
        for (uint32_t w = 0; w < phase->words[j]; w++) {
            uint64_t key = word_key(0, phase->source[j], phase_address(phase, j, r) + 4 * w);
            uint64_t writer = map_get(&accesses->writer, key, 0);
            if (writer != 0) {
                result->kinds[(writer - 1) * result->n + j] |= 1 << DEPENDENCY_RAW;
            }
            map_put(&accesses->readers, key, map_get(&accesses->readers, key, 0) | 1ull << j);
        }
    }
}

static void naive_write(NaiveDependencies *result, Accesses *accesses, const Phase *phase, uint32_t j)
{
    for (uint32_t k = phase->receiver_start[j]; k < phase->receiver_start[j + 1]; k++) {
        for (uint32_t w = 0; w < phase->words[j]; w++) {
            uint64_t key = word_key(0, phase->receiver_tile[k], phase->receiver_address[k] + 4 * w);
            uint64_t readers = map_get(&accesses->readers, key, 0);
            uint64_t writer = map_get(&accesses->writer, key, 0);
            for (uint32_t i = 0; i < j; i++) {
                if (readers >> i & 1) {
                    result->kinds[i * result->n + j] |= 1 << DEPENDENCY_WAR;
                }
            }
            if (writer != 0) {
                result->kinds[(writer - 1) * result->n + j] |= 1 << DEPENDENCY_WAW;
            }
            map_put(&accesses->writer, key, j + 1);
            map_put(&accesses->readers, key, 0);
        }
    }
}

static bool naive_overlap(const Phase *phase)
{
    static Map read;
    map_clear(&read);
    bool overlap = false;
    for (uint32_t i = 0; i < phase->transfers; i++) {
        for (uint32_t r = 0; r < phase->repeat[i]; r++) {
            for (uint32_t w = 0; w < phase->words[i]; w++) {
                map_put(&read, word_key(0, phase->source[i], phase_address(phase, i, r) + 4 * w), 1);
            }
        }
    }
    for (uint32_t i = 0; i < phase->transfers; i++) {
        for (uint32_t k = phase->receiver_start[i]; k < phase->receiver_start[i + 1]; k++) {
            for (uint32_t w = 0; w < phase->words[i]; w++) {
                uint64_t key = word_key(0, phase->receiver_tile[k], phase->receiver_address[k] + 4 * w);
                overlap = overlap || map_get(&read, key, 0) != 0;
            }
        }
    }
    return overlap;
}

NaiveDependencies naive_dependencies(const Phase *phase)
{
    NaiveDependencies result = {.n = phase->transfers};
    FUZZ_CHECK(result.n <= NAIVE_TRANSFERS_MAX, "%u transfers", result.n);
    result.kinds = grab((size_t)result.n * result.n, 1);
    static Accesses accesses;
    map_clear(&accesses.writer);
    map_clear(&accesses.readers);
    for (uint32_t j = 0; j < result.n; j++) {
        naive_read(&result, &accesses, phase, j);
        naive_write(&result, &accesses, phase, j);
    }
    for (uint32_t j = 0; j < result.n; j++) {
        result.kinds[j * result.n + j] = 0; /* no edge to itself */
    }
    result.read_write_overlap = naive_overlap(phase);
    return result;
}

/* ---- equivalence ---- */

enum { SPACE_MEMORY, SPACE_GATHERED, SPACE_RECEIVED };

static void move_words(Map *memory, uint64_t from_space, uint16_t from_tile, uint32_t from, uint64_t to_space,
                       uint16_t to_tile, uint32_t to, uint32_t bytes)
{
    static uint64_t words[ADDRESS_BYTES_END / 4];
    for (uint32_t w = 0; w < bytes / 4; w++) {
        uint64_t key = word_key(from_space, from_tile, from + 4 * w);
        words[w] = map_get(memory, key, key);
    }
    for (uint32_t w = 0; w < bytes / 4; w++) {
        map_put(memory, word_key(to_space, to_tile, to + 4 * w), words[w]);
    }
}

/* All words are read before any is written. */
static void run_transfers(Map *memory, const Phase *phase, uint32_t iteration, uint64_t from, uint64_t to)
{
    for (uint32_t i = 0; i < phase->transfers; i++) {
        uint32_t words = phase->words[i], address = phase_address(phase, i, iteration);
        static uint64_t payload[TRANSFER_WORDS_MAX];
        for (uint32_t w = 0; w < words; w++) {
            uint64_t key = word_key(from, phase->source[i], address + 4 * w);
            payload[w] = map_get(memory, key, key);
        }
        for (uint32_t k = phase->receiver_start[i]; k < phase->receiver_start[i + 1]; k++) {
            for (uint32_t w = 0; w < words; w++) {
                map_put(memory, word_key(to, phase->receiver_tile[k], phase->receiver_address[k] + 4 * w),
                        payload[w]);
            }
        }
    }
}

static void run_counterfactual(Map *memory, const Phase *original, const Counterfactual *made, uint32_t r)
{
    bool gathers = mode_stages_source(made->mode), scatters = mode_stages_receiver(made->mode);
    for (size_t k = 0; gathers && r == 0 && k < made->source_copy_count; k++) {
        const Copy *copy = &made->source_copies[k];
        move_words(memory, SPACE_MEMORY, copy->tile, copy->from, SPACE_GATHERED, copy->tile, copy->to,
                   copy->bytes);
    }
    for (uint32_t k = 0; gathers && r > 0 && k < original->transfers; k++) { /* as the copies: as emitted */
        uint32_t i = made->emitted[k];
        move_words(memory, SPACE_MEMORY, original->source[i], phase_address(original, i, r), SPACE_GATHERED,
                   original->source[i], made->gathered_at[i], 4u * original->words[i]);
    }
    run_transfers(memory, made->phase, r, gathers ? SPACE_GATHERED : SPACE_MEMORY,
                  scatters ? SPACE_RECEIVED : SPACE_MEMORY);
    for (size_t k = 0; scatters && k < made->receiver_copy_count; k++) {
        const Copy *copy = &made->receiver_copies[k];
        move_words(memory, SPACE_RECEIVED, copy->tile, copy->from, SPACE_MEMORY, copy->tile, copy->to,
                   copy->bytes);
    }
}

/* The lowest word of tile memory in `one` that `other` has otherwise; UINT64_MAX when there is none. */
static uint64_t lowest_difference(const Map *one, const Map *other)
{
    uint64_t lowest = UINT64_MAX;
    for (size_t i = 0; i < one->capacity; i++) {
        uint64_t key = one->keys[i];
        if (map_has(one, i) && key >> 60 == SPACE_MEMORY && one->values[i] != map_get(other, key, key) &&
            key < lowest) {
            lowest = key;
        }
    }
    return lowest;
}

static bool reads_alike(const Phase *phase, uint32_t q, uint32_t r)
{
    for (uint32_t i = 0; i < phase->transfers; i++) {
        if (phase_address(phase, i, q) != phase_address(phase, i, r)) {
            return false;
        }
    }
    return true;
}

/* An iteration in which both phases read where they did in an earlier one needs no look of its own. */
static bool iteration_is_new(const Phase *original, const Phase *made, uint32_t r)
{
    for (uint32_t q = 0; q < r; q++) {
        if (reads_alike(original, q, r) && reads_alike(made, q, r)) {
            return false;
        }
    }
    return true;
}

bool naive_equivalent(const Phase *original, const Counterfactual *counterfactual, uint32_t *iteration,
                      uint16_t *tile, uint32_t *address)
{
    uint32_t count = phase_iterations(original), made_count = phase_iterations(counterfactual->phase);
    for (uint32_t r = 0; r < (count > made_count ? count : made_count); r++) {
        if (!iteration_is_new(original, counterfactual->phase, r)) {
            continue;
        }
        static Map before, after;
        map_clear(&before);
        map_clear(&after);
        run_transfers(&before, original, r, SPACE_MEMORY, SPACE_MEMORY);
        run_counterfactual(&after, original, counterfactual, r);
        uint64_t one = lowest_difference(&before, &after), other = lowest_difference(&after, &before);
        uint64_t lowest = one < other ? one : other;
        if (lowest != UINT64_MAX) {
            *iteration = r;
            *tile = (uint16_t)(lowest >> 32);
            *address = (uint32_t)(lowest << 2);
            return false;
        }
    }
    return true;
}

/* ---- coverage ---- */

NaiveCoverage naive_coverage(const Phase *phase, uint32_t transfers, uint16_t tile)
{
    static uint8_t written[ADDRESS_BYTES_END / 4 + 1];
    memset(written, 0, sizeof written);
    NaiveCoverage result = {0};
    for (uint32_t i = 0; i < transfers; i++) {
        for (uint32_t k = phase->receiver_start[i]; k < phase->receiver_start[i + 1]; k++) {
            if (phase->receiver_tile[k] == tile) {
                memset(written + phase->receiver_address[k] / 4, 1, phase->words[i]);
                result.payload_bytes += 4u * phase->words[i];
            }
        }
    }
    for (size_t w = 0; w < ADDRESS_BYTES_END / 4; w++) {
        result.union_bytes += 4u * written[w];
        result.intervals += written[w] == 1 && written[w + 1] == 0;
    }
    return result;
}

#ifdef __clang__
#pragma clang attribute pop
#endif
