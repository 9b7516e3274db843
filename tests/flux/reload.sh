#!/usr/bin/env bash
# The scheduler is reloaded with running and pending jobs: nothing is lost, what was learnt stays.
# broker: --conf=fake-resources.nnodes=4 --conf=fake-resources.cores-per-node=4 --conf=fake-resources.gpus-per-node=2
# shellcheck source=inside.sh
. "$(dirname "$0")/inside.sh"
load state="$PWD/state"
for _ in 1 2 3; do sham 0.1 -n1; done > /dev/null
wait_for flux queue idle
running=$(sham 600 -N2 -n4 -c2 -g1 -t 1h)
parts=$(sham 600 -n5 -t 1h --requires=rank:2-3)
other=$(sham 600 -n1 -t 1h --requires=rank:2-3)
for job in "$running" "$parts" "$other"; do wait_for runs "$job"; done
wide=$(sham 0.5 -N4 -x -t 1m)
wait_for has_annotation "$wide" t_estimate
estimate=$(annotation "$wide" t_estimate)

flux module remove sched-surefill
[ -s state ] || fail "there is no state file"
meanwhile=$(sham 0.1 -n1 -t 1m)
flux cancel "$other"
load state="$PWD/state"
wait_for flux job wait-event "$meanwhile" finish
[ "$(stat engine.surprises)" = 0 ] || fail "$(stat engine.surprises) surprises"
[ "$(stat engine.ended)" -ge 4 ] || fail "what was learnt is lost"
for job in "$running" "$parts"; do runs "$job" || fail "$job is $(state "$job")"; done
wait_for has_annotation "$wide" t_estimate
moved=$(flux python -c "print(int(abs($(annotation "$wide" t_estimate) - $estimate)))")
# Estimates of before are not remembered: the new one may be another by the quarter by which one may be wrong, and more.
[ "$moved" -le 1800 ] || fail "the estimated start moved by $moved s"

# Each of the two schedulers goes on from the other's state file.
for module in "$SUREFILL_FLUX/sched-surefill.py" "$SUREFILL_C" "$SUREFILL_MODULE"; do
    flux module remove sched-surefill
    load state="$PWD/state"
    [ ! -e state.refused ] || fail "$module refuses the other's state file"
    [ "$(stat engine.ended)" -ge 4 ] || fail "$module lost what the other has learnt"
    [ "$(stat engine.surprises)" = 0 ] || fail "$(stat engine.surprises) surprises"
done

# A damaged state file is set aside.
flux module remove sched-surefill
echo nonsense > state
load state="$PWD/state"
[ -e state.refused ] || fail "the damaged state file is not kept"
grep -q 'starting without what was learnt' <<< "$(flux dmesg)" || fail "nothing is said of the damaged state file"
wait_for has_annotation "$wide" t_estimate

# Wrong words are refused when the module is loaded; the broker's standard error names them.
flux module remove sched-surefill
! flux module load "$module" preset=quick || fail "preset=quick was taken"
flux dmesg -C
load
flux cancel "$running" "$parts"
wait_for flux job wait-event "$wide" finish
close
