# The man page is the template with the tables of the program in it: made by a program of its own, so that the two
# cannot disagree.
noinst_PROGRAMS += doc/manual
doc_manual_SOURCES = doc/manual.c src/options.c src/options.h
doc_manual_LDADD = libexscope.a $(LIBRARIES_USED)

man_MANS = doc/exscope.1
doc/exscope.1: $(srcdir)/doc/exscope.1.in doc/manual$(EXEEXT)
	$(AM_V_GEN)./doc/manual$(EXEEXT) $(srcdir)/doc/exscope.1.in >$@.tmp && \
		sed -e 's|@DOCDIR@|$(docdir)|' -e 's|@PKGDATADIR@|$(pkgdatadir)|' $@.tmp >$@ && rm -f $@.tmp

if BASH_COMPLETION
dist_bashcompletion_DATA = completions/exscope
else
EXTRA_DIST += completions/exscope
endif

EXTRA_DIST += CONTRIBUTING.md doc/architecture.md doc/exscope.1.in
CLEANFILES += doc/exscope.1 doc/exscope.1.tmp

dist_doc_DATA = NEWS README.md doc/format.md doc/model.md doc/tutorial.md

EXTRA_DIST += debian/changelog debian/control debian/copyright debian/rules debian/source/format
