# Helpers of the tests that run inside a Flux instance. Sourced, after check-flux.sh has set SUREFILL_MODULE, the scheduler in
# Python (in SUREFILL_FLUX, which is c-examples/flux) or in C (SUREFILL_C), and SUREFILL_TEST, the test with the scheduler's kind.
# shellcheck shell=bash
set -euo pipefail
module=$SUREFILL_MODULE
tests=$(dirname "${BASH_SOURCE[0]}")
name=$SUREFILL_TEST

fail() {
    echo "$name: $*" >&2
    flux jobs -ano '{id.f58} {status_abbrev} {annotations.sched.t_estimate} {annotations.sched.reason_pending}' >&2 || true
    flux dmesg | grep -E 'sched-surefill\.(err|warning|crit)' | tail -n 20 >&2 || true
    exit 1
}

# Waits until a command succeeds, half a minute or so at most.
wait_for() {
    local n
    for ((n = 0; n < 200; n++)); do
        "$@" > /dev/null 2>&1 && return
        sleep 0.1
    done
    fail "in vain: $*"
}

load() { # WORD...: in the place of the instance's scheduler
    ! grep -q sched-simple <<< "$(flux module list)" || flux module remove sched-simple
    mkdir -p records
    flux module load "$module" tell=0.2 record="$PWD/records" "$@"
    # It finds two jobs on one core by itself.
    grep -q alloc-check <<< "$(flux jobtap list)" || flux jobtap load alloc-check.so
}

# A job that runs nothing: SECONDS of run time, then flux submit's arguments.
sham() {
    local seconds=$1
    shift
    flux submit --setattr=system.exec.test.run_duration="${seconds}s" "$@" true
}

field() { flux jobs -no "{$2}" "$1"; } # JOB FIELD
annotation() { field "$1" "annotations.sched.$2"; }
state() { field "$1" status_abbrev; }
runs() { [ "$(state "$1")" = R ]; }
waits() { [ "$(state "$1")" = S ]; }
has_annotation() { [ -n "$(annotation "$1" "$2")" ]; } # JOB KEY
says() { [[ "$(annotation "$1" reason_pending)" == *"$2"* ]]; } # JOB TEXT
ranks() { flux job info "$1" R | flux R decode --short; }
stat() { flux module stats --parse "$1" sched-surefill; }

# At the end of each test: no core was two jobs' at once, and Flux's pool always had the room that the engine saw.
close() {
    flux cancel --all > /dev/null 2>&1 || true
    wait_for flux queue idle --timeout=20
    flux python "$tests/audit.py" 2> audit.out || fail "$(cat audit.out)"
    ! grep -q alloc-check <<< "$(flux jobs -c 0 -ano '{exception.type}')" || fail "the plugin alloc-check has found a core twice in use"
    local busy
    busy=$(stat busy)
    [ "$busy" = 0 ] || fail "the engine offered nodes $busy times that were not free"
    ! flux dmesg | grep -E 'sched-surefill\.(err|crit)' | grep -v 'resource module was unloaded' || fail "errors in the log"
    "$SUREFILL_CYCLE" records/*.surefill > cycles.out 2>&1 || fail "a recorded cycle is decided otherwise: $(grep -v ', the same$' cycles.out)"
    [ -z "${SUREFILL_RECORDS:-}" ] || cp -r records "$SUREFILL_RECORDS/$name"
    echo "$name: $(grep -c ', the same$' cycles.out) recorded cycles decided again"
    echo "$name: $(sed 's/^audit: //' audit.out)"
}
