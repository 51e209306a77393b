/* Words that a person types: numbers, choices by unique beginning, and what was probably meant. */
#ifndef EXSCOPE_EXPLORE_WORDS_H
#define EXSCOPE_EXPLORE_WORDS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* A decimal number in low .. high; `what` names it in the message (ERROR_USAGE). */
bool word_number(const char *word, uint64_t low, uint64_t high, const char *what, uint64_t *number,
                 Error *error);

/* The index in `choices` (ended by NULL) of the one that is `word`, or of the only one that begins with it.
 * Else ERROR_USAGE: unknown WHAT 'word', with what may have been meant, or all that is allowed. */
bool word_choose(const char *word, const char *const *choices, const char *what, uint32_t *index,
                 Error *error);

/* The nearest of `choices` by edit distance (swaps of neighbours count once), NULL when none is near enough
 * to be what was meant. */
const char *word_nearest(const char *word, const char *const *choices);

/* Nothing is near it, and nothing begins with it. */
bool word_is_like_none(const char *word, const char *const *choices);

#endif
