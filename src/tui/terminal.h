/* The terminal: puts a grid on it through curses, reads keys and mouse, and gives it back as it was, whatever
 * happens: end, error, SIGTERM, SIGHUP, SIGTSTP or a crash. One can be open at a time, because signals and
 * curses are the process's own. */
#ifndef EXSCOPE_TUI_TERMINAL_H
#define EXSCOPE_TUI_TERMINAL_H

#include "tui/grid.h"
#include "tui/input.h"

/* What signals asked for since the last call of terminal_signals(). */
enum {
    TERMINAL_RESIZED = 1,
    TERMINAL_INTERRUPTED = 2, /* SIGINT */
    TERMINAL_SUSPEND = 4,     /* SIGTSTP */
    TERMINAL_CONTINUED = 8,   /* SIGCONT: somebody else may have written on it */
    TERMINAL_END = 16         /* SIGTERM, SIGHUP, or the terminal is gone */
};

/* Takes standard input and output over, and the signals. The locale must be set. Without `color` there are
 * attributes only. Fails, with the terminal untouched, where it is of an unknown type or cannot move its
 * cursor. */
bool terminal_open(bool color, bool mouse, Error *error);

/* Changes colours and mouse; draws anew. */
void terminal_use(bool color, bool mouse);

/* Gives the terminal and the signals back. */
void terminal_close(void);

void terminal_size(int *rows, int *columns);
bool terminal_utf8(void);  /* the locale's characters are UTF-8 */
int terminal_colors(void); /* 0, 8 or 256 */

/* Brings the terminal up to the grid: only the cells that differ from those last shown are written. */
void terminal_present(const Grid *grid);

/* Forgets what the terminal shows: the next grid is drawn in full, after a resize, a suspension or Ctrl-L. */
void terminal_redraw(void);

/* Waits for input, a signal or a wake; at most `milliseconds` (-1: for ever). */
void terminal_wait(int milliseconds);

/* Ends a terminal_wait() now or the next one at once. From any thread or signal handler. */
void terminal_wake(void);

/* The next key or mouse event that is there; false when there is none. */
bool terminal_event(Event *event);

unsigned terminal_signals(void);

/* The signal behind TERMINAL_END: SIGTERM or SIGHUP. */
int terminal_end_signal(void);

/* After TERMINAL_CONTINUED: takes the terminal's modes again and draws in full. */
void terminal_continue(void);

/* Gives the terminal back, stops the process as Ctrl-Z does, and takes it again on return. */
void terminal_suspend(void);

#endif
