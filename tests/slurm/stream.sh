#!/usr/bin/env bash
# Sixteen nodes and more than 200 short jobs of every kind, with arrays, holds, dependencies, cancellations and a
# reconfiguration, while the scheduler is killed and started again: every job completes exactly once.
. "$(dirname "$0")/lib.sh"

RANDOM=7 # the same jobs every time
users=(games man nobody)
SCHEDULER=sched/surefill PARAMETERS=$OURS,surefill_tau=0.2,surefill_save=1,surefill_predictor=hmm cluster_make "$work/cluster" 16
cluster_start

: >"$work/complete" # numbers that must complete, "array_task" for tasks
: >"$work/cancel"   # numbers that must be cancelled before they start
width() { case $((RANDOM % 10)) in 0) echo 12 ;; 1 | 2) echo 6 ;; 3 | 4 | 5) echo 3 ;; *) echo $((1 + RANDOM % 2)) ;; esac; }
random_job() { # [sbatch arguments]
    job "${users[RANDOM % 3]}" "$(width)" $((1 + RANDOM % 90)) "0.$((1 + RANDOM % 9))" "$@"
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
wave 40

# The scheduler loses its life in the middle of its work, twice; without -c it finds the jobs again. What Slurm itself has
# not yet saved (it does so within five seconds) would be lost under any scheduler: one wide job runs meanwhile, so that
# the jobs' states are those on disk, and the plugin goes on deciding about all that wait.
newer() { [ "$1" -nt "$work/mark" ]; }
for round in 1 2; do
    wide=$(job games 16 5 9 --nice=-100000)
    echo "$wide" >>"$work/complete"
    wait_for 60 running "$wide"
    wave 30
    touch "$work/mark"
    wait_for 8 newer "$CLUSTER/state/job_state"
    wait_for 5 newer "$CLUSTER/state/surefill_state"
    check "waiting jobs" "$(timeout 10 squeue -h -t PENDING -o %i | wc -l)" -ge 10
    ctld_kill
    ctld_start
    wait_for 5 logged_times 'surefill_state: learnt from [1-9]' "$round" || fail "the state did not survive"
    running "$wide" || is_completed "$wide" || fail "the wide job was lost"
done
learnt=$(ctld_log | sed -n 's/.*surefill_state: learnt from \([0-9]*\) jobs/\1/p' | tail -n 1)
timeout 20 scontrol release "$held"
wave 30
wait_for 100 queue_empty

# Every task's own number stands in the log of completions with its array's; the others once each by their number.
sed -n 's/^JobId=\([0-9]*\) .*JobState=\([A-Z]*\) .*/\1 \2/p' "$CLUSTER/completed" | sort >"$work/records"
check "completed" "$(grep -c ' COMPLETED$' "$work/records")" -eq "$(wc -l <"$work/complete")"
check "jobs" "$(wc -l <"$work/complete")" -ge 200
check "completed twice" "$(grep ' COMPLETED$' "$work/records" | uniq -d | wc -l)" -eq 0
grep -v _ "$work/complete" | grep -vxF -f <(sed -n 's/ COMPLETED$//p' "$work/records") && fail "jobs above never completed"
check "cancelled" "$(grep -cxF -f <(sed 's/$/ CANCELLED/' "$work/cancel") "$work/records")" -eq "$(wc -l <"$work/cancel")"
check "any other end" "$(grep -cvE ' (COMPLETED|CANCELLED)$' "$work/records" || true)" -eq 0
check "the dependent job starts after the other's end" "$(completed "$after" StartTime)" -ge "$(completed "$first" EndTime)"
logged 'surefill: decision' || fail "nothing was decided"
backfilled=$(ctld_log | sed -n 's/.* \([0-9]*\) backfilled;.*/\1/p' | awk '{ n += $1 } END { print n + 0 }')
check "backfilled" "$backfilled" -ge 1
logged 'surefill: .*; from here on' && fail "the plugin fell back to limits: $(ctld_log | grep 'surefill: .*; from here on')"
say "$(wc -l <"$work/complete") jobs completed exactly once over two kills of slurmctld; $backfilled were backfilled;" \
    "the second restart knew $learnt jobs"

# The books: what was learnt is what has ended, once, and nothing waits or runs.
wait_for 5 books_closed
books=$(books)
check "ends in the books" "$(echo "$books" | sed 's/.* \([0-9]*\) ended.*/\1/')" -eq "$(wc -l <"$work/complete")"
say "books: $books"

# The waits: every start taught one, over both kills; what waits is known to have left again.
waits=$(ctld_log | sed -n 's/.*surefill: waits: main: //p' | tail -n 1)
[[ $waits == *' 0 waiting; 0.95 of new jobs start within '*' s'* ]] || fail "the waits: $waits"
check "waits known" "${waits%% *}" -ge 200
say "waits: $waits"
