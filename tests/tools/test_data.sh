#!/bin/sh
# The bundled captures are what the generator writes, to the byte.
set -u
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
data=$EXSCOPE_SOURCE_DIR/data

"$data/make.sh" "$EXSCOPE_BUILD_DIR/tests/tools/mkcapture" "$folder" || exit 1
number=0
for made in "$folder"/*.json; do
    number=$((number + 1))
    name=$(basename "$made")
    if cmp "$made" "$data/$name" >&2; then
        echo "ok $number - $name is what mkcapture makes"
    else
        echo "not ok $number - $name differs: run make data"
    fi
done
number=$((number + 1))
if [ "$(ls "$data"/*.json | wc -l)" = $((number - 1)) ]; then
    echo "ok $number - every bundled capture has a recipe"
else
    echo "not ok $number - data/ holds captures that make.sh does not make"
fi
echo "1..$number"
