#!/usr/bin/env bash
# Replays a window of a real workload on a whole Slurm of its own whose clock runs faster, and says how long jobs waited: for
# comparing schedulers on the same stream of jobs. Machine, widths, limits, run times and users are the trace's.
#
#   window.sh WAY TRACE NODES FIRST HOURS FACTOR
#
# WAY:    stock          sched/backfill
#         plugin         sched/surefill as it is installed, without any history
#         learnt         the same, having learnt from the 5,000 jobs before the window
#         soft           sched/backfill with time_min_as_soft_limit, and surefill-soft-limits beside it (23.11 or later)
#         soft-learnt    the same, having learnt from the 5,000 jobs before the window
# TRACE:  a file in the Standard Workload Format (.swf.gz); the Slurm has NODES nodes, one a processor
# FIRST:  the window begins with the submission of this job of the trace, counted from 0 among those that ran
# HOURS:  of submissions; FACTOR: how many seconds of slurmctld's clock pass in a second
#
# Jobs that run or wait when the window begins are submitted first, with what is left of them, and not counted. A job of
# the window that has not started when twice its hours have passed counts with what it has waited by then. Needs root,
# libfaketime (package faketime), python3 and the build of scripts/check-slurm.sh (BUILD names another folder).
set -euo pipefail
[ $# = 6 ] || {
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
    exit 2
}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
way=$1 trace=$(realpath "$2") nodes=$3 first=$4 hours=$5 factor=$6
built=${BUILD:-$here/../../build/slurm}
# shellcheck source=cluster.sh
. "$here/cluster.sh"
cluster_isolate bash "$0" "$@"
faketime=$(find /usr/lib -name libfaketimeMT.so.1 | head -n 1)
[ -n "$faketime" ] || {
    echo "window.sh: please install first: apt-get install faketime" >&2
    exit 1
}
work=$(mktemp -d) && chmod 711 "$work"
cleanup() {
    cluster_stop
    umount /etc/passwd 2>/dev/null || true
    rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 1' INT TERM

# Slurm's daemons live faster; munged and everything else do not.
daemon() {
    local name=$1 faster=()
    shift
    case $name in
    slurm* | soft)
        # The plugin's sleeps are on the monotonic clock, which libfaketime does not convert everywhere.
        faster=(env "LD_PRELOAD=$faketime" "FAKETIME=+0 x$factor" FAKETIME_NO_CACHE=1 FAKETIME_DONT_FAKE_MONOTONIC=1)
        ;;
    esac
    "${faster[@]}" "$@" >"$CLUSTER/log/$name.out" 2>&1 </dev/null &
    echo $! >"$CLUSTER/pid/$name.run"
    disown
}

# Three files: what to submit (second of the window, user, nodes, minutes of limit, seconds, name, counted or not), what there
# is to learn before it (submission, user, nodes, seconds of limit, seconds, name), and the users.
python3 - "$trace" "$first" "$hours" "$nodes" "$work" <<'PYTHON'
import gzip, math, sys
trace, first, hours, nodes, work = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
jobs = []
for line in gzip.open(trace, "rt"):
    field = line.split()
    if line.startswith(";") or len(field) < 18:
        continue
    submit, wait, run, used, asked, limit, user, program = (int(float(field[i])) for i in (1, 2, 3, 4, 7, 8, 11, 13))
    width = used if used > 0 else asked
    if run <= 0 or width <= 0 or limit <= 0 or width > nodes:
        continue
    minutes = math.ceil(limit / 60)
    jobs.append((submit, max(wait, 0), min(run, 60 * minutes - 1), width, minutes, max(user, 0), max(program, 0)))
jobs.sort(key=lambda job: job[0])
begin = jobs[first][0]
stream = []
for submit, wait, run, width, minutes, user, program in jobs:
    start, age = submit + wait, max(begin - submit - wait, 0)
    if submit >= begin + 3600 * hours:
        break
    if submit < begin and start + run <= begin:
        continue
    key = (max(submit - begin, 0), 0 if start < begin else 1, submit)
    left = max(minutes - age // 60, 1)
    stream.append((key, f"{key[0]} {30000 + user} {width} {left} {run - age} job{program} {int(submit >= begin)}"))
with open(f"{work}/stream", "w") as file:
    file.writelines(line + "\n" for _, line in sorted(stream))
ended = sorted((job for job in jobs if job[0] + job[1] + job[2] <= begin), key=lambda job: job[0] + job[1] + job[2])
with open(f"{work}/history", "w") as file:
    for submit, wait, run, width, minutes, user, program in ended[-5000:]:
        file.write(f"{submit + wait + run} {30000 + user} {width} {60 * minutes} {run} job{program}\n")
with open("/etc/passwd") as known, open(f"{work}/passwd", "w") as file:
    file.write(known.read())
    for user in sorted({job[5] for job in jobs}):
        file.write(f"trace{user}:x:{30000 + user}:65534::/:/bin/sh\n")
PYTHON
chmod 644 "$work/passwd"
mount --bind "$work/passwd" /etc/passwd

# Limits on the time for answers and credentials count on the clock that runs faster.
EXTRA_CONF="MessageTimeout=$((60 * factor))
TCPTimeout=$((10 * factor))
BatchStartTimeout=$((100 * factor))
MinJobAge=86400
MaxJobCount=100000
"
case $way in
stock) SCHEDULER=sched/backfill PARAMETERS=bf_continue,bf_window=20160,bf_max_job_test=1000 ;;
soft*) SCHEDULER=sched/backfill
    PARAMETERS=bf_continue,bf_window=20160,bf_max_job_test=1000,bf_running_job_reserve,time_min_as_soft_limit ;;
plugin | learnt) SCHEDULER=sched/surefill PLUGIN_FOLDER=$built
    PARAMETERS=sched_interval=-1,defer,surefill_interval=0.3 ;;
*)
    echo "window.sh: no such way: $way" >&2
    exit 2
    ;;
esac
[ -z "${MORE_PARAMETERS:-}" ] || PARAMETERS=$PARAMETERS,$MORE_PARAMETERS
DEBUG_LEVEL=info cluster_make "$work/cluster" "$nodes"
sed -i -e 's/^SlurmdTimeout=.*/SlurmdTimeout=0/' -e "s/^KillWait=.*/KillWait=$((5 * factor))/" \
    -e "s/^SlurmctldTimeout=.*/SlurmctldTimeout=$((10 * factor))/" \
    -e "s|^AuthInfo=.*|&,cred_expire=$((1000 * factor)),ttl=$((300 * factor))|" \
    -e 's/^PartitionName=.*/& OverSubscribe=EXCLUSIVE/' "$CLUSTER/slurm.conf"
case $way in
learnt) "$built/learn_engine" "$CLUSTER/state/surefill_state" plugin <"$work/history" ;;
soft-learnt) "$built/learn_engine" "$work/soft_state" <"$work/history" ;;
esac
cluster_start
case $way in
soft*) daemon soft "$built/surefill-soft-limits" -s "$work/soft_state" -q "${QUANTILE:-0.5}" -i 30 ;;
esac

# What is submitted in the first second comes in the trace's order; the scheduler sees it one by one.
: >"$work/counted"
begun=$(date +%s.%N)
while read -r second user width minutes seconds name counted; do
    pause=$(awk "BEGIN { p = $begun + $second / $factor - $(date +%s.%N); print (p > 0 ? p : 0) }")
    sleep "$pause"
    number=$(timeout 60 sbatch --parsable --uid="$user" -D / -o /dev/null -N "$width" -t "$minutes" -J "$name" \
        --export=NONE --wrap "exec sleep $(awk "BEGIN { print $seconds / $factor }")")
    [ "$counted" = 0 ] || echo "$number" >>"$work/counted"
done <"$work/stream"
# Until each job of the window has started, or twice its hours have passed.
waiting() { timeout 20 squeue -h -t PENDING -o %i | sort | comm -12 - <(sort "$work/counted") | wc -l; }
horizon=$(awk "BEGIN { print 7200 * $hours }")
while [ "$(waiting)" -gt 0 ] &&
    awk "BEGIN { exit !($(date +%s.%N) < $begun + $horizon / $factor) }"; do
    sleep 1
done
silent=$(grep -c 'not responding' "$CLUSTER/log/slurmctld" || true)
{
    sed -n 's/^JobId=\([0-9]*\) .* StartTime=\([^ ]*\) .* SubmitTime=\([^ ]*\) .*/\1 \3 \2/p' "$CLUSTER/completed"
    timeout 20 squeue -h -t RUNNING,COMPLETING -o '%i %V %S'
    timeout 20 squeue -h -t PENDING -o '%i %V waits'
} >"$work/times"
timeouts=$(grep -c 'JobState=TIMEOUT' "$CLUSTER/completed" || true)
[ -z "${KEEP:-}" ] || { mkdir -p "$KEEP" && cp "$work/times" "$work/counted" "$work/stream" "$CLUSTER/completed" \
    "$CLUSTER/log/slurmctld" "$CLUSTER"/log/*.out "$KEEP"; }
python3 - "$work" "$way" "$timeouts" "$horizon" "$silent" <<'PYTHON'
import datetime, statistics, sys
work, way, timeouts, horizon, silent = sys.argv[1:4] + [float(sys.argv[4]), sys.argv[5]]
counted = {line.strip() for line in open(f"{work}/counted")}
jobs = [line.split() for line in open(f"{work}/times")]
moment = lambda text: datetime.datetime.fromisoformat(text).timestamp()
begin = min(moment(submit) for _, submit, _ in jobs)
waits, waiting = [], 0
for number, submit, start in jobs:
    if number not in counted:
        continue
    end = begin + horizon if start == "waits" else min(moment(start), begin + horizon)
    waiting += start == "waits"
    waits.append(max(end - moment(submit), 0))
waits.sort()
print(f"{way}: {len(waits)} of {len(counted)} jobs of the window, {waiting} of them still waiting: mean wait "
      f"{statistics.mean(waits):.0f} s, median {statistics.median(waits):.0f} s, 0.9 quantile "
      f"{waits[int(0.9 * (len(waits) - 1))]:.0f} s; {timeouts} jobs ended at their limits; nodes that "
      f"did not answer in time, which spoils the comparison: {silent} times")
PYTHON
timeout 60 scancel --state=PENDING,RUNNING 2>/dev/null || true
