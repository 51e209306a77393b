/* What the tests of captures share. */
#ifndef EXSCOPE_TESTS_CAPTURE_SUPPORT_H
#define EXSCOPE_TESTS_CAPTURE_SUPPORT_H

#include "capture/capture.h"

/* Loads from memory through a window of `window` bytes, at most `piece` bytes at a time. */
Capture *support_load(const char *bytes, size_t length, size_t window, size_t piece, Error *error);

/* Every column, Repeat list and unknown member equal. */
void support_assert_same_phase(const Phase *phase, const Phase *other);

/* The same, of all phases; also what stands around them. */
void support_assert_same_capture(const Capture *capture, const Capture *other);

/* A folder of the test's own, removed (with the files in it) by support_remove_folder; cmocka fixtures. */
int support_make_folder(void **state);
int support_remove_folder(void **state);

/* The path of a file in that folder; good for three more calls. */
const char *support_path(const char *name);

void support_put(const char *path, const void *bytes, size_t length);
char *support_get(const char *path, size_t *length);

#endif
