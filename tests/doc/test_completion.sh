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
check "options of a command after -e" "'modes --phase," -e "'modes --ph"
check "double quotes stay too" "\"replay --mode both," -e "\"replay --mode bo"
check "files inside of a command" "'load captures/b.json.gz," -e "'load captures/b"
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
echo "1..$number"
