/* The single pass from the text of a capture into its phases; capture_load() and capture_load_memory() are
 * its callers. */
#ifndef EXSCOPE_CAPTURE_READER_H
#define EXSCOPE_CAPTURE_READER_H

#include "capture/capture.h"
#include "capture/json.h"

enum { READER_WINDOW_BYTES = 1 << 20 };

/* Reads a document from `source`; `name` stands for it in messages and in Capture.path. The window's size
 * changes nothing but the speed. */
Capture *reader_load(const char *name, JsonSource source, size_t window_bytes, const CaptureWatcher *watcher,
                     Progress *progress, Error *error);

#endif
