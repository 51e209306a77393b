# Documents: what they say is what the program does.
DOC_TESTS = \
	tests/doc/test_commands.sh tests/doc/test_completion.sh tests/doc/test_cross.sh tests/doc/test_format.sh \
	tests/doc/test_installed.sh tests/doc/test_manual.sh tests/doc/test_model.sh tests/doc/test_names.sh \
	tests/doc/test_tutorial.sh tests/doc/test_version.sh tests/doc/test_walks.sh
dist_check_SCRIPTS += $(DOC_TESTS)
TESTS += $(DOC_TESTS)
