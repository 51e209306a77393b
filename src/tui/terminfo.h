/* What terminal.c needs of terminfo, apart because <term.h> makes macros of words like `columns`. All of it
 * works after newterm(). */
#ifndef EXSCOPE_TUI_TERMINFO_H
#define EXSCOPE_TUI_TERMINFO_H

#include <stdbool.h>
#include <stddef.h>

/* Can the terminal move its cursor? */
bool terminfo_moves_cursor(void);

/* Switches bracketed paste, where the terminal is of a kind that has it. */
void terminfo_bracketed_paste(bool on);

/* The bytes that give the screen back when curses can no longer do it; returns how many. */
size_t terminfo_restore_bytes(char *bytes, size_t size);

#endif
