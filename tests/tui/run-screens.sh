#!/bin/sh
# Screens against expected ones. A case is a text file in screens/: what it is about (#), how the program is started,
# the keys, and after a line of ---- the screen that must come out:
#
#     # The list of phases, sorted by transfers
#     capture: data/showcase.json
#     size: 80x24
#     locale: C.UTF-8
#     options: --ascii
#     keys: s<Down><Enter>
#     ----
#     (the screen)
#
# capture, options and locale may be left out (nothing is open, none, C.UTF-8). A line `before:` is a command that
# runs first; `make:` instead of capture: has mkcapture make one (on 1472 tiles). Times ("0.012 s") are compared as T.
# With EXSCOPE_UPDATE=1 the screens are written, not compared.
set -u
here=$EXSCOPE_SOURCE_DIR/tests/tui
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export HOME="$work" XDG_STATE_HOME="$work/state" XDG_CONFIG_HOME="$work/config"
unset NO_COLOR

field() { sed -n "1,/^----\$/s/^$1: //p" "$case"; }

number=0
for case in "$here"/screens/*.case; do
    number=$((number + 1))
    capture=$(field capture)
    locale=$(field locale)
    rm -f "$work/screen"
    set -- --no-rc
    options=$(field options)
    [ -z "$options" ] || set -- "$@" "$options"
    [ -z "$capture" ] || set -- "$@" "$EXSCOPE_SOURCE_DIR/$capture"
    shape=$(field make)
    if [ -n "$shape" ]; then
        # shellcheck disable=SC2086
        "$EXSCOPE_BUILD_DIR/tests/tools/mkcapture" -o "$work/made.json" $shape || exit 1
        set -- "$@" "$work/made.json"
    fi
    before=$(field before)
    [ -z "$before" ] || set -- "$@" -e "$before"
    # the keys in a script, so that they need no quoting for the shell: single quotes are doubled for the language
    keys=$(field keys | sed "s/'/'\\\\''/g")
    printf "keys '%s' --size %s\nscreen %s\n" "$keys" "$(field size)" "$work/screen" >"$work/script"
    (cd "$work" && LC_ALL=${locale:-C.UTF-8} "$EXSCOPE_PROGRAM" "$@" -f "$work/script") >"$work/output" 2>&1
    status=$?
    sed 's/[0-9][0-9.]* s\b/T s/g' "$work/screen" >"$work/found" 2>/dev/null
    if [ "${EXSCOPE_UPDATE:-}" = 1 ]; then
        { sed '/^----$/q' "$case"; cat "$work/found"; } >"$work/case" && cp "$work/case" "$case"
    fi
    sed '1,/^----$/d' "$case" >"$work/expected"
    name=$(sed -n '1s/^# *//p' "$case")
    if [ "$status" = 0 ] && cmp -s "$work/found" "$work/expected"; then
        echo "ok $number - $name"
    else
        echo "not ok $number - $name ($(basename "$case"))"
        sed 's/^/# /' "$work/output"
        diff -u "$work/expected" "$work/found" | sed 's/^/# /'
    fi
done

# The screens of the documentation are those of cases.
while read -r picture case; do
    [ -n "$picture" ] || continue
    number=$((number + 1))
    [ "${EXSCOPE_UPDATE:-}" = 1 ] &&
        sed '1,/^----$/d' "$here/screens/$case.case" >"$EXSCOPE_SOURCE_DIR/doc/screens/$picture.txt"
    if sed '1,/^----$/d' "$here/screens/$case.case" | cmp -s - "$EXSCOPE_SOURCE_DIR/doc/screens/$picture.txt"; then
        echo "ok $number - doc/screens/$picture.txt is the screen of $case.case"
    else
        echo "not ok $number - doc/screens/$picture.txt is not the screen of $case.case"
    fi
done <<EOF
$(sed -n 's/^\* \[.*\](\(.*\)\.txt).*<!-- \(.*\) -->$/\1 \2/p' "$EXSCOPE_SOURCE_DIR/doc/screens/README.md")
EOF
echo "1..$number"
