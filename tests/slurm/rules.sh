#!/usr/bin/env bash
# Requests of jobs and measures of administrators, rule by rule (see the plugin's README); of requests that the scheduler does not
# know it says why.
. "$(dirname "$0")/lib.sh"

export DEBUG_LEVEL=debug2
mail=$(id -u mail)
node() { echo "NodeName=n$1 NodeAddr=127.0.0.1 Port=$((CLUSTER_PORT + $1)) CPUs=$2 State=UNKNOWN"; }
NODE_CPUS=2 SCHEDULER=sched/surefill PARAMETERS=$OURS \
    EXTRA_CONF="Licenses=matlab:2
GresTypes=widget
AllowSpecResourcesUsage=YES
NodeName=DEFAULT Feature=any Gres=widget:1
$(node 10 2)
$(node 11 3)" \
    PARTITIONS='PartitionName=main Nodes=n[1-4] Default=YES MaxTime=INFINITE OverSubscribe=EXCLUSIVE
PartitionName=urgent Nodes=n[1-4] PriorityTier=2 OverSubscribe=EXCLUSIVE
PartitionName=shared Nodes=n[5-6] MaxTime=INFINITE
PartitionName=left Nodes=n[7-8] MaxTime=INFINITE OverSubscribe=EXCLUSIVE
PartitionName=right Nodes=n[8-9] MaxTime=INFINITE OverSubscribe=EXCLUSIVE
PartitionName=differ Nodes=n[10-11] MaxTime=INFINITE OverSubscribe=EXCLUSIVE' cluster_make "$work/cluster" 9
echo 'Name=widget Count=1' >"$CLUSTER/gres.conf"
seed "$CLUSTER/state/surefill_state" "$mail:7000:40:120:1" "$(id -u games):30:40:60:3" "$(id -u man):1:40:120:1"
cluster_start
node_start n10
node_start n11
CLUSTER_NODES=11
wait_for 20 nodes_idle

# Why the nodes of a job are Slurm's choice.
left() { logged "surefill: JobId=$1: its nodes are Slurm's choice: $2"; }
cycles() { grep -c 'surefill: cycle' "$CLUSTER/log/slurmctld"; }
cycled() { [ "$(cycles)" -gt "$1" ]; }
empty() { wait_for 20 queue_empty; }
running_tasks() { timeout 5 squeue -h -r -t RUNNING -j "$1" -o %i | wc -l; }
tasks_run() { [ "$(running_tasks "$1")" -eq "$2" ]; }
pending() { [ "$(timeout 5 squeue -h -j "$1" -o %t)" = PD ]; }

# Nodes shared by cores, with a first job whose nodes are Slurm's choice: it has a promise by Slurm's own test. The core that is
# left is taken by a job that ends before that; a longer one waits.
job games 1 3 8 -p shared -n 1 >/dev/null
busy=$(job games 1 3 8 -p shared -n 2)
wait_for 10 has_run "$busy"
head=$(job games 2 60 1 -p shared -n 4 --contiguous)
long=$(job mail 1 120 1 -p shared -n 1)
short=$(job man 1 1 1 -p shared -n 1)
wait_for 10 has_run "$short"

# Licences: a job that waits for them is no head, and keeps no other back.
one=$(job games 1 5 6 -L matlab:2)
wait_for 10 has_run "$one"
two=$(job games 4 5 1 -L matlab)
three=$(job games 1 5 1)
wait_for 10 is_completed "$three"
check "without its licence it has not started" "$(running_tasks "$two")" -eq 0
[ "$(timeout 5 squeue -h -j "$two" -o %r)" = Licenses ] || fail "what it waits for: $(timeout 5 squeue -h -j "$two" -o %r)"

# Partitions that overlap in part: neither is judged while the other has a waiting job; each job starts in its turn.
left=$(job games 2 5 3 -p left)
wait_for 10 has_run "$left"
right=$(job games 2 5 1 -p right)
other=$(job man 2 5 1 -p left)

# Nodes that differ.
busy=$(job games 1 5 100 -p differ)
wait_for 10 has_run "$busy"
mixed=$(job games 2 5 0.1 -p differ)
timeout 10 scancel "$busy"

# Heterogeneous jobs: slurmctld itself refuses them unless its own backfill is configured.
timeout 20 sbatch -D / -o /dev/null -N 1 : -N 1 --wrap true >/dev/null 2>&1 && fail "a heterogeneous job was accepted"
for number in "$two" "$right" "$other" "$mixed" "$long"; do wait_for 40 is_completed "$number"; done
check "the long candidate on shared nodes waits" "$(completed "$long" StartTime)" -ge "$(completed "$head" StartTime)"
check "the short one did not" "$(completed "$short" StartTime)" -lt "$(completed "$head" StartTime)"
empty

# A job that shares its node overtakes one that shares none, and the second one is put beside the first.
busy=$(job games 1 60 100 -p shared --exclusive)
wait_for 10 has_run "$busy"
head=$(job games 2 60 0.1 -p shared --exclusive)
sharing=$(job man 1 120 100 -p shared -n 1)
wait_for 10 has_run "$sharing" || fail "a job that would share its node is locked out while the node is idle"
timeout 10 scontrol update JobId="$busy" TimeLimit=180
second=$(job man 1 60 0.1 -p shared -n 1)
wait_for 10 is_completed "$second" || fail "a job that would share a node is locked out while there are cores"
wait_for 10 pending "$head" || fail "the head job runs"
timeout 10 scancel "$busy" "$sharing"
empty

# A head job with wishes of its own, three nodes of four being busy.
busy=$(job games 3 10 100)
wait_for 10 has_run "$busy"
while IFS='|' read -r wish why; do
    # shellcheck disable=SC2086
    head=$(job games 4 20 0.1 $wish)
    if [ -z "$why" ]; then
        wait_for 10 cycled $(($(cycles) + 1))
        left "$head" '' && fail "$wish: not known"
    else
        wait_for 10 left "$head" "$why" || fail "$wish: not left to Slurm for that"
    fi
    timeout 10 scancel "$head"
done <<'WISHES'
--constraint=any|
-N 4 --constraint=[any*2]|asks for nodes of several features by number
--contiguous|asks for neighbouring nodes
--switches=1|asks for neighbouring nodes
-N 3-4|takes a range of nodes
-N 2 --nodelist=n1,n2|
-N 3 --exclude=n1|
--gres=widget:1|
--core-spec=1|specialises cores
--reboot|reboots its nodes
WISHES

# A job that waits for its time, another job or its user is no head.
timed=$(job games 4 20 0.1 --begin=now+1hour)
chained=$(job games 4 20 0.1 --dependency="afterany:$busy")
held=$(job games 4 20 0.1 --hold)
free=$(job mail 1 20 0.1)
wait_for 10 is_completed "$free"
timeout 10 scancel "$timed" "$chained" "$held"

# A job with --time-min and a deadline starts with the limit that the deadline leaves it, as under Slurm's own schedulers.
timed=$(job man 1 120 100 --time-min=1 --deadline=now+170)
wait_for 10 running "$timed"
[[ $(timeout 5 squeue -h -j "$timed" -o %l) == [12]:00 ]] ||
    fail "the limit of a job with a deadline is $(timeout 5 squeue -h -j "$timed" -o %l)"
timeout 10 scancel "$timed"
wait_for 10 is_completed "$timed"

# From here on by limits, so that it does not matter what is known of the users.
parameters "$OURS,surefill_preset=easy"
wait_for 10 logged 'surefill: mode on, .*: preset=easy '

# A head job with licences is counted like any other. Whoever needs licences overtakes it if there are enough for both,
# the two of an array's tasks one after the other; and not if there are too few.
# A job with --time-min starts with a limit that ends before the head job's turn, and so before that of a job without it. The tasks
# of an array come one by one.
head=$(job games 4 20 0.1 -L matlab)
two=$(job man 1 1 0.1 -L matlab:2)
array=$(job man 1 1 0.5 -L matlab --array=1-2)
wait_for 20 is_completed "$array" || fail "jobs with licences do not overtake where there are enough of them"
pending "$two" || fail "a job has overtaken that takes the head job's licences"
timeout 10 scancel "$head" "$two"
head=$(job games 4 20 0.1)
whole=$(job mail 1 120 0.1)
least=$(job mail 1 120 100 --time-min=1)
wait_for 20 running "$least"
minutes=$(timeout 5 squeue -h -j "$least" -o %l)
check "the limit of a job with --time-min, $minutes" "${minutes%%:*}" -lt 60
wait_for 10 pending "$whole" || fail "a job has overtaken the head job"
timeout 10 scancel "$least" "$whole"
array=$(job man 1 2 100 --array=1-2)
wait_for 10 tasks_run "$array" 1
check "tasks on one idle node" "$(running_tasks "$array")" -eq 1
timeout 10 scancel "$array" "$head"
wait_for 10 tasks_run "$array" 0

# Nodes being drained do not come back, and whoever needs more than the others is no head.
timeout 10 scontrol update NodeName="$(timeout 10 squeue -h -j "$busy" -o %B)" State=DRAIN Reason=test
wide=$(job games 4 20 0.1)
spread=$(job games 1 20 0.1 -N 1-4 -n 8)
head=$(job games 3 20 0.1)
wait_for 10 cycled $(($(cycles) + 1))
timeout 10 scancel "$wide" "$spread"
timeout 10 scontrol update NodeName="$(timeout 10 squeue -h -j "$busy" -o %B)" State=RESUME
timeout 10 scancel "$head"

# A suspended job holds its nodes for an unknown time.
timeout 10 scontrol suspend "$busy"
head=$(job games 4 20 0.1)
timeout 10 scontrol resume "$busy"

# A reservation on some of the nodes: it is a job that ends for certain.
reserve() { timeout 10 scontrol create reservation ReservationName=service Duration=60 "$@" >/dev/null; }
reserve StartTime=now+30minutes Nodes=n1 Users=root
short=$(job man 1 5 0.1)
wait_for 10 is_completed "$short"
timeout 10 scontrol delete ReservationName=service
timeout 10 scancel "$busy"
empty

# A job in a reservation waits for that alone.
reserve StartTime=now Nodes=n[1-2] Users=games
one=$(job games 2 5 100 --reservation=service)
wait_for 10 has_run "$one"
two=$(job games 2 5 0.1 --reservation=service)
free=$(job man 2 5 0.1)
wait_for 10 is_completed "$free"
wait_for 10 pending "$two" || fail "the reservation is not full"
timeout 10 scancel "$one"
wait_for 10 is_completed "$two"
timeout 10 scontrol delete ReservationName=service

# An array's own limit.
array=$(job man 1 5 100 --array=1-4%2)
wait_for 10 tasks_run "$array" 2
sleep 0.5
check "tasks at a time" "$(running_tasks "$array")" -eq 2
timeout 10 scancel "$array"
empty

# Preemption is Slurm's business: an urgent job takes the nodes of one that runs, and that waits again.
ctld_stop
printf '%s\n' PreemptType=preempt/partition_prio PreemptMode=REQUEUE >>"$CLUSTER/slurm.conf"
ctld_start
wait_for 20 nodes_idle
low=$(job games 3 10 100 -p main)
wait_for 10 has_run "$low"
head=$(job games 4 20 0.1 -p main)
short=$(job man 1 5 0.1 -p main)
wait_for 10 is_completed "$short"
urgent=$(job games 4 5 0.1 -p urgent)
wait_for 20 is_completed "$urgent"
check "the job has been put back" "$(timeout 10 scontrol show job "$low" | grep -c 'JobState=PENDING.*\|Restarts=1')" -eq 2
wait_for 10 is_completed "$head"
timeout 10 scancel "$low"
empty

# While a job is completing, nothing starts if the site wants to wait for that: here its epilog takes three seconds.
printf '#!/bin/sh\nsleep 3\n' >"$work/epilog"
chmod 755 "$work/epilog"
printf '%s\n' CompleteWait=30 "Epilog=$work/epilog" >>"$CLUSTER/slurm.conf"
timeout 20 scontrol reconfigure
first=$(job games 1 5 0.1 -p main)
wait_for 10 is_completed "$first"
second=$(job games 1 5 0.1 -p main)
wait_for 10 has_run "$second"
wait_for 10 is_completed "$second"
check "seconds after the end" $(($(completed "$second" StartTime) - $(completed "$first" EndTime))) -ge 2

check "every job has run once" "$(sort "$work/ran" | uniq -d | wc -l)" -eq 0
logged 'built for another Slurm' && fail "jobs could not be read"
logged '; from here on' && fail "the plugin fell back to limits"
say "shared nodes, licences, overlapping partitions, differing nodes, heterogeneous jobs, wishes of the head job," \
    "begin times, dependencies, holds, arrays, --time-min, draining, suspension, reservations, preemption, completing jobs"
