#!/usr/bin/env bash
# Damaged state files and a dead node.
. "$(dirname "$0")/lib.sh"

SCHEDULER=sched/surefill PARAMETERS=$OURS,surefill_save=1 EXTRA_CONF='BatchStartTimeout=10' \
    cluster_make "$work/cluster" 4
state=$CLUSTER/state/surefill_state
"$built/seed" "$state" "$(id -u games):30:40:60:1"
cp "$state" "$work/good"
cluster_start
wait_for 5 logged 'learnt from 40 jobs' || fail "the state was not read"

# The state file cut short, with one bit turned, empty, of another version, and a folder in its place: refused with a
# message, and the plugin starts empty and schedules.
size=$(stat -c %s "$work/good")
damage() {
    cp "$work/good" "$state"
    case $1 in
    truncated) truncate -s $((size / 2)) "$state" ;;
    header) truncate -s 20 "$state" ;;
    empty) : >"$state" ;;
    longer) echo >>"$state" ;;
    bit) printf '\x55' | dd of="$state" bs=1 seek=$((size - 1000)) conv=notrunc status=none ;;
    version) printf '\x7f' | dd of="$state" bs=1 seek=8 conv=notrunc status=none ;;
    random) head -c "$size" /dev/urandom >"$state" ;;
    folder) rm "$state" && mkdir "$state" ;;
    esac
}
refusals=0
for kind in truncated header empty longer bit version random folder; do
    ctld_kill # a stop would write a good file over ours
    damage "$kind"
    ctld_start
    refusals=$((refusals + 1))
    wait_for 5 logged_times 'surefill_state: .*: refused, starting without' "$refusals" ||
        fail "a state file that is $kind was not refused"
done
job games 1 1 0.1 >"$work/number"
wait_for 15 is_completed "$(cat "$work/number")"
rmdir "$state"
wait_for 5 test -f "$state"
ctld_stop
ctld_start
wait_for 5 logged 'surefill_state: learnt from 1 jobs' || fail "the state is not saved after refusals"
say "$refusals damaged state files refused, each with a message; scheduling went on"

# A node dies under a job: Slurm puts the job back into the queue, it runs again, and the books agree.
wait_for 15 nodes_idle
lost=$(job games 2 5 6)
wait_for 10 running "$lost"
node=$(timeout 10 squeue -h -j "$lost" -o %B)
node_kill "$node"
restarted() { [ "$(timeout 10 scontrol show job "$lost" | grep -o 'Restarts=[0-9]*')" = Restarts=1 ]; }
wait_for 40 restarted
waits_again() { [ "$(timeout 10 squeue -h -j "$lost" -o '%t %r')" = 'PD BeginTime' ]; }
wait_for 20 waits_again
timeout 10 scontrol update JobId="$lost" StartTime=now # Slurm keeps such a job back for two minutes
node_start "$node"
wait_for 40 queue_empty
check "the job's completion" "$(grep "^JobId=$lost " "$CLUSTER/completed" | grep -c JobState=COMPLETED)" -eq 1
wait_for 5 books_closed
books=$(books)
[ "${books%;*}" = "3 submitted, 3 started, 2 ended, 1 withdrawn; 0 waiting, 0 running" ] || fail "the books: $books"
say "a node was killed, its job ran again; books: $books"

