#!/usr/bin/env bash
# Decisions of the plugin inside a real slurmctld, asserted from the job completion file.
. "$(dirname "$0")/lib.sh"

# Histories: games' jobs run some 30 s, man's one second, news's and mail's two hours.
games=$(id -u games) man=$(id -u man) mail=$(id -u mail) mail=$(id -u mail)
SCHEDULER=sched/surefill PARAMETERS=$OURS cluster_make "$work/cluster" 5
seed "$CLUSTER/state/surefill_state" "$games:30:40:60:3" "$man:1:40:120:1" "$mail:7000:40:120:1" \
    "$mail:7000:40:120:5"
cluster_start
wait_for 5 logged 'learnt from 160 jobs' || fail "the seeded state was not read"

# 1. Three of five nodes are busy, the head wants all five. The long candidate would delay it and waits, although it is
# submitted first; the short one starts at once, although by its limit it would delay the head as well.
busy=$(job games 3 60 6)
wait_for 10 running "$busy"
head=$(job games 5 60 1)
long=$(job mail 1 120 2)
short=$(job man 1 120 1)
wait_for 5 running "$short"
wait_for 30 queue_empty
check "the short candidate starts before the busy nodes are free" \
    "$(completed "$short" StartTime)" -lt "$(completed "$busy" EndTime)"
check "the long candidate waits for the head" "$(completed "$long" StartTime)" -ge "$(completed "$head" StartTime)"
check "the head starts when the nodes are free" \
    $(($(completed "$head" StartTime) - $(completed "$busy" EndTime))) -le 2
say "1: the long candidate waits, the short one starts"

# 2. Shadow: by limits the short candidate has to wait; the log says that it would have started.
parameters "$OURS,surefill_mode=shadow"
wait_for 5 logged 'mode shadow'
busy=$(job games 3 60 4)
wait_for 10 running "$busy"
head=$(job games 5 60 1)
short=$(job man 1 120 1)
wait_for 5 logged "shadow: JobId=$short would start now, ahead of JobId=$head"
wait_for 30 queue_empty
check "in the shadow nothing starts beyond limits" "$(completed "$short" StartTime)" -ge "$(completed "$head" StartTime)"
say "2: shadow mode reports and starts nothing"

# 3. A parameter that cannot be used: said once, limits only.
parameters "$OURS,surefill_later=soon"
wait_for 5 logged "'surefill_later=soon': wanted is one of .*; from here on only time limits count"
busy=$(job games 3 60 3)
wait_for 10 running "$busy"
head=$(job games 5 60 1)
short=$(job man 1 120 1)
wait_for 30 queue_empty
check "limits only: the short candidate waits" "$(completed "$short" StartTime)" -ge "$(completed "$head" StartTime)"
check "it was said once" "$(ctld_log | grep -c 'surefill_later=soon')" -eq 1
say "3: a wrong parameter means limits only"

# 4. Among jobs that the site ranks equally the short one starts before the long one, which was submitted first. Not so where an
# administrator has given the long one a priority.
whole_machine() { # SAVE: two jobs of all nodes behind another; sets long and short
    parameters "$OURS,surefill_save=$1"
    wait_for 5 logged "mode on, .* saved every $1 s"
    busy=$(job games 5 60 3)
    wait_for 10 running "$busy"
    long=$(job mail 5 120 1)
    short=$(job man 5 120 1)
}
whole_machine 58
wait_for 30 queue_empty
check "the short job is first" "$(completed "$short" StartTime)" -lt "$(completed "$long" StartTime)"
whole_machine 59
timeout 10 scontrol update JobId="$long" Priority=4294967000
wait_for 30 queue_empty
check "an administrator's priority counts" "$(completed "$long" StartTime)" -lt "$(completed "$short" StartTime)"
say "4: among jobs of one rank the short one starts first, unless the site says otherwise"
check_runs
