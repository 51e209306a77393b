libexscope_a_SOURCES += \
	src/explore/command.h src/explore/document.h src/explore/interpreter.h \
	src/explore/ranking.h src/explore/render.h src/explore/session.h src/explore/view.h
