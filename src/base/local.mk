libexscope_a_SOURCES += \
	src/base/error.c src/base/error.h \
	src/base/file.c src/base/file.h \
	src/base/memory.c src/base/memory.h src/base/vec.h \
	src/base/progress.h \
	src/base/sort.c src/base/sort.h \
	src/base/text.c src/base/text.h \
	src/base/thread.c src/base/thread.h
