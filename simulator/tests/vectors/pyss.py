#!/usr/bin/env python2
"""Writes pyss.json: when each job starts in pyss, the Python scheduler simulator of the Hebrew University's parallel systems
laboratory, on workloads that this script draws.

    python2 simulator/tests/vectors/pyss.py FOLDER/src > simulator/tests/vectors/pyss.json

FOLDER is a copy of pyss (https://github.com/dinesh121991/pyss), which is a program for Python 2.

Submissions are in seconds of their own, and run times are such that hardly two events share one: pyss makes a pass after every
event, this project's simulator after every second with events.
"""
import json
import random
import sys

sys.path.insert(0, sys.argv[1])
from base.prototype import Job  # noqa: E402
from schedulers.conservative_scheduler import ConservativeScheduler  # noqa: E402
from schedulers.easy_scheduler import EasyBackfillScheduler  # noqa: E402
from schedulers.easy_sjbf_scheduler import EasySJBFScheduler  # noqa: E402
from schedulers.fcfs_scheduler import FcfsScheduler  # noqa: E402
from schedulers.orig_probabilistic_easy_scheduler import OrigProbabilisticEasyScheduler  # noqa: E402
from schedulers.simulator import Simulator  # noqa: E402

PROCESSORS = 32
# Like the traces of the archive: users repeat themselves and ask for round times.
LIMITS = [900, 3600, 14400, 43200, 86400]


def workload(seed, count):
    draw = random.Random(seed)
    habits = [(draw.choice(LIMITS), draw.choice([1, 2, 4, 8, 16]), 0.05 + 0.6 * draw.random()) for _ in range(8)]
    now, jobs = 0, []
    for number in range(1, count + 1):
        now += 1 + int(draw.expovariate(1.0 / 1500))
        user = draw.randrange(len(habits))
        limit, processors, share = habits[user]
        run_time = max(1, min(limit, int(limit * share * draw.lognormvariate(0, 0.8))))
        if draw.random() < 0.1:
            processors = draw.randrange(1, PROCESSORS + 1)
        jobs.append([number, now, run_time, processors, limit, user])
    return jobs


def starts(jobs, scheduler):
    all_jobs = [
        Job(id=number, user_estimated_run_time=limit, actual_run_time=run_time, num_required_processors=processors,
            submit_time=submit, user_id=user)
        for number, submit, run_time, processors, limit, user in jobs
    ]
    Simulator(all_jobs, PROCESSORS, scheduler).run()
    return [job.start_to_run_at_time for job in all_jobs]


SCHEDULERS = [("fcfs", FcfsScheduler), ("easy", EasyBackfillScheduler), ("easy:limit:sjbf", EasySJBFScheduler)]
# Its conservative backfilling moves reservations up in the order of submission, this project's in the order of the
# reservations: they are the same where limits are the run times.
EXACT = SCHEDULERS + [("conservative", ConservativeScheduler)]
# Too slow for more: its own version of Nissimov and Feitelson 2007, with the threshold and the window it has by itself.
PROBABILISTIC = SCHEDULERS + [("probabilistic", OrigProbabilisticEasyScheduler)]


def case(jobs, schedulers):
    return {"jobs": jobs, "starts": dict((name, starts(jobs, kind(PROCESSORS))) for name, kind in schedulers)}


cases = [case(workload(seed, 400), PROBABILISTIC) for seed in range(1, 4)]
for seed in range(4, 7):
    exact = [[number, submit, run_time, processors, run_time, user]
             for number, submit, run_time, processors, _, user in workload(seed, 400)]
    cases.append(case(exact, EXACT))
json.dump({"processors": PROCESSORS, "fields": ["number", "submit", "run_time", "processors", "limit", "user"], "cases": cases},
          sys.stdout, sort_keys=True, separators=(",", ":"))
print("")
