/* The read-eval-print loop: readline over the command language. */
#ifndef EXSCOPE_REPL_REPL_H
#define EXSCOPE_REPL_REPL_H

#include "repl/face.h"

/* Reads lines until `quit`, end of input, SIGTERM or SIGHUP: with editing, completion and a prompt on a
 * terminal, plainly elsewhere. A failed line does not end it, Ctrl-C stops the command that runs. Returns the
 * exit status. */
int repl_run(Face *face);

#endif
