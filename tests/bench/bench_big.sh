#!/bin/sh
# A capture of 1.5 GB (90 phases, 12 million transfers, 1.2 million in the largest): loading it plain, from
# zstd and from a pipe, ranking, every mode of every phase, and the replay of the four worst, all within 6 GB
# of address space. Run by `make bench-big`; needs 2 GB on the disk of the build and GNU time for the figures.
#   bench_big.sh BUILD-DIR [JOBS]
set -eu

build_dir=$(cd "$1" && pwd)
jobs=${2:-$(nproc 2>/dev/null || echo 2)}
folder=$build_dir/bench-big
mkdir -p "$folder"
cd "$folder"

LIMIT_KIB=6291456
figures=
[ ! -x /usr/bin/time ] || figures="/usr/bin/time -f %e\ s,\ %U\ s\ user,\ %S\ s\ system,\ %M\ KiB"

# measure LABEL COMMAND...: within the limit; its own output goes to a file
measure() {
    label=$1
    shift
    printf '%-44s ' "$label"
    if ! (ulimit -v $LIMIT_KIB && eval "$figures" '"$@"') >measured.out 2>measured.err; then
        echo "FAILED"
        tail -n 5 measured.err
        exit 1
    fi
    tail -n 1 measured.err
}

if [ ! -f big.json ]; then
    echo "making big.json"
    "$build_dir/tests/tools/mkcapture" capture -o big.json.part
    mv big.json.part big.json
fi
[ -f big.json.zst ] || zstd -q -3 big.json -o big.json.zst
ls -l big.json big.json.zst | awk '{print $5, $9}'

exscope=$build_dir/exscope
measure "load, rank" "$exscope" -q -j "$jobs" big.json -e info -e "phases --top 5"
measure "load, rank; zstd" "$exscope" -q -j "$jobs" big.json.zst -e info -e "phases --top 5"
# shellcheck disable=SC2016
measure "load, rank; a pipe" sh -c 'cat big.json | "$1" -q -j "$2" - -e info -e "phases --top 5"' sh "$exscope" "$jobs"
rm -rf out
measure "analyze: all modes of all phases, 4 replayed" "$exscope" analyze big.json out --top 4 --jobs "$jobs"

# `reordered` is the rejected control: its verdict may be false
rows=$(grep -c '"phase"' out/analysis.json)
replayed=$(grep -c '"invariants":"PASS"' out/analysis.json)
wrong=$(grep -v '"mode":"reordered"' out/analysis.json | grep -c '"equivalent":false\|"invariants":"FAIL' || true)
echo "$rows rows of (phase, mode), $replayed replays that pass, $wrong wrong"
[ "$rows" -ge 540 ] && [ "$replayed" -ge 28 ] && [ "$wrong" = 0 ]
