#!/usr/bin/env bash
# A head job that not every node will do for is not overtaken for ever: the nodes it waits for are kept free of whoever
# comes later. Features, several of them, other users' nodes, MCS labels; under sched/surefill and, where that does so as
# well, under stock sched/backfill beside it. Preferred features are taken where they are free.
. "$(dirname "$0")/lib.sh"

games=$(id -u games) man=$(id -u man) mail=$(id -u mail)

# starts_next WHAT HEAD [sbatch arguments]: the head job waits for two jobs, FIRST and LAST, whose gates are closed. Many come
# later that are as long by their limits, the first gate opens, they have time to take what is free then, the last gate opens:
# now the head job starts.
gated() { # FIRST|LAST and the arguments of job
    local gate=$CLUSTER/gate.$1
    shift
    rm -f "$gate"
    TASK="until [ -e $gate ]; do sleep 0.1; done" job "$@"
}
starts_next() {
    local what=$1 head=$2 later=() late
    shift 2
    for _ in $(seq 12); do later+=("$(job mail 1 60 9 "$@")"); done
    touch "$CLUSTER/gate.first"
    wait_for 20 is_completed "$first"
    sleep 1
    touch "$CLUSTER/gate.last"
    wait_for 60 is_completed "$head" || fail "$name, $what: the head job is starved"
    timeout 10 scancel "${later[@]}" ${long:+"$long"}
    wait_for 20 queue_empty
    late=$(($(completed "$head" StartTime) - $(completed "$last" EndTime)))
    echo "$name, $what: the head job starts $late s after the end of the last job before it"
    check "$name, $what: seconds from the end of the last job before it to the start of the head job" $late -le 4
}
both_run() { wait_for 20 has_run "$first" && wait_for 20 has_run "$last"; }

wishes() { # NAME
    local name=$1 first last long='' head other
    NODE_CPUS=2 EXTRA_CONF='MCSPlugin=mcs/user
MCSParameters=ondemand,ondemandselect' \
        PARTITIONS='PartitionName=main Nodes=n[1-5] Default=YES MaxTime=INFINITE OverSubscribe=EXCLUSIVE
PartitionName=shared Nodes=n[6-7] MaxTime=INFINITE' cluster_make "$work/$name" 7
    sed -i -E 's/^(NodeName=n[23] .*)/\1 Feature=big,rack1/; s/^(NodeName=n[45] .*)/\1 Feature=small,rack2/' \
        "$CLUSTER/slurm.conf"
    [ "$name" = stock ] ||
        seed "$CLUSTER/state/surefill_state" "$games:3000:40:60:3" "$man:1:40:120:1" "$mail:7000:40:120:1"
    cluster_start

    # One feature: two nodes have it, both busy, and three that do not are idle.
    first=$(gated first games 1 2 0 -C big)
    last=$(gated last games 1 2 0 -C big)
    both_run
    starts_next constraint "$(job games 2 60 0.1 -C big)"

    # All nodes from one of two racks: one node of the first is busy for long, both of the second are so for a shorter time.
    long=$(job games 1 120 200 -w n2)
    wait_for 20 has_run "$long"
    first=$(gated first games 1 2 0 -C rack2)
    last=$(gated last games 1 2 0 -C rack2)
    both_run
    starts_next 'one of two racks' "$(job games 2 60 0.1 -C '[rack1|rack2]')"
    long=

    # So many nodes of each rack.
    first=$(gated first games 1 2 0 -C rack1)
    last=$(gated last games 1 2 0 -C rack1)
    both_run
    starts_next 'some of each rack' "$(job games 3 60 0.1 -C '[rack1*2&rack2*1]')"

    # Preferred features: taken while they are free, else the job starts elsewhere (under sched/backfill it waits for them).
    first=$(gated first games 1 5 0 --prefer=small)
    last=$(gated first games 1 5 0 --prefer=small)
    both_run
    other=$(job games 1 5 0.1 --prefer=small)
    if [ "$name" = surefill ]; then
        wait_for 20 is_completed "$other" || fail "$name: with the preferred nodes busy, a job does not start elsewhere"
    fi
    touch "$CLUSTER/gate.first"
    wait_for 60 queue_empty
    [[ "$(completed "$first" NodeList) $(completed "$last" NodeList)" =~ ^n[45]\ n[45]$ ]] ||
        fail "$name: preferred nodes were not taken: $(completed "$first" NodeList) $(completed "$last" NodeList)"

    # Nodes shared with no other user's jobs, or with none of another label. sched/backfill has no reservation for a job
    # that waits for other users' nodes, and lets every job overtake.
    if [ "$name" = surefill ]; then
        for other in user mcs; do
            first=$(gated first man 1 2 0 -p shared -n 1 -w n6)
            last=$(gated last games 1 2 0 -p shared -n 1 -w n7)
            both_run
            starts_next "--exclusive=$other" "$(job mail 2 60 0.1 -p shared -n 2 --exclusive="$other")" \
                -p shared -n 1 --uid=games
        done
    fi
    cluster_stop
}

(
    trap cluster_stop EXIT
    work=$work/beside
    mkdir -m 711 "$work"
    : >"$work/ran" && chmod 666 "$work/ran"
    SCHEDULER=sched/backfill PARAMETERS=bf_interval=1,bf_resolution=1,bf_continue,sched_min_interval=0 \
        CLUSTER_PORT=$((CLUSTER_PORT + 100)) wishes stock
) >"$work/stock.out" 2>&1 &
stock=$!
SCHEDULER=sched/surefill PARAMETERS=$OURS,surefill_preset=easy wishes surefill | sed "s/^/$test_name: /"
wait $stock || fail "sched/backfill itself fails: $(cat "$work/stock.out")"
sed "s/^/$test_name: /" "$work/stock.out"
