if HAVE_CMOCKA
EXPLORE_TESTS = tests/explore/test_commands tests/explore/test_complete tests/explore/test_document \
	tests/explore/test_lexer tests/explore/test_ranking tests/explore/test_session tests/explore/test_terms
check_PROGRAMS += $(EXPLORE_TESTS)
TESTS += $(EXPLORE_TESTS)
VALGRIND_TESTS += tests/explore/test_complete tests/explore/test_document tests/explore/test_lexer \
	tests/explore/test_ranking tests/explore/test_session tests/explore/test_terms
THREADED_TESTS += tests/explore/test_session
EXPLORE_CAPTURES = tests/explore/make_capture.c tests/explore/make_capture.h
tests_explore_test_commands_SOURCES = tests/explore/test_commands.c $(EXPLORE_CAPTURES)
tests_explore_test_commands_LDADD = $(TEST_LDADD)
tests_explore_test_complete_SOURCES = tests/explore/test_complete.c $(EXPLORE_CAPTURES)
tests_explore_test_complete_LDADD = $(TEST_LDADD)
tests_explore_test_document_SOURCES = tests/explore/test_document.c
tests_explore_test_document_LDADD = $(TEST_LDADD)
tests_explore_test_lexer_SOURCES = tests/explore/test_lexer.c
tests_explore_test_lexer_LDADD = $(TEST_LDADD)
tests_explore_test_ranking_SOURCES = tests/explore/test_ranking.c $(EXPLORE_CAPTURES)
tests_explore_test_ranking_LDADD = $(TEST_LDADD)
tests_explore_test_session_SOURCES = tests/explore/test_session.c $(EXPLORE_CAPTURES)
tests_explore_test_session_LDADD = $(TEST_LDADD)
tests_explore_test_terms_SOURCES = tests/explore/test_terms.c
tests_explore_test_terms_LDADD = $(TEST_LDADD)
endif
