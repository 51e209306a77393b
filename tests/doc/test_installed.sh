#!/bin/sh
# An installation under DESTDIR: it keeps to its folders, the links of every installed document lead to something, the
# man page names folders that are there, and `make uninstall` takes all of it away and nothing else.
set -u
LC_ALL=C.UTF-8
export LC_ALL
unset MAKEFLAGS MFLAGS MAKELEVEL DESTDIR
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
dest="$work/a folder"
. "$EXSCOPE_SOURCE_DIR/tests/tools/tap.sh"

# installs TARGET: runs make install or uninstall
installs() {
    make -C "$EXSCOPE_BUILD_DIR" "$1" DESTDIR="$dest" >"$work/log" 2>&1 || { sed 's/^/# /' "$work/log"; return 1; }
}

tree() { (cd "$dest" && find . | sort); }

# What was there before: a file of somebody else beside each kind of ours.
prefix=$(sed -n 's/^prefix = //p' "$EXSCOPE_BUILD_DIR/Makefile")
for folder in bin share/doc share/man/man1 share/bash-completion/completions; do
    mkdir -p "$dest$prefix/$folder"
    echo other >"$dest$prefix/$folder/other"
done
tree >"$work/before"

installs install
result $? "make install"
tree >"$work/after"
comm -13 "$work/before" "$work/after" | sed "s|^\.$prefix/||" >"$work/ours"
! grep -v -e '^bin/exscope$' -e '^share/doc/exscope' -e '^share/exscope' -e '^share/man/man1/exscope.1$' \
    -e '^share/bash-completion/completions/exscope$' "$work/ours"
result $? "it installs into folders of its own, under the prefix"
"$dest$prefix/bin/exscope" -e info "$dest$prefix/share/exscope/data/showcase.json" >"$work/log" 2>&1 </dev/null
result $? "the installed program opens the installed capture"

# ---- documents ----

grep '\.md$' "$work/ours" >"$work/documents"
links=0
while read -r document; do
    "$EXSCOPE_SOURCE_DIR/tests/tools/doc-links.sh" "$dest$prefix/$document" >"$work/links"
    result $? "the links of $document: $(tr '\n' ' ' <"$work/links")"
    links=$((links + $(wc -l <"$work/links")))
done <"$work/documents"
[ "$(wc -l <"$work/documents")" -ge 7 ] && [ $links -ge 20 ]
result $? "$links links in $(wc -l <"$work/documents") documents"

sed -n '/^\.I[R]* \//{s/^\.I[R]* //;s/ .*//;s/\\-/-/g;p;}' "$dest$prefix/share/man/man1/exscope.1" >"$work/folders"
missing=
while read -r folder; do
    [ -d "$dest$folder" ] || missing="$missing $folder"
done <"$work/folders"
[ "$(wc -l <"$work/folders")" -ge 2 ] && [ -z "$missing" ]
result $? "the folders that the man page names are there${missing:+, but for$missing}"

# ---- away again ----

installs uninstall
result $? "make uninstall"
tree | diff "$work/before" - | sed 's/^/# /' >"$work/left"
cat "$work/left"
[ ! -s "$work/left" ]
result $? "nothing is left of it, and all that is not its own stays"
echo "1..$number"
