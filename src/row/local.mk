libexscope_a_SOURCES += \
	src/row/instruction.c src/row/instruction.h
