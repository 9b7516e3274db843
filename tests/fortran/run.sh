#!/usr/bin/env bash
# Usage: tests/fortran/run.sh BUILD_DIR, the folder with libsurefill.a and libsurefill.so.
# The Fortran module against the compilers and both libraries: layout of the types, calls, the examples.
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
command -v python3 > /dev/null || {
    echo "no python3: apt-get install python3"
    echo "0 passed, 1 failed"
    exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fortran=(-std=f2008 -Wall -Wextra -Werror -g -fcheck=all "-J$work" "-I$work")
# shellcheck disable=SC2054 # the commas are the linker's
static=("$build/libsurefill.a" -Wl,--gc-sections)
# shellcheck disable=SC2054
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

compiles() {
    "$fc" "${fortran[@]}" -c -o "$work/surefill.o" include/surefill.f90 &&
        "$fc" "${fortran[@]}" -c -o "$work/surefill_parts.o" include/surefill_parts.f90
}

same_layout() {
    "$cc" -std=c11 -Wall -Wextra -Werror -Iinclude -o "$work/layout_c" tests/fortran/layout.c &&
        "$fc" "${fortran[@]}" -o "$work/layout_f" tests/fortran/layout.f90 "$work/surefill.o" "$work/surefill_parts.o" "${static[@]}" &&
        "$work/layout_c" > "$work/c.txt" && "$work/layout_f" > "$work/f.txt" &&
        diff "$work/c.txt" "$work/f.txt"
}

# runs SOURCE LIBRARY...
runs() {
    local source=$1
    shift
    "$fc" "${fortran[@]}" -o "$work/program" "$source" "$work/surefill.o" "$work/surefill_parts.o" "$@" && "$work/program"
}

example() { diff tests/fortran/backfill.txt <(runs c-examples/fortran/backfill.f90 "$@"); }

scheduler() { diff tests/fortran/scheduler.txt <(runs c-examples/fortran/scheduler.f90 "$@"); }

# The site tool gives the figures of the one in C: those of exact arithmetic.
site_tool() {
    "$fc" "${fortran[@]}" -o "$work/wait_bounds" c-examples/fortran/wait_bounds.f90 "$work/surefill.o" "$work/surefill_parts.o" "$@" &&
        python3 tests/c/wait_bounds.py history > "$work/history.txt" || return 1
    for job in "3600 4" "36000 4 7000" "36000 4 24000" "36000 1 99999"; do
        # shellcheck disable=SC2086 # the words are the arguments
        diff <(python3 tests/c/wait_bounds.py answers $job < "$work/history.txt") \
            <("$work/wait_bounds" $job < "$work/history.txt") || return 1
    done
}

wrong_histories() {
    for line in 'x 3600 4' '60 3600' '60 3600 4 5' '-1 3600 4' '60 -1 4' '60 3600 -4' '- 3600 4' '60 3600 9999999999' ''; do
        printf '60\t3600 4\n%s\n' "$line" | "$work/wait_bounds" > "$work/output" 2> "$work/errors" && return 1
        grep -q '^line 2: ' "$work/errors" && [ ! -s "$work/output" ] || { echo "$line"; return 1; }
    done
    ! "$work/wait_bounds" x < /dev/null 2> /dev/null && ! "$work/wait_bounds" -1 < /dev/null 2> /dev/null
}

check "the modules compile" compiles
check "sizes and offsets are those of the header" same_layout
check "calls, static library" runs tests/fortran/calls.f90 "${static[@]}"
check "calls, shared library" runs tests/fortran/calls.f90 "${shared[@]}"
check "the example, static library" example "${static[@]}"
check "the example, shared library" example "${shared[@]}"
check "the scheduler, static library" scheduler "${static[@]}"
check "the scheduler, shared library" scheduler "${shared[@]}"
check "the site tool, static library" site_tool "${static[@]}"
check "the site tool, shared library" site_tool "${shared[@]}"
check "the site tool refuses wrong lines" wrong_histories
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
