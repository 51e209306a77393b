/* The words of every face, explained once: `help terms`, the legend of `?` and the man page are made of this
 * table. Follows spec/analysis.md and spec/scheduler.md. */
#ifndef EXSCOPE_EXPLORE_TERMS_H
#define EXSCOPE_EXPLORE_TERMS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Term {
    const char *name;
    const char *also;    /* other names of it, with ", " between; NULL: none */
    const char *keys;    /* keys in JSON, likewise; NULL: none */
    const char *meaning; /* a line or two, without a stop */
} Term;

/* All, in an order for reading. */
const Term *terms_table(size_t *count);

/* Whether it is called `word`, upper and lower case alike: by its name, another name, or a key. */
bool term_is_called(const Term *term, const char *word);

/* Whether its name or another name begins so. */
bool term_begins(const Term *term, const char *word);

#endif
