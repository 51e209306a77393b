/* The batch job: a capture in, a folder with analysis.json, index.html, fixtures, verdicts and replay logs
 * out. Follows design/interface.md, "analyze". */
#ifndef EXSCOPE_REPORT_ANALYZE_H
#define EXSCOPE_REPORT_ANALYZE_H

#include "base/vec.h"
#include "explore/document.h"
#include "report/model.h"

enum { ANALYZE_TOP_DEFAULT = 4 };

typedef struct AnalyzeOptions {
    const char *capture;  /* path, "-": standard input */
    const char *folder;   /* made when it is not there; its files of the same names are replaced */
    VEC(uint32_t) phases; /* --phase: only these; empty: all */
    unsigned modes;       /* --mode: bit per Mode; 0: all */
    /* --top: so many phases, worst first, are exported and replayed; not given: ANALYZE_TOP_DEFAULT, or every
     * phase that --phase names. */
    size_t top;
    bool top_given;
    bool replay_only;    /* replay the fixtures that the folder holds, export nothing */
    unsigned jobs;       /* 0: one per online core */
    OutputFormat format; /* of the summary */
    bool quiet;          /* no progress */
    bool help;
} AnalyzeOptions;

extern const char analyze_usage[]; /* several lines */

/* Reads the arguments that follow the word `analyze`. ERROR_USAGE, with what was expected. Free with
 * analyze_options_free in either case. */
bool analyze_parse(int count, char *const *arguments, AnalyzeOptions *options, Error *error);
void analyze_options_free(AnalyzeOptions *options);

/* Loads, analyses, exports, replays and writes; `out` is given a summary to show. Every file appears whole or
 * not at all; analysis.json and index.html come last. Deterministic to the byte, but for the seconds in the
 * logs, for any number of workers. Fails when cancelled. */
bool analyze_run(Session *session, const AnalyzeOptions *options, Progress *progress, Document *out,
                 Error *error);

/* Writes analysis.json and index.html of a report into a folder, which is made when missing. */
bool report_write(const Report *report, const char *folder, bool replace, Error *error);

#endif
