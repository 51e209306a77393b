libexscope_a_SOURCES += \
	src/replay/balance.c src/replay/balance.h \
	src/replay/check.c src/replay/check.h \
	src/replay/critical.c src/replay/critical.h \
	src/replay/form.c src/replay/form.h \
	src/replay/idle.c src/replay/idle.h \
	src/replay/order.c src/replay/order.h \
	src/replay/place.c src/replay/place.h \
	src/replay/replay.c src/replay/replay.h \
	src/replay/search.c src/replay/search.h \
	src/replay/streams.c src/replay/streams.h \
	src/replay/trace.c src/replay/trace.h
