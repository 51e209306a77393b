libexscope_a_SOURCES += \
	src/explore/answers.c src/explore/answers.h \
	src/explore/arguments.c \
	src/explore/command.c src/explore/command.h src/explore/command_parts.h \
	src/explore/commands_critical.c src/explore/commands_help.c src/explore/commands_memory.c src/explore/commands_order.c \
	src/explore/commands_phases.c \
	src/explore/commands_replays.c src/explore/commands_session.c src/explore/commands_tiles.c \
	src/explore/complete.c \
	src/explore/document.c src/explore/document.h src/explore/document_parts.h \
	src/explore/interpreter.c src/explore/interpreter.h \
	src/explore/jobs.c \
	src/explore/lexer.c src/explore/lexer.h \
	src/explore/ranking.c src/explore/ranking.h \
	src/explore/render.c src/explore/render.h src/explore/render_parts.h \
	src/explore/render_csv.c src/explore/render_json.c src/explore/render_text.c \
	src/explore/results.c \
	src/explore/session.c src/explore/session.h src/explore/session_parts.h \
	src/explore/settings.c \
	src/explore/terms.c src/explore/terms.h \
	src/explore/trust.c src/explore/trust.h \
	src/explore/view.c src/explore/view.h \
	src/explore/words.c src/explore/words.h
