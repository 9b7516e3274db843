#!/usr/bin/env bash
# Output for users and administrators beside the decisions: expected starts of all waiting jobs in squeue --start, planned
# nodes in sinfo, the backfill counters of sdiag, reasons, the parameters in effect; on whole nodes and on shared ones.
. "$(dirname "$0")/lib.sh"

games=$(id -u games) man=$(id -u man)
starts() { timeout 10 squeue --start -h -o '%A %S' | sort -n; }
expected() { [ "$(starts | grep -cE '^[0-9]+ 20[0-9-]+T')" = "$1" ]; }
start_of() { date -d "$(starts | awk -v job="$1" '$1 == job { print $2 }')" +%s; }
counter() { timeout 10 sdiag | sed -n "/Backfilling stats/,\$s/^\t$1: *\([0-9]*\).*/\1/p" | head -n 1; }
planned() { [ "$(timeout 5 sinfo -h -N -t planned -o %N | sort -u | wc -l)" = "$1" ]; }
reason() { timeout 5 squeue -h -j "$1" -o %r; }

# Whole nodes: games' jobs run for ten minutes of their hour, man's for a second.
cluster_make "$work/whole" 4
sed -i 's/^SchedulerType=.*/SchedulerType=sched\/surefill/' "$CLUSTER/slurm.conf"
echo "SchedulerParameters=$OURS,surefill_save=1" >>"$CLUSTER/slurm.conf"
seed "$CLUSTER/state/surefill_state" "$games:600:40:60:3" "$man:1:40:60:1"
cluster_start
wait_for 10 logged 'surefill: mode on, '
busy=$(TASK="until [ -e $CLUSTER/gate ]; do sleep 0.1; done" job games 3 60 0)
wait_for 20 running "$busy"
head=$(job games 4 60 1)
array=$(job games 2 60 1 --array=0-3)
over=$(job man 1 60 1)
held=$(job man 1 60 1 --hold)
last=$(job games 4 60 1)
wait_for 20 is_completed "$over"
wait_for 30 expected 3 || fail "not all waiting jobs have an expected start: $(starts)"
# By its limit the busy job ends in an hour, by what games' jobs ran in ten minutes.
predicted() { [ $(($(start_of "$head") - $(date +%s))) -lt 3500 ]; }
wait_for 10 predicted || fail "the head job's start is predicted by limits: $(starts)"
check "the head job's expected start, seconds from now" $(($(start_of "$head") - $(date +%s))) -gt 60
starts | grep -q "^$held N/A" || fail "a held job is given a start: $(starts)"
wait_for 20 planned 1 || fail "planned nodes: $(sinfo -h -N -o '%N %t')"
[ "$(reason "$head")" = Resources ] || fail "the head job's reason is $(reason "$head")"
[ "$(reason "$last")" = Priority ] || fail "the last job's reason is $(reason "$last")"
[ "$(reason "$held")" = JobHeldUser ] || fail "the held job's reason is $(reason "$held")"
check "sdiag: jobs backfilled" "$(counter 'Total backfilled jobs (since last slurm start)')" -ge 1
check "sdiag: cycles" "$(counter 'Total cycles')" -ge 5
check "sdiag: last depth" "$(counter 'Last depth cycle')" -ge 3
check "sdiag: last queue length" "$(counter 'Last queue length')" -ge 3
timeout 10 scancel "$held"
touch "$CLUSTER/gate"
wait_for 60 queue_empty
wait_for 20 planned 0 || fail "nodes stay planned: $(sinfo -h -N -o '%N %t')"
cluster_stop
say "on whole nodes: starts of all waiting jobs, a planned node, sdiag's counters, reasons"

# Nodes that jobs may share. Nothing is known of jobs: they run to their limits.
NODE_CPUS=2 SCHEDULER=sched/surefill PARAMETERS=$OURS cluster_make "$work/shared" 2
cluster_start
busy=$(TASK="until [ -e $CLUSTER/gate ]; do sleep 0.1; done" job games 1 60 0 -n 1)
wait_for 20 running "$busy"
head=$(job games 2 30 0 --exclusive)
next=$(job games 2 30 0 --exclusive)
wait_for 30 expected 2 || fail "not all waiting jobs have an expected start: $(starts)"
now=$(date +%s)
check "the head job starts when the busy one's limit is over" $(($(start_of "$head") - now)) -gt 3000
check "the next one starts half an hour later" $(($(start_of "$next") - $(start_of "$head"))) -ge 1800
wait_for 20 planned 1 || fail "planned nodes: $(sinfo -h -N -o '%N %t')"
touch "$CLUSTER/gate"
wait_for 60 queue_empty
wait_for 20 planned 0 || fail "nodes stay planned: $(sinfo -h -N -o '%N %t')"
# Without the plugin no node stays planned.
ctld_stop
sed -i 's/^SchedulerType=.*/SchedulerType=sched\/builtin/' "$CLUSTER/slurm.conf"
ctld_start
wait_for 30 nodes_idle || fail "not all nodes are idle under another scheduler: $(sinfo -h -N -o '%N %t')"
cluster_stop
say "on shared nodes: starts one after the other, a planned node"

# The plan on shared nodes: jobs run for ten minutes of their hour.
NODE_CPUS=4 SCHEDULER=sched/surefill PARAMETERS=$OURS cluster_make "$work/modelled" 2
seed "$CLUSTER/state/surefill_state" "$games:600:40:60:1"
cluster_start
busy=$(TASK="until [ -e $CLUSTER/gate ]; do sleep 0.1; done" job games 1 60 0 -n 3)
wait_for 20 running "$busy"
head=$(job games 2 60 0 --ntasks-per-node=2)
next=$(job games 2 60 0 --ntasks-per-node=4)
unsaid=$(job games 2 60 0 -n 7)
wait_for 30 expected 3 || fail "not all waiting jobs have an expected start: $(starts)"
wait_for 10 predicted || fail "the head job's start is predicted by limits: $(starts)"
now=$(date +%s)
for _ in $(seq 20); do # limits do not come in between
    predicted || fail "the head job's start is predicted by limits again: $(starts)"
    sleep 0.1
done
check "the head job's expected start, seconds from now" $(($(start_of "$head") - now)) -gt 60
check "the next one's, after the head job's" "$(start_of "$next")" -gt "$(start_of "$head")"
check "the next one's, seconds from now" $(($(start_of "$next") - now)) -lt 5000
touch "$CLUSTER/gate"
wait_for 60 queue_empty
cluster_stop
say "the plan on shared nodes"

# Behind a reservation of an hour jobs that need its nodes start when it is over, as under Slurm's own scheduler; on
# shared nodes as well. Nothing is known of jobs.
for cores in 1 2; do
    NODE_CPUS=$cores SCHEDULER=sched/surefill PARAMETERS=$OURS cluster_make "$work/standing$cores" 4
    cluster_start
    timeout 10 scontrol create reservation ReservationName=standing StartTime=now Duration=60 Nodes=n[1-2] Users=games >/dev/null
    head=$(job man 3 120 0)
    job man 4 600 0 >/dev/null
    small=$(job man 2 30 0.1)
    wait_for 20 is_completed "$small"
    wait_for 30 expected 2 || fail "not all jobs behind a reservation have an expected start: $(starts)"
    over() { left=$(($(start_of "$head") - $(date +%s))) && [ $left -gt 3300 ] && [ $left -lt 4200 ]; }
    wait_for 20 over || fail "nodes of $cores cores: the head job starts when the reservation is over: $left s"
    timeout 10 scontrol delete ReservationName=standing
    wait_for 60 queue_empty
    cluster_stop
done
say "behind a reservation: the start after it"
