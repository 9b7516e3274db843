#!/usr/bin/env bash
# Power saving: idle nodes are powered down by Slurm, and are nodes like others for the plugin; whoever starts there, in order
# or ahead of the head job, has them powered up. Here power is a slurmd that is started anew.
. "$(dirname "$0")/lib.sh"

games=$(id -u games) man=$(id -u man)
SCHEDULER=sched/surefill PARAMETERS=$OURS EXTRA_CONF="SuspendProgram=$work/suspend
ResumeProgram=$work/resume
SuspendTime=3
SuspendExcNodes=n1
SuspendTimeout=2
ResumeTimeout=60
SuspendRate=0
ResumeRate=0
DebugFlags=Power" cluster_make "$work/cluster" 4
seed "$CLUSTER/state/surefill_state" "$games:600:40:60:2" "$man:1:40:120:1"
cat >"$work/suspend" <<SCRIPT
#!/bin/sh
SLURM_CONF=$SLURM_CONF scontrol show hostnames "\$1" >>$work/suspended
SCRIPT
cat >"$work/resume" <<SCRIPT
#!/bin/bash
export SLURM_CONF=$SLURM_CONF PATH=$PATH # a power-saving program has none
for node in \$(scontrol show hostnames "\$1"); do
    echo "\$node" >>$work/resumed
    kill "\$(cat "$CLUSTER/pid/slurmd.\$node.run")"
    while kill -0 "\$(cat "$CLUSTER/pid/slurmd.\$node.run")"; do sleep 0.1; done
    setsid slurmd -D -b -N "\$node" >"$CLUSTER/log/slurmd.\$node.out" 2>&1 </dev/null &
    echo \$! >"$CLUSTER/pid/slurmd.\$node.run"
    # Later releases kill what is still of the program's own session when it ends.
    until [ "\$(ps -o sid= -p \$! | tr -d ' ')" = \$! ]; do sleep 0.05; done
done
SCRIPT
chmod 755 "$work/suspend" "$work/resume"
: >"$work/suspended"
: >"$work/resumed"
chmod 666 "$work/suspended" "$work/resumed"
cluster_start

down() { [ "$(timeout 5 sinfo -h -N -t powered_down -o %N | sort -u | wc -l)" = "$1" ]; }
resumed() { grep -qx "$1" "$work/resumed"; }

# In order of priority.
wait_for 60 down 3 || fail "idle nodes stay powered up: $(sinfo -h -N -o '%N %T')"
first=$(job games 1 60 1 -w n2)
wait_for 90 is_completed "$first" || fail "a job does not start on a node that is powered down: $(sinfo -h -N -o '%N %T')"
resumed n2 || fail "the node is not powered up: $(cat "$work/resumed")"
say "a node that is powered down is powered up for a job in order of priority"

# Ahead of the head job, which waits for all of the nodes.
busy=$(job games 1 60 1000 -w n1)
wait_for 30 has_run "$busy"
head=$(job games 4 60 1)
short=$(job man 1 120 0.1 -w n3)
wait_for 90 is_completed "$short" || fail "a candidate does not start on a node that is powered down: $(sinfo -h -N -o '%N %T')"
resumed n3 || fail "the candidate's node is not powered up: $(cat "$work/resumed")"
has_run "$head" && fail "the head job has started"
timeout 10 scancel "$head" "$busy"
logged '; from here on' && fail "the plugin fell back to limits"
check "every job has run once" "$(sort "$work/ran" | uniq -d | wc -l)" -eq 0
say "a candidate has a node powered up ahead of the head job"
