#!/bin/sh
# The rows that doc/model.md shows are those that the program makes, and its picture of the fabric is where a mux finds
# the tiles: a receiver of words from all of them is told their physical numbers.
set -u
"$EXSCOPE_SOURCE_DIR/tests/tools/doc-check.sh" "$EXSCOPE_SOURCE_DIR/doc/model.md" | grep -v '^1\.\.'
shown=$(grep -c '^    \$ ' "$EXSCOPE_SOURCE_DIR/doc/model.md")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# "TILE PHYSICAL" for each tile of the picture: rows of eight, in two columns of four places.
awk '/^    row  *column 0 / { in_picture = 1; next } in_picture && !NF { exit }
    in_picture && $1 ~ /^[0-9]+$/ { for (i = 2; i <= 9; i++) print $i, $1 * 64 + i - 2 }' \
    "$EXSCOPE_SOURCE_DIR/doc/model.md" >"$work/expected"
awk 'BEGIN { printf "{\"schema_version\":4,\"tile_count\":1472,\"phases\":[{\"phase\":1,\"transfers\":[" }
    { printf "%s{\"source\":%d,\"source_addresses\":[327680],\"destinations\":[[700,%d]],\"words\":1}",
        (NR > 1 ? "," : ""), $1, 393216 + 4 * NR }
    END { print "]}]}" }' "$work/expected" >"$work/capture.json"
"$EXSCOPE_PROGRAM" "$work/capture.json" -e 'rows --tile 700' |
    sed -n 's/.*mux <- tile \([0-9]*\) (physical \([0-9]*\)).*/\1 \2/p' | sort -n >"$work/found"
if [ "$(wc -l <"$work/expected")" -ge 24 ] && sort -n "$work/expected" | diff - "$work/found" >"$work/difference"; then
    echo "ok $((shown + 1)) - the fabric is as in the picture: $(wc -l <"$work/found") tiles"
else
    echo "not ok $((shown + 1)) - the fabric is as in the picture"
    sed 's/^/# /' "$work/difference"
fi
echo "1..$((shown + 1))"
