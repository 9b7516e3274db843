#!/usr/bin/env bash
# Instructions of one scheduling pass, counted by callgrind: the same on every run, whatever else the machine does.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v valgrind > /dev/null || { echo "please install first: valgrind" >&2; exit 1; }
program=$(cargo bench --bench instructions --no-run 2>&1 | sed -n 's/.*(\(.*\))$/\1/p' | tail -n 1)
count() {
    local function=$1
    shift
    local log
    log=$(mktemp)
    printf '%-90s' "$("$program" "$@")"
    valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect="*$function*" "$program" "$@" \
        > "$log" 2>&1
    sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$log" | awk '{ printf "%14s instructions\n", $1 }'
    rm -f "$log"
}
for scale in archive large; do
    for what in no-start probability bound seconds; do
        count one_pass "$scale" "$what" 1
    done
done
count one_pass archive probability 4
for scale in archive large largest; do
    count one_pass "$scale" measured 4
    count one_pass "$scale" delay 4
done
count one_pass large probability 4
for sizes in 250/5000/200 250/93312/200 1000/5000/1000 1000/6000/1000 1000/10000/20000 5000/100000/20000 20000/1000000/10000; do
    count one_pass "$sizes" delay 4
done
# Growth: each size, running jobs, processors and candidates, doubled by itself.
for sizes in 250/10000/200 500/10000/200 1000/10000/200 2000/10000/200 1000/20000/200 1000/40000/200 1000/10000/400 1000/10000/800; do
    count one_pass "$sizes" delay 4
done
# ... and waiting jobs, in a plan of the queue.
for sizes in 1000/500 1000/1000 1000/2000 1000/4000 1000/8000 1000/16000; do
    count one_plan "$sizes" plan 0
done
count papers_program archive papers 1
