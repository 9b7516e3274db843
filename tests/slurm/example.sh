#!/usr/bin/env bash
# The example that shows the plugin at work, small: both schedulers bring every job to its end, and the figures come out.
set -euo pipefail
built=$1
jobs=12
shown=$(BUILD=$built timeout 150 "$(dirname "$0")/../../c-examples/slurm/run.sh" 4 $jobs)
for name in backfill surefill; do
    grep -Eq "^sched/$name +$jobs jobs: mean wait [0-9.]+ s, longest [0-9]+ s; " <<<"$shown" || {
        printf 'example: nothing about sched/%s in\n%s\n' $name "$shown" >&2
        exit 1
    }
done
grep -Eq '^sched/surefill let [0-9]+ jobs overtake$' <<<"$shown" || {
    printf 'example: nothing about jobs that overtake in\n%s\n' "$shown" >&2
    exit 1
}
sed 's/^/example: /' <<<"$shown"
