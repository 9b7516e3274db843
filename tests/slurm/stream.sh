#!/usr/bin/env bash
# Sixteen nodes and more than 200 short jobs of every kind, with arrays, holds, dependencies, cancellations and a
# reconfiguration, while the scheduler is killed and started again: every job completes exactly once.
. "$(dirname "$0")/lib.sh"

ours=$OURS,surefill_save=1
SCHEDULER=sched/surefill PARAMETERS=$ours cluster_make "$work/cluster" 16
cluster_start

# Requests of the jobs, the same in every run: user, nodes, minutes, seconds. Lehmer's generator, seeded with 7.
awk 'function random(n) { x = x * 16807 % 2147483647; return x % n }
    BEGIN {
        x = 7
        split("games man news", users)
        split("12 6 6 3 3 3", wide)
        for (i = 0; i < 300; i++) {
            nodes = random(10) # of ten jobs six are wide
            nodes = nodes < 6 ? wide[1 + nodes] : 1 + random(2)
            printf "%s %d %d 0.%d\n", users[1 + random(3)], nodes, 1 + random(90), 1 + random(9)
        }
    }' >"$work/wishes"
exec 9<"$work/wishes"

: >"$work/complete" # numbers that must complete, "array_task" for tasks
: >"$work/cancel"   # numbers that must be cancelled before they start
random_job() { # [sbatch arguments]
    local wish
    read -r -a wish <&9
    job "${wish[@]}" "$@"
}
wave() { # jobs
    local i
    for i in $(seq "$1"); do random_job >>"$work/complete"; done
}

wave 40
array=$(random_job --array=0-19)
for i in $(seq 0 19); do echo "${array}_$i"; done >>"$work/complete"
limited=$(random_job --array=1-10%3)
for i in $(seq 1 10); do echo "${limited}_$i"; done >>"$work/complete"
held=$(random_job --hold)
echo "$held" >>"$work/complete"
later=$(random_job --begin=now+5)
echo "$later" >>"$work/complete"
first=$(random_job)
after=$(random_job --dependency="afterok:$first")
last=$(random_job --dependency="afterany:$after:$array")
printf '%s\n' "$first" "$after" "$last" >>"$work/complete"
for _ in $(seq 8); do random_job --hold; done >"$work/cancel"
say "submitted $(wc -l <"$work/complete") jobs and tasks, and $(wc -l <"$work/cancel") to be cancelled"

timeout 20 scontrol reconfigure
# shellcheck disable=SC2046
timeout 20 scancel $(cat "$work/cancel")
stopped=$(job man 1 5 100 --nice=-1000)
wait_for 30 has_run "$stopped"
timeout 20 scancel "$stopped"
wave 40

# The scheduler loses its life while it decides, twice; without -c it finds the jobs again. What Slurm itself has not yet
# saved (it does so within five seconds) is lost under any scheduler, and a job started since would run twice. So nothing
# starts or ends meanwhile: all sixteen nodes are taken until the gate opens.
state() { timeout 5 squeue -h -j "$1" -o '%t %r'; }
waits() { [[ $(state "$1") =~ ^PD\ (Priority|Resources)$ ]]; }
alone() { [ "$(timeout 5 squeue -h -t RUNNING,COMPLETING -o %i)" = "$1" ]; }
knows() { grep -qa "$1" "$CLUSTER/state/job_state"; }
saves() { ctld_log | grep -c 'surefill: books:' || true; }
learnt() { ctld_log | sed -n 's/.*surefill.*learnt from \([0-9]*\) jobs/\1/p' | tail -n 1; }
decides() { # several cycles from now on
    local so_far
    so_far=$(ctld_log | grep -c 'surefill: cycle: ' || true)
    wait_for 10 logged_times 'surefill: cycle: ' $((so_far + 5)) || fail "nothing is decided"
}
for round in 1 2; do
    gate=$work/gate$round
    wide=$(TASK="until [ -e $gate ]; do sleep 0.1; done" job games 16 5 0 --nice=-1000)
    wait_for 60 running "$wide"
    head=$(job games 16 5 0.5 --nice=-900)
    printf '%s\n' "$wide" "$head" >>"$work/complete"
    wave 30
    eligible=$(random_job)
    wait_for 10 waits "$eligible" || fail "it does not wait for its turn: $(state "$eligible")"
    timeout 20 scancel "$eligible"
    echo "$eligible" >>"$work/cancel"
    wait_for 60 alone "$wide"
    random_job -J "saved$round" >>"$work/complete"
    wait_for 10 knows "saved$round"
    wait_for 10 logged_times 'surefill: books:' $(($(saves) + 2)) || fail "the state is not saved"
    check "waiting jobs" "$(timeout 10 squeue -h -t PENDING -o %i | wc -l)" -ge 10
    decides
    known=$(learnt)
    ctld_kill
    ctld_start
    wait_for 5 logged_times 'surefill_state: learnt from [1-9]' "$round" || fail "the state did not survive"
    check "jobs learnt from, after the kill and before" "$(learnt)" -eq "$known"
    decides
    running "$wide" || fail "the wide job was lost: $(state "$wide")"
    [[ $(state "$head") == PD* ]] || fail "after the kill the head job is $(state "$head")"
    touch "$gate"
done
timeout 20 scontrol release "$held"
wave 30
# A job whose start a kill interrupted is requeued by Slurm for two minutes.
wait_for 240 queue_empty

# Every task's own number stands in the log of completions with its array's; the others once each by their number.
sed -n 's/^JobId=\([0-9]*\) .*JobState=\([A-Z]*\) .*/\1 \2/p' "$CLUSTER/completed" | sort >"$work/records"
check "completed" "$(grep -c ' COMPLETED$' "$work/records")" -eq "$(wc -l <"$work/complete")"
check "jobs" "$(wc -l <"$work/complete")" -ge 200
check "completed twice" "$(grep ' COMPLETED$' "$work/records" | uniq -d | wc -l)" -eq 0
grep -v _ "$work/complete" | grep -vxF -f <(sed -n 's/ COMPLETED$//p' "$work/records") && fail "jobs above never completed"
check "cancelled" "$(grep -cxF -f <(sed 's/$/ CANCELLED/' "$work/cancel") "$work/records")" -eq "$(wc -l <"$work/cancel")"
check "cancelled while it ran" "$(grep -cx "$stopped CANCELLED" "$work/records")" -eq 1
check "any other end" "$(grep -cvE ' (COMPLETED|CANCELLED)$' "$work/records" || true)" -eq 0
check "all ends" "$(wc -l <"$work/records")" -eq $(($(cat "$work/complete" "$work/cancel" | wc -l) + 1))
check_runs "$stopped"
check "the dependent job starts after the other's end" "$(completed "$after" StartTime)" -ge "$(completed "$first" EndTime)"
backfilled=$(ctld_log | sed -n 's/.* \([0-9]*\) backfilled;.*/\1/p' | awk '{ n += $1 } END { print n + 0 }')
check "backfilled" "$backfilled" -ge 1
logged 'surefill: .*; from here on' && fail "the plugin fell back to limits"
say "$(wc -l <"$work/complete") jobs completed exactly once over two kills of slurmctld; $backfilled were backfilled;" \
    "the second restart knew $known jobs"

# The books: what was learnt is what has ended, once, the job stopped included; nothing waits or runs.
wait_for 5 books_closed
books=$(books)
check "ends in the books" "$(echo "$books" | sed 's/.* \([0-9]*\) ended.*/\1/')" -eq $(($(wc -l <"$work/complete") + 1))
say "books: $books"
