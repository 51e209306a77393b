libexscope_a_SOURCES += \
	src/explore/command.h \
	src/explore/document.c src/explore/document.h src/explore/document_parts.h \
	src/explore/interpreter.h \
	src/explore/ranking.h \
	src/explore/render.c src/explore/render.h src/explore/render_parts.h \
	src/explore/render_csv.c src/explore/render_json.c src/explore/render_text.c \
	src/explore/session.h \
	src/explore/view.h
