#!/usr/bin/env bash
# Head jobs that are none: one that Slurm can never start keeps no other back, and one that asks for what no node is any more is
# held, as by Slurm itself. A reservation has a head job of its own, which others of the reservation do not delay. While all wait,
# the plugin sleeps; and however many cannot start, those behind them have their turn.
. "$(dirname "$0")/lib.sh"

games=$(id -u games) man=$(id -u man)
gated() { TASK="until [ -e $CLUSTER/gate ]; do sleep 0.1; done" job "$@"; }
reason() { timeout 5 squeue -h -j "$1" -o %r; }
has_reason() { [[ $(reason "$1") == "$2" ]]; }
cycles() { grep -c 'surefill: cycle' "$CLUSTER/log/slurmctld"; }

SCHEDULER=sched/surefill PARAMETERS=$OURS,surefill_preset=easy \
    PARTITIONS='PartitionName=main Nodes=n[1-5] Default=YES MaxTime=INFINITE OverSubscribe=EXCLUSIVE
PartitionName=kept Nodes=n[6-9] MaxTime=INFINITE OverSubscribe=EXCLUSIVE
PartitionName=odd Nodes=n10 MaxTime=INFINITE OverSubscribe=EXCLUSIVE' cluster_make "$work/heads" 10
sed -i -E 's/^(NodeName=n[1-4] .*)/\1 Feature=gpu/; s/^(NodeName=n10 .*)/\1 Feature=rare/' "$CLUSTER/slurm.conf"
cluster_start

# All four nodes with the feature, of which one is drained.
timeout 10 scontrol update NodeName=n4 State=DRAIN Reason=test
for node in n1 n5; do
    busy=$(gated games 1 60 0 -w $node)
    wait_for 20 has_run "$busy"
done
never=$(job games 4 60 0.1 -C gpu)
sleep 1
for limit in 5 600; do
    behind=$(job man 1 $limit 0.1)
    wait_for 20 is_completed "$behind" || fail "a job with a limit of $limit min waits behind one that cannot start: $(reason "$behind")"
done
# The next one that waits for its nodes is the head job instead.
head=$(job games 3 60 0.1 -C gpu)
wait_for 10 has_reason "$head" Resources || fail "the head job waits for $(reason "$head")"
long=$(job man 1 600 0.1)
short=$(job man 1 10 0.1)
wait_for 20 is_completed "$short" || fail "a job that ends before the head job can start waits: $(reason "$short")"
wait_for 10 has_reason "$long" Priority || fail "the long job waits for $(reason "$long")"
check "the long job would delay the head job" "$(timeout 5 squeue -h -t PENDING -j "$long" -o %i | wc -l)" -eq 1

# Nothing happens: with the interval of half a minute there is hardly a cycle, although Slurm refuses jobs in each.
parameters "${OURS/surefill_interval=0.2/surefill_interval=30},surefill_preset=easy"
sleep 4
before=$(cycles)
sleep 12
# A ping of slurmctld's to its nodes is an event, and has two.
check "cycles in twelve seconds in which nothing happened" $(($(cycles) - before)) -le 6
parameters "$OURS,surefill_preset=easy"
say "a job that cannot start keeps nobody back, the next one is the head, and the plugin sleeps"

# A reservation: its jobs wait for each other, in order of priority, and overtake where that delays no job.
timeout 10 scontrol create reservation ReservationName=ours Nodes='n[6-9]' Users=games,man StartTime=now Duration=1-0 >/dev/null
inside=$(gated games 1 60 0 -p kept --reservation=ours)
wait_for 20 has_run "$inside"
wide=$(job games 4 60 0.1 -p kept --reservation=ours)
wait_for 10 has_reason "$wide" Resources || fail "the reservation's head job waits for $(reason "$wide")"
later=$(job man 1 600 0.1 -p kept --reservation=ours)
sooner=$(job man 1 10 0.1 -p kept --reservation=ours)
wait_for 20 is_completed "$sooner" || fail "a short job inside the reservation waits: $(reason "$sooner")"
wait_for 10 has_reason "$later" Priority || fail "the long job inside the reservation waits for $(reason "$later")"

# No node has the job's feature any more.
timeout 10 scontrol update NodeName=n10 State=DRAIN Reason=test
odd=$(job games 1 10 0.1 -p odd -C rare)
sleep 1
timeout 10 scontrol update NodeName=n10 AvailableFeatures=common ActiveFeatures=common
timeout 10 scontrol update NodeName=n10 State=RESUME
wait_for 20 has_reason "$odd" BadConstraints || fail "a job that no node will do for waits for $(reason "$odd")"

touch "$CLUSTER/gate"
timeout 10 scontrol update NodeName=n4 State=RESUME
for number in "$head" "$long" "$never" "$wide" "$later"; do wait_for 40 is_completed "$number" || fail "$number: $(reason "$number")"; done
check "the reservation's head job starts before the long one" "$(completed "$wide" StartTime)" -le "$(completed "$later" StartTime)"
timeout 10 scancel "$odd"

# Many jobs that Slurm does not start, as maintenance comes before they would end or as they would delay their reservation's head
# job, take all the time of a cycle: those behind them have their turn in the next ones.
blocker=$(TASK="until [ -e $CLUSTER/gate2 ]; do sleep 0.1; done" job games 1 60 0 -p kept --reservation=ours)
wait_for 20 has_run "$blocker"
wide=$(job games 4 60 0.1 -p kept --reservation=ours)
timeout 10 scontrol create reservation ReservationName=service Nodes='n[1-5]' Users=root StartTime=now+2hours Duration=60 \
    Flags=MAINT >/dev/null
{
    for _ in $(seq 100); do job man 1 600 0.1 -p kept --reservation=ours; done
    for _ in $(seq 150); do job games 1 600 0.1; done
} >"$work/many"
parameters "$OURS,surefill_preset=easy,surefill_locked=0.001"
last=$(job man 1 10 0.1)
wait_for 40 is_completed "$last" || fail "the job behind many that cannot start has no turn: $(reason "$last")"
logged 'surefill: the queue: cut short' || fail "the queue was not cut short"
xargs -n 50 timeout 10 scancel <"$work/many"
touch "$CLUSTER/gate2"
wait_for 20 is_completed "$wide" || fail "the reservation's head job waits for $(reason "$wide")"
wait_for 20 queue_empty
check_runs
logged '; from here on' && fail "the plugin fell back to limits"
say "a reservation has its own head job, what no node is any more is held, and those behind jobs that cannot start have their turn"
