# Both compilers, -O0 and -O3, and 32 bits. Long: not a part of `make check`.
EXTRA_DIST += tests/portability/portability.sh
.PHONY: portability
portability:
	@$(SHELL) $(srcdir)/tests/portability/portability.sh $(srcdir) portability

# The Debian package, in a clean system. Needs root and a mirror.
EXTRA_DIST += tests/portability/debian.sh
.PHONY: check-debian
check-debian:
	@$(SHELL) $(srcdir)/tests/portability/debian.sh $(srcdir) debian-check
