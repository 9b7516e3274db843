#!/usr/bin/env bash
# Replays a window of a real workload on a whole Slurm of its own whose clock runs faster, and says how long jobs waited: for
# comparing schedulers on the same stream of jobs. Machine, widths, limits, run times and users are the trace's.
#
#   window.sh WAY TRACE NODES FIRST HOURS FACTOR
#
# WAY:    stock          sched/backfill
#         reserve        the same with bf_job_part_count_reserve=1, one reservation for each partition
#         plugin         sched/surefill as it is installed, without any history
#         learnt         the same, having learnt from the 5,000 jobs before the window
#         ties           as plugin, with surefill_order=ties
#         ties-learnt    the same, having learnt
#         points         sched/backfill with surefill-points beside it; points-learnt: having learnt
#         lua            sched/backfill with the points of ../slurm-external/points.lua, by limits at submission
#         soft           sched/backfill with time_min_as_soft_limit, and surefill-soft-limits beside it (23.11 or later)
#         soft-learnt    the same, having learnt
# TRACE:  a file in the Standard Workload Format (.swf.gz); the Slurm has NODES nodes
# FIRST:  the window begins with the submission of this job of the trace, counted from 0 among those that ran
# HOURS:  of submissions, a whole number, as FACTOR: how many seconds of slurmctld's clock pass in a second
#
# Environment: CORES         cores of a node. With 1, the default, jobs take whole nodes, one a processor of the trace. With more
#                            they share nodes under CR_Core: a job that fits on a node asks for one, another for tasks alone
#              SCALE         the trace's own processors: widths are in proportion to them, for a Slurm that is smaller
#              PRIORITIES    basic (default) or multifactor: 100,000 points for seven days of age (PriorityMaxAge), 20,000 for a
#                            job of the whole machine, up to 100,000 for its user's share: by what the trace's user has used
#                            before the window, with a half-life of seven days, fixed during the window (by --nice)
#              TOGETHER      a folder: a file there says that this cluster is ready, and the window begins when there is one "go"
#              WATCH         the program surefill: it watches the window (surefill watch), and its report follows
#              MORE_PARAMETERS    further words of SchedulerParameters; KEEP: a folder for what the run has written
#
# Jobs that run or wait when the window begins are submitted first, with what is left of them and half an hour more of limit, as
# their submission takes some minutes of slurmctld's clock, and not counted. A job of
# the window that has not started when twice its hours have passed counts with what it has waited by then. Wide jobs take an
# eighth of the machine or more. Needs root, libfaketime (package faketime), python3, for multifactor slurmdbd and
# mariadb-server, and the build of scripts/check-slurm.sh (BUILD names another folder).
set -euo pipefail
[ $# = 6 ] || {
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
    exit 2
}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
way=$1 trace=$(realpath "$2") nodes=$3 first=$4 hours=$5 factor=$6
cores=${CORES:-1} priorities=${PRIORITIES:-basic}
processors=$((nodes * cores)) points=100000
built=${BUILD:-$here/../../build/slurm}
# shellcheck source=cluster.sh
. "$here/cluster.sh"
cluster_isolate bash "$0" "$@"
fast='slurmctld beside watcher'
kept() { printf '%s\n' "$work"/{times,counted,stream} "$CLUSTER"/{completed,slurm.conf} "$CLUSTER/log/slurmctld" "$CLUSTER"/log/*.out "$work"/{journal,watched}; }
# shellcheck source=clock.sh
. "$here/clock.sh"

# The jobs to submit, those from before the window to learn from, and the users.
python3 "$here/window.py" jobs "$trace" "$first" "$hours" "$processors" "$factor" "${SCALE:-0}" "$work"
own_users

# Limits on the time for answers and credentials count on the clock that runs faster.
EXTRA_CONF="MessageTimeout=$((60 * factor))
TCPTimeout=$((10 * factor))
BatchStartTimeout=$((100 * factor))
MinJobAge=86400
MaxJobCount=100000
"
backfill=bf_continue,bf_window=20160,bf_max_job_test=1000
case $way in
stock | points* | lua) SCHEDULER=sched/backfill PARAMETERS=$backfill ;;
reserve) SCHEDULER=sched/backfill PARAMETERS=$backfill,bf_job_part_count_reserve=1 ;;
soft*) SCHEDULER=sched/backfill PARAMETERS=$backfill,bf_running_job_reserve,time_min_as_soft_limit ;;
plugin | learnt | ties*) SCHEDULER=sched/surefill PLUGIN_FOLDER=$built
    PARAMETERS=sched_interval=-1,defer,surefill_interval=0.3 ;;
*)
    echo "window.sh: no such way: $way" >&2
    exit 2
    ;;
esac
case $way in
ties*) PARAMETERS=$PARAMETERS,surefill_order=ties ;;
lua) EXTRA_CONF+="JobSubmitPlugins=lua"$'\n' ;;
esac
[ -z "${MORE_PARAMETERS:-}" ] || PARAMETERS=$PARAMETERS,$MORE_PARAMETERS
ranked=0
case $priorities in
basic) ;;
multifactor) ranked=1
    EXTRA_CONF+="$(accounting_conf "$work/cluster")
PriorityWeightAge=$points
PriorityMaxAge=7-0
PriorityWeightJobSize=$((points / 5))
PriorityWeightPartition=$((3 * points))
PriorityDecayHalfLife=7-0
PriorityCalcPeriod=1
" ;;
*)
    echo "window.sh: no such priorities: $priorities" >&2
    exit 2
    ;;
esac
DEBUG_LEVEL=${DEBUG_LEVEL:-info} NODE_CPUS=$cores cluster_make "$work/cluster" "$nodes"
sed -i -e 's/^SlurmdTimeout=.*/SlurmdTimeout=0/' -e "s/^KillWait=.*/KillWait=$((5 * factor))/" \
    -e "s/^SlurmctldTimeout=.*/SlurmctldTimeout=$((10 * factor))/" \
    -e "s|^AuthInfo=.*|&,cred_expire=$((1000 * factor)),ttl=$((300 * factor))|" \
    -e "s|^PriorityType=.*|PriorityType=priority/$priorities|" "$CLUSTER/slurm.conf"
[ "$cores" -gt 1 ] || sed -i 's/^PartitionName=.*/& OverSubscribe=EXCLUSIVE/' "$CLUSTER/slurm.conf"
[ "$way" != lua ] || sed "s/^local W = [0-9]*/local W = $points/" "$here/../slurm-external/points.lua" >"$CLUSTER/job_submit.lua"
case $way in
learnt | ties-learnt) "$built/learn_engine" "$CLUSTER/state/surefill_state" plugin <"$work/history" ;;
*-learnt) "$built/learn_engine" "$work/beside_state" <"$work/history" ;;
esac
munge_start
[ "$priorities" = basic ] || accounting_start
cluster_start
case $way in
soft*) daemon beside "$built/surefill-soft-limits" -s "$work/beside_state" -q "${QUANTILE:-0.5}" -i 30 ;;
points*) daemon beside "$built/surefill-points" -w "$points" -s "$work/beside_state" -i 30 ;;
esac

# A look a minute of its clock.
[ -z "${WATCH:-}" ] || daemon watcher "$WATCH" watch "$work/journal" --every 60 --days 0

[ -z "${TOGETHER:-}" ] || {
    : >"$TOGETHER/$(basename "$work")"
    wait_for 600 test -e "$TOGETHER/go"
}

# slurmctld sometimes drops a question where others keep the processors busy: five tries.
again() {
    local try
    for try in 1 2 3 4 5; do
        timeout 60 "$@" 2>"$work/refused" && return
        sleep $try
    done
    cat "$work/refused" >&2
    return 1
}
submit() { again sbatch --parsable --uid="$1" "${@:2}"; }
ask() { again squeue -h "${@:2}" >"$1"; } # FILE [squeue's arguments]

# Jobs from before the window come in the trace's order, one by one. The window begins when the last of them is there, and so
# does what each of them has left to run, however long it took to submit them.
mkfifo -m 644 "$work/begin"
: >"$work/counted"
inside='' submitted=0 begun=0
while read -r moment user width minutes seconds name nice counted share; do
    [ "$counted:$inside" != 1: ] || {
        inside=1 begun=${EPOCHREALTIME/./}
        exec 8<>"$work/begin"
    }
    pause=$((begun + moment - ${EPOCHREALTIME/./}))
    [ "$inside" != 1 ] || [ $pause -le 0 ] || {
        printf -v pause %d.%06d $((pause / 1000000)) $((pause % 1000000))
        sleep "$pause"
    }
    if [ "$cores" = 1 ]; then
        shape=(-N "$width")
    elif [ "$width" -le "$cores" ]; then
        shape=(-N 1 -n "$width")
    else
        shape=(-n "$width")
    fi
    [ "$ranked" = 0 ] || shape+=("--nice=$nice")
    # slurmctld numbers jobs from 1: one that was submitted twice, as its number was lost, would be seen.
    submitted=$((submitted + 1))
    number=$(submit "$user" "${shape[@]}" -D / -o /dev/null -t "$minutes" -J "$name" --export=NONE \
        --wrap ": <$work/begin; exec sleep $seconds")
    [ "$number" = $submitted ] || {
        echo "window.sh: the job $submitted has the number '$number'" >&2
        exit 1
    }
    [ "$counted" = 0 ] || echo "$number $width $seconds $share $((${EPOCHREALTIME/./} - begun - moment))" >>"$work/counted"
done <"$work/stream"
# Until each job of the window has started, or twice its hours have passed.
cut -d ' ' -f 1 "$work/counted" | sort >"$work/numbers"
while ask "$work/pending" -t PENDING -o %i && sort "$work/pending" | comm -12 - "$work/numbers" | grep -q . &&
    [ ${EPOCHREALTIME/./} -lt $((begun + 7200 * hours * 1000000 / factor)) ]; do
    sleep 3
done
silent=$(grep -c 'not responding' "$CLUSTER/log/slurmctld" || true)
ask "$work/running" -t RUNNING,COMPLETING -o '%i %V %S'
ask "$work/pending" -t PENDING -o '%i %V waits'
{
    sed -n 's/^JobId=\([0-9]*\) .* StartTime=\([^ ]*\) .* SubmitTime=\([^ ]*\) .*/\1 \3 \2/p' "$CLUSTER/completed"
    cat "$work/running" "$work/pending"
} >"$work/times"
timeouts=$(grep -c 'JobState=TIMEOUT' "$CLUSTER/completed" || true)
python3 "$here/window.py" report "$work" "$way" "$hours" "$processors" "$factor" "$ranked"
echo "$way: $timeouts jobs ended at their limits; nodes did not answer in time, which spoils the comparison: $silent times"
[ -z "${WATCH:-}" ] || "$WATCH" watch "$work/journal" --report | tee "$work/watched"
