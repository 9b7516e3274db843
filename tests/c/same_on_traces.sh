#!/usr/bin/env bash
# same_schedule.sh on an excerpt of each of four real traces, from weeks in which jobs wait.
#
#   tests/c/same_on_traces.sh PROGRAM
#
# The traces are looked for in SUREFILL_TRACES, else in ../shared/traces beside the repository; those that are not there are named.
set -euo pipefail
cd "$(dirname "$0")/../.."
traces=${SUREFILL_TRACES:-../shared/traces}
found=()
for excerpt in KTH-SP2-1996-2:100:9000+600 CTC-SP2-1996-3.1-cln:338:20000+600 SDSC-SP2-1998-4.2-cln:128:20000+600 \
    SDSC-BLUE-2000-4.2-cln:1152:100000+600; do
    file=$traces/${excerpt%%:*}.swf.gz
    if [ -f "$file" ]; then found+=("$file:${excerpt#*:}"); else echo "SKIPPED: no trace $file: set SUREFILL_TRACES to the folder that holds it"; fi
done
[ ${#found[@]} -eq 0 ] || tests/c/same_schedule.sh "$1" "${found[@]}"
