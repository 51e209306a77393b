BENCH_SOURCES = tests/bench/generate.c tests/bench/generate.h

BENCHES += tests/bench/bench_load
tests_bench_bench_load_SOURCES = tests/bench/bench_load.c $(BENCH_SOURCES)
tests_bench_bench_load_LDADD = libexscope.a $(LIBRARIES_USED)

BENCHES += tests/bench/bench_check
tests_bench_bench_check_SOURCES = tests/bench/bench_check.c $(BENCH_SOURCES)
tests_bench_bench_check_LDADD = libexscope.a $(LIBRARIES_USED)

BENCHES += tests/bench/bench_analysis
tests_bench_bench_analysis_SOURCES = tests/bench/bench_analysis.c
tests_bench_bench_analysis_LDADD = libexscope.a $(LIBRARIES_USED)

BENCHES += tests/bench/bench_frame
tests_bench_bench_frame_SOURCES = tests/bench/bench_frame.c
tests_bench_bench_frame_LDADD = libexscope.a $(LIBRARIES_USED)

# Long, and on a file of 1.5 GB.
EXTRA_DIST += tests/bench/bench_big.sh
bench-big: exscope$(EXEEXT) tests/tools/mkcapture$(EXEEXT)
	@$(SHELL) $(srcdir)/tests/bench/bench_big.sh .

BENCHES += tests/bench/bench_replay
tests_bench_bench_replay_SOURCES = tests/bench/bench_replay.c $(BENCH_SOURCES)
tests_bench_bench_replay_LDADD = libexscope.a $(LIBRARIES_USED)
