/* Small captures in files, for tests of the session. */
#ifndef EXSCOPE_TESTS_EXPLORE_MAKE_CAPTURE_H
#define EXSCOPE_TESTS_EXPLORE_MAKE_CAPTURE_H

#include <stddef.h>

/* A new file below $TMPDIR or /tmp with this text; the path is to be freed with temporary_remove(). */
char *temporary_file(const char *text);
char *temporary_fifo(void);
void temporary_remove(char *path);

/* The head of a capture, up to the list of phases: "{...,\"phases\":[". */
extern const char capture_head[];
extern const char capture_end[];

/* One phase of `transfers` transfers of 2 words from tile 0 to tile 1, each into a place of its own, in an
 * order that coalescing can mend. To be freed with free(). */
char *make_phase(unsigned number, unsigned transfers);

/* A phase whose last transfer reads what its first has written. */
extern const char dependent_phase[];

/* head, phases with these numbers of transfers, numbered from 0, end; the path of a temporary file. */
char *capture_file(const unsigned *transfers, size_t phases);

void pause_milliseconds(long milliseconds);

#endif
