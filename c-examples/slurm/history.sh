#!/usr/bin/env bash
# Records the history of a small site on a whole Slurm of its own whose clock runs faster: 32 nodes of 8 cores in two
# overlapping partitions, twelve users in three accounts with fair share by slurmdbd, two QOS, a drained node and one that
# goes down, a reservation, arrays, dependencies, held jobs, cancellations. For replays of a site's own rule from what sacct
# and scontrol say of it.
#
#   history.sh WAY FOLDER
#
# WAY:    stock      sched/backfill
#         lua        the same with the points of ../slurm-external/points.lua
#         plugin     sched/surefill as installed
# FOLDER: gets what a site can give: sacct.txt.gz, requeued.txt, scontrol.txt, nodes.json, events.txt,
#         reservations.txt, qos.txt, assoc.txt, sshare.txt (before the first job and after the last)
#
# Environment: SEED (3), JOBS (2000; array elements are counted), HOURS (20, of submissions) and LOAD (1.15, of the machine's cores in
#                            these hours) of the stream, which is the same for every way
#              FACTOR (45)   how many seconds of slurmctld's clock pass in a second
#              ORIGIN        when the stream begins on that clock, UTC (2030-07-01T08:00:00, a Monday); never in the past
#              LEAD (100)    seconds of ours from the start of slurmctld to that
#              KEEP          a folder for logs
#
# Prints the waits, how late submissions were and what starts and ends cost on that clock. Needs root, libfaketime (package
# faketime), python3, slurmdbd, mariadb-server, and for `plugin` the build of scripts/check-slurm.sh (BUILD names another
# folder).
set -euo pipefail
[ $# = 2 ] || {
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
    exit 2
}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
way=$1
mkdir -p "$2"
folder=$(realpath "$2")
seed=${SEED:-3} jobs=${JOBS:-2000} hours=${HOURS:-20} load=${LOAD:-1.15} factor=${FACTOR:-45} lead=${LEAD:-100}
origin=${ORIGIN:-2030-07-01T08:00:00} points=100000
built=${BUILD:-$here/../../build/slurm}
export TZ=UTC
# shellcheck source=cluster.sh
. "$here/cluster.sh"
cluster_isolate bash "$0" "$@"
fast='slurmctld'
clock_origin=$(date -d "$origin" +%s) clock_lead=$lead
kept() { printf '%s\n' "$work"/{stream,intended,named,late} "$CLUSTER"/{completed,slurm.conf} "$CLUSTER"/log/{slurmctld,slurmdbd} "$CLUSTER"/log/*.out; }
# shellcheck source=clock.sh
. "$here/clock.sh"

python3 "$here/history.py" stream "$seed" "$jobs" "$hours" "$load" "$factor" "$origin" "$work"
own_users

# Limits on the time for answers count on the clock that runs faster. Not those of credentials, which slurmd judges by its own, years
# behind; a job that a node's failure has ended would wait as long (cred_expire). MinJobAge: a later job may depend on one that ended
# long ago.
EXTRA_CONF="$(accounting_conf "$work/cluster")
AccountingStorageEnforce=associations,limits,qos
MessageTimeout=$((60 * factor))
TCPTimeout=$((10 * factor))
BatchStartTimeout=$((100 * factor))
MinJobAge=259200
DefMemPerCPU=2000
PriorityWeightFairshare=$points
PriorityWeightAge=$points
PriorityMaxAge=7-0
PriorityWeightJobSize=$((points / 5))
PriorityWeightPartition=$((points / 5))
PriorityWeightQOS=$((points * 2 / 5))
PriorityDecayHalfLife=1-0
PriorityCalcPeriod=1
PriorityFavorSmall=NO
"
PARTITIONS='PartitionName=batch Nodes=n[1-32] Default=YES MaxTime=1-0 PriorityJobFactor=25 State=UP
PartitionName=short Nodes=n[1-12] MaxTime=4:00:00 PriorityJobFactor=100 State=UP'
# Words that are the clock's alone: how long slurmctld's loops may compute, at their defaults in seconds of ours, or as long as
# Slurm allows (bf_yield_interval, 10 s), and that backfill goes on after it has paused, as so much more has changed meanwhile.
backfill=bf_continue,bf_max_time=$((30 * factor)),bf_yield_interval=10000000
backfill+=,max_sched_time=$((2 * factor)),build_queue_timeout=$((2000000 * factor))
case $way in
stock) SCHEDULER=sched/backfill PARAMETERS=$backfill ;;
lua) SCHEDULER=sched/backfill PARAMETERS=$backfill
    EXTRA_CONF+="JobSubmitPlugins=lua"$'\n' ;;
plugin) SCHEDULER=sched/surefill PLUGIN_FOLDER=$built
    PARAMETERS=sched_interval=-1,defer,surefill_interval=0.3 ;;
*)
    echo "history.sh: no such way: $way" >&2
    exit 2
    ;;
esac
DEBUG_LEVEL=${DEBUG_LEVEL:-info} NODE_CPUS=8 cluster_make "$work/cluster" 32
# ReturnToService=1: a node that an operator has set down stays so.
sed -i -E -e 's/^SlurmdTimeout=.*/SlurmdTimeout=0/' -e "s/^KillWait=.*/KillWait=$((5 * factor))/" \
    -e "s/^SlurmctldTimeout=.*/SlurmctldTimeout=$((10 * factor))/" -e 's/^ReturnToService=.*/ReturnToService=1/' \
    -e "s|^AuthInfo=.*|&,ttl=$((300 * factor))|" \
    -e 's|^PriorityType=.*|PriorityType=priority/multifactor|' -e 's/^SelectTypeParameters=.*/&_Memory/' \
    -e 's/^NodeName=n([0-9]|1[0-9]|2[0-4]) .*/& RealMemory=64000/' -e 's/^NodeName=n(2[5-9]|3[0-2]) .*/& RealMemory=24000/' \
    "$CLUSTER/slurm.conf"
[ "$way" != lua ] || sed "s/^local W = [0-9]*/local W = $points/" "$here/../slurm-external/points.lua" >"$CLUSTER/job_submit.lua"
munge_start
accounting_start
account add account name=physics,chemistry,biology fairshare=1
account modify account where name=physics set fairshare=50
account modify account where name=chemistry set fairshare=30
account modify account where name=biology set fairshare=20
account add user name=u01,u04,u06,u09 account=physics fairshare=1
account add user name=u02,u05,u08,u11 account=chemistry fairshare=1
account add user name=u03,u07,u10,u12 account=biology fairshare=1
account modify user where name=u06,u03 set fairshare=2
account add qos name=high set priority=100 maxjobsperuser=6
account modify user where account=physics,chemistry,biology set qos=normal,high
cluster_start

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

# The machine that plays the site says nothing of itself here.
settings='AccountingStorageEnforce|AccountingStorageTRES|BatchStartTimeout|ClusterName|CompleteWait|Def(ault)?Mem|EnforcePartLimits'
settings+='|JobRequeue|JobSubmitPlugins|KillWait|Max(ArraySize|JobCount|Mem)|MinJobAge|OverTimeLimit|Preempt|Priority|Sched|Select|SLURM_VERSION'
unnamed() {
    sed -E -e '/^ *OS=/d' -e '/BootTime=/d' -e 's/(CPULoad|FreeMem)=[^ ]+/\1=N\/A/g' -e 's/(NodeAddr|NodeHostName|Port)=[^ ]+ *//g'
}
# The nodes again, by sinfo, as scontrol of 22.05 writes no JSON.
as_json() {
    timeout 60 sinfo --json | python3 -c '
import json, sys
drop = {"operating_system", "address", "hostname", "port", "free_memory", "cpu_load", "burstbuffer_network_address", "boot_time",
    "slurmd_start_time", "last_busy", "owner", "comment", "extra"}
nodes = json.load(sys.stdin)["nodes"]
json.dump({"nodes": [{key: value for key, value in node.items() if key not in drop} for node in nodes]}, sys.stdout)'
}
{
    again scontrol show config | grep -E "^($settings)"
    echo
    again scontrol show partition
    again scontrol show node | unnamed
} >"$folder/scontrol.txt"
as_json >"$folder/nodes.json" || rm "$folder/nodes.json"
again sacctmgr -P show qos format=name,priority,flags,usagefactor,grptres,maxjobsperuser,maxsubmitjobsperuser,maxtresperuser,maxwall \
    >"$folder/qos.txt"
again sacctmgr -P show assoc tree format=cluster,account,user,partition,share,qos,grpjobs,grptres,maxjobs,maxsubmit >"$folder/assoc.txt"
shares() { again sshare -a -l -P | sed 's/^ *//'; }
shares >"$folder/sshare.txt"

start=${clock_begun%.*}${clock_begun#*.}
[ "${EPOCHREALTIME/./}" -lt "$start" ] || {
    echo "history.sh: the cluster was not ready $lead s after slurmctld's start: LEAD=" >&2
    exit 1
}
: >"$work/late"
numbers=()
while IFS=$'\t' read -r moment deed number rest; do
    pause=$((start + moment - ${EPOCHREALTIME/./}))
    [ $pause -le 0 ] || {
        printf -v pause %d.%06d $((pause / 1000000)) $((pause % 1000000))
        sleep "$pause"
    }
    case $deed in
    submit)
        IFS=$'\t' read -r user after seconds code words <<<"$rest"
        # shellcheck disable=SC2206 # the words are words
        words=($words)
        [ "$after" = - ] || words+=("--dependency=${after%:*}:${numbers[${after#*:}]}")
        # shellcheck disable=SC2016
        numbers[number]=$(again sbatch --parsable --uid="$user" "${words[@]}" -D / -o /dev/null --export=NONE \
            --wrap "set -- ${seconds//,/ }; shift \${SLURM_ARRAY_TASK_ID:-0}; $([ "$code" != 0 ] || echo exec) sleep \$1; exit $code")
        echo $((${EPOCHREALTIME/./} - start - moment)) >>"$work/late"
        ;;
    release) again scontrol release "${numbers[number]}" ;;
    cancel) timeout 60 scancel "${numbers[number]}" || true ;;
    node) again scontrol update NodeName="$number" State="$rest" Reason=repair ;;
    reserve)
        again scontrol create reservation ReservationName=upkeep StartTime="$number" Duration=120 Nodes="$rest" Users=root \
            Flags=MAINT,IGNORE_JOBS >/dev/null
        again scontrol show reservation >"$folder/reservations.txt" # slurmdbd knows no nodes of it
        ;;
    esac
done <"$work/stream"
echo "$way: the last job was submitted after $(((${EPOCHREALTIME/./} - start) / 1000000)) s" >&2

# Until no job is left and slurmdbd has all of it.
through=(-S "$(date -d "$origin UTC - 1 day" +%FT%T)" -E "$(date -d "$origin UTC + 10 days" +%FT%T)")
columns=JobIDRaw,JobID,User,Account,Partition,QOS,Submit,Eligible,Start,End,Timelimit,NNodes,ReqCPUS,NCPUS,ReqTRES,AllocTRES
columns+=,NodeList,State,Priority
nothing_left() {
    timeout 60 squeue -h -o %i >"$work/left" && [ ! -s "$work/left" ]
}
recorded() {
    timeout 100 sacct -a -X -P "${through[@]}" -o $columns >"$work/sacct" &&
        ! grep -qE '\|(PENDING|RUNNING|REQUEUED)[^|]*\|[0-9]*$' "$work/sacct"
}
wait_for $((3600 * 60 / factor)) nothing_left || timeout 60 squeue >&2
wait_for 100 recorded || echo "history.sh: slurmdbd knows jobs that have not ended" >&2
shares >>"$folder/sshare.txt"
gzip -9n <"$work/sacct" >"$folder/sacct.txt.gz"
again sacct -a -X -n -P "${through[@]}" -o JobID,JobName >"$work/named"
# The first runs of jobs that were put back when their node went down: without -D sacct shows the last one only.
again sacct -D -a -X -P "${through[@]}" -o $columns | grep -E '^JobIDRaw|\|(NODE_FAIL|REQUEUED)[^|]*\|[0-9]*$' >"$folder/requeued.txt"
again sacctmgr -P show event "Start=${through[1]}" "End=${through[3]}" >"$folder/events.txt"
again sacctmgr -P show reservation "Start=${through[1]}" "End=${through[3]}" >>"$folder/reservations.txt"
ln -s "$folder" "$work/kept"
python3 "$here/history.py" report "$work" "$way" "$factor"
echo "$way: nodes did not answer $(grep -c 'not responding' "$CLUSTER/log/slurmctld" || true) times; the main loop gave up" \
    "$(grep -c 'loop taking too long' "$CLUSTER/log/slurmctld" || true) times"
