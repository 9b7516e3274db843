#!/usr/bin/env bash
# Measures the plan of the whole queue under a site's priorities beside EASY in their order on the traces, five seeds each, and prints the
# tables of "Under a site's priorities" in results/schedules.md. Needs surefill in the PATH and the traces in SUREFILL_TRACES; an hour
# on two processors. An argument names a folder in which the measurements are kept, and from which those that are there are taken.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/measured.sh

measured easy:limit:multifactor,fair,delay:mix:multifactor,fair:contexts:multifactor,fast:contexts:multifactor "${1:-}"
scripts/schedules.py quarters "${compared[@]}"
