#!/bin/sh
# Every example of the page of formats is what the program prints.
exec "$EXSCOPE_SOURCE_DIR/tests/tools/doc-check.sh" "$EXSCOPE_SOURCE_DIR/doc/format.md"
