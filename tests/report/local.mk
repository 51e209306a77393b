if HAVE_CMOCKA
check_PROGRAMS += tests/report/test_picture
TESTS += tests/report/test_picture
VALGRIND_TESTS += tests/report/test_picture
tests_report_test_picture_SOURCES = tests/report/test_picture.c
tests_report_test_picture_LDADD = $(TEST_LDADD)
endif
