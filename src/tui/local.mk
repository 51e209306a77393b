libexscope_a_SOURCES +=
