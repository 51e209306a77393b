if HAVE_CMOCKA
check_PROGRAMS += tests/explore/test_document tests/explore/test_lexer tests/explore/test_session
TESTS += tests/explore/test_document tests/explore/test_lexer tests/explore/test_session
tests_explore_test_document_SOURCES = tests/explore/test_document.c
tests_explore_test_document_LDADD = $(TEST_LDADD)
tests_explore_test_lexer_SOURCES = tests/explore/test_lexer.c
tests_explore_test_lexer_LDADD = $(TEST_LDADD)
tests_explore_test_session_SOURCES = tests/explore/test_session.c \
	tests/explore/make_capture.c tests/explore/make_capture.h
tests_explore_test_session_LDADD = $(TEST_LDADD)
VALGRIND_TESTS += tests/explore/test_lexer tests/explore/test_session
THREADED_TESTS += tests/explore/test_session
endif
