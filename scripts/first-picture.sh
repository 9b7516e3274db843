#!/usr/bin/env bash
# Measures what README's first screen shows: EASY, EASY++ and the presets on the traces, three seeds each. Draws docs/waits.svg and
# prints the table. Needs surefill in the PATH and the traces in SUREFILL_TRACES; ten minutes on two processors.
set -euo pipefail
cd "$(dirname "$0")/.."
traces=${SUREFILL_TRACES:-../shared/traces}
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT

# The first four are those that the presets were chosen on. Machine sizes as in the papers, where a paper has one.
compared=()
while read -r trace size; do
    surefill compare "$traces/$trace.swf.gz" ${size:+--procs "$size"} --overrun cut --seeds 3 \
        --policies easy,easy++,fair,fast --json > "$made/$trace.json" 2> "$made/log" || { cat "$made/log" >&2; exit 1; }
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
NASA-iPSC-1993-3.1-cln
TRACES

python3 scripts/first-picture.py "${compared[@]}" > docs/waits.svg
python3 scripts/first-picture.py --table "${compared[@]}"
