/* How long the analysis of large phases takes on one thread: dependencies, coverage and identity, every mode
 * with its proof; and how much longer it takes when the phase doubles, beside how much more there is to do:
 * the edges of some shapes grow faster than the phase. Times are processor seconds, the best of a few runs.
 *
 *     bench_analysis [SHAPE...]      all shapes without an argument */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "analysis/identity.h"
#include "transform/equivalence.h"

enum { TILES = 1472, RUNS = 5, READ_BASE = 0x4c000, WRITE_BASE = 0x84000, WORDS = 2 };

static Error error;

static void need(bool done)
{
    if (!done) {
        fprintf(stderr, "bench_analysis: %s\n", error.message);
        exit(1);
    }
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- shapes: `each` is the number of fragments per tile ---- */

static void send(Phase *phase, uint32_t source, uint32_t from, uint32_t receiver, uint32_t to, uint32_t words)
{
    uint16_t tile = (uint16_t)(receiver % TILES);
    need(phase_append(phase, (uint16_t)(source % TILES), (uint16_t)words, WIDTH_WORD32, &from, 1, &tile, &to,
                      1, &error));
}

/* Scattered at the sender, contiguous at the receiver. */
static void shape_source(Phase *phase, uint32_t each)
{
    for (uint32_t k = 0; k < each; k++) {
        for (uint32_t t = 0; t < TILES; t++) {
            send(phase, t, READ_BASE + (k * 7 % each) * 16, t + 5, WRITE_BASE + k * 4 * WORDS, WORDS);
        }
    }
}

/* Four senders take turns at every receiver; a quarter of the tiles then forwards what came first. */
static void shape_interleaved(Phase *phase, uint32_t each)
{
    for (uint32_t k = 0; k < each; k++) {
        for (uint32_t t = 0; t < TILES; t++) {
            send(phase, t + 1 + k % 4, READ_BASE + (k / 4 * 8 + k % 4) * 4 * WORDS, t,
                 WRITE_BASE + k * 4 * WORDS, WORDS);
        }
    }
    for (uint32_t t = 0; t < TILES; t += 4) {
        send(phase, t, WRITE_BASE, t + 9, WRITE_BASE + each * 4 * WORDS, WORDS);
    }
}

/* Eight receivers and 27 Repeat addresses each. */
static void shape_multicast(Phase *phase, uint32_t each)
{
    enum { FAN = 8, REPEAT = 27 };
    for (uint32_t k = 0; k < each; k++) {
        for (uint32_t t = 0; t < TILES; t++) {
            uint32_t from[REPEAT], to[FAN];
            uint16_t tile[FAN];
            for (uint32_t r = 0; r < REPEAT; r++) {
                from[r] = READ_BASE + (k + r * each) * 4 * WORDS;
            }
            for (uint32_t f = 0; f < FAN; f++) {
                tile[f] = (uint16_t)((t / FAN * FAN + f + 400) % TILES);
                to[f] = WRITE_BASE + (k * FAN + t % FAN) * 4 * WORDS;
            }
            need(phase_append(phase, (uint16_t)t, WORDS, WIDTH_WORD32, from, REPEAT, tile, to, FAN, &error));
        }
    }
}

/* The same, and one transfer that reads in its last iteration what another has written. */
static void shape_late(Phase *phase, uint32_t each)
{
    shape_multicast(phase, each);
    uint32_t from[27], to = WRITE_BASE + 0x40000;
    uint16_t tile = 3;
    for (uint32_t r = 0; r < 27; r++) {
        from[r] = r < 26 ? READ_BASE : WRITE_BASE;
    }
    need(phase_append(phase, 400, WORDS, WIDTH_WORD32, from, 27, &tile, &to, 1, &error));
}

/* Every tile sends to `each` others: no route twice. */
static void shape_distinct(Phase *phase, uint32_t each)
{
    for (uint32_t k = 0; k < each; k++) {
        for (uint32_t t = 0; t < TILES; t++) {
            send(phase, t, READ_BASE + k * 4 * WORDS, t + 1 + k, WRITE_BASE + k * 4 * WORDS, WORDS);
        }
    }
}

/* A matrix of `each` elements per tile, transposed between sender and receiver. */
static void shape_transpose(Phase *phase, uint32_t each)
{
    uint32_t columns = each / 10;
    for (uint32_t k = 0; k < each; k++) {
        uint32_t row = k / columns, column = k % columns;
        for (uint32_t t = 0; t < TILES; t++) {
            send(phase, t, READ_BASE + k * 4 * WORDS, t + 1, WRITE_BASE + (column * 10 + row) * 4 * WORDS,
                 WORDS);
        }
    }
}

/* Moving sources at the largest size: 27 addresses for every fragment. */
static void shape_moving(Phase *phase, uint32_t each)
{
    for (uint32_t k = 0; k < each; k++) {
        for (uint32_t t = 0; t < TILES; t++) {
            uint32_t from[27], to = WRITE_BASE + k * 4 * WORDS;
            uint16_t tile = (uint16_t)((t + 5) % TILES);
            for (uint32_t r = 0; r < 27; r++) {
                from[r] = READ_BASE + (k + r * each) * 8;
            }
            need(phase_append(phase, (uint16_t)t, WORDS, WIDTH_WORD32, from, 27, &tile, &to, 1, &error));
        }
    }
}

/* All tiles read the same words of tile 0, again and again, and in the end these are overwritten. */
static void shape_same_reads(Phase *phase, uint32_t each)
{
    for (uint32_t k = 0; k < each; k++) {
        for (uint32_t t = 1; t < TILES; t++) {
            send(phase, 0, READ_BASE, t, WRITE_BASE + k * 4 * 64, 64);
        }
    }
    send(phase, 1, READ_BASE, 0, READ_BASE, 64);
}

/* Every tile overwrites the same words of tile 0, again and again. */
static void shape_same_writes(Phase *phase, uint32_t each)
{
    for (uint32_t k = 0; k < each; k++) {
        for (uint32_t t = 1; t < TILES; t++) {
            send(phase, t, READ_BASE + k * 8, 0, WRITE_BASE, 64);
        }
    }
}

/* Reads of many lengths, nested and shifted, over words of tile 0 that are written in between: every byte is
 * read by many, and where reads begin and end says little about the pairs. */
static void shape_nested(Phase *phase, uint32_t each)
{
    for (uint32_t k = 0; k < each; k++) {
        for (uint32_t t = 1; t < TILES; t++) {
            send(phase, 0, READ_BASE + (t * 37 % 997) * 4, t, WRITE_BASE + k * 4 * 1000, 1 + t % 1000);
        }
        send(phase, 1, READ_BASE, 0, READ_BASE + k * 4, 1);
    }
}

typedef struct Shape {
    const char *name;
    void (*make)(Phase *phase, uint32_t each);
    uint32_t each;
} Shape;

static const Shape shapes[] = {
    {"source", shape_source, 400},         {"interleaved", shape_interleaved, 204},
    {"multicast", shape_multicast, 25},    {"late", shape_late, 25},
    {"distinct", shape_distinct, 56},      {"transpose", shape_transpose, 200},
    {"largest", shape_source, 816},        {"moving", shape_moving, 816},
    {"same-reads", shape_same_reads, 200}, {"same-writes", shape_same_writes, 200},
    {"nested", shape_nested, 60},
};

/* ---- measuring ---- */

typedef struct Times {
    double dependencies, receivers, build[MODE_COUNT], prove[MODE_COUNT];
    double modes; /* of all modes with their proofs, and dependencies */
    const char *verdict[MODE_COUNT];
    uint64_t edges, work; /* work: transfers and edges */
} Times;

static void keep_best(double *best, double start, bool first)
{
    double took = seconds() - start;
    *best = first || took < *best ? took : *best;
}

static void measure_mode(const Phase *phase, const Dependencies *dependencies, Mode mode, Times *times,
                         bool first)
{
    if (mode_refusal(mode, dependencies) != NULL) {
        times->verdict[mode] = "refused";
        return;
    }
    Counterfactual made;
    Equivalence equivalence;
    double start = seconds();
    need(mode_build(phase, TILES, dependencies, mode, NULL, &made, &error));
    keep_best(&times->build[mode], start, first);
    start = seconds();
    need(equivalence_prove(phase, TILES, dependencies, &made, NULL, &equivalence, &error));
    keep_best(&times->prove[mode], start, first);
    times->verdict[mode] = equivalence.verdict == VERDICT_EQUIVALENT ? "equivalent" : "different";
    counterfactual_free(&made);
}

static void measure(const Phase *phase, Times *times)
{
    for (int run = 0; run < RUNS; run++) {
        bool first = run == 0;
        Dependencies dependencies;
        Coverage coverage;
        Identity identity;
        double start = seconds();
        need(dependencies_compute(phase, TILES, NULL, &dependencies, &error));
        keep_best(&times->dependencies, start, first);
        times->edges = dependencies.edges;
        times->work = phase->transfers + dependencies.edges;
        start = seconds();
        need(coverage_compute(phase, TILES, phase->transfers, NULL, &coverage, &error) &&
             identity_compute(phase, &coverage, NULL, &identity, &error));
        keep_best(&times->receivers, start, first);
        coverage_free(&coverage);
        identity_free(&identity);
        for (Mode mode = MODE_ORIGINAL; mode < MODE_COUNT; mode++) {
            measure_mode(phase, &dependencies, mode, times, first);
        }
        dependencies_free(&dependencies);
    }
    times->modes = times->dependencies;
    for (Mode mode = MODE_ORIGINAL; mode < MODE_COUNT; mode++) {
        times->modes += times->build[mode] + times->prove[mode];
    }
}

static Phase *make(const Shape *shape, uint32_t each)
{
    Phase *phase = phase_new(1, &error);
    need(phase != NULL);
    shape->make(phase, each);
    phase_shrink(phase);
    return phase;
}

static void report(const Shape *shape)
{
    Times half = {0}, times = {0};
    Phase *phase = make(shape, shape->each / 2);
    measure(phase, &half);
    phase_free(phase);
    phase = make(shape, shape->each);
    measure(phase, &times);
    printf("%s: %u transfers, %u receivers, %u addresses, %llu edges, %.0f MB of columns\n", shape->name,
           phase->transfers, phase->receiver_start[phase->transfers], phase->address_start[phase->transfers],
           (unsigned long long)times.edges, (double)phase_memory_bytes(phase) * 1e-6);
    phase_free(phase);
    printf("    dependencies %.3f s, coverage and identity %.3f s\n", times.dependencies, times.receivers);
    for (Mode mode = MODE_ORIGINAL; mode < MODE_COUNT; mode++) {
        printf("    %-17s build %.3f s, proof %.3f s, %s\n", mode_name(mode), times.build[mode],
               times.prove[mode], times.verdict[mode]);
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf(
        "    dependencies, modes and proofs %.3f s; half the phase (%llu edges) %.3f s: ratio %.2f for %.2f "
        "times the transfers and edges; peak %ld MB so far\n",
        times.modes, (unsigned long long)half.edges, half.modes, times.modes / half.modes,
        (double)times.work / (double)half.work, usage.ru_maxrss / 1024);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
        bool wanted = argc == 1;
        for (int a = 1; a < argc; a++) {
            wanted = wanted || strcmp(argv[a], shapes[k].name) == 0;
        }
        if (wanted) {
            report(&shapes[k]);
        }
    }
    return 0;
}
