# SPDX-License-Identifier: MIT OR Apache-2.0
"""Watches the estimated starts of pending jobs until none is left, and how their starts came; fails where estimates jump.

    flux python watch.py [SECONDS]      between two looks (0.25)
"""

import statistics
import sys
import time

import flux
from flux.job import JobList


def look(handle, **which):
    return JobList(handle, max_entries=0, user="all", **which).jobs()


def main():
    handle, estimated, between = flux.Flux(), {}, float(sys.argv[1]) if len(sys.argv) > 1 else 0.25
    begun = time.time()
    while True:
        pending = list(look(handle, filters=["pending"]))
        for job in pending:
            estimate = job.annotations.sched.t_estimate
            if isinstance(estimate, float):
                estimated.setdefault(job.id, []).append((time.time(), estimate))
        if not pending or time.time() > begun + 600:
            break
        time.sleep(between)
    starts = {job.id: job.t_run for job in look(handle, filters=["running", "inactive"]) if job.t_run}
    span = max(starts.values()) - begun
    first = [abs(estimates[0][1] - starts[job]) for job, estimates in estimated.items() if job in starts]
    wait = [starts[job] - estimates[0][0] for job, estimates in estimated.items() if job in starts]
    changes, moves = [], []
    for estimates in estimated.values():
        moved = [abs(new - old) for (_, old), (_, new) in zip(estimates, estimates[1:]) if abs(new - old) > 0.001]
        changes.append(len(moved))
        moves += moved
    print(
        f"{len(estimated)} jobs had an estimated start; {statistics.mean(changes):.1f} changes each, {max(changes)} at most,"
        f" the largest by {max(moves, default=0):.1f} s of {span:.1f} s; the first estimate was wrong by"
        f" {statistics.mean(first):.1f} s in the mean ({statistics.mean(wait):.1f} s of waiting)"
    )
    # Before anything has ended only limits are known, and these are up to ten times the run times.
    return max(moves, default=0) > 3 * span or statistics.mean(changes) > 12


sys.exit(main())
