libexscope_a_SOURCES += \
	src/analysis/coverage.c src/analysis/coverage.h \
	src/analysis/dependencies.h \
	src/analysis/endpoints.c src/analysis/endpoints.h \
	src/analysis/geometry.c src/analysis/geometry.h \
	src/analysis/identity.c src/analysis/identity.h \
	src/analysis/routes.c src/analysis/routes.h
