#!/usr/bin/env bash
# The external scheduler on libslurm's public functions: releases in order, lets short jobs through, keeps long ones, and
# leaves users' own holds alone.
. "$(dirname "$0")/lib.sh"

games=$(id -u games) man=$(id -u man) nobody=$(id -u nobody)
EXTRA_CONF=JobSubmitPlugins=lua SCHEDULER=sched/builtin PARAMETERS=sched_min_interval=0,batch_sched_delay=0 \
    cluster_make "$work/cluster" 5
cp "$here/../../c-examples/slurm-external/job_submit.lua" "$CLUSTER"
"$built/seed" "$work/state" "$games:30:40:60:3" "$man:1:40:120:1" "$nobody:7000:40:120:1"
cluster_start
daemon external "$built/surefill-slurm" -s "$work/state" surefill_tau=0.2,surefill_interval=0.5,surefill_save=1
said() { grep -q -- "$1" "$CLUSTER/log/external.out"; }
trap 'daemon_stop external; finish' EXIT
wait_for 5 said 'learnt from 120 jobs'

# What it cannot use is refused.
for wrong in surefill_tau=soon surefill_sooner=1 bf_interval=1; do
    status=0
    timeout 10 "$built/surefill-slurm" -1 $wrong >"$work/refused" 2>&1 || status=$?
    check "exit status with $wrong" $status -eq 2
done
timeout 20 "$built/surefill-slurm" -1 -s "$work/none/state" >"$work/refused"
grep -q 'state not saved: .*No such file or directory' "$work/refused" || fail "nothing said of a folder that is not there"

own=$(job games 1 60 1 --hold)
busy=$(job games 3 60 9)
wait_for 15 running "$busy"
head=$(job games 5 60 1)
long=$(job nobody 1 120 1)
short=$(job man 1 120 1)
array=$(job man 1 60 1 --array=1-2)
stay=$(job games 1 60 1 --comment=hold)
wait_for 15 is_completed "$short"
wait_for 40 is_completed "$long"
check "the short candidate overtakes" "$(completed "$short" StartTime)" -lt "$(completed "$busy" EndTime)"
check "the long candidate waits" "$(completed "$long" StartTime)" -ge "$(completed "$head" StartTime)"
check "the head starts soon after the nodes are free" \
    $(($(completed "$head" StartTime) - $(completed "$busy" EndTime))) -le 4
tasks() { [ "$(grep -c "JobState=COMPLETED" "$CLUSTER/completed")" -eq 6 ]; }
wait_for 20 tasks
check "tasks of the array" "$(timeout 10 squeue -h -j "$array" -o %i 2>/dev/null | wc -l)" -eq 0
staying() { timeout 10 squeue -h -t PENDING -j "$own,$stay" -o %i | wc -l; }
check "a job held by its user, and one asked to stay" "$(staying)" -eq 2
timeout 10 scontrol release "$own"
timeout 10 scontrol update JobId="$stay" Comment=
wait_for 20 queue_empty
said "decision: JobId=$long head=$head probability .*: wait" || fail "no decision about the long candidate"
daemon_stop external
check "every job completed once" "$(grep -c JobState=COMPLETED "$CLUSTER/completed")" -eq 8
check_runs
timeout 20 "$built/surefill-slurm" -1 -s "$work/state" >/dev/null # sees the last ends
timeout 20 "$built/surefill-slurm" -1 -s "$work/state" >"$work/again"
grep -q 'learnt from 128 jobs' "$work/again" || fail "the state was not kept: $(cat "$work/again")"
say "8 jobs released in order or ahead; the long candidate waited, users' holds stayed, 128 jobs remembered"
