#!/usr/bin/env bash
# The external scheduler on libslurm's public functions: plans by predicted run times, lets short jobs through, keeps long
# ones, and leaves users' own holds alone.
. "$(dirname "$0")/lib.sh"

games=$(id -u games) man=$(id -u man) mail=$(id -u mail)
EXTRA_CONF=$'JobSubmitPlugins=lua\nLicenses=seat:1' SCHEDULER=sched/builtin PARAMETERS=sched_min_interval=0,batch_sched_delay=0 \
    cluster_make "$work/cluster" 5
sed "s,/run/surefill/main.lock,$work/lock," "$here/../../c-examples/slurm-external/job_submit.lua" \
    >"$CLUSTER/job_submit.lua"
seed_engine "$work/state" "$games:30:40:60:3" "$man:1:40:120:1" "$mail:7000:40:120:1"
cluster_start
timeout 20 "$built/surefill-slurm" -l "$work/lock" -1 -s "$work/none/state" >"$work/refused"
grep -q 'state not saved: .*No such file or directory' "$work/refused" || fail "nothing said of a folder that is not there"

# While no scheduler is alive nothing is held.
free=$(job games 1 5 0.1)
wait_for 20 is_completed "$free"

start() {
    daemon external "$built/surefill-slurm" -l "$work/lock" -s "$work/state" "$@" surefill_interval=0.5,surefill_save=1,surefill_starts=1,surefill_record=$work/decided
}
# A state file of the plugin, or of this program's earlier versions, is set aside.
seed "$work/former" "$games:30:40:60:3"
timeout 20 "$built/surefill-slurm" -l "$work/lock" -1 -s "$work/former" >"$work/refused"
grep -q "kept as $work/former.refused, starting without what was learnt" "$work/refused" || fail "$(cat "$work/refused")"
[ -e "$work/former.refused" ] || fail "the former state is gone"

start
said() { grep -q -- "$1" "$CLUSTER/log/external.out"; }
wait_for 5 said 'learnt from 120 jobs'

# Settings that it cannot use are refused.
for wrong in surefill_later=0.2 surefill_mode=limits surefill_sooner=1 bf_interval=1; do
    status=0
    timeout 10 "$built/surefill-slurm" -l "$work/lock" -1 $wrong >"$work/refused" 2>&1 || status=$?
    check "exit status with $wrong" $status -eq 2
done
# A second one for the same partition is refused.
status=0
timeout 10 "$built/surefill-slurm" -l "$work/lock" -1 >"$work/refused" 2>&1 || status=$?
check "exit status of a second scheduler" $status -eq 1
grep -q "process $(cat "$CLUSTER/pid/external.run") schedules partition main" "$work/refused" || fail "$(cat "$work/refused")"

own=$(job games 1 60 1 --hold)
busy=$(job games 3 60 9)
wait_for 15 running "$busy"
head=$(job games 5 60 1)
long=$(job mail 1 120 1)
short=$(job man 1 120 1)
array=$(job man 1 60 1 --array=1-2)
stay=$(job games 1 60 1 --comment=hold)
expected() { timeout 5 scontrol show job "$1" | grep -q 'AdminComment=surefill: expected to start at 20.*, three of four such jobs by 20'; }
wait_for 8 expected "$head"
! expected "$own" || fail "a start is predicted for a job that its user holds"
wait_for 15 is_completed "$short"
wait_for 40 is_completed "$long"
expected "$head" && fail "a start is predicted for a job that has run"
check "the short candidate overtakes" "$(completed "$short" StartTime)" -lt "$(completed "$busy" EndTime)"
check "the long candidate waits" "$(completed "$long" StartTime)" -ge "$(completed "$head" StartTime)"
check "the head starts soon after the nodes are free" \
    $(($(completed "$head" StartTime) - $(completed "$busy" EndTime))) -le 4
tasks() { [ "$(grep -c "JobState=COMPLETED" "$CLUSTER/completed")" -eq 7 ]; }
wait_for 20 tasks
check "tasks of the array" "$(timeout 10 squeue -h -j "$array" -o %i 2>/dev/null | wc -l)" -eq 0
staying() { timeout 10 squeue -h -t PENDING -j "$own,$stay" -o %i | wc -l; }
check "a job held by its user, and one asked to stay" "$(staying)" -eq 2
timeout 10 scontrol release "$own"
timeout 10 scontrol update JobId="$stay" Comment=
wait_for 20 queue_empty
said "JobId=$short released, ahead of JobId=$head" || fail "nothing said of the short candidate"
daemon_stop external
check "every job completed once" "$(grep -c JobState=COMPLETED "$CLUSTER/completed")" -eq 9
check_runs
timeout 20 "$built/surefill-slurm" -l "$work/lock" -1 -s "$work/state" >/dev/null # sees the last ends
timeout 20 "$built/surefill-slurm" -l "$work/lock" -1 -s "$work/state" >"$work/again"
grep -q 'learnt from 129 jobs' "$work/again" || fail "the state was not kept: $(cat "$work/again")"
say "8 jobs released; a short one overtook, the long one waited, users' holds stayed, 129 jobs remembered"

# An array runs as many tasks at once as it says. A released job that Slurm keeps back for something else than nodes holds
# none: here a licence.
start
gate=$work/gate.licence
busy=$(TASK="until [ -e $gate ]; do sleep 0.1; done" job games 1 60 0 -L seat:1)
wait_for 20 has_run "$busy"
kept=$(job games 4 60 0.1 -L seat:1)
wide=$(job man 4 60 0.1)
wait_for 20 is_completed "$wide"
[ "$(timeout 5 squeue -h -j "$kept" -o %t)" = PD ] || fail "there is one licence, and both jobs run"
array=$(job man 1 60 2 --array=1-3%1)
wait_for 20 running "$array"
sleep 1
check "tasks of the array at once" "$(timeout 5 squeue -h -t RUNNING -j "$array" -o %i | wc -l)" -eq 1
check "tasks of the array that are held" "$(timeout 5 squeue -h -r -j "$array" -o %Q | grep -cx 0)" -eq 2
touch "$gate"
wait_for 40 is_completed "$kept"
wait_for 40 queue_empty

# A job for which too few nodes are in service keeps no other back, and has its turn when they are.
timeout 10 scontrol update NodeName=n5 State=DRAIN Reason=test
wide=$(job games 5 60 0.1)
narrow=$(job man 2 60 0.1)
wait_for 20 is_completed "$narrow"
held() { [ "$(timeout 5 squeue -h -j "$1" -o %Q | sort -u)" = 0 ]; }
held "$wide" || fail "released although there are not nodes enough"
timeout 10 scontrol update NodeName=n5 State=RESUME
wait_for 20 is_completed "$wide"

# Killed in the middle and started again, it goes on where it was: everyone runs once.
before=$(grep -c JobState=COMPLETED "$CLUSTER/completed")
for _ in 1 2 3 4 5 6; do
    job games 3 60 1 >"$work/number"
    job man 2 60 1 --array=1-2 >"$work/number"
done
wait_for 20 running "$(cat "$work/number")"
daemon_kill external
start
wait_for 60 queue_empty
everyone() { [ "$(grep -c JobState=COMPLETED "$CLUSTER/completed")" -eq $((before + 18)) ]; }
wait_for 10 everyone
check_runs
daemon_stop external

# In shadow mode nothing is held, and it says what it would release.
daemon external "$built/surefill-slurm" -l "$work/lock" -s "$work/state" surefill_interval=0.5,surefill_mode=shadow,surefill_record=$work/decided
wait_for 5 grep -q ' 0$' "$work/lock"
busy=$(job games 5 60 3)
wait_for 10 running "$busy"
one=$(job games 3 60 0.1)
[ "$(timeout 5 squeue -h -j "$one" -o %Q)" != 0 ] || fail "held at submission by a scheduler that releases nothing"
wait_for 20 is_completed "$one"
wait_for 20 queue_empty
check "releases in shadow mode" "$(grep -c 'JobId=[0-9]* released' "$CLUSTER/log/external.out")" -eq 0
daemon_stop external
say "an array's own limit, a licence, a node out of service, a kill in the middle and shadow mode are as they should be"

# Jobs that a scheduler holds when it ends: released when it is stopped, kept held with -k or when it is killed; then
# --release-all releases it. A job with its user's own hold stays.
released() { ! held "$1"; }
for end in stop keep kill; do
    gate=$work/gate.$end keep=
    [ $end != keep ] || keep=-k
    # shellcheck disable=SC2086
    start $keep
    wait_for 10 grep -q ' [1-9][0-9]*$' "$work/lock"
    busy=$(TASK="until [ -e $gate ]; do sleep 0.1; done" job games 5 60 0)
    wait_for 20 has_run "$busy"
    one=$(job games 5 60 0.1)
    array=$(job man 5 60 0.1 --array=1-2)
    own=$(job games 1 60 0.1 --hold)
    held "$one" && held "$array" || fail "$end: not held at submission"
    case $end in
    kill) daemon_kill external ;;
    *) daemon_stop external ;;
    esac
    if [ $end = stop ]; then
        released "$one" && released "$array" || fail "stopped, it has left jobs held"
        free=$(job games 1 60 0.1)
        released "$free" || fail "held at submission while nobody is there"
    else
        held "$one" && held "$array" || fail "$end: nobody has released them, and they are"
        timeout 20 "$built/surefill-slurm" --release-all >"$work/all"
        grep -q 'released all that was held in partition main: 2 jobs$' "$work/all" || fail "$end: $(cat "$work/all")"
        released "$one" && released "$array" || fail "$end: --release-all has left jobs held"
    fi
    held "$own" || fail "$end: a user's own hold was released"
    touch "$gate"
    wait_for 40 is_completed "$one"
    timeout 10 scancel "$own"
    wait_for 40 queue_empty
done
check_runs
say "stopped, it releases what it holds; otherwise --release-all does; a second scheduler is refused"
