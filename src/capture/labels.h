/* phase_labels: from its text to the labels. */
#ifndef EXSCOPE_CAPTURE_LABELS_H
#define EXSCOPE_CAPTURE_LABELS_H

#include "capture/capture.h"

/* Reads capture->labels_json, an object that stands at byte `offset` of the document `name`, into
 * capture->labels. Fails on a label that is no string, and on a phase that has two. Keys that are no phase
 * numbers are legal and mean nothing. */
bool labels_collect(Capture *capture, const char *name, uint64_t offset, Error *error);

#endif
