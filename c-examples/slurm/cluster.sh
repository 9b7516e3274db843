# A whole Slurm cluster in one folder on one machine: munged, slurmctld and any number of slurmd, without systemd and
# without touching an installed configuration. Source it; every function that waits has a limit.
#
#   cluster_isolate "$0" "$@"       run the calling script again in namespaces of its own for network and processes, where
#                                   that is allowed: its daemons are private, and none outlives it
#   cluster_make FOLDER NODES       writes keys and slurm.conf; SCHEDULER, PARAMETERS and EXTRA_CONF say the rest
#   cluster_start                   munged, slurmctld and all slurmd; returns when every node is idle
#   cluster_stop                    ends all of them; safe to call at any time and more than once
#   ctld_start [ARGUMENTS], ctld_stop, ctld_kill       slurmctld alone
#   node_start NAME, node_kill NAME                    one slurmd alone
#   nodes_register                  every slurmd registers again
#   reconfigure_is_restart          whether scontrol reconfigure starts slurmctld anew, as since 23.11
#   accounting_conf FOLDER          lines for EXTRA_CONF: slurmctld's accounts go to a slurmdbd in that folder
#   accounting_start                that slurmdbd with its own database, before cluster_start and after munge_start
#   wait_for SECONDS COMMAND...     until the command succeeds; fails with a message when the time is up, which
#                                   CLUSTER_PATIENCE multiplies on slow machines
# shellcheck shell=bash

CLUSTER=
CLUSTER_PORT=${CLUSTER_PORT:-16800}

cluster_isolate() {
    if [ -n "${CLUSTER_ISOLATED:-}" ]; then
        # The resolver knows no addresses where only 127.0.0.1 is configured.
        ip link set lo up && ip address add 10.213.0.1/32 dev lo
        return
    fi
    local processes=(--pid --fork --kill-child --mount-proc)
    if [ "$(id -u)" = 0 ] && command -v ip >/dev/null; then
        if unshare --net "${processes[@]}" true 2>/dev/null; then
            CLUSTER_ISOLATED=1 exec unshare --net "${processes[@]}" -- "$@"
        elif unshare --net true 2>/dev/null; then
            CLUSTER_ISOLATED=1 exec unshare --net -- "$@"
        fi
    fi
    echo "no network namespace of our own here: the daemons listen on this machine's addresses" >&2
}

wait_for() {
    local seconds=$(($1 * ${CLUSTER_PATIENCE:-1})) end
    shift
    end=$(($(date +%s) + seconds))
    until "$@" >/dev/null 2>&1; do
        if [ "$(date +%s)" -ge "$end" ]; then
            echo "waited $seconds s in vain for: $*" >&2
            return 1
        fi
        sleep 0.1
    done
}

cluster_make() {
    local nodes=$2 node plugins
    plugins=${SLURM_PLUGINS:-$(dirname "$(dpkg -L slurm-wlm-basic-plugins | grep /sched_builtin.so)")}
    mkdir -p "$1"
    CLUSTER=$(cd "$1" && pwd)
    CLUSTER_NODES=$nodes
    export SLURM_CONF=$CLUSTER/slurm.conf
    mkdir -p "$CLUSTER"/{munge,state,log,jobs,pid}
    chmod 711 "$CLUSTER" "$CLUSTER/munge"
    (umask 077 && head -c 128 /dev/urandom >"$CLUSTER/munge/key")
    : >"$CLUSTER/completed"
    # Later releases' slurmd asks for control groups although nothing of this configuration needs them.
    case $(slurmctld -V) in
    'slurm 22.'* | 'slurm-wlm 22.'*) ;;
    *) echo 'CgroupPlugin=disabled' >"$CLUSTER/cgroup.conf" ;;
    esac
    {
        cat <<EOF
ClusterName=surefill
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$CLUSTER_PORT
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$CLUSTER/munge/socket
CredType=cred/munge
StateSaveLocation=$CLUSTER/state
SlurmdSpoolDir=$CLUSTER/spool.%n
SlurmctldPidFile=$CLUSTER/pid/slurmctld
SlurmdPidFile=$CLUSTER/pid/slurmd.%n
SlurmctldLogFile=$CLUSTER/log/slurmctld
SlurmdLogFile=$CLUSTER/log/slurmd.%n
SlurmctldDebug=${DEBUG_LEVEL:-debug}
SlurmdDebug=error
PluginDir=$plugins${PLUGIN_FOLDER:+:$PLUGIN_FOLDER}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/filetxt
JobCompLoc=$CLUSTER/completed
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
SlurmdTimeout=10
SlurmctldTimeout=10
KillWait=5
ReturnToService=2
MailProg=/bin/true
PriorityType=priority/basic
SchedulerType=${SCHEDULER:-sched/builtin}
${PARAMETERS:+SchedulerParameters=$PARAMETERS}
${EXTRA_CONF:-}
EOF
        for node in $(seq "$nodes"); do
            echo "NodeName=n$node NodeAddr=127.0.0.1 Port=$((CLUSTER_PORT + node)) CPUs=${NODE_CPUS:-1} State=UNKNOWN"
        done
        if [ -n "${PARTITIONS:-}" ]; then
            echo "$PARTITIONS"
        else
            echo "PartitionName=main Nodes=n[1-$nodes] Default=YES MaxTime=INFINITE State=UP"
        fi
    } >"$CLUSTER/slurm.conf"
}

# Starts a daemon in the foreground of a background job and keeps its process number in pid/NAME.run.
daemon() {
    local name=$1
    shift
    "$@" >"$CLUSTER/log/$name.out" 2>&1 </dev/null &
    echo $! >"$CLUSTER/pid/$name.run"
    disown
}

daemon_alive() {
    local pid
    pid=$(cat "$CLUSTER/pid/$1.run" 2>/dev/null) && kill -0 "$pid" 2>/dev/null
}

daemon_gone() { ! daemon_alive "$1"; }

# A polite end, a forced one after ten seconds.
daemon_stop() {
    daemon_alive "$1" || return 0
    kill "$(cat "$CLUSTER/pid/$1.run")" 2>/dev/null || true
    wait_for 10 daemon_gone "$1" 2>/dev/null || daemon_kill "$1"
}

daemon_kill() {
    daemon_alive "$1" || return 0
    kill -KILL "$(cat "$CLUSTER/pid/$1.run")" 2>/dev/null || true
    wait_for 5 daemon_gone "$1"
}

ctld_answers() { grep -q UP <<< "$(timeout 3 scontrol ping)"; }
ctld_start() {
    daemon slurmctld slurmctld -D "$@"
    wait_for 20 ctld_answers && return
    tail -n 20 "$CLUSTER/log/slurmctld" "$CLUSTER/log/slurmctld.out" >&2
    return 1
}
ctld_stop() { daemon_stop slurmctld; }
ctld_kill() { daemon_kill slurmctld; }

node_start() {
    mkdir -p "$CLUSTER/spool.$1"
    daemon "slurmd.$1" slurmd -D -N "$1"
}
# The daemon and what it runs, as when a node loses its power: a job's processes know the node's name, and its keeper is
# the slurmstepd above them.
node_kill() {
    local process keeper
    daemon_kill "slurmd.$1"
    for process in /proc/[0-9]*; do
        grep -qsxz "SLURMD_NODENAME=$1" "$process/environ" || continue
        grep -qsxz "SLURM_CONF=$SLURM_CONF" "$process/environ" || continue
        keeper=$(sed -n 's/^PPid:[[:space:]]*//p' "$process/status" 2>/dev/null)
        [ "$(cat "/proc/$keeper/comm" 2>/dev/null)" = slurmstepd ] && kill -KILL "$keeper"
        kill -KILL "${process#/proc/}" 2>/dev/null
    done
    return 0
}

reconfigure_is_restart() { case $(slurmctld -V) in *' 22.'* | *' 23.02.'*) false ;; esac }
# A registration says which jobs the node has. slurmctld ends a job that is missing there BatchStartTimeout, and ten
# seconds or MessageTimeout, after it has read that job from its state: a reconfiguration that starts it anew would put
# that off.
nodes_register() {
    local name
    if ! reconfigure_is_restart; then
        timeout 10 scontrol reconfigure
        return
    fi
    for name in "$CLUSTER"/pid/slurmd.*.run; do
        kill -HUP "$(cat "$name")" || true
    done
}

nodes_idle() { [ "$(timeout 5 sinfo -h -N -t idle -o %N | sort -u | wc -l)" = "$CLUSTER_NODES" ]; }

munge_start() {
    daemon munged munged --foreground --force --key-file="$CLUSTER/munge/key" --socket="$CLUSTER/munge/socket" \
        --num-threads=10 --pid-file="$CLUSTER/munge/pid" --log-file="$CLUSTER/log/munged" --seed-file="$CLUSTER/munge/seed"
    wait_for 10 test -S "$CLUSTER/munge/socket"
}

accounting_conf() {
    printf '%s\n' AccountingStorageType=accounting_storage/slurmdbd AccountingStorageHost=127.0.0.1 \
        AccountingStoragePort=$((CLUSTER_PORT + 281)) "AccountingStoragePass=$1/munge/socket"
}
account() { timeout 20 sacctmgr -i "$@" >>"$CLUSTER/log/sacctmgr" 2>&1; }
accounting_start() {
    local port=$((CLUSTER_PORT + 280)) sql=(mariadb --no-defaults --socket="$CLUSTER/database.socket" --user=root)
    # Its temporary files have the number of the process in their names, which is the same in another namespace.
    mkdir "$CLUSTER"/database{,.temporary}
    timeout 100 mariadb-install-db --no-defaults --datadir="$CLUSTER/database" --skip-test-db --tmpdir="$CLUSTER/database.temporary" \
        --auth-root-authentication-method=normal --user=root >"$CLUSTER/log/database.install" 2>&1 || {
        tail -n 5 "$CLUSTER/log/database.install" >&2
        return 1
    }
    daemon database mariadbd --no-defaults --user=root --datadir="$CLUSTER/database" --socket="$CLUSTER/database.socket" \
        --port=$port --bind-address=127.0.0.1 --innodb-buffer-pool-size=32M --tmpdir="$CLUSTER/database.temporary" \
        --pid-file="$CLUSTER/pid/database"
    wait_for 60 "${sql[@]}" -e 'SELECT 1'
    "${sql[@]}" -e "CREATE DATABASE slurm_acct_db; CREATE USER slurm@'127.0.0.1' IDENTIFIED BY 'secret';
        GRANT ALL ON slurm_acct_db.* TO slurm@'127.0.0.1';"
    cat >"$CLUSTER/slurmdbd.conf" <<EOF
AuthType=auth/munge
AuthInfo=socket=$CLUSTER/munge/socket
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort=$((port + 1))
SlurmUser=$(id -un)
LogFile=$CLUSTER/log/slurmdbd
PidFile=$CLUSTER/pid/slurmdbd
$(grep ^PluginDir= "$CLUSTER/slurm.conf")
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort=$port
StorageUser=slurm
StoragePass=secret
EOF
    chmod 600 "$CLUSTER/slurmdbd.conf"
    daemon slurmdbd slurmdbd -D
    wait_for 40 account add cluster surefill || {
        tail -n 5 "$CLUSTER/log/slurmdbd" "$CLUSTER/log/slurmdbd.out" "$CLUSTER/log/sacctmgr" >&2
        return 1
    }
}

cluster_start() {
    local node
    daemon_alive munged || munge_start
    ctld_start -c
    for node in $(seq "$CLUSTER_NODES"); do node_start "n$node"; done
    wait_for 30 nodes_idle || {
        timeout 10 sinfo -N -l >&2
        return 1
    }
}

# Ends by force whatever still belongs to this cluster, jobs and their keepers included: they all know its configuration.
cluster_sweep() {
    local process
    for process in /proc/[0-9]*; do
        grep -qsxzF "SLURM_CONF=$CLUSTER/slurm.conf" "$process/environ" || continue
        kill -KILL "${process#/proc/}" 2>/dev/null || true
    done
}

cluster_stop() {
    local name
    [ -n "$CLUSTER" ] || return 0
    if daemon_alive slurmctld; then
        timeout 10 scancel --state=PENDING,RUNNING --user="$(id -un)" 2>/dev/null || true
        wait_for 10 queue_empty 2>/dev/null || true
    fi
    daemon_stop slurmctld
    for name in "$CLUSTER"/pid/slurmd.*.run; do
        [ -e "$name" ] || continue
        name=${name##*/}
        kill "$(cat "$CLUSTER/pid/$name")" 2>/dev/null || true
    done
    for name in "$CLUSTER"/pid/slurmd.*.run; do
        [ -e "$name" ] || continue
        name=${name##*/}
        daemon_stop "${name%.run}"
    done
    for name in slurmdbd database munged; do daemon_stop "$name"; done
    cluster_sweep
    CLUSTER=
}

queue_empty() { [ -z "$(timeout 5 squeue -h -o %i)" ]; }

# Field NAME of the last completion record of job NUMBER, with the time fields in seconds since 1970.
completed() {
    local value
    value=$(grep "^JobId=$1 " "$CLUSTER/completed" | tail -n 1 | tr ' ' '\n' | sed -n "s/^$2=//p")
    case $2 in *Time) date -d "$value" +%s ;; *) echo "$value" ;; esac
}
