libexscope_a_SOURCES += \
	src/analysis/coverage.h \
	src/analysis/dependencies.h \
	src/analysis/geometry.h \
	src/analysis/identity.h \
	src/analysis/routes.h
