#!/usr/bin/env bash
# A backup controller that takes over while a head job waits: after a kill of the primary, and when it is asked to; and the
# primary that comes back. The controller in charge has what was learnt, no job passes the head job, and every job runs once.
. "$(dirname "$0")/lib.sh"

games=$(id -u games) man=$(id -u man) mail=$(id -u mail)
SAVED=8 # seconds after which a start has been saved: slurmctld waits for up to five between two saves
[ -n "${CLUSTER_ISOLATED:-}" ] || {
    echo "SKIPPED: failover, as two controllers need addresses and names of their own, and here is no namespace for them"
    exit 0
}
ip address add 10.213.0.2/32 dev lo

# Two controllers on one machine: each has a name of its own, listens on the address of that name alone, and has its own
# folder for the number of its process, as slurmctld ends whoever it finds there.
controller() { # NAME HOST [ARGUMENTS]
    mkdir -p "$work/pid.$1"
    # shellcheck disable=SC2016
    daemon "$1" unshare --uts --mount sh -c 'hostname "$1" && mount --bind "$2/hosts" /etc/hosts && mount --bind "$2/pid.$3" "$4" &&
        shift 4 && exec slurmctld -D "$@"' sh "$2" "$work" "$1" "$CLUSTER/pid" -L "$CLUSTER/log/$1" "${@:3}"
}
in_charge() { grep -q "Slurmctld($1).* UP" <<<"$(timeout 5 scontrol ping)" && timeout 5 squeue -h -o %i; }
# A backup of 26.05 gives control back after half a minute.
# shellcheck disable=SC2120 # cluster_start passes some
ctld_start() { controller slurmctld first "$@" && wait_for 60 in_charge primary; }
printf '127.0.0.1 localhost\n10.213.0.1 first\n10.213.0.2 second\n' >"$work/hosts"

SCHEDULER=sched/surefill PARAMETERS=$OURS,surefill_preset=easy,surefill_save=1 \
    EXTRA_CONF=$'SlurmctldHost=second(10.213.0.2)\nCommunicationParameters=NoCtldInAddrAny' cluster_make "$work/cluster" 4
sed -i 's/^SlurmctldHost=.*(127.0.0.1)$/SlurmctldHost=first(10.213.0.1)/' "$CLUSTER/slurm.conf"
seed "$CLUSTER/state/surefill_state" "$games:3000:40:60:3" "$man:1:40:120:1" "$mail:7000:40:120:1"
cluster_start
controller backup second
wait_for 20 in_charge backup

log() { cat "$CLUSTER/log/$1"; }
loaded='surefill_state: learnt from'
learnt() { log "$1" | sed -n "s/.*$loaded \([0-9]*\) jobs.*/\1/p" | tail -n 1; }
lines() { log "$1" | grep -c "$2" || true; }
more() { [ "$(lines "$1" "$2")" -gt "$3" ]; }
in_service() { [ "$(timeout 5 sinfo -h -N -t idle,alloc,mixed,planned -o %N | sort -u | wc -l)" = 4 ]; }

gate=$CLUSTER/gate
busy=$(TASK="until [ -e $gate ]; do sleep 0.1; done" job games 3 60 0)
wait_for 20 has_run "$busy"
head=$(job games 4 60 0.1)
behind=$(job mail 1 120 0.1)

# takes_over WHAT NAME LEARNT: the controller NAME is in charge, has learnt from so many jobs at least, goes on with what runs,
# and starts the jobs that it may and no others.
short=()
takes_over() {
    wait_for 40 more "$2" "$loaded" "${loads:?}" || fail "$1: the plugin has not read its state"
    wait_for 30 running "$busy" || fail "$1: the running job is lost"
    check "$1: jobs learnt from" "$(learnt "$2")" -ge "$3"
    wait_for 30 in_service || fail "$1: nodes do not come back: $(timeout 5 sinfo -h -N -o '%N %T')"
    short+=("$(job man 1 10 0.1)")
    wait_for 20 is_completed "${short[-1]}" || fail "$1: a job for which there is a node waits"
    log "$2" | grep -q "surefill: started JobId=${short[-1]} " || fail "$1: the job was not started by $2"
    has_run "$behind" && fail "$1: a job has passed the head job"
    say "$1: learnt from $(learnt "$2") jobs, and the head job is not passed"
}

# An end that the plugin has not looked at yet is not in its state.
saved() { wait_for 10 grep -q "surefill: books: .*learnt from $2 jobs" "$CLUSTER/log/$1"; }

sleep $SAVED
loads=$(lines backup "$loaded")
daemon_kill slurmctld
takes_over 'the primary was killed' backup 120

saved backup 121
loads=$(lines slurmctld "$loaded")
ctld_start
takes_over 'the primary is back' slurmctld 121

saved slurmctld 122
loads=$(lines backup "$loaded")
timeout 60 scontrol takeover || fail 'scontrol takeover'
takes_over 'the backup was asked to take over' backup 122

touch "$gate"
wait_for 40 is_completed "$head"
wait_for 40 is_completed "$behind"
check 'start of the head job, and of the one behind it' "$(completed "$head" StartTime)" -le "$(completed "$behind" StartTime)"
wait_for 20 queue_empty
check_runs
check 'jobs that have run' "$(wc -l <"$work/ran")" -eq 6
