if HAVE_CMOCKA
check_PROGRAMS += tests/capture/test_capture
TESTS += tests/capture/test_capture
tests_capture_test_capture_SOURCES = tests/capture/test_capture.c
tests_capture_test_capture_LDADD = $(TEST_LDADD)
endif
