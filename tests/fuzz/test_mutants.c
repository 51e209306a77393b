/* Is the proof of equivalence worth its word? Random phases, every mode of each, and one small corruption at
 * a time: the proof must call a corrupted counterfactual different exactly when simulating it word by word
 * does, and name the same first difference. The counts are printed.
 *
 *     test_mutants [CORRUPTIONS]     (default 4000) */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "mutate.h"
#include "naive.h"

enum { TRANSFERS_MAX = 24, COST_MAX = 3000, BYTES = 200, ROUNDS = 6, KINDS_MAX = 40 };

static uint64_t random_state = 20;

static uint8_t random_byte(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint8_t)(random_state >> 32);
}

static Bytes random_bytes(uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bytes[i] = random_byte();
    }
    return (Bytes){bytes, bytes + count};
}

/* ---- counts ---- */

typedef struct Kind {
    const char *what;
    unsigned caught, harmless;
} Kind;

typedef struct Counts {
    Kind kinds[KINDS_MAX];
    unsigned kind_count, caught, harmless, located_wrongly, judged_wrongly, phases;
} Counts;

static void count(Counts *counts, const char *what, bool harmless)
{
    unsigned k = 0;
    while (k < counts->kind_count && strcmp(counts->kinds[k].what, what) != 0) {
        k++;
    }
    FUZZ_CHECK(k < KINDS_MAX, "%s", what);
    if (k == counts->kind_count) {
        counts->kinds[counts->kind_count++].what = what;
    }
    counts->kinds[k].caught += !harmless;
    counts->kinds[k].harmless += harmless;
    counts->caught += !harmless;
    counts->harmless += harmless;
}

/* ---- one phase ---- */

static void judge(Counts *counts, const Phase *phase, uint16_t tile_count, const Dependencies *dependencies,
                  const Counterfactual *made, const char *what)
{
    Equivalence found;
    Error error = {0};
    FUZZ_CHECK(equivalence_prove(phase, tile_count, dependencies, made, NULL, &found, &error), "%s",
               error.message);
    uint32_t iteration, address;
    uint16_t tile;
    bool harmless = naive_equivalent(phase, made, &iteration, &tile, &address);
    count(counts, what, harmless);
    if ((found.verdict == VERDICT_EQUIVALENT) != harmless) {
        counts->judged_wrongly++;
        printf("# phase %u, %s, %s: called %s\n", counts->phases, mode_name(made->mode), what,
               harmless ? "different" : "equivalent");
    } else if (!harmless &&
               (found.iteration != iteration || found.tile != tile || found.address != address)) {
        counts->located_wrongly++;
    }
}

static void corrupt_phase(Counts *counts)
{
    uint8_t buffer[BYTES], choices[8];
    Bytes bytes = random_bytes(buffer, sizeof buffer);
    uint16_t tile_count;
    Phase *phase = fuzz_phase(&bytes, 2 + random_byte() % (TRANSFERS_MAX - 1), COST_MAX, &tile_count);
    Dependencies dependencies;
    Error error = {0};
    FUZZ_CHECK(dependencies_compute(phase, tile_count, NULL, &dependencies, &error), "%s", error.message);
    counts->phases++;
    for (Mode mode = MODE_COALESCED; mode < MODE_COUNT; mode++) {
        for (unsigned round = 0; round < ROUNDS && mode_refusal(mode, &dependencies) == NULL; round++) {
            Counterfactual made;
            FUZZ_CHECK(mode_build(phase, tile_count, &dependencies, mode, NULL, &made, &error), "%s",
                       error.message);
            Bytes choice = random_bytes(choices, sizeof choices);
            const char *what = mutate_counterfactual(&choice, tile_count, &made, phase->transfers);
            if (what != NULL) {
                judge(counts, phase, tile_count, &dependencies, &made, what);
            }
            counterfactual_free(&made);
        }
    }
    dependencies_free(&dependencies);
    phase_free(phase);
}

int main(int argument_count, char **arguments)
{
    unsigned wanted = argument_count > 1 ? (unsigned)strtoul(arguments[1], NULL, 10) : 4000;
    Counts counts = {0};
    while (counts.caught + counts.harmless < wanted) {
        corrupt_phase(&counts);
    }
    for (unsigned k = 0; k < counts.kind_count; k++) {
        printf("# %-24s %7u caught %7u harmless\n", counts.kinds[k].what, counts.kinds[k].caught,
               counts.kinds[k].harmless);
    }
    printf("1..3\n");
    bool judged = counts.judged_wrongly == 0, located = counts.located_wrongly == 0;
    bool both = counts.caught > wanted / 10 && counts.harmless > wanted / 100;
    printf(
        "%sok 1 - %u corruptions of modes of %u phases: %u caught, %u proven harmless, %u judged wrongly\n",
        judged ? "" : "not ", counts.caught + counts.harmless, counts.phases, counts.caught, counts.harmless,
        counts.judged_wrongly);
    printf("%sok 2 - the first difference is the lowest one: %u are not\n", located ? "" : "not ",
           counts.located_wrongly);
    printf("%sok 3 - corruptions of both kinds were tried\n", both ? "" : "not ");
    return judged && located && both ? 0 : 1;
}
