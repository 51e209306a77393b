# What the tests of other folders need to read the reference captures.
REFERENCE_SOURCES = tests/reference/reference.c tests/reference/reference.h
if HAVE_CMOCKA
check_PROGRAMS += tests/reference/test_figures
TESTS += tests/reference/test_figures
check_PROGRAMS += tests/reference/test_rows
TESTS += tests/reference/test_rows
tests_reference_test_rows_SOURCES = tests/reference/test_rows.c $(REFERENCE_SOURCES)
tests_reference_test_rows_LDADD = $(TEST_LDADD)
tests_reference_test_figures_SOURCES = tests/reference/test_figures.c $(REFERENCE_SOURCES)
tests_reference_test_figures_LDADD = $(TEST_LDADD)
check_PROGRAMS += tests/reference/test_commands
TESTS += tests/reference/test_commands
tests_reference_test_commands_SOURCES = tests/reference/test_commands.c $(REFERENCE_SOURCES)
tests_reference_test_commands_LDADD = $(TEST_LDADD)
endif
if HAVE_CMOCKA
check_PROGRAMS += tests/reference/test_analyze
TESTS += tests/reference/test_analyze
tests_reference_test_analyze_SOURCES = tests/reference/test_analyze.c $(REFERENCE_SOURCES) $(REPORT_FOLDER_SOURCES)
tests_reference_test_analyze_LDADD = $(TEST_LDADD)
endif
