#!/bin/sh
# Builds the Debian package from a clean copy of the source, installs it in a fresh minimal Debian system, runs it
# there, and takes it away again: `make check-debian`. Needs root, debootstrap, dpkg-dev and debhelper, and the mirror
# that the machine's apt is set up with.
#   debian.sh SOURCE-DIR WORK-DIR
set -eu

source_dir=$(cd "$1" && pwd)
mkdir -p "$2"
work_dir=$(cd "$2" && pwd)
root=$work_dir/root
status=0

for tool in debootstrap dpkg-buildpackage dh; do
    if ! command -v "$tool" >/dev/null 2>&1; then
        echo "debian: $tool is not installed" >&2
        exit 1
    fi
done

# result STATUS NAME
result() {
    if [ "$1" = 0 ]; then
        echo "ok - $2"
    else
        echo "not ok - $2"
        status=1
    fi
}

inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/root DEBIAN_FRONTEND=noninteractive "$@"; }

echo "debian: building the package ($work_dir/build.log)"
rm -rf "$work_dir/source" "$work_dir"/exscope*
mkdir "$work_dir/source"
(cd "$source_dir" && tar -cf - --exclude=./build --exclude=./.git --exclude='./build-*' .) | tar -xf - -C "$work_dir/source"
# Its tests are those of `make check`: DEB_BUILD_OPTIONS= runs them here too.
(cd "$work_dir/source" && DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS-nocheck}" dpkg-buildpackage -us -uc -b) \
    >"$work_dir/build.log" 2>&1 || { tail -n 30 "$work_dir/build.log"; exit 1; }
result 0 "dpkg-buildpackage"
package=$(ls "$work_dir"/exscope_*.deb)

if [ ! -e "$work_dir/base/etc/debian_version" ]; then
    echo "debian: a fresh system ($work_dir/debootstrap.log)"
    # shellcheck disable=SC1091
    suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
    # shellcheck disable=SC2016
    mirror=$(apt-get indextargets --format '$(REPO_URI)' "Codename: $suite" | head -n 1)
    rm -rf --one-file-system "$root"
    debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$work_dir/debootstrap.log" 2>&1
    rm -rf "$work_dir/base"
    mv "$root" "$work_dir/base"
fi
# Every run begins with a system that has never had the package, or what it depends on.
rm -rf --one-file-system "$root"
cp -a "$work_dir/base" "$root"
cp "$package" "$root/tmp/exscope.deb"
cp "$source_dir/tests/tools/doc-check.sh" "$root/tmp/"
find "$root/usr" "$root/etc" -name '*exscope*' >"$work_dir/before"
inside apt-get install -y -qq --no-install-recommends /tmp/exscope.deb >"$work_dir/install.log" 2>&1 && good=0 || good=1
result "$good" "it installs with what it depends on"
inside exscope -V && good=0 || good=1
result "$good" "it runs"
inside exscope analyze /usr/share/exscope/data/showcase.json /tmp/out --top 1 --quiet >/dev/null && good=0 || good=1
result "$good" "it analyses a capture"
mkdir -p "$root/tmp/source"
ln -sfn /usr/share/exscope/data "$root/tmp/source/data"
# Every document that comes with it: its links, and what its commands print.
documents=0
for document in $(inside dpkg -L exscope | grep '\.md$'); do
    documents=$((documents + 1))
    "$source_dir/tests/tools/doc-links.sh" "$root$document" >"$work_dir/links" && good=0 || good=1
    result "$good" "the links of $document: $(tr '\n' ' ' <"$work_dir/links")"
    grep -q '^    \$ ' "$root$document" || continue
    log=$work_dir/$(basename "$document").log
    inside env EXSCOPE_PROGRAM=/usr/bin/exscope EXSCOPE_SOURCE_DIR=/tmp/source sh /tmp/doc-check.sh "$document" >"$log" || true
    grep -q '^ok' "$log" && ! grep -q '^not ok' "$log" && good=0 || good=1
    result "$good" "$document is right: $(grep -c '^ok' "$log") commands"
done
[ "$documents" -ge 7 ] && good=0 || good=1
result "$good" "$documents documents are installed"
inside dpkg --purge exscope >"$work_dir/purge.log" 2>&1
find "$root/usr" "$root/etc" -name '*exscope*' | cmp -s - "$work_dir/before" && good=0 || good=1
result "$good" "nothing is left of it"
exit $status
