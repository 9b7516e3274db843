#!/usr/bin/env bash
# Jobs of every shape run, alone on their nodes where they ask for it; what cannot be expressed is denied with its reason.
# broker: --conf=fake-resources.nnodes=4 --conf=fake-resources.cores-per-node=8 --conf=fake-resources.gpus-per-node=2
# shellcheck source=inside.sh
. "$(dirname "$0")/inside.sh"
load

for ask in -N1 '-N2 -n4' '-N4 -n4 -c8' -n1 '-n32' '-n3 -c3' '-n2 -g1' '-N2 -n2 -c4 -g2' '-N1 -x' '-N3 -n6 -x' '-N2 -n2 -g1 -x' \
    '-n4 -t0' '--requires=rank:2' '--requires=-rank:0-2' '--requires=rank:0|rank:3 -n16' '--requires=rank:1'; do
    # shellcheck disable=SC2086
    sham 0.1 $ask -t 1m > /dev/null
done
wait_for flux queue idle
[ "$(flux jobs -ano '{status_abbrev}' | sort | uniq -c | xargs)" = '16 CD' ] || fail "not all have completed"

denied() { # TEXT ARGUMENT...
    local text=$1 job
    shift
    job=$(sham 0.1 "$@")
    wait_for flux job wait-event "$job" exception
    [[ $(field "$job" exception.note) == *"$text"* ]] || fail "denied with '$(field "$job" exception.note)', not '$text'"
}
denied 'unsatisfiable' -N5
denied 'unsatisfiable' -n1 -c9
denied 'unsatisfiable' -N4 -n4 -g3
denied 'unsatisfiable' -N1 -n2 -c5 -x
denied 'unsatisfiable' --requires=rank:1 -N2


# By the text of the jobspec: what flux submit has no words for. Its validator is asked to let that pass.
flux module reload -f job-ingest disable-validator
shaped() { # JQ PROGRAM IN PYTHON
    flux submit --dry-run --setattr=system.exec.test.run_duration=0.1s -N1 true |
        flux python -c "import json, sys; spec = json.load(sys.stdin); r = spec['resources']; $1; print(json.dumps(spec))" | flux job submit
}
job=$(shaped "r[0]['with'][0]['with'].append({'type': 'memory', 'count': 4})")
wait_for flux job wait-event "$job" exception
[[ $(field "$job" exception.note) == *"resource type 'memory' is not supported"* ]] || fail "memory: $(field "$job" exception.note)"
job=$(shaped "r.append(dict(r[0]))")
wait_for flux job wait-event "$job" exception
[[ $(field "$job" exception.note) == *'several different'* ]] || fail "two kinds of nodes: $(field "$job" exception.note)"
job=$(shaped "r[0]['count'] = '2,4'")
wait_for flux job wait-event "$job" exception
[[ $(field "$job" exception.note) == *'discrete'* ]] || fail "two or four nodes: $(field "$job" exception.note)"
# The least number of a range is enough.
job=$(shaped "r[0]['count'] = {'min': 2, 'max': 4, 'operator': '+', 'operand': 1}")
wait_for flux job wait-event "$job" finish
# The same by asking before submitting.
if flux submit --dry-run -N5 true | flux python -c 'import flux, json, sys
flux.Flux().rpc("feasibility.check", {"jobspec": json.load(sys.stdin)}).get()' 2> feasible.out; then fail "-N5 is feasible"; fi
grep -q unsatisfiable feasible.out || fail "$(tail -n 1 feasible.out)"

# Two jobs share a node, a third that wants to be alone waits for both.
one=$(sham 30 -n3 --requires=rank:0)
two=$(sham 30 -n5 --requires=rank:0)
alone=$(sham 30 -N1 -x --requires=rank:0)
wait_for runs "$one"
wait_for runs "$two"
wait_for has_annotation "$alone" reason_pending
waits "$alone" || fail "$alone is not alone"
flux cancel "$one" "$two"
wait_for runs "$alone"
close
