#!/bin/sh
# The man page has every command, option, mode, term and setting that the program has, renders without a warning, and
# its examples and those of every command work.
set -u
LC_ALL=C.UTF-8
export LC_ALL
page=$EXSCOPE_BUILD_DIR/doc/exscope.1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
ln -s "$EXSCOPE_SOURCE_DIR/data" "$work/data"
. "$EXSCOPE_SOURCE_DIR/tests/tools/tap.sh"

exscope() {
    (cd "$work" && "$EXSCOPE_PROGRAM" "$@") </dev/null
}

# The first words of a CSV table that a command prints, without its heading.
first_column() {
    exscope --format csv -e "$1" | sed -e 1d -e 's/,.*//'
}

# entries KIND, names on standard input: each is a tagged paragraph of the page
entries() {
    while read -r name; do
        roff=$(printf '%s' "$name" | sed -e 's/[*]/[*]/g' -e 's/-/\\\\-/g')
        grep -q "^\(\\\\fB\\\\-.\\\\fR, \)\?\\\\fB$roff\\\\fR" "$page"
        result $? "$1 $name is in the man page"
    done <"$work/names"
}

first_column help >"$work/names"
entries command
exscope -h | sed -n 's/^  .*\(--[a-z-]*\).*  .*/\1/p' >"$work/names"
entries option
exscope analyze -h | sed -n 's/^  .*\(--[a-z-]*\).*/\1/p' >"$work/options"
while read -r name; do
    grep -q "$(printf '%s' "$name" | sed 's/-/\\\\-/g')" "$page"
    result $? "option $name of analyze is in the man page"
done <"$work/options"
exscope --format csv -e 'phase worst' -e modes data/showcase.json | sed -n 's/^[0-9]*,\([a-z-]*\),.*/\1/p' >"$work/names"
[ "$(wc -l <"$work/names")" = 8 ]
result $? "there are eight modes"
entries mode
first_column set >"$work/names"
entries setting
first_column 'help terms' | sed "s/^'//" >"$work/names"
[ "$(wc -l <"$work/names")" -gt 60 ]
result $? "there are more than 60 terms"
entries term

# Each with what it means, in the words of the program.
exscope --format csv -e 'help terms' | sed -e 1d -e 's/.*,"\([^"]*\)"$/\1/' -e t -e 's/.*,//' >"$work/names"
sed -e 's/\\-/-/g' -e "s/\\\\(aq/'/g" -e 's/\\(ga/`/g' -e 's/^\\&//' -e 's/[.]$//' "$page" >"$work/plain"
while read -r meaning; do
    rest=${meaning#?}
    grep -qxF "$(printf '%s' "${meaning%"$rest"}" | tr '[:lower:]' '[:upper:]')$rest" "$work/plain"
    result $? "meaning '$meaning' is in the man page"
done <"$work/names"

# What `?` explains on the screens of the explorer: every line of it is in the page, as "key ... sentence".
cat >"$work/keys.exs" <<'END'
keys '?'
screen keys-phases.txt --size 100x300
keys '<Esc><Enter>?'
screen keys-phase.txt --size 100x300
keys '<Esc>:tile 0<Enter>?'
screen keys-tile.txt --size 100x300
keys '<Esc><Esc>T?'
screen keys-tail.txt --size 100x300
END
exscope -f keys.exs data/showcase.json >&2
# Names are 14 columns wide, what the key does comes after them, and before "(:COMMAND)".
awk '/^[A-Z]/ { keys = /^(Screen|Everywhere|In the )/ }
keys && /^  [^ ]/ && substr($0, 17, 1) == " " {
    key = substr($0, 3, 14); sub(/ .*/, "", key)
    help = substr($0, 18); sub(/  \(:.*/, "", help); sub(/ *$/, "", help)
    print key "|" toupper(substr(help, 1, 1)) substr(help, 2) "." }' "$work"/keys-*.txt | sort -u >"$work/keys"
[ "$(wc -l <"$work/keys")" -gt 60 ]
result $? "the explorer explains more than 60 keys"
sed -e 's/\\-/-/g' -e 's/\\(ga/`/g' -e 's/\\&//g' -e 's/\\fB//' -e 's/\\fR.*//' "$page" >"$work/plain"
while IFS='|' read -r key help; do
    awk -v key="$key" -v help="$help" '
        before == key && $0 == help { found = 1 } { before = $0 } END { exit !found }' "$work/plain"
    result $? "key $key ($help) is in the man page"
done <"$work/keys"

# ---- it renders ----

if command -v man >/dev/null 2>&1; then
    # With folders of usual length: a long prefix is a word that no line of 80 columns can take.
    prefix=$(sed -n 's/^prefix = //p' "$EXSCOPE_BUILD_DIR/Makefile")
    sed "s|$prefix/|/usr/|g" "$page" >"$work/exscope.1"
    MANWIDTH=80 man --warnings -l "$work/exscope.1" >"$work/text" 2>"$work/warnings" </dev/null
    [ ! -s "$work/warnings" ] && [ "$(wc -l <"$work/text")" -gt 200 ]
    result $? "man renders it without a warning"
    cat "$work/warnings" >&2
else
    skip "man renders it without a warning" "man is not installed"
fi
if command -v mandoc >/dev/null 2>&1; then
    mandoc -Tlint -Wwarning "$page" >"$work/lint" 2>&1
    [ ! -s "$work/lint" ]
    result $? "mandoc finds nothing"
    cat "$work/lint" >&2
else
    skip "mandoc finds nothing" "mandoc is not installed"
fi
! grep -q '@[A-Z]*@' "$page"
result $? "no mark of the template is left"

# ---- examples ----

sed -n '/^\.EX/,/^\.EE/{/^\.E[XE]/d;s/\\-/-/g;p;}' "$page" >"$work/examples"
while read -r line; do
    rm -rf "$work/out"
    (cd "$work" && exscope() { "$EXSCOPE_PROGRAM" "$@"; } && eval "$line") >"$work/printed" 2>&1 </dev/null
    result $? "example: $line"
done <"$work/examples"

# The example of every command, in the session of the man page's reader: a phase is selected that has
# a contiguous receiver.
echo 'phases --top 1' >"$work/checks.exs"
exscope --format csv -e help | sed -e 1d -e 's/.*,//' -e 's/"//g' >"$work/examples"
while read -r line; do
    case $line in
        jobs*) skip "help's example: $line" "needs a job that runs" ;;
        *)
            rm -rf "$work/out"
            exscope -e 'phase 26' -e "$line" data/showcase.json >"$work/printed" 2>&1
            status=$?
            result $status "help's example: $line"
            [ $status = 0 ] || cat "$work/printed" >&2
            ;;
    esac
done <"$work/examples"
echo "1..$number"
