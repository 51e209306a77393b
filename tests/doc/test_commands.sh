#!/bin/sh
# Every command that a document shows is run here or, when it is long or changes the source, found to exist. The
# name of each test says which: "run", "exists", or the test that runs it. A command that is none of these fails.
#
# Commands are: lines of indented blocks and code in backquotes that begin with a program's name (programs, below);
# and of the man page everything in examples. What stands after "    $ " is run by doc-check.sh.
set -u
LC_ALL=C.UTF-8
export LC_ALL
unset MAKEFLAGS MFLAGS MAKELEVEL DESTDIR
work=$(mktemp -d) || exit 1
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
source_dir=$EXSCOPE_SOURCE_DIR
mkdir "$work/bin" "$work/home"
ln -s "$EXSCOPE_PROGRAM" "$work/bin/exscope"
ln -s "$source_dir/data" "$work/home/data"
PATH=$work/bin:$PATH
. "$EXSCOPE_SOURCE_DIR/tests/tools/tap.sh"

has() { command -v "$1" >/dev/null 2>&1; }

# ---- the commands of a document, one a line ----

# Code in backquotes, which may go on in the next line.
spans() {
    sed -e 's/^    .*//' "$1" | tr '\n' ' ' | tr -s ' ' | grep -o '`[^`]*`' | tr -d '`' | sort -u
}

programs='autoreconf|cd|clang-format|dpkg-buildpackage|exscope|make|man|mkdir|PATH=[^ ]*|EXSCOPE_UPDATE=1 make|\./dev|(\.\./\.\./|\./)configure'

# In blocks, a description may follow after two blanks; && joins commands. (A title of the explorer is no command.)
commands_of() {
    {
        grep -E "^ {4,}($programs)( |\$)" "$1" | grep -v ' › ' | sed -e 's/^ *//' -e 's/   *.*//' -e 's/ && /\n/g'
        spans "$1" | grep -E "^($programs) "
    } | sort -u
}

# ---- how each is shown to be true ----

# A copy of the source without what is built in it, for commands that begin with nothing.
copy_source() {
    [ ! -d "$work/source" ] || return 0
    mkdir "$work/source"
    (cd "$source_dir" && tar -cf - --exclude=./build --exclude=./_build --exclude=./_inst --exclude=./.git \
        --exclude=./debian/build --exclude='*.o' --exclude='*.a' --exclude=./autom4te.cache .) |
        (cd "$work/source" && tar -xf -) && chmod -R u+w "$work/source"
}

# in_source COMMAND: runs it in the copy; "cd" counts for the commands after it
folder=
in_source() {
    (cd "$work/source/$folder" && sh -c "$1") >"$work/log" 2>&1 </dev/null
}

# target NAME...: make has a rule for it
target() {
    make -n -C "$EXSCOPE_BUILD_DIR" "$@" >"$work/log" 2>&1 </dev/null
}

check_command() {
    : >"$work/log"
    case $1 in
        "exscope analyze CAPTURE OUTDIR")
            (cd "$work/home" && exscope analyze data/late.json out --top 1) >"$work/log" 2>&1 </dev/null
            result $? "run: $1"
            ;;
        exscope*)
            (cd "$work/home" && eval "$1") >"$work/log" 2>&1 </dev/null
            result $? "run: $1"
            ;;
        "man exscope" | "man -l build/release/doc/exscope.1")
            has man || { skip "exists: $1" "man is not installed"; return; }
            man -l "$EXSCOPE_BUILD_DIR/doc/exscope.1" >"$work/log" 2>&1 </dev/null
            result $? "run, on the page of the build: $1"
            ;;
        autoreconf*)
            has autoreconf || { skip "run: $1" "autoconf is not installed"; return; }
            [ -d "$work/source" ] || { copy_source && rm -f "$work/source/configure" && in_source "$1"; }
            [ -f "$work/source/configure" ]
            result $? "run: $1"
            ;;
        "./configure --host=MACHINE") # would need a compiler for one
            "$source_dir/configure" --help | grep -q -e --host=
            result $? "exists: $1"
            ;;
        "./configure --help")
            "$source_dir/configure" --help >"$work/log" 2>&1
            result $? "run: $1"
            ;;
        ./configure* | ../../configure*)
            copy_source && rm -f "$work/source/config.status" && in_source "$1 -q" && [ -f "$work/source/$folder/Makefile" ]
            result $? "run: $1"
            ;;
        mkdir* | cd*)
            copy_source && in_source "$1"
            result $? "run: $1"
            folder=$(echo "$1" | sed -n 's/^cd //p')
            ;;
        "make install" | "make uninstall")
            result 0 "run by test_installed.sh: $1"
            ;;
        "EXSCOPE_UPDATE=1 make"*) # would write into the source
            (eval "set -- $1" && shift 2 && target "$@") && grep -q EXSCOPE_UPDATE "$source_dir/tests/tui/run-screens.sh"
            result $? "exists: $1"
            ;;
        make*) # "-C build/release" is any build
            (eval "set -- $(echo "$1" | sed 's/ -C [^ ]*//')" && shift && target "$@")
            result $? "exists: $1"
            ;;
        ./dev*)
            verb=$(echo "$1" | sed -n 's|^\./dev \([a-z]*\).*|\1|p')
            "$source_dir/dev" >"$work/log" 2>&1 </dev/null
            grep -q "[ |]$verb\b" "$work/log" && grep -q "^    $verb)" "$source_dir/dev"
            result $? "exists: $1"
            ;;
        PATH=*)
            printf '#!/bin/sh\necho /some/where/exscope\n' >"$work/home/dev" && chmod +x "$work/home/dev"
            path=$(cd "$work/home" && eval "$1" && echo "$PATH")
            [ "${path##*:}" = /some/where ]
            result $? "run, with a ./dev that has built: $1"
            ;;
        clang-format*)
            has clang-format || { skip "exists: $1" "clang-format is not installed"; return; }
            (cd "$source_dir" && clang-format --dump-config) >"$work/log" 2>&1
            result $? "exists: $1"
            ;;
        dpkg-buildpackage*)
            [ -x "$source_dir/debian/rules" ] && [ -f "$source_dir/debian/control" ]
            result $? "exists (make check-debian runs it): $1"
            ;;
        *) result 1 "nothing here knows how to try: $1" ;;
    esac
}

for document in README.md CONTRIBUTING.md doc/architecture.md doc/format.md doc/model.md doc/tutorial.md \
    doc/screens/README.md; do
    echo "# $document"
    commands_of "$source_dir/$document" >"$work/commands"
    # mkdir and cd go before what is done there
    { grep -E '^autoreconf' "$work/commands"; grep -E '^mkdir' "$work/commands"; grep -E '^cd' "$work/commands"
      grep -vE '^(autoreconf|mkdir|cd)' "$work/commands"; } >"$work/ordered"
    while read -r line <&3; do
        check_command "$line"
    done 3<"$work/ordered"
    folder=
    # What doc-check.sh is to run, it must be told of.
    if grep -q '^    \$ ' "$source_dir/$document"; then
        grep -qr "doc-check.sh.*/$document\"" "$source_dir/tests/doc" "$source_dir/tests/tools"
        result $? "run by a test of its own: $(grep -c '^    \$ ' "$source_dir/$document") commands of $document"
    fi
done

# ---- options in backquotes ----

for document in README.md CONTRIBUTING.md doc/architecture.md doc/format.md doc/model.md doc/tutorial.md; do
    spans "$source_dir/$document" | grep -E '^(-$|--?[A-Za-z])' >"$work/options"
    while read -r option <&3; do
        : >"$work/log"
        # The command line's, a command's, configure's, or the compiler's.
        word=${option%%[ =]*}
        if [ "$option" = - ]; then
            result 0 "$document: a line of a script may begin with -"
        elif exscope -h | grep -q -e "$word\b"; then
            result 0 "$document: exscope has $option"
        elif "$source_dir/configure" --help | grep -q -e "$word\b"; then
            result 0 "$document: configure has $option"
        elif grep -q "^WARNING_CFLAGS=.*$option" "$source_dir/configure.ac"; then
            result 0 "$document: the build has $option"
        else
            result 1 "$document: nothing has $option"
        fi
    done 3<"$work/options"
done

# ---- the man page ----

# test_manual.sh runs its examples: all that there are, one line each.
examples=$(grep -c '^\.EX' "$EXSCOPE_BUILD_DIR/doc/exscope.1")
run=$(sed -n '/^\.EX/,/^\.EE/{/^\.E[XE]/d;p;}' "$EXSCOPE_BUILD_DIR/doc/exscope.1" | grep -c '^exscope ')
[ "$examples" -gt 3 ] && [ "$examples" = "$run" ]
result $? "run by test_manual.sh: $run examples of the man page, and those of all commands"
echo "1..$number"
