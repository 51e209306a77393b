#!/bin/sh
# The version stands in configure.ac; what else has to name it names the same.
set -u
number=0
version=$(sed -n 's/^AC_INIT(\[exscope\], \[\([^]]*\)\].*/\1/p' "$EXSCOPE_SOURCE_DIR/configure.ac")

# same NAME VALUE
same() {
    number=$((number + 1))
    if [ "$2" = "$version" ] && [ -n "$version" ]; then
        echo "ok $number - $1: $2"
    else
        echo "not ok $number - $1 says '$2', configure.ac '$version'"
    fi
}

same "exscope -V" "$("$EXSCOPE_PROGRAM" -V | sed 's/^exscope //')"
same "the newest entry of NEWS" "$(sed -n '1s/^exscope //p' "$EXSCOPE_SOURCE_DIR/NEWS")"
same "debian/changelog" "$(sed -n '1s/^exscope (\([^)]*\)).*/\1/p' "$EXSCOPE_SOURCE_DIR/debian/changelog")"
same "the man page" "$(sed -n 's/^\.TH.*"exscope \([^"]*\)".*/\1/p' "$EXSCOPE_BUILD_DIR/doc/exscope.1")"
echo "1..$number"
