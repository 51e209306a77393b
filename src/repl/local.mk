libexscope_a_SOURCES += \
	src/repl/batch.c src/repl/batch.h \
	src/repl/face.c src/repl/face.h \
	src/repl/history.c src/repl/history.h \
	src/repl/repl.c src/repl/repl.h
