TESTS += tests/cli/run.sh
dist_check_SCRIPTS += tests/cli/run.sh
EXTRA_DIST += \
	tests/cli/captures/bad-tile.json tests/cli/captures/empty.json tests/cli/captures/small.json \
	tests/cli/captures/truncated.json \
	tests/cli/cases/arguments.case tests/cli/cases/csv.case tests/cli/cases/errors.case \
	tests/cli/cases/json.case tests/cli/cases/options.case tests/cli/cases/scripts.case \
	tests/cli/cases/text.case

# Writes what the program prints now into the cases.
.PHONY: update-cli
update-cli: exscope$(EXEEXT)
	$(TESTS_ENVIRONMENT) $(srcdir)/tests/cli/run.sh --update
