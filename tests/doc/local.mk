# Documents: what they say is what the program does.
dist_check_SCRIPTS += tests/doc/test_completion.sh tests/doc/test_manual.sh
TESTS += tests/doc/test_completion.sh tests/doc/test_manual.sh
