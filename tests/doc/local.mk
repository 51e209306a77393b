# Documents: what they say is what the program does.
dist_check_SCRIPTS += tests/doc/test_completion.sh tests/doc/test_format.sh tests/doc/test_manual.sh tests/doc/test_tutorial.sh tests/doc/test_version.sh
TESTS += tests/doc/test_completion.sh tests/doc/test_format.sh tests/doc/test_manual.sh tests/doc/test_tutorial.sh tests/doc/test_version.sh
