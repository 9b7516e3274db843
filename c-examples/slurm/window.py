"""The two halves of window.sh that are reckoned: the jobs of a window, and how long they waited.

    window.py jobs TRACE FIRST HOURS PROCESSORS FACTOR SCALE FOLDER    writes stream, history and passwd into FOLDER
    window.py report FOLDER WAY HOURS PROCESSORS FACTOR RANKED     reads counted and times as well; RANKED: 1 for points"""

import datetime
import gzip
import math
import statistics
import sys

HALF_LIFE = 7 * 86400  # seconds, of past use in a user's share
POINTS = 100000  # of the share; of seven days of age
BASE = 300000  # of the partition, so that no priority ends at its least
LEARNT = 5000  # jobs before the window
WEEK = 7 * 86400
LATER = 30  # minutes that jobs from before the window have beyond what is left of their limits


def jobs_of(trace, processors, scale):
    """Jobs that ran: submission, wait, run time, width, minutes of limit, user, program; by submission. With a scale, the
    trace's own processors, widths are in proportion to them, at least 1."""
    jobs = []
    for line in gzip.open(trace, "rt"):
        field = line.split()
        if line.startswith(";") or len(field) < 18:
            continue
        submit, wait, run, used, asked, limit, user, program = (int(float(field[i])) for i in (1, 2, 3, 4, 7, 8, 11, 13))
        width = used if used > 0 else asked
        if scale and width > 0:
            width = max(round(width * processors / scale), 1)
        if run <= 0 or width <= 0 or limit <= 0 or width > processors:
            continue
        minutes = math.ceil(limit / 60)
        jobs.append((submit, max(wait, 0), min(run, 60 * minutes - 1), width, minutes, max(user, 0), max(program, 0)))
    return sorted(jobs, key=lambda job: job[0])


def shares(jobs, begin):
    """Each user's factor from 0 to 1 at that time, 2 ** -(share of the use / equal share), as Slurm's without a tree."""
    used = {}
    for submit, wait, run, width, _, user, _ in jobs:
        start = submit + wait
        ran = min(run, begin - start)
        if ran > 0:
            used[user] = used.get(user, 0) + ran * width * 2 ** -((begin - start - ran) / HALF_LIFE)
    whole = sum(used.values()) or 1
    return {job[5]: 2 ** -(used.get(job[5], 0) / whole * len(used)) for job in jobs}


def write_jobs(trace, first, hours, processors, factor, scale, folder):
    """One line a job to submit: when, in microseconds of our clock, user, width, minutes of limit, seconds of our clock, name,
    nice, counted or not, points of its user's share."""
    jobs = jobs_of(trace, processors, scale)
    begin = jobs[first][0]
    share = shares(jobs, begin)
    stream = []
    for submit, wait, run, width, minutes, user, program in jobs:
        start, age = submit + wait, max(begin - submit - wait, 0)
        if submit >= begin + 3600 * hours:
            break
        if submit < begin and start + run <= begin:
            continue
        second = max(submit - begin, 0)
        key = (second, 0 if start < begin else 1, submit)
        points = round(POINTS * share[user])
        waited = round(POINTS * min(begin - submit, WEEK) / WEEK) if submit < begin else 0
        nice = 2 * POINTS - points - waited
        counted = int(submit >= begin)
        left = minutes if counted else max(minutes - age // 60, 1) + LATER
        line = f"{1000000 * second // factor} {30000 + user} {width} {left} {(run - age) / factor:.3f} job{program}"
        stream.append((key, f"{line} {nice} {counted} {points}"))
    with open(f"{folder}/stream", "w") as file:
        file.writelines(line + "\n" for _, line in sorted(stream))
    ended = sorted((job for job in jobs if sum(job[:3]) <= begin), key=lambda job: sum(job[:3]))
    with open(f"{folder}/history", "w") as file:
        for submit, wait, run, width, minutes, user, program in ended[-LEARNT:]:
            file.write(f"{submit + wait + run} {30000 + user} {width} {60 * minutes} {run} {wait}\n")
    with open("/etc/passwd") as known, open(f"{folder}/passwd", "w") as file:
        file.write(known.read())
        for user in sorted({job[5] for job in jobs}):
            file.write(f"trace{user}:x:{30000 + user}:65534::/:/bin/sh\n")


def moment(text):
    """A time of Slurm's in seconds."""
    return datetime.datetime.fromisoformat(text).timestamp()


def report(folder, way, hours, processors, factor, ranked):
    """Prints the waits of the window's jobs in hours; of those that still wait, what they have waited by then."""
    counted = {}
    with open(f"{folder}/counted") as file:
        for line in file:
            number, width, seconds, points, late = line.split()
            counted[number] = (int(width), float(seconds) * factor, int(points), int(late) * factor / 1e6)
    with open(f"{folder}/times") as file:
        jobs = [line.split() for line in file]
    begin = min(moment(submit) for number, submit, _ in jobs if number in counted)
    horizon = begin + 7200 * hours
    rows, waiting = {}, 0
    for number, submit, start in jobs:
        if number in counted:
            started = start != "waits" and moment(start) <= horizon
            waiting += number not in rows and not started
            end = moment(start) if started else horizon
            rows[number] = (max(end - moment(submit), 0) / 3600, *counted[number], started)
    every = sorted(rows.values())
    waits = [row[0] for row in every]

    def part(name, some):
        some = list(some)
        left = sum(not row[5] for row in some)
        return f"{name} ({len(some)}) {statistics.mean(row[0] for row in some):.2f}, {left} waiting" if some else f"{name} (0)"

    weight = sum(row[1] * row[2] for row in every)
    said = [
        f"{way}: {len(every)} of {len(counted)} jobs, {waiting} still waiting; hours: mean {statistics.mean(waits):.2f}",
        f"median {statistics.median(waits):.2f}",
        f".9 quantile {waits[int(0.9 * (len(waits) - 1))]:.2f}",
        f"by node-hours {sum(row[0] * row[1] * row[2] for row in every) / weight:.2f}",
        part("wide", (row for row in every if 8 * row[1] >= processors)),
        part("to an hour", (row for row in every if row[2] <= 3600)),
        part("longer", (row for row in every if row[2] > 3600)),
    ]
    if ranked:
        ranks = sorted(every, key=lambda row: (row[3], row[0]))
        for i in range(4):
            some = ranks[i * len(ranks) // 4 : (i + 1) * len(ranks) // 4]
            said.append(part(f"quarter {i + 1} of shares", some))
    print("; ".join(said) + f"; submitted at most {max(row[4] for row in every):.0f} s late")


if sys.argv[1] == "jobs":
    write_jobs(sys.argv[2], *(int(word) for word in sys.argv[3:8]), sys.argv[8])
else:
    report(sys.argv[2], sys.argv[3], *(int(word) for word in sys.argv[4:7]), sys.argv[7] == "1")
