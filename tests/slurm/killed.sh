#!/usr/bin/env bash
# A quiet cluster whose slurmctld is killed some seconds after a start: the job goes on, and by its own account runs once.
# Beside it stock sched/backfill, for starts in order: what it lets overtake it does not save either. (The stream test is
# too busy to see this: there some event always makes slurmctld save its jobs.)
. "$(dirname "$0")/lib.sh"

games=$(id -u games) man=$(id -u man) mail=$(id -u mail)
SAVED=8 # seconds after which a start has been saved: slurmctld waits for up to five between two saves

wait_at_gate() { TASK="until [ -e $CLUSTER/gate$round ]; do sleep 0.2; done" job "$@"; }
# kill_and_see JOB...: they have started; nothing else happens until the kill.
kill_and_see() {
    local number
    for number in "$@"; do wait_for 20 has_run "$number"; done
    sleep $SAVED
    ctld_kill
    ctld_start
    for number in "$@"; do
        wait_for 20 running "$number" || fail "$name, round $round: JobId=$number does not run after the kill"
    done
}
# Every job named has run once.
end_round() {
    local number
    touch "$CLUSTER/gate$round"
    wait_for 40 queue_empty
    for number in "$@"; do
        check "$name, round $round: runs of JobId=$number" "$(grep -cx "$number" "$work/ran")" -eq 1
    done
}

quiet() { # NAME
    local name=$1 round batch array srun busy head over
    cluster_make "$work/$name" 6
    [ "$name" = stock ] ||
        seed "$CLUSTER/state/surefill_state" "$games:3000:40:60:3" "$man:1:40:120:1" "$mail:7000:40:120:1"
    cluster_start

    # One job, started in order of priority.
    round=1
    batch=$(wait_at_gate games 1 60 0)
    kill_and_see "$batch"
    end_round "$batch"

    # An array, and a job of srun, which waits for its end.
    round=2
    array=$(wait_at_gate games 1 60 0 --array=0-1)
    (
        cd /
        timeout 120 srun -N 1 -t 60 \
            bash -c "echo \$SLURM_JOB_ID >>$work/srun; until [ -e $CLUSTER/gate2 ]; do sleep 0.2; done"
        touch "$work/srun.done"
    ) >"$work/srun.out" 2>&1 &
    srun=$!
    wait_for 40 test -s "$work/srun" || fail "$name: srun has not begun: $(cat "$work/srun.out"; timeout 5 squeue)"
    kill_and_see "$array" # the last task has the array's number
    [ "$(timeout 5 squeue -h -r -t RUNNING -j "$array" -o %i | wc -l)" = 2 ] || fail "$name: the array's tasks do not run"
    end_round "$array"
    check "$name: runs of one job and of two tasks" "$(wc -l <"$work/ran")" -eq 3
    wait $srun || fail "$name: srun failed: $(cat "$work/srun.out")"
    [ -e "$work/srun.done" ] || fail "$name: srun has not come to its end: $(cat "$work/srun.out")"
    check "$name: runs of srun's job" "$(wc -l <"$work/srun")" -eq 1

    # A job started ahead of the head of the queue.
    for round in 3 4; do
        [ "$name" = surefill ] || break
        busy=$(wait_at_gate games 4 60 0)
        wait_for 20 has_run "$busy"
        head=$(job games 6 60 0.1)
        over=$(wait_at_gate man 1 2 0)
        kill_and_see "$busy" "$over"
        check "$name: the head job waits" "$(timeout 5 squeue -h -t PENDING -j "$head" -o %i | wc -l)" -eq 1
        end_round "$busy" "$over" "$head"
    done
    wait_for 20 nodes_idle || fail "$name: not all nodes are idle: $(sinfo -h -N -o '%N %t')"
    cluster_stop
}

(
    trap cluster_stop EXIT
    work=$work/beside
    mkdir -m 711 "$work"
    : >"$work/ran" && chmod 666 "$work/ran"
    SCHEDULER=sched/backfill CLUSTER_PORT=$((CLUSTER_PORT + 100)) quiet stock
) >"$work/stock" 2>&1 &
stock=$!
SCHEDULER=sched/surefill PARAMETERS=$OURS quiet surefill
wait $stock || fail "sched/backfill itself fails: $(cat "$work/stock")"
say "slurmctld was killed four times, $SAVED s after a start in order, of an array and srun, and (twice) ahead of the" \
    "head: every job has run once"
