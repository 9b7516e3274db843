#!/usr/bin/env bash
# Decisions of the plugin inside a real slurmctld, asserted from the job completion file.
. "$(dirname "$0")/lib.sh"

# Histories: games' jobs run some 30 s, man's one second, nobody's and mail's two hours.
games=$(id -u games) man=$(id -u man) nobody=$(id -u nobody) mail=$(id -u mail)
SCHEDULER=sched/surefill PARAMETERS=$OURS,surefill_tau=0.2 cluster_make "$work/cluster" 5
"$built/seed" "$CLUSTER/state/surefill_state" "$games:30:40:60:3" "$man:1:40:120:1" "$nobody:7000:40:120:1" \
    "$mail:7000:40:120:5"
cluster_start
wait_for 5 logged 'learnt from 160 jobs' || fail "the seeded state was not read"

# 1. Three of five nodes are busy, the head wants all five. The long candidate would delay it and waits, although it is
# submitted first; the short one starts at once, although by its limit it would delay the head as well.
busy=$(job games 3 60 6)
wait_for 10 running "$busy"
head=$(job games 5 60 1)
long=$(job nobody 1 120 2)
short=$(job man 1 120 1)
wait_for 5 running "$short"
wait_for 30 queue_empty
check "the short candidate starts before the busy nodes are free" \
    "$(completed "$short" StartTime)" -lt "$(completed "$busy" EndTime)"
check "the long candidate waits for the head" "$(completed "$long" StartTime)" -ge "$(completed "$head" StartTime)"
check "the head starts when the nodes are free" \
    $(($(completed "$head" StartTime) - $(completed "$busy" EndTime))) -le 2
logged "decision: JobId=$long .*probability.*refused" || fail "no refusal in the log"
probability=$(ctld_log | sed -n "s,.*decision: JobId=$long .*probability[>=~]*\([0-9.]*\): refused (on).*,\1,p" | sed -n 1p)
awk "BEGIN { exit !($probability >= 0.2) }" || fail "the long candidate was refused at $probability"
say "1: at tau 0.2 the long candidate waits (probability at least $probability), the short one starts"

# 2. The same jobs at a larger tau: the long candidate starts, and ends in time, so that the head is not delayed.
parameters "$OURS,surefill_tau=1.1"
wait_for 5 logged 'below 1.1,'
busy=$(job games 3 60 6)
wait_for 10 running "$busy"
head=$(job games 5 60 1)
long=$(job nobody 1 120 2)
wait_for 5 running "$long"
wait_for 30 queue_empty
check "the long candidate starts early" "$(completed "$long" StartTime)" -lt "$(completed "$busy" EndTime)"
check "the head is not delayed" $(($(completed "$head" StartTime) - $(completed "$busy" EndTime))) -le 2
say "2: at tau 1.1 the long candidate starts, and the head is not delayed"

# 3. The budget of a head job: every accepted candidate costs some of it.
parameters "$OURS,surefill_tau=1.1,surefill_budget=0.1"
wait_for 5 logged 'budget 0.1,'
busy=$(job games 3 60 5)
wait_for 10 running "$busy"
head=$(job games 5 60 1)
long=$(job nobody 1 120 1)
wait_for 5 logged "decision: JobId=$long .*over budget"
wait_for 30 queue_empty
check "beyond the budget nothing starts" "$(completed "$long" StartTime)" -ge "$(completed "$head" StartTime)"
say "3: a budget of 0.1 keeps it waiting"

# 4. Shadow: by limits the short candidate has to wait; the log says that it would have started.
parameters "$OURS,surefill_mode=shadow,surefill_tau=0.2,surefill_save=1"
wait_for 5 logged 'mode shadow'
busy=$(job games 3 60 4)
wait_for 10 running "$busy"
head=$(job games 5 60 1)
short=$(job man 1 120 1)
wait_for 5 logged "shadow: JobId=$short would start now, ahead of JobId=$head"
wait_for 30 queue_empty
check "in the shadow nothing starts beyond limits" "$(completed "$short" StartTime)" -ge "$(completed "$head" StartTime)"
wait_for 3 logged "shadow: JobId=$short has started, would have started [1-9]"
logged '\] surefill: waits: main: [0-9]* known' || fail "no bounds on waiting times in the shadow report"
say "4: shadow mode reports and starts nothing"

# 5. A parameter that cannot be used: said once, limits only.
parameters "$OURS,surefill_tau=soon"
wait_for 5 logged 'surefill_tau=soon: it must be a number that is not negative; from here on only time limits count'
check "messages" "$(ctld_log | grep -c 'surefill_tau=soon')" -ge 1
busy=$(job games 3 60 3)
wait_for 10 running "$busy"
head=$(job games 5 60 1)
short=$(job man 1 120 1)
wait_for 30 queue_empty
check "limits only: the short candidate waits" "$(completed "$short" StartTime)" -ge "$(completed "$head" StartTime)"
check "it was said once" "$(ctld_log | grep -c 'surefill_tau=soon: it must')" -eq 1
say "5: a wrong parameter means limits only"

# 6. The preset's order of the queue, among jobs that the site ranks equally: the short job starts before the long one,
# which was submitted first. Not so where an administrator has given the long one a priority, nor where the queue's order
# is to be the site's.
whole_machine() { # NAME PARAMETERS: two jobs of all nodes behind another; sets long and short
    parameters "defer,sched_interval=-1,surefill_interval=0.2,$2"
    wait_for 5 logged "$1"
    busy=$(job games 5 60 3)
    wait_for 10 running "$busy"
    long=$(job mail 5 120 1)
    short=$(job man 5 120 1)
}
whole_machine 'order queue' surefill_order=queue
wait_for 30 queue_empty
check "the short job is first" "$(completed "$short" StartTime)" -lt "$(completed "$long" StartTime)"
whole_machine 'saved every 59 s' surefill_save=59
timeout 10 scontrol update JobId="$long" Priority=4294967000
wait_for 30 queue_empty
check "an administrator's priority counts" "$(completed "$long" StartTime)" -lt "$(completed "$short" StartTime)"
whole_machine 'order candidates' surefill_order=candidates
wait_for 30 queue_empty
check "the site's order counts" "$(completed "$long" StartTime)" -lt "$(completed "$short" StartTime)"
say "6: among jobs of one rank the short one starts first, unless the site says otherwise"
check_runs
