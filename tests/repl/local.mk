if HAVE_CMOCKA
check_PROGRAMS += tests/repl/test_repl
TESTS += tests/repl/test_repl
tests_repl_test_repl_SOURCES = tests/repl/test_repl.c tests/repl/terminal.c tests/repl/terminal.h
tests_repl_test_repl_LDADD = $(TEST_LDADD)
endif
