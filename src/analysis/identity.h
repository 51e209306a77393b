/* Could a receiver use its packed receive buffer in place? Identity and permutation of contiguous receivers
 * under receiver staging. Follows spec/analysis.md, "Receiver in-place feasibility".
 *
 * A word that is staged as the i-th of its receiver, at byte offset u of the buffer, ends at byte offset v
 * from the receiver's lowest address. */
#ifndef EXSCOPE_ANALYSIS_IDENTITY_H
#define EXSCOPE_ANALYSIS_IDENTITY_H

#include "analysis/coverage.h"

/* Staged element r * columns + c goes to c * rows + r. All 0: the map is no regular transposition. */
typedef struct Transposition {
    uint32_t rows, columns;
    uint32_t element_words;
} Transposition;

typedef struct TileIdentity {
    bool contiguous; /* all figures are 0 when false */
    uint32_t words;
    uint32_t identity_words; /* u == v */
    bool identity;           /* all words are: no scatter is needed */
    bool padded;             /* rounding left a hole between staged words */
    uint32_t cycles;         /* of i -> v / 4, fixed points included */
    uint32_t longest_cycle;  /* in words */
    uint32_t words_moved;    /* i != v / 4 */
    uint32_t bitmap_bytes;   /* ceil(words / 8) */
    Transposition transposition;
} TileIdentity;

typedef struct Identity {
    uint32_t transfers; /* the scope, as in the coverage that it was made from */
    uint32_t contiguous;
    uint32_t identity;        /* receivers that are one */
    int32_t busiest_receiver; /* as in the coverage; -1: none. Its figures are shown when it is contiguous */
    TileIdentity *tiles;      /* [tile_count] */
    uint16_t tile_count;
} Identity;

/* Of the scope of `coverage` (the same phase). Fails when cancelled or out of memory. */
bool identity_compute(const Phase *phase, const Coverage *coverage, Progress *progress, Identity *identity,
                      Error *error);
void identity_free(Identity *identity);

/* `unit_words` parallel cycles of equal length: the k-th goes through staged words first + k, next, ... */
typedef struct PermutationCycle {
    uint32_t first;  /* the lowest staged word of the first of them */
    uint32_t length; /* in words */
} PermutationCycle;

/* The permutation of one receiver, in units of `unit_words` words that always move together. */
typedef struct Permutation {
    uint32_t words;
    uint32_t unit_words;
    uint32_t *next;           /* [words / unit_words] staged unit i goes to final unit next[i] */
    PermutationCycle *cycles; /* fixed points left out; ascending `first` */
    size_t cycle_count;
} Permutation;

/* Of a contiguous receiver (ERROR_REFUSED for another tile). */
bool permutation_compute(const Phase *phase, const Coverage *coverage, uint16_t tile, Progress *progress,
                         Permutation *permutation, Error *error);
void permutation_free(Permutation *permutation);

#endif
