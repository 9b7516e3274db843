#!/usr/bin/env bash
# More different constraints than the engine can tell apart: further jobs wait and say so, until one is free.
# broker: --conf=fake-resources.nnodes=8 --conf=fake-resources.cores-per-node=2
# shellcheck source=inside.sh
. "$(dirname "$0")/inside.sh"
load
blocker=$(sham 60 -N8 -x)
wait_for runs "$blocker"
flux python - << 'PYTHON' > ids
import flux
from flux.job import JobspecV1, submit

handle = flux.Flux()
for mask in range(1, 81):
    spec = JobspecV1.from_command(["true"], num_tasks=1)
    spec.setattr("system.constraints", {"ranks": [",".join(str(rank) for rank in range(8) if mask >> rank & 1)]})
    spec.setattr("system.exec.test.run_duration", "0.1s")
    spec.duration = 60
    print(submit(handle, spec).f58)
PYTHON
last=$(tail -n 1 ids)
wait_for says "$last" 'more than 63 different constraints'
says "$(head -n 1 ids)" 'insufficient resources' || fail "the reason of the first job is '$(annotation "$(head -n 1 ids)" reason_pending)'"
flux cancel "$blocker"
wait_for flux queue idle
[ "$(flux jobs -c 0 -ano '{status_abbrev}' | sort | uniq -c | xargs)" = '1 CA 80 CD' ] || fail "not all have run"
close
