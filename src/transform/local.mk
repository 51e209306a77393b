libexscope_a_SOURCES += \
	src/transform/equivalence.h \
	src/transform/modes.h
