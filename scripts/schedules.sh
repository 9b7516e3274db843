#!/usr/bin/env bash
# Measures the presets beside EASY, EASY++ and their rivals on the traces, five seeds each, draws docs/waits.svg, and prints README's
# table and that of the rivals in results/schedules.md. Needs surefill in the PATH and the traces in SUREFILL_TRACES; half an hour on
# two processors. An argument names a folder in which the measurements are kept, and from which those that are there are taken.
set -euo pipefail
cd "$(dirname "$0")/.."
traces=${SUREFILL_TRACES:-../shared/traces}
if [ $# -gt 0 ]; then
    made=$1
    mkdir -p "$made"
else
    made=$(mktemp -d)
    trap 'rm -rf "$made"' EXIT
fi

# The first four are those that the presets were chosen on. Machine sizes as in the papers, where a paper has one.
compared=()
while read -r trace size; do
    if [ ! -s "$made/$trace.json" ]; then
        surefill compare "$traces/$trace.swf.gz" ${size:+--procs "$size"} --overrun cut --seeds 5 --quiet --json \
            --policies easy,conservative,easy++,lookahead,selective,easy:limit:wfp3,easy:limit:sjf,easy:limit:f1,easy:limit:fair-share,easy:limit:fair,easy++:mean2:fair,fair:mix:fair-candidates,fair,fast \
            > "$made/part" 2> "$made/log" || { cat "$made/log" >&2; exit 1; }
        mv "$made/part" "$made/$trace.json"
    fi
    compared+=("$made/$trace.json")
done << 'TRACES'
CTC-SP2-1996-3.1-cln 512
KTH-SP2-1996-2 100
SDSC-SP2-1998-4.2-cln 128
SDSC-BLUE-2000-4.2-cln 1152
LANL-CM5-1994-4.1-cln
SDSC-Par-1996-3.1-cln
UniLu-Gaia-2014-1
ALCF-Theta-2022
TRACES

scripts/schedules.py picture "${compared[@]}" > docs/waits.svg
scripts/schedules.py first "${compared[@]}"
echo
scripts/schedules.py rivals "${compared[@]}"
