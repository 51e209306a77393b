if HAVE_CMOCKA
check_PROGRAMS += tests/replay/test_check tests/replay/test_check_random
TESTS += tests/replay/test_check tests/replay/test_check_random
tests_replay_test_check_SOURCES = tests/replay/test_check.c
tests_replay_test_check_LDADD = $(TEST_LDADD)
tests_replay_test_check_random_SOURCES = tests/replay/test_check_random.c
tests_replay_test_check_random_LDADD = $(TEST_LDADD)
VALGRIND_TESTS += tests/replay/test_check
endif
