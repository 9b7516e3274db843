#!/usr/bin/env bash
# With time limits only, the plugin starts jobs in the order in which Slurm's own sched/backfill does when that is
# configured as EASY: one reservation, the finest resolution, a cycle every second.
. "$(dirname "$0")/lib.sh"

PHASE=3 # seconds

# Nodes, limit in minutes, phases it runs. A job ends at the end of a phase, and the stream was chosen so that under EASY
# on eight nodes no two jobs end together: whoever has nodes freed for it is then the same whatever a scheduler's own
# rhythm. By EASY ten jobs overtake others here, and thirteen times one is refused. They stand here in order of priority,
# by which they are named, and are submitted in another one.
stream() {
    printf '%s\n' '3 20 5' '6 12 1' '2 45 2' '2 45 2' '2 4 1' '3 60 2' '2 60 2' '3 12 2' '3 4 6' '4 2 1' '4 2 3' \
        '1 45 4' '3 2 2' |
        awk '{ line[NR] = NR " " $0 } END { for (i = 1; i <= NR; i++) print line[1 + i * 5 % NR] }'
}

# run_stream NAME PORT: submits everything while the partition is down, then opens it. Prints the jobs phase by phase.
run_stream() {
    local rank nodes minutes phases zero script
    cluster_make "$work/$1" 8
    cluster_start
    timeout 10 scontrol update PartitionName=main State=DOWN
    script="t=\$(cat $CLUSTER/zero); n=\$(date +%s%3N); e=\$((t + ((n - t) / 1000 / $PHASE + PHASES) * 1000 * $PHASE))"
    # shellcheck disable=SC2016
    script="$script;"'exec sleep $(printf %d.%03d $(((e - n) / 1000)) $(((e - n) % 1000)))'
    stream | while read -r rank nodes minutes phases; do
        timeout 20 sbatch -Q -D / -o /dev/null -N "$nodes" -t "$minutes" -J "$rank" --nice=$((100 * rank)) \
            --wrap "${script/PHASES/$phases}" >/dev/null
    done
    date +%s%3N >"$CLUSTER/zero"
    zero=$(($(cat "$CLUSTER/zero") / 1000))
    timeout 10 scontrol update PartitionName=main State=UP
    wait_for 80 queue_empty
    [ "$(grep -c JobState=COMPLETED "$CLUSTER/completed")" = "$(stream | wc -l)" ] ||
        fail "$1: not every job completed once"
    sed -n 's/.* Name=\([0-9]*\) .* StartTime=\([^ ]*\) .*/\1 \2/p' "$CLUSTER/completed" | while read -r rank phases; do
        echo "$((($(date -d "$phases" +%s) - zero) / PHASE)) $rank"
    done | sort -n -k1,1 -k2,2 | awk '$1 != last { if (NR > 1) print ""; printf "%s:", $1 } { printf " %s", $2; last = $1 }
                                      END { print "" }' >"$work/$1.order"
    cluster_stop
}

easy=bf_interval=1,bf_resolution=1,bf_job_part_count_reserve=1,bf_continue,sched_min_interval=0
(
    trap cluster_stop EXIT
    SCHEDULER=sched/backfill PARAMETERS=$easy CLUSTER_PORT=$((CLUSTER_PORT + 100)) run_stream backfill
) &
stock=$!
SCHEDULER=sched/surefill PARAMETERS=$OURS,surefill_mode=limits run_stream surefill
wait $stock || fail "the stream under sched/backfill failed"
diff -u --label sched/backfill --label sched/surefill "$work/backfill.order" "$work/surefill.order" >&2 ||
    fail "the orders differ (phase: jobs)"
check "phases with starts" "$(wc -l <"$work/surefill.order")" -ge 10
say "$(stream | wc -l) jobs start in the same order under both (phase: jobs): $(paste -sd ',' "$work/surefill.order")"
