/* A Document as text, JSON or CSV, written piece by piece to a sink. */
#ifndef EXSCOPE_EXPLORE_RENDER_H
#define EXSCOPE_EXPLORE_RENDER_H

#include "base/file.h"
#include "base/progress.h"
#include "base/text.h"
#include "explore/document.h"
#include "explore/session.h"

/* Where output goes. After a failure nothing more is written. */
typedef struct Sink {
    bool (*write)(void *context, const char *bytes, size_t length, Error *error);
    void *context;
} Sink;

Sink sink_text(Text *text);
Sink sink_output(Output *output);
Sink sink_descriptor(int *descriptor); /* a file descriptor; honours EINTR and short writes */

typedef struct RenderOptions {
    OutputFormat format;
    bool color;   /* ANSI colours in text */
    bool ascii;   /* nothing beyond ASCII of our own */
    bool verbose; /* every column */
    bool quiet;   /* no notes */
    bool indent;  /* JSON over several lines (a terminal), else on one */
} RenderOptions;

RenderOptions render_options(const Settings *settings);

/* Fails when the sink does, or when cancelled. */
bool document_render(const Document *document, const RenderOptions *options, const Sink *sink,
                     Progress *progress, Error *error);

/* {"error":..,"command":..} and a newline. */
bool render_error(const Error *failure, const char *command, const RenderOptions *options, const Sink *sink,
                  Error *error);

#endif
