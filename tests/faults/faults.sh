#!/bin/sh
# Every 23rd allocation and every system call of each step: what `make faults` does for all.
exec "$EXSCOPE_BUILD_DIR/tests/faults/test_faults" 23
