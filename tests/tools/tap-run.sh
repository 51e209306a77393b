#!/bin/sh
# Runs a cmocka program. cmocka 1.1 reports a skipped test as "not ok N # SKIP", which automake counts as a
# failure: TAP wants "ok". The program's exit status is kept.
exec 3>&1
status=$({ { "$@" 4>&-; echo $? >&4; } | sed 's/^not ok \([0-9]*\) # SKIP/ok \1 # SKIP/' >&3; } 4>&1)
exit "$status"
