#!/usr/bin/env bash
# Seconds until a job starts on an idle cluster, and after the end of another, with the default longest time between two
# cycles (five seconds), compared with stock sched/backfill. salloc -I gets its nodes as there.
. "$(dirname "$0")/lib.sh"

milliseconds() { date +%s%3N; }
# took TIMES COMMAND...: the quickest of TIMES runs, in milliseconds: what else runs on the machine makes it slower only.
took() {
    local times=$1 best='' begun spent
    shift
    for _ in $(seq "$times"); do
        begun=$(milliseconds)
        "$@" >/dev/null 2>"$work/took" || fail "$name: $* failed: $(cat "$work/took")"
        spent=$(($(milliseconds) - begun))
        [ -n "$best" ] && [ "$best" -le $spent ] || best=$spent
        wait_for 10 nodes_idle
    done
    echo "$best"
}
end_and_start() { # the time from the end of one job to the start of the next, which waits for its nodes
    local gate=$CLUSTER/gate.$RANDOM one two
    one=$(TASK="until [ -e $gate ]; do sleep 0.02; done; date +%s%3N >$gate.ended" job root 2 1 0)
    wait_for 10 has_run "$one"
    two=$(TASK="date +%s%3N >$gate.started" job root 2 1 0)
    sleep 1 # nothing happens any more
    touch "$gate"
    wait_for 20 is_completed "$two" || return 1
    echo $(($(cat "$gate.started") - $(cat "$gate.ended")))
}

quick() { # NAME
    local name=$1 srun salloc best='' after
    cluster_make "$work/$name" 2
    cluster_start
    srun=$(took 8 timeout 60 srun -D / -N 1 true)
    salloc=0 # with defer slurmctld itself refuses it, below
    [[ ${PARAMETERS:-} == *defer* ]] || salloc=$(took 4 timeout 60 salloc -Q -I -N 2 true)
    if [[ ${PARAMETERS:-} == *defer* ]] && timeout 60 salloc -Q -I -N 1 true 2>"$work/refused"; then
        fail "$name: slurmctld starts salloc -I"
    fi
    for _ in 1 2 3 4; do
        after=$(end_and_start) || fail "$name: the second job does not start"
        [ -n "$best" ] && [ "$best" -le "$after" ] || best=$after
    done
    echo "$srun $salloc $best" >"$work/$name.times"
    echo "$name: srun true $srun ms, salloc -I $salloc ms, a job $best ms after the end of the one before it"
    cluster_stop
}

SCHEDULER=sched/backfill quick stock | sed "s/^/$test_name: /"
SCHEDULER=sched/surefill PARAMETERS=sched_interval=-1 quick surefill | sed "s/^/$test_name: /"
SCHEDULER=sched/surefill PARAMETERS=defer,sched_interval=-1 quick deferred | sed "s/^/$test_name: /"
read -r srun salloc after <"$work/surefill.times"
read -r stock_srun stock_salloc stock_after <"$work/stock.times"
check "milliseconds for srun" "$srun" -le $((2 * stock_srun + 100))
check "milliseconds for salloc -I" "$salloc" -le $((2 * stock_salloc + 100))
check "milliseconds from an end to the next start" "$after" -le $((stock_after + 150))
read -r srun salloc after <"$work/deferred.times"
check "milliseconds for srun with defer" "$srun" -le $((2 * stock_srun + 250))
check "milliseconds from an end to the next start with defer" "$after" -le $((stock_after + 150))
