#!/usr/bin/env bash
# A job that fits beside a wide one that waits starts before it, unless it would keep it from its start.
# broker: --conf=fake-resources.nnodes=4 --conf=fake-resources.cores-per-node=4
# shellcheck source=inside.sh
. "$(dirname "$0")/inside.sh"
load preset=easy
long=$(sham 60 -N3 -x -t 2m)
wait_for runs "$long"
wide=$(sham 1 -N4 -x -t 1m)
wait_for has_annotation "$wide" reason_pending
late=$(sham 1 -N1 -x -t 10m)
short=$(sham 1 -N1 -x -t 1m)
endless=$(sham 1 -N1 -x -t 0)
wait_for flux job wait-event "$short" alloc
sleep 0.5
waits "$wide" || fail "the wide job is $(state "$wide")"
waits "$late" || fail "a job of ten minutes started before the wide one that is due in two"
waits "$endless" || fail "a job without a limit started before the wide one"
wait_for has_annotation "$late" reason_pending
says "$late" 'insufficient resources' || fail "the reason is '$(annotation "$late" reason_pending)'"
flux cancel "$long"
wait_for flux job wait-event "$wide" finish
wait_for flux job wait-event "$late" finish
wait_for flux job wait-event "$endless" finish

# By what is known of run times the plan lets one pass that by its limit would be in the way.
flux module remove sched-surefill
load preset=fast
for _ in 1 2 3 4 5 6; do sham 0.2 -N1 -x -t 10m; done > /dev/null
wait_for flux queue idle
long=$(sham 60 -N3 -x -t 1m)
wait_for runs "$long"
wide=$(sham 1 -N4 -x -t 1m)
wait_for has_annotation "$wide" reason_pending
pass=$(sham 0.2 -N1 -x -t 10m)
wait_for flux job wait-event "$pass" finish
waits "$wide" || fail "the wide job is $(state "$wide")"
flux cancel "$long" "$wide"
close
