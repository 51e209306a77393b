/* The worker pool, vectors and allocation. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/progress.h"
#include "base/thread.h"
#include "base/vec.h"

typedef struct Tree {
    Pool *pool;
    atomic_uint leaves;
    atomic_bool refused;
} Tree;

typedef struct Branch {
    Tree *tree;
    unsigned depth;
} Branch;

static void grow(void *argument)
{
    Branch branch = *(Branch *)argument;
    mem_free(argument);
    if (branch.depth == 0) {
        atomic_fetch_add(&branch.tree->leaves, 1);
        return;
    }
    for (int i = 0; i < 2; i++) {
        Branch *next = mem_new(1, sizeof *next, NULL);
        *next = (Branch){branch.tree, branch.depth - 1};
        if (!pool_submit(branch.tree->pool, grow, next, NULL)) {
            atomic_store(&branch.tree->refused, true);
        }
    }
}

static void tasks_may_queue_tasks(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 4; threads++) {
        Tree tree = {.pool = pool_new(threads, NULL)};
        assert_non_null(tree.pool);
        Branch *root = mem_new(1, sizeof *root, NULL);
        *root = (Branch){&tree, 9};
        assert_true(pool_submit(tree.pool, grow, root, NULL));
        pool_free(tree.pool);
        assert_int_equal(atomic_load(&tree.leaves), 512);
        assert_false(atomic_load(&tree.refused));
    }
}

static void freeing_a_pool_finishes_what_is_queued(void **state)
{
    (void)state;
    Tree tree = {.pool = pool_new(1, NULL)};
    for (int i = 0; i < 100; i++) {
        Branch *leaf = mem_new(1, sizeof *leaf, NULL);
        *leaf = (Branch){&tree, 0};
        assert_true(pool_submit(tree.pool, grow, leaf, NULL));
    }
    pool_free(tree.pool);
    assert_int_equal(atomic_load(&tree.leaves), 100);
}

static void a_cancel_is_seen_through_a_chain(void **state)
{
    (void)state;
    Progress all = {0};
    Progress one = {.also = &all};
    Error error = {0};
    assert_true(progress_go_on(&one, &error));
    assert_true(progress_go_on(NULL, &error));
    atomic_store(&all.cancel, true);
    assert_false(progress_go_on(&one, &error));
    assert_int_equal(error.kind, ERROR_CANCELLED);
}

static void vectors_grow_and_survive_want_of_memory(void **state)
{
    (void)state;
    VEC(uint32_t) numbers = {0};
    for (uint32_t i = 0; i < 1000; i++) {
        assert_true(vec_push(&numbers, i * i, NULL));
    }
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(numbers.items[i], i * i);
    }
    while (numbers.count < numbers.capacity) {
        assert_true(vec_push(&numbers, 7, NULL));
    }
    size_t count = numbers.count;
    Error error = {0};
    mem_fault_set(1);
    assert_false(vec_push(&numbers, 1, &error));
    assert_int_equal(error.kind, ERROR_MEMORY);
    assert_int_equal(numbers.count, count);
    assert_int_equal(numbers.items[999], 999 * 999);
    assert_true(vec_push(&numbers, 1, &error));
    vec_free(&numbers);
}

static void impossible_sizes_are_errors(void **state)
{
    (void)state;
    Error error = {0};
    assert_null(mem_new(SIZE_MAX / 2, 4, &error));
    assert_int_equal(error.kind, ERROR_MEMORY);
    void *nothing = mem_zero(0, 16, &error);
    assert_non_null(nothing);
    mem_free(nothing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_may_queue_tasks),
        cmocka_unit_test(freeing_a_pool_finishes_what_is_queued),
        cmocka_unit_test(a_cancel_is_seen_through_a_chain),
        cmocka_unit_test(vectors_grow_and_survive_want_of_memory),
        cmocka_unit_test(impossible_sizes_are_errors),
    };
    return cmocka_run_group_tests_name("base/thread", tests, NULL, NULL);
}
