#!/usr/bin/env bash
# Measures the plan of the whole queue under a site's priorities beside EASY in their order on the traces, five seeds each, and prints the
# tables of "Under a site's priorities" in results/schedules.md; with "ties" as the first argument those of strict and near priorities and of
# a budget, two seeds. Needs surefill in the PATH and the traces in SUREFILL_TRACES; half an hour on two processors. Another argument names a
# folder in which the measurements are kept, and from which those that are there are taken.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/measured.sh

if [ "${1:-}" = ties ]; then
    plans=fair:contexts:multifactor,fair:contexts:multifactor:budget=4
    for tie in 0 5 10 20 40; do plans+=,fair:contexts:multifactor:tie=$tie; done
    seeds=2 measured "easy:limit:multifactor,$plans" "${2:-}"
else
    measured easy:limit:multifactor,fair,delay:mix:multifactor,fair:contexts:multifactor,fast:contexts:multifactor "${1:-}"
fi
scripts/schedules.py quarters "${compared[@]}"
