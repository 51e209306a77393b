libexscope_a_SOURCES += \
	src/row/decode.c src/row/decode.h \
	src/row/disassemble.c src/row/disassemble.h \
	src/row/encode.c src/row/encode.h \
	src/row/instruction.c src/row/instruction.h \
	src/row/state.c src/row/state.h
