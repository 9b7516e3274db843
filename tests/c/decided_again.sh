#!/usr/bin/env bash
# Decides recorded cycles again that records.c has made: the same, those that are not, and files that are no records.
#
#   tests/c/decided_again.sh SUREFILL_CYCLE RECORDS
set -euo pipefail
cycle=$1 records=$2
trouble=$(mktemp)
trap 'rm -f "$trouble"' EXIT

# ends STATUS COMMAND...: its messages are in $trouble.
ends() {
    local wanted=$1 found=0
    shift
    "$@" 2> "$trouble" || found=$?
    [ "$found" = "$wanted" ] || { echo "$* ended with $found, not $wanted"; return 1; }
}

same=$("$cycle" "$records"/same/*/*.surefill)
[ "$(grep -c ' offers, the same$' <<< "$same")" = 96 ]
awk '{ offers += $2 } END { exit offers < 50 }' <<< "$same"
"$cycle" -v "$records"/same/0/*.surefill | grep '^  job [0-9]*: ' > /dev/null
ends 1 "$cycle" "$records/different/job"
[ "$("$cycle" "$records"/different/* | grep -c ': event 0 differs: then job ')" = 2 ]
ends 2 "$cycle" "$records/layout/block"
grep -q 'its block has the layout of another version of surefill$' "$trouble"
ends 2 "$cycle" "$0"
grep -qx "$0: not a record of a cycle" "$trouble"
echo "$same" | tail -n 1
