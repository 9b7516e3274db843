# SPDX-License-Identifier: MIT OR Apache-2.0
"""Submits sham jobs of random shapes, to nodes of 8 cores and 2 GPUs: flux python submit.py JOBS SEED SECONDS"""

import random
import sys
import time

import flux
from flux.job import JobspecV1, submit

count, seed, over = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
draw, handle = random.Random(seed), flux.Flux()
for number in range(count):
    nodes = draw.choice((None, None, 1, 1, 2, 3, 4))
    tasks = draw.randint(1, 6) if nodes is None else nodes * draw.randint(1, 2)
    spec = JobspecV1.from_command(
        ["true"],
        num_tasks=tasks,
        cores_per_task=draw.choice((1, 1, 2, 3)),
        gpus_per_task=draw.choice((0, 0, 0, 1)),
        num_nodes=nodes,
        exclusive=nodes is not None and draw.random() < 0.3,
    )
    run = draw.choice((0.05, 0.1, 0.3, 0.5, 1.0, 2.0))
    spec.duration = max(draw.choice((1.5, 3, 10)) * run, 1)
    spec.setattr("system.exec.test.run_duration", f"{run}s")
    if draw.random() < 0.2:
        spec.setattr("system.constraints", {"ranks": [draw.choice(("0-3", "2-7", "1,3,5,7"))]})
    print(submit(handle, spec, urgency=draw.choice((16, 16, 16, 16, 20))).f58)
    time.sleep(over / count)
