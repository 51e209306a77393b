#include "config.h"

#include "base/sort.h"

#include <string.h>

#include "base/memory.h"

enum { INSERTION_LIMIT = 48, RADIX = 256 };

static void sort_items_insertion(SortItem *items, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        SortItem item = items[i];
        size_t j = i;
        for (; j > 0 && items[j - 1].key > item.key; j--) {
            items[j] = items[j - 1];
        }
        items[j] = item;
    }
}

bool sort_items(SortItem *items, size_t count, Error *error)
{
    if (count <= INSERTION_LIMIT) {
        sort_items_insertion(items, count);
        return true;
    }
    uint64_t differing = 0;
    bool sorted = true;
    for (size_t i = 1; i < count; i++) {
        differing |= items[i].key ^ items[0].key;
        sorted = sorted && items[i - 1].key <= items[i].key;
    }
    if (sorted) {
        return true;
    }
    SortItem *scratch = mem_new(count, sizeof *scratch, error);
    if (scratch == NULL) {
        return false;
    }
    SortItem *from = items, *to = scratch;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        if (((differing >> shift) & 0xff) == 0) {
            continue;
        }
        size_t start[RADIX] = {0};
        for (size_t i = 0; i < count; i++) {
            start[(from[i].key >> shift) & 0xff]++;
        }
        for (size_t sum = 0, digit = 0; digit < RADIX; digit++) {
            size_t here = start[digit];
            start[digit] = sum;
            sum += here;
        }
        for (size_t i = 0; i < count; i++) {
            to[start[(from[i].key >> shift) & 0xff]++] = from[i];
        }
        SortItem *swap = from;
        from = to;
        to = swap;
    }
    if (from != items) {
        memcpy(items, from, count * sizeof *items);
    }
    mem_free(scratch);
    return true;
}

bool sort_u64(uint64_t *keys, size_t count, Error *error)
{
    if (count <= INSERTION_LIMIT) {
        for (size_t i = 1; i < count; i++) {
            uint64_t key = keys[i];
            size_t j = i;
            for (; j > 0 && keys[j - 1] > key; j--) {
                keys[j] = keys[j - 1];
            }
            keys[j] = key;
        }
        return true;
    }
    uint64_t differing = 0;
    for (size_t i = 1; i < count; i++) {
        differing |= keys[i] ^ keys[0];
    }
    uint64_t *scratch = mem_new(count, sizeof *scratch, error);
    if (scratch == NULL) {
        return false;
    }
    uint64_t *from = keys, *to = scratch;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        if (((differing >> shift) & 0xff) == 0) {
            continue;
        }
        size_t start[RADIX] = {0};
        for (size_t i = 0; i < count; i++) {
            start[(from[i] >> shift) & 0xff]++;
        }
        for (size_t sum = 0, digit = 0; digit < RADIX; digit++) {
            size_t here = start[digit];
            start[digit] = sum;
            sum += here;
        }
        for (size_t i = 0; i < count; i++) {
            to[start[(from[i] >> shift) & 0xff]++] = from[i];
        }
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != keys) {
        memcpy(keys, from, count * sizeof *keys);
    }
    mem_free(scratch);
    return true;
}

bool sort_indices(uint32_t *indices, size_t count, SortCompare compare, const void *context, Error *error)
{
    enum { RUN = 12 };
    for (size_t low = 0; low < count; low += RUN) {
        size_t high = low + RUN < count ? low + RUN : count;
        for (size_t i = low + 1; i < high; i++) {
            uint32_t index = indices[i];
            size_t j = i;
            for (; j > low && compare(indices[j - 1], index, context) > 0; j--) {
                indices[j] = indices[j - 1];
            }
            indices[j] = index;
        }
    }
    if (count <= RUN) {
        return true;
    }
    uint32_t *scratch = mem_new(count, sizeof *scratch, error);
    if (scratch == NULL) {
        return false;
    }
    uint32_t *from = indices, *to = scratch;
    for (size_t width = RUN; width < count; width *= 2) {
        for (size_t low = 0; low < count; low += 2 * width) {
            size_t middle = low + width < count ? low + width : count;
            size_t high = low + 2 * width < count ? low + 2 * width : count;
            if (middle == high || compare(from[middle - 1], from[middle], context) <= 0) {
                memcpy(to + low, from + low, (high - low) * sizeof *to);
                continue;
            }
            size_t left = low, right = middle;
            for (size_t out = low; out < high; out++) {
                bool take_left =
                    left < middle && (right == high || compare(from[left], from[right], context) <= 0);
                to[out] = take_left ? from[left++] : from[right++];
            }
        }
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != indices) {
        memcpy(indices, from, count * sizeof *indices);
    }
    mem_free(scratch);
    return true;
}
