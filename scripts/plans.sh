#!/usr/bin/env bash
# Measures the plan of the whole queue beside EASY, EASY++ and the presets of the delay rule on the traces, five seeds each, draws
# docs/waits.svg, and prints README's table and its own in results/schedules.md. NASA's two traces, whose waits are seconds, are in the table of tails alone. Needs surefill in the PATH and the traces in SUREFILL_TRACES;
# an hour on two processors. An argument names a folder in which the measurements are kept, and from which those that are there are taken.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/measured.sh

# shellcheck disable=SC2034 # read by measured
besides="NASA-iPSC-1993-3.1-cln NASA-iPSC-1993-3"
measured easy,easy++,delay,delay-fast,fair,fast,fair:limit,fast:limit,fair:clairvoyant "${1:-}"
scripts/schedules.py picture "${compared[@]:0:8}" > docs/waits.svg
scripts/schedules.py first "${compared[@]:0:8}"
echo
scripts/schedules.py tails "${compared[@]}"
echo
scripts/schedules.py widths "${compared[@]:0:8}"
echo
scripts/schedules.py lengths "${compared[@]:0:8}"
echo
scripts/schedules.py halves "${compared[@]:0:8}"
echo
scripts/schedules.py rivals "${compared[@]:0:8}"
