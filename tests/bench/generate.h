/* Captures for benchmarks, made by mkcapture. */
#ifndef EXSCOPE_TESTS_GENERATE_H
#define EXSCOPE_TESTS_GENERATE_H

/* Prints "bench: MESSAGE: DETAIL" and ends the program. */
void bench_stop(const char *message, const char *detail) __attribute__((noreturn));

/* Writes a capture of one shape of mkcapture (such as "source:each=800") to a file of this process's own and
 * returns its path, which the next call uses again; the caller unlinks it. Stops on failure. */
const char *bench_generate(const char *shape);

#endif
