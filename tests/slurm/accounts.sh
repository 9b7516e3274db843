#!/usr/bin/env bash
# With slurmdbd and a database: limits of QOS and accounts, priorities of QOS and fair-share; and deadlines, and memory as a
# consumable resource. A job that waits for a limit keeps no other back, priorities are Slurm's.
. "$(dirname "$0")/lib.sh"

for program in slurmdbd mariadbd mariadb-install-db; do
    command -v $program >/dev/null || {
        echo "SKIPPED: no $program: apt-get install slurmdbd mariadb-server"
        exit 0
    }
done
games=$(id -u games) mail=$(id -u mail) man=$(id -u man)
SCHEDULER=sched/surefill PARAMETERS=$OURS NODE_CPUS=2 EXTRA_CONF="$(accounting_conf "$work/cluster")
AccountingStorageEnforce=limits,qos,associations
PriorityWeightFairshare=100000
PriorityWeightQOS=1000000
PriorityCalcPeriod=1
PriorityDecayHalfLife=1-0
PriorityFlags=NO_FAIR_TREE" \
    PARTITIONS='PartitionName=main Nodes=n[1-4] Default=YES MaxTime=INFINITE OverSubscribe=EXCLUSIVE
PartitionName=memory Nodes=n[5-6] MaxTime=INFINITE' cluster_make "$work/cluster" 6
sed -i -e 's/^PriorityType=.*/PriorityType=priority\/multifactor/' -e 's/^SelectTypeParameters=.*/&_Memory/' \
    -e 's/^NodeName=.*/& RealMemory=1000/' "$CLUSTER/slurm.conf"

chown root "$work"
munge_start
accounting_start || fail "no accounting"
account add account used fairshare=1
account add account unused fairshare=1
account add account one fairshare=1 GrpJobs=1
account add user games account=used
account add user mail account=unused
account add user man account=one
account add user root account=used || true
account add qos single set MaxJobsPerUser=1
account add qos first set Priority=1000
account modify user where name=games,mail,man set qos=normal,single,first
cluster_start

reason() { timeout 5 squeue -h -j "$1" -o %r; }
waits_for() { [[ $(reason "$1") == "$2" ]]; }
priority() { timeout 5 squeue -h -j "$1" -o %Q; }

# Usage of games from now on makes the later jobs of that account less urgent.
busy=$(job games 2 60 1000)
wait_for 20 has_run "$busy"

# A limit of the QOS, and one of the account: who waits for it is no head, although others of lower priority come later.
one=$(job mail 1 60 1000 --qos=single)
wait_for 20 has_run "$one"
two=$(job mail 2 60 0.1 --qos=single)
free=$(job games 1 60 0.1)
wait_for 20 is_completed "$free" || fail "a job that waits for a limit of its QOS keeps another back"
wait_for 20 waits_for "$two" QOSMaxJobsPerUserLimit || fail "QOS: it waits for $(reason "$two")"
timeout 10 scancel "$two"
three=$(job man 1 60 1000)
wait_for 20 has_run "$three"
four=$(job man 1 60 0.1)
timeout 10 scancel "$one"
free=$(job mail 1 60 0.1)
wait_for 20 is_completed "$free" || fail "a job that waits for a limit of its account keeps another back"
wait_for 20 waits_for "$four" AssocGrpJobsLimit || fail "account: it waits for $(reason "$four")"
timeout 10 scancel "$three"
wait_for 20 is_completed "$four" || fail "the limit is free, and it does not start"
say "limits of QOS and accounts keep nobody else back"

# The first of the jobs that a limit lets start one at a time starts first, however short the second is; where there are
# no nodes for the first, the second starts. Tasks of an array count one by one.
gate=$(TASK="until [ -e $CLUSTER/limits ]; do sleep 0.1; done" job games 2 60 0)
wait_for 20 has_run "$gate"
other=$(job games 1 60 0.1)
long=$(job mail 1 60 1000 --qos=single)
brief=$(job mail 1 1 0.1 --qos=single)
tasks=$(job man 1 1 0.1 --array=1-3)
touch "$CLUSTER/limits"
wait_for 20 has_run "$long" || fail "the first job of a user with a limit of one does not start"
has_run "$brief" && fail "the second job of a user with a limit of one has started before the first"
wait_for 20 is_completed "$other" || fail "jobs within a limit keep another back"
wait_for 20 waits_for "$brief" QOSMaxJobsPerUserLimit || fail "QOS: the second job waits for $(reason "$brief")"
array_done() { [ "$(grep -c "ArrayJobId=$tasks .*JobState=COMPLETED \|^JobId=$tasks .*JobState=COMPLETED " "$CLUSTER/completed")" -ge 1 ] && [ -z "$(timeout 5 squeue -h -j "$tasks" -o %i 2>/dev/null)" ]; }
wait_for 40 array_done || fail "the tasks of an array with a limit of one: $(timeout 5 squeue -h -j "$tasks" -o '%i %T %r')"
timeout 10 scancel "$long"
wait_for 20 is_completed "$brief"
narrow=$(job games 1 60 1000)
wait_for 20 has_run "$narrow"
wide=$(job mail 2 60 0.1 --qos=single)
brief=$(job mail 1 1 0.1 --qos=single)
wait_for 20 is_completed "$brief" || fail "a job waits for another of the same limit, for which there are no nodes: $(reason "$brief")"
check "the wide job waits" "$(timeout 5 squeue -h -t PENDING -j "$wide" -o %i | wc -l)" -eq 1
timeout 10 scancel "$narrow"
wait_for 20 is_completed "$wide"
say "of the jobs of one limit the first starts first, and the next where it cannot"

# A QOS that is taken away from a user whose job waits with it: the job does not start until it is given back.
revoked=$(job mail 1 60 0.1 --qos=single --hold)
account modify user where name=mail set qos=normal,first || fail "the QOS is not taken away"
timeout 10 scontrol release "$revoked"
wait_for 20 waits_for "$revoked" InvalidQOS || fail "a job whose QOS was taken away waits for $(reason "$revoked")"
has_run "$revoked" && fail "a job starts whose QOS was taken away"
account modify user where name=mail set qos=normal,single,first || fail "the QOS is not given back"
wait_for 20 is_completed "$revoked" || fail "the QOS was given back, and the job waits for $(reason "$revoked")"
say "a job without its QOS waits"

# A deadline that cannot be met any more: Slurm ends the job, and no job is kept back.
missed=$(job mail 4 1 0.1 --deadline=now+70)
behind=$(job mail 2 60 0.1)
wait_for 20 is_completed "$behind" || fail "nobody overtakes a job with a deadline"
wait_for 60 is_completed "$missed"
grep -q "^JobId=$missed .*JobState=DEADLINE " "$CLUSTER/completed" || fail "the deadline: $(grep "^JobId=$missed " "$CLUSTER/completed")"
say "a job that cannot meet its deadline is ended by Slurm"

# Memory: two jobs share a node as long as there is memory for both.
large=$(job games 2 60 1000 -p memory -n 2 --mem=700)
wait_for 20 has_run "$large"
head=$(job mail 2 60 0.1 -p memory -n 2 --mem=600)
small=$(job mail 1 10 0.1 -p memory -n 1 --mem=200)
wide=$(job mail 1 10 0.1 -p memory -n 1 --mem=400)
wait_for 20 is_completed "$small" || fail "there is memory for the small job, and it waits"
check "a job for which there is no memory" "$(timeout 5 squeue -h -t PENDING -j "$wide" -o %i | wc -l)" -eq 1
check "the head job waits for memory" "$(timeout 5 squeue -h -t PENDING -j "$head" -o %i | wc -l)" -eq 1
timeout 10 scancel "$large"
wait_for 20 is_completed "$head"
wait_for 20 is_completed "$wide"
say "jobs share the memory of nodes"
# Priorities: of the QOS, and by fair-share, when the usage has been counted: slurmctld does so two or three minutes
# after its start, so that this comes late.
blocker=$(TASK="until [ -e $CLUSTER/gate ]; do sleep 0.1; done" job mail 2 60 0)
wait_for 20 has_run "$blocker"
later=$(job mail 2 120 0.1)
first=$(job mail 2 120 0.1 --qos=first)
poor=$(job games 2 120 0.1)
rich=$(job man 2 120 0.1)
ranked() { [ "$(priority "$rich")" -gt "$(priority "$poor")" ]; }
wait_for 170 ranked || fail "no fair-share: $(priority "$rich") $(priority "$poor"); $(timeout 10 sshare -aP -o Account,User,RawShares,RawUsage,EffectvUsage,FairShare)"
touch "$CLUSTER/gate"
for number in "$first" "$later" "$rich" "$poor"; do wait_for 40 is_completed "$number"; done
order=$(grep -o '^JobId=[0-9]*' "$CLUSTER/completed" | cut -d = -f 2 | grep -xE "$first|$later|$rich|$poor" | paste -sd ' ')
[[ $order == "$first "* ]] || fail "the job of the more urgent QOS, $first, is not the first of $order"
[[ $order == *"$rich"*"$poor"* ]] || fail "who has used nothing, $rich, does not come before who has, $poor: $order"
say "priorities of QOS and fair-share are Slurm's"

logged '; from here on' && fail "the plugin fell back to limits"

# The accounts of all that, as a site would give them to surefill: every job of slurmctld's log of completions is in the trace, with
# its times, processors and limit; and the trace can be replayed.
timeout 10 scancel "$busy"
wait_for 20 is_completed "$busy"
columns=JobID,JobIDRaw,Submit,Eligible,Start,End,State,TimelimitRaw,AllocCPUS,ReqCPUS,User,Account,Partition
accounted() {
    timeout 20 sacct -a -P -S now-1hour -o $columns >"$work/sacct" &&
        ! grep -qE '\|(PENDING|RUNNING)\|' "$work/sacct"
}
wait_for 40 accounted || fail "slurmdbd knows jobs that have not ended: $(grep -E 'PENDING|RUNNING' "$work/sacct")"
"$SUREFILL_BIN" import "$work/sacct" --procs 12 --json -o "$work/trace.swf" >"$work/import.json"
python3 "$here/accounts.py" "$CLUSTER/completed" "$work/trace.swf" "$work/import.json" || fail "the trace is not what slurmctld logged"
"$SUREFILL_BIN" compare "$work/sacct" --procs 12 --policies easy,fair --csv >"$work/compared" || fail "sacct's output is not compared"
check "rows of the comparison" "$(grep -cE '(easy|fair)' "$work/compared")" -eq 2
say "sacct's output is imported and compared: $(grep -vc '^;' "$work/trace.swf") jobs as slurmctld logged them"

# Preemption by QOS is Slurm's business: a job of the more urgent one takes the nodes of one that runs, and that waits again;
# behind the head job whoever ends in time overtakes by limits.
account modify qos first set preempt=normal || fail "no QOS may preempt another"
ctld_stop
printf '%s\n' PreemptType=preempt/qos PreemptMode=REQUEUE >>"$CLUSTER/slurm.conf"
ctld_start
wait_for 20 nodes_idle
low=$(job mail 3 10 1000 --qos=normal)
wait_for 20 has_run "$low"
head=$(job mail 4 20 0.1 --qos=normal)
short=$(job man 1 5 0.1 --qos=normal)
wait_for 20 is_completed "$short" || fail "who ends in time does not overtake where jobs may be preempted"
urgent=$(job games 4 5 0.1 --qos=first)
wait_for 40 is_completed "$urgent" || fail "a job of the more urgent QOS takes no nodes"
[[ $(timeout 10 scontrol show job "$low") == *Restarts=1* ]] || fail "the job of the other QOS has not been put back"
wait_for 60 is_completed "$head"
timeout 10 scancel "$low"
logged '; from here on' && fail "the plugin fell back to limits"
say "preemption by QOS"
exit 0
