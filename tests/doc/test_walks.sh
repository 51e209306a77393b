#!/bin/sh
# The code that CONTRIBUTING.md tells to add fits the code of today: each piece is put where the text says, into a copy
# of src/, and the file is compiled, with warnings as errors.
set -u
LC_ALL=C.UTF-8
export LC_ALL
work=$(mktemp -d) || exit 1
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cp -R "$EXSCOPE_SOURCE_DIR/src" "$work/src"
chmod -R u+w "$work/src"
cc=$(sed -n 's/^CC = //p' "$EXSCOPE_BUILD_DIR/Makefile")
flags=$(sed -n 's/^WARNING_CFLAGS = //p' "$EXSCOPE_BUILD_DIR/Makefile")
. "$EXSCOPE_SOURCE_DIR/tests/tools/tap.sh"

# section TITLE: the code blocks of a walk-through
section() {
    awk -v title="## $1" '$0 == title { shown = 1; next } /^## / { shown = 0 }
        shown && /^       / { print substr($0, 8) } shown && /^$/ { print "" }' "$EXSCOPE_SOURCE_DIR/CONTRIBUTING.md"
}

# compiles FILE NAME
compiles() {
    # shellcheck disable=SC2086
    $cc -std=c11 -D_GNU_SOURCE $flags -Werror -I"$EXSCOPE_BUILD_DIR" -I"$work/src" -fsyntax-only "$work/src/$1" \
        >"$work/log" 2>&1
    result $? "$2"
}

# found FILE PATTERN COUNT: so many lines of a file of src/ have it
found() {
    [ "$(grep -c "$2" "$work/src/$1")" = "$3" ]
    result $? "all pieces of it are in $1"
}

# before PATTERN FILE: puts standard input before the first line of a file of src/ that begins like this
before() {
    cat >"$work/piece"
    awk -v piece="$work/piece" -v pattern="$1" '
        !done && index($0, pattern) == 1 { while ((getline line <piece) > 0) print line; done = 1 } { print }
        END { exit !done }' "$work/src/$2" >"$work/file" && mv "$work/file" "$work/src/$2"
}

# ---- a command ----

section "Add a command" >"$work/command"
{ sed -n '/^static bool run_paired/,/^}/p;/^static const Parameter/,/{0}};$/p' "$work/command"; } |
    before 'static const Command commands' explore/commands_tiles.c
sed -n '/^ *{"paired"/,/},$/p' "$work/command" | before '    {"tiles"' explore/commands_tiles.c
compiles explore/commands_tiles.c "a command: src/explore/commands_tiles.c compiles with it"
found explore/commands_tiles.c 'run_paired\|paired_parameters' 4

# ---- a mode ----

section "Add a mode" >"$work/mode"
sed 's/^ *MODE_COUNT/    MODE_RECEIVER_LEVELS,\n&/' "$work/src/transform/modes.h" >"$work/file"
mv "$work/file" "$work/src/transform/modes.h"
awk -v piece="$work/mode" '
    /^    const uint32_t \*level = / { while ((getline line <piece) > 0) print "    " line; next }
    /^    RouteMembers by =$/ { getline; next } { print }' "$work/src/transform/build.c" >"$work/file"
mv "$work/file" "$work/src/transform/build.c"
compiles transform/build.c "a mode: src/transform/build.c compiles with it"
found transform/build.c 'MODE_RECEIVER_LEVELS' 2

# ---- a screen ----

section "Add a screen to the explorer" >"$work/screen"
sed -e 's/^    CONTEXT_TAIL,/&\n    CONTEXT_RECEIVERS,/' -e 's/^    ACTION_NONE,/&\n    ACTION_RECEIVERS,/' \
    "$work/src/tui/keymap.h" >"$work/file"
mv "$work/file" "$work/src/tui/keymap.h"
grep '^{PHASE, ' "$work/screen" | before "    {PHASES | PHASE | TILE, ']'" tui/keymap.c
compiles tui/keymap.c "a screen: src/tui/keymap.c compiles with its key"
# What the text leaves out: a state, the model of the list, two operations.
{
    cat <<'TEXT'
#include "config.h"
#include "tui/app.h"
#include "tui/list.h"
typedef struct ReceiversState {
    List list;
    Rect area;
} ReceiversState;
static void receivers_layout(Tui *tui, void *context, Rect area)
{
    (void)tui;
    ((ReceiversState *)context)->area = area;
}
static bool receivers_act(Tui *tui, void *context, Action action)
{
    (void)tui;
    return list_act(&((ReceiversState *)context)->list, action);
}
extern const ScreenOps screen_receivers;
TEXT
    sed -n '/^static void receivers_draw/,/^}/p;/^const ScreenOps/,/};$/p' "$work/screen" |
        sed 's/^    \.\.\.$/    ListModel model = {.rows = coverage->tile_count};/'
} >"$work/src/tui/screen_receivers.c"
compiles tui/screen_receivers.c "a screen: its file compiles"
found tui/screen_receivers.c '^static void receivers_draw\|^const ScreenOps' 2
echo "1..$number"
