# Functions of the tests with a real slurmctld. Each test sources it first; $1 is the folder of the build.
# shellcheck shell=bash
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
built=$(cd "$1" && pwd)
test_name=$(basename "$0" .sh)
# shellcheck source=../../c-examples/slurm/cluster.sh
. "$here/../../c-examples/slurm/cluster.sh"
cluster_isolate bash "$0" "$@"
work=$(mktemp -d) && chmod 711 "$work"
mkdir "$work/decided"
export PLUGIN_FOLDER=$built
: >"$work/ran" && chmod 666 "$work/ran" # the number of every job that has started, by the job itself

# Whether every cycle that was recorded is decided again as it was, where the plugin has recorded some.
decided_again() {
    local record="$work/decided" said="$work/decided-again"
    [ -n "$(ls -A "$record")" ] || return 0
    timeout 200 "$built/surefill-cycle" "$record"/*.surefill >"$said" 2>&1 || {
        grep -v ', the same$' "$said" | head -n 5 >&2
        return 1
    }
    say "$(grep -c ', the same$' "$said") recorded cycles are decided again as they were"
}
# Ends the cluster whatever happened, and shows what the scheduler said when the test has failed.
finish() {
    local status=$?
    set +e
    if [ $status != 0 ] && [ -n "$CLUSTER" ]; then
        echo "--- the last lines of slurmctld's log" >&2
        grep -v 'surefill: cycle' "$CLUSTER/log/slurmctld" | tail -n 40 >&2
        timeout 5 squeue >&2
    fi
    cluster_stop
    [ $status != 0 ] || decided_again || {
        echo "$test_name: recorded cycles are decided otherwise" >&2
        status=1
    }
    [ -z "${SUREFILL_RECORDS:-}" ] || cp -r "$work/decided" "$SUREFILL_RECORDS/$test_name"
    rm -rf "$work"
    exit $status
}
trap finish EXIT
trap 'exit 1' INT TERM

fail() {
    echo "$test_name: $*" >&2
    exit 1
}
# check WHAT LEFT OPERATOR RIGHT: an arithmetic comparison.
check() {
    # shellcheck disable=SC1072,SC1073
    test "$2" "$3" "$4" || fail "$1: $2 $3 $4 does not hold"
}
say() { echo "$test_name: $*"; }

ctld_log() { cat "$CLUSTER/log/slurmctld"; }
logged_times() { [ "$(grep -c -- "$1" "$CLUSTER/log/slurmctld")" -ge "$2" ]; }
logged() { grep -q -- "$1" "$CLUSTER/log/slurmctld"; }

# job USER NODES MINUTES SECONDS [sbatch arguments]: submits, prints the job's number. TASK is what it does instead of
# sleeping.
job() {
    local user=$1 nodes=$2 minutes=$3 seconds=$4
    shift 4
    timeout 20 sbatch --parsable --uid="$user" -D / -o /dev/null -N "$nodes" -t "$minutes" "$@" \
        --wrap "echo \$SLURM_JOB_ID >>$work/ran; ${TASK:-exec sleep $seconds}"
}
has_run() { grep -qx "$1" "$work/ran"; }
# check_runs [NUMBER...]: by the jobs' own account everyone that has completed has run once, and the named ones once more.
check_runs() {
    {
        sed -n 's/^JobId=\([0-9]*\) .*JobState=COMPLETED .*/\1/p' "$CLUSTER/completed"
        [ $# = 0 ] || printf '%s\n' "$@"
    } | sort | diff - <(sort "$work/ran") >&2 ||
        fail "the jobs' own account (right) is not that of the log of completions (left)"
}
# Like "one": a change to SchedulerParameters in the running cluster.
parameters() {
    sed -i "s|^SchedulerParameters=.*|SchedulerParameters=$1|" "$CLUSTER/slurm.conf"
    timeout 20 scontrol reconfigure
}
running() { [ "$(timeout 5 squeue -h -t RUNNING -j "$1" -o %i 2>/dev/null | wc -l)" -ge 1 ]; }
is_completed() { grep -q "^JobId=$1 " "$CLUSTER/completed"; }
# The latest summary of the plugin's books, which comes with every save; and whether it shows nothing waiting or running.
books() { sed -n 's/.*surefill: books: //p' "$CLUSTER/log/slurmctld" | tail -n 1; }
books_closed() { [[ $(books) == *' 0 waiting, 0 running'* ]]; }
# The parameters of most tests.
OURS=defer,sched_interval=-1,surefill_interval=0.2,surefill_record=$work/decided
# seed FILE USER:SECONDS:JOBS:MINUTES:NODES...: a state file of the plugin as if jobs had run, where SECONDS is what they ran and
# MINUTES their limit. The groups take turns, job by job. seed_engine: of the programs in c-examples/slurm-external.
history() {
    printf '%s\n' "$@" | awk -F : '
        { user[NR] = $1; ran[NR] = $2; jobs[NR] = $3; limit[NR] = 60 * $4; nodes[NR] = $5 }
        END {
            time = 1000000
            for (round = left = 0; round == left; round++)
                for (i = 1; i <= NR; i++) if (round < jobs[i]) {
                    time += ran[i]
                    print time, user[i], nodes[i], limit[i], ran[i]
                    left = round + 1
                }
        }'
}
seed() { history "${@:2}" | "$built/learn_engine" "$1" plugin; }
seed_engine() { history "${@:2}" | "$built/learn_engine" "$1"; }
