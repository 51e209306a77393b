/* How fast phases are replayed: both passes, encoding and the check included, loading and dependencies apart.
 *
 *     bench_replay                    the shapes below
 *     bench_replay SHAPE[:KEY=N,..].. any shapes of mkcapture or traps of this file
 *
 * Every shape runs in a process of its own, so that its peak memory is its own: the capture and the
 * dependencies are in it. Times are the best of several; "cpu" is the processor's, which says more on a busy
 * machine. "cancel" is the longest time that a replay took to end after a cancel at one of several moments.
 */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/thread.h"
#include "capture/capture.h"
#include "replay/order.h"
#include "replay/replay.h"

#include "generate.h"

enum { CANCELS = 8 };

static const char *const shapes[] = {
    "source:each=7",     /* 10,304 transfers, for the time per transfer */
    "source:each=70",    /* 103,040 */
    "source",            /* 588,800 source fragments */
    "source:each=800",   /* 1,177,600 */
    "interleaved",       /* 300,656 interleaved weights with a tail */
    "multicast",         /* 36,800 to 8 receivers each */
    "distinct",          /* 82,432 distinct routes */
    "transpose",         /* 294,400 transposed */
    "distinct:each=204", /* 300,288 chunks, 204 sources per receiver */
    "alltoall",          /* 2,165,312 */
    "hub",               /* one tile receives and sends 200,000 times */
    "trap-element",      /* the same, everything in one memory element */
    "trap-alignment",    /* a tile with pairs all the time and long sends into its gaps */
    "trap-uneven",       /* all to all with works that are never equal */
    "trap-wide",         /* multicasts to 100 receivers */
};

static double processor_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- phases that are hard to replay ---- */

static uint32_t random_below(uint32_t bound)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 20) % bound);
}

static void add(Phase *phase, uint32_t source, uint32_t words, uint32_t read, uint32_t receivers,
                const uint16_t *tiles, const uint32_t *writes)
{
    if (!phase_append(phase, (uint16_t)source, (uint16_t)words, WIDTH_WORD32, &read, 1, tiles, writes,
                      receivers, NULL)) {
        bench_stop("out of memory", "a trap");
    }
}

static void add_unicast(Phase *phase, uint32_t source, uint32_t words, uint32_t read, uint32_t receiver,
                        uint32_t write)
{
    add(phase, source, words, read, 1, (const uint16_t[]){(uint16_t)receiver}, &write);
}

static void trap_element(Phase *phase)
{
    for (uint32_t i = 0; i < 200000; i++) {
        uint32_t other = 1 + i % (FABRIC_TILES - 1);
        add_unicast(phase, other, 1 + random_below(4), 0x10000, 0, 0x20000 + 4 * random_below(0x700));
        add_unicast(phase, 0, 1 + random_below(8), 0x22000 + 4 * random_below(0x700), other, 0x30000);
    }
}

/* A receive of 54 words has its neutral and its pointer in one event on a tile of row 1, such as tile 2. */
static void trap_alignment(Phase *phase)
{
    enum { HUB = 2 };
    for (uint32_t i = 0; i < 60000; i++) {
        uint32_t other = HUB + 1 + i % (FABRIC_TILES - HUB - 1), words = i % 3 == 0 ? 54 : 1 + i % 3;
        add_unicast(phase, other, words, 0x10000, HUB, 0x40000 + 4 * random_below(0x3000));
        add_unicast(phase, HUB, i % 4 == 0 ? 1 + random_below(600) : 1 + random_below(12), 0x20000, other,
                    0x30000);
    }
}

static void trap_uneven(Phase *phase)
{
    for (uint32_t source = 0; source < 700; source++) {
        for (uint32_t receiver = 0; receiver < 700; receiver++) {
            if (source != receiver) {
                add_unicast(phase, source, 1 + random_below(97), 0x10000, receiver, 0x40000);
            }
        }
    }
}

static void trap_wide(Phase *phase)
{
    for (uint32_t i = 0; i < 5000; i++) {
        uint16_t tiles[100];
        uint32_t writes[100], source = random_below(FABRIC_TILES), first = random_below(FABRIC_TILES);
        for (uint32_t k = 0; k < 100; k++) {
            tiles[k] = (uint16_t)((first + 14 * k) % FABRIC_TILES);
            tiles[k] = tiles[k] == source ? (uint16_t)((first + 14 * k + 1) % FABRIC_TILES) : tiles[k];
            writes[k] = 0x40000 + 4 * random_below(0x1000);
        }
        add(phase, source, 1 + random_below(16), 0x10000, 100, tiles, writes);
    }
}

static Phase *trap(const char *name)
{
    static const struct {
        const char *name;
        void (*fill)(Phase *phase);
    } traps[] = {
        {"trap-element", trap_element},
        {"trap-alignment", trap_alignment},
        {"trap-uneven", trap_uneven},
        {"trap-wide", trap_wide},
    };
    for (size_t i = 0; i < sizeof traps / sizeof *traps; i++) {
        if (strcmp(name, traps[i].name) == 0) {
            Phase *phase = phase_new(1, NULL);
            if (phase == NULL) {
                bench_stop("out of memory", name);
            }
            traps[i].fill(phase);
            return phase;
        }
    }
    return NULL;
}

/* ---- measuring ---- */

typedef struct Measured {
    double order, wall, processor, cancel;
    uint32_t transfers, pass;
    bool pass_invariants;
} Measured;

typedef struct CancelTask {
    Progress progress;
    double after, at;
} CancelTask;

static void cancel_task(void *argument)
{
    CancelTask *task = argument;
    struct timespec wait = {.tv_sec = (time_t)task->after,
                            .tv_nsec = (long)(1e9 * (task->after - (double)(time_t)task->after))};
    nanosleep(&wait, NULL);
    task->at = thread_seconds();
    atomic_store(&task->progress.cancel, true);
}

/* The longest time from a cancel to the end, over cancels spread over the replay. */
static double measure_cancel(const Phase *phase, uint16_t tiles, const Dependencies *dependencies,
                             double seconds)
{
    double longest = 0;
    int cancels = seconds > 5 ? 3 : CANCELS;
    for (int i = 0; i < cancels; i++) {
        CancelTask task = {.after = seconds * (i + 0.2) / cancels};
        Pool *pool = pool_new(1, NULL);
        Replay replay;
        if (pool == NULL || !pool_submit(pool, cancel_task, &task, NULL)) {
            bench_stop("no thread", "cancel");
        }
        bool done =
            replay_run(phase, tiles, dependencies, &REPLAY_OPTIONS_DEFAULT, &task.progress, &replay, NULL);
        double end = thread_seconds();
        pool_free(pool);
        if (done) {
            replay_free(&replay);
        } else if (end - task.at > longest) {
            longest = end - task.at;
        }
    }
    return longest;
}

static Measured measure_phase(const Phase *phase, uint16_t tiles)
{
    Measured best = {.wall = 1e9, .processor = 1e9, .order = 1e9, .transfers = phase->transfers};
    Error error = {0};
    Dependencies dependencies;
    uint32_t *order = malloc(phase->transfers * sizeof *order);
    if (order == NULL || !dependencies_compute(phase, tiles, NULL, &dependencies, &error)) {
        bench_stop("no dependencies", error.message);
    }
    int runs = phase->transfers > 1500000 ? 1 : 5;
    for (int i = 0; i < runs; i++) {
        Replay replay;
        double start = processor_seconds();
        if (!order_compute(phase, tiles, dependencies.depth, &REPLAY_OPTIONS_DEFAULT, NULL, order, &error)) {
            bench_stop("the order failed", error.message);
        }
        double ordered = processor_seconds();
        if (!replay_run(phase, tiles, &dependencies, &REPLAY_OPTIONS_DEFAULT, NULL, &replay, &error)) {
            bench_stop("the replay failed", error.message);
        }
        double end = processor_seconds();
        best.order = ordered - start < best.order ? ordered - start : best.order;
        best.wall = replay.seconds < best.wall ? replay.seconds : best.wall;
        best.processor = end - ordered < best.processor ? end - ordered : best.processor;
        best.pass = replay.pass;
        best.pass_invariants = replay.invariants_pass;
        replay_free(&replay);
    }
    free(order);
    best.cancel = measure_cancel(phase, tiles, &dependencies, best.wall);
    dependencies_free(&dependencies);
    return best;
}

static Measured measure(const char *shape)
{
    Phase *phase = trap(shape);
    if (phase != NULL) {
        Measured measured = measure_phase(phase, FABRIC_TILES);
        phase_free(phase);
        return measured;
    }
    Error error = {0};
    const char *path = bench_generate(shape);
    Capture *capture = capture_load(path, NULL, NULL, &error);
    unlink(path);
    if (capture == NULL) {
        bench_stop("load failed", error.message);
    }
    Measured measured = measure_phase(capture->phases[0], capture->tile_count);
    capture_free(capture);
    return measured;
}

static void bench(const char *shape)
{
    int ends[2], status;
    Measured measured;
    struct rusage usage;
    if (pipe(ends) != 0) {
        bench_stop("no pipe", shape);
    }
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        measured = measure(shape);
        _exit(write(ends[1], &measured, sizeof measured) == (ssize_t)sizeof measured ? 0 : 1);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0 ||
        read(ends[0], &measured, sizeof measured) != (ssize_t)sizeof measured) {
        bench_stop("the measurement failed", shape);
    }
    close(ends[0]);
    close(ends[1]);
    printf("%-18s %9u %5u %8.3f %8.3f %8.3f %8.2f %8.0f %8.0f  %s\n", shape, measured.transfers,
           measured.pass, measured.order, measured.wall, measured.processor,
           1e6 * measured.processor / measured.transfers, (double)usage.ru_maxrss * 1024e-6,
           1e3 * measured.cancel, measured.pass_invariants ? "PASS" : "FAIL");
}

int main(int argc, char **argv)
{
    printf("%-18s %9s %5s %8s %8s %8s %8s %8s %8s\n", "shape", "transfers", "pass", "order", "replay", "cpu",
           "us each", "peak MB", "cancel");
    printf("%-18s %9s %5s %8s %8s %8s %8s %8s %8s\n", "", "", "", "s cpu", "s", "s", "cpu", "", "ms");
    if (argc < 2) {
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
            bench(shapes[i]);
        }
    }
    for (int i = 1; i < argc; i++) {
        bench(argv[i]);
    }
    return 0;
}
