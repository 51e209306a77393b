libexscope_a_SOURCES += \
	src/transform/build.c \
	src/transform/copies.c src/transform/copies.h \
	src/transform/correspondence.c src/transform/correspondence.h \
	src/transform/equivalence.c src/transform/equivalence.h \
	src/transform/iterations.c src/transform/iterations.h \
	src/transform/modes.c src/transform/modes.h \
	src/transform/simulation.c src/transform/simulation.h
