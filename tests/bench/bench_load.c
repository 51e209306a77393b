/* How fast captures load, and in how much memory, beside cJSON's parse of the same document.
 *
 *     bench_load                    588,800 unicast transfers in 60 MB; 8 receivers and 27 source addresses
 *                                   each in 60 MB; 2,944,000 unicast transfers in 300 MB
 *     bench_load SHAPE[:KEY=N,..].. any shapes of mkcapture, one capture each
 *
 * Every measurement runs in a process of its own, so that its peak memory is its own. A load is the best of
 * several; cJSON runs once, and not on the largest documents (it needs 14 times their size), on text that is
 * in memory already where the load reads its file. */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "base/thread.h"
#include "capture/capture.h"
#include "generate.h"

enum { LOADS = 9, CJSON_BYTES_MAX = 100000000 };

typedef struct Measured {
    double seconds;
    uint64_t bytes, transfers;
    long peak_kilobytes;
} Measured;

static Measured measure_load(const char *path)
{
    Error error = {0};
    Capture *capture = capture_load(path, NULL, NULL, &error);
    if (capture == NULL) {
        bench_stop("load failed", error.message);
    }
    Measured measured = {
        .seconds = capture->load_seconds, .bytes = capture->file_bytes, .transfers = capture->transfers};
    capture_free(capture);
    return measured;
}

static Measured measure_cjson(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        bench_stop("cannot read", path);
    }
    size_t length = (size_t)ftell(file);
    char *text = malloc(length + 1);
    rewind(file);
    if (text == NULL || fread(text, 1, length, file) != length) {
        bench_stop("cannot read", path);
    }
    fclose(file);
    double start = thread_seconds();
    cJSON *tree = cJSON_ParseWithLength(text, length);
    Measured measured = {.seconds = thread_seconds() - start, .bytes = length};
    if (tree == NULL) {
        bench_stop("cJSON refuses", path);
    }
    cJSON_Delete(tree);
    free(text);
    return measured;
}

/* Runs `measure` in a child process, which sends its result through a pipe. */
static Measured measure_apart(Measured (*measure)(const char *path), const char *path)
{
    int ends[2];
    Measured measured;
    struct rusage usage;
    int status;
    if (pipe(ends) != 0) {
        bench_stop("no pipe", path);
    }
    pid_t child = fork();
    if (child == 0) {
        measured = measure(path);
        _exit(write(ends[1], &measured, sizeof measured) == (ssize_t)sizeof measured ? 0 : 1);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0 ||
        read(ends[0], &measured, sizeof measured) != (ssize_t)sizeof measured) {
        bench_stop("the measurement failed", path);
    }
    close(ends[0]);
    close(ends[1]);
    measured.peak_kilobytes = usage.ru_maxrss;
    return measured;
}

static void print_row(const char *name, Measured measured)
{
    double megabytes = (double)measured.bytes / 1e6;
    printf("  %-6s %8.1f MB %8.3f s %7.0f MB/s %10.0f transfers/s %8.1f MB peak (%.2f of the file)\n", name,
           megabytes, measured.seconds, megabytes / measured.seconds,
           (double)measured.transfers / measured.seconds, (double)measured.peak_kilobytes * 1024e-6,
           (double)measured.peak_kilobytes * 1024e-6 / megabytes);
    fflush(stdout);
}

static void bench(const char *shape)
{
    const char *path = bench_generate(shape);
    printf("%s\n", shape);
    Measured best = measure_apart(measure_load, path);
    for (int i = 1; i < LOADS; i++) {
        Measured again = measure_apart(measure_load, path);
        best = again.seconds < best.seconds ? again : best;
    }
    print_row("load", best);
    if (best.bytes <= CJSON_BYTES_MAX) {
        Measured cjson = measure_apart(measure_cjson, path);
        cjson.transfers = best.transfers;
        print_row("cJSON", cjson);
        printf("  cJSON takes %.1f times as long and %.1f times the memory\n", cjson.seconds / best.seconds,
               (double)cjson.peak_kilobytes / (double)best.peak_kilobytes);
    }
    unlink(path);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        bench("source");
        bench("multicast:each=110");
        bench("source:each=2000");
    }
    for (int i = 1; i < argc; i++) {
        bench(argv[i]);
    }
    return 0;
}
