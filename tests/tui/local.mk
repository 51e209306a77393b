# Screens are cases in screens/; test_tmux.sh runs the program on real terminals.
TESTS += tests/tui/run-screens.sh tests/tui/test_tmux.sh
dist_check_SCRIPTS += tests/tui/run-screens.sh tests/tui/test_tmux.sh
EXTRA_DIST += tests/tui/screens tests/tui/captures

if HAVE_CMOCKA
check_PROGRAMS += tests/tui/test_explorer tests/tui/test_grid tests/tui/test_widgets
TESTS += tests/tui/test_explorer tests/tui/test_grid tests/tui/test_widgets
tests_tui_test_explorer_SOURCES = tests/tui/test_explorer.c
tests_tui_test_explorer_LDADD = $(TEST_LDADD)
tests_tui_test_grid_SOURCES = tests/tui/test_grid.c
tests_tui_test_grid_LDADD = $(TEST_LDADD)
tests_tui_test_widgets_SOURCES = tests/tui/test_widgets.c
tests_tui_test_widgets_LDADD = $(TEST_LDADD)
VALGRIND_TESTS += tests/tui/test_explorer tests/tui/test_grid tests/tui/test_widgets
THREADED_TESTS += tests/tui/test_explorer
endif
