#include "config.h"

#include "transform/equivalence.h"

#include <string.h>

#include "base/memory.h"
#include "transform/correspondence.h"
#include "transform/iterations.h"
#include "transform/simulation.h"

/* Two steps. The first is enough for nearly every counterfactual: if it consists of the captured transfers
 * word for word, and every transfer still comes after all those it depends on (in any Repeat iteration), then
 * every read finds the bytes that it found in the captured order, and every byte is last written by the same
 * transfer. The converse does not hold, and a difference must be located: then both phases are simulated,
 * every distinct iteration on its own, restricted to transfers whose order can matter where the words are
 * known to correspond. */

/* Which transfers of both phases take part in the simulation; NULL, NULL: all. */
typedef struct Choice {
    uint8_t *original, *made;
} Choice;

/* Every transfer ends before any that depends on it begins. Without edges the order does not matter, but
 * staging also needs that nothing read is written: copies come before and after all transfers. */
static bool order_is_kept(const Phase *original, const Dependencies *dependencies,
                          const Counterfactual *counterfactual, const Correspondence *correspondence)
{
    if (mode_stages_source(counterfactual->mode) || mode_stages_receiver(counterfactual->mode)) {
        return dependencies->edges == 0 && !dependencies->read_write_overlap;
    }
    for (uint32_t j = 0; dependencies->edges > 0 && j < original->transfers; j++) {
        for (uint32_t k = dependencies->predecessor_start[j]; k < dependencies->predecessor_start[j + 1];
             k++) {
            if (correspondence->last[dependencies->predecessors[k]] >= correspondence->first[j]) {
                return false;
            }
        }
    }
    return true;
}

static void choice_free(Choice *choice)
{
    mem_free(choice->original);
    mem_free(choice->made);
}

/* Flags the transfers with an edge, the transformed transfers that carry some of their words, and every
 * captured transfer that these carry. All others touch no byte that these touch, but for bytes that are only
 * read, and do the same in both phases. */
static bool choice_find(const Phase *original, const Dependencies *dependencies,
                        const Counterfactual *counterfactual, const Correspondence *correspondence,
                        Choice *choice, Error *error)
{
    uint32_t n = original->transfers;
    choice->original = mem_zero(n, 1, error);
    choice->made = mem_zero(counterfactual->phase->transfers, 1, error);
    if (choice->original == NULL || choice->made == NULL) {
        return false;
    }
    for (uint32_t j = 0; j < n; j++) {
        for (uint32_t k = dependencies->predecessor_start[j]; k < dependencies->predecessor_start[j + 1];
             k++) {
            choice->original[j] = choice->original[dependencies->predecessors[k]] = 1;
        }
    }
    /* A transfer that was cut ties two transformed transfers together, and a chain of such ties runs along
     * the order of emission: it is followed once forwards and once backwards. */
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t k = 0; k < n; k++) {
            uint32_t i = counterfactual->emitted[pass == 0 ? k : n - 1 - k];
            uint32_t first = correspondence->first[i], last = correspondence->last[i];
            if (choice->original[i] || choice->made[first] || choice->made[last]) {
                choice->original[i] = 1;
                memset(choice->made + first, 1, (size_t)last - first + 1);
            }
        }
    }
    return true;
}

/* Compares one Repeat iteration. */
static bool simulate_iteration(const Phase *original, const Counterfactual *counterfactual,
                               const Choice *choice, uint32_t iteration, Progress *progress,
                               Equivalence *equivalence, bool *differs, Error *error)
{
    Memory before = {0}, after = {0};
    bool done =
        simulate_original(original, choice->original, iteration, progress, &before, error) &&
        simulate_counterfactual(original, counterfactual, choice->made, iteration, progress, &after, error) &&
        memory_compare(&before, &after, differs, &equivalence->tile, &equivalence->address, error);
    memory_free(&before);
    memory_free(&after);
    return done;
}

/* Compares every distinct iteration of the two phases, in ascending order, until one differs. */
static bool simulate_iterations(const Phase *original, const Counterfactual *counterfactual,
                                const Choice *choice, const Iterations *iterations, Progress *progress,
                                Equivalence *equivalence, Error *error)
{
    bool differs = false;
    uint8_t *distinct = mem_zero(iterations->count, 1, error);
    bool done = distinct != NULL && iterations_flag_distinct(iterations, distinct, error);
    progress_stage(progress, "proving equivalence", iterations->count);
    uint32_t r = 0;
    for (; done && !differs && r < iterations->count; r++) {
        if (distinct[r]) {
            equivalence->iterations_proved++;
            done = simulate_iteration(original, counterfactual, choice, r, progress, equivalence, &differs,
                                      error);
        }
        progress_set(progress, r);
    }
    mem_free(distinct);
    if (done) {
        equivalence->verdict = differs ? VERDICT_DIFFERENT : VERDICT_EQUIVALENT;
        equivalence->iteration = differs ? r - 1 : 0;
    }
    return done;
}

static bool equivalence_simulate(const Phase *original, const Counterfactual *counterfactual,
                                 const Choice *choice, Progress *progress, Equivalence *equivalence,
                                 Error *error)
{
    const Phase *made = counterfactual->phase;
    uint32_t count = phase_iterations(original), made_count = phase_iterations(made);
    Iterations iterations;
    bool done =
        iterations_init(&iterations, made_count > count ? made_count : count, error) &&
        iterations_split(&iterations, original, choice->original, progress, error) &&
        iterations_split(&iterations, made, choice->made, progress, error) &&
        simulate_iterations(original, counterfactual, choice, &iterations, progress, equivalence, error);
    iterations_free(&iterations);
    return done;
}

/* The first step has proved all iterations at once; this counts how many differ. */
static bool equivalence_accept(const Phase *original, Progress *progress, Equivalence *equivalence,
                               Error *error)
{
    Iterations iterations;
    bool done = iterations_init(&iterations, phase_iterations(original), error) &&
                iterations_split(&iterations, original, NULL, progress, error);
    if (done) {
        equivalence->verdict = VERDICT_EQUIVALENT;
        equivalence->iterations_proved = iterations.classes;
    }
    iterations_free(&iterations);
    return done;
}

static bool equivalence_find(const Phase *original, uint16_t tile_count, const Dependencies *dependencies,
                             const Counterfactual *counterfactual, Progress *progress,
                             Equivalence *equivalence, Error *error)
{
    if (counterfactual->phase == original) {
        return equivalence_accept(original, progress, equivalence, error);
    }
    Correspondence correspondence;
    if (!correspondence_find(original, tile_count, counterfactual, dependencies->edges > 0, progress,
                             &correspondence, error)) {
        return false;
    }
    bool done;
    if (correspondence.holds && order_is_kept(original, dependencies, counterfactual, &correspondence)) {
        done = equivalence_accept(original, progress, equivalence, error);
    } else {
        bool staged = mode_stages_source(counterfactual->mode) || mode_stages_receiver(counterfactual->mode);
        Choice choice = {0};
        done = (!correspondence.holds || staged ||
                choice_find(original, dependencies, counterfactual, &correspondence, &choice, error)) &&
               equivalence_simulate(original, counterfactual, &choice, progress, equivalence, error);
        choice_free(&choice);
    }
    correspondence_free(&correspondence);
    return done;
}

bool equivalence_prove(const Phase *original, uint16_t tile_count, const Dependencies *dependencies,
                       const Counterfactual *counterfactual, Progress *progress, Equivalence *equivalence,
                       Error *error)
{
    *equivalence = (Equivalence){.verdict = VERDICT_UNKNOWN};
    progress_stage(progress, "proving equivalence", original->transfers);
    if (!equivalence_find(original, tile_count, dependencies, counterfactual, progress, equivalence, error)) {
        *equivalence = (Equivalence){.verdict = VERDICT_UNKNOWN};
        return false;
    }
    bool ignores_order = counterfactual->mode == MODE_REORDERED && dependencies->edges > 0;
    equivalence->valid = equivalence->verdict == VERDICT_EQUIVALENT && !ignores_order;
    return true;
}
