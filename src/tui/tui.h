/* The terminal explorer: screens over a session, keys that end in its commands.
 *
 *     Tui *tui = tui_new(session, &error);        adds the commands `keys` and `screen` to the session
 *     session_load_start(session, path, ...);     or nothing: the explorer says how to load
 *     int status = tui_run(tui, &error);          on a terminal, until `quit`
 *     tui_free(tui);                              before session_free()
 *
 * Without tui_run() the two commands work on the same screens without a terminal: `keys` types, `screen`
 * writes what would be shown. Both first wait until nothing is being computed, so a script sees finished
 * screens. */
#ifndef EXSCOPE_TUI_TUI_H
#define EXSCOPE_TUI_TUI_H

#include "explore/session.h"

typedef struct Tui Tui;

/* Of one session at most one. The session must have no command `keys` or `screen` yet. */
Tui *tui_new(Session *session, Error *error);

/* Takes the terminal over and runs until the session quits or a signal ends it. setlocale() must have been
 * called; colours, ASCII and mouse are taken from the session's settings. Returns an exit status: 0, or 128 +
 * signal. -1 with an error when the terminal cannot be used; nothing was drawn then. */
int tui_run(Tui *tui, Error *error);

/* What the screens had settled on (sort, shade, panes) is kept by a tui_run() that ended. Cancels the
 * session's jobs, since they may be using the two commands. NULL is fine. */
void tui_free(Tui *tui);

#endif
