#!/usr/bin/env bash
# A thousand jobs wait: what a cycle costs outside slurmctld's own functions, for how long it holds slurmctld's locks, and
# that what has changed meanwhile is judged again. JOBS=3000 takes three thousand.
. "$(dirname "$0")/lib.sh"
jobs=${JOBS:-1000}

# Nothing may overtake (a budget of 0), so that every cycle judges all of them to the end, on four idle nodes.
SCHEDULER=sched/surefill PARAMETERS=$OURS,surefill_tau=2,surefill_budget=0 EXTRA_CONF=Licenses=matlab:1 \
    PARTITIONS='PartitionName=main Nodes=n[1-16] Default=YES MaxTime=INFINITE
PartitionName=other Nodes=n[17-18] MaxTime=INFINITE' cluster_make "$work/cluster" 18
"$built/seed" "$CLUSTER/state/surefill_state" 0:3000:100:60:1 0:6000:30:120:2 "$(id -u games):1000:40:25:2" \
    "$(id -u man):1:40:120:1"
cluster_start
licensed=$(job games 2 20 1000 -L matlab) # longer than all that follows
for i in $(seq 5); do busy=$(job games 2 $((20 + i)) 1000); done
head=$(job root 16 60 1)
timeout 120 "$built/submit" "$jobs" 30
thousand() { [ "$(timeout 10 squeue -h -t PENDING -o %i | wc -l)" -ge $((jobs - 20)) ]; }
wait_for 20 thousand
: >"$CLUSTER/log/slurmctld"
# milliseconds: outside Slurm's own calls, all, in those, deciding
times() {
    local number='\([0-9.]*\)'
    local line=".*cycle: $number pending.*; $number ms, of them $number ms.* at a time), $number ms deciding.*"
    ctld_log |
        sed -n "s/$line/\1 \2 \3 \4/p" |
        awk -v least=$((jobs - 20)) '$1 >= least { print $2 - $3, $2, $3, $4 }' | sort -n
}
cycles() { [ "$(times | wc -l)" -ge "$1" ]; }
wait_for 30 cycles 10
wait_for 30 logged_times 'surefill: decision.*over budget' 5000
times >"$work/times"
# The quickest one: with something else on the machine a cycle takes longer, but never shorter, than it needs.
# shellcheck disable=SC2046 # its fields become the arguments
set -- $(head -n 1 "$work/times")
say "a cycle on $jobs waiting jobs (quickest of $(wc -l <"$work/times")): $2 ms, of them $3 ms in Slurm's own calls," \
    "$1 ms outside (deciding $4 ms); largest outside $(tail -n 1 "$work/times" | cut -d ' ' -f 1) ms"
check "milliseconds outside Slurm's own calls (quickest)" "${1%.*}" -lt 50
longest_locked() { ctld_log | sed -n 's/.*cycle: .* locked (\([0-9.]*\) at a time).*/\1/p' | sort -n | tail -n 1; }
locked=$(longest_locked)
say "slurmctld's locks are held for $locked ms at a time at most where nodes are counted"
check "milliseconds under the locks" "${locked%.*}" -le 300
[ "$(timeout 10 squeue -h -j "$head" -o %t)" = PD ] || fail "the head job has started"

# Nobody may overtake but the job that comes last. While the head job's limit changes all the time, nothing is started on
# what is no longer so, and all is judged again; when the changes end, the job starts.
: >"$CLUSTER/log/slurmctld"
parameters "$OURS,surefill_tau=0.2,surefill_events=16,surefill_depth=$((2 * jobs))"
wait_for 10 logged 'below 0.2,'
changes=()
for _ in 1 2; do
    while timeout 10 scontrol update JobId="$head" TimeLimit=+1; do :; done &
    changes+=($!)
done
again='surefill: main: what the decisions rest on has changed: nothing is started'
for _ in 1 2 3 4; do # for each of them it may happen that nothing changes at the wrong moment
    last=$(job man 1 120 30)
    wait_for 5 logged "$again" && break
done
kill "${changes[@]}"
wait "${changes[@]}" || true
logged "$again" || fail "what has changed is not judged again"
wait_for 10 running "$last"
say "what has changed between gathering and starting was judged again $(ctld_log | grep -c "$again") times"

# The locks are held for a bounded time, where nodes are judged as shared ones (a reservation makes them so), in Slurm's own
# test of all the candidates (a reservation without a time of its own makes it decide) and in the walk through the queue, half of
# it for each; what is left is said.
locked() { # SECONDS: the log begins when this counts
    : >"$CLUSTER/log/slurmctld"
    parameters "$OURS,surefill_locked=$1"
    wait_for 10 logged 'surefill: mode on'
    : >"$CLUSTER/log/slurmctld"
}
cut() { # WORK MILLISECONDS
    local held
    wait_for 10 logged "surefill: $1: cut short, the locks have been held for .* left for the next cycle"
    held=$(ctld_log | sed -n "s/.*surefill: $1: cut short, .* for \([0-9.]*\) ms; [1-9].*/\1/p" | sort -n | tail -n 1)
    awk "BEGIN { exit !($held >= $2 && $held <= $2 + 300) }" || fail "$1: cut short after $held ms, not $2"
    say "$1: cut short after at most $held ms"
}
reserve() { # [FLAGS]
    for node in n1 n17; do
        timeout 10 scontrol create reservation StartTime=now+2hours Duration=60 Nodes=$node Users=root \
            ReservationName=$node "$@" >/dev/null
    done
}
cycled() { [ "$(ctld_log | grep -c "surefill: cycle: ")" -ge "$1" ]; }
many_cycles() { # WHERE LINE
    : >"$CLUSTER/log/slurmctld"
    wait_for 10 logged "$2"
    : >"$CLUSTER/log/slurmctld"
    wait_for 60 cycled 20
    locked=$(longest_locked)
    say "slurmctld's locks are held for $locked ms at a time at most where $1, of 100 allowed" \
        "(other programs may hold the processor meanwhile)"
    check "milliseconds under the locks" "${locked%.*}" -le 300
}
parameters "$OURS,surefill_tau=0"
reserve
many_cycles 'nodes are shared' 'main: .*: judged on shared nodes'
deciding=$(ctld_log | sed -n 's/.*surefill: cycle: .*, \([0-9.]*\) ms deciding.*/\1/p' | sort -n | tail -n 1)
say "deciding there takes $deciding ms at most"
for node in n1 n17; do timeout 10 scontrol delete ReservationName=$node; done
parameters "$OURS,surefill_tau=0.2"
reserve Flags=TIME_FLOAT
many_cycles "Slurm's own test decides" "main: .*: left to limits and Slurm's own test"
# All the time there is goes to the candidates of main, but each cycle begins with another pool.
first=$(job games 1 60 1000 -p other --nice=-900)
wait_for 10 running "$first"
job games 2 60 1 -p other --nice=-800 >/dev/null
second=$(job man 1 120 1 -p other --nice=-700)
locked 0.02
cut main 2
wait_for 10 logged "decision: JobId=$second .* Slurm's own test: wait" || fail "the other pool has no turn"
say "both pools have their turn"

# Too short for the whole queue: whoever comes after a job that waits for a licence starts all the same.
for node in n1 n17; do timeout 10 scontrol delete ReservationName=$node; done
locked 0.003
cut 'the queue' 0.1
timeout 10 scancel "$busy"
top=$(job games 1 60 1 -L matlab --nice=-$((3 * jobs)))
next=$(job man 1 60 1 --nice=-$((2 * jobs)))
wait_for 10 has_run "$next" || fail "nothing starts while the queue is cut short"
has_run "$top" && fail "it has run without its licence"
running "$licensed" || fail "the licence is free"
say "jobs start while the queue is cut short"

# The preset puts all waiting jobs of one rank in its order, with the locks held.
: >"$CLUSTER/log/slurmctld"
parameters "$OURS,surefill_tau=2,surefill_budget=0,surefill_order=queue"
wait_for 10 logged 'surefill: mode on.*order queue'
many_cycles 'the preset orders the queue' 'surefill: cycle: '
