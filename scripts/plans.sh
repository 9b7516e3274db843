#!/usr/bin/env bash
# Measures the plan of the whole queue beside EASY and the presets on the traces, five seeds each, and prints its tables in
# results/schedules.md. Needs surefill in the PATH and the traces in SUREFILL_TRACES; half an hour on two processors. An argument names a
# folder in which the measurements are kept, and from which those that are there are taken.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/measured.sh

measured easy,fair,fast,plan,plan-fast,plan:limit,plan-fast:limit,plan:clairvoyant "${1:-}"
scripts/schedules.py tails "${compared[@]}"
echo
scripts/schedules.py rivals "${compared[@]}"
