#!/usr/bin/env bash
# Measures the presets beside EASY, EASY++ and their rivals on the traces, five seeds each, draws docs/waits.svg, and prints README's
# table and that of the rivals in results/schedules.md. Needs surefill in the PATH and the traces in SUREFILL_TRACES; half an hour on
# two processors. An argument names a folder in which the measurements are kept, and from which those that are there are taken.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/measured.sh

measured easy,conservative,easy++,lookahead,selective,easy:limit:wfp3,easy:limit:sjf,easy:limit:f1,easy:limit:fair-share,easy:limit:fair,easy++:mean2:fair,fair:mix:fair-candidates,fair,fast "${1:-}"
scripts/schedules.py picture "${compared[@]}" > docs/waits.svg
scripts/schedules.py first "${compared[@]}"
echo
scripts/schedules.py rivals "${compared[@]}"
