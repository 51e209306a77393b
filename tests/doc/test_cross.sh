#!/bin/sh
# A build for another machine cannot print the man page's tables: configure takes them from the source, where the
# archive has them, or says in one line that they are missing. (Two names for one machine are two machines to it, so
# this needs no other compiler.)
set -u
unset MAKEFLAGS MFLAGS MAKELEVEL
work=$(mktemp -d) || exit 1
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
. "$EXSCOPE_SOURCE_DIR/tests/tools/tap.sh"

mkdir "$work/source" "$work/build"
(cd "$EXSCOPE_SOURCE_DIR" && tar -cf - --exclude=./build --exclude=./_build --exclude=./_inst --exclude=./.git \
    --exclude=./debian/build --exclude='*.o' --exclude='*.a' --exclude=./autom4te.cache .) |
    (cd "$work/source" && tar -xf -)
chmod -R u+w "$work/source"
rm -f "$work/source/config.status" "$work/source/doc/exscope-tables.1.in"
# The directories of the page come from the prefix: the same as in the build that it is compared with.
prefix=$(sed -n 's/^prefix = //p' "$EXSCOPE_BUILD_DIR/Makefile")
tables=$EXSCOPE_BUILD_DIR/doc/exscope-tables.1.in
[ -f "$tables" ] || tables=$EXSCOPE_SOURCE_DIR/doc/exscope-tables.1.in

cross_configure() {
    (cd "$work/build" && ../source/configure -q --build=i686-pc-linux-gnu --host="$(uname -m)-pc-linux-gnu" \
        --prefix="$prefix" CC="${CC:-cc}" PKG_CONFIG="${PKG_CONFIG:-pkg-config}") >"$work/log" 2>&1
}

! cross_configure && [ "$(grep -c 'error:.*exscope-tables' "$work/log")" = 1 ] && [ ! -f "$work/build/Makefile" ]
result $? "without the tables it stops, and says what is missing"
cp "$tables" "$work/source/doc/exscope-tables.1.in"
cross_configure
result $? "with them it is configured"
make -C "$work/build" doc/exscope.1 >"$work/log" 2>&1 && cmp "$work/build/doc/exscope.1" "$EXSCOPE_BUILD_DIR/doc/exscope.1" \
    >>"$work/log" 2>&1 && [ ! -f "$work/build/doc/manual" ]
result $? "the man page is the same, and no program was built for it"
! make -n -C "$work/build" all | grep -q 'doc/manual '
result $? "nor will one be"
echo "1..$number"
