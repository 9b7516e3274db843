#!/usr/bin/env bash
# A thousand jobs wait: what a cycle costs outside slurmctld's own functions.
. "$(dirname "$0")/lib.sh"

# Nothing may overtake (a budget of 0), so that every cycle judges all of them to the end, on four idle nodes.
SCHEDULER=sched/surefill PARAMETERS=$OURS,surefill_tau=2,surefill_budget=0 cluster_make "$work/cluster" 16
"$built/seed" "$CLUSTER/state/surefill_state" 0:3:100:60:1 0:300:30:30:2 "$(id -u games):30:40:25:2"
cluster_start
for i in $(seq 6); do job games 2 $((20 + i)) 60 >/dev/null; done
head=$(job root 16 60 1)
timeout 60 "$built/submit" 1000 30
thousand() { [ "$(timeout 10 squeue -h -t PENDING -o %i | wc -l)" -ge 980 ]; }
wait_for 20 thousand
: >"$CLUSTER/log/slurmctld"
sleep 4
# milliseconds: all, in Slurm's own calls, deciding
ctld_log | sed -n 's/.*cycle: \([0-9]*\) pending.*backfilled; \([0-9.]*\) ms, of them \([0-9.]*\) ms.* locked, \([0-9.]*\) ms deci.*/\1 \2 \3 \4/p' |
    awk '$1 >= 980 { print $2 - $3, $2, $3, $4 }' | sort -n >"$work/times"
check "decisions in the log" "$(ctld_log | grep -c 'surefill: decision.*over budget')" -ge 5000
check "cycles" "$(wc -l <"$work/times")" -ge 5
set -- $(sed -n "$(($(wc -l <"$work/times") / 2 + 1))p" "$work/times")
say "a cycle on 1,000 waiting jobs (median of $(wc -l <"$work/times")): $2 ms, of them $3 ms in Slurm's own calls," \
    "$1 ms outside (deciding $4 ms); largest outside $(tail -n 1 "$work/times" | cut -d ' ' -f 1) ms"
locked=$(ctld_log | sed -n 's/.*cycle: .* \([0-9.]*\) ms locked,.*/\1/p' | sort -n | tail -n 1)
say "slurmctld's locks are held for $locked ms at most in one cycle"
check "milliseconds under the locks" "${locked%.*}" -le 500
# The quickest cycle tells: on a machine that is busy otherwise the others measure that.
set -- $(head -n 1 "$work/times")
check "milliseconds outside Slurm's own calls" "${1%.*}" -le 60
[ "$(timeout 10 squeue -h -j "$head" -o %t)" = PD ] || fail "the head job has started"
