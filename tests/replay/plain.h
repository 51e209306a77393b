/* The scheduler replay written once more, as plainly as the pages put it: controls are lists of events, the
 * earliest offset is found by trying one offset after another, a row is encoded anew for every try, balancing
 * looks at every chunk each time. Slow, and shares nothing with src/ but the fabric's times: what the fast
 * code is compared with. */
#ifndef EXSCOPE_TESTS_REPLAY_PLAIN_H
#define EXSCOPE_TESTS_REPLAY_PLAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/dependencies.h"
#include "capture/phase.h"

typedef struct PlainSend {
    uint32_t start, words, memory_end, address, sctl, transfer;
} PlainSend;

typedef struct PlainReceive {
    uint32_t payload_start, memory_end, address, words, transfer;
} PlainReceive;

typedef enum PlainKind { PLAIN_SOURCE, PLAIN_NEUTRAL, PLAIN_POINTER } PlainKind;

typedef struct PlainControl {
    uint32_t time, value;
    PlainKind kind;
} PlainControl;

typedef struct PlainTile {
    PlainSend *sends; /* ascending start */
    PlainReceive *receives;
    PlainControl *controls; /* ascending time */
    uint32_t send_count, receive_count, control_count;
    uint32_t source_end, payload_end, next_address; /* of the last receive */
    uint32_t horizon;
    uint32_t fragments; /* receives of the phase */
} PlainTile;

typedef struct PlainReplay {
    PlainTile tiles[FABRIC_TILES];
    uint16_t tile_count;
    uint32_t *offset, *completion;
    unsigned pass;
} PlainReplay;

/* The order of the transfers. */
void plain_order(const Phase *phase, const uint32_t *depth, uint32_t stream_words, bool balance,
                 uint32_t *order);

/* Nothing placed yet. */
void plain_start(const Phase *phase, uint16_t tile_count, PlainReplay *replay);

/* The latest completion of the predecessors. */
uint32_t plain_requested(const PlainReplay *replay, const Dependencies *dependencies, uint32_t transfer);

/* Places one transfer at the first possible offset at or after `offset`, as in pass 2 if `aligned`. false
 * when there is none within `limit` tries. */
bool plain_place(const Phase *phase, PlainReplay *replay, uint32_t transfer, uint32_t offset, bool aligned,
                 uint32_t limit);

/* Why a transfer cannot be placed at an offset, its rows aside: a set of bits. */
enum { PLAIN_LANE = 1, PLAIN_STREAM = 2, PLAIN_SLOT = 4, PLAIN_MEMORY = 8 };
unsigned plain_blocked(const Phase *phase, PlainReplay *replay, uint32_t transfer, uint32_t offset);

/* Whether its tiles are encodable with it there. */
bool plain_encodable_with(const Phase *phase, PlainReplay *replay, uint32_t transfer, uint32_t offset);

/* Places everything, both passes as needed. false when a transfer has no offset within `limit` tries. */
bool plain_run(const Phase *phase, uint16_t tile_count, const Dependencies *dependencies,
               const uint32_t *order, uint32_t limit, PlainReplay *replay);

void plain_free(PlainReplay *replay);

/* Encodes a tile; the words, to be freed, and their number. NULL when it is not encodable. */
uint32_t *plain_encode(const PlainTile *tile, uint32_t *words);

/* Puts events into a tile by hand. */
void plain_add_send(PlainTile *tile, PlainSend send);
void plain_add_control(PlainTile *tile, PlainControl control);
void plain_tile_free(PlainTile *tile);

#endif
