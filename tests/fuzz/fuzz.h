/* What the fuzz targets share. Each target is one LLVMFuzzerTestOneInput: with libFuzzer it is fed mutated
 * inputs (`make fuzz`), with standalone.c it runs its corpus once (`make check`).
 *
 * A property that does not hold ends the program at once with the place and the sentence that is wrong. */
#ifndef EXSCOPE_TESTS_FUZZ_H
#define EXSCOPE_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "capture/capture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_CHECK(condition, ...)                                                                           \
    ((condition) ? (void)0 : fuzz_fail(__FILE__, __LINE__, #condition, __VA_ARGS__))

_Noreturn void fuzz_fail(const char *file, int line, const char *condition, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* A failure must say something, in one line without control characters. */
void fuzz_check_error(const Error *error);

/* ---- an input as a source of choices: 0 once it is used up ---- */

typedef struct Bytes {
    const uint8_t *next, *end;
} Bytes;

uint32_t fuzz_byte(Bytes *bytes);
uint32_t fuzz_number(Bytes *bytes, unsigned size); /* little endian, 1..4 bytes */
uint32_t fuzz_below(Bytes *bytes, uint32_t limit); /* one or two bytes, as the limit needs */

/* A small legal phase: few tiles, addresses on a coarse grid so that transfers touch, meet and continue each
 * other, sizes around the limits of the instructions. At most `transfers_max` transfers, and no further ones
 * once they read and write `cost_max` words. */
Phase *fuzz_phase(Bytes *bytes, uint32_t transfers_max, uint64_t cost_max, uint16_t *tile_count);

/* A small capture as text: 6 tiles; phase 3 with Repeat, a loopback and a Paired64 transfer, phase 9 with
 * dependencies, phase 4 empty; hostile labels. */
extern const char fuzz_capture[];

/* ---- files ---- */

/* A folder of this process in memory if possible, made on the first call and the working folder from then
 * on; removed at exit. */
const char *fuzz_folder(void);

/* Removes everything inside it. */
void fuzz_folder_clear(void);

void fuzz_write(const char *path, const void *bytes, size_t length);

/* ---- comparing ---- */

/* Fails unless both captures hold the same. */
void fuzz_check_same_capture(const Capture *one, const Capture *other);

#endif
