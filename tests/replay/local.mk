if HAVE_CMOCKA
check_PROGRAMS += tests/replay/test_check
TESTS += tests/replay/test_check
tests_replay_test_check_SOURCES = tests/replay/test_check.c
tests_replay_test_check_LDADD = $(TEST_LDADD)
endif
