#!/bin/sh
# Drives the completion function as bash does: COMP_WORDS, COMP_CWORD, and the three arguments.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
if ! command -v bash >/dev/null 2>&1; then
    echo "1..0 # SKIP bash is not installed"
    exit 0
fi
mkdir "$work/captures"
echo >"$work/captures/a file.json"
echo >"$work/captures/b.json.gz"
echo >"$work/captures/c*.json"
echo >"$work/captures/cd.json"
cat >"$work/drive" <<'END'
. "$EXSCOPE_SOURCE_DIR/completions/exscope"
compopt() { :; }   # only inside a real completion
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
[ "${*: -1}" != chain.json ] || COMP_CWORD=$(($# - 2)) # the cursor is before it
_exscope "$EXSCOPE_PROGRAM" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort
END
number=0

# check NAME EXPECTED WORD...: the candidates, each followed by a comma
check() {
    name=$1
    expected=$2
    shift 2
    number=$((number + 1))
    got=$(cd "$work" && bash "$work/drive" exscope "$@" 2>&1 | tr '\n' ',')
    if [ "$got" = "$expected" ]; then
        echo "ok $number - $name"
    else
        echo "not ok $number - $name"
        printf 'expected: %s\ngot:      %s\n' "$expected" "$got" | sed 's/^/# /'
    fi
}

check "options by their beginning" "--no-mouse,--no-rc," --no
options=$("$EXSCOPE_PROGRAM" -h | grep -o -e '^  .\{0,6\}--[a-z-]*' | grep -o -e '--.*' | LC_ALL=C sort | tr '\n' ',')
check "every option that -h lists" "$options" -
check "the subcommand" "analyze," an
check "files, with blanks in their names" "captures," capt
check "files in a folder" "captures/a file.json,captures/b.json.gz,captures/c*.json,captures/cd.json," captures/
check "formats" "csv," --format c
check "formats after =" "json," --format = j
check "colours" "always,auto,never," --color ""
check "nothing for a number" "," --jobs ""
check "scripts" "captures/b.json.gz," -f captures/b
check "commands after -e" "phase,phases," -e ph
# A single candidate inside quotes comes twice, with one blank and with two, so that bash does not close the quotes.
check "options of a command after -e" "'modes --phase ,'modes --phase  ," -e "'modes --ph"
check "double quotes stay too" "\"replay --mode both ,\"replay --mode both  ," -e "\"replay --mode bo"
check "files inside of a command" "'load captures/b.json.gz ,'load captures/b.json.gz  ," -e "'load captures/b"
check "folders inside of a command" "'load captures/,'load captures/ ," -e "'load capt"
check "commands inside quotes" "'phase,'phases," -e "'ph"
ln -s "$EXSCOPE_SOURCE_DIR/data/chain.json" "$work/chain.json"
check "phases of the capture" "'phase 2,'phase worst," chain.json -e "'phase "
check "phases of a capture that comes later" "'phase 2,'phase worst," -q -e "'phase "  chain.json
check "no phases of a script" "'phase worst ,'phase worst  ," -f chain.json -e "'phase "
check "after another -e" "compare,complete," -e phases -e comp
check "options of analyze" "--replay-only," analyze --re
check "modes of analyze" "both," analyze in out --mode b
check "all modes" "both,coalesced,coalesced-levels,coalesced-prefix,original,receiver,reordered,source," analyze --mode ""
check "files of analyze" "captures/b.json.gz," analyze captures/b

# Bash itself finds the function.
number=$((number + 1))
if bash -c '. "$EXSCOPE_SOURCE_DIR/completions/exscope" && complete -p exscope' | grep -q -- '-F _exscope exscope'; then
    echo "ok $number - it is registered"
else
    echo "not ok $number - it is registered"
fi

# What bash makes of it on a terminal: the line goes on inside the quotes.
number=$((number + 1))
name="quotes stay open after a single candidate"
if command -v script >/dev/null 2>&1; then
    cat >"$work/interactive" <<'END'
. "$EXSCOPE_SOURCE_DIR/completions/exscope"
bind 'set enable-bracketed-paste off'
exscope() { printf 'got <%s>\n' "$@"; }
COMP_EXSCOPE=$EXSCOPE_PROGRAM
_complete() { _exscope "$COMP_EXSCOPE" "$2" "$3"; }
complete -F _complete exscope
END
    printf "exscope -e 'modes --ph\t1'\nexit\n" |
        INPUTRC=/dev/null script -qec "bash --noprofile --rcfile '$work/interactive' -i" /dev/null >"$work/typed" 2>&1
    if tr -d '\r' <"$work/typed" | grep -q '^got <modes --phase 1>'; then
        echo "ok $number - $name"
    else
        echo "not ok $number - $name"
        sed 's/^/# /' "$work/typed"
    fi
else
    echo "ok $number - $name # SKIP script is not installed"
fi
echo "1..$number"
