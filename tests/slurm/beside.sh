# Runs tests side by side, each with its own cluster and ports; they sleep most of the time. Whoever sources it sets
#   who      a name for messages
#   logs     a folder for what the tests write
#   port     the first test has the ports from 300 further on
# and has a function "run_of NAME", which fills the array "run" with the command of a test. Then
#   beside_run COUNT SECONDS NAME...     so many at a time, each killed after so many seconds; then "failed" are those
#                                        that failed, "again" those that failed at the first try
#   beside_end                           ends those that still run
# shellcheck shell=bash

# The tests of one cluster, by how long they take on 22.05, the longest first.
every=(kills refusals accounts shared quick faults power external stream killed overlap scenarios thousand heads rules order
    reconfigure watch seen advise wishes rollback points shapes array example edits soft)

# Those that take a minute, nearly all of it waiting for Slurm's own limits of time: with other releases, and before a release
# of ours.
longer=(failover)

declare -A running=() since=() # process number: test; test: when it began
failed=() again=()
beside_end() {
    local pid
    for pid in "${!running[@]}"; do kill "$pid" 2>/dev/null || true; done
    for pid in "${!running[@]}"; do wait "$pid" 2>/dev/null || true; done
}
beside_finish() {
    local name=${running[$1]} status=0
    wait "$1" || status=$?
    cat "$logs/$name"
    echo "$who: $name: $((SECONDS - ${since[$name]})) s"
    [ $status = 0 ] || failed+=("$name")
    unset "running[$1]"
}
# Two of the names are other releases, whose daemons are made first.
beside_start() { # NAME SECONDS
    local seconds=$2 run=()
    port=$((port + 300))
    run_of "$1"
    case $1 in chroot | upstream) seconds=1800 ;; esac
    CLUSTER_PORT=$port timeout -k 40 "$seconds" "${run[@]}" >"$logs/$1" 2>&1 &
    running[$!]=$1 since[$1]=$SECONDS
}
beside_places() { # COUNT: the other releases run beside that many
    local name places=$1
    for name in "${running[@]}"; do
        case $name in chroot | upstream) places=$((places + 1)) ;; esac
    done
    echo $places
}
beside_all() { # COUNT SECONDS NAME...
    local count=$1 seconds=$2 name pid
    shift 2
    for name in "$@"; do
        while [ ${#running[@]} -ge "$(beside_places "$count")" ]; do
            for pid in "${!running[@]}"; do
                kill -0 "$pid" 2>/dev/null || beside_finish "$pid"
            done
            sleep 0.2
        done
        beside_start "$name" "$seconds"
    done
    for pid in "${!running[@]}"; do beside_finish "$pid"; done
}
# Daemons of several clusters on two processors sometimes take longer than a test waits for them. What failed is run
# again by itself and waits three times as long; a test that fails then as well is wrong, and so is a plugin that makes
# more than a quarter of them fail.
beside_run() {
    local name
    failed=() again=()
    beside_all "$@"
    again=("${failed[@]}")
    if [ ${#again[@]} -gt 0 ] && [ ${#again[@]} -le 6 ]; then
        failed=()
        for name in "${again[@]}"; do
            echo "$who: $name failed beside another test, as said above; once more, by itself"
            CLUSTER_PATIENCE=$((3 * ${CLUSTER_PATIENCE:-1})) beside_all 1 $((3 * $2)) "$name"
        done
    fi
}
