if HAVE_CMOCKA
check_PROGRAMS += tests/explore/test_document
TESTS += tests/explore/test_document
tests_explore_test_document_SOURCES = tests/explore/test_document.c
tests_explore_test_document_LDADD = $(TEST_LDADD)
endif
