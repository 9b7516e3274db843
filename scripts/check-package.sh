#!/usr/bin/env bash
# The Debian packages: made twice with the same bytes, installed by dpkg into an empty folder, used, removed without trace.
# Nothing outside a temporary folder is touched, and root is not needed.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/.."
for tool in dpkg-deb dpkg-gencontrol; do
    command -v $tool > /dev/null || { echo "check-package: please install first: apt-get install dpkg-dev" >&2; exit 1; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
pass() { passed=$((passed + 1)); printf 'passed: %s\n' "$*"; }
fail() { printf 'FAILED: %s\n' "$*"; exit 1; }

# --- The same bytes --------------------------------------------------------------------------------------------------

export SOURCE_DATE_EPOCH=1000000000
(umask 022 && scripts/deb.sh "$work/first" > "$work/log") || fail "make deb: $(cat "$work/log")"
sleep 1 # another second on the clock
(umask 077 && TZ=Asia/Tokyo LANG=C.UTF-8 scripts/deb.sh "$work/second" > "$work/log") || fail "make deb: $(cat "$work/log")"
[ "$(find "$work/first" -name '*.deb' | wc -l)" = 3 ] || fail "three packages expected: $(ls "$work/first")"
diff -r "$work/first" "$work/second" || fail "made again, the packages differ"
for deb in "$work"/first/*.deb; do TZ=UTC dpkg-deb -c "$deb"; done > "$work/contents"
grep -v ' root/root .* 2001-09-09 01:46 ' "$work/contents" && fail "files of other owners than root, or of another time"
pass "the same bytes at another time, under another umask"

# --- Installed -------------------------------------------------------------------------------------------------------

root=$work/root
mkdir -p "$root"/var/lib/dpkg/{updates,info,triggers}
: > "$root/var/lib/dpkg/available"
# The folder knows of this system only that the libraries which packages ask for are installed.
depends() { dpkg-deb -f "$1" Depends | tr ',' '\n' | awk '{ print $1 }'; }
for package in $(for deb in "$work"/first/*.deb; do depends "$deb"; done | sort -u | grep -v surefill); do
    dpkg-query -s "$package" | grep -vE '^(Depends|Pre-Depends|Conffiles| /)' || fail "$package is not installed here"
    echo
done > "$root/var/lib/dpkg/status"
cp "$root/var/lib/dpkg/status" "$work/status"
install_packages() {
    dpkg --root="$root" --log="$work/dpkg.log" --force-not-root --force-bad-path --force-script-chrootless "$@" > "$work/log" 2>&1
}
library=$(ls "$work"/first/libsurefill[0-9]*.deb)
development=$(ls "$work"/first/libsurefill-dev_*.deb)
tool=$(ls "$work"/first/surefill_*.deb)
runtime=$(dpkg-deb -f "$library" Package)

install_packages -i "$development" && fail "the development files were installed without the library"
grep -q "depends on $runtime (= " "$work/log" || fail "another complaint than the missing library: $(cat "$work/log")"
install_packages -i "$library" "$development" "$tool" || fail "$(cat "$work/log")"
[ "$(dpkg-query --admindir="$root/var/lib/dpkg" -W -f '${db:Status-Abbrev} ${Package}\n' | grep -c '^ii .*surefill')" = 3 ] ||
    fail "not all are installed"
pass "installed; the development files only with their library"

for package in "$runtime" libsurefill-dev surefill; do
    (cd "$root" && md5sum --quiet -c "var/lib/dpkg/info/$package.md5sums" 2> /dev/null || # Multi-Arch: same
        md5sum --quiet -c "var/lib/dpkg/info/$package:$(dpkg --print-architecture).md5sums") || fail "$package: other files than it says"
done
dpkg-deb -f "$tool" Depends | grep 'libc6 (>= ' || fail "the command does not say which C library it needs"
dpkg-deb -f "$library" Depends | grep 'libc6 (>= ' || fail "the library does not say which C library it needs"

libraries=/usr/lib/$(dpkg-architecture -q DEB_HOST_MULTIARCH)
export PKG_CONFIG_LIBDIR=$root$libraries/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root
awk '/^```c$/ { inside = 1; next } /^```$/ { inside = 0 } inside' README.md > "$work/readme.c"
# shellcheck disable=SC2046 # the flags are words
${CC:-cc} -o "$work/readme" "$work/readme.c" $(pkg-config --cflags --libs surefill)
LD_LIBRARY_PATH=$root$libraries "$work/readme" | diff <(awk '/^```text$/ { inside = 1; next } /^```$/ { inside = 0 } inside' README.md) - ||
    fail "the README's program prints something else"
# Or the one for wider vectors beside it.
grep -qE "$root$libraries/(glibc-hwcaps/[^/]*/)?libsurefill" <<< "$(LD_LIBRARY_PATH=$root$libraries ldd "$work/readme")" ||
    fail "it does not use the installed library"
pass "the README's program, with the installed library"

"$root/usr/bin/surefill" simulate demo/workload.swf.gz --policy easy --json > /dev/null || fail "the installed command"
scripts/check-manual.sh "$root/usr/bin/surefill" "$root/usr/share/man/man1" "$root/usr/share/bash-completion/completions/surefill" \
    "$root/usr/share/zsh/vendor-completions/_surefill" "$root/usr/share/fish/vendor_completions.d/surefill.fish"
pass "the installed command, its manual pages and completions"

# --- Removed ---------------------------------------------------------------------------------------------------------

install_packages --remove "$runtime" && fail "the library was removed under the development files"
install_packages --purge surefill libsurefill-dev "$runtime" || fail "$(cat "$work/log")"
left=$(find "$root" -path "$root/var/lib/dpkg" -prune -o ! -type d -print)
[ -z "$left" ] || fail "left behind: $left"
left=$(find "$root" -mindepth 1 -path "$root/var" -prune -o -print)
[ -z "$left" ] || fail "folders left behind: $left"
if find "$root/var/lib/dpkg/info" -name '*surefill*' | grep . || grep -q '^Package: .*surefill' "$root/var/lib/dpkg/status"; then
    fail "dpkg still knows the packages"
fi
pass "removed without trace"
echo "$passed passed, 0 failed"
