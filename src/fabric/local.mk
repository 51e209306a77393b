libexscope_a_SOURCES += src/fabric/fabric.c src/fabric/fabric.h
