#!/usr/bin/env bash
# Cancellations, urgencies, time limits of pending and of running jobs, a stopped queue.
# broker: --conf=fake-resources.nnodes=2 --conf=fake-resources.cores-per-node=4
# shellcheck source=inside.sh
. "$(dirname "$0")/inside.sh"
load
full=$(sham 600 -N2 -x -t 20m)
wait_for runs "$full"
one=$(sham 1 -N2 -x -t 1m)
two=$(sham 1 -N2 -x -t 1m)
three=$(sham 1 -N2 -x -t 1m)
for job in "$one" "$two" "$three"; do wait_for has_annotation "$job" t_estimate; done

# A cancelled job is not pending for the scheduler any more, and gets no report.
flux cancel "$one"
wait_for test "$(state "$one")" = CA
[ -z "$(annotation "$one" reason_pending)" ] || fail "the cancelled job has '$(annotation "$one" reason_pending)'"
wait_for test "$(stat pending_jobs)" = 2

# A higher urgency comes first.
flux job urgency "$three" 20
first() { [ "$(annotation "$1" jobs_ahead)" = 0 ]; }
wait_for first "$three"

# The limit of a running job: the start of the one behind it follows.
remote=$(annotation "$three" t_estimate)
flux update "$full" duration=40m
later() { [ "$(flux python -c "print($(annotation "$three" t_estimate) > $remote + 900)")" = True ]; }
wait_for later
flux update "$full" duration=2m
earlier() { [ "$(flux python -c "print($(annotation "$three" t_estimate) < $remote - 900)")" = True ]; }
wait_for earlier

# That of a pending one: Flux takes it back and asks again.
flux update "$two" duration=5m
wait_for has_annotation "$two" reason_pending

# A stopped queue takes its jobs back; they wait, and are asked for again.
flux queue stop --quiet
wait_for test "$(stat pending_jobs)" = 0
[ -z "$(annotation "$two" t_estimate)" ] || fail "in a stopped queue a start is predicted"
flux queue start --quiet
wait_for has_annotation "$two" t_estimate
flux cancel "$full"
wait_for flux job wait-event "$three" alloc
wait_for flux job wait-event "$two" alloc
before() { [ "$(flux python -c "print($(field "$1" t_run) < $(field "$2" t_run))")" = True ]; }
wait_for flux queue idle
before "$three" "$two" || fail "the urgent job did not start first"
# The engine has counted every event: three ran, one was withdrawn for good, others came back.
[ "$(stat engine.ended)" = 3 ] || fail "$(stat engine.ended) jobs ended"
[ "$(stat engine.surprises)" = 0 ] || fail "$(stat engine.surprises) surprises"
close
