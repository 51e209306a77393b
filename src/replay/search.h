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

/* The least offset at or after `from` at which nothing of `form` meets what its tiles hold. `wait` is left as
 * it was when that is `from` itself. Fails when cancelled, or when the offset is beyond what a row can hold
 * (ERROR_REFUSED). */
bool search_offset(const Form *form, uint32_t from, const Progress *progress, uint32_t *offset, Wait *wait,
                   Error *error);

#endif
