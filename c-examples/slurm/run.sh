#!/usr/bin/env bash
# Shows the plugin at work: the same stream of jobs under Slurm's own backfill and under sched/surefill, side by side on
# this machine, each in a cluster of its own.
#
#   run.sh [--shared] [NODES [JOBS]]     16 nodes, 120 jobs; needs root, the packages and the build of scripts/check-slurm.sh
#
# With --shared the nodes have eight cores, memory and four GPUs each, and most jobs have parts of a node. The jobs
# are those of four users, who ask for the same and differ in how long their jobs run: by half to twice of what is
# usual. SEED=5 draws another stream, SLOWER=4 makes the jobs and the time between them four times as long,
# WORDS=,surefill_mode=limits adds to the parameters.
set -euo pipefail
shared=
arguments=("$@")
[ "${1:-}" != --shared ] || { shared=1 && shift; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
built=${BUILD:-$here/../../build/slurm}
nodes=${1:-16} jobs=${2:-120}
. "$here/cluster.sh"
cluster_isolate bash "$0" "${arguments[@]}"
work=$(mktemp -d) && chmod 711 "$work"
trap 'cluster_stop; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
[ -e "$built/sched_surefill.so" ] || {
    echo "run.sh: build the plugin first: scripts/check-slurm.sh" >&2
    exit 1
}

# User, limit in minutes, seconds it runs, name, nodes and what it has of each: three kinds of jobs whose limits say little
# about their run times.
stream() {
    awk -v jobs="$jobs" -v nodes="$nodes" -v shared="$shared" -v seed="${SEED:-4}" 'function gpus(count) {
            return shared ? " -c " count " --gres=gpu:" count " --mem=" 1500 * count : ""
        }
        function print_job(minutes, seconds, name, width, parts) {
            user = 1 + int(4 * rand())
            printf "%s %d %.1f %s %d%s\n", users[user], minutes, seconds * slower[user], name, width, parts
        }
        BEGIN {
        srand(seed)
        split("games man mail news", users)
        split("0.5 0.8 1.2 2", slower)
        for (i = 0; i < jobs; i++) {
            kind = rand()
            if (kind < 0.5) print_job(30 + 60 * int(rand() * 3), 0.2 + rand(), "test", shared ? 1 : 1 + int(rand() * 2), gpus(1))
            else if (kind < (shared ? 0.8 : 0.85))
                print_job(60, 2 + 2 * rand(), "model", 1 + (shared ? int(2 * rand()) : int(rand() * nodes / 3)), gpus(2))
            else print_job(30, 1 + rand(), "wide", shared ? 1 + int(nodes * rand() / 2) : int(nodes * (0.5 + rand() / 2)), gpus(4))
        }
    }'
}

slowly() { awk "BEGIN { print $1 * ${SLOWER:-1} }"; } # SECONDS
run_one() { # NAME
    local user wish minutes seconds name
    if [ -n "$shared" ]; then
        NODE_CPUS=8 EXTRA_CONF='GresTypes=gpu
DefMemPerCPU=100
NodeName=DEFAULT RealMemory=8000 Gres=gpu:4' cluster_make "$work/$1" "$nodes"
        sed -i 's/^SelectTypeParameters=CR_Core$/SelectTypeParameters=CR_Core_Memory/' "$CLUSTER/slurm.conf"
        touch "$CLUSTER"/gpu{0,1,2,3}
        echo "Name=gpu File=$CLUSTER/gpu[0-3]" >"$CLUSTER/gres.conf"
    else
        cluster_make "$work/$1" "$nodes"
    fi
    cluster_start
    stream | while read -r user minutes seconds name wish; do
        # shellcheck disable=SC2086 # the number of nodes, and options
        timeout 20 sbatch -Q --uid="$user" -D / -o /dev/null -t "$minutes" -J "$name" -N $wish --wrap "sleep $(slowly "$seconds")" >/dev/null
        sleep "$(slowly 0.2)"
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

echo "running $jobs jobs (seed ${SEED:-4}) on $nodes nodes twice, side by side..."
(
    trap cluster_stop EXIT
    SCHEDULER=sched/backfill PARAMETERS=bf_interval=1,bf_resolution=1,bf_continue,sched_min_interval=0 \
        CLUSTER_PORT=$((CLUSTER_PORT + 100)) run_one backfill
) &
stock=$!
PLUGIN_FOLDER=$built SCHEDULER=sched/surefill \
    PARAMETERS=defer,sched_interval=-1${WORDS:-} run_one surefill
wait $stock
for name in backfill surefill; do
    awk -v name="sched/$name" '{ jobs[$1]++; wait[$1] += $2; all += $2; if ($2 > most) most = $2 }
        END { printf "%-16s %d jobs: mean wait %.1f s, longest %d s", name, NR, all / NR, most
              for (kind in jobs) printf "; %s %.1f s", kind, wait[kind] / jobs[kind]; print "" }' "$work/$name.waits"
done
echo "sched/surefill let $(cat "$work/surefill.backfilled") jobs overtake"
