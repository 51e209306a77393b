if HAVE_CMOCKA
check_PROGRAMS += tests/base/test_file tests/base/test_sort tests/base/test_text tests/base/test_thread
TESTS += tests/base/test_file tests/base/test_sort tests/base/test_text tests/base/test_thread
THREADED_TESTS += tests/base/test_thread
VALGRIND_TESTS += tests/base/test_file tests/base/test_sort tests/base/test_text
tests_base_test_file_SOURCES = tests/base/test_file.c
tests_base_test_file_LDADD = $(TEST_LDADD)
tests_base_test_sort_SOURCES = tests/base/test_sort.c
tests_base_test_sort_LDADD = $(TEST_LDADD)
tests_base_test_text_SOURCES = tests/base/test_text.c
tests_base_test_text_LDADD = $(TEST_LDADD)
tests_base_test_thread_SOURCES = tests/base/test_thread.c
tests_base_test_thread_LDADD = $(TEST_LDADD)
endif
