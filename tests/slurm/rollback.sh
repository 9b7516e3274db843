#!/usr/bin/env bash
# The steps of OPERATING.md for installing, upgrading and rolling back, done: sched/backfill, the plugin, no plugin,
# sched/backfill, the plugin again, sched/backfill. The jobs go on and run once, and the learnt state is read again.
. "$(dirname "$0")/lib.sh"

games=$(id -u games)
stock=sched_min_interval=0,bf_interval=1
SCHEDULER=sched/backfill PARAMETERS=$stock cluster_make "$work/cluster" 4
seed "$CLUSTER/state/surefill_state" "$games:30:40:60:1"
cluster_start
# scheduler NAME: in slurm.conf, and a restart of slurmctld alone. The parameters change as well: with sched_interval=-1 left,
# Slurm's own main loop would stay off.
scheduler() {
    local words=$stock
    [ "$1" = backfill ] || words=$OURS,surefill_save=1
    sed -i -e "s|^SchedulerType=.*|SchedulerType=sched/$1|" -e "s|^SchedulerParameters=.*|SchedulerParameters=$words|" \
        "$CLUSTER/slurm.conf"
    ctld_stop
    ctld_start
    wait_for 20 running "$long" || fail "with sched/$1 the running job is lost"
}
in_charge() { [ "$(timeout 5 scontrol show config | sed -n 's/^SchedulerType *= //p')" = "sched/$1" ]; }
long=$(TASK="until [ -e $CLUSTER/gate ]; do sleep 0.2; done" job games 2 60 0)
wait_for 20 running "$long"
each=()
turn() { # NAME
    local number
    in_charge "$1" || fail "not sched/$1 is in charge"
    number=$(job games 2 60 0.1)
    each+=("$number")
    wait_for 20 is_completed "$number" || fail "sched/$1 does not start a job"
}
turn backfill

# Installed. A heterogeneous job that is in the queue waits, and the log says so.
both=$(timeout 20 sbatch --parsable --uid=games -D / -o /dev/null --hold -N 1 : -N 1 \
    --wrap "echo \$SLURM_JOB_ID >>$work/ran; echo \$((SLURM_JOB_ID + 1)) >>$work/ran")
scheduler surefill
wait_for 10 logged 'surefill: .*surefill_state: learnt from 40 jobs'
wait_for 10 logged 'surefill: mode on, '
timeout 10 scontrol release "$both"
wait_for 20 logged "surefill: JobId=$both is part of a heterogeneous job: such jobs wait until SchedulerType is sched/backfill"
turn surefill

# The plugin is not there: slurmctld does not start, and says why; the job goes on meanwhile. (That one of another patch level is
# refused: refusals.sh.)
ctld_stop
mkdir "$work/empty"
cp "$CLUSTER/slurm.conf" "$work/kept"
sed -i "s|$built|$work/empty|" "$CLUSTER/slurm.conf"
: >"$CLUSTER/log/slurmctld"
daemon slurmctld slurmctld -D
wait_for 20 daemon_gone slurmctld || fail "slurmctld runs without its plugin"
grep -qs "Couldn't find the specified plugin name for sched/surefill" "$CLUSTER/log/slurmctld" \
    "$CLUSTER/log/slurmctld.out" || fail "slurmctld does not say what is missing: $(tail -n 3 "$CLUSTER/log/slurmctld.out")"
cp "$work/kept" "$CLUSTER/slurm.conf"

# OPERATING.md's way around it: sched/backfill while there is no plugin that fits, and then the plugin again.
scheduler backfill
turn backfill
wait_for 40 is_completed "$both" || fail "sched/backfill does not start the heterogeneous job"
scheduler surefill
wait_for 10 logged 'surefill: .*surefill_state: learnt from 4[0-9] jobs'
turn surefill

# Rolled back: nothing of the plugin's is left on the nodes.
head=$(job games 4 60 0.1)
planned() { [ "$(timeout 5 sinfo -h -N -t planned -o %N | wc -l)" -ge 1 ]; }
wait_for 20 planned
scheduler backfill
touch "$CLUSTER/gate"
wait_for 40 is_completed "$head"
wait_for 20 nodes_idle
turn backfill
check_runs
check "jobs" "${#each[@]}" -eq 5
say "sched/backfill, the plugin, no plugin (said), sched/backfill, the plugin, sched/backfill:" \
    "the running job went on, every job has run once, and what was learnt was read again"
