#!/usr/bin/env bash
# Every pending job gets a start, the jobs ahead and a reason, and the reported starts keep still. A second is a minute here.
# broker: --conf=fake-resources.nnodes=8 --conf=fake-resources.cores-per-node=8 --conf=fake-resources.gpus-per-node=2
# shellcheck source=inside.sh
. "$(dirname "$0")/inside.sh"
load scale=60
sham 900 -N8 -x -t 30m > blocker
wait_for runs "$(cat blocker)"
flux python "$tests/submit.py" 120 2 1 > submitted
sleep 2
lacking=$(flux jobs -c 0 --filter=pending -no '{id.f58} "{annotations.sched.t_estimate}" {annotations.sched.jobs_ahead} {annotations.sched.reason_pending}' |
    awk '$2 == "\"\"" || $3 == "" || $4 == ""')
[ -z "$lacking" ] || fail "an estimate, the jobs ahead or a reason is missing: $lacking"
[ "$(flux jobs -c 0 --filter=pending -no '{id}' | wc -l)" = 120 ] || fail "not all wait"
shown=$(flux jobs --filter=pending -no '{contextual_info}' | head -n 1)
[[ "$shown" == eta:* ]] || fail "flux jobs shows '$shown'"
flux cancel "$(cat blocker)"
# Its room is free, and the estimates are those without it.
flux job wait-event "$(cat blocker)" clean > /dev/null
sleep 0.5
flux python "$tests/watch.py" > watched || fail "$(cat watched)"
echo "estimates: $(cat watched)"
close
