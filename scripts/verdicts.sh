#!/usr/bin/env bash
# Shows that the delay rule decides alike by brackets and by the walk, which measures every delay: in 100,000 random passes, and on
# the traces, of which it prints passes and decisions. Needs the traces, in SUREFILL_TRACES or in ../shared/traces; ten minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
traces=$(realpath "${SUREFILL_TRACES:-../shared/traces}")
SUREFILL_BRACKET_CASES=${SUREFILL_BRACKET_CASES:-100000} cargo test --quiet --release --test bracket
cargo build --quiet --release -p surefill-simulator
surefill=$(realpath "${CARGO_TARGET_DIR:-target}/release/surefill")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Everything but times: waits by class of jobs, passes and decisions.
decided() {
    "$surefill" compare "$1" --overrun cut --quiet --policies delay,delay-fast --table "$2" --markdown |
        awk -F'|' '!NF { next } /backfills/ { exit } /passes/ { counts = 1 } counts { print $2, $3, $4, $5; next } { print }'
}
for trace in "$traces"/*.swf.gz; do
    decided "$trace" means,fairness,speed > "$work/brackets"
    decided "$trace" means,fairness,speed,delays > "$work/walk"
    cmp "$work/brackets" "$work/walk" || { echo "$trace: decided otherwise" >&2; exit 1; }
    grep '^ [A-Z].* delay' "$work/brackets" | tr -s ' '
done
