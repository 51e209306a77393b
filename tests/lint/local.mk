# Static analysis with the profiles in the tree. Not a part of `make check`: it needs tools and a minute.
EXTRA_DIST += .clang-tidy tests/.clang-tidy tests/lint/cppcheck.suppressions tests/lint/lint.sh
.PHONY: lint
lint:
	@$(SHELL) $(srcdir)/tests/lint/lint.sh $(srcdir) .
