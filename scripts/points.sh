#!/usr/bin/env bash
# Measures points for stock backfill, a site factor on top of a site's priorities, beside EASY in their order on the traces, two seeds each (or
# $seeds), and prints the tables of "Points for stock backfill" in results/schedules.md. Needs surefill in the PATH and the traces in
# SUREFILL_TRACES. An argument names a folder in which the measurements are kept, and from which those that are there are taken.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/measured.sh

seeds=${seeds:-2}
policies=easy:limit:multifactor
for order in points{-fixed,}{,-share,-{mix,contexts}-{mean,median,0.6},-clairvoyant}; do
    policies+=,easy:limit:$order
done
measured "$policies" "${1:-}"
scripts/schedules.py points "${compared[@]}"
