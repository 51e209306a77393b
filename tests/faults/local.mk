# Allocations and system calls that fail: some of them in `make check`, all of them in `make faults`.
check_PROGRAMS += tests/faults/test_faults
tests_faults_test_faults_SOURCES = tests/faults/test_faults.c tests/fuzz/fuzz.c tests/fuzz/fuzz.h
tests_faults_test_faults_LDADD = libexscope.a $(LIBRARIES_USED)
# The program itself, in which any call of malloc or of the system can be made to fail, and who runs it.
check_PROGRAMS += tests/faults/exscope-failing tests/faults/test_program
tests_faults_exscope_failing_SOURCES = src/main.c src/options.c src/options.h \
	tests/faults/failing.c tests/faults/failing.h
tests_faults_exscope_failing_LDADD = libexscope.a $(LIBRARIES_USED) -ldl
tests_faults_test_program_SOURCES = tests/faults/test_program.c tests/faults/failing.h \
	tests/faults/whole.c tests/faults/whole.h tests/fuzz/fuzz.c tests/fuzz/fuzz.h
tests_faults_test_program_LDADD = libexscope.a $(LIBRARIES_USED)
TESTS += tests/faults/faults.sh tests/faults/program.sh tests/faults/files.sh
dist_check_SCRIPTS += tests/faults/faults.sh tests/faults/program.sh tests/faults/files.sh
.PHONY: faults
faults: tests/faults/test_faults$(EXEEXT) tests/faults/test_program$(EXEEXT) \
	tests/faults/exscope-failing$(EXEEXT) tests/tools/mkcapture$(EXEEXT) exscope$(EXEEXT)
	@$(TESTS_ENVIRONMENT) tests/faults/test_faults$(EXEEXT)
	@$(TESTS_ENVIRONMENT) tests/faults/test_program$(EXEEXT)
	@$(TESTS_ENVIRONMENT) FILES_BIG=1 $(SHELL) $(srcdir)/tests/faults/files.sh

if HAVE_CMOCKA
check_PROGRAMS += tests/faults/test_hostile
TESTS += tests/faults/test_hostile
tests_faults_test_hostile_SOURCES = tests/faults/test_hostile.c tests/fuzz/fuzz.c tests/fuzz/fuzz.h
tests_faults_test_hostile_LDADD = $(TEST_LDADD)
endif
