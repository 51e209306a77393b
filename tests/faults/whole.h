/* Folders of output that were written while something went wrong: what has a name there must be whole. */
#ifndef EXSCOPE_TESTS_WHOLE_H
#define EXSCOPE_TESTS_WHOLE_H

#include <stdbool.h>
#include <stddef.h>

/* Every file of a folder as it ought to be. */
typedef struct Whole {
    struct WholeFile *files;
    size_t count;
} Whole;

/* Remembers what the folder holds. */
void whole_keep(Whole *whole, const char *folder);
void whole_free(Whole *whole);

/* Fails unless each file of the folder is, byte by byte, that of the same name in one of the `versions`.
 * Logs, which hold times, must have their last line. Temporary files are removed when `killed`, which could
 * not do it, and else fail. Returns how many files there are; verdicts and logs do not count, for they go
 * before the fixture that they are about is replaced. */
unsigned whole_check(const Whole *versions, size_t count, const char *folder, bool killed);

#endif
