/* Symbolic execution of a phase: what every byte of tile memory holds afterwards, told by tokens. Follows
 * spec/analysis.md, "Equivalence". */
#ifndef EXSCOPE_TRANSFORM_SIMULATION_H
#define EXSCOPE_TRANSFORM_SIMULATION_H

#include "base/vec.h"
#include "transform/modes.h"

/* Address spaces: tile memory, and the staging buffers whatever their numbers. */
typedef enum MemorySpace { SPACE_TILE, SPACE_SOURCE_STAGING, SPACE_RECEIVER_STAGING } MemorySpace;

/* The content of a word: the (space, tile, word address) where it was before the phase. Words that follow
 * each other have tokens that do. */
typedef uint64_t Token;

enum { MEMORY_PAGE_WORDS = 1024 };

/* Words of one tile as intervals: a bit of `starts` says that an interval starts at that word, and `token` is
 * its first token. Entries between starts mean nothing. The first word always starts an interval. */
typedef struct MemoryPage {
    uint64_t starts[MEMORY_PAGE_WORDS / 64];
    Token token[MEMORY_PAGE_WORDS];
} MemoryPage;

typedef struct TokenRange {
    Token token;
    uint32_t words;
} TokenRange;

/* The memory of all tiles and their staging buffers: the pages that were written, in a hash table by the
 * token of their first word. All others hold their own tokens. Starts as {0}. */
typedef struct Memory {
    Token *keys;
    MemoryPage **pages; /* NULL: a free place */
    size_t places;      /* a power of two */
    size_t count;
    VEC(TokenRange) ranges; /* what is being moved */
} Memory;

void memory_free(Memory *memory);

/* One Repeat iteration of a phase, transfers in order. `chosen`, unless NULL, says which transfers take part.
 * Addresses are multiples of 4. */
bool simulate_original(const Phase *phase, const uint8_t *chosen, uint32_t iteration, Progress *progress,
                       Memory *memory, Error *error);

/* The same of a counterfactual: gather copies, transfers, scatter copies. `chosen` speaks of transfers of the
 * transformed phase, and of nothing else: it is NULL for modes with staging. */
bool simulate_counterfactual(const Phase *original, const Counterfactual *counterfactual,
                             const uint8_t *chosen, uint32_t iteration, Progress *progress, Memory *memory,
                             Error *error);

/* Finds the lowest (tile, byte address) of tile memory that holds different tokens. *differs false: none. */
bool memory_compare(const Memory *left, const Memory *right, bool *differs, uint16_t *tile, uint32_t *address,
                    Error *error);

#endif
