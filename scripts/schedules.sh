#!/usr/bin/env bash
# Measures the presets of the delay rule beside EASY, EASY++ and their rivals on the traces, five seeds each, and prints the rivals' tables
# in results/schedules.md. Needs surefill in the PATH and the traces in SUREFILL_TRACES; half an hour on two processors. An argument names
# a folder in which the measurements are kept, and from which those that are there are taken.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/measured.sh

measured easy,conservative,easy++,lookahead,selective,easy:limit:wfp3,easy:limit:sjf,easy:limit:f1,easy:limit:fair-share,easy:limit:delay,easy++:mean2:delay,delay:mix:delay-candidates,delay,delay-fast "${1:-}"
scripts/schedules.py rivals "${compared[@]}"
