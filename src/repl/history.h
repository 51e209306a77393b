/* Files of the interactive faces: the history of entered lines, and the rc script. */
#ifndef EXSCOPE_REPL_HISTORY_H
#define EXSCOPE_REPL_HISTORY_H

#include "explore/session.h"

/* Appends $XDG_CONFIG_HOME/exscope/exscoperc, or the same below ~/.config. False when neither variable nor
 * home is known. */
bool rc_path(Text *path);

/* Puts the lines of $XDG_STATE_HOME/exscope/history (or below ~/.local/state) before those of the session. A
 * missing file is fine. */
bool history_load(Session *session, Error *error);

/* Appends the session's lines after the first `known` to the file as it is by now (other sessions write there
 * too), the newest HISTORY_LINES_MAX in all. */
enum { HISTORY_LINES_MAX = 1000 };
bool history_save(Session *session, size_t known, Error *error);

#endif
