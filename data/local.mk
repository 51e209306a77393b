# The bundled captures, installed so that the tutorial works away from the source too.
bundleddir = $(pkgdatadir)/data
dist_bundled_DATA = \
	data/chain.json data/destination.json data/distinct.json data/interleaved.json data/late.json \
	data/multicast.json data/overlap.json data/showcase.json data/source.json data/study.exs data/transpose.json
EXTRA_DIST += data/make.sh

# Writes them again, into the source folder: after a change of the generator or of the sizes in make.sh.
.PHONY: data
data: tests/tools/mkcapture$(EXEEXT)
	$(srcdir)/data/make.sh ./tests/tools/mkcapture$(EXEEXT) $(srcdir)/data
