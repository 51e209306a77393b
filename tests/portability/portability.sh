#!/bin/sh
# Builds with both compilers, with and without optimisation and for 32 bits, warnings as errors, and runs
# `make check` of each: `make portability`.
#   portability.sh SOURCE-DIR WORK-DIR [NAME...]
# The 32-bit build needs gcc-multilib and the i386 libraries: those of the system, or, unpacked from their
# Debian packages, those under EXSCOPE_I386_ROOT. Without them it is reported as skipped.
set -eu

source_dir=$(cd "$1" && pwd)
work_dir=$2
shift 2
[ $# != 0 ] || set -- gcc-O0 gcc-O3 clang-O0 clang-O3 gcc-m32-O2
jobs=$(nproc 2>/dev/null || echo 2)
status=0

configure_m32() {
    root=${EXSCOPE_I386_ROOT:-}
    libraries=$root/usr/lib/i386-linux-gnu
    if [ ! -e "$libraries/libzstd.so" ] || [ ! -e "$libraries/libncursesw.so" ]; then
        return 77
    fi
    # links to /lib/... lead out of an unpacked root; beside a shared libncursesw, a static libtinfo is a crash
    mkdir -p links
    for link in "$libraries"/lib*.so; do
        [ -e "$link" ] || ln -sf "$root$(readlink "$link")" "links/${link##*/}"
    done
    search="-L$PWD/links -L$libraries -L$root/lib/i386-linux-gnu"
    [ -z "$root" ] || search="$search -Wl,--disable-new-dtags -Wl,-rpath,$libraries:$root/lib/i386-linux-gnu"
    # <asm/...> is in the folder of the machine; only gcc-multilib, not gcc-N-multilib, links it into /usr/include
    kernel=
    [ -e /usr/include/asm ] || kernel="-idirafter /usr/include/$(gcc -print-multiarch)"
    # gcc notes that its own ABI for 64-bit atomics changed in version 11: nothing here is older
    "$source_dir/configure" -q --enable-werror CC="gcc -m32" CFLAGS="-O2 -g -Wno-psabi" CPPFLAGS="$kernel" LDFLAGS="$search" \
        CURSES_CFLAGS="$(pkg-config --cflags ncursesw)" CURSES_LIBS="-lncursesw -ltinfo" \
        READLINE_CFLAGS="$(pkg-config --cflags readline)" READLINE_LIBS="-lreadline -ltinfo" \
        CJSON_CFLAGS="$(pkg-config --cflags libcjson)" CJSON_LIBS=-lcjson \
        ZLIB_CFLAGS="$(pkg-config --cflags zlib)" ZLIB_LIBS=-lz \
        ZSTD_CFLAGS="$(pkg-config --cflags libzstd)" ZSTD_LIBS=-lzstd \
        CMOCKA_CFLAGS="$(pkg-config --cflags cmocka)" CMOCKA_LIBS=-lcmocka
}

for name in "$@"; do
    folder=$work_dir/$name
    mkdir -p "$folder"
    compiler=${name%%-*}
    optimise=-O${name##*-O}
    result=passed
    lenient=
    case $name in # counts of 64 bits index arrays freely in tests
        *-m32-*) lenient="CFLAGS=-O2 -Wno-psabi -Wno-error" ;;
    esac
    (
        cd "$folder"
        case $name in
            *-m32-*) configure_m32 ;;
            *) "$source_dir/configure" -q --enable-werror CC="$compiler" CFLAGS="$optimise -g" ;;
        esac
    ) >"$folder/configure.log" 2>&1 || { [ $? = 77 ] && result=skipped || result="configure failed"; }
    if [ "$result" = passed ]; then
        if ! make -s -C "$folder" -j"$jobs" all >"$folder/build.log" 2>&1; then
            result="build failed"
        elif ! make -C "$folder" -j"$jobs" check ${lenient:+"$lenient"} >"$folder/check.log" 2>&1; then
            result="check failed"
        fi
    fi
    counts=$(awk '/^# (PASS|FAIL|SKIP|ERROR):/ {printf " %s%s", $2, $3}' "$folder/check.log" 2>/dev/null || true)
    echo "portability: $name: $result$counts"
    case $result in
        passed | skipped) ;;
        *) status=1; tail -n 30 "$folder"/build.log "$folder"/configure.log | sed 's/^/    /' ;;
    esac
done
exit $status
