/* What the REPL and scripts share: output to a descriptor, failures on standard error, a progress line while
 * a command takes long, and the signals that stop it. */
#ifndef EXSCOPE_REPL_FACE_H
#define EXSCOPE_REPL_FACE_H

#include <pthread.h>

#include "explore/interpreter.h"

/* What standard error says while something takes long: a line that is drawn again and again where that is a
 * terminal; elsewhere nothing, or, for a batch job, a line of its own now and then. */
typedef struct ProgressLine {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t end;
    bool running, ending;
    bool plain; /* not a terminal */
    const Progress *progress;
} ProgressLine;

typedef struct Face {
    Interpreter interpreter;
    Progress progress;
    int output;       /* descriptor */
    bool pipe_closed; /* who reads the output went away: nothing to complain about */
    ProgressLine line;
} Face;

/* Prepares `face` (which must stay where it is) and takes the signals: SIGINT cancels the command that runs,
 * SIGTERM and SIGHUP too and then end the face, SIGPIPE is ignored. One face at a time. */
void face_open(Face *face, Session *session, int output);
void face_close(Face *face); /* gives the signals back */

/* One line on standard error: "exscope: where: message", without where if that is "". Both are visible text
 * (base/text.h); `ascii` leaves nothing beyond ASCII in it, nor does a locale without UTF-8. */
void face_say(bool ascii, const char *where, const char *message);

/* Tells of a failure that no line of a script has told of: standard error, and in JSON a document. */
void face_failed(Face *face, const char *command, const Error *error);

/* Loads with a progress line; tells when it fails. */
bool face_load(Face *face, const char *path);

/* Progress from here to there, also where standard error is no terminal. */
void face_batch_begin(Face *face);
void face_batch_end(Face *face);

/* The exit status after a command or script: 0, 1, or 128 + the signal that ended it. */
int face_status(const Face *face, bool done);

/* The last of SIGINT, SIGTERM, SIGHUP that arrived, 0 when none did. */
int face_signal(void);

/* Forgets a SIGINT, so that the next command runs. */
void face_rearm(Face *face);

#endif
