#!/usr/bin/env bash
# Usage: tests/fortran/run.sh BUILD_DIR, the folder with libsurefill.a and libsurefill.so.
# The Fortran module against the compilers and both libraries: layout of the types, calls, the example.
set -euo pipefail
[ $# = 1 ] || { echo "usage: $0 BUILD_DIR" >&2; exit 2; }
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
fc=${FC:-gfortran}
cc=${CC:-cc}
command -v "$fc" > /dev/null || {
    echo "no Fortran compiler '$fc': apt-get install gfortran (or set FC)"
    echo "0 passed, 1 failed"
    exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fortran=(-std=f2008 -Wall -Wextra -Werror -g -fcheck=all "-J$work" "-I$work")
static=("$build/libsurefill.a" -Wl,--gc-sections)
shared=("-L$build" -lsurefill "-Wl,-rpath,$build")
passed=0
failed=0
check() {
    local name=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $name"
    fi
}

compiles() { "$fc" "${fortran[@]}" -c -o "$work/surefill.o" include/surefill.f90; }

same_layout() {
    "$cc" -std=c11 -Wall -Wextra -Werror -Iinclude -o "$work/layout_c" tests/fortran/layout.c &&
        "$fc" "${fortran[@]}" -o "$work/layout_f" tests/fortran/layout.f90 "$work/surefill.o" "${static[@]}" &&
        "$work/layout_c" > "$work/c.txt" && "$work/layout_f" > "$work/f.txt" &&
        diff "$work/c.txt" "$work/f.txt"
}

# runs SOURCE LIBRARY...
runs() {
    local source=$1
    shift
    "$fc" "${fortran[@]}" -o "$work/program" "$source" "$work/surefill.o" "$@" && "$work/program"
}

example() { diff tests/fortran/backfill.txt <(runs c-examples/fortran/backfill.f90 "$@"); }

check "the module compiles" compiles
check "sizes and offsets are those of the header" same_layout
check "calls, static library" runs tests/fortran/calls.f90 "${static[@]}"
check "calls, shared library" runs tests/fortran/calls.f90 "${shared[@]}"
check "the example, static library" example "${static[@]}"
check "the example, shared library" example "${shared[@]}"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
