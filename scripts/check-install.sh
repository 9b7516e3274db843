#!/usr/bin/env bash
# Installs into an empty folder and builds the README's program against it as a user would, with pkg-config: shared and
# static, as C11 and as C++17; the Fortran example the same; then the command's manual pages and completions.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
make --no-print-directory install PREFIX=/opt/surefill DESTDIR="$root" > /dev/null
prefix=$root/opt/surefill
count=0

# Root may have no Cargo: what has been built is installed.
make --no-print-directory install CARGO=no-cargo PREFIX=/opt/surefill DESTDIR="$root/again" > /dev/null
diff -r "$root/opt" "$root/again/opt"
rm -r "$root/again"

# --- The library -----------------------------------------------------------------------------------------------------

export PKG_CONFIG_LIBDIR=$prefix/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root
[ "$(pkg-config --modversion surefill)" = "$(make -s --no-print-directory print-VERSION)" ]
# Moved as a whole, it still finds itself.
moved=$(PKG_CONFIG_SYSROOT_DIR='' pkg-config --define-prefix --variable=libdir surefill)
[ "$(realpath "$moved")" = "$(realpath "$prefix/lib")" ] || { echo "moved, it looks for its libraries in $moved"; exit 1; }

awk '/^```c$/ { inside = 1; next } /^```$/ { inside = 0 } inside' README.md > "$root/readme.c"
cp "$root/readme.c" "$root/readme.cpp"
awk '/^```text$/ { inside = 1; next } /^```$/ { inside = 0 } inside' README.md > "$root/expected"
[ -s "$root/readme.c" ] && [ -s "$root/expected" ] || { echo "README.md has no program"; exit 1; }
strict="-Wall -Wextra -Wpedantic -Werror"
cflags=$(pkg-config --cflags surefill)
shared="$(pkg-config --libs surefill) -Wl,-rpath,$prefix/lib"
static="-Wl,-Bstatic $(pkg-config --static --libs surefill) -Wl,-Bdynamic"

needs_library() { grep -q 'NEEDED.*libsurefill' <<< "$(readelf -d "$1")"; }

# The module's source is beside the header.
${FC:-gfortran} -std=f2008 -J"$root" -c -o "$root/module.o" "$prefix/include/surefill.f90"
${FC:-gfortran} -std=f2008 -J"$root" -I"$root" -c -o "$root/parts.o" "$prefix/include/surefill_parts.f90"
for kind in shared static; do
    # shellcheck disable=SC2086 # the flags are words
    for compile in "${CC:-cc} -std=c11 $strict $cflags $root/readme.c" "${CXX:-c++} -std=c++17 $strict $cflags $root/readme.cpp" \
        "${FC:-gfortran} -std=f2008 -Wall -Wextra -Werror -I$root c-examples/fortran/backfill.f90 $root/module.o $root/parts.o"; do
        $compile -o "$root/program" ${!kind}
        [ $kind = shared ] && ! needs_library "$root/program" && { echo "linked statically: $compile"; exit 1; }
        [ $kind = static ] && needs_library "$root/program" && { echo "needs the shared library: $compile"; exit 1; }
        "$root/program" > "$root/printed"
        case $compile in *.f90*) expected=tests/fortran/backfill.txt ;; *) expected=$root/expected ;; esac
        diff "$expected" "$root/printed"
        count=$((count + 1))
    done
done

# --- Wider vectors ---------------------------------------------------------------------------------------------------

# Where the processor has AVX2 the loader takes the library made for it; what it decides is the same to the last bit.
loader=/lib64/ld-linux-x86-64.so.2
if grep -q avx2 /proc/cpuinfo && grep -q 'x86-64-v3 (supported' <<< "$($loader --help 2> /dev/null)"; then
    # shellcheck disable=SC2046,SC2086 # the flags are words
    ${CC:-cc} -std=c11 -O2 $cflags c-examples/whole_scheduler.c -o "$root/replays" $shared -lm
    gzip -dc demo/workload.swf.gz > "$root/workload.swf"
    LD_DEBUG=libs "$root/replays" "rule=delay criterion=relative tau=.3" "$root/workload.swf" > "$root/wide" 2> "$root/libraries"
    grep -q "calling init: .*/glibc-hwcaps/x86-64-v3/libsurefill" "$root/libraries" || { echo "the loader did not take the wider one"; exit 1; }
    LD_DEBUG=libs $loader --glibc-hwcaps-mask none "$root/replays" "rule=delay criterion=relative tau=.3" "$root/workload.swf" > "$root/narrow" 2> "$root/libraries"
    grep -q "calling init: $prefix/lib/libsurefill" "$root/libraries" || { echo "the loader did not take the plain one"; exit 1; }
    diff "$root/narrow" "$root/wide"
    count=$((count + 1))
else
    echo "SKIPPED: this processor, or its C library, chooses no library with wider vectors"
fi

# --- The command -----------------------------------------------------------------------------------------------------

scripts/check-manual.sh "$prefix/bin/surefill" "$prefix/share/man/man1" "$prefix/share/bash-completion/completions/surefill" \
    "$prefix/share/zsh/site-functions/_surefill" "$prefix/share/fish/vendor_completions.d/surefill.fish"
count=$((count + 1))
# It is installed without symbols.
if grep -q '\.symtab\|\.debug_info\|\.debug_line' <<< "$(readelf -S "$prefix/bin/surefill")"; then
    echo "the installed command has symbols"
    exit 1
fi
count=$((count + 1))

# --- Slurm's plugin ---------------------------------------------------------------------------------------------------

# Where nothing is, all that install-slurm needs is named at once; with apt-get there, what it does not bring.
mkdir "$root/path"
ln -s "$(command -v bash)" "$root/path/bash"
ln -s "$(command -v grep)" "$root/path/grep"
lacks() { # WORDS: this is among what it names
    local said
    said=$(PATH=$root/path bash c-examples/slurm/prerequisites.sh '' '' 2>&1) && { echo "install-slurm lacks nothing"; exit 1; }
    [[ $said == *"a C compiler"*"Slurm's plugins"*"$1"* ]] || { echo "install-slurm: $said"; exit 1; }
}
lacks "Debian's apt-get"
ln -s "$(command -v apt-get)" "$root/path/apt-get"
lacks dpkg-dev
count=$((count + 1))

make --no-print-directory uninstall PREFIX=/opt/surefill DESTDIR="$root"
left=$(find "$root/opt" ! -type d)
[ -z "$left" ] || { echo "left behind: $left"; exit 1; }
echo "$count passed, 0 failed"
