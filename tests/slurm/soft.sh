#!/usr/bin/env bash
# Predicted soft limits beside Slurm's own sched/backfill: refused where Slurm would shorten limits; elsewhere a job that is
# predicted to be short overtakes and keeps its limit, users' own --time-min stays, and what was written is taken back.
. "$(dirname "$0")/lib.sh"

games=$(id -u games) man=$(id -u man) mail=$(id -u mail)
word=bf_continue,bf_interval=1,bf_resolution=1,sched_min_interval=0,time_min_as_soft_limit,bf_running_job_reserve
soft=$built/surefill-soft-limits

# Without the word in SchedulerParameters, and in releases that do not know it, nothing is written.
SCHEDULER=sched/backfill PARAMETERS=bf_interval=1 cluster_make "$work/cluster" 4
seed_engine "$work/state" "$games:3000:40:60:3" "$man:30:40:120:1" "$mail:5000:40:120:1"
cluster_start
refused() { # WHY
    local status=0
    timeout 20 "$soft" -1 -s "$work/state" >"$work/refused" 2>&1 || status=$?
    check "exit status where limits are not soft" $status -eq 1
    grep -q "$1" "$work/refused" || fail "where limits are not soft: $(cat "$work/refused")"
}
least() { timeout 5 scontrol -o show job "$1" | sed -n 's/.* TimeMin=\([^ ]*\) .*/\1/p'; }
for wrong in '-q 1' '-q x' '-i 0' '-c 0' more; do
    status=0
    # shellcheck disable=SC2086
    timeout 10 "$soft" $wrong >"$work/refused" 2>&1 || status=$?
    check "exit status with $wrong" $status -eq 2
done
held=$(job man 1 120 0.1 --hold)
case $(slurmctld -V) in
*' 22.'* | *' 23.02'*)
    refused 'would shorten limits to what is predicted; 23.11 is needed'
    parameters "$word"
    refused 'would shorten limits to what is predicted; 23.11 is needed'
    check "a job after the refusals: no --time-min" "$(least "$held" | grep -c N/A)" -eq 1
    say "refused by $(slurmctld -V), which would shorten limits"
    exit 0
    ;;
esac
refused 'SchedulerParameters has no time_min_as_soft_limit'
parameters "$word"

daemon soft "$soft" -s "$work/state" -i 0.5
has() { [ "$(least "$1")" = "$2" ]; }
wait_for 10 has "$held" 00:01:00
busy=$(TASK="until [ -e $CLUSTER/gate ]; do sleep 0.1; done" job games 3 60 0)
wait_for 10 running "$busy"
head=$(job games 4 60 0.1)
long=$(job mail 1 120 0.1)
own=$(job man 1 120 0.1 --time-min=110)
noted=$(job man 1 120 0.1)
timeout 10 scontrol update JobId="$noted" AdminComment=theirs TimeMin=0
array=$(job man 1 120 6 --array=1-2%1)
wait_for 40 has_run "$array" || fail "the array that is predicted to be short has not overtaken"
# Its script runs; squeue may still show the task as being configured, or under the predicted limit.
unshortened() { [ "$(timeout 5 squeue -h -t RUNNING -j "$array" -o %l | grep -c '^2:00:00$')" = 1 ]; }
wait_for 5 unshortened || fail "the limit of a task that has overtaken: $(timeout 5 squeue -h -j "$array" -o '%i %T %l')"
# Its user's jobs ran for 83 minutes, others with its limit for half a minute: longer than the hour until the
# head job starts.
[[ $(least "$long") =~ ^01:[0-9]{2}:[0-9]{2}$ ]] || fail "the prediction for the long job: $(least "$long")"
has "$own" 01:50:00 || fail "a user's own --time-min has become $(least "$own")"
[ "$(timeout 5 squeue -h -j "$head" -o %t)" = PD ] || fail "the head job has started"
[ "$(timeout 5 squeue -h -j "$long" -o %t)" = PD ] || fail "the long job has overtaken"
# Where the head job may start Slurm reckons from the limits of running jobs: the tasks end first, and only then the
# job before it.
wait_for 30 is_completed "$array"
touch "$CLUSTER/gate"
wait_for 40 is_completed "$head"
wait_for 40 is_completed "$long"
check "the long job has not delayed the head job" "$(completed "$long" StartTime)" -ge "$(completed "$head" StartTime)"

# Stopped, it takes back what it has written, and nothing else.
own=$(job man 1 120 0.1 --hold --time-min=110)
has "$held" 00:01:00 || fail "the held job has lost its prediction"
daemon_stop soft
has "$held" N/A || fail "stopped, it leaves $(least "$held")"
[ "$(timeout 5 scontrol -o show job "$held" | grep -c surefill-soft)" = 0 ] || fail "stopped, it leaves its mark"
has "$own" 01:50:00 || fail "a user's own --time-min has become $(least "$own")"
# So does --clear after a kill, and the program itself when the word is gone.
timeout 20 "$soft" -1 -s "$work/state" >/dev/null
has "$held" 00:01:00 || fail "no prediction from -1"
timeout 20 "$soft" --clear >/dev/null
has "$held" N/A || fail "--clear leaves $(least "$held")"
daemon soft "$soft" -s "$work/state" -i 0.5
wait_for 10 has "$held" 00:01:00
parameters bf_interval=1
wait_for 10 has "$held" N/A
grep -q 'Slurm would shorten limits' "$CLUSTER/log/soft.out" || fail "nothing said of the word that is gone"
daemon_stop soft
check_runs
say "a short job overtakes by its prediction and keeps its limit; a long one, users' own --time-min and others' comments" \
    "stay; stopped, cleared or without the word everything is taken back"
