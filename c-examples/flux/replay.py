# SPDX-License-Identifier: MIT OR Apache-2.0
"""Submits the jobs of a trace to the Flux instance that it runs in, in a shorter time, and prints their waits and the
errors of their reported starts.

    flux python replay.py TRACE.swf[.gz] [FIRST+]JOBS FACTOR      see replay.sh
"""

import bisect
import gzip
import statistics
import sys
import time

import flux
from flux.job import JobList, JobspecV1, submit


def jobs_of(path, first, most):
    """Submission, run time, width, limit and user of so many jobs that ran, behind the first ones."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as lines:
        for line in lines:
            if line.startswith(";") or most == 0:
                continue
            number = [int(float(word)) for word in line.split()]
            run, width = number[3], number[7] if number[7] > 0 else number[4]
            limit = max(number[8], run)
            if run > 0 and width > 0:
                first -= 1
                if first >= 0:
                    continue
                most -= 1
                yield number[1], run, width, limit, number[11]


class Replay:
    """The jobs' instants of submission, and the annotations of each with their times."""

    def __init__(self, factor):
        self.handle, self.factor, self.reported, self.widths = flux.Flux(), factor, {}, {}

    def submit(self, run, width, limit, user):
        spec = JobspecV1.from_command(["true"], num_tasks=width)
        # Flux itself needs some hundredths of a second around a job, on a busy machine more.
        spec.duration = limit / self.factor + 1
        spec.setattr("system.job.name", f"user{user}")
        spec.setattr("system.exec.test.run_duration", f"{run / self.factor:.4f}s")
        self.widths[int(submit(self.handle, spec))] = width, run

    def look(self):
        now, pending = time.time(), 0
        for job in JobList(self.handle, max_entries=0, filters=["pending"]).jobs():
            pending += 1
            estimate = job.annotations.sched.t_estimate
            if isinstance(estimate, float):
                self.reported.setdefault(job.id, []).append((now, estimate))
        return pending

    def report(self):
        factor, begun, ended = self.factor, [], []
        waits, slowdowns, errors, biases, spans, moves, changes = [], [], [], [], [], [], []
        for job in JobList(self.handle, max_entries=0, filters=["inactive"]).jobs():
            width, run = self.widths[int(job.id)]
            wait = (job.t_run - job.t_submit) * factor
            waits.append(wait)
            slowdowns.append(max((wait + run) / max(run, 10), 1))
            begun.append(job.t_submit)
            ended.append(job.t_inactive)
            reported = self.reported.get(job.id, [])
            if reported:
                # In the trace's hours, of those that were looked at while they waited.
                errors.append(abs(reported[0][1] - job.t_run) * factor / 3600)
                biases.append((job.t_run - reported[0][1]) * factor / 3600)
                spans.append((job.t_run - reported[0][0]) * factor / 3600)
                moved = [abs(b - a) * factor / 3600 for (_, a), (_, b) in zip(reported, reported[1:]) if abs(b - a) > 0.001]
                changes.append(len(moved))
                moves += moved
        waits.sort()

        def quantile(level):
            return waits[min(int(level * len(waits)), len(waits) - 1)]

        print(
            f"waits of {len(waits)} jobs: mean {statistics.mean(waits):.0f} s, median {quantile(0.5):.0f}, .9 quantile {quantile(0.9):.0f},"
            f" .99 quantile {quantile(0.99):.0f}, longest {waits[-1]:.0f}; mean bounded slowdown {statistics.mean(slowdowns):.1f};"
            f" {(max(ended) - min(begun)) * factor / 86400:.2f} days"
        )
        if errors:
            moves.sort()
            far = len(moves) - bisect.bisect(moves, 24)
            print(
                f"starts: {len(errors)} jobs had one reported while they waited ({statistics.mean(spans):.2f} h more in the mean); the first one was wrong by"
                f" {statistics.mean(errors):.2f} h in the mean, {statistics.median(errors):.2f} in the median, too early by {statistics.mean(biases):.2f};"
                f" changed {statistics.mean(changes):.1f} times, by {statistics.mean(moves or [0]):.2f} h in the mean, {far} times by more than a day"
            )


def main():
    path, factor = sys.argv[1], float(sys.argv[3])
    (*skip, most), replay = map(int, sys.argv[2].split("+")), Replay(factor)
    first, begun, looked = None, time.time(), 0.0
    for submitted, *job in jobs_of(path, sum(skip), most):
        first = submitted if first is None else first
        due = begun + (submitted - first) / factor
        while time.time() < due:
            if time.time() > looked + 1:
                replay.look()
                looked = time.time()
            time.sleep(min(max(due - time.time(), 0), 0.2))
        replay.submit(*job)
    while replay.look():
        time.sleep(1)
    while any(True for _ in JobList(replay.handle, max_entries=1, filters=["running"]).jobs()):
        time.sleep(1)
    replay.report()


main()
