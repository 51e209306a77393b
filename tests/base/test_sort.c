/* Sorting: against the order that a plain quadratic sort gives. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/sort.h"

static uint64_t random_state = 88172645463325252u;

static uint64_t random_next(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static void items_are_sorted_and_stable(void **state)
{
    (void)state;
    for (size_t count = 0; count < 3000; count = count * 2 + 1) {
        SortItem *items = malloc((count + 1) * sizeof *items);
        assert_non_null(items);
        for (size_t i = 0; i < count; i++) {
            items[i] =
                (SortItem){.key = random_next() % (count / 3 + 1) << (i % 2 * 40), .value = (uint32_t)i};
        }
        assert_true(sort_items(items, count, NULL));
        for (size_t i = 1; i < count; i++) {
            assert_true(items[i - 1].key < items[i].key ||
                        (items[i - 1].key == items[i].key && items[i - 1].value < items[i].value));
        }
        free(items);
    }
}

static void keys_are_sorted(void **state)
{
    (void)state;
    uint64_t keys[1000], sum = 0, sum_after = 0;
    for (size_t i = 0; i < 1000; i++) {
        keys[i] = random_next();
        sum += keys[i];
    }
    assert_true(sort_u64(keys, 1000, NULL));
    for (size_t i = 0; i < 1000; i++) {
        sum_after += keys[i];
        assert_true(i == 0 || keys[i - 1] <= keys[i]);
    }
    assert_true(sum == sum_after);
}

static int compare_by_table(uint32_t left, uint32_t right, const void *context)
{
    const uint32_t *table = context;
    return table[left] < table[right] ? -1 : table[left] > table[right];
}

static void indices_are_sorted_and_stable(void **state)
{
    (void)state;
    uint32_t table[777], indices[777];
    for (uint32_t i = 0; i < 777; i++) {
        table[i] = (uint32_t)(random_next() % 100);
        indices[i] = i;
    }
    assert_true(sort_indices(indices, 777, compare_by_table, table, NULL));
    for (size_t i = 1; i < 777; i++) {
        int order = compare_by_table(indices[i - 1], indices[i], table);
        assert_true(order < 0 || (order == 0 && indices[i - 1] < indices[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_are_sorted_and_stable),
        cmocka_unit_test(keys_are_sorted),
        cmocka_unit_test(indices_are_sorted_and_stable),
    };
    return cmocka_run_group_tests_name("base/sort", tests, NULL, NULL);
}
