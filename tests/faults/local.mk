# Allocations and system calls that fail: some of them in `make check`, all of them in `make faults`.
check_PROGRAMS += tests/faults/test_faults
tests_faults_test_faults_SOURCES = tests/faults/test_faults.c tests/fuzz/fuzz.c tests/fuzz/fuzz.h
tests_faults_test_faults_LDADD = libexscope.a $(LIBRARIES_USED)
TESTS += tests/faults/faults.sh tests/faults/files.sh
dist_check_SCRIPTS += tests/faults/faults.sh tests/faults/files.sh
.PHONY: faults
faults: tests/faults/test_faults$(EXEEXT) exscope$(EXEEXT)
	@$(TESTS_ENVIRONMENT) tests/faults/test_faults$(EXEEXT)
	@$(TESTS_ENVIRONMENT) FILES_BIG=1 $(SHELL) $(srcdir)/tests/faults/files.sh

if HAVE_CMOCKA
check_PROGRAMS += tests/faults/test_hostile
TESTS += tests/faults/test_hostile
tests_faults_test_hostile_SOURCES = tests/faults/test_hostile.c tests/fuzz/fuzz.c tests/fuzz/fuzz.h
tests_faults_test_hostile_LDADD = $(TEST_LDADD)
endif
