#!/bin/sh
# doc-check.sh DOCUMENT: runs what a Markdown document shows, and compares.
#
# In indented blocks a line "    $ COMMAND" is run (a \ at its end goes on with the next line), and the lines below
# it are what it must print, up to the next command or the end of the block. A line "    ..." stands for any
# number of lines; a command without lines below it must only succeed. All run in one scratch folder that has the
# bundled captures in data/ and the program as exscope. Prints TAP.
#
# After "    $ exscope -i CAPTURE" come lines of the prompt, "    CAPTURE PHASE MODE> COMMAND": they are run in one session,
# which must show that prompt for each.
set -u
document=$1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" "$scratch/home" "$scratch/steps"
ln -s "$EXSCOPE_PROGRAM" "$scratch/bin/exscope"
ln -s "$EXSCOPE_SOURCE_DIR/data" "$scratch/home/data"

# One pair of files per command: N.sh, N.expected.
awk -v steps="$scratch/steps" '
    function flush_blanks() { for (; blanks > 0; blanks--) print "" >expected }
    /^    \$ / { n++; command = steps "/" n ".sh"; expected = steps "/" n ".expected"; blanks = 0
                 line = substr($0, 7); print line >command; printf "" >expected
                 if (line ~ /^exscope -i/) { session = steps "/session" n; entered = 0; print line >(session ".start") }
                 more = line ~ /\\$/; shown = n; next }
    session != "" && /^    [^ >]+( [0-9]+ [a-z-]+)?> / {
                 n++; command = steps "/" n ".sh"; expected = steps "/" n ".expected"; blanks = 0; shown = n
                 line = substr($0, index($0, "> ") + 2)
                 print "begin-prompt\nshow\nbegin-line\n" line >(session ".lines")
                 print "session_line " session " " ++entered "  # " line >command
                 print substr($0, 5) >expected; next }
    more && /^    / { line = substr($0, 5); print line >command; more = line ~ /\\$/; next }
    /^    / { if (shown) { flush_blanks(); print substr($0, 5) >expected }; next }
    /^$/ { blanks++; next }
    { shown = 0; blanks = 0 }
' "$document"

# session_line SESSION K: the prompt, the K-th line and what it printed. All lines of a session are run together, the
# first time; the two that are no commands are told on standard error, where they stand in order.
cat >"$scratch/bin/session_line" <<'END'
#!/bin/sh
[ -f "$1.out" ] || $(cat "$1.start") --no-rc <"$1.lines" >"$1.out" 2>&1
awk -v wanted="$2" '
    NR == FNR { if (FNR % 4 == 0) line[++lines] = $0; next }
    /unknown command .begin-prompt/ { in_prompt = 1; file = phase = mode = ""; next }
    /unknown command .begin-line/ { in_prompt = 0; shown = ++at == wanted; if (shown) print prompt() line[at]; next }
    in_prompt { if ($1 == "file") file = $2; else if ($1 == "phase") phase = $2; else if ($1 == "mode") mode = $2; next }
    shown { print }
    function prompt() {
        sub(/.*\//, "", file); sub(/[.](gz|zst)$/, "", file); sub(/[.]json$/, "", file)
        return (file == "-" ? "exscope" : file) (phase == "" || phase == "-" ? "" : " " phase " " mode) "> "
    }' "$1.lines" "$1.out"
END
chmod +x "$scratch/bin/session_line"

# Do the lines of the first file stand for the second?
matches() {
    awk '
        function fits(first, last, at,   i) {
            for (i = first; i <= last; i++) if (want[i] != got[at + i - first]) return 0
            return 1
        }
        NR == FNR { want[++wants] = $0; next }
        { sub(/[ \t]+$/, ""); got[++gots] = $0 }
        END {
            at = 1
            for (first = 1; first <= wants || at <= gots; first = last + 2) {
                for (last = first; last <= wants && want[last] != "..."; last++) ;
                last--                                   # want[first..last] up to a "..." or the end
                ends = last == wants
                lines = last - first + 1
                if (ends) { if (gots - lines + 1 < at) exit 1; if (first > 1) at = gots - lines + 1 }
                else if (first > 1) while (at + lines - 1 <= gots && !fits(first, last, at)) at++
                if (at + lines - 1 > gots || !fits(first, last, at)) exit 1
                at += lines
                if (ends) exit at <= gots
            }
            exit 0
        }' "$1" "$2"
}

number=0
while [ -f "$scratch/steps/$((number + 1)).sh" ]; do
    number=$((number + 1))
    step=$scratch/steps/$number
    title=$(head -n 1 "$step.sh" | sed -e 's/^session_line.*# //' | tr '#' ' ')
    (cd "$scratch/home" && PATH=$scratch/bin:$PATH NO_COLOR=1 LC_ALL=C.UTF-8 XDG_CONFIG_HOME=$scratch \
        XDG_STATE_HOME=$scratch sh "$step.sh" >"$step.out" 2>&1 </dev/null)
    status=$?
    if [ -s "$step.expected" ]; then
        matches "$step.expected" "$step.out"
        status=$?
    fi
    if [ $status = 0 ]; then
        printf '%s\n' "ok $number - $title"
    else
        printf '%s\n' "not ok $number - $title"
        diff "$step.expected" "$step.out" | sed 's/^/# /'
    fi
done
echo "1..$number"
[ $number -gt 0 ]
