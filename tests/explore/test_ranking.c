/* Ranking, filter and sort of phases. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "explore/ranking.h"
#include "explore/session.h"
#include "explore/trust.h"
#include "make_capture.h"

/* Phases 0..5 with 4, 9, 0, 9, 30, 2 transfers, and phase 90 with a dependency; labels: 0 "first", 1 "Second
 * <one>". */
static int set_up(void **state)
{
    static const unsigned transfers[] = {4, 9, 0, 9, 30, 2};
    Text text = {0};
    text_append(&text, capture_head);
    for (unsigned i = 0; i < 6; i++) {
        char *phase = make_phase(i, transfers[i]);
        text_printf(&text, "%s,", phase);
        free(phase);
    }
    text_printf(&text, "%s%s", dependent_phase, capture_end);
    char *path = temporary_file(text_view(&text));
    Session *session = session_new(1, NULL);
    assert_non_null(session);
    assert_true(session_load(session, path, NULL, NULL));
    temporary_remove(path);
    text_free(&text);
    *state = session;
    return 0;
}

static int tear_down(void **state)
{
    session_free(*state);
    return 0;
}

/* "phase/rank phase/rank ..." */
static const char *ranked(View *view, PhaseQuery query)
{
    static char out[400];
    size_t count, length = 0;
    RankedPhase *phases = phase_rank(view, &query, &count, NULL);
    assert_non_null(phases);
    out[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        length += (size_t)snprintf(out + length, sizeof out - length, "%s%u/%u", i == 0 ? "" : " ",
                                   (unsigned)phases[i].entry->phase->number, (unsigned)phases[i].rank);
    }
    mem_free(phases);
    return out;
}

static void worst_comes_first_and_ties_keep_the_file_order(void **state)
{
    View *view = view_new(*state, NULL);
    assert_string_equal(ranked(view, (PhaseQuery){0}), "4/1 1/2 3/3 0/4 5/5 90/6 2/7");
    assert_string_equal(ranked(view, (PhaseQuery){.reverse = true}), "2/7 90/6 5/5 0/4 3/3 1/2 4/1");
    assert_string_equal(ranked(view, (PhaseQuery){.top = 2}), "4/1 1/2");
    assert_string_equal(ranked(view, (PhaseQuery){.top = 1, .reverse = true}), "2/7");
    assert_string_equal(ranked(view, (PhaseQuery){.top = 100}), "4/1 1/2 3/3 0/4 5/5 90/6 2/7");
    view_free(view);
}

static void phases_are_sorted_by_any_column(void **state)
{
    View *view = view_new(*state, NULL);
    assert_string_equal(ranked(view, (PhaseQuery){.sort = PHASE_SORT_PHASE}), "0/4 1/2 2/7 3/3 4/1 5/5 90/6");
    assert_string_equal(ranked(view, (PhaseQuery){.sort = PHASE_SORT_LABEL}), "1/2 0/4 4/1 3/3 5/5 90/6 2/7");
    static const PhaseSort by_size[] = {PHASE_SORT_TRANSFERS, PHASE_SORT_FRAGMENTS, PHASE_SORT_MAXIMUM,
                                        PHASE_SORT_SENT, PHASE_SORT_RECEIVED};
    for (size_t i = 0; i < sizeof by_size / sizeof *by_size; i++) {
        assert_string_equal(ranked(view, (PhaseQuery){.sort = by_size[i]}), "4/1 1/2 3/3 0/4 5/5 90/6 2/7");
    }
    /* Known dependencies come first, longest tail first. */
    assert_string_equal(ranked(view, (PhaseQuery){.sort = PHASE_SORT_TAIL}), "4/1 1/2 3/3 0/4 5/5 90/6 2/7");
    assert_non_null(view_need_dependencies(view, view_phase(view, 90), MODE_ORIGINAL, NULL, NULL));
    assert_non_null(view_need_dependencies(view, view_phase(view, 2), MODE_ORIGINAL, NULL, NULL));
    assert_string_equal(ranked(view, (PhaseQuery){.sort = PHASE_SORT_TAIL}), "90/6 2/7 4/1 1/2 3/3 0/4 5/5");
    view_free(view);
}

static void filters_look_at_numbers_and_labels(void **state)
{
    View *view = view_new(*state, NULL);
    assert_string_equal(ranked(view, (PhaseQuery){.filter = ""}), "4/1 1/2 3/3 0/4 5/5 90/6 2/7");
    assert_string_equal(ranked(view, (PhaseQuery){.filter = "9"}), "90/6");
    assert_string_equal(ranked(view, (PhaseQuery){.filter = "0"}), "0/4");
    assert_string_equal(ranked(view, (PhaseQuery){.filter = "SECOND"}), "1/2");
    assert_string_equal(ranked(view, (PhaseQuery){.filter = "one>"}), "1/2");
    assert_string_equal(ranked(view, (PhaseQuery){.filter = "none"}), "");
    view_free(view);
}

static void sort_names_are_in_order(void **state)
{
    (void)state;
    size_t count = 0;
    while (phase_sort_names[count] != NULL) {
        count++;
    }
    assert_int_equal(count, PHASE_SORT_COUNT);
    assert_string_equal(phase_sort_names[PHASE_SORT_RANK], "rank");
    assert_string_equal(phase_sort_names[PHASE_SORT_TAIL], "tail");
}

static void memory_may_run_out(void **state)
{
    View *view = view_new(*state, NULL);
    long nth = 1;
    for (;; nth++) {
        size_t count;
        Error error = {0};
        mem_fault_set(nth);
        RankedPhase *phases = phase_rank(view, &(PhaseQuery){0}, &count, &error);
        bool reached = mem_fault_left() <= 0;
        mem_fault_set(0);
        assert_true((phases == NULL) == reached);
        mem_free(phases);
        if (!reached) {
            break;
        }
        assert_int_equal(error.kind, ERROR_MEMORY);
    }
    assert_true(nth > 3);
    view_free(view);
}

/* All modes with the least figure are the best, the captured phase among them; one that does not stand is
 * none, and neither is any where all are alike. */
static void the_best_is_the_least_that_stands(void **state)
{
    (void)state;
    const uint64_t values[] = {7, 3, 5, 3, 1};
    const bool stand[] = {true, true, true, true, false}, nobody[5] = {false};
    uint64_t best = 0;
    assert_true(trust_best(values, stand, 5, &best));
    assert_int_equal(best, 3);
    assert_false(trust_best(values + 3, stand, 1, &best));
    assert_false(trust_best(values, nobody, 5, &best));
    assert_false(trust_best((const uint64_t[]){4, 4}, stand, 2, &best));
}

static void only_a_proof_makes_a_mode_trusted(void **state)
{
    (void)state;
    assert_int_equal(trust_of(NULL), TRUST_UNKNOWN);
    assert_int_equal(trust_of(&(Equivalence){.valid = false}), TRUST_UNKNOWN);
    assert_int_equal(trust_of(&(Equivalence){.verdict = VERDICT_DIFFERENT}), TRUST_DIFFERENT);
    assert_int_equal(trust_of(&(Equivalence){.verdict = VERDICT_EQUIVALENT}), TRUST_REORDERED);
    assert_int_equal(trust_of(&(Equivalence){.verdict = VERDICT_EQUIVALENT, .valid = true}), TRUST_VALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worst_comes_first_and_ties_keep_the_file_order),
        cmocka_unit_test(phases_are_sorted_by_any_column),
        cmocka_unit_test(filters_look_at_numbers_and_labels),
        cmocka_unit_test(sort_names_are_in_order),
        cmocka_unit_test(the_best_is_the_least_that_stands),
        cmocka_unit_test(only_a_proof_makes_a_mode_trusted),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests_name("explore/ranking", tests, set_up, tear_down);
}
