# What the tests of other folders need to read the reference captures.
REFERENCE_SOURCES = tests/reference/reference.c tests/reference/reference.h
