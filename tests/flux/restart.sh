#!/usr/bin/env bash
# The whole instance is restarted from its state directory, with running and pending jobs. It has this scheduler from the beginning.
# Then another one, of fewer nodes, goes on from the same state file.
# broker: --test-size=1
part=${1:-}
if [ -z "$part" ]; then
    set -euo pipefail
    export FLUX_DISABLE_JOB_CLEANUP=t
    mkdir -p state records etc/modprobe.d
    sed "s|^module = .*|module = \"$SUREFILL_MODULE\"|; s|^args = .*|args = [\"tell=0.2\", \"state=$PWD/state/surefill\", \"record=$PWD/records\"]|" \
        "$SUREFILL_FLUX/sched-surefill.toml" > etc/modprobe.d/sched-surefill.toml
    export FLUX_MODPROBE_PATH_APPEND=$PWD/etc
    for part in before after; do
        flux start --conf=fake-resources.nnodes=4 --conf=fake-resources.cores-per-node=4 -Sstatedir="$PWD/state" bash "$0" $part
    done
    exec flux start --conf=fake-resources.nnodes=2 --conf=fake-resources.cores-per-node=4 bash "$0" fewer
fi
# shellcheck source=inside.sh
. "$(dirname "$0")/inside.sh"
! grep sched-simple <<< "$(flux module list)" || fail "the configured scheduler is not there"
flux jobtap load alloc-check.so
if [ "$part" = before ]; then
    sham 600 -N3 -x -t 30m > running
    wait_for runs "$(cat running)"
    sham 0.2 -N4 -x -t 1m > wide
    sham 0.2 -N2 -x -t 2h > behind
    wait_for has_annotation "$(cat wide)" t_estimate
    wait_for has_annotation "$(cat behind)" t_estimate
    annotation "$(cat wide)" t_estimate > estimate
    exit 0
fi
if [ "$part" = fewer ]; then
    [ "$(stat engine.ended)" -ge 3 ] || fail "what was learnt is lost"
    for ask in '-N2 -x' '-N1 -n4' '-n8'; do
        # shellcheck disable=SC2086
        flux job wait-event "$(sham 0.1 $ask)" finish > /dev/null
    done
    close
    exit 0
fi
wide=$(cat wide) behind=$(cat behind)
wait_for has_annotation "$wide" t_estimate
wait_for has_annotation "$behind" reason_pending
runs "$(cat running)" || fail "the running job is $(state "$(cat running)")"
moved=$(flux python -c "print(int(abs($(annotation "$wide" t_estimate) - $(cat estimate))))")
# Estimates of before are not remembered: the new one may be another by the quarter by which one may be wrong, and more.
[ "$moved" -le 1800 ] || fail "the estimated start moved by $moved s"
flux cancel "$(cat running)"
wait_for flux job wait-event "$wide" finish
wait_for flux job wait-event "$behind" finish
close
