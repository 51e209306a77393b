/* What the tests of analysis and transform share: phases written as text, random phases, and an oracle that
 * does everything word by word. */
#ifndef EXSCOPE_TESTS_ANALYSIS_SUPPORT_H
#define EXSCOPE_TESTS_ANALYSIS_SUPPORT_H

#include "analysis/dependencies.h"
#include "capture/phase.h"

/* A phase from text, one transfer after the other, separated by ';':
 *
 *     SOURCE @ ADDRESS,ADDRESS.. > TILE@ADDRESS,TILE@ADDRESS.. x WORDS
 *
 * "0@100,200 > 1@300,2@300 x 4". A 'p' after the words makes the transfer Paired64. Addresses are in words
 * here, for short; the phase has bytes. */
Phase *support_phase(const char *text);

/* The same as text, in the same form: what a test compares. To be freed with free(). */
char *support_text(const Phase *phase);

/* Fails with both texts when the phase is not the expected one; `expected` may be spaced in any way. */
void support_expect(const Phase *phase, const char *expected);

/* ---- random phases ---- */

typedef struct RandomShape {
    uint32_t tiles, transfers;
    uint32_t memory_words;       /* addresses are below this */
    uint32_t words, fan, repeat; /* most of each */
    bool disjoint;               /* nothing read is written, nothing written twice */
    bool runs;                   /* many transfers go on where an earlier one ends */
} RandomShape;

uint32_t support_random(uint32_t below);
void support_seed(uint64_t seed);
Phase *support_random_phase(const RandomShape *shape);

/* ---- the oracle ---- */

enum { ORACLE_TILES = 8, ORACLE_WORDS = 4096, ORACLE_TRANSFERS = 200 };

/* How often, and on which words, transfer j waits for transfer i. */
typedef struct OracleEdge {
    uint16_t before, after;
    uint8_t kind, tile;
    uint16_t word;
} OracleEdge;

typedef struct Oracle {
    bool read_write_overlap, write_write_overlap;
    OracleEdge *edges; /* one for every word, in the order of discovery */
    size_t edge_count, edge_capacity;
    bool pair[ORACLE_TRANSFERS][ORACLE_TRANSFERS]; /* [before][after] */
    uint64_t pairs;
    uint32_t prefix, maximum_depth;
    uint32_t depth[ORACLE_TRANSFERS];
} Oracle;

/* The phase has at most ORACLE_TILES tiles of ORACLE_WORDS words and ORACLE_TRANSFERS transfers. */
Oracle *oracle_dependencies(const Phase *phase);
void oracle_free(Oracle *oracle);

/* The first `count` transfers in the order of the modes, by comparing whole tuples: ascending level (NULL:
 * none), source, receiver tiles, and then the receivers' addresses or the source addresses. `order` has
 * `count` entries. */
void oracle_order(const Phase *phase, uint32_t count, const uint32_t *level, bool by_receiver_address,
                  uint32_t *order);

/* Whether two transfers have the same source and the same receivers. */
bool oracle_same_route(const Phase *phase, uint32_t a, uint32_t b);

/* Receivers of a transfer, ascending by tile: at most ORACLE_TILES. */
typedef struct OracleReceiver {
    uint16_t tile;
    uint32_t address;
} OracleReceiver;
uint32_t oracle_receivers(const Phase *phase, uint32_t transfer, OracleReceiver *receivers);

/* ---- faults ---- */

/* Calls `attempt` with the first, the second, ... allocation failing until none does. Every failure must be
 * ERROR_MEMORY. `attempt` cleans up after itself. */
void support_try_all_faults(bool (*attempt)(void *context, Error *error), void *context);

#endif
