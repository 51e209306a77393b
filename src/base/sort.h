/* Stable sorts that stay near linear on millions of items. */
#ifndef EXSCOPE_BASE_SORT_H
#define EXSCOPE_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct SortItem {
    uint64_t key;
    uint32_t value;
    uint32_t extra;
} SortItem;

/* Sorts `count` items by ascending key, stable: a radix sort over the key bytes that differ, insertion for
 * short arrays. Fails only for want of memory (one scratch array of the same size). */
bool sort_items(SortItem *items, size_t count, Error *error);

/* Sorts `count` 64-bit keys ascending. */
bool sort_u64(uint64_t *keys, size_t count, Error *error);

/* Sorts indices by a comparison of two indices (negative, zero, positive), stable: a merge sort. */
typedef int (*SortCompare)(uint32_t left, uint32_t right, const void *context);
bool sort_indices(uint32_t *indices, size_t count, SortCompare compare, const void *context, Error *error);

#endif
