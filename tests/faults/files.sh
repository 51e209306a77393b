#!/bin/sh
# Captures that are no ordinary files, or no captures; folders and disks that cannot be written; output that
# nobody takes. Each must end in one clear line and status 1, or work; never hang, crash or leave a part of a
# file behind. TAP. FILES_BIG=1 (`make faults`) uses the full sizes.
set -u

exscope=$EXSCOPE_PROGRAM
small=$EXSCOPE_SOURCE_DIR/data/chain.json
folder=$(mktemp -d "${TMPDIR:-/tmp}/exscope-files-XXXXXX")
cd "$folder" || exit 1
disk=
finish() {
    [ -z "$disk" ] || umount "$disk" 2>/dev/null
    cd / && rm -rf "$folder"
}
trap finish EXIT
count=0
failed=0

report() { # STATUS TITLE
    count=$((count + 1))
    if [ "$1" = 0 ]; then
        echo "ok $count - $2"
    else
        echo "not ok $count - $2"
        failed=1
        sed 's/^/# /' out err 2>/dev/null | head -n 20
    fi
}

# run COMMAND...: output to `out`, errors to `err`, the status to $status; ended after a minute
run() {
    timeout 60 "$@" >out 2>err </dev/null
    status=$?
}

one_line() { [ "$(wc -l <err)" = 1 ]; }

# refused TITLE PATTERN COMMAND...: status 1 and one line that matches
refused() {
    title=$1
    pattern=$2
    shift 2
    run "$@"
    [ $status = 1 ] && one_line && grep -q "$pattern" err
    report $? "$title"
}

works() { # TITLE PATTERN COMMAND...
    title=$1
    pattern=$2
    shift 2
    run "$@"
    [ $status = 0 ] && grep -q "$pattern" out
    report $? "$title"
}

repeat() { # BYTES STRING: that many bytes of it
    yes "$2" | tr -d '\n' | head -c "$1"
}

# ---- captures ----

head='{"schema_version":4,"tile_count":2,'
printf '' >empty
refused "a capture of 0 bytes" "empty: byte 0: found the end of the file" "$exscope" empty -e info
printf '{' >one
refused "a capture of one byte" "one: byte 1: found the end of the file" "$exscope" one -e info
printf '\357\273\277%s"phases":[]}' "$head" >bom
refused "a byte order mark is refused by name" "^exscope: bom: byte 0: found a UTF-8 byte order mark" \
    "$exscope" bom -e info
printf '%s\r\n"phases":\r\n[\r\n]}\r\n' "$head" >crlf
works "CR LF line ends" "phases *0" "$exscope" crlf -e info
refused "a directory" "is a directory" "$exscope" . -e info
refused "a file that is not there" "nowhere: cannot be opened: No such file" "$exscope" nowhere -e info
refused "a path through a file" "one/x: cannot be opened: Not a directory" "$exscope" one/x -e info
refused "a device without an end" "found" "$exscope" /dev/zero -e info

if [ -n "${FILES_BIG:-}" ]; then
    string_bytes=100000000
    depth=1000000
else
    string_bytes=5000000
    depth=100000
fi
{ printf '%s"unknown":"' "$head"; repeat $string_bytes x; printf '","phases":[]}'; } >long
works "an unknown string of $string_bytes bytes" "phases *0" "$exscope" long -e info
{ printf '%s"phase_labels":{"1":"' "$head"; repeat $string_bytes x; printf '"},"phases":[{"phase":1,"transfers":[]}]}'; } >long
works "a label of $string_bytes bytes" "^ *rank" "$exscope" long -e 'phases'
{ printf '{"'; repeat $string_bytes k; printf '":1}'; } >long
refused "a key of $string_bytes bytes" "schema_version" "$exscope" long -e info
{ printf '%s"phases":[{"phase":' "$head"; repeat $string_bytes 1; printf '}]}'; } >long
refused "a number of $string_bytes digits" "phase" "$exscope" long -e info
rm -f long
{ printf '%s"deep":' "$head"; repeat $depth '['; repeat $depth ']'; printf ',"phases":[]}'; } >deep
refused "nesting of $depth levels" "nesting deeper than 64" "$exscope" deep -e info
{ printf '%s"deep":' "$head"; repeat $((5 * depth)) '{"a":'; } >deep
refused "objects in objects, $depth levels" "nesting deeper than 64" "$exscope" deep -e info
rm -f deep

gzip -c "$small" >small.gz
head -c 200 small.gz >cut.gz
refused "gzip data that is cut off" "cut off" "$exscope" cut.gz -e info
{ head -c 100 small.gz; printf 'xxxxxxxx'; tail -c +109 small.gz; } >damaged.gz
refused "gzip data that is damaged" "damaged.gz: " "$exscope" damaged.gz -e info
{ cat small.gz; printf 'more'; } >more.gz
refused "gzip data with something behind it" "more.gz: " "$exscope" more.gz -e info

# ---- pipes, and files that change while they are read ----

mkfifo pipe
(cat "$small" >pipe) &
works "a fifo" "transfers" "$exscope" pipe -e info
wait $!
(timeout -s INT 1 "$exscope" pipe -e info >out 2>err </dev/null)
status=$?
[ $status = 124 ] || [ $status = 130 ]
report $? "a fifo without a writer is given up on Ctrl-C"
(head -c 1000 "$small" >pipe) &
refused "a fifo whose writer goes away" "pipe: byte 1000: found the end of the file" "$exscope" pipe -e info
wait $!
(cat "$small"; sleep 1) | (timeout 60 "$exscope" - -e info >out 2>err)
report $? "standard input"

bytes=$(wc -c <"$small")
grows() { head -c $((bytes / 2)) "$small"; sleep 0.3; tail -c +$((bytes / 2 + 1)) "$small"; }
grows >growing &
sleep 0.1
run "$exscope" growing -e info
wait $!
[ $status = 1 ] && one_line && grep -q 'growing: byte [0-9]*: found' err
report $? "a file that is still being written: what is there is refused as a whole"
works "the same when it is complete" "transfers" "$exscope" growing -e info

# ---- a capture that is cut while it is read ----

if [ -n "${FILES_BIG:-}" ]; then
    largest=120000
else
    largest=8000
fi
"$EXSCOPE_BUILD_DIR/tests/tools/mkcapture" capture:phases=4,largest=$largest -o whole

# changed COMMAND...: what becomes of loads during which it is carried out, the program being stopped for it so
# that it happens in the middle; the numbers of those that worked and were refused to $loaded and $cut
changed() {
    loaded=0
    cut=0
    for wait in 0 0.002 0.005 0.01 0.02 0.03 0.05 0.1; do
        cp whole shrinking
        timeout 60 "$exscope" shrinking -e info >out 2>err </dev/null &
        sleep $wait
        child=$(cat "/proc/$!/task/$!/children" 2>/dev/null)
        [ -z "$child" ] || kill -STOP "$child" 2>/dev/null
        "$@"
        [ -z "$child" ] || kill -CONT "$child" 2>/dev/null
        wait $!
        status=$?
        if [ $status = 0 ]; then
            loaded=$((loaded + 1))
        elif [ $status = 1 ] && one_line && grep -q 'shrinking: ' err; then
            cut=$((cut + 1))
        fi
    done
}
emptied() { : >shrinking; }
changed emptied
[ $((loaded + cut)) = 8 ]
report $? "a capture that is emptied while it is read: 8 loads, $cut refused by name, $loaded were over"
halved() { dd if=/dev/null of=shrinking bs=1 seek=$(($(wc -c <whole) / 2)) 2>/dev/null; }
changed halved
[ $((loaded + cut)) = 8 ]
report $? "a capture that is cut in half while it is read: 8 loads, $cut refused by name, $loaded were over"
vanished() { rm shrinking; }
changed vanished
[ $((loaded + cut)) = 8 ]
report $? "a capture that is removed while it is read: 8 loads, $cut found it gone, $loaded read it"
: >shrinking
rm whole
run "$exscope" "$small" -e '-load shrinking' -e info
[ $status = 0 ] && grep -q "chain.json" out && grep -q "shrinking: byte 0" err
report $? "a load that fails leaves the capture that was open"

# ---- writing ----

run sh -c '"$1" analyze -q "$2" out-full >/dev/full' sh "$exscope" "$small"
[ $status = 1 ] && one_line && [ -s out-full/analysis.json ]
report $? "the summary of analyze to a device that is full"
refused "export into a folder that cannot be made" "/proc/exscope" "$exscope" "$small" -e 'export /proc/exscope/out'
refused "output into a folder that is not there" "nowhere/x" "$exscope" "$small" -e 'info > nowhere/x'
refused "analyze into a file" "one" "$exscope" analyze -q "$small" one
run sh -c '"$1" "$2" -e help >/dev/full' sh "$exscope" "$small"
[ $status = 1 ] && one_line
report $? "output to a device that is full"
run sh -c '"$1" "$2" -e "rows --all" -e "rows --all" -e "rows --all" 2>err | head -n 1' sh "$exscope" "$small"
[ ! -s err ]
report $? "output to a pipe that closes: no complaint"
"$exscope" "$small" -e help >&- 2>err </dev/null
[ $? = 1 ] && one_line
report $? "output that is closed"

# ---- without leave to write ----

# As root everything may be written: then as nobody.
as_user=
where="a folder that may not be written"
if [ "$(id -u)" = 0 ]; then
    chmod 755 .
    as_user="setpriv --reuid 65534 --regid 65534 --clear-groups"
fi
mkdir -m 755 closed
cp "$small" closed/capture.json
"$exscope" analyze -q "$small" closed/out >/dev/null
cp -r closed/out kept
chmod -R a-w closed
if $as_user "$exscope" --version >/dev/null 2>&1 && ! $as_user touch closed/x 2>/dev/null; then
    refused "export into $where" "closed/new: the folder cannot be made: Permission denied" \
        $as_user "$exscope" closed/capture.json -e 'export closed/new'
    refused "export over files in $where" "Permission denied" \
        $as_user "$exscope" closed/capture.json -e 'export closed/out --force --phase worst'
    refused "analyze into $where" "Permission denied" $as_user "$exscope" analyze -q closed/capture.json closed/out
    refused "output into $where" "closed/text: cannot be created: Permission denied" \
        $as_user "$exscope" closed/capture.json -e 'info >| closed/text'
    diff -r kept closed/out >out 2>err
    report $? "what it holds is kept"
    chmod 0 closed/capture.json
    refused "a capture that may not be read" "closed/capture.json: cannot be opened: Permission denied" \
        $as_user "$exscope" closed/capture.json -e info
else
    for what in "export into $where" "export over files in $where" "analyze into $where" "output into $where" \
        "what it holds is kept" "a capture that may not be read"; do
        count=$((count + 1))
        echo "ok $count - $what # SKIP no user without these rights (setpriv)"
    done
fi
chmod -R u+w closed

# ---- a disk that is full, or read-only ----

mkdir disk
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=64k tmpfs disk 2>/dev/null; then
    disk=$folder/disk
    refused "export to a disk that is full" "No space left" "$exscope" "$small" -e 'export disk/out --mode all'
    left=$(find disk -name '*.tmp' -o -size 0 -type f | wc -l)
    bad=0
    for file in disk/out/*.json; do
        case $file in
            *.verdict.json) ;;
            *.json) [ ! -e "$file" ] || "$exscope" "$file" -e info >out 2>err || bad=1 ;;
        esac
    done
    [ "$left" = 0 ] && [ $bad = 0 ]
    report $? "nothing is left there but whole files"
    echo "old" >disk/old
    head -c 60000 /dev/zero >disk/fill 2>/dev/null
    run "$exscope" "$small" -e 'rows --all >| disk/old'
    [ $status = 1 ] && one_line && [ "$(cat disk/old)" = old ]
    report $? "a file that is to be replaced is kept when the disk is full"
    rm -rf disk/out disk/fill
    mount -o remount,size=1m disk
    "$exscope" analyze -q "$EXSCOPE_SOURCE_DIR/data/overlap.json" disk/out >/dev/null
    cp -r disk/out full
    cat /dev/zero >disk/fill 2>/dev/null
    refused "analyze to a disk that is full" "No space left" \
        "$exscope" analyze -q "$EXSCOPE_SOURCE_DIR/data/overlap.json" disk/out
    diff -r full disk/out >out 2>err
    report $? "what it has written before is kept"
    rm -rf disk/out disk/fill
    mount -o remount,ro disk
    refused "export to a disk that is read-only" "Read-only file system" "$exscope" "$small" -e 'export disk/out'
    refused "analyze to a disk that is read-only" "Read-only file system" "$exscope" analyze -q "$small" disk/out
else
    for title in "export to a disk that is full" "nothing is left there but whole files" \
        "a file that is to be replaced is kept when the disk is full" "analyze to a disk that is full" \
        "what it has written before is kept" "export to a disk that is read-only" \
        "analyze to a disk that is read-only"; do
        count=$((count + 1))
        echo "ok $count - $title # SKIP cannot mount"
    done
fi

echo "1..$count"
exit $failed
