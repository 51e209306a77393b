libexscope_a_SOURCES += \
	src/capture/capture.h \
	src/capture/phase.c src/capture/phase.h
