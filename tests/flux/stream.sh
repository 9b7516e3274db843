#!/usr/bin/env bash
# Three hundred jobs of every shape in half a minute, with cancellations, drained nodes and two reloads of the scheduler: each ends once.
# broker: --test-size=8 --test-exit-timeout=60
# shellcheck source=inside.sh
. "$(dirname "$0")/inside.sh"
flux module remove sched-simple
flux R encode -r0-7 -c0-7 -g0-1 -H 'n[0-7]' > R
flux config load <<< '{"resource": {"noverify": true}}'
flux resource reload R
load state="$PWD/state" scale=60
flux python "$tests/submit.py" 300 "${SEED:-1}" 25 > submitted &
submitting=$!
sleep 5
flux resource drain 6-7 || fail "6 and 7 are not drained"
sleep 5
flux module remove sched-surefill
sleep 1
load state="$PWD/state" scale=60
flux resource undrain 6-7
flux jobs --filter=pending -no '{id.f58}' | awk 'NR % 8 == 0' | xargs -r flux cancel
sleep 5
flux module reload "$module" tell=0.2 state="$PWD/state" scale=60
wait "$submitting" || fail "not all are submitted"
wait_for flux queue idle --timeout=10
ends=$(flux jobs -c 0 -ano '{status_abbrev}' | sort | uniq -c | xargs)
[[ "$ends" =~ ^([0-9]+\ CA\ )?[0-9]+\ CD$ ]] || fail "they ended as $ends"
[ "$(stat engine.surprises)" = 0 ] || fail "$(stat engine.surprises) surprises"
close
