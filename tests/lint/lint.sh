#!/bin/sh
# Static analysis of every C source with the profiles in the tree: `make lint`.
#   lint.sh SOURCE-DIR BUILD-DIR [FILE...]     (FILE relative to SOURCE-DIR; default: all)
# Ends with status 1 when anything is found. Needs cppcheck and clang-tidy (Debian packages of these names).
set -eu

source_dir=$(cd "$1" && pwd)
build_dir=$(cd "$2" && pwd)
shift 2
cd "$source_dir"

for tool in cppcheck clang-tidy; do
    if ! command -v "$tool" >/dev/null 2>&1; then
        echo "lint: $tool is not installed" >&2
        exit 1
    fi
done
if [ $# = 0 ]; then
    # shellcheck disable=SC2046
    set -- $(find src tests doc -name '*.c' | sort)
fi
cflags=$(pkg-config --cflags ncursesw readline libcjson zlib libzstd)
status=0

echo "lint: cppcheck, $# files"
cppcheck --quiet --std=c11 --library=posix --inline-suppr --error-exitcode=1 \
    --enable=warning,performance,portability,style \
    --suppressions-list=tests/lint/cppcheck.suppressions \
    --template='{file}:{line}: {severity}: {message} [{id}]' \
    -D_DEFAULT_SOURCE -I"$build_dir" -Isrc -Itests "$@" || status=1

echo "lint: clang-tidy, $# files"
# shellcheck disable=SC2086
clang-tidy --quiet "$@" -- -std=c11 -D_GNU_SOURCE -I"$build_dir" -Isrc -Itests -I. $cflags \
    2>"$build_dir/lint.log" || { status=1; grep -v 'warnings\? generated' "$build_dir/lint.log" >&2 || true; }

[ $status = 0 ] && echo "lint: clean"
exit $status
