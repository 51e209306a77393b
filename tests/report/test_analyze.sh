#!/bin/sh
# exscope analyze from the command line: exit statuses, streams, and a stop by Ctrl-C.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
data=$EXSCOPE_SOURCE_DIR/data
. "$EXSCOPE_SOURCE_DIR/tests/tools/tap.sh"

# run STATUS ARGUMENT...: runs analyze, its output in out and err; good when it exits like that
run() {
    wanted=$1
    shift
    "$EXSCOPE_PROGRAM" analyze "$@" >out 2>err </dev/null
    status=$?
    [ $status = "$wanted" ] || { echo "# exit status $status: $(cat err)"; return 1; }
}

run 0 "$data/late.json" made --top 1 --format json
result $? "a capture is analysed"
[ ! -s err ] && grep -q '^{"folder":"made","phases":1,"rows":4,"refused_modes":4,"replayed":4,"replays":\[' out
result $? "the summary goes to standard output, nothing to standard error"
[ -s made/analysis.json ] && [ -s made/index.html ] && [ "$(ls made | wc -l)" = 14 ]
result $? "its files are there"

run 2 "$data/late.json" && grep -q '^exscope: analyze needs a capture and a folder' err
result $? "a missing folder is bad usage"
run 2 "$data/late.json" x --top four && grep -q -e '--top' err
result $? "a bad number is bad usage"
run 0 --help && grep -q '^usage: exscope analyze' out
result $? "help is there"
run 1 nowhere.json unmade && grep -q 'nowhere.json' err && [ ! -e unmade ]
result $? "a capture that cannot be read fails and leaves no folder"
run 1 "$data/late.json" unmade --phase 99 && grep -q 'there is no phase 99' err
result $? "an unknown phase fails"
run 1 "$data/late.json" out/folder && grep -q 'out' err
result $? "a folder that cannot be made fails"

gzip -c "$data/late.json" | "$EXSCOPE_PROGRAM" analyze - piped --top 0 >out 2>err && [ -s piped/analysis.json ]
result $? "a capture comes compressed from standard input"
"$EXSCOPE_PROGRAM" analyze "$data/late.json" made --top 0 2>err >/dev/full
[ $? = 1 ] && grep -q 'exscope: ' err
result $? "a summary that cannot be written is an error"

# A capture that never comes: the job waits for it until it is stopped. (Again and again: a signal before the program
# takes them is ignored, as for every job that a script starts in the background.)
mkfifo never.json
"$EXSCOPE_PROGRAM" analyze never.json stopped >out 2>err &
job=$!
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    sleep 0.2
    kill -INT $job 2>/dev/null || break
done
wait $job
[ $? = 130 ] && [ ! -e stopped ]
result $? "Ctrl-C ends it with 130 and leaves nothing"
echo "1..$number"
