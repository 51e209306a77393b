PLAIN_REPLAY_SOURCES = tests/replay/plain.c tests/replay/plain.h \
	tests/replay/random_phase.c tests/replay/random_phase.h
if HAVE_CMOCKA
check_PROGRAMS += tests/replay/test_check tests/replay/test_check_random
TESTS += tests/replay/test_check tests/replay/test_check_random
tests_replay_test_check_SOURCES = tests/replay/test_check.c
tests_replay_test_check_LDADD = $(TEST_LDADD)
tests_replay_test_check_random_SOURCES = tests/replay/test_check_random.c
tests_replay_test_check_random_LDADD = $(TEST_LDADD)
VALGRIND_TESTS += tests/replay/test_check
check_PROGRAMS += tests/replay/test_order tests/replay/test_place tests/replay/test_replay
TESTS += tests/replay/test_order tests/replay/test_place tests/replay/test_replay
tests_replay_test_order_SOURCES = tests/replay/test_order.c $(PLAIN_REPLAY_SOURCES)
tests_replay_test_order_LDADD = $(TEST_LDADD)
tests_replay_test_place_SOURCES = tests/replay/test_place.c $(PLAIN_REPLAY_SOURCES)
tests_replay_test_place_LDADD = $(TEST_LDADD)
tests_replay_test_replay_SOURCES = tests/replay/test_replay.c $(PLAIN_REPLAY_SOURCES)
tests_replay_test_replay_LDADD = $(TEST_LDADD)
VALGRIND_TESTS += tests/replay/test_order tests/replay/test_replay
endif
