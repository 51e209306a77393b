libexscope_a_SOURCES += \
	src/replay/balance.c src/replay/balance.h \
	src/replay/check.c src/replay/check.h \
	src/replay/order.c src/replay/order.h \
	src/replay/replay.h \
	src/replay/streams.c src/replay/streams.h
