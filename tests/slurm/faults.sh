#!/usr/bin/env bash
# Damaged state files, a dead node, and no memory.
. "$(dirname "$0")/lib.sh"

SCHEDULER=sched/surefill PARAMETERS=$OURS,surefill_save=1 EXTRA_CONF='BatchStartTimeout=10' \
    cluster_make "$work/cluster" 4
state=$CLUSTER/state/surefill_state
seed "$state" "$(id -u games):30:40:60:1"
cp "$state" "$work/good"
cluster_start
wait_for 5 logged 'learnt from 40 jobs' || fail "the state was not read"

# The state file cut short, with one bit turned, empty, of another version: set aside with a message, and the plugin starts empty
# and schedules; a folder in its place is left there, and nothing is saved while it is.
size=$(stat -c %s "$work/good")
damage() {
    cp "$work/good" "$state"
    case $1 in
    truncated) truncate -s $((size / 2)) "$state" ;;
    header) truncate -s 20 "$state" ;;
    empty) : >"$state" ;;
    longer) echo >>"$state" ;;
    bit) printf '\x55' | dd of="$state" bs=1 seek=$((size / 2)) conv=notrunc status=none ;;
    version) printf '\x7f' | dd of="$state" bs=1 seek=8 conv=notrunc status=none ;;
    random) head -c "$size" /dev/urandom >"$state" ;;
    folder) rm "$state" && mkdir "$state" ;;
    esac
}
refusals=0
for kind in truncated header empty longer bit version random; do
    ctld_kill # a stop would write a good file over ours
    damage "$kind"
    ctld_start
    refusals=$((refusals + 1))
    wait_for 5 logged_times 'surefill_state: .*, starting without what was learnt' "$refusals" ||
        fail "a state file that is $kind was not refused"
done
ctld_kill
damage folder
ctld_start
wait_for 5 logged 'surefill_state: cannot be read: ' || fail "a folder was read"
job games 1 1 0.1 >"$work/number"
wait_for 15 is_completed "$(cat "$work/number")"
rmdir "$state"
wait_for 5 test -f "$state"
ctld_stop
ctld_start
wait_for 5 logged 'surefill_state: learnt from 1 jobs' || fail "the state is not saved after refusals"
say "$refusals damaged state files set aside, each with a message; scheduling went on"

# A node dies under a job: Slurm puts the job back into the queue, it runs again, and the books agree.
wait_for 15 nodes_idle
lost=$(job games 2 5 6)
wait_for 10 has_run "$lost"
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
[[ $books == '3 submitted, 3 started, 2 ended, 0 withdrawn; 0 waiting, 0 running; '* ]] || fail "the books: $books"
check_runs "$lost"
say "a node was killed, its job ran again; books: $books"

# The plugin gets no memory: at its start it waits for some. Later on it goes on with what it has; where more jobs come than
# there is room for, it says once that jobs start in order of priority alone. With memory again, that ends.
ctld_stop
rm "$state"
export SUREFILL_SHORT=$work/short
touch "$SUREFILL_SHORT"
LD_PRELOAD=$built/short.so ctld_start -c
wait_for 20 nodes_idle
nothing='surefill: no memory: nothing starts until there is some'
wait_for 5 logged "$nothing"
rm "$SUREFILL_SHORT"
wait_for 5 logged 'surefill_state: none yet'
gate=$work/gate
none_left() { [ "$(timeout 5 squeue -h -o %r | grep -vc JobHeldUser)" = 0 ]; }
overtaken() { # [yes]: three nodes of four are busy until the gate opens, and a job of one waits behind one of four
    rm -f "$gate"
    busy=$(TASK="until [ -e $gate ]; do sleep 0.1; done" job games 3 5 0)
    wait_for 10 running "$busy"
    head=$(job games 4 1 0.5)
    small=$(job games 1 1 0.5)
    if [ "${1:-}" = yes ]; then
        wait_for 20 is_completed "$small" || fail "it does not overtake"
        touch "$gate"
        wait_for 20 none_left
    else
        sleep 1 # several cycles
        touch "$gate"
        wait_for 20 none_left
        check "it waits" "$(completed "$small" StartTime)" -ge "$(completed "$head" EndTime)"
    fi
}
overtaken yes
touch "$SUREFILL_SHORT"
overtaken yes
many=$(timeout 20 sbatch --parsable --hold -D / -o /dev/null --array=0-1 --wrap true)
for _ in $(seq 300); do timeout 20 sbatch --parsable --hold -D / -o /dev/null --wrap true; done >"$work/many"
alone='surefill: the scheduler does not take the jobs: .*; until that is over jobs start in order of priority alone'
wait_for 10 logged_times "$alone" 1 || fail "nobody said that there is no room for the jobs"
overtaken
reconfigure_is_restart || {
    timeout 20 scontrol reconfigure
    overtaken
}
check "said that there is no memory to begin with" "$(ctld_log | grep -c "$nothing")" -eq 1
check "said that jobs start in order of priority" "$(ctld_log | grep -c "$alone")" -eq 1
rm "$SUREFILL_SHORT"
wait_for 10 logged 'surefill: decisions are made again' || fail "it does not go on with memory"
overtaken yes
if reconfigure_is_restart; then # the plugin has nothing to begin with once more
    touch "$SUREFILL_SHORT"
    timeout 20 scontrol reconfigure
    wait_for 20 logged_times "$nothing" 2
    wait_for 20 nodes_idle
    waits=$(job games 1 1 0.1)
    sleep 2 # several cycles
    has_run "$waits" && fail "a job starts although there is no memory to begin with"
    rm "$SUREFILL_SHORT"
    wait_for 20 is_completed "$waits" || fail "it does not begin with memory"
    overtaken yes
fi
xargs -n 50 timeout 10 scancel <"$work/many"
timeout 10 scancel "$many"
check_runs "$lost"
say "without memory for more jobs they start in order of priority, said once; with memory they overtake again"
