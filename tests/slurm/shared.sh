#!/usr/bin/env bash
# Nodes that jobs share by cores, memory and GPUs: for every kind of resource, and for first jobs with wishes of their own, a job
# that would keep the first one waiting for hours waits, and one that is short by what is known of its user starts, though its
# limit is as long. Then 300 jobs of every kind, an array, holds, cancellations, a drained node, a reservation and a kill
# of slurmctld: each of them exactly once.
. "$(dirname "$0")/lib.sh"

mail=$(id -u mail)
ours=$OURS,surefill_save=1
CORES=8 MEMORY=8000 GPUS=4
# make_cluster NAME NODES: nodes with eight cores, 8,000 MB and four GPUs; PARTITIONS as in cluster.sh.
make_cluster() {
    NODE_CPUS=$CORES SCHEDULER=sched/surefill PARAMETERS=$ours EXTRA_CONF="GresTypes=gpu
Licenses=matlab:2
DefMemPerCPU=100
NodeName=DEFAULT RealMemory=$MEMORY Gres=gpu:$GPUS" cluster_make "$work/$1" "$2"
    sed -i 's/^SelectTypeParameters=CR_Core$/SelectTypeParameters=CR_Core_Memory/' "$CLUSTER/slurm.conf"
    touch "$CLUSTER"/gpu{0,1,2,3}
    echo "NodeName=n[1-$2] Name=gpu File=$CLUSTER/gpu[0-3]" >"$CLUSTER/gres.conf"
}

# The last node of mixed is smaller, has not the others' feature, and GPUs of another type.
PARTITIONS='PartitionName=twins Nodes=n[1-2] Default=YES MaxTime=INFINITE
PartitionName=mixed Nodes=n[3-5] MaxTime=INFINITE' make_cluster rules 5
sed -i -E "s/^(NodeName=n[34] .*)/\1 Feature=big Gres=gpu:fast:$GPUS/
    s/^(NodeName=n5 .*) CPUs=8(.*)/\1 CPUs=4\2 RealMemory=4000 Feature=small Gres=gpu:slow:$GPUS/" "$CLUSTER/slurm.conf"
printf '%s\n' "NodeName=n[1-2] Name=gpu File=$CLUSTER/gpu[0-3]" "NodeName=n[3-4] Name=gpu Type=fast File=$CLUSTER/gpu[0-3]" \
    "NodeName=n5 Name=gpu Type=slow File=$CLUSTER/gpu[0-3]" >"$CLUSTER/gres.conf"
seed "$CLUSTER/state/surefill_state" "$mail:7000:40:120:1" "$(id -u games):600:40:60:1" "$(id -u man):1:40:120:1"
cluster_start

cycles() { grep -c 'surefill: cycle' "$CLUSTER/log/slurmctld"; }
cycled() { [ "$(cycles)" -gt "$1" ]; }
known() { # JOB: two cycles have decided
    wait_for 10 cycled $(($(cycles) + 1)) && waits "$1"
}
waits() { [ "$(timeout 5 squeue -h -j "$1" -o %t)" = PD ]; }
# Ends everything. What runs is put back into the queue first: else it would be learnt that such jobs are short.
nothing_runs() { [ -z "$(timeout 5 squeue -h -t RUNNING,COMPLETING -o %i)" ]; }
# One by one, the last submitted first: else a job starts for a moment when the one that it waited for is cancelled before it.
cancel() { # STATES
    local all number
    mapfile -t all < <(timeout 10 squeue -h -t "$1" -o %i | sort -rn)
    for number in "${all[@]}"; do timeout 10 scancel "$number"; done
}
clear_queue() {
    local all
    cancel PENDING
    mapfile -t all < <(timeout 10 squeue -h -t RUNNING -o %i)
    [ ${#all[@]} = 0 ] || timeout 10 scontrol requeuehold "$(IFS=, && echo "${all[*]}")"
    wait_for 20 nothing_runs
    cancel PENDING
    wait_for 20 queue_empty
}
# delays WHAT BUSY HEAD CANDIDATE: two jobs of games with the options BUSY run on two nodes; the head job with the
# options HEAD waits for both; of the candidates with the options CANDIDATE news's would delay it and man's does not.
# PLACE has the nodes and the partition.
PLACE=(n1 n2 twins)
delays() {
    local what=$1 busy other head long short
    # shellcheck disable=SC2086
    busy=$(job games 1 60 100 -p "${PLACE[2]}" -w "${PLACE[0]}" $2)
    # shellcheck disable=SC2086
    other=$(job games 1 60 100 -p "${PLACE[2]}" -w "${PLACE[1]}" $2)
    wait_for 10 has_run "$busy" && wait_for 10 has_run "$other"
    # shellcheck disable=SC2086
    head=$(job games 2 60 0.1 -p "${PLACE[2]}" $3)
    # shellcheck disable=SC2086
    long=$(job mail 1 120 100 -p "${PLACE[2]}" $4)
    known "$long" || fail "$what: who would delay the head job is not refused"
    # shellcheck disable=SC2086
    short=$(job man 1 120 0.1 -p "${PLACE[2]}" $4)
    wait_for 10 is_completed "$short" || fail "$what: who is short by what is known of it does not start"
    waits "$long" || fail "$what: who would delay the head job has started"
    waits "$head" || fail "$what: the head job has started"
    clear_queue
}
delays GPUs '--gres=gpu:3 -c 2' '--gres=gpu:4' '--gres=gpu:1'
delays cores '-c 7' '--ntasks-per-node=8' '-c 1'
delays memory '--mem=7000' '--mem=8000' '--mem=1000'
delays 'all of the memory' '--mem=7000' '--mem=0' '--mem=1000'
delays 'whole nodes' '-c 7' '--exclusive' '-c 1'
delays 'tasks as Slurm likes' '-c 6' '-n 15' '-c 2'
delays licences '--gres=gpu:3' '--gres=gpu:4 --licenses=matlab' '--gres=gpu:1'
delays 'licences of the candidate' '--gres=gpu:3' '--gres=gpu:4' '--gres=gpu:1 --licenses=matlab'
PLACE=(n3 n4 mixed)
delays 'GPUs of a type' '--gres=gpu:3' '--gres=gpu:fast:4' '--gres=gpu:fast:1'
delays 'nodes that differ' '-c 3' '-c 7' '-c 5'
delays features '--gres=gpu:3' '--gres=gpu:4 -C big' '--gres=gpu:1 -C big'
delays 'nodes left out' '--gres=gpu:3' '--gres=gpu:4 -x n5' '--gres=gpu:1 -x n5'
delays 'named nodes' '--gres=gpu:3' '--gres=gpu:4 -w n3,n4' '--gres=gpu:1 -w n4'
timeout 10 scontrol update NodeName=n5 State=DRAIN Reason=test
delays 'a drained node' '--gres=gpu:3' '--gres=gpu:4' '--gres=gpu:1'
timeout 10 scontrol update NodeName=n5 State=RESUME
for start in now now+30minutes; do
    timeout 10 scontrol create reservation ReservationName=service StartTime=$start Duration=180 Nodes=n5 Users=root >/dev/null
    delays "a reservation from $start on" '--gres=gpu:3' '--gres=gpu:4' '--gres=gpu:1'
    timeout 10 scontrol delete ReservationName=service
done

# A reservation of four of a node's cores: the head job finds no seven there, and waits for the other node. Who would delay it
# there waits, the reserved node's other cores are free; a job inside the reservation takes nothing more.
timeout 10 scontrol create reservation ReservationName=parts StartTime=now Duration=180 Nodes=n1 CoreCnt=4 Users=root >/dev/null
busy=$(job games 1 60 100 -w n2 -c 6)
wait_for 10 has_run "$busy"
head=$(job games 1 60 0.1 -c 7)
long=$(job mail 1 120 100 -c 2 -w n2)
known "$long" || fail "parts of nodes: who would delay the head job is not refused"
short=$(job man 1 120 0.1 -c 2 -w n2)
wait_for 10 is_completed "$short" || fail "parts of nodes: who is short by what is known of it does not start"
inside=$(job root 1 60 100 -c 2 --reservation=parts)
wait_for 10 has_run "$inside" || fail "parts of nodes: a job does not start inside the reservation"
beside=$(job mail 1 120 100 -c 4)
wait_for 10 has_run "$beside" || fail "parts of nodes: the cores that are not reserved are not free"
[ "$(timeout 5 squeue -h -j "$beside" -o %N)" = n1 ] || fail "it is on $(timeout 5 squeue -h -j "$beside" -o %N)"
waits "$head" && waits "$long" || fail "parts of nodes: the head job has started, or who would delay it"
clear_queue
timeout 10 scontrol delete ReservationName=parts

# Apart from the head job's nodes no job delays it.
busy=$(job games 1 60 100 -p mixed -w n3 --gres=gpu:3)
wait_for 10 has_run "$busy"
head=$(job games 2 60 0.1 -p mixed -C big --gres=gpu:4)
apart=$(job mail 1 120 100 -p mixed --gres=gpu:1)
wait_for 10 has_run "$apart" || fail "who is apart from the head job does not start"
[ "$(timeout 5 squeue -h -j "$apart" -o %N)" = n5 ] || fail "it is on $(timeout 5 squeue -h -j "$apart" -o %N)"
clear_queue

# A job of two partitions that starts in the second one, though it is the head job of the first: it runs in the second
# for Slurm too, and its cores are free after its end.
busy=$(job games 1 60 100 -w n1 --exclusive)
other=$(job games 1 60 100 -w n2 --exclusive)
wait_for 10 has_run "$busy" && wait_for 10 has_run "$other"
both=$(TASK="until [ -e $CLUSTER/gate ]; do sleep 0.1; done" job man 1 60 0 -p twins,mixed -c 4)
job mail 1 120 100 -c 1 >/dev/null
wait_for 10 has_run "$both" || fail "a job of two partitions waits while the second has idle nodes"
sleep 1 # some cycles
place=$(timeout 5 squeue -h -j "$both" -o %P)
[ "$place" = mixed ] || fail "a job that started in mixed is said to run in $place"
touch "$CLUSTER/gate"
wait_for 20 is_completed "$both"
whole=$(job man 3 60 0.1 -p mixed --exclusive)
wait_for 10 is_completed "$whole" || fail "the cores of a job of two partitions are not free after its end"
clear_queue

# By limits alone who is short only by what is known of its user waits.
parameters "$ours,surefill_mode=limits"
busy=$(job games 1 60 100 -w n1 --gres=gpu:3)
wait_for 10 has_run "$busy"
head=$(job games 2 60 0.1 --gres=gpu:4)
short=$(job man 1 120 0.1 --gres=gpu:1)
known "$short" || fail "by limits it has started"
# In the shadow mode it is said that it would start.
parameters "$ours,surefill_mode=shadow"
wait_for 10 logged "surefill: shadow: JobId=$short would start now, ahead of JobId=$head" || fail "no shadow of a decision"
waits "$short" || fail "in the shadow mode it has started"
parameters "$ours"
wait_for 10 is_completed "$short" || fail "by what is known of it it does not start"

clear_queue
logged '; from here on' && fail "the plugin fell back to limits"
check "every job has run once" "$(sort "$work/ran" | uniq -d | wc -l)" -eq 0
cluster_stop
say "by limits, in the shadow mode: as each of them has it"
say "GPUs, cores, memory, licences, features, named nodes, nodes that differ, a drained node, reservations, also of parts of nodes: who would delay the" \
    "head job waits, who is short by what is known of its user starts"

# --- The stream ---

PARTITIONS='' make_cluster stream 6
seed "$CLUSTER/state/surefill_state" "$mail:7000:40:120:1" "$(id -u games):600:40:60:1" "$(id -u man):1:40:120:1"
cluster_start
: >"$work/ran"
: >"$work/complete" # numbers that must complete, "array_task" for tasks
: >"$work/cancel"   # numbers that must be cancelled before they start

# Requests of the jobs, the same in every run: user, nodes, minutes, seconds, options. Lehmer's generator, seeded with 11.
awk 'function random(n) { x = x * 16807 % 2147483647; return x % n }
    BEGIN {
        x = 11
        split("games man news", users)
        for (i = 0; i < 500; i++) {
            kind = random(10)
            nodes = kind < 6 ? 1 : 2
            if (kind < 3) options = "-c " (1 + random(6)) " --mem=" (500 * (1 + random(8)))
            else if (kind < 6) options = "-c " (1 + random(3)) " --gres=gpu:" (1 + random(4))
            else if (kind < 8) options = "--ntasks-per-node=" (1 + random(4)) " --gres=gpu:" (1 + random(2))
            else if (kind < 9) options = "-n 5 --mem-per-cpu=" (100 * (1 + random(5)))
            else options = random(2) ? "--exclusive" : "-c 8 --mem=0"
            printf "%s %d %d 0.%d %s\n", users[1 + random(3)], nodes, 1 + random(90), 1 + random(9), options
        }
    }' >"$work/wishes"
exec 9<"$work/wishes"
random_job() { # [sbatch arguments]
    local wish
    read -r -a wish <&9
    job "${wish[@]}" "$@"
}
wave() { # jobs
    local i
    for i in $(seq "$1"); do random_job >>"$work/complete"; done
}
tasks_of() { # ARRAY FIRST LAST
    local i
    for i in $(seq "$2" "$3"); do echo "${1}_$i"; done
}

wave 60
tasks_of "$(random_job --array=0-19)" 0 19 >>"$work/complete"
tasks_of "$(random_job --array=1-10%3)" 1 10 >>"$work/complete"
held=$(random_job --hold)
first=$(random_job)
after=$(random_job --dependency="afterok:$first")
printf '%s\n' "$held" "$first" "$after" >>"$work/complete"
for _ in $(seq 6); do random_job --hold; done >"$work/cancel"
timeout 10 scontrol update NodeName=n6 State=DRAIN Reason=test
# shellcheck disable=SC2046
timeout 20 scancel $(cat "$work/cancel")
wave 60
timeout 10 scontrol create reservation ReservationName=service StartTime=now+1minutes Duration=60 Nodes=n5 Users=root \
    Flags=IGNORE_JOBS >/dev/null
wave 50
timeout 10 scontrol update NodeName=n6 State=RESUME
stopped=$(job man 1 5 100 --nice=-1000)
wait_for 60 has_run "$stopped"
timeout 20 scancel "$stopped"
timeout 10 scontrol delete ReservationName=service

# The kill, as in stream.sh: nothing starts or ends meanwhile, as all cores are taken until the gate opens.
state() { timeout 5 squeue -h -j "$1" -o '%t %r'; }
alone() { [ "$(timeout 5 squeue -h -t RUNNING,COMPLETING -o %i)" = "$1" ]; }
knows() { grep -qa "$1" "$CLUSTER/state/job_state"; }
decides() { wait_for 20 cycled $(($(cycles) + 5)); }
gate=$work/gate
wide=$(TASK="until [ -e $gate ]; do sleep 0.1; done" job games 6 5 0 --nice=-1000 --ntasks-per-node=8)
wait_for 90 running "$wide"
head=$(job games 6 5 0.5 --nice=-900 --ntasks-per-node=2 --gres=gpu:4)
printf '%s\n' "$wide" "$head" >>"$work/complete"
wave 50
cancelled=$(random_job)
timeout 20 scancel "$cancelled"
echo "$cancelled" >>"$work/cancel"
wait_for 60 alone "$wide"
random_job -J saved >>"$work/complete"
wait_for 20 knows saved
decides || fail "nothing is decided"
ctld_kill
ctld_start
wait_for 5 logged 'surefill_state: learnt from [1-9]' || fail "the state did not survive"
decides || fail "nothing is decided after the kill"
running "$wide" || fail "the wide job was lost: $(state "$wide")"
[[ $(state "$head") == PD* ]] || fail "after the kill the head job is $(state "$head")"
touch "$gate"
timeout 20 scontrol release "$held"
wave 50
wait_for 150 queue_empty

sed -n 's/^JobId=\([0-9]*\) .*JobState=\([A-Z]*\) .*/\1 \2/p' "$CLUSTER/completed" | sort >"$work/records"
check "completed" "$(grep -c ' COMPLETED$' "$work/records")" -eq "$(wc -l <"$work/complete")"
check "jobs" "$(wc -l <"$work/complete")" -ge 290
check "completed twice" "$(grep ' COMPLETED$' "$work/records" | uniq -d | wc -l)" -eq 0
grep -v _ "$work/complete" | grep -vxF -f <(sed -n 's/ COMPLETED$//p' "$work/records") && fail "jobs above never completed"
check "cancelled" "$(grep -cxF -f <(sed 's/$/ CANCELLED/' "$work/cancel") "$work/records")" -eq "$(wc -l <"$work/cancel")"
check "any other end" "$(grep -cvE ' (COMPLETED|CANCELLED)$' "$work/records" || true)" -eq 0
check_runs "$stopped"
logged 'surefill: .*; from here on' && fail "the plugin fell back to limits"
overtook=$(ctld_log | grep -c 'has overtaken JobId=' || true)
refusals=$(ctld_log | grep -c 'was offered, but Slurm does not start it now$' || true)
check "jobs that overtook others" "$overtook" -ge 10
check "offers refused by Slurm" "$refusals" -le $((overtook / 10))
say "$(wc -l <"$work/complete") jobs completed exactly once over a kill of slurmctld; $overtook have overtaken others," \
    "$refusals offers were refused by Slurm"
