libexscope_a_SOURCES += \
	src/tui/grid.c src/tui/grid.h \
	src/tui/input.c src/tui/input.h \
	src/tui/terminal.c src/tui/terminal.h \
	src/tui/terminfo.c src/tui/terminfo.h \
	src/tui/tui.h
