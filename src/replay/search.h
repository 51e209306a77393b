/* The earliest offset of a transfer. Follows spec/fabric-and-rows.md, "Earliest offset". */
#ifndef EXSCOPE_REPLAY_SEARCH_H
#define EXSCOPE_REPLAY_SEARCH_H

#include "replay/form.h"
#include "replay/replay.h"

/* What stands at the offset before the one found. */
typedef struct Wait {
    WaitKind kind;
    uint32_t transfer; /* whose send, receive, ...; WAIT_NO_TRANSFER when there is none */
} Wait;

/* Long stretches of starts known to be blocked on a source tile. What a tile holds only grows while transfers
 * are placed, so such a stretch stays blocked, for the send that met it and for every longer one. Without
 * them, each send of a tile that also receives all the time would try every event of the past again. */
typedef struct SearchMemory SearchMemory;

SearchMemory *search_memory_new(uint16_t tile_count, Error *error);
void search_memory_free(SearchMemory *memory);

/* The least offset at or after `from` at which nothing of `form` meets what its tiles hold. `wait` is left as
 * it was when that is `from` itself. Fails when cancelled, or when the offset is beyond what a row can hold
 * (ERROR_REFUSED). */
bool search_offset(const Form *form, SearchMemory *memory, uint32_t from, const Progress *progress,
                   uint32_t *offset, Wait *wait, Error *error);

#endif
