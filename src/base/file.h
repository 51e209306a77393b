/* Files: reading plain or compressed streams, and writing that never leaves a half-written file. */
#ifndef EXSCOPE_BASE_FILE_H
#define EXSCOPE_BASE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/progress.h"
#include "base/text.h"

/* ---- reading ---- */

typedef struct Input Input;

/* Opens a file for one pass from front to back; "-" is standard input. Gzip and zstd (several members or
 * frames in a row too) are recognised by their first bytes, not by name. Refuses a directory. Every message
 * starts with the path ("standard input" for "-"). */
Input *input_open(const char *path, Error *error);

/* From now on a cancel of `progress` also ends the wait for a pipe that has nothing to say. */
void input_watch(Input *input, const Progress *progress);

/* Reads up to `capacity` decompressed bytes; *got is 0 only at the end. Fails when the file cannot be read or
 * the compressed data is damaged or cut off. */
bool input_read(Input *input, void *buffer, size_t capacity, size_t *got, Error *error);

/* Bytes taken from the file so far (compressed bytes for a compressed one) and the file's size, 0 when not
 * known. */
uint64_t input_consumed(const Input *input);
uint64_t input_size(const Input *input);

void input_close(Input *input);

/* Reads a whole small file (at most `limit` bytes; more is refused) into `text`. */
bool file_read_text(const char *path, size_t limit, Text *text, Error *error);

/* ---- writing ---- */

/* An output file under a temporary name in the folder of `path`: it takes its place under `path` only by
 * output_commit (written out, synced, renamed, folder synced), and is gone after output_discard. */
typedef struct Output Output;

Output *output_open(const char *path, Error *error);

/* Appends. After a failure every later call fails too, with the same error at commit. */
bool output_write(Output *output, const void *bytes, size_t length, Error *error);

/* Ends `output` in either case. With `replace` false an existing `path` is refused (ERROR_REFUSED), without a
 * race. */
bool output_commit(Output *output, bool replace, Error *error);
void output_discard(Output *output);

/* All of the above for a text that is in memory. */
bool file_write_text(const char *path, const char *bytes, size_t length, bool replace, Error *error);

/* Gives a whole file another name on the same disk, durably, in place of what has that name. */
bool file_rename(const char *from, const char *to, Error *error);

/* Makes a folder and the missing ones above it; an existing folder is fine. */
bool file_make_folder(const char *path, Error *error);

bool file_exists(const char *path);

/* Fault injection for tests: the `nth` call (1 = the next) of open, read, write, fsync, rename or mkdir made
 * by this module fails with EIO or ENOSPC; 0 turns it off. */
void file_fault_set(long nth);
long file_fault_left(void);

#endif
