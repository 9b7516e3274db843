#!/usr/bin/env bash
# Two partitions that overlap in part: every job has its turn, jobs of several partitions start where there is room, no job
# takes a head job's nodes, and the waits are no longer than under stock sched/backfill beside it.
#
#   JOBS=340 SEED=12 overlap.sh BUILD      how many jobs and which; 90 and 11 unless said otherwise
. "$(dirname "$0")/lib.sh"

PARTITIONS='PartitionName=left Nodes=n[1-5] Default=YES MaxTime=INFINITE OverSubscribe=EXCLUSIVE
PartitionName=right Nodes=n[4-8] MaxTime=INFINITE OverSubscribe=EXCLUSIVE'
games=$(id -u games) man=$(id -u man)
gated() { TASK="until [ -e $CLUSTER/gate ]; do sleep 0.1; done" job "$@"; }
pending() { [ "$(timeout 5 squeue -h -j "$1" -o %t)" = PD ]; }
reason() { [ "$(timeout 5 squeue -h -j "$1" -o %r)" = "$2" ]; }

turns() {
    local busy left right both small
    cluster_make "$work/turns" 8
    seed "$CLUSTER/state/surefill_state" "$games:3000:40:60:3" "$man:1:40:120:1"
    cluster_start

    # The head of left waits for all its nodes; the job of both partitions starts on right's, whose nodes no job waits for.
    busy=$(gated games 1 60 0 -p left -w n1)
    wait_for 20 has_run "$busy"
    left=$(job games 5 60 0.1 -p left)
    both=$(job games 3 600 0.1 -p left,right)
    wait_for 10 is_completed "$both" || fail "a job of two partitions waits while one of them has idle nodes"

    # Right's own job of all its nodes, two of which left's waits for, ends before left's can start, by what is known of its
    # user: it runs meanwhile. So does a small one.
    right=$(job man 5 120 0.1 -p right)
    wait_for 10 is_completed "$right" || fail "a job that ends in time has to wait"
    small=$(job man 1 10 0.1 -p right)
    wait_for 10 is_completed "$small" || fail "a small job that ends in time has to wait"
    pending "$left" || fail "left's job starts before its nodes are free"
    wait_for 5 reason "$left" Resources
    touch "$CLUSTER/gate"
    wait_for 40 queue_empty
    check_runs
    cluster_stop
}

jobs=${JOBS:-90}
# Width, limit in minutes, tenths of seconds it runs, partition: Lehmer's generator.
stream() {
    awk -v jobs="$jobs" -v x="${SEED:-11}" 'function random(n) { x = x * 16807 % 2147483647; return x % n }
        BEGIN {
            split("left right left,right", places)
            for (i = 0; i < jobs; i++) {
                wide = random(4) == 0 ? 3 + random(3) : 1 + random(2)
                print wide, 1 + random(60), 2 + random(25), places[1 + random(3)]
            }
        }'
}

run_stream() { # NAME
    local nodes minutes tenths place
    cluster_make "$work/$1" 8
    cluster_start
    stream | while read -r nodes minutes tenths place; do
        timeout 20 sbatch -Q -D / -o /dev/null -p "$place" -N "$nodes" -t "$minutes" \
            --wrap "sleep $((tenths / 10)).$((tenths % 10))" >/dev/null
    done
    wait_for $((60 + jobs)) queue_empty
    [ "$(grep -c JobState=COMPLETED "$CLUSTER/completed")" = "$(stream | wc -l)" ] || fail "$1: not every job completed once"
    sed -n 's/.* SubmitTime=\([^ ]*\).*/\1/p' "$CLUSTER/completed" | date -f - +%s >"$work/$1.submitted"
    sed -n 's/.* StartTime=\([^ ]*\).*/\1/p' "$CLUSTER/completed" | date -f - +%s |
        paste "$work/$1.submitted" - | awk '{ n += $2 - $1 } END { printf "%d\n", 10 * n / NR }' >"$work/$1.mean"
    cluster_stop
}

SCHEDULER=sched/surefill PARAMETERS=$OURS turns
(
    trap cluster_stop EXIT
    SCHEDULER=sched/backfill PARAMETERS=bf_interval=1,bf_resolution=1,bf_continue,sched_min_interval=0 \
        CLUSTER_PORT=$((CLUSTER_PORT + 100)) run_stream stock
) &
stock=$!
SCHEDULER=sched/surefill PARAMETERS=defer,sched_interval=-1 run_stream surefill # as installed
wait $stock || fail "the stream under sched/backfill failed"
ours=$(cat "$work/surefill.mean") theirs=$(cat "$work/stock.mean")
say "$(stream | wc -l) jobs on two overlapping partitions wait $((ours / 10)).$((ours % 10)) s in the mean, under" \
    "sched/backfill $((theirs / 10)).$((theirs % 10)) s"
check "tenths of seconds in the mean" "$ours" -le $((theirs + theirs / 7 + 10))
