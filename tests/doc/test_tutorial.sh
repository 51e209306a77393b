#!/bin/sh
# Every command of the tutorial prints what the tutorial shows.
exec "$EXSCOPE_SOURCE_DIR/tests/tools/doc-check.sh" "$EXSCOPE_SOURCE_DIR/doc/tutorial.md"
