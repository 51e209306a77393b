libexscope_a_SOURCES += \
	src/report/analyze.c src/report/analyze.h \
	src/report/commands.c src/report/commands.h \
	src/report/analysis_json.c src/report/analysis_json.h \
	src/report/fixture.c src/report/fixture.h \
	src/report/model.c src/report/model.h \
	src/report/page.c src/report/page.h src/report/page_assets.c \
	src/report/picture.c src/report/picture.h
