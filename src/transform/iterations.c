#include "config.h"

#include "transform/iterations.h"

#include "base/memory.h"

enum { POLL_TRANSFERS = 4096 };

bool iterations_init(Iterations *iterations, uint32_t count, Error *error)
{
    *iterations = (Iterations){.count = count, .classes = 1};
    iterations->class_of = mem_zero(count, sizeof *iterations->class_of, error);
    iterations->size = mem_zero(count, sizeof *iterations->size, error);
    if (iterations->class_of == NULL || iterations->size == NULL) {
        return false;
    }
    iterations->size[0] = count;
    return true;
}

void iterations_free(Iterations *iterations)
{
    mem_free(iterations->class_of);
    mem_free(iterations->size);
    vec_free(&iterations->items);
}

/* Iterations beyond the list of a transfer read its first address: they stay in their class, with those that
 * name the first address again. The others part with it, together when they read the same address. */
static bool iterations_split_by(Iterations *iterations, const uint32_t *addresses, uint32_t count,
                                Error *error)
{
    vec_clear(&iterations->items);
    for (uint32_t r = 1; r < count; r++) {
        SortItem item = {.key = (uint64_t)iterations->class_of[r] << 32 | addresses[r], .value = r};
        if (addresses[r] != addresses[0] && !vec_push(&iterations->items, item, error)) {
            return false;
        }
    }
    const SortItem *items = iterations->items.items;
    if (!sort_items(iterations->items.items, iterations->items.count, error)) {
        return false;
    }
    for (size_t low = 0, high; low < iterations->items.count; low = high) {
        for (high = low + 1; high < iterations->items.count && items[high].key == items[low].key; high++) {
        }
        uint32_t *left = &iterations->size[items[low].key >> 32], parted = (uint32_t)(high - low);
        if (parted == *left) {
            continue;
        }
        *left -= parted;
        iterations->size[iterations->classes] = parted;
        for (size_t k = low; k < high; k++) {
            iterations->class_of[items[k].value] = iterations->classes;
        }
        iterations->classes++;
    }
    return true;
}

bool iterations_split(Iterations *iterations, const Phase *phase, const uint8_t *chosen, Progress *progress,
                      Error *error)
{
    for (uint32_t i = 0; i < phase->transfers && iterations->classes < iterations->count; i++) {
        if (i % POLL_TRANSFERS == 0 && !progress_go_on(progress, error)) {
            return false;
        }
        uint32_t count = phase_address_count(phase, i);
        if (count > 1 && (chosen == NULL || chosen[i]) &&
            !iterations_split_by(iterations, phase->addresses + phase->address_start[i], count, error)) {
            return false;
        }
    }
    return true;
}

bool iterations_flag_distinct(const Iterations *iterations, uint8_t *distinct, Error *error)
{
    uint8_t *seen = mem_zero(iterations->classes, sizeof *seen, error);
    if (seen == NULL) {
        return false;
    }
    for (uint32_t r = 0; r < iterations->count; r++) {
        uint32_t class = iterations->class_of[r];
        distinct[r] = !seen[class];
        seen[class] = 1;
    }
    mem_free(seen);
    return true;
}
