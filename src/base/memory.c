#include "config.h"

#include "base/memory.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static atomic_long fault_countdown;

static bool mem_fault_now(void)
{
    if (atomic_load_explicit(&fault_countdown, memory_order_relaxed) <= 0) {
        return false;
    }
    return atomic_fetch_sub(&fault_countdown, 1) == 1;
}

void mem_fault_set(long nth)
{
    atomic_store(&fault_countdown, nth);
}

long mem_fault_left(void)
{
    return atomic_load(&fault_countdown);
}

/* The byte size of the array, at least 1; SIZE_MAX when it cannot be represented. */
static size_t mem_bytes(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX) {
        return SIZE_MAX;
    }
    return bytes == 0 ? 1 : bytes;
}

void *mem_new(size_t count, size_t size, Error *error)
{
    size_t bytes = mem_bytes(count, size);
    void *block = bytes == SIZE_MAX || mem_fault_now() ? NULL : malloc(bytes);
    if (block == NULL) {
        error_set_memory(error, bytes);
    }
    return block;
}

void *mem_zero(size_t count, size_t size, Error *error)
{
    size_t bytes = mem_bytes(count, size);
    void *block = bytes == SIZE_MAX || mem_fault_now() ? NULL : calloc(1, bytes);
    if (block == NULL) {
        error_set_memory(error, bytes);
    }
    return block;
}

char *mem_copy_text(const char *bytes, size_t length, Error *error)
{
    char *copy = mem_new(length + 1, 1, error);
    if (copy != NULL) {
        memcpy(copy, bytes, length);
        copy[length] = '\0';
    }
    return copy;
}

bool mem_resize(void *pointer, size_t count, size_t size, Error *error)
{
    void *old;
    memcpy(&old, pointer, sizeof old);
    size_t bytes = mem_bytes(count, size);
    void *block = bytes == SIZE_MAX || mem_fault_now() ? NULL : realloc(old, bytes);
    if (block == NULL) {
        return error_set_memory(error, bytes);
    }
    memcpy(pointer, &block, sizeof block);
    return true;
}

bool mem_grow(void *pointer, size_t *capacity, size_t needed, size_t size, Error *error)
{
    if (needed <= *capacity) {
        return true;
    }
    size_t wanted = *capacity < 8 ? 8 : *capacity + *capacity / 2;
    if (wanted < needed) {
        wanted = needed;
    }
    if (!mem_resize(pointer, wanted, size, error)) {
        return false;
    }
    *capacity = wanted;
    return true;
}

void mem_free(void *pointer)
{
    free(pointer);
}
