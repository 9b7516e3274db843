#!/usr/bin/env bash
# Debian packages of what `make install` installs: libsurefill0, libsurefill-dev, surefill.
#
#   scripts/deb.sh FOLDER
#
# Descriptions, licences and the version are those of debian/. The same tree, built in the same folder by the same compiler,
# gives the same files: times are SOURCE_DATE_EPOCH's (the changelog's, when it is not set), owners root, order dpkg-deb's.
set -euo pipefail
export LC_ALL=C TZ=UTC
umask 022
[ $# = 1 ] || { echo "usage: $0 FOLDER" >&2; exit 2; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
for tool in dpkg-deb dpkg-gencontrol dpkg-shlibdeps strip; do
    command -v $tool > /dev/null || { echo "deb: please install first: apt-get install dpkg-dev binutils" >&2; exit 1; }
done

version=$(dpkg-parsechangelog -S Version)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(dpkg-parsechangelog -S Timestamp)}
export SOURCE_DATE_EPOCH DPKG_DEB_THREADS_MAX=1 # how many threads compress shows in the file
architecture=$(dpkg --print-architecture)
libraries=/usr/lib/$(dpkg-architecture -q DEB_HOST_MULTIARCH)
abi=$(make -s --no-print-directory print-ABI)
[ "${version%%-*}" = "$(make -s --no-print-directory print-VERSION)" ] || { echo "deb: debian/changelog has another version than Cargo.toml: $version" >&2; exit 1; }
grep -qx "Package: libsurefill$abi" debian/control || { echo "deb: debian/control does not know ABI $abi" >&2; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
all=$work/all library=$work/libsurefill$abi development=$work/libsurefill-dev tool=$work/surefill
${MAKE:-make} --no-print-directory install DESTDIR="$all" PREFIX=/usr LIBDIR="$libraries" \
    ZSHDIR=/usr/share/zsh/vendor-completions > "$work/log" || { cat "$work/log"; exit 1; }

# --- Which package has what ------------------------------------------------------------------------------------------

find "$all$libraries" -type f -name 'libsurefill.so.*' -exec strip --strip-unneeded {} +
strip --strip-debug --enable-deterministic-archives "$all$libraries/libsurefill.a"
strip "$all/usr/bin/surefill"
gzip -9n "$all"/usr/share/man/man1/*.1
mkdir -p "$library$libraries" "$development$libraries" "$development/usr" "$tool"
mv "$all$libraries"/libsurefill.so.* "$library$libraries"
# The one for wider vectors exists where the processor's kind has them.
[ ! -d "$all$libraries/glibc-hwcaps" ] || mv "$all$libraries/glibc-hwcaps" "$library$libraries"
find "$library$libraries" -type f -exec chmod 644 {} +
mv "$all$libraries"/libsurefill.{a,so} "$all$libraries/pkgconfig" "$development$libraries"
mv "$all/usr/include" "$development/usr"
rmdir "$all$libraries" "$all/usr/lib"
mv "$all/usr" "$tool"
examples=$development/usr/share/doc/libsurefill-dev/examples
install -d "$examples"
install -m 644 c-examples/*.[ch] c-examples/fortran/*.f90 "$examples"

# --- The packages ----------------------------------------------------------------------------------------------------

# dpkg's tools read debian/control where they are started.
mkdir -p "$work/source"
cp -r debian "$work/source"
cd "$work/source"
for package in libsurefill$abi libsurefill-dev surefill; do
    root=$work/$package
    install -d "$root/DEBIAN" "$root/usr/share/doc/$package"
    install -m 644 debian/copyright "$root/usr/share/doc/$package"
    gzip -9nc debian/changelog > "$root/usr/share/doc/$package/changelog.gz"
    : > debian/substvars
    case $package in
        "libsurefill$abi")
            # A program needs at least the version it was linked with: newer ones have more functions.
            echo "libsurefill $abi libsurefill$abi (>= $version)" > "$root/DEBIAN/shlibs"
            echo "activate-noawait ldconfig" > "$root/DEBIAN/triggers"
            dpkg-shlibdeps -Tdebian/substvars -S"$root" "$root$libraries/libsurefill.so.$abi"
            ;;
        surefill) dpkg-shlibdeps -Tdebian/substvars "$root/usr/bin/surefill" ;;
    esac
    (cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum) > "$work/md5sums"
    mv "$work/md5sums" "$root/DEBIAN"
    dpkg-gencontrol -p$package -P"$root" -Tdebian/substvars -fdebian/files
    find "$root" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
    dpkg-deb --root-owner-group -Zxz --build "$root" "$folder/${package}_${version}_$architecture.deb"
done
