#!/usr/bin/env bash
# Drained and lost nodes get no new job, and say so; properties, queues, and more constraints than the engine can distinguish.
# broker: --test-size=4 --test-exit-mode=leader --test-exit-timeout=0.25
# shellcheck source=inside.sh
. "$(dirname "$0")/inside.sh"
flux module remove sched-simple
flux R encode -r0-3 -c0-3 -H 'n[0-3]' -p 'big:0-1' -p 'old:1-3' > R
flux config load << 'TOML'
[resource]
noverify = true
[queues.large]
requires = ["big"]
[queues.rest]
requires = ["old"]
[policy.jobspec.defaults.system]
queue = "rest"
duration = "10m"
TOML
flux queue start --all --quiet
flux resource reload R
load
on() { ranks "$1" | grep -Eq "rank\[?$2"; } # JOB RANKS

one=$(sham 60 -N1 -x -q large)
wait_for runs "$one"
two=$(sham 60 -N1 -x -q large)
wait_for runs "$two"
three=$(sham 60 -N1 -x -q large)
rest=$(sham 60 -N1 -x)
wait_for runs "$rest"
on "$rest" '[23]/' || fail "the queue without big nodes got $(ranks "$rest")"
wait_for says "$three" 'insufficient resources'
sham 0.1 -N1 -q rest --requires=^big > /dev/null
flux cancel "$one" "$two" "$three" "$rest"
wait_for flux queue idle

# A drained node. Its job goes on.
stays=$(sham 60 -n1 --requires=rank:3)
wait_for runs "$stays"
flux resource drain 3 broken
for _ in 1 2 3 4; do sham 0.3 -N2 -x; done > drained
while read -r job; do
    flux job wait-event "$job" alloc > /dev/null
    ! on "$job" '[0-9,-]*3\]?/' || fail "$job got the drained node: $(ranks "$job")"
done < drained
all=$(sham 0.1 -N3 -x -q rest)
wait_for says "$all" 'down or drained'
runs "$stays" || fail "the job on the drained node is $(state "$stays")"
flux cancel "$stays"
flux resource undrain 3
wait_for flux job wait-event "$all" finish

# A broker is lost.
flux overlay disconnect 3
wait_for test "$(flux resource list -s all -no '{nnodes}' --include=0-2)" = 3
all=$(sham 0.1 -N3 -x -q rest)
sleep 1
state=$(state "$all")
case $state in
S) wait_for says "$all" 'down or drained' ;;
F) [[ $(field "$all" exception.note) == *unsatisfiable* ]] || fail "$(field "$all" exception.note)" ;; # the instance shrinks
*) fail "a job on a lost node is $state" ;;
esac
flux cancel "$all" 2> /dev/null || true
sham 0.1 -N2 -x -q rest > /dev/null
wait_for flux queue idle

close
