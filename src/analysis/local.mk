libexscope_a_SOURCES += \
	src/analysis/conflicts.c src/analysis/conflicts.h \
	src/analysis/coverage.c src/analysis/coverage.h \
	src/analysis/dependencies.c src/analysis/dependencies.h \
	src/analysis/endpoints.c src/analysis/endpoints.h \
	src/analysis/explain.c \
	src/analysis/geometry.c src/analysis/geometry.h \
	src/analysis/identity.c src/analysis/identity.h \
	src/analysis/rank_set.h \
	src/analysis/routes.c src/analysis/routes.h
