#!/bin/sh
# Command-line cases: what the program prints, to the byte, and how it exits. Everybody adds cases, without code:
# tests/cli/cases/*.case hold
#
#     === what the case shows
#     $ exscope -e phases small.json        a shell command, run in a folder with captures/* and data/
#     rank  phase  ...                      what it must print on standard output,
#     ! exscope: ...                        and on standard error,
#     ? 1                                   and its exit status (0 when not given)
#
# Times are replaced by T. `run.sh --update` (make update-cli) writes what is printed now into the case files: look at
# the difference before you keep it.
set -u
here=$EXSCOPE_SOURCE_DIR/tests/cli
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/run" "$work/home" "$work/cases"

LC_ALL=C.UTF-8
HOME=$work/home
TERM=dumb
export LC_ALL HOME TERM EXSCOPE_PROGRAM
unset NO_COLOR XDG_CONFIG_HOME XDG_STATE_HOME

# Splits a case file into NNN.name, .command, .out, .err and .status, NNN counted from 101.
split_cases() {
    awk -v prefix="$work/cases/" '
        function file(kind) { return prefix (100 + count) "." kind }
        function finish() { if (count) print status > file("status") }
        /^=== / { finish(); count++; status = 0; print substr($0, 5) > file("name")
                  printf "" > file("out"); printf "" > file("err"); next }
        count == 0 { next }
        /^[$] / { print substr($0, 3) > file("command"); next }
        /^! / { print substr($0, 3) > file("err"); next }
        /^[?] / { status = substr($0, 3); next }
        { print > file("out") }
        END { finish() }
    ' "$1"
}

without_times() {
    sed -E 's/[0-9]+[.][0-9]{3} s/T s/g; s/(seconds"?[:,])[0-9.]+/\1T/g; s/,(true|false),[0-9]+[.][0-9]{6}$/,\1,T/' "$1"
}

# Every case starts from the same folder.
fresh_folder() {
    rm -rf "$work/run" "$work/home"
    mkdir "$work/run" "$work/home"
    cp "$here"/captures/* "$work/run"
    ln -s "$EXSCOPE_SOURCE_DIR/data" "$work/run/data"
}

# Runs case $1; leaves its outcome in got.out, got.err, got.status.
run_case() {
    fresh_folder
    (
        cd "$work/run" || exit 1
        exscope() { "$EXSCOPE_PROGRAM" "$@"; }
        # shellcheck disable=SC1090
        . "$1.command"
    ) >"$work/raw.out" 2>"$work/raw.err" </dev/null
    echo $? >"$work/got.status"
    without_times "$work/raw.out" >"$work/got.out"
    without_times "$work/raw.err" >"$work/got.err"
}

# The case as it stands in a file, with what was printed now.
print_case() {
    printf '=== %s\n' "$(cat "$1.name")"
    sed 's/^/$ /' "$1.command"
    cat "$work/got.out"
    sed 's/^/! /' "$work/got.err"
    [ "$(cat "$work/got.status")" = 0 ] || printf '? %s\n' "$(cat "$work/got.status")"
    echo
}

# An empty line before the next case belongs to the layout of the file.
trim_last_empty_line() {
    awk 'held { print line } { line = $0; held = 1 } END { if (held && line != "") print line }' "$1"
}

compare_case() {
    trim_last_empty_line "$1.out" >"$work/wanted.out"
    trim_last_empty_line "$work/got.out" >"$work/trimmed.out"
    cmp -s "$work/wanted.out" "$work/trimmed.out" && cmp -s "$1.err" "$work/got.err" &&
        cmp -s "$1.status" "$work/got.status"
}

number=0
for file in "$here"/cases/*.case; do
    rm -f "$work"/cases/*
    split_cases "$file"
    [ "${1:-}" != --update ] || sed '/^=== /,$d' "$file" >"$work/updated"
    for name in "$work"/cases/*.name; do
        case=${name%.name}
        number=$((number + 1))
        run_case "$case"
        if [ "${1:-}" = --update ]; then
            print_case "$case" >>"$work/updated"
            continue
        fi
        title="$(basename "$file" .case): $(cat "$name")"
        if compare_case "$case"; then
            echo "ok $number - $title"
        else
            echo "not ok $number - $title"
            {
                diff -u "$work/wanted.out" "$work/trimmed.out"
                diff -u "$case.err" "$work/got.err"
                diff -u "$case.status" "$work/got.status"
            } | sed 's/^/# /'
        fi
    done
    [ "${1:-}" != --update ] || cp "$work/updated" "$file"
done
[ "${1:-}" = --update ] || echo "1..$number"
