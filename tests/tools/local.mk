# The generator of captures: for tests, benchmarks and data/.
noinst_PROGRAMS += tests/tools/mkcapture
tests_tools_mkcapture_SOURCES = tests/tools/mkcapture.c

TESTS += tests/tools/test_data.sh tests/tools/test_readme.sh
dist_check_SCRIPTS += tests/tools/test_data.sh tests/tools/test_readme.sh tests/tools/doc-check.sh \
	tests/tools/doc-links.sh
EXTRA_DIST += tests/tools/tap.sh

if HAVE_CMOCKA
check_PROGRAMS += tests/tools/test_mkcapture
TESTS += tests/tools/test_mkcapture
tests_tools_test_mkcapture_SOURCES = tests/tools/test_mkcapture.c
tests_tools_test_mkcapture_LDADD = $(TEST_LDADD)
VALGRIND_TESTS += tests/tools/test_mkcapture
endif
