#!/usr/bin/env bash
# What node counts cannot describe is recognised and left to Slurm's own tests, rule by rule (see the plugin's README).
. "$(dirname "$0")/lib.sh"

nobody=$(id -u nobody)
NODE_CPUS=2 SCHEDULER=sched/surefill PARAMETERS=$OURS,surefill_tau=0.2 \
    EXTRA_CONF='Licenses=matlab:1
NodeName=DEFAULT Feature=any' \
    PARTITIONS='PartitionName=main Nodes=n[1-4] Default=YES MaxTime=INFINITE OverSubscribe=EXCLUSIVE
PartitionName=shared Nodes=n[5-6] MaxTime=INFINITE
PartitionName=left Nodes=n[7-8] MaxTime=INFINITE OverSubscribe=EXCLUSIVE
PartitionName=right Nodes=n[8-9] MaxTime=INFINITE OverSubscribe=EXCLUSIVE' cluster_make "$work/cluster" 9
"$built/seed" "$CLUSTER/state/surefill_state" "$nobody:7000:40:120:1" "$(id -u games):30:40:60:3" "$(id -u man):1:40:120:1"
cluster_start
unjudged() { logged "surefill: $1: .*$2"; }

# Nodes shared by cores: EASY by Slurm's own test. The core that is left is taken by a job that ends before the head may
# start by its limit; a longer one waits.
job games 1 3 8 -p shared -n 1 >/dev/null
busy=$(job games 1 3 8 -p shared -n 2)
wait_for 5 running "$busy"
head=$(job games 2 60 1 -p shared -n 4)
long=$(job man 1 60 1 -p shared -n 1)
short=$(job man 1 1 1 -p shared -n 1)
wait_for 5 running "$short"
wait_for 5 unjudged shared 'the head job shares nodes'

# Licences: a job that waits for one is no head, and keeps nobody back.
one=$(job games 1 5 6 -L matlab)
wait_for 5 running "$one"
two=$(job games 4 5 1 -L matlab)
three=$(job games 1 5 1)
wait_for 5 is_completed "$three"
check "without its licence it has not started" "$(timeout 10 squeue -h -t RUNNING -j "$two" -o %i | wc -l)" -eq 0

# Partitions that overlap in part: neither is judged while the other has a waiting job; each job starts in its turn.
left=$(job games 2 5 3 -p left)
wait_for 5 running "$left"
right=$(job games 2 5 1 -p right)
other=$(job man 2 5 1 -p left)
wait_for 5 unjudged right 'another partition with a waiting job'

# Heterogeneous jobs: slurmctld itself refuses them unless its own backfill is configured.
timeout 20 sbatch -D / -o /dev/null -N 1 : -N 1 --wrap true >/dev/null 2>&1 && fail "a heterogeneous job was accepted"
wait_for 40 is_completed "$two"
wait_for 20 is_completed "$right"
wait_for 20 is_completed "$other"
wait_for 40 is_completed "$long"
check "the long candidate on shared nodes waits" "$(completed "$long" StartTime)" -ge "$(completed "$head" StartTime)"
check "the short one did not" "$(completed "$short" StartTime)" -lt "$(completed "$head" StartTime)"

# A reservation on some of the nodes: the partition is left to Slurm's own test.
timeout 10 scontrol create reservation ReservationName=service StartTime=now+30minutes Duration=60 Nodes=n1 Users=root \
    >/dev/null
busy=$(job games 3 10 5 -p main)
wait_for 5 running "$busy"
head=$(job games 4 20 1 -p main)
short=$(job man 1 5 1 -p main)
wait_for 5 unjudged main 'a reservation holds some of the nodes'
wait_for 10 is_completed "$short"
wait_for 20 is_completed "$busy"
check "by limits it starts beside the reservation" "$(completed "$short" StartTime)" -lt "$(completed "$busy" EndTime)"
timeout 10 scontrol delete ReservationName=service
wait_for 20 is_completed "$head"

# A suspended job holds its nodes for nobody knows how long.
busy=$(job games 3 10 6 -p main)
wait_for 5 running "$busy"
timeout 10 scontrol suspend "$busy"
head=$(job games 4 20 1 -p main)
short=$(job man 1 5 1 -p main)
wait_for 5 unjudged main 'a job is suspended'
timeout 10 scontrol resume "$busy"
wait_for 20 is_completed "$busy"

# A head job with wishes of its own.
wait_for 30 is_completed "$head"
busy=$(job games 3 10 4 -p main)
wait_for 5 running "$busy"
head=$(job games 2 20 1 -p main --nodelist n1,n2)
short=$(job man 1 5 1 -p main)
wait_for 5 unjudged main 'the head job names nodes'
wait_for 20 is_completed "$head"
while IFS='|' read -r wish why; do
    busy=$(job games 3 10 3 -p main)
    wait_for 10 running "$busy"
    # shellcheck disable=SC2086
    head=$(job games 4 20 0.5 -p main $wish)
    wait_for 5 unjudged main "$why"
    wait_for 20 is_completed "$head"
done <<'WISHES'
--constraint=any|the head job asks for node features
--contiguous|the head job asks for neighbouring nodes
-N 3-4|the head job takes a range of nodes
WISHES
wait_for 10 queue_empty
logged 'built for another Slurm' && fail "jobs could not be read"
say "shared nodes, licences, overlapping partitions, heterogeneous jobs, reservations, suspension, named nodes, features, neighbours"
