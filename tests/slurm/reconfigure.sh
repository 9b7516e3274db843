#!/usr/bin/env bash
# Reconfigurations and restarts while a head job waits. From 23.11 on a reconfiguration starts slurmctld anew, and whenever
# it starts it knows of no node until that has registered: no job overtakes the head job on nodes that were collected for it
# meanwhile. A node that does not come back is waited for no longer than Slurm does, one that is drained not at all.
. "$(dirname "$0")/lib.sh"

games=$(id -u games) man=$(id -u man)
SCHEDULER=sched/surefill NODE_CPUS=4 PARAMETERS=$OURS,surefill_preset=easy,surefill_save=1 cluster_make "$work/cluster" 8
cluster_start

in_service() { [ "$(timeout 5 sinfo -h -N -t idle,alloc,mixed,planned -o %N | sort -u | wc -l)" = "$1" ]; }
cycles() { grep -c 'surefill: cycle' "$CLUSTER/log/slurmctld"; }
cycled() { [ "$(cycles)" -gt "$1" ]; }
waits() { ! has_run "$behind" || fail "$1: a job has started on the nodes that the head job waits for"; }
settled() { # WHEN: the whole machine has been in service for a cycle, and nobody has overtaken
    wait_for 30 in_service 8 || fail "$1: nodes do not come back: $(timeout 5 sinfo -h -N -o '%N %T')"
    wait_for 10 cycled "$(cycles)"
    waits "$1"
}
answers() { kill -"$2" "$(cat "$CLUSTER/pid/slurmd.$1.run")"; } # NODE STOP|CONT
registered() { grep -c 'surefill: all nodes that were in service have registered' "$CLUSTER/log/slurmctld" || true; }
has_registered() { [ "$(registered)" -gt "$1" ]; }

busy=$(job games 2 60 1000 -w 'n[1-2]' --exclusive)
wait_for 20 has_run "$busy"
head=$(job games 8 60 0.1 --exclusive)
behind=$(job man 2 100 0.1 --exclusive)
settled "before all"

# Under both modes; in some one of the nodes answers late, as some do in large clusters.
for round in $(seq 15); do
    case $((round % 4)) in
    1) sed -i 's/surefill_save=1$/surefill_mode=limits/' "$CLUSTER/slurm.conf" ;;
    3) sed -i 's/surefill_mode=limits$/surefill_save=1/' "$CLUSTER/slurm.conf" ;;
    esac
    [ $((round % 7)) != 0 ] || answers n8 STOP
    timeout 20 scontrol reconfigure || fail "reconfiguration $round"
    [ $((round % 7)) != 0 ] || {
        sleep 1
        waits "reconfiguration $round, one node late"
        answers n8 CONT
    }
    settled "reconfiguration $round"
done
say "15 reconfigurations: nobody has overtaken the head job"

# Restarts, stopped in order and killed.
for round in $(seq 4); do
    if [ $((round % 2)) = 0 ]; then ctld_kill; else ctld_stop; fi
    ctld_start
    wait_for 20 in_service 8
    settled "restart $round"
done
say "4 restarts: nobody has overtaken the head job"

# A restart with a node that answers late, which is known from the state file after a kill, too.
answers n8 STOP
ctld_kill
ctld_start
wait_for 10 logged 'surefill: nodes that have not registered yet: '
sleep 1
waits "a restart, one node late"
answers n8 CONT
settled "a restart"

# A node that has died meanwhile is given up when Slurm gives it up: the head job needs all eight, and is none then.
ctld_kill
node_kill n8
begun=$(date +%s)
ctld_start
wait_for 40 has_run "$behind" || fail "a job waits for a node that is dead"
check "the job behind the head job starts when the time of the dead node is over" $(($(date +%s) - begun)) -ge 9
logged 'surefill: nodes that have not registered within 10 s: 1;' || fail "nobody said that the node is given up"
wait_for 20 is_completed "$behind"
say "restarts: a late node is waited for, a dead one no longer than Slurm does"

# One that is drained is not waited for.
node_start n8
wait_for 30 in_service 8
timeout 10 scontrol update NodeName=n8 State=DRAIN Reason=test
answers n8 STOP
ctld_stop
before=$(registered)
ctld_start
behind=$(job man 2 100 0.1 --exclusive)
wait_for 8 has_run "$behind" || fail "a job waits for a node that is drained"
wait_for 5 has_registered "$before"

# All is as it was when the node is back.
answers n8 CONT
wait_for 20 is_completed "$behind"
timeout 10 scontrol update NodeName=n8 State=RESUME
timeout 10 scancel "$busy"
wait_for 40 is_completed "$head" || fail "the head job does not start: $(timeout 5 squeue -h -o '%i %r')"
say "a drained node is not waited for; with all nodes the head job has started"

# The head job of a reservation, which waits for those of the same alone.
timeout 10 scontrol create reservation ReservationName=ours Nodes='n[5-8]' Users=games,man StartTime=now Duration=1-0 >/dev/null
inside=$(job games 1 60 1000 -w n5 --exclusive --reservation=ours)
wait_for 20 has_run "$inside"
head=$(job games 4 60 0.1 --exclusive --reservation=ours)
behind=$(job man 2 100 0.1 --exclusive --reservation=ours)
settled "in a reservation"
answers n8 STOP
ctld_stop
ctld_start
wait_for 20 in_service 7
sleep 1
waits "a restart, one node of the reservation late"
answers n8 CONT
settled "a restart with a reservation"
timeout 10 scancel "$inside"
wait_for 40 is_completed "$head" || fail "the reservation's head job does not start: $(timeout 5 squeue -h -o '%i %r')"
wait_for 20 queue_empty
check_runs "$busy" "$inside"
say "nor has anybody overtaken the head job of a reservation"
