"""The two halves of history.sh that are reckoned: a stream of jobs, and what is to be said of the history that it became.

    history.py stream SEED JOBS HOURS LOAD FACTOR ORIGIN FOLDER    writes stream, intended and passwd into FOLDER
    history.py report FOLDER WAY FACTOR    reads intended, named and late there as well, and the record in FOLDER/kept"""

import collections
import datetime
import gzip
import json
import math
import random
import re
import statistics
import sys

NODES, CORES = 32, 8
LARGE = 24  # nodes, the first ones, with the more memory
SHORT = 240  # minutes that a job of the partition `short` may ask for
LONGEST = 600  # minutes of a run
GRID = (10, 15, 30, 60, 90, 120, 180, 240, 360, 480, 720, 1080, 1440)  # minutes that people ask for
ACTIVITY = (30, 19, 13, 9, 7, 6, 5, 4, 3, 2, 1.5, 0.5)  # of the users u01 to u12
WIDTHS = ((1, 40), (2, 16), (4, 17), (8, 14), (16, 7), (24, 1.5), (32, 3), (64, 1.2), (128, 0.3))
DAY = ((8, 0.5), (18, 1.3), (24, 0.8))  # until that hour of the day, how many jobs come beside the mean


def asked(minutes):
    """The least limit of those that people ask for."""
    return next((limit for limit in GRID if limit >= minutes), GRID[-1])


def pick(rng, pairs):
    return rng.choices([value for value, _ in pairs], [weight for _, weight in pairs])[0]


def program(rng):
    """What a user runs again and again: minutes in the median, their spread, widths, the limit out of habit, or none."""
    median = rng.lognormvariate(math.log(25), 0.9)
    widths = [pick(rng, WIDTHS) for _ in range(rng.choice((1, 1, 2)))]
    habit = asked(median * math.exp(rng.uniform(math.log(2), math.log(10)))) if rng.random() < 0.6 else None
    memory = rng.choice((None, None, None, 1000, 3000, 4500, 6000))  # MB a core
    return median, rng.uniform(0.4, 0.9), widths, habit, memory


def moments(rng, hours, start):
    """A moment of the stream, in seconds, more of them by day."""
    while True:
        hour = rng.uniform(0, hours)
        rate = next(rate for until, rate in DAY if (start + hour) % 24 < until)
        if rng.random() * 1.3 < rate:
            return 3600 * hour


def drawn(rng, jobs, hours, start):
    """Submissions: moment, user, widths, minutes that each task runs (a test is fixed), and what else its owner says."""
    programs = [[program(rng) for _ in range(3)] for _ in ACTIVITY]
    rows, tasks = [], 0
    while tasks < jobs:
        user = rng.choices(range(len(ACTIVITY)), ACTIVITY)[0]
        median, spread, widths, habit, memory = rng.choice(programs[user])
        moment = moments(rng, hours, start)
        # A few at a time, each some minutes after the last.
        for _ in range(min(1 + int(rng.expovariate(0.35)), 12)):
            if tasks >= jobs or moment >= 3600 * hours:
                break
            test = rng.random() < 0.1
            size = min(rng.randint(4, 12), jobs - tasks) if rng.random() < 0.06 and not test else 1
            if size > 1 or test:
                width = rng.choice((1, 1, 2, 4))
            else:
                width = rng.choice(widths)
            if test:
                runs = [rng.uniform(1.5, 6)]
            else:
                runs = [rng.lognormvariate(math.log(median), spread) for _ in range(size)]
            rows.append(
                {
                    "moment": moment,
                    "user": user,
                    "width": width,
                    "runs": runs,
                    "test": test,
                    "habit": habit,
                    "ratio": math.exp(rng.uniform(math.log(1.2), math.log(10))),
                    "fate": rng.random(),
                    "memory": memory,
                }
            )
            tasks += size
            moment += rng.expovariate(1 / 90)
    # Two jobs of the whole machine, in the first hours.
    for hour, row in ((1.5, 0), (5, 1)):
        rows.append(dict(rows[row], moment=3600 * hour, width=NODES * CORES, runs=[12], test=True, ratio=4, fate=0.5, memory=None))
    return sorted(rows, key=lambda row: row["moment"])


def stretch(rows, work):
    """All runs but tests are stretched alike until the whole has that many core-minutes."""

    def total(by):
        return sum(row["width"] * (run if row["test"] else min(max(run * by, 3), LONGEST)) for row in rows for run in row["runs"])

    low, high = 0.01, 100
    for _ in range(60):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if total(middle) < work else (low, middle)
    for row in rows:
        if not row["test"]:
            row["runs"] = [min(max(run * low, 3), LONGEST) for run in row["runs"]]


def shape(rng, row):
    """Words for sbatch that say which part of the machine, and the cores that are held."""
    width = row["width"]
    alone = rng.random() < 0.05 and width <= 2 * CORES
    if width <= CORES:
        words = ["-N", "1", "-n", str(width)]
    elif width == NODES * CORES or rng.random() < 0.5:
        words = ["-N", str(width // CORES), f"--ntasks-per-node={CORES}"]
    else:
        words = ["-n", str(width)]
    if alone:
        words.append("--exclusive")
    elif row["memory"]:
        words.append(f"--mem-per-cpu={row['memory']}")
    return words


def write_stream(seed, jobs, hours, load, factor, origin, folder):
    """One line a deed: its moment in microseconds of our clock, what it is, and its words, parted by tabs. Of a submission:
    number, user, whom it depends on, seconds of our clock that its tasks run, exit code, words for sbatch."""
    rng = random.Random(seed)
    begin = datetime.datetime.fromisoformat(origin)
    rows = drawn(rng, jobs, hours, begin.hour)
    stretch(rows, load * NODES * CORES * 60 * hours)
    deeds, intended, good = [], [], collections.defaultdict(list)

    def deed(second, *words):
        deeds.append((int(1e6 * second / factor), len(deeds), "\t".join(words)))

    for number, row in enumerate(rows):
        moment, user, longest, fate = row["moment"], row["user"], max(row["runs"]), row["fate"]
        limit = row["habit"] if row["habit"] and not row["test"] and row["habit"] >= longest else asked(longest * row["ratio"])
        code = 0
        if fate < 0.06 and not row["test"]:  # fails early
            row["runs"], code = [max(run * rng.uniform(0.02, 0.3), 1) for run in row["runs"]], 1
        elif fate < 0.11 and not row["test"] and len(row["runs"]) == 1:  # reaches its limit
            limit = max([minutes for minutes in GRID if minutes < longest], default=GRID[0])
            row["runs"] = [max(longest, limit + 30)]
        words = shape(rng, row) + ["-t", str(limit), "-J", f"s{number}"]
        fits = row["width"] <= 12 * CORES and limit <= SHORT
        words += ["-p", "short" if fits and rng.random() < 0.5 else "batch"]
        if rng.random() < 0.06 and user not in (0, 1):
            words.append("--qos=high")
        if len(row["runs"]) > 1:
            words.append(f"--array=0-{len(row['runs']) - 1}" + rng.choice(("", "", "%3")))
        after = "-"
        chance = rng.random()
        if chance < 0.04 and good[user]:
            after = f"afterok:{rng.choice(good[user][-6:])}"
        elif chance < 0.06 and number > 20:
            after = f"afterany:{rng.randrange(number - 20, number)}"
        elif chance < 0.08:
            words.append("--hold")
            deed(moment + rng.uniform(300, 5400), "release", str(number))
        elif chance < 0.10:
            time = begin + datetime.timedelta(seconds=int(moment + rng.uniform(600, 10800)))
            words.append(f"--begin={time.isoformat()}")
        elif chance < 0.12 and not row["test"]:
            deed(moment + rng.uniform(600, 14400), "cancel", str(number))
        elif code == 0 and fate >= 0.11:
            good[user].append(number)
        seconds = ",".join(f"{60 * run / factor:.3f}" for run in row["runs"])
        deed(moment, "submit", str(number), str(30001 + user), after, seconds, str(code), " ".join(words))
        intended.append({"name": f"s{number}", "runs": [60 * run for run in row["runs"]], "code": code})
    # One node is drained and one goes down, for an hour and a little more; four are reserved for two hours, as is known hours before.
    for hour, back, node, state in ((0.2, 0.26, "n7", "DRAIN"), (0.5, 0.55, "n15", "DOWN")):
        deed(3600 * hours * hour, "node", node, state)
        deed(3600 * (hours * back if hours < 10 else hours * hour + 1.2), "node", node, "RESUME")
    time = begin + datetime.timedelta(hours=0.65 * hours)
    deed(3600 * 0.2 * hours, "reserve", time.isoformat(timespec="seconds"), "n[29-32]")
    with open(f"{folder}/stream", "w") as file:
        file.writelines(f"{moment}\t{words}\n" for moment, _, words in sorted(deeds))
    with open(f"{folder}/intended", "w") as file:
        json.dump(intended, file)
    with open("/etc/passwd") as known, open(f"{folder}/passwd", "w") as file:
        file.write(known.read())
        for user in range(len(ACTIVITY)):
            file.write(f"u{user + 1:02}:x:{30001 + user}:65534::/:/bin/sh\n")


def moment_of(text):
    """A time of sacct's in seconds, or none."""
    return None if text in ("Unknown", "None", "") else datetime.datetime.fromisoformat(text + "+00:00").timestamp()


def table(lines):
    names = next(lines).rstrip("\n").split("|")
    return [dict(zip(names, line.rstrip("\n").split("|"))) for line in lines]


def nodes_of(text):
    """n[1-3,7] as numbers; the tasks of an array as well."""
    for part in re.sub(r"[n\[\]]", "", text).split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1) if first.isdigit() else ()


def mean(numbers):
    return statistics.mean(numbers) if numbers else 0


def quantile(numbers, share):
    return sorted(numbers)[int(share * (len(numbers) - 1))] if numbers else 0


def report(folder, way, factor):
    with open(f"{folder}/intended") as file:
        intended = {row["name"]: row for row in json.load(file)}
    with gzip.open(f"{folder}/kept/sacct.txt.gz", "rt") as file:
        rows = table(file)
    with open(f"{folder}/named") as file:  # JobID|JobName
        names = dict(line.rstrip("\n").split("|") for line in file)
    with open(f"{folder}/late") as file:
        late = [float(line) * factor / 1e6 for line in file]
    expected = sum(len(row["runs"]) for row in intended.values())
    submitted = collections.Counter()
    for row in rows:  # 12_[3-5]: cancelled before they started, in one row
        _, bracket, some = row["JobID"].partition("[")
        submitted[names.get(row["JobID"])] += len(list(nodes_of(some.partition("%")[0].rstrip("]")))) if bracket else 1
    wrong = [name for name, row in intended.items() if submitted[name] != len(row["runs"])]
    states = collections.Counter(row["State"].split()[0] for row in rows)
    waits, over, reached, spans, queued = collections.defaultdict(list), [], [], [], collections.defaultdict(list)
    busy = 0
    for row in rows:
        eligible, start, end = (moment_of(row[name]) for name in ("Eligible", "Start", "End"))
        if eligible is None:
            continue
        if start is None:
            queued[row["Partition"]] += [(eligible, 1), (end, -1)] if end else []
            continue
        queued[row["Partition"]] += [(eligible, 1), (start, -1)]
        waits[row["Partition"]].append(start - eligible)
        busy += (end - start) * int(row["NCPUS"])
        spans.append((start, end, row))
        name = names.get(row["JobID"])
        task = int(row["JobID"].partition("_")[2] or 0) if "[" not in row["JobID"] else 0
        if row["State"] in ("COMPLETED", "FAILED"):
            over.append(end - start - intended[name]["runs"][task])
        elif row["State"] == "TIMEOUT":
            days, _, clock = row["Timelimit"].rpartition("-")
            hour, minute, second = (int(word) for word in clock.split(":"))
            reached.append(end - start - (86400 * int(days or 0) + 3600 * hour + 60 * minute + second))
    every = [wait for some in waits.values() for wait in some]
    waited = [wait for wait in every if wait > 60]
    begin, last = min(moment_of(row["Submit"]) for row in rows), max(end for _, end, _ in spans)
    print(f"{way}: {len(rows)} rows, {expected} jobs, {len(wrong)} submissions with another number of jobs {' '.join(wrong[:5])}".rstrip())
    print("states: " + ", ".join(f"{state} {count}" for state, count in states.most_common()))
    print(
        f"waits in hours: mean {mean(every) / 3600:.2f}; of the {len(waited)} that waited for more than a minute"
        f" mean {mean(waited) / 3600:.2f}, median {quantile(waited, 0.5) / 3600:.2f}, .9 quantile {quantile(waited, 0.9) / 3600:.2f}"
    )
    for part, some in sorted(waits.items()):
        changes, here, most, area, before = sorted(queued[part]), 0, 0, 0, None
        for moment, step in changes:
            area += here * (moment - before) if before is not None else 0
            here, before = here + step, moment
            most = max(most, here)
        length = area / (changes[-1][0] - changes[0][0])
        print(f"{part}: {len(some)} jobs, mean wait {mean(some) / 3600:.2f} h; waiting jobs {length:.0f} in the mean, {most} at most")
    print(f"hours of the history: {(last - begin) / 3600:.1f}; cores in use {busy / (last - begin) / NODES / CORES:.0%}")
    # From the end of a job to the next start on its node, where a job of a core or so took the place within a minute.
    starts, gaps = collections.defaultdict(list), []
    for start, _, row in spans:
        for node in nodes_of(row["NodeList"]):
            starts[node].append(start)
    for _, end, row in spans:
        for node in nodes_of(row["NodeList"]):
            later = [start - end for start in starts[node] if 0 <= start - end < 60]
            gaps += [min(later)] if later else []
    for said, numbers in (
        ("beyond the intended run time", over),
        ("beyond the limit", reached),
        ("from an end to the next start on the node, where within a minute", gaps),
        ("late submissions", late),
    ):
        print(
            f"{said}, s: least {min(numbers, default=0):.0f}, median {quantile(numbers, 0.5):.0f},"
            f" .9 quantile {quantile(numbers, 0.9):.0f}, most {max(numbers, default=0):.0f} ({len(numbers)})"
        )
    at_once = sorted(wait for wait in every if wait <= 60)
    print(f"from eligible to start, s, of the {len(at_once)} within a minute: median {quantile(at_once, 0.5):.0f}")


if sys.argv[1] == "stream":
    seed, jobs = (int(word) for word in sys.argv[2:4])
    hours, load = (float(word) for word in sys.argv[4:6])
    write_stream(seed, jobs, hours, load, int(sys.argv[6]), sys.argv[7], sys.argv[8])
else:
    report(sys.argv[2], sys.argv[3], int(sys.argv[4]))
