if HAVE_CMOCKA
check_PROGRAMS += tests/row/test_instruction tests/row/test_decode
TESTS += tests/row/test_instruction tests/row/test_decode
tests_row_test_instruction_SOURCES = tests/row/test_instruction.c
tests_row_test_instruction_LDADD = $(TEST_LDADD)
tests_row_test_decode_SOURCES = tests/row/test_decode.c $(REFERENCE_SOURCES)
tests_row_test_decode_LDADD = $(TEST_LDADD)
VALGRIND_TESTS += tests/row/test_instruction tests/row/test_decode
check_PROGRAMS += tests/row/test_encode
TESTS += tests/row/test_encode
tests_row_test_encode_SOURCES = tests/row/test_encode.c $(PLAIN_REPLAY_SOURCES)
tests_row_test_encode_LDADD = $(TEST_LDADD)
endif
