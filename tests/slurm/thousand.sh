#!/usr/bin/env bash
# A thousand jobs wait: the time of a cycle outside slurmctld's own functions, and the time for which it holds slurmctld's locks.
# JOBS=3000 takes three thousand.
. "$(dirname "$0")/lib.sh"
jobs=${JOBS:-1000}

SCHEDULER=sched/surefill PARAMETERS=$OURS EXTRA_CONF=Licenses=matlab:1 \
    PARTITIONS='PartitionName=main Nodes=n[1-16] Default=YES MaxTime=INFINITE
PartitionName=other Nodes=n[17-18] MaxTime=INFINITE' cluster_make "$work/cluster" 18
seed "$CLUSTER/state/surefill_state" 0:3000:100:60:1 0:6000:30:120:2 "$(id -u games):1000:40:25:2" \
    "$(id -u man):1:40:120:1"
cluster_start
licensed=$(job games 2 20 1000 -L matlab) # longer than all that follows
for i in $(seq 5); do busy=$(job games 2 $((20 + i)) 1000); done
for i in $(seq 2); do job games 2 $((20 + i)) 1000 >/dev/null; done # no node is idle
head=$(job root 16 60 1)
timeout 120 "$built/submit" "$jobs" 30
thousand() { [ "$(timeout 10 squeue -h -t PENDING -o %i | wc -l)" -ge $((jobs - 20)) ]; }
wait_for 20 thousand
: >"$CLUSTER/log/slurmctld"
# milliseconds: outside Slurm's own calls, all, in those, gathering
times() {
    local number='\([0-9.]*\)'
    local line=".*cycle: $number pending.*; $number ms, of them $number ms.* at a time), $number ms gathering.*"
    ctld_log |
        sed -n "s/$line/\1 \2 \3 \4/p" |
        awk -v least=$((jobs - 20)) '$1 >= least { print $2 - $3, $2, $3, $4 }' | sort -n
}
cycles() { [ "$(times | wc -l)" -ge "$1" ]; }
wait_for 30 cycles 10
times >"$work/times"
# The quickest one: with something else on the machine a cycle takes longer, but never shorter, than it needs.
# shellcheck disable=SC2046 # its fields become the arguments
set -- $(head -n 1 "$work/times")
say "a cycle on $jobs waiting jobs (quickest of $(wc -l <"$work/times")): $2 ms, of them $3 ms in Slurm's own calls," \
    "$1 ms outside (gathering $4 ms); largest outside $(tail -n 1 "$work/times" | cut -d ' ' -f 1) ms"
check "milliseconds outside Slurm's own calls (quickest)" "${1%.*}" -lt 50
longest_locked() { ctld_log | sed -n 's/.*cycle: .* locked (\([0-9.]*\) at a time).*/\1/p' | sort -n | tail -n 1; }
locked=$(longest_locked)
say "slurmctld's locks are held for $locked ms at a time at most"
check "milliseconds under the locks" "${locked%.*}" -le 300
[ "$(timeout 10 squeue -h -j "$head" -o %t)" = PD ] || fail "the head job has started"

# The locks are held for a bounded time in the walk through the queue; what is left is said.
locked() { # SECONDS: the log begins when this counts
    : >"$CLUSTER/log/slurmctld"
    parameters "$OURS,surefill_locked=$1"
    wait_for 10 logged 'surefill: mode on'
    : >"$CLUSTER/log/slurmctld"
}
# Too short for the whole queue: whoever comes after a job that waits for a licence starts all the same.
locked 0.001
wait_for 20 logged 'surefill: the queue: cut short, the locks have been held for .* left for the next cycle'
timeout 10 scancel "$busy"
top=$(job games 1 60 1 -L matlab --nice=-$((3 * jobs)))
next=$(job man 1 60 1 --nice=-$((2 * jobs)))
wait_for 20 has_run "$next" || fail "nothing starts while the queue is cut short"
has_run "$top" && fail "it has run without its licence"
running "$licensed" || fail "the licence is free"
say "jobs start while the queue is cut short"

# Cycles in which jobs start, one after the other, as nodes become free.
parameters "$OURS"
: >"$CLUSTER/log/slurmctld"
mapfile -t running < <(timeout 10 squeue -h -t RUNNING -u games -o %i)
timeout 10 scancel "${running[@]}"
wait_for 20 logged 'surefill: started' || fail "free nodes stay free"
sleep 2
locked=$(longest_locked)
say "slurmctld's locks are held for $locked ms at a time at most while jobs start, of 100 allowed (other programs may hold the" \
    "processor meanwhile)"
check "milliseconds under the locks" "${locked%.*}" -le 300
logged '; from here on' && fail "the plugin fell back to limits"
exit 0
