/* Memory that is sized by input: checked multiplication, errors instead of crashes, faults on request. */
#ifndef EXSCOPE_BASE_MEMORY_H
#define EXSCOPE_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* A count of 64 bits for the functions below, where size_t has 32: one that does not fit becomes one that no
 * memory has room for. */
static inline size_t mem_count(uint64_t count)
{
    return (size_t)count == count ? (size_t)count : SIZE_MAX;
}

/* `count` objects of `size` bytes, not initialised (mem_new) or zeroed (mem_zero). Never NULL on success,
 * also for a count of 0. NULL with ERROR_MEMORY when the product overflows or memory is out. Free with
 * mem_free. */
void *mem_new(size_t count, size_t size, Error *error);
void *mem_zero(size_t count, size_t size, Error *error);

/* A copy of `length` bytes with a closing NUL. */
char *mem_copy_text(const char *bytes, size_t length, Error *error);

/* Resizes the array whose pointer variable is at `pointer` (any object pointer type) to `count` objects. On
 * failure the old array stays as it was. */
bool mem_resize(void *pointer, size_t count, size_t size, Error *error);

/* Makes room for at least `needed` objects, growing geometrically; `capacity` is updated. */
bool mem_grow(void *pointer, size_t *capacity, size_t needed, size_t size, Error *error);

void mem_free(void *pointer);

/* Fault injection for tests: the `nth` allocation from now (1 = the next) fails, and every later one succeeds
 * again; 0 turns it off. mem_fault_left() tells whether it is still to come. */
void mem_fault_set(long nth);
long mem_fault_left(void);

#endif
