if HAVE_CMOCKA
capture_tests = tests/capture/test_capture tests/capture/test_differential \
	tests/capture/test_refusals tests/capture/test_writer
check_PROGRAMS += $(capture_tests)
TESTS += $(capture_tests)
VALGRIND_TESTS += tests/capture/test_capture tests/capture/test_refusals tests/capture/test_writer
CAPTURE_SUPPORT = tests/capture/support.c tests/capture/support.h
tests_capture_test_capture_SOURCES = tests/capture/test_capture.c $(CAPTURE_SUPPORT)
tests_capture_test_capture_LDADD = $(TEST_LDADD)
tests_capture_test_differential_SOURCES = tests/capture/test_differential.c $(CAPTURE_SUPPORT)
tests_capture_test_differential_LDADD = $(TEST_LDADD)
tests_capture_test_refusals_SOURCES = tests/capture/test_refusals.c $(CAPTURE_SUPPORT)
tests_capture_test_refusals_LDADD = $(TEST_LDADD)
tests_capture_test_writer_SOURCES = tests/capture/test_writer.c $(CAPTURE_SUPPORT)
tests_capture_test_writer_LDADD = $(TEST_LDADD)
endif
