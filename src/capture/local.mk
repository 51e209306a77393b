libexscope_a_SOURCES += \
	src/capture/capture.c src/capture/capture.h \
	src/capture/json.c src/capture/json.h \
	src/capture/labels.c src/capture/labels.h \
	src/capture/phase.c src/capture/phase.h \
	src/capture/reader.c src/capture/reader.h \
	src/capture/transfer.c src/capture/transfer.h \
	src/capture/writer.c
