#!/usr/bin/env bash
# Requests of jobs to shared nodes, wish by wish: which of them the scheduler knows, and why the nodes of the others are
# Slurm's choice; and so for partitions and clusters that share nodes in other ways. In each case the jobs are run.
. "$(dirname "$0")/lib.sh"

listen() { from=$(($(wc -l <"$CLUSTER/log/slurmctld") + 1)); }
logged_since() { grep -q -- "$1" <<<"$(tail -n "+$from" "$CLUSTER/log/slurmctld")"; }
cycles() { grep -c 'surefill: cycle' "$CLUSTER/log/slurmctld"; }
cycled() { [ "$(cycles)" -gt "$1" ]; }
left() { logged_since "surefill: JobId=$1: its nodes are Slurm's choice: $2"; }
known() { # JOB: after a cycle nothing has been said of it
    wait_for 10 cycled $(($(cycles) + 1)) && ! left "$1" ''
}
export DEBUG_LEVEL=debug2
# submit [sbatch arguments]: without a number of nodes.
submit() { timeout 20 sbatch --parsable --uid=games -D / -o /dev/null -t 20 "$@" --wrap "echo \$SLURM_JOB_ID >>$work/ran; ${TASK:-sleep 0.1}"; }

# --- Jobs: two nodes with two sockets of four cores, 8,000 MB and four GPUs of one type; one with two types of GPUs ---

node() { echo "NodeName=n$1 NodeAddr=127.0.0.1 Port=$((CLUSTER_PORT + $1)) State=UNKNOWN RealMemory=8000 $2"; }
sockets='CPUs=8 Sockets=2 CoresPerSocket=4 ThreadsPerCore=1'
SCHEDULER=sched/surefill PARAMETERS=$OURS EXTRA_CONF="GresTypes=gpu
DefMemPerCPU=100
$(node 1 "$sockets Gres=gpu:fast:4")
$(node 2 "$sockets Gres=gpu:fast:4")
$(node 3 "$sockets Gres=gpu:fast:2,gpu:slow:2")" \
    PARTITIONS='PartitionName=twins Nodes=n[1-2] Default=YES MaxTime=INFINITE
PartitionName=types Nodes=n3 MaxTime=INFINITE' cluster_make "$work/jobs" 0
sed -i 's/^SelectTypeParameters=CR_Core$/SelectTypeParameters=CR_Core_Memory/' "$CLUSTER/slurm.conf"
touch "$CLUSTER"/gpu{0,1,2,3}
cat >"$CLUSTER/gres.conf" <<CONF
NodeName=n[1-2] Name=gpu Type=fast File=$CLUSTER/gpu[0-3]
NodeName=n3 Name=gpu Type=fast File=$CLUSTER/gpu[0-1]
NodeName=n3 Name=gpu Type=slow File=$CLUSTER/gpu[2-3]
CONF
CLUSTER_NODES=3
cluster_start

# The one with the smaller weight is taken of two nodes that are as empty, whichever that is.
for light in 2 1 2; do
    timeout 10 scontrol update 'NodeName=n[1-2]' Weight=9
    timeout 10 scontrol update "NodeName=n$light" Weight=3
    number=$(TASK="sleep 1000" submit -N 1 -c 1 --mem=1000)
    wait_for 20 has_run "$number"
    lies=$(timeout 5 squeue -h -j "$number" -o %N)
    [ "$lies" = "n$light" ] || fail "job $number is on $lies, where n$light has the smaller weight"
    timeout 10 scancel "$number"
done
timeout 10 scontrol update 'NodeName=n[1-2]' Weight=1
wait_for 20 queue_empty

# Every core of n1 and of n3, and one of n2, is busy: a job that needs two nodes, or one of n3's cores, is the head.
busy=$(TASK="sleep 1000" submit -N 1 -w n1 --exclusive --mem=8000 --gres=gpu:4)
other=$(TASK="sleep 1000" submit -N 1 -p types --exclusive)
third=$(TASK="sleep 1000" submit -N 1 -w n2 -c 1 --mem=1000)
for number in "$busy" "$other" "$third"; do wait_for 20 has_run "$number"; done
rows=0
heads=() lost=()
said() { tail -n "+$from" "$CLUSTER/log/slurmctld" | grep "surefill: JobId=$1: " | tail -n 1; }
while IFS='|' read -r where wish why; do
    listen
    # shellcheck disable=SC2086
    head=$(submit -p "$where" $wish) || fail "$wish: slurmctld refuses it"
    if [ -z "$why" ]; then
        known "$head" || lost+=("$wish: not known; $(said "$head")")
    else
        wait_for 10 left "$head" "$why" || lost+=("$wish: not left to Slurm for that; $(said "$head")")
    fi
    rows=$((rows + 1))
    heads+=("$head")
    timeout 10 scontrol hold "$head"
done <<'WISHES'
twins|-N 2 --gres=gpu:fast:3|
twins|-N 2 --gpus-per-node=fast:3|
twins|-N 2 --ntasks-per-node=3 --gpus-per-task=1|
twins|-N 2 --gres=gpu:2 --cpus-per-gpu=2|
twins|-N 2 --gres=gpu:2 --mem-per-gpu=1000|
twins|-N 1 -w n1 --gpus=3|
twins|-n 6 --gpus-per-task=1 --mem-per-cpu=10|
twins|-N 2 --gpus=5|does not say how generic resources lie
twins|-N 2 --ntasks-per-gpu=2 --gpus=2|leaves open how many of its tasks each of its nodes has
twins|-N 2 --sockets-per-node=2 --gpus-per-socket=1|asks for sockets, or cores of sockets
twins|-N 2 --ntasks-per-socket=2 -n 4|asks for sockets, or cores of sockets
twins|-N 2 --cores-per-socket=3|asks for sockets, or cores of sockets
twins|-N 2 --overcommit -n 4|shares cores
twins|-N 2 --oversubscribe|shares cores
twins|-N 2 --spread-job|says how it is to lie on its nodes
twins|-N 2 --gres=gpu:3 --gres-flags=enforce-binding|says how it is to lie on its nodes
twins|-N 2 -w n1|names some of its nodes
twins|-n 12 --mem=1000|asks for memory of each node, and for no number of nodes
twins|-n 12 --gpus=5 --mem-per-cpu=10|does not say how generic resources lie
types|-N 1 --gres=gpu:fast:1|asks for one of several types of generic resources
WISHES
[ ${#lost[@]} = 0 ] || fail "$(printf '%s\n' "${lost[@]}")"
check "rows" $rows -eq 20
timeout 10 scancel "$busy" "$other" "$third"
timeout 20 scontrol release "$(IFS=, && echo "${heads[*]}")"
for number in "${heads[@]}"; do wait_for 60 is_completed "$number" || fail "$number does not run"; done
wait_for 20 queue_empty
logged '; from here on' && fail "the plugin fell back to limits"
check "every job has run once" "$(sort "$work/ran" | uniq -d | wc -l)" -eq 0
cluster_stop
say "$rows wishes on shared nodes: known, or left to Slurm for what is said; all of them run"

# --- Partitions and clusters ---

# shares WHAT PARTITION CPUS WHY [head's arguments]: single-core jobs fill the partition's node; two more wait and start when
# it is free.
shares() {
    local what=$1 partition=$2 cpus=$3 why=$4 full=() head next
    shift 4
    listen
    for _ in $(seq "$cpus"); do full+=("$(TASK="sleep 1000" submit -p "$partition" -n 1)"); done
    wait_for 20 running_number "$partition" "$cpus" || fail "$what: not $cpus jobs run at once"
    head=$(submit -p "$partition" -n 1 "$@")
    next=$(submit -p "$partition" -n 1)
    if [ -z "$why" ]; then
        known "$head" || fail "$what: not known"
    else
        wait_for 10 left "$head" "$why" || fail "$what: not left to Slurm"
    fi
    has_run "$head" && fail "$what: more run than there is room for"
    timeout 10 scancel "${full[@]}"
    wait_for 20 is_completed "$head" || fail "$what: the head job does not start"
    wait_for 20 is_completed "$next" || fail "$what: the job behind it does not start"
    wait_for 20 queue_empty
}
running_number() { [ "$(timeout 5 squeue -h -t RUNNING -p "$1" -o %i | wc -l)" = "$2" ]; }

: >"$work/ran"
NODE_CPUS=2 SCHEDULER=sched/surefill PARAMETERS=$OURS EXTRA_CONF="GresTypes=gpu,shard,a,b,c,d,e,f,g
NodeName=n7 NodeAddr=127.0.0.1 Port=$((CLUSTER_PORT + 7)) CPUs=2 State=UNKNOWN Gres=gpu:2,shard:4
NodeName=n5 NodeAddr=127.0.0.1 Port=$((CLUSTER_PORT + 5)) CPUs=2 State=UNKNOWN Gres=a:1,b:1,c:1,d:1,e:1,f:1,g:1
NodeName=n6 NodeAddr=127.0.0.1 Port=$((CLUSTER_PORT + 6)) CPUs=8 Sockets=1 CoresPerSocket=4 ThreadsPerCore=2 State=UNKNOWN" \
    PARTITIONS='PartitionName=forced Nodes=n1 Default=YES MaxTime=INFINITE OverSubscribe=FORCE:2
PartitionName=capped Nodes=n2 MaxTime=INFINITE MaxCPUsPerNode=1
PartitionName=owned Nodes=n3 MaxTime=INFINITE ExclusiveUser=YES
PartitionName=sockets Nodes=n4 MaxTime=INFINITE SelectTypeParameters=CR_Socket
PartitionName=kinds Nodes=n5 MaxTime=INFINITE
PartitionName=threads Nodes=n6 MaxTime=INFINITE
PartitionName=shards Nodes=n7 MaxTime=INFINITE' cluster_make "$work/partitions" 4
for kind in a b c d e f g; do echo "NodeName=n5 Name=$kind Count=1"; done >"$CLUSTER/gres.conf"
touch "$CLUSTER"/gpu{0,1}
printf '%s\n' "NodeName=n7 Name=gpu File=$CLUSTER/gpu[0-1]" 'NodeName=n7 Name=shard Count=4' >>"$CLUSTER/gres.conf"
CLUSTER_NODES=7
cluster_start
shares 'OverSubscribe=FORCE:2' forced 4 'jobs share cores'
shares MaxCPUsPerNode capped 1 'a partition has only some processors of each node'
shares ExclusiveUser owned 2 'a partition keeps nodes for one user'
shares 'SelectTypeParameters of a partition' sockets 2 'a partition has resources of its own'
shares 'seven kinds of generic resources' kinds 2 'the nodes have too many kinds of generic resources'
shares 'shards of GPUs' shards 2 'generic resources of the nodes are shared in parts' --gres=shard:1
shares 'two threads a core' threads 4 ''
logged '; from here on' && fail "the plugin fell back to limits"
cluster_stop
: >"$work/ran"
NODE_CPUS=2 SCHEDULER=sched/surefill PARAMETERS=$OURS cluster_make "$work/sockets" 1
sed -i 's/^SelectTypeParameters=CR_Core$/SelectTypeParameters=CR_Socket/' "$CLUSTER/slurm.conf"
cluster_start
shares CR_Socket main 2 'sockets are what jobs are given'
say "FORCE:2, MaxCPUsPerNode, ExclusiveUser, CR_Socket of a partition and of all, seven kinds of generic resources, shards, two" \
    "threads a core"
