if HAVE_CMOCKA
check_PROGRAMS += tests/row/test_instruction
TESTS += tests/row/test_instruction
tests_row_test_instruction_SOURCES = tests/row/test_instruction.c
tests_row_test_instruction_LDADD = $(TEST_LDADD)
endif
