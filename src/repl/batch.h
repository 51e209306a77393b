/* `exscope analyze` as a face: progress on standard error, a summary on standard output, an exit status. */
#ifndef EXSCOPE_REPL_BATCH_H
#define EXSCOPE_REPL_BATCH_H

#include "repl/face.h"
#include "report/analyze.h"

/* Runs the job in the face's session (which has options->jobs workers). Returns the exit status: 0, 1, or 128
 * + the signal that stopped it. */
int batch_analyze(Face *face, const AnalyzeOptions *options);

#endif
