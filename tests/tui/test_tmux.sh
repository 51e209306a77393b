#!/bin/sh
# The explorer on a real terminal: whole sessions in tmux, resizes, signals, suspension, colours, mouse.
set -u
if ! command -v tmux >/dev/null 2>&1; then
    echo "1..0 # SKIP tmux is not installed"
    exit 0
fi
work=$(mktemp -d) || exit 1
socket=exscope-test-$$
trap 'tmux -L "$socket" kill-server 2>/dev/null; rm -rf "$work"' EXIT
export HOME="$work" XDG_STATE_HOME="$work/state" XDG_CONFIG_HOME="$work/config" LC_ALL=C.UTF-8
unset NO_COLOR TMUX
showcase=$EXSCOPE_SOURCE_DIR/data/showcase.json
number=0

tm() { tmux -L "$socket" -f /dev/null "$@"; }

if ! tm new-session -d -s keep "exec sleep 1000" 2>/dev/null; then
    echo "1..0 # SKIP tmux cannot make a terminal here"
    exit 0
fi

# start WIDTH HEIGHT COMMAND: a shell command in a new terminal; `exit N` and the terminal's modes follow it
start() {
    tm has-session -t keep 2>/dev/null || tm new-session -d -s keep "exec sleep 1000"
    tm kill-session -t t 2>/dev/null
    stty_before='stty -a | grep -o -e "-\{0,1\}icanon" -e "-\{0,1\}echo " -e "-\{0,1\}isig"'
    tm new-session -d -s t -x "$1" -y "$2" "cd '$work'; TERM=xterm-256color; export TERM; echo before; $3; echo exit \$?; $stty_before; exec sleep 1000"
}

press() { tm send-keys -t t "$@"; }
screen() { tm capture-pane -t t -p; }

# wait_for TEXT: until it shows, at most 20 s
wait_for() {
    tries=0
    while ! screen | grep -qF -e "$1"; do
        tries=$((tries + 1))
        if [ "$tries" -gt 800 ]; then
            echo "# waited in vain for: $1"
            screen | sed 's/^/# | /'
            return 1
        fi
        sleep 0.025
    done
}

# check NAME STATUS
check() {
    number=$((number + 1))
    if [ "$2" = 0 ]; then echo "ok $number - $1"; else echo "not ok $number - $1"; fi
}

# The terminal is as it was: the text from before the explorer is there, lines and echo are on.
given_back() {
    wait_for "$1" && wait_for isig && tm capture-pane -t t -p -S -500 | grep -qx before || return 1
    screen | grep -qx icanon && screen | grep -qx 'echo *'
}

# The beginning of a command line; the process id is left in a file.
program() { printf "sh -c 'echo \$\$ >\"\$HOME/pid\"; exec \"\$0\" --no-rc \"\$@\"' '%s'" "$EXSCOPE_PROGRAM"; }

# ---- a whole session ----
whole_session() {
    start 80 24 "$(program) '$showcase'"
    wait_for "11 phases" || return 1
    press Enter
    wait_for "verdict" && wait_for "receiver         valid" || return 1
    for mode in 2:coalesced 3:source 4:receiver 5:both 6:coalesced-prefix 7:coalesced-levels 8:reordered 1:original; do
        press "${mode%%:*}"
        wait_for "phase 20 › ${mode#*:} " || return 1
    done
    press A
    wait_for "replay --phase 20 --mode all: done" || return 1
    wait_for "456" && wait_for " 52*" || return 1
    press w
    wait_for "tile 0: 50 fragments" || return 1
    press Enter
    wait_for "row 456 B (114 words)" || return 1
    press q
    wait_for "verdict" || return 1
    press 4
    press e
    wait_for "Export fixtures" || return 1
    press Enter
    wait_for "fixtures/phase-20-destination.json" || return 1
    [ -s "$work/fixtures/phase-20-destination.json" ] || return 1
    press q q q
    given_back "exit 0"
}
whole_session
check "start, drill, toggle every mode, replay, export, quit" $?

# ---- what was chosen is kept ----
choices() {
    start 80 24 "$(program) '$showcase'"
    wait_for "11 phases" || return 1
    press s Down
    wait_for "Sort by" || return 1
    press Enter q
    wait_for "exit 0" || return 1
    grep -q '"phase_sort":.*"phase"' "$work/state/exscope/state.json" || return 1
    echo '{damaged' >"$work/state/exscope/state.json"
    start 80 24 "$(program) '$showcase'"
    wait_for "state.json is damaged and was ignored" && wait_for "11 phases" || return 1
    press q
    wait_for "exit 0"
}
choices
check "sort and panes are remembered; a damaged state file is ignored" $?

# ---- command line: history is shared and kept ----
history() {
    start 80 24 "$(program) '$showcase'"
    wait_for "11 phases" || return 1
    press :
    press -l "mode both"
    press Enter
    wait_for "mode both ──" || return 1
    press q
    wait_for "exit 0" || return 1
    grep -qx "mode both" "$work/state/exscope/history" || return 1
    start 80 24 "$(program) '$showcase'"
    wait_for "11 phases" || return 1
    press : Up
    wait_for ":mode both" || return 1
    press Escape
    wait_for "11 phases"
    press q
    wait_for "exit 0"
}
history
check "the command line remembers lines between runs" $?

# ---- resize ----
resize() {
    start 80 24 "$(program) '$showcase'"
    wait_for "11 phases" || return 1
    press Enter
    wait_for "verdict" || return 1
    tm resize-window -t t -x 132 -y 43
    wait_for "fabric: fragments" || return 1
    tm resize-window -t t -x 60 -y 20
    wait_for "exscope needs 80x24, this is 60x20" || return 1
    tm resize-window -t t -x 80 -y 24
    wait_for "verdict" || return 1
    press Escape
    press q
    given_back "exit 0"
}
resize
check "a resize draws anew, and says when the window is too small" $?

# ---- signals ----
explorer_pid() { cat "$work/pid"; }

ended_by() {
    start 80 24 "$(program) '$showcase'"
    wait_for "11 phases" || return 1
    kill "-$1" "$(explorer_pid)" || return 1
    given_back "exit $2"
}
ended_by TERM 143
check "SIGTERM leaves the terminal as it was" $?
ended_by HUP 129
check "SIGHUP leaves the terminal as it was" $?
ended_by SEGV ""
check "a crash leaves the terminal as it was" $?

interrupted() {
    start 80 24 "$(program) '$showcase'"
    wait_for "11 phases" || return 1
    kill -INT "$(explorer_pid)" || return 1
    wait_for "nothing is running; q leaves exscope" || return 1
    press C-c
    wait_for "nothing is running; q leaves exscope" || return 1
    press q
    given_back "exit 0"
}
interrupted
check "SIGINT and Ctrl-C never end it" $?

suspended() {
    start 80 24 "sh -i"
    sleep 0.3
    press -l "'$EXSCOPE_PROGRAM' --no-rc '$showcase'"
    press Enter
    wait_for "11 phases" || return 1
    press Enter
    wait_for "verdict" || return 1
    press C-z
    wait_for "before" || return 1
    press -l "fg"
    press Enter
    wait_for "verdict" || return 1
    press q
    wait_for "11 phases" || return 1
    press q
    wait_for "before"
}
suspended
check "Ctrl-Z gives the terminal back, fg takes it again" $?

# ---- jobs ----
cancelled() {
    "$EXSCOPE_BUILD_DIR/tests/tools/mkcapture" -o "$work/large.json" source:each=100 || return 1
    start 80 24 "$(program) '$work/large.json'"
    wait_for "1 phase, 147,200" || return 1
    press A
    press C-c
    wait_for "cancelled" || return 1
    press J
    wait_for "cancelled  " || return 1
    press q q
    wait_for "exit 0"
}
cancelled
check "Ctrl-C cancels the job that runs" $?

# The capture comes through a pipe, its second half later.
loading() {
    mkfifo "$work/pipe" || return 1
    size=$(wc -c <"$showcase")
    start 80 24 "$(program) '$work/pipe'"
    {
        head -c $((size / 2)) "$showcase"
        while [ ! -e "$work/go-on" ]; do sleep 0.05; done
        tail -c +$((size / 2 + 1)) "$showcase"
    } >"$work/pipe" &
    wait_for "(loading)" && wait_for "DEP" || return 1
    press Enter
    wait_for "receiver         valid" || return 1
    press q
    wait_for "(loading)" || return 1
    : >"$work/go-on"
    wait_for "11 phases" || return 1
    ! screen | grep -qF "(loading)" || return 1
    press q
    wait_for "exit 0"
}
loading
check "phases can be opened while the capture loads" $?

quit_asks() {
    start 80 24 "$(program) '$work/large.json'"
    wait_for "1 phase, 147,200" || return 1
    press A q
    wait_for "leave and cancel" || return 1
    press y
    wait_for "exit 0"
}
quit_asks
check "leaving while a job runs is asked first" $?

# ---- colours, letters, mouse ----
colors() {
    start 80 24 "$1 $(program) $2 '$showcase'"
    wait_for "11 phases" || return 1
    press Enter
    wait_for "receiver         valid" || return 1
    tm capture-pane -t t -p -e >"$work/colored"
    press q q
    wait_for "exit 0"
}
has_colors() { grep -q "$(printf '\033\\[[0-9;]*\\(38;5\\|48;5\\|3[0-7]m\\|4[0-7]m\\)')" "$work/colored"; }
colors "" "" && has_colors
check "colours where the terminal has them" $?
colors "NO_COLOR=1" "" && ! has_colors
check "no colours with NO_COLOR" $?
colors "" "--color never" && ! has_colors
check "no colours with --color never" $?
colors "TERM=xterm-color" "" && has_colors && ! grep -q '[34]8;5' "$work/colored"
check "eight colours are enough" $?
colors "TERM=vt100" "" && ! has_colors
check "a terminal without colours" $?
colors "LC_ALL=C" "" && ! LC_ALL=C grep -q '[^ -~[:cntrl:]]' "$work/colored"
check "nothing beyond ASCII in a locale without UTF-8" $?

dumb() {
    start 80 24 "TERM=dumb $(program) '$showcase'"
    wait_for "cannot draw on a terminal of type 'dumb'" && wait_for "exit 1"
}
dumb
check "a terminal that cannot move its cursor is refused in one line" $?

mouse() {
    start 80 24 "$(program) '$showcase'"
    wait_for "11 phases" || return 1
    press -l "$(printf '\033[<0;20;5M\033[<0;20;5m')"
    wait_for "phase 26  regular transposition" || return 1
    press -l "$(printf '\033[<64;20;5M')"
    press -l "$(printf '\033[15~')"
    wait_for "This key does nothing here" || return 1
    press q
    given_back "exit 0"
}
mouse
check "a click selects; an unknown key sequence is one unknown key" $?

pasted() {
    start 80 24 "$(program) '$showcase'"
    wait_for "11 phases" || return 1
    press -l "$(printf '\033[200~qqqq\033[201~')"
    wait_for "pasted text is taken only" || return 1
    press :
    press -l "$(printf '\033[200~mode both\033[201~')"
    press Enter
    wait_for "mode both ──" || return 1
    press q
    wait_for "exit 0"
}
pasted
check "pasted text is text, never keys" $?

# The end of the paste is lost: after a pause keys are keys again.
cut_paste() {
    start 80 24 "$(program) '$showcase'"
    wait_for "11 phases" || return 1
    press -l "$(printf '\033[200~qq')"
    wait_for "pasted text is taken only" || return 1
    sleep 1.3
    press Enter
    wait_for "verdict" || return 1
    press q q
    given_back "exit 0"
}
cut_paste
check "a paste whose end is lost does not last for ever" $?

echo "1..$number"
