#!/bin/sh
# Every 41st allocation and every system call of whole runs: what `make faults` does for all.
exec "$EXSCOPE_BUILD_DIR/tests/faults/test_program" 41
