if HAVE_CMOCKA
transform_tests = tests/transform/test_equivalence tests/transform/test_modes
check_PROGRAMS += $(transform_tests)
TESTS += $(transform_tests)
tests_transform_test_equivalence_SOURCES = tests/transform/test_equivalence.c $(ANALYSIS_SUPPORT)
tests_transform_test_equivalence_LDADD = $(TEST_LDADD)
tests_transform_test_modes_SOURCES = tests/transform/test_modes.c $(ANALYSIS_SUPPORT)
tests_transform_test_modes_LDADD = $(TEST_LDADD)
endif
