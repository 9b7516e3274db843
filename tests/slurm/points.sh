#!/usr/bin/env bash
# Points beside Slurm's own sched/backfill with priority/multifactor: refused where they would not count; else waiting jobs
# get those of the formula, slurmctld starts them in that order, and points that others have set stay. A minute, as slurmctld
# reckons priorities anew once a minute at most.
. "$(dirname "$0")/lib.sh"

man=$(id -u man) mail=$(id -u mail)
points=$built/surefill-points
weight=10000
SCHEDULER=sched/backfill PARAMETERS=bf_continue,bf_interval=1,sched_interval=1 EXTRA_CONF=PriorityCalcPeriod=1 \
    cluster_make "$work/cluster" 4
# Jobs of man with a limit of two hours have run for 30 s, those of mail for 83 min.
seed_engine "$work/state" "$man:30:40:120:4" "$mail:5000:40:120:4"
cluster_start

refused() { # WHY
    local status=0
    timeout 20 "$points" -1 >"$work/refused" 2>&1 || status=$?
    check "exit status where points do not count" $status -eq 1
    grep -q "$1" "$work/refused" || fail "where points do not count: $(cat "$work/refused")"
}
setting() { # LINE: in the place of the one of the same name, after a restart
    sed -i "/^${1%%=*}=/d" "$CLUSTER/slurm.conf"
    sed -i "1i $1" "$CLUSTER/slurm.conf"
    ctld_stop
    ctld_start
}
for wrong in '-q 1' '-w 0' '-i 0' '-c 0' '--look --clear' more; do
    status=0
    # shellcheck disable=SC2086
    timeout 10 "$points" $wrong >"$work/refused" 2>&1 || status=$?
    check "exit status with $wrong" $status -eq 2
done
refused 'PriorityType is not priority/multifactor'
setting PriorityType=priority/multifactor
refused 'PriorityWeightFairshare is 0: name the weight with -w'
setting PriorityWeightFairshare=$weight

# A job's points as slurmctld has them, and as the formula gives them.
of() { timeout 5 "$built/site_factor" | awk -v job="$1" -v what="$2" '$1 == job { print $what }'; }
factor() { of "$1" 2; }
waited() { # JOB; a job that is not eligible yet, such as an array before slurmctld has looked at it, has not
    local eligible
    eligible=$(of "$1" 4)
    echo $((eligible > 0 ? $(date +%s) - eligible : 0))
}
formula() { # SECONDS PROCESSORS WAITED
    awk -v r="$1" -v n="$2" -v w="$3" -v W=$weight \
        'BEGIN { s = W * (1 - (log(r / 60) + log(n) / 2 - 2 * log(1 + w / 36000)) / 10)
                 printf "%d", (s < 0 ? 0 : s > 2 * W ? 2 * W : s) }'
}
near() { # JOB POINTS TOLERANCE
    local has gap
    has=$(factor "$1")
    gap=$((${has:?} - ${2:?}))
    check "points of JobId=$1, $has, beside $2 of the formula" ${gap#-} -le "$3"
}
once() { timeout 20 "$points" -1 -s "$work/state" "$@" >"$work/said" || fail "$* has failed: $(cat "$work/said")"; }
said() { grep -q -- "$1" "$work/said" || fail "not said '$1': $(cat "$work/said")"; }

busy=$(TASK="until [ -e $CLUSTER/gate ]; do sleep 0.1; done" job games 4 60 0)
wait_for 20 running "$busy"
long=$(job mail 4 120 0.1)
narrow=$(job games 1 30 0.1)
short=$(job man 4 120 0.1)
array=$(job man 4 120 0.1 --array=1-2%1)
held=$(job man 1 120 0.1 --hold)
foreign=$(job man 4 120 0.1)
noted=$(job man 4 120 0.1)
hand=$(job man 4 120 0.1)
timeout 10 scontrol update JobId="$foreign" SiteFactor=-77
timeout 10 scontrol update JobId="$noted" AdminComment=theirs
timeout 10 scontrol update JobId="$hand" Priority=5
ours=("$long" "$narrow" "$short" "$array")
theirs() {
    check "a SiteFactor of others" "$(factor "$foreign")" -eq -77
    for job in "$noted" "$hand" "$held"; do check "JobId=$job, which is not ours" "$(factor "$job")" -eq 0; done
    timeout 5 scontrol -o show job "$noted" | grep -q 'AdminComment=theirs ' || fail "the AdminComment of others is gone"
}

# A look that changes nothing.
once --look --limit
said "JobId=$long would have "
said 'would set the points of 4 jobs'
for job in "${ours[@]}"; do check "JobId=$job after a look" "$(factor "$job")" -eq 0; done

# By limits, to the point: two hours on four processors, and half an hour on one. A wait of 10 s is worth half a point.
once --limit
said 'set the points of 4 jobs; 0 failed, 0 left for the next cycle; 3 are left alone'
for job in "$long" "$short" "$array"; do
    check "processors of JobId=$job" "$(of "$job" 3)" -eq 4
    near "$job" "$(formula 7200 4 "$(waited "$job")")" 2
done
near "$narrow" "$(formula 1800 1 "$(waited "$narrow")")" 2
theirs
# Moves below a hundredth of the weight are left out.
moment=$(factor "$long")
sleep 2
once --limit
check "said of small moves" "$(grep -c 'set the points' "$work/said")" -eq 0
check "points after a small move" "$(factor "$long")" -eq "$moment"
# With --clear all have none.
timeout 20 "$points" --clear >"$work/said" || fail "--clear: $(cat "$work/said")"
said 'taken back the points of 4 jobs'
for job in "${ours[@]}"; do
    check "JobId=$job after --clear" "$(factor "$job")" -eq 0
    ! timeout 5 scontrol -o show job "$job" | grep -q surefill || fail "--clear leaves the mark of JobId=$job"
done
theirs
# At most so many changes a look.
once --limit -c 1
said 'set the points of 1 jobs; 0 failed, 3 left'

# By predictions. The mean lies above the median, as a little of what is predicted may be anything up to the limit.
once --fixed
said 'PriorityWeightAge is below 10000: with --fixed waits count for little'
near "$long" "$(formula 5000 4 0)" 600
check "points by the mean" "$(factor "$short")" -gt $(($(factor "$long") + weight / 5))
# A bin of run times is 1.8 times as long as the one before, which is 588 points.
daemon points "$points" -s "$work/state" -i 0.5 -q 0.5
has_moved() { [ "$(factor "$short")" -gt $((weight * 3 / 4)) ]; }
wait_for 10 has_moved
wait_for 10 grep -q 'set the points' "$CLUSTER/log/points.out"
sleep 1
near "$short" "$(formula 30 4 0)" 600
near "$array" "$(formula 30 4 0)" 600
near "$long" "$(formula 5000 4 0)" 600
theirs
# An operator's value in the place of ours is the operator's from then on.
timeout 10 scontrol update JobId="$narrow" SiteFactor=5
sleep 1.5
check "an operator's SiteFactor" "$(factor "$narrow")" -eq 5
# Stopped, it leaves the points; slurmctld reckons with them.
daemon_stop points
near "$short" "$(formula 30 4 0)" 600
priority() { timeout 5 squeue -h -j "$1" -o %Q | head -n 1; }
ahead() { [ "$(priority "$short")" -gt "$(($(priority "$long") + weight / 10))" ]; }
wait_for 100 ahead
check "the priority that was set by hand" "$(priority "$hand")" -eq 5
timeout 10 scancel "$held"
touch "$CLUSTER/gate"
for job in "$short" "$long" "$narrow"; do wait_for 60 is_completed "$job"; done
check "the short job, submitted later, before the long one" "$(completed "$short" StartTime)" -le "$(completed "$long" StartTime)"
first() { sed -n 's/^JobId=\([0-9]*\) .*/\1/p' "$CLUSTER/completed" | grep -nx "$1" | cut -d : -f 1; }
check "its place among those that have ended" "$(first "$short")" -lt "$(first "$long")"

# The form for job_submit.lua: points at submission, by the limit. They are a site factor of others to the program.
sed "s/^local W = [0-9]*/local W = $weight/" "$here/../../c-examples/slurm-external/points.lua" >"$CLUSTER/job_submit.lua"
setting JobSubmitPlugins=lua
submitted=$(job man 2 120 0.1 --hold)
unlimited=$(job man 2 INFINITE 0.1 --hold)
near "$submitted" "$(formula 7200 2 0)" 1
near "$unlimited" "$(formula $((525600 * 60)) 2 0)" 1
timeout 20 scancel "$submitted" "$unlimited"
free=$(job man 2 120 0.1 --begin=now+1hour)
once --limit
near "$free" "$(formula 7200 2 0)" 1
say "waiting jobs get the formula's points by limits and by predictions, once they have moved enough, and start in that order;" \
    "others' SiteFactors, comments and priorities stay; --look changes nothing, --clear takes all back, a stop nothing;" \
    "job_submit.lua gives the same by limits"
