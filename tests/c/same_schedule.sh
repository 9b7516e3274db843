#!/usr/bin/env bash
# Every start of the simulator against those of a scheduler in C on the header surefill.h, whose manager reports each event, or lists all its
# jobs, or lists them at random seconds too and restarts it from its state: equal to the second, or the first job that differs is printed.
#
#   tests/c/same_schedule.sh PROGRAM TRACE...
#
# PROGRAM is same_schedule.c, compiled; SUREFILL_BIN names the simulator's command. A TRACE may be followed by a machine's size, and by the first job of
# an excerpt and its number of jobs: NAME:PROCESSORS:FIRST+COUNT; nothing for PROCESSORS is the size in the trace. Run times are cut at the limits, as
# managers do.
set -euo pipefail
program=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# policy of the simulator, words of the engine. With --jobs the simulator's papers is its own loop of passes, not the engine.
choices() {
    cat << 'END'
fair seed=1
fast preset=fast seed=1
easy preset=easy
papers preset=papers
fair:limit predictor=limit seed=1
fast:limit preset=fast predictor=limit seed=1
END
}

# Jobs that ran, numbered anew: all of a trace, or COUNT from FIRST on.
plain() {
    (gzip -dcf < "$1") | awk -v procs="$2" -v first="${3%+*}" -v count="${3#*+}" '
        /^; MaxProcs:/ { if (procs == "") procs = $3; next }
        /^;/ || NF < 18 { next }
        $4 < 0 || ($5 <= 0 && $8 <= 0) { next }
        first != "" && (++ran < first || ran >= first + count) { next }
        !begun++ { print "; MaxProcs: " procs }
        { $1 = ++number; if ($9 > 0 && $4 > $9) $4 = $9; print }'
}

echo "| workload | policy | jobs | starts that differ: events, listings, at random seconds |"
echo "|---|---|---:|---|"
wrong=0
for trace; do
    IFS=: read -r file size part <<< "$trace"
    plain "$file" "$size" "$part" > "$work/plain.swf"
    [ -s "$work/plain.swf" ] || { echo "$trace: no job" >&2; exit 2; }
    while read -r policy words; do
        "$SUREFILL_BIN" simulate "$work/plain.swf" --policy "$policy" --quiet --jobs "$work/jobs.csv" > /dev/null
        awk -F , '/^#/ { next } !named++ { for (i = 1; i <= NF; i++) column[$i] = i; next } { print $column["start"] }' \
            "$work/jobs.csv" > "$work/simulated"
        found=
        for way in events listings random; do
            "$program" $way "$words" "$work/plain.swf" > "$work/starts"
            differ=$(paste "$work/simulated" "$work/starts" | awk '$1 != $2' | wc -l)
            found+="${found:+, }$differ"
            if [ "$differ" -ne 0 ] || [ ! -s "$work/starts" ]; then
                paste "$work/simulated" "$work/starts" | awk '$1 != $2 { print "job " NR ": " $1 " and " $2; exit }' >&2
                wrong=1
            fi
        done
        echo "| $(basename "${file%%.swf*}")${part:+, $part} | \`$policy\` | $(wc -l < "$work/simulated") | $found |"
    done < <(choices)
done
exit $wrong
