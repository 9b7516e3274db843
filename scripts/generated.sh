#!/usr/bin/env bash
# A Markdown table of what it takes to generate a million jobs by every model: generated.sh TRACE [JOBS].
# Each workload is read back with --strict, which fails at the first wrong line. Needs GNU time, surefill and surefill-papers in the PATH.
set -euo pipefail
trace=$1
jobs=${2:-1000000}
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT

printf '| model | jobs | seconds | peak memory [MB] | with 1,000 jobs [MB] | read strictly |\n|---|---|---|---|---|---|\n'
for model in sessions 'markov --variant paper' 'markov --variant calibrated' independent lublin hmm; do
    read -ra options <<< "$model"
    case $model in markov* | independent | hmm) options+=(--like "$trace") ;; esac
    case $model in sessions) program=surefill ;; *) program=surefill-papers ;; esac
    generate=("$program" generate --model "${options[@]}")
    /usr/bin/time -f '%e %M' -o "$made/few" "${generate[@]}" -n 1000 -o "$made/few.swf"
    /usr/bin/time -f '%e %M' -o "$made/many" "${generate[@]}" -n "$jobs" -o "$made/many.swf"
    strictly=no
    if surefill simulate "$made/many.swf" --policy fcfs --predictor limit --limit-jobs 1 --strict > "$made/log" 2>&1; then
        strictly=yes
    fi
    read -r seconds peak < "$made/many"
    read -r few_seconds few < "$made/few"
    awk -v model="${model/ --variant/,}" -v jobs="$(grep -vc '^;' "$made/many.swf")" -v seconds="$seconds" \
        -v begun="$few_seconds" -v peak="$peak" -v few="$few" -v strictly="$strictly" 'BEGIN {
            printf "| %s | %d | %.1f (%.1f with 1,000) | %.0f | %.0f | %s |\n", model, jobs, seconds, begun, peak / 1024,
                few / 1024, strictly }'
done
