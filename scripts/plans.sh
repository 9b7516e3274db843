#!/usr/bin/env bash
# Measures the plan of the whole queue beside EASY, EASY++ and the presets of the delay rule on the traces, five seeds each, draws
# docs/waits.svg, and prints README's table and its own in results/schedules.md. Needs surefill in the PATH and the traces in SUREFILL_TRACES; half an hour on two processors. An argument names a
# folder in which the measurements are kept, and from which those that are there are taken.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/measured.sh

measured easy,easy++,delay,delay-fast,fair,fast,fair:limit,fast:limit,fair:clairvoyant "${1:-}"
scripts/schedules.py picture "${compared[@]}" > docs/waits.svg
scripts/schedules.py first "${compared[@]}"
echo
scripts/schedules.py tails "${compared[@]}"
echo
scripts/schedules.py widths "${compared[@]}"
echo
scripts/schedules.py rivals "${compared[@]}"
