if HAVE_CMOCKA
check_PROGRAMS += tests/base/test_sort
TESTS += tests/base/test_sort
tests_base_test_sort_SOURCES = tests/base/test_sort.c
tests_base_test_sort_LDADD = $(TEST_LDADD)
endif
