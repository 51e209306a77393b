BENCHES += tests/bench/bench_load
tests_bench_bench_load_SOURCES = tests/bench/bench_load.c
tests_bench_bench_load_LDADD = libexscope.a $(LIBRARIES_USED)
