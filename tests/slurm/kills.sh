#!/usr/bin/env bash
# slurmctld is killed again and again at random moments while jobs come and go, under sched/surefill and, beside it, with the
# same jobs and the same pauses, under sched/backfill. By the jobs' own account no job runs twice, is cut short or
# lost under sched/surefill, but what was submitted, started or ended in the seconds before a kill: slurmctld writes its job
# state every five seconds, whoever schedules, and what it has not written it does not know when it comes back. A job whose
# end it has not written then seems to run until its node registers again; whose submission, leaves its number to another.
#
#   KILLS=50 PAUSE=20 kills.sh BUILD      how many kills, and seconds between two in the mean; 6 and 16 unless said otherwise
. "$(dirname "$0")/lib.sh"

kills=${KILLS:-6}
pause=${PAUSE:-16}
UNSAVED=7 # seconds before a kill of which slurmctld may have written nothing

# NAME TAG: what a job does. It keeps its own account: a line when it starts and one when it ends.
submit() {
    local tag=$1 nodes=$2 seconds=$3 number at
    at=$(date +%s.%N)
    if number=$(timeout 20 sbatch --parsable -D / -o /dev/null -N "$nodes" -t $((2 + nodes * 10)) -J "$tag" \
        --wrap "echo start $tag \$(date +%s.%N) >>$work/account; sleep $seconds; echo end $tag \$(date +%s.%N) >>$work/account" \
        2>/dev/null); then
        echo "$tag $number $at $(date +%s.%N)" >>"$work/accepted"
    fi
}
stream() { # until the file "enough" appears
    local i=0
    RANDOM=11
    while [ ! -e "$work/enough" ]; do
        i=$((i + 1))
        submit "j$i" $((1 + RANDOM % (RANDOM % 4 ? 3 : 8))) $((RANDOM % 3)).$((RANDOM % 10))
        sleep 1.2
    done
}
# Nodes that slurmctld has taken out of service come back, and jobs that it holds because a node refused them, as an operator
# would have it; both are counted. Jobs that it puts back into the queue need not wait two minutes.
mend() {
    local node reason job
    for job in $(timeout 5 squeue -h -t PENDING -o '%i %r' | sed -n 's/ launch failed requeued held$//p'); do
        echo "$job" >>"$work/held"
        timeout 5 scontrol release "$job" || true
    done
    while read -r node reason; do
        echo "$node $reason" >>"$work/drained"
        timeout 5 scontrol update NodeName="$node" State=RESUME || true
    done < <(timeout 5 sinfo -h -N -t drain -o '%N %E' | sort -u)
    for job in $(timeout 5 squeue -h -t PENDING -o '%i %r' | sed -n 's/ BeginTime$//p'); do
        timeout 5 scontrol update JobId="$job" StartTime=now || true
    done
    # All nodes register again, and slurmctld learns which jobs they do not have.
    if [ $((SECONDS - registered)) -ge 8 ]; then
        nodes_register || true
        registered=$SECONDS
    fi
} 2>/dev/null
registered=$SECONDS
all_done() {
    mend
    queue_empty
}

load_and_kill() { # NAME
    local stream round
    : >"$work/account" && chmod 666 "$work/account"
    : >"$work/accepted" && : >"$work/drained" && : >"$work/held" && : >"$work/kills"
    EXTRA_CONF=BatchStartTimeout=5 cluster_make "$work/$1" 8
    cluster_start
    stream &
    stream=$!
    local pauses=12345
    for round in $(seq "$kills"); do
        pauses=$((pauses * 16807 % 2147483647)) # Lehmer's generator: the same pauses in both clusters
        sleep "$(awk "BEGIN { print 2 + $((pauses % 10000)) * 2 * ($pause - 2) / 10000 }")"
        ctld_kill
        date +%s.%N >>"$work/kills"
        ctld_start || fail "$1: slurmctld does not come back after kill $round"
        date +%s.%N >>"$work/kills"
        mend
    done
    touch "$work/enough"
    wait $stream
    wait_for $((100 + 12 * kills)) all_done || {
        timeout 5 squeue | head -n 30 >&2
        fail "$1: jobs are left"
    }
    wait_for 20 nodes_idle || fail "$1: not all nodes are idle: $(sinfo -h -N -o '%N %t %E')"
    cluster_stop
}

# Jobs, and of these those for which nothing is an excuse; twice, cut short and lost, of these those without an
# excuse; nodes taken out of service and jobs held.
judge() {
    python3 - "$work" "$UNSAVED" <<'PYTHON'
import sys
work, unsaved = sys.argv[1], float(sys.argv[2])
times = [float(line) for line in open(f"{work}/kills")]
kills = list(zip(times[::2], times[1::2]))
exposed = lambda moment: any(kill - unsaved <= moment <= back for kill, back in kills)
starts, ends = {}, {}
for line in open(f"{work}/account"):
    field = line.split()
    if field[0] == "start":
        starts.setdefault(field[1], []).append(float(field[2]))
    else:
        ends.setdefault(field[1], []).append(float(field[2]))
counts = {"twice": [0, 0], "cut": [0, 0], "lost": [0, 0]}
accepted = known = 0
numbers = [line.split()[1] for line in open(f"{work}/accepted")]
for line in open(f"{work}/accepted"):
    tag, number, asked, answered = line.split()
    accepted += 1
    # Whoever has the number of a job whose submission was not written may be ended in that one's place.
    new = exposed(float(asked)) or exposed(float(answered)) or numbers.count(number) > 1
    began, ended = starts.get(tag, []), ends.get(tag, [])
    # A job is excused if its submission, its first start or its first end may not have been written.
    hasty = new or any(exposed(times[0]) for times in (began, ended) if times)
    known += not hasty
    for name, wrong, excused in (("twice", len(began) > 1, hasty), ("cut", len(began) > 0 and not ended, hasty),
                                 ("lost", not began, new)):
        if wrong:
            counts[name][0 if excused else 1] += 1
            if not excused:
                print(f"{tag} {name}: JobId={number}, given {numbers.count(number)} times; asked {asked}, started {began}, ended {ended}", file=sys.stderr)
drained, held = (sum(1 for _ in open(f"{work}/{name}")) for name in ("drained", "held"))
print(accepted, known, *(n for name in ("twice", "cut", "lost") for n in counts[name]), drained, held)
PYTHON
}

(
    trap cluster_stop EXIT
    work=$work/beside
    mkdir -m 711 "$work"
    SCHEDULER=sched/backfill PARAMETERS=bf_interval=1,bf_resolution=1,sched_min_interval=0 CLUSTER_PORT=$((CLUSTER_PORT + 100)) \
        load_and_kill stock
) >"$work/stock.out" 2>&1 &
stock=$!
SCHEDULER=sched/surefill PARAMETERS=$OURS,surefill_save=1 load_and_kill surefill
wait $stock || fail "sched/backfill itself does not get through: $(cat "$work/stock.out")"

summary() { # WHO FIGURES
    say "$1: $2 jobs over $kills kills, $3 of them not submitted, started or ended in the $UNSAVED s before one; run twice $(($4 + $5))," \
        "cut short $(($6 + $7)), lost $(($8 + $9)), of these without that excuse $5, $7 and $9; nodes taken out of service ${10}, jobs held" \
        "after a failed launch ${11}"
}
ours=$(judge)
theirs=$(work=$work/beside judge)
# shellcheck disable=SC2086
summary sched/surefill $ours
# shellcheck disable=SC2086
summary sched/backfill $theirs
read -r accepted known _ twice _ cut _ lost _ <<<"$ours"
check "jobs" "$accepted" -ge $((4 * kills))
check "of these with no excuse" "$known" -ge $((accepted / 4))
check "jobs that ran twice, and had been saved" "$twice" -eq 0
check "jobs that were cut short, and had been saved" "$cut" -eq 0
check "jobs that were lost, and had been saved" "$lost" -eq 0
grep -q '; from here on' "$work"/surefill/log/slurmctld && fail "the plugin fell back to limits"
exit 0
