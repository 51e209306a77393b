/* How fast finished replays are checked, beside the replay itself (which checks once, too).
 *
 *     bench_check                     the five big shapes and 1.2 million transfers
 *     bench_check SHAPE[:KEY=N,..]..  any shapes of mkcapture
 *
 * Processor seconds of one thread; a check is the best of several. */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "capture/capture.h"
#include "generate.h"
#include "replay/check.h"

enum { CHECKS = 5 };

static double processor_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void check(const char *shape, const Phase *phase, uint16_t tile_count)
{
    Dependencies dependencies;
    Replay replay;
    ReplayVerdict verdict;
    Error error = {0};
    if (!dependencies_compute(phase, tile_count, NULL, &dependencies, &error)) {
        bench_stop(shape, error.message);
    }
    double start = processor_seconds();
    if (!replay_run(phase, tile_count, &dependencies, &REPLAY_OPTIONS_DEFAULT, NULL, &replay, &error)) {
        bench_stop(shape, error.message);
    }
    double replayed = processor_seconds() - start, best = replayed;
    for (int i = 0; i < CHECKS; i++) {
        start = processor_seconds();
        if (!replay_check(phase, tile_count, &dependencies, &replay, NULL, &verdict, &error)) {
            bench_stop(shape, error.message);
        }
        double seconds = processor_seconds() - start;
        best = seconds < best ? seconds : best;
    }
    if (!verdict.pass) {
        bench_stop(shape, verdict.first_fault);
    }
    printf(
        "%-20s %8u transfers %8u receives %8llu row words  replay %7.3f s  check %6.3f s %6.0f ns/transfer\n",
        shape, phase->transfers, phase->receiver_start[phase->transfers],
        (unsigned long long)replay.total_row_words, replayed, best, best * 1e9 / phase->transfers);
    fflush(stdout);
    replay_free(&replay);
    dependencies_free(&dependencies);
}

static void bench(const char *shape)
{
    const char *path = bench_generate(shape);
    Error error = {0};
    Capture *capture = capture_load(path, NULL, NULL, &error);
    unlink(path);
    if (capture == NULL) {
        bench_stop(shape, error.message);
    }
    for (size_t p = 0; p < capture->phase_count; p++) {
        check(shape, capture->phases[p], capture->tile_count);
    }
    capture_free(capture);
}

int main(int argc, char **argv)
{
    static const char *const usual[] = {"source",   "interleaved", "multicast",
                                        "distinct", "transpose",   "source:each=800"};
    for (size_t i = 0; argc < 2 && i < sizeof usual / sizeof *usual; i++) {
        bench(usual[i]);
    }
    for (int i = 1; i < argc; i++) {
        bench(argv[i]);
    }
    return 0;
}
