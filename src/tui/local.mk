libexscope_a_SOURCES += \
	src/tui/app.h \
	src/tui/chrome.c \
	src/tui/coverage_pane.c src/tui/coverage_pane.h \
	src/tui/export.c \
	src/tui/fetch.c src/tui/fetch.h \
	src/tui/figure.c src/tui/figure.h \
	src/tui/grid.c src/tui/grid.h \
	src/tui/input.c src/tui/input.h \
	src/tui/keymap.c src/tui/keymap.h \
	src/tui/list.c src/tui/list.h \
	src/tui/map.c src/tui/map.h \
	src/tui/map_values.c src/tui/map_values.h \
	src/tui/messages.c \
	src/tui/mode_rows.c src/tui/mode_rows.h \
	src/tui/mode_table.c src/tui/mode_table.h \
	src/tui/overlay.c \
	src/tui/pager.c src/tui/pager.h \
	src/tui/phase_list.c \
	src/tui/preferences.c \
	src/tui/prompt.c src/tui/prompt.h \
	src/tui/requests.c \
	src/tui/results.c \
	src/tui/row_table.c src/tui/row_table.h \
	src/tui/run.c \
	src/tui/screen_jobs.c \
	src/tui/screen_phase.c \
	src/tui/screen_phases.c \
	src/tui/screen_tail.c \
	src/tui/screen_texts.c \
	src/tui/screen_tile.c \
	src/tui/terminal.c src/tui/terminal.h \
	src/tui/terminfo.c src/tui/terminfo.h \
	src/tui/tile_replay.c src/tui/tile_replay.h \
	src/tui/transfer_table.c src/tui/transfer_table.h \
	src/tui/transfers.c src/tui/transfers.h \
	src/tui/tui.c src/tui/tui.h
