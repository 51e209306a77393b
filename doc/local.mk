# The man page is the template with the tables of the program in it: made by a program of its own, so that the two
# cannot disagree. The page with its tables is in the archive too, without the folders of an installation: a program
# that is built for another machine does not run here.
man_MANS = doc/exscope.1
if CROSS_COMPILING
MANUAL_TABLES = $(srcdir)/doc/exscope-tables.1.in
else
MANUAL_TABLES = doc/exscope-tables.1.in
noinst_PROGRAMS += doc/manual
doc/exscope-tables.1.in: $(srcdir)/doc/exscope.1.in doc/manual$(EXEEXT)
	$(AM_V_GEN)./doc/manual$(EXEEXT) $(srcdir)/doc/exscope.1.in >$@.tmp && mv $@.tmp $@
endif
doc_manual_SOURCES = doc/manual.c src/options.c src/options.h
doc_manual_LDADD = libexscope.a $(LIBRARIES_USED)

doc/exscope.1: $(MANUAL_TABLES)
	$(AM_V_GEN)$(MKDIR_P) doc && sed -e 's|@DOCDIR@|$(docdir)|' -e 's|@PKGDATADIR@|$(pkgdatadir)|' \
		$< >$@.tmp && mv $@.tmp $@

EXTRA_DIST += doc/exscope.1.in doc/exscope-tables.1.in
CLEANFILES += doc/exscope.1 doc/exscope.1.tmp doc/exscope-tables.1.in.tmp
MAINTAINERCLEANFILES = doc/exscope-tables.1.in

if BASH_COMPLETION
dist_bashcompletion_DATA = completions/exscope
else
EXTRA_DIST += completions/exscope
endif

# Installed in folders like those of the source, so that their links hold there too.
docpagesdir = $(docdir)/doc
docscreensdir = $(docdir)/doc/screens
dist_doc_DATA = CONTRIBUTING.md NEWS README.md
dist_docpages_DATA = doc/architecture.md doc/format.md doc/model.md doc/tutorial.md
dist_docscreens_DATA = \
	doc/screens/README.md doc/screens/ascii.txt doc/screens/coverage.txt doc/screens/export.txt \
	doc/screens/fabric.txt doc/screens/keys.txt doc/screens/phase.txt doc/screens/phases.txt \
	doc/screens/refused-large.txt doc/screens/refused.txt doc/screens/row.txt doc/screens/tail.txt \
	doc/screens/tile-large.txt doc/screens/tile.txt

# Folders that an installation made, when nothing else is in them.
uninstall-hook:
	@cd / && rmdir "$(DESTDIR)$(docscreensdir)" "$(DESTDIR)$(docpagesdir)" "$(DESTDIR)$(docdir)" \
		"$(DESTDIR)$(bundleddir)" "$(DESTDIR)$(pkgdatadir)" 2>/dev/null || true

# The page with its tables stays in a source that has it, and in no other build folder.
clean-local:
	@test '$(srcdir)' = . || rm -f doc/exscope-tables.1.in

EXTRA_DIST += debian/changelog debian/control debian/copyright debian/rules debian/source/format
