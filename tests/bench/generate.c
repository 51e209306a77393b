#include "config.h"

#include "generate.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

void bench_stop(const char *message, const char *detail)
{
    fprintf(stderr, "bench: %s: %s\n", message, detail);
    exit(1);
}

const char *bench_generate(const char *shape)
{
    static char path[64];
    const char *folder = getenv("EXSCOPE_BUILD_DIR");
    char program[4096];
    int status;
    snprintf(path, sizeof path, "/tmp/exscope-bench-%ld.json", (long)getpid());
    snprintf(program, sizeof program, "%s/tests/tools/mkcapture", folder == NULL ? "." : folder);
    pid_t child = fork();
    if (child == 0) {
        execl(program, program, "-o", path, shape, (char *)NULL);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
        bench_stop("cannot generate a capture with", program);
    }
    return path;
}
