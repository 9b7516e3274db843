#!/usr/bin/env bash
# Builds the PBS scheduler against the simulated server and tests it, under valgrind as well.
#
#   tests/pbs/run.sh BUILD_DIR      with libsurefill.a in it (make lib)
set -euo pipefail
[ $# -eq 1 ] && [ -f "$1/libsurefill.a" ] || {
    echo "usage: tests/pbs/run.sh BUILD_DIR (with libsurefill.a: make lib)" >&2
    exit 2
}
built=$(cd "$1" && pwd)/pbs
cd "$(dirname "$0")/../.."
make -s -C c-examples/pbs BUILD="$built" tests
cd "$built"
work=$(mktemp -d)
trap 'kill "${program:-}" 2>/dev/null || true; rm -rf "$work"' EXIT
# Every cycle that was recorded is decided again as it was, at the end of each test.
decided_again() {
    find "$work/records" -name '*.surefill' -print0 | xargs -0 "$built/surefill-cycle" >"$work/cycles" 2>&1 || {
        grep -v ', the same$' "$work/cycles" | head -n 5 >&2
        echo "pbs: recorded cycles of $1 are decided otherwise" >&2
        exit 1
    }
    echo "pbs: $1: $(grep -c ', the same$' "$work/cycles") recorded cycles are decided again as they were"
    [ -z "${SUREFILL_RECORDS:-}" ] || cp -r "$work/records" "$SUREFILL_RECORDS/$1"
    rm -rf "$work/records"
}
for test in test same; do
    mkdir "$work/records"
    length=()
    [ $test = test ] || length=(short)
    PBS_RECORDS=$work/records timeout 600 "./$test" "${length[@]}"
    decided_again $test
    [ $test = test ] || timeout 400 "./$test"
    timeout 900 valgrind -q --error-exitcode=9 --leak-check=full --show-leak-kinds=all "./$test" short >/dev/null
done
echo "pbs: valgrind finds nothing"

# The program itself, for ten seconds at most: its arguments, its log, its state file, its end.
mkdir "$work/records"
"$built/surefill-pbs-simulated" -s "$work/state" "surefill_preset=easy,surefill_interval=0.2,surefill_record=$work/records" >"$work/log" &
program=$!
for _ in $(seq 100); do
    ! grep -qs '4.pbs: started' "$work/log" || break
    sleep 0.1
done
sleep 1.5
kill "$program"
for _ in $(seq 100); do
    kill -0 "$program" 2>/dev/null || break
    sleep 0.1
done
kill -9 "$program" 2>/dev/null || true
wait "$program"
program=
order=$(sed -n 's/.* \([0-9]\)\.pbs: started on .*/\1/p' "$work/log" | paste -sd ' ')
[ "$order" = '1 3 2 4' ] || {
    cat "$work/log" >&2
    echo "pbs: the jobs started in the order $order, not 1 3 2 4" >&2
    exit 1
}
decided_again program
timeout 20 "$built/surefill-pbs-simulated" -1 -s "$work/state" >"$work/again"
grep -q 'learnt from 4 jobs' "$work/again" || {
    cat "$work/again" >&2
    echo "pbs: the state was not kept" >&2
    exit 1
}
for wrong in '-w 2' surefill_later=0.5 preset=fast surefill_refused=x surefill_interval=0 surefill_preset=fast,mode=shadow; do
    status=0
    # shellcheck disable=SC2086
    timeout 20 "$built/surefill-pbs-simulated" $wrong 2>/dev/null || status=$?
    [ $status = 2 ] || {
        echo "pbs: wrong arguments end with status $status: $wrong" >&2
        exit 1
    }
done
echo "pbs: the program starts four jobs in their order and remembers them"
