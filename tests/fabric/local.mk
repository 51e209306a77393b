if HAVE_CMOCKA
check_PROGRAMS += tests/fabric/test_fabric
TESTS += tests/fabric/test_fabric
tests_fabric_test_fabric_SOURCES = tests/fabric/test_fabric.c
tests_fabric_test_fabric_LDADD = $(TEST_LDADD)
VALGRIND_TESTS += tests/fabric/test_fabric
endif
