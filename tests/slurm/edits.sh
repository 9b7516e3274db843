#!/usr/bin/env bash
# Changes by administrators while jobs wait: limits, numbers of nodes and partitions of head jobs and candidates, and the
# states of partitions. The next cycle goes by the new values.
. "$(dirname "$0")/lib.sh"

games=$(id -u games) mail=$(id -u mail)
SCHEDULER=sched/surefill PARAMETERS=$OURS,surefill_preset=easy \
    PARTITIONS='PartitionName=main Nodes=n[1-4] Default=YES MaxTime=INFINITE
PartitionName=second Nodes=n[1-4] MaxTime=INFINITE
PartitionName=other Nodes=n[5-6] MaxTime=INFINITE' cluster_make "$work/cluster" 6
seed "$CLUSTER/state/surefill_state" "$mail:7000:40:120:1" "$games:600:40:60:3"
cluster_start

pending() { [ "$(timeout 5 squeue -h -j "$1" -o %t)" = PD ]; }
reason_is() { [ "$(timeout 5 squeue -h -j "$1" -o %r)" = "$2" ]; }
cycles() { grep -c 'surefill: cycle' "$CLUSTER/log/slurmctld"; }
cycled() { [ "$(cycles)" -gt "$1" ]; }
waits_behind() { # JOB: it has been decided, and waits for others
    wait_for 10 reason_is "$1" Priority && wait_for 10 cycled $(($(cycles) + 1)) && pending "$1"
}
# Later releases refuse what comes while the job's own changes are being written: once more, then.
change() {
    local _
    for _ in {1..50}; do
        timeout 10 scontrol update "$@" 2>"$work/change" && return
        grep -q 'temporarily unavailable' "$work/change" || break
        sleep 0.1
    done
    cat "$work/change" >&2
    return 1
}

# --- Jobs ---

busy=$(job games 3 60 1000)
wait_for 20 has_run "$busy"

# A candidate's limit: with two hours it would delay the head job, with a minute it ends in time.
head=$(job games 4 60 0.1)
candidate=$(job mail 1 120 0.1)
waits_behind "$candidate" || fail "the long candidate is not refused"
pending "$candidate" || fail "the long candidate has started"
change JobId="$candidate" TimeLimit=1
wait_for 10 is_completed "$candidate" || fail "a candidate with a shorter limit does not start"

# A candidate's number of nodes: two are not there, one is.
candidate=$(job mail 2 1 0.1)
sleep 1 # some cycles
pending "$candidate" || fail "a candidate starts on nodes that are not there"
change JobId="$candidate" NumNodes=1 NumTasks=1 NumCPUs=1
wait_for 10 is_completed "$candidate" || fail "a candidate with fewer nodes does not start"

# A candidate's partition.
candidate=$(job mail 1 120 0.1)
sleep 1
pending "$candidate" || fail "the long candidate has started"
change JobId="$candidate" Partition=other
wait_for 10 is_completed "$candidate" || fail "a candidate does not start in the partition into which it was moved"

# The head job's number of nodes, and its limit, which is no reason to wait.
change JobId="$head" TimeLimit=30
sleep 1
pending "$head" || fail "the head job has started"
change JobId="$head" NumNodes=1 NumTasks=1 NumCPUs=1
wait_for 10 is_completed "$head" || fail "the head job does not start when it needs one node alone"

# The head job's partition: the next job is the head.
head=$(job games 4 60 0.1)
next=$(job games 4 60 0.1)
candidate=$(job mail 1 120 0.1)
waits_behind "$candidate" || fail "the candidate is not refused"
change JobId="$head" Partition=other NumNodes=2 NumTasks=2 NumCPUs=2
wait_for 10 is_completed "$head" || fail "the head job does not start in the partition into which it was moved"
waits_behind "$candidate" || fail "the next job is not the head"
timeout 10 scancel "$next"
wait_for 10 is_completed "$candidate" || fail "a candidate does not start when the head job is gone"
say "limits, numbers of nodes, partitions of head jobs and candidates: the next cycle goes by them"

# --- Partitions: main and second have the same nodes, one pool ---

refused() { ! timeout 20 sbatch -D / -o /dev/null -p "$1" --wrap true >/dev/null 2>&1; }
pause() { # STATE REASON: the head job in main is none then, and comes back
    local head candidate
    head=$(job games 4 60 0.1)
    candidate=$(job mail 1 120 1000 -p second)
    waits_behind "$candidate" || fail "$1: the candidate is not refused"
    change PartitionName=main State="$1"
    wait_for 10 has_run "$candidate" || fail "$1: a job keeps others back that cannot start itself"
    wait_for 10 reason_is "$head" "$2" || fail "$1: the job waits for $(timeout 5 squeue -h -j "$head" -o %r)"
    running "$busy" || fail "$1: the job that ran does so no more"
    timeout 10 scancel "$candidate"
    wait_for 10 is_completed "$candidate"
    change PartitionName=main State=UP
    candidate=$(job mail 1 120 0.1 -p second)
    waits_behind "$candidate" || fail "$1 and UP again: the job is not the head"
    timeout 10 scancel "$candidate" "$head"
}
pause DOWN PartitionDown
change PartitionName=main State=DOWN
refused main && fail "DOWN: slurmctld refuses a job"
timeout 10 scancel --state=PENDING --user=root
change PartitionName=main State=UP
pause INACTIVE PartitionInactive
change PartitionName=main State=INACTIVE
refused main || fail "INACTIVE: slurmctld takes a job"
change PartitionName=main State=UP

# DRAIN: what waits still starts in its turn.
head=$(job games 4 60 0.1)
candidate=$(job mail 1 120 0.1 -p second)
change PartitionName=main State=DRAIN
refused main || fail "DRAIN: slurmctld takes a job"
waits_behind "$candidate" || fail "DRAIN: the job that waits is not the head"
timeout 10 scancel "$busy"
wait_for 20 is_completed "$head" || fail "DRAIN: the job that waits does not start"
wait_for 20 is_completed "$candidate"
change PartitionName=main State=UP
wait_for 20 queue_empty
logged '; from here on' && fail "the plugin fell back to limits"
say "partitions UP, DOWN, INACTIVE and DRAIN: who cannot start in them keeps nobody back"
