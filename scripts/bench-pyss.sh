#!/usr/bin/env bash
# Processor time of pyss's probabilistic EASY, after Nissimov & Feitelson 2007, and of the preset `papers`, for the 4,606 jobs
# of SDSC SP2 that pyss has with it; reading them, and the predictor, are part of both.
#
#   bench-pyss.sh FOLDER/src      a copy of pyss (https://github.com/dinesh121991/pyss); PYTHON2 names a Python 2
set -euo pipefail
folder=$(realpath "${1:?the folder src of pyss}")
cd "$(dirname "$0")/.."
cargo build --quiet --release -p surefill-simulator
surefill=$(realpath "${CARGO_TARGET_DIR:-target}/release/surefill")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$folder/5K_sample" "$work/sample.swf"
TIMEFORMAT=%U
seconds() { { time "$@" >/dev/null 2>&1; } 2>&1; }
theirs=$(cd "$folder" && seconds "${PYTHON2:-python2}" run_simulator.py --num-processors=128 --input-file=5K_sample --scheduler=13)
# Ten replays: one is too short for the clock.
ten() { for _ in $(seq 10); do "$surefill" simulate "$work/sample.swf" --procs 128 --preset papers || return; done; }
ours=$(seconds ten)
awk -v theirs="$theirs" -v ours="$ours" 'BEGIN {
    if (theirs < 1 || ours <= 0) { print "one of the two did not run" > "/dev/stderr"; exit 1 }
    printf "pyss, probabilistic EASY: %.1f s; preset papers: %.3f s; ratio %.0f\n", theirs, ours / 10, 10 * theirs / ours }'
