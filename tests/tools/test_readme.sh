#!/bin/sh
# Every command of the README does what the README shows.
exec "$EXSCOPE_SOURCE_DIR/tests/tools/doc-check.sh" "$EXSCOPE_SOURCE_DIR/README.md"
