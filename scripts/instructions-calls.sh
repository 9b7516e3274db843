#!/usr/bin/env bash
# Instructions of single C calls through build/libsurefill.a (make builds it), counted by callgrind: the mean of ten of each.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v valgrind > /dev/null || { echo "please install first: valgrind" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${CC:-cc}" -std=c11 -O2 -Iinclude -o "$work/calls" benches/calls.c "${1:-build/libsurefill.a}" -Wl,--gc-sections -lm
valgrind --tool=callgrind --callgrind-out-file="$work/out" --toggle-collect=measured "$work/calls" > "$work/log" 2>&1
callgrind_annotate --inclusive=yes --threshold=100 --auto=no "$work/out" 2> /dev/null | awk '
    # A function has a line for each source file that it is made of: its own sum is the largest.
    match($0, /:surefill_[a-z_]+/) {
        sum = $1
        gsub(",", "", sum)
        name = substr($0, RSTART + 1, RLENGTH - 1)
        if (sum + 0 > most[name]) most[name] = sum + 0
    }
    END { for (name in most) printf "%-36s %8d instructions\n", name, most[name] / 10 }' | sort -k2n
