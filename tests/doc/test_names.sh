#!/bin/sh
# What the documents name is there: files and folders, functions, types and constants of the code, environment
# variables, and commands with their options.
set -u
LC_ALL=C.UTF-8
export LC_ALL
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$EXSCOPE_SOURCE_DIR" || exit 1
. "$EXSCOPE_SOURCE_DIR/tests/tools/tap.sh"

# What is in the tree: files, folders, and all words of code, tests and build files (but for these tests).
code="src tests data/make.sh data/local.mk doc/local.mk doc/manual.c completions configure.ac Makefile.am dev"
find src tests data doc completions debian Makefile.am configure.ac *.md NEWS -type f | sed 's|^|/|' >"$work/files"
# shellcheck disable=SC2086
find $code -type f \( -name '*.[ch]' -o -name '*.sh' -o -name '*.mk' -o -name '*.am' -o -name '*.ac' -o -name exscope \
    -o -name dev \) ! -path 'tests/doc/*' -exec grep -ohE '[A-Za-z_][A-Za-z0-9_]*' {} + | sort -u >"$work/words"
grep -rhoE '^(typedef (struct|enum|union) |\} )[A-Z][A-Za-z0-9]*' src | grep -oE '[A-Za-z0-9]*$' | sort -u >"$work/types"

# The examples of CONTRIBUTING.md add these, and a document may speak of what exscope writes.
invented='paired|PAIRED|receiver_levels|RECEIVER_LEVELS|[Rr]eceivers(State|_)|RECEIVERS|screen_receivers'

file_exists() {
    name=$(echo "$1" | sed -e 's|FOLDER|base|' -e 's|^\.\./||')
    case $name in
        spec/* | design/*) # kept elsewhere
            [ ! -d ../shared/spec ] || [ -e "../shared/$name" ]
            ;;
        *) grep -q "/$name\$" "$work/files" ;;
    esac
}

folder_exists() {
    case $1 in
        build/ | fuzz/ | out/ | fixtures/ | shared/) return 0 ;; # made by a build, or by commands
        reference/) return 0 ;;                                  # beside the source, or tests/reference
        *) grep -q "/$1" "$work/files" ;;
    esac
}

# unknown KIND FUNCTION: the names on standard input for which FUNCTION fails
unknown() {
    while read -r name; do
        "$1" "$name" || printf ' %s' "$name"
    done
}

for document in README.md CONTRIBUTING.md doc/architecture.md doc/format.md doc/model.md doc/tutorial.md \
    doc/screens/README.md; do
    # The screens in README.md, and what commands print, are checked where they are made.
    case $document in
        CONTRIBUTING.md | doc/architecture.md) cat "$document" ;;
        *) grep -v '^    ' "$document" ;;
    esac | grep -vE "$invented" >"$work/text"

    grep -oE '[A-Za-z0-9_./-]*[A-Za-z0-9_]\.(c|h|md|sh|mk|exs|case|am|ac)\b' "$work/text" | sort -u >"$work/names"
    missing=$(unknown file_exists <"$work/names")
    [ -z "$missing" ]
    result $? "$document: $(wc -l <"$work/names") files are there${missing:+, but not:$missing}"

    grep -oE '(^|[ (`])([a-z][a-z_]+/)+([ ,.;:)`]|$)' "$work/text" | tr -d ' (),.;:`' | sort -u >"$work/names"
    missing=$(unknown folder_exists <"$work/names")
    [ -z "$missing" ]
    result $? "$document: $(wc -l <"$work/names") folders are there${missing:+, but not:$missing}"

    # Identifiers: with an underscore inside, or capitals inside, or called.
    sed -E 's,[A-Za-z0-9_./-]*\.(c|h|md|sh|mk)\b,,g' "$work/text" | grep -oE '\b([A-Za-z]+_[A-Za-z0-9_]*[A-Za-z0-9]|[A-Z][a-z]+[A-Z][A-Za-z]*|[a-z_]+\(\))' |
        tr -d '()' | sort -u >"$work/names"
    missing=$(comm -23 "$work/names" "$work/words" | tr '\n' ' ')
    [ -z "$missing" ]
    result $? "$document: $(wc -l <"$work/names") names are in the code${missing:+, but not: $missing}"

    # Types in bold or in backquotes, one word: "A **View**", "an `Error`"
    grep -oE '(\*\*|`)[A-Z][a-z]+( \*)?(\*\*|`)' "$work/text" | tr -d '*` ' | sort -u >"$work/names"
    missing=$(comm -23 "$work/names" "$work/types" | tr '\n' ' ')
    [ -z "$missing" ] || case $document in README.md | doc/screens/README.md) missing= ;; esac # headings, keys
    [ -z "$missing" ]
    result $? "$document: types are in the code${missing:+, but not: $missing}"
done

# ---- the arrow of includes, as CONTRIBUTING.md gives it ----

folders=$(tr '\n' ' ' <CONTRIBUTING.md | sed -n 's/.*include arrow only goes down (\([^)]*\)).*/\1/p' | tr -d ',')
[ "$(echo "$folders" | wc -w)" = "$(find src -mindepth 1 -type d ! -name .deps | wc -l)" ]
result $? "the rule of includes names every folder of src/"
grep -rn '#include "' src --include='*.[ch]' | sed -n 's|^src/\([a-z]*\)/\([^:]*\):.*"\([a-z]*\)/.*|\1 \3 \2|p' |
    awk -v folders="$folders" 'BEGIN { n = split(folders, name); for (i = 1; i <= n; i++) level[name[i]] = i }
        !($1 in level) || !($2 in level) || level[$2] < level[$1] { print }' >"$work/upward"
[ ! -s "$work/upward" ]
result $? "no file includes one of a folder above its own$(tr '\n' ';' <"$work/upward")"

# ---- commands of the command language in backquotes, with their options ----

"$EXSCOPE_PROGRAM" --format csv -e help | sed -e 1d -e 's/,.*//' >"$work/commands"
for document in README.md CONTRIBUTING.md doc/architecture.md doc/format.md doc/model.md doc/tutorial.md \
    doc/screens/README.md; do
    sed 's/^    .*//' "$document" | tr '\n' ' ' | tr -s ' ' | grep -oE '`[a-z]+( [^`]*)?`' | tr -d '`' | sort -u \
        >"$work/spans"
    while read -r word rest; do
        grep -qx "$word" "$work/commands" || continue
        wrong=
        "$EXSCOPE_PROGRAM" -e "help $word" >"$work/help" </dev/null
        for option in $(echo "$rest" | grep -oE -e '--[a-z-]+'); do
            grep -q -e "$option\b" "$work/help" || wrong="$wrong $option"
        done
        [ -z "$wrong" ]
        result $? "$document: $word${rest:+ $rest}${wrong:+: it has no$wrong}"
    done <"$work/spans"
done
echo "1..$number"
