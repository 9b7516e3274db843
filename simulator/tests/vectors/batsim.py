#!/usr/bin/env python3
"""Writes batsim.json: when each job starts in Batsim (https://github.com/oar-team/batsim), the simulator of the OAR
team, under the policies of its scheduler batsched (https://github.com/oar-team/batsched), on workloads that this script
draws.

    simulator/tests/vectors/batsim.py BATSIM BATSCHED > simulator/tests/vectors/batsim.json

BATSIM and BATSCHED are the two programs: the committed vectors are those of Batsim 4.2.0 and of batsched at its commit
bab23fa, which follows its release 1.4.0. They speak over a socket in a temporary folder. Batsim tells its scheduler of
all events of a second at once, as this project's simulator makes one pass a second.
"""
import csv
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile

HOSTS = 32
JOBS = 200
LOAD = 0.95
CASES = 4
LIMITS = [900, 3600, 14400, 43200, 86400]
# By this project's name of a policy: batsched's variant and order of the queue.
POLICIES = {
    "fcfs": ["fcfs"],
    "easy": ["easy_bf"],
    "easy:limit:sjf": ["easy_bf", "-o", "asc_walltime"],
    "conservative": ["conservative_bf"],
}


def platform():
    """Hosts without any network between them: nothing but run times takes time."""
    names = ["master_host"] + [f"host{number:02}" for number in range(HOSTS)]
    hosts = "".join(f'<host id="{name}" coordinates="0 0 0" speed="1Gf"/>' for name in names)
    return ('<?xml version="1.0"?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">'
            f'<platform version="4.1"><zone id="all" routing="Vivaldi">{hosts}</zone></platform>')


def draw_jobs(seed, narrow, exact):
    """Submission, run time, processors, limit, user. Narrow: one host or all of them. Exact: limits are the run times.
    With every other seed times are whole five minutes, so that events meet. The jobs ask for nearly as much as the
    machine has."""
    draw = random.Random(seed)
    unit = 1 if seed % 2 else 300
    habits = [(draw.choice(LIMITS), draw.choice([1, 2, 4, 8, 16]), 0.05 + 0.6 * draw.random()) for _ in range(8)]
    asked = []
    for _ in range(JOBS):
        user = draw.randrange(len(habits))
        limit, processors, share = habits[user]
        run_time = min(limit, unit * (1 + int(limit * share * draw.lognormvariate(0, 0.8) / unit)))
        wide = draw.random() < 0.1
        if narrow:
            processors = HOSTS if wide and limit < 43200 else 1
        elif wide:
            processors = draw.randrange(1, HOSTS + 1)
        asked.append((run_time, processors, run_time if exact else limit, user))
    gap = sum(run_time * processors for run_time, processors, _, _ in asked) / JOBS / HOSTS / LOAD
    now, jobs = 0, []
    for job in asked:
        now += unit * int(draw.expovariate(1 / gap) / unit)
        jobs.append((now, *job))
    return jobs


def starts(batsim, batsched, folder, jobs, options):
    keys = ["id", "subtime", "profile", "res", "walltime"]
    rows = [(f"{number:04}", submit, str(run_time), processors, limit)
            for number, (submit, run_time, processors, limit, _) in enumerate(jobs)]
    workload = {
        "nb_res": HOSTS,
        "jobs": [dict(zip(keys, row)) for row in rows],
        "profiles": {str(job[1]): {"type": "delay", "delay": job[1]} for job in jobs},
    }
    files = {name: os.path.join(folder, name) for name in ["platform.xml", "workload.json", "socket", "out"]}
    with open(files["workload.json"], "w") as file:
        json.dump(workload, file)
    address = "ipc://" + files["socket"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    # By itself it expects jobs to end 5 s after their limits.
    scheduler = subprocess.Popen([batsched, "-s", address, "-d", "0", "--verbosity", "silent", "-v", *options], **quiet)
    try:
        subprocess.run([batsim, "-p", files["platform.xml"], "-w", files["workload.json"], "-s", address, "-e",
                        files["out"], "-q", "--disable-schedule-tracing", "--disable-machine-state-tracing"],
                       check=True, timeout=60, **quiet)
    finally:
        scheduler.kill()
        scheduler.wait()
    with open(files["out"] + "_jobs.csv") as file:
        started = {int(row["job_id"]): float(row["starting_time"]) for row in csv.DictReader(file)}
    times = [started[number] for number in range(len(jobs))]
    assert all(time == int(time) for time in times), "starts are whole seconds"
    return [int(time) for time in times]


def main():
    batsim, batsched = sys.argv[1:3]
    cases = []
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "platform.xml"), "w") as file:
            file.write(platform())
        for narrow, exact in itertools.product([False, True], repeat=2):
            for seed in range(1, CASES + 1):
                jobs = draw_jobs(seed, narrow, exact)
                begun = {name: starts(batsim, batsched, folder, jobs, options) for name, options in POLICIES.items()}
                waits = {name: [start - job[0] for start, job in zip(found, jobs)] for name, found in begun.items()}
                cases.append({"jobs": jobs, "waits": waits})
    fields = ["submit", "run_time", "processors", "limit", "user"]
    vectors = {"processors": HOSTS, "fields": fields, "cases": cases}
    json.dump(vectors, sys.stdout, sort_keys=True, separators=(",", ":"))
    print()


main()
