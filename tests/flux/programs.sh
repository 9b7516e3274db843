#!/usr/bin/env bash
# Jobs that run programs, on the machine's real resources; nodes that housekeeping gives back one by one.
# broker: --test-size=3
# shellcheck source=inside.sh
. "$(dirname "$0")/inside.sh"
load
[ "$(flux run -N3 -n3 sh -c 'echo $FLUX_TASK_RANK' | sort | xargs)" = '0 1 2' ] || fail "not three tasks"
[ "$(flux run -n1 --requires=rank:2 flux getattr rank)" = 2 ] || fail "not on rank 2"
! flux run -n1 -t 1s sleep 30 2> timeout.out || fail "a job outlived its limit"
grep -q timeout timeout.out || fail "$(cat timeout.out)"
flux alloc -N1 -n1 flux run -n1 true || fail "no instance within the instance"
wait_for flux queue idle

flux config load << 'TOML'
[job-manager.housekeeping]
command = ["sh", "-c", "test $(flux getattr rank) = 0 || sleep 5"]
release-after = "0s"
TOML
job=$(flux submit -N3 -x true)
wait_for flux job wait-event "$job" finish
next=$(flux submit -N1 -x sleep 1)
behind=$(flux submit -N3 -x true)
flux job wait-event "$next" alloc > /dev/null
[ -n "$(flux housekeeping list -no '{id}')" ] || fail "housekeeping is over already"
grep -q '^rank0/' <<< "$(ranks "$next")" || fail "it got $(ranks "$next")"
wait_for flux job wait-event "$behind" finish
flux config load <<< ''
wait_for test "$(stat engine.surprises)" = 0
close
