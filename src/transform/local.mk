libexscope_a_SOURCES += \
	src/transform/build.c \
	src/transform/copies.c src/transform/copies.h \
	src/transform/equivalence.h \
	src/transform/modes.c src/transform/modes.h
