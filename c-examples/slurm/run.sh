#!/usr/bin/env bash
# Shows the plugin at work: the same stream of jobs under Slurm's own backfill and under sched/surefill, side by side on
# this machine, each in a cluster of its own.
#
#   run.sh [NODES [JOBS]]     16 nodes, 120 jobs; needs root, the packages and the build of scripts/check-slurm.sh
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
built=${BUILD:-$here/../../build/slurm}
nodes=${1:-16} jobs=${2:-120}
. "$here/cluster.sh"
cluster_isolate bash "$0" "$@"
work=$(mktemp -d) && chmod 711 "$work"
trap 'cluster_stop; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
[ -e "$built/sched_surefill.so" ] || {
    echo "run.sh: build the plugin first: scripts/check-slurm.sh" >&2
    exit 1
}

# Width, limit in minutes, seconds it runs, name: three kinds of jobs whose limits say little about their run times.
stream() {
    awk -v jobs="$jobs" -v nodes="$nodes" 'BEGIN {
        srand(4)
        for (i = 0; i < jobs; i++) {
            kind = rand()
            if (kind < 0.5) printf "%d %d %.1f test\n", 1 + rand() * 2, 30 + 60 * int(rand() * 3), 0.2 + rand()
            else if (kind < 0.85) printf "%d 60 %.1f model\n", 1 + rand() * nodes / 3, 2 + 2 * rand()
            else printf "%d 30 %.1f wide\n", nodes * (0.5 + rand() / 2), 1 + rand()
        }
    }'
}

run_one() { # NAME
    local width minutes seconds name
    cluster_make "$work/$1" "$nodes"
    cluster_start
    stream | while read -r width minutes seconds name; do
        timeout 20 sbatch -Q -D / -o /dev/null -N "$width" -t "$minutes" -J "$name" --wrap "sleep $seconds" >/dev/null
        sleep 0.2
    done
    wait_for 500 queue_empty
    while read -r line; do
        submitted=$(echo "$line" | sed 's/.* SubmitTime=\([^ ]*\) .*/\1/')
        started=$(echo "$line" | sed 's/.* StartTime=\([^ ]*\) .*/\1/')
        name=$(echo "$line" | sed 's/.* Name=\([^ ]*\) .*/\1/')
        echo "$name $(($(date -d "$started" +%s) - $(date -d "$submitted" +%s)))"
    done <"$CLUSTER/completed" >"$work/$1.waits"
    sed -n 's/.* \([0-9]*\) backfilled;.*/\1/p' "$CLUSTER/log/slurmctld" |
        awk '{ n += $1 } END { print n + 0 }' >"$work/$1.backfilled"
    cluster_stop
}

echo "running $jobs jobs on $nodes nodes twice, side by side..."
(
    trap cluster_stop EXIT
    SCHEDULER=sched/backfill PARAMETERS=bf_interval=1,bf_resolution=1,bf_continue,sched_min_interval=0 \
        CLUSTER_PORT=$((CLUSTER_PORT + 100)) run_one backfill
) &
stock=$!
PLUGIN_FOLDER=$built SCHEDULER=sched/surefill \
    PARAMETERS=defer,sched_interval=-1 run_one surefill
wait $stock
for name in backfill surefill; do
    awk -v name="sched/$name" '{ jobs[$1]++; wait[$1] += $2; all += $2; if ($2 > most) most = $2 }
        END { printf "%-16s %d jobs: mean wait %.1f s, longest %d s", name, NR, all / NR, most
              for (kind in jobs) printf "; %s %.1f s", kind, wait[kind] / jobs[kind]; print "" }' "$work/$name.waits"
done
echo "sched/surefill let $(cat "$work/surefill.backfilled") jobs overtake"
