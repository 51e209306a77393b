/* Does a counterfactual consist of the captured transfers, word for word? Answered in one pass along the
 * order in which they were emitted, without trusting that order: it is a certificate that is checked. */
#ifndef EXSCOPE_TRANSFORM_CORRESPONDENCE_H
#define EXSCOPE_TRANSFORM_CORRESPONDENCE_H

#include "transform/modes.h"

/* Where each captured transfer went; both NULL when nobody asked. */
typedef struct Correspondence {
    bool holds;      /* else the rest means nothing */
    uint32_t *first; /* [n] the transformed transfer that carries its first word */
    uint32_t *last;  /* [n] ... its last word: a later one when it was cut */
} Correspondence;

/* Tests, for every captured transfer i in emission order, that its words are the next words of the
 * transformed phase: the same source and, in every Repeat iteration, the same source addresses; the same
 * receivers and final addresses; directly, or through gather and scatter copies of buffers in which no byte
 * is used twice. Nothing else is transferred or copied. A transfer that sends to its own tile is neither
 * merged nor cut. `places` asks for `first` and `last`. */
bool correspondence_find(const Phase *original, uint16_t tile_count, const Counterfactual *counterfactual,
                         bool places, Progress *progress, Correspondence *correspondence, Error *error);
void correspondence_free(Correspondence *correspondence);

#endif
