# Signals at random moments: a few runs in `make check`, hundreds in `make signals`.
check_PROGRAMS += tests/signals/test_signals
tests_signals_test_signals_SOURCES = tests/signals/test_signals.c \
	tests/faults/whole.c tests/faults/whole.h tests/fuzz/fuzz.c tests/fuzz/fuzz.h
tests_signals_test_signals_LDADD = libexscope.a $(LIBRARIES_USED)
TESTS += tests/signals/test_signals
.PHONY: signals
signals: tests/signals/test_signals$(EXEEXT) tests/tools/mkcapture$(EXEEXT) exscope$(EXEEXT)
	@$(TESTS_ENVIRONMENT) tests/signals/test_signals$(EXEEXT) 100
