#!/usr/bin/env bash
# Installs into an empty folder and builds the README's program against it as a user would, with pkg-config: shared and
# static, as C11 and as C++17.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
make --no-print-directory install PREFIX=/opt/surefill DESTDIR="$root" > /dev/null

export PKG_CONFIG_PATH=$root/opt/surefill/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root
awk '/^```c$/ { inside = 1; next } /^```$/ { inside = 0 } inside' README.md > "$root/readme.c"
cp "$root/readme.c" "$root/readme.cpp"
strict="-Wall -Wextra -Wpedantic -Werror"
shared="$(pkg-config --cflags --libs surefill) -Wl,-rpath,$root/opt/surefill/lib"
static="$(pkg-config --cflags surefill) -Wl,-Bstatic $(pkg-config --static --libs surefill) -Wl,-Bdynamic"

count=0
for flags in "$shared" "$static"; do
    # shellcheck disable=SC2086 # the flags are words
    for compile in "${CC:-cc} -std=c11 $strict $root/readme.c" "${CXX:-c++} -std=c++17 $strict $root/readme.cpp"; do
        $compile -o "$root/readme" $flags
        "$root/readme" > "$root/printed"
        diff <(awk '/^```text$/ { inside = 1; next } /^```$/ { inside = 0 } inside' README.md) "$root/printed"
        count=$((count + 1))
    done
done
ldd "$root/readme" | grep -q libsurefill && { echo "the static program needs the shared library"; exit 1; }
make --no-print-directory uninstall PREFIX=/opt/surefill DESTDIR="$root"
left=$(find "$root/opt" ! -type d)
[ -z "$left" ] || { echo "left behind: $left"; exit 1; }
echo "$count passed, 0 failed"
