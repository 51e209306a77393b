ANALYSIS_SUPPORT = tests/analysis/support.c tests/analysis/support.h
if HAVE_CMOCKA
analysis_tests = tests/analysis/test_dependencies tests/analysis/test_receivers tests/analysis/test_routes
check_PROGRAMS += $(analysis_tests)
TESTS += $(analysis_tests)
tests_analysis_test_dependencies_SOURCES = tests/analysis/test_dependencies.c $(ANALYSIS_SUPPORT)
tests_analysis_test_dependencies_LDADD = $(TEST_LDADD)
tests_analysis_test_receivers_SOURCES = tests/analysis/test_receivers.c $(ANALYSIS_SUPPORT)
tests_analysis_test_receivers_LDADD = $(TEST_LDADD)
tests_analysis_test_routes_SOURCES = tests/analysis/test_routes.c $(ANALYSIS_SUPPORT)
tests_analysis_test_routes_LDADD = $(TEST_LDADD)
endif
