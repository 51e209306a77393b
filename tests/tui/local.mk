if HAVE_CMOCKA
check_PROGRAMS += tests/tui/test_grid
TESTS += tests/tui/test_grid
tests_tui_test_grid_SOURCES = tests/tui/test_grid.c
tests_tui_test_grid_LDADD = $(TEST_LDADD)
VALGRIND_TESTS += tests/tui/test_grid
endif
