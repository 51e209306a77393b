/* The program on a terminal of its own, driven by keys: what a person would see and type. */
#ifndef EXSCOPE_TESTS_REPL_TERMINAL_H
#define EXSCOPE_TESTS_REPL_TERMINAL_H

#include <stddef.h>
#include <sys/types.h>

typedef struct Terminal {
    int master;
    pid_t child;
    char *output; /* everything that was written so far */
    size_t length, capacity;
    size_t seen; /* up to here terminal_expect() has looked */
} Terminal;

/* Starts $EXSCOPE_PROGRAM with these arguments (ended by NULL) in `folder`, which is also its home. */
void terminal_start(Terminal *terminal, const char *folder, const char *const *arguments);

void terminal_type(Terminal *terminal, const char *keys);

/* Waits (10 s at most) until `text` is written after what was expected before; fails the test otherwise. */
void terminal_expect(Terminal *terminal, const char *text);

void terminal_signal(Terminal *terminal, int number);

/* Waits until the program ends: its exit status, or 128 + the signal that ended it. Frees all. */
int terminal_end(Terminal *terminal);

void terminal_pause(long milliseconds);

#endif
