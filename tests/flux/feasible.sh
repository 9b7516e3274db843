#!/usr/bin/env bash
# Requests that can never run, by random shapes and constraints of every form, are the same as by Flux's own pool of resources.
# broker: --test-size=1
# shellcheck source=inside.sh
. "$(dirname "$0")/inside.sh"
flux module remove sched-simple
flux R encode -r0-5 -c0-7 -g0-1 -H 'n[0-5]' -p 'big:0-2' -p 'old:2-5' > one
flux R encode -r6-7 -c0-3 -H 'n[6-7]' -p 'small:6-7' > two
cat one two | flux R append > R
flux config load <<< '{"resource": {"noverify": true}}'
flux resource reload -f R
load
flux python "$tests/feasible.py" R 400 "${SEED:-1}" > compared || fail "$(tail -n 3 compared)"
echo "$name: $(cat compared)"
sham 0.1 -n1 > /dev/null
wait_for flux queue idle
close
