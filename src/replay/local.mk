libexscope_a_SOURCES += \
	src/replay/check.c src/replay/check.h \
	src/replay/replay.h
