# Fuzz targets. `make check` runs every corpus once, without libFuzzer. `make fuzz` configures and builds them
# a second time, with clang, libFuzzer and sanitizers, in the folder fuzz/ of the build; then, with an empty folder
# for what is found,
#     fuzz/tests/fuzz/fuzz_capture -max_total_time=1800 FOUND SOURCE/tests/fuzz/corpus/capture
FUZZ_TARGETS = tests/fuzz/fuzz_capture tests/fuzz/fuzz_compressed tests/fuzz/fuzz_rows \
	tests/fuzz/fuzz_phase tests/fuzz/fuzz_replay tests/fuzz/fuzz_script \
	tests/fuzz/fuzz_explorer
FUZZ_COMMON = tests/fuzz/fuzz.c tests/fuzz/fuzz.h
if !FUZZER
FUZZ_COMMON += tests/fuzz/standalone.c
TESTS += $(FUZZ_TARGETS) tests/fuzz/test_mutants
check_PROGRAMS += tests/fuzz/test_mutants
tests_fuzz_test_mutants_SOURCES = tests/fuzz/test_mutants.c tests/fuzz/mutate.c tests/fuzz/mutate.h \
	tests/fuzz/naive.c tests/fuzz/naive.h tests/fuzz/fuzz.c tests/fuzz/fuzz.h
tests_fuzz_test_mutants_LDADD = $(FUZZ_LDADD)
endif
check_PROGRAMS += $(FUZZ_TARGETS)
FUZZ_LDADD = libexscope.a $(LIBRARIES_USED) $(FUZZER_LIBS)

tests_fuzz_fuzz_capture_SOURCES = tests/fuzz/fuzz_capture.c $(FUZZ_COMMON)
tests_fuzz_fuzz_capture_LDADD = $(FUZZ_LDADD)
tests_fuzz_fuzz_compressed_SOURCES = tests/fuzz/fuzz_compressed.c $(FUZZ_COMMON)
tests_fuzz_fuzz_compressed_LDADD = $(FUZZ_LDADD)
tests_fuzz_fuzz_rows_SOURCES = tests/fuzz/fuzz_rows.c $(FUZZ_COMMON)
tests_fuzz_fuzz_rows_LDADD = $(FUZZ_LDADD)

tests_fuzz_fuzz_phase_SOURCES = tests/fuzz/fuzz_phase.c tests/fuzz/mutate.c tests/fuzz/mutate.h \
	tests/fuzz/naive.c tests/fuzz/naive.h $(FUZZ_COMMON)
tests_fuzz_fuzz_phase_LDADD = $(FUZZ_LDADD)

tests_fuzz_fuzz_replay_SOURCES = tests/fuzz/fuzz_replay.c $(FUZZ_COMMON)
tests_fuzz_fuzz_replay_LDADD = $(FUZZ_LDADD)
tests_fuzz_fuzz_script_SOURCES = tests/fuzz/fuzz_script.c $(FUZZ_COMMON)
tests_fuzz_fuzz_script_LDADD = $(FUZZ_LDADD)

tests_fuzz_fuzz_explorer_SOURCES = tests/fuzz/fuzz_explorer.c $(FUZZ_COMMON)
tests_fuzz_fuzz_explorer_LDADD = $(FUZZ_LDADD)

EXTRA_DIST += tests/fuzz/corpus
.PHONY: fuzz fuzz-targets
fuzz-targets: $(FUZZ_TARGETS)
# (A dry run, make -n, goes on in folders that are there alone.)
fuzz: fuzz/Makefile
	@test ! -f fuzz/Makefile || $(MAKE) -C fuzz fuzz-targets
fuzz/Makefile:
	@$(MKDIR_P) fuzz
	@cd fuzz && $(abs_srcdir)/configure -q --enable-werror --enable-sanitizers --enable-fuzzer CC=clang CFLAGS="-O1 -g"
