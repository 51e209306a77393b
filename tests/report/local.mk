REPORT_FOLDER_SOURCES = tests/report/folder.c tests/report/folder.h

if HAVE_CMOCKA
check_PROGRAMS += tests/report/test_page tests/report/test_picture tests/report/test_report
TESTS += tests/report/test_page tests/report/test_picture tests/report/test_report
THREADED_TESTS += tests/report/test_report
VALGRIND_TESTS += tests/report/test_page tests/report/test_picture tests/report/test_report
tests_report_test_page_SOURCES = tests/report/test_page.c $(REPORT_FOLDER_SOURCES)
tests_report_test_page_LDADD = $(TEST_LDADD) -lm
tests_report_test_picture_SOURCES = tests/report/test_picture.c
tests_report_test_picture_LDADD = $(TEST_LDADD)
tests_report_test_report_SOURCES = tests/report/test_report.c $(REPORT_FOLDER_SOURCES) \
	tests/explore/make_capture.c tests/explore/make_capture.h
tests_report_test_report_LDADD = $(TEST_LDADD)
endif

TESTS += tests/report/test_analyze.sh
dist_check_SCRIPTS += tests/report/test_analyze.sh
