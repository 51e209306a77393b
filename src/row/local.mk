libexscope_a_SOURCES += \
	src/row/decode.c src/row/decode.h \
	src/row/disassemble.c src/row/disassemble.h \
	src/row/instruction.c src/row/instruction.h
