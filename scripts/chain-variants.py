#!/usr/bin/env python3
"""Correlations of the chains of processors and run times (Song, Ernemann & Yahyapour 2004, Table 3) for what its text leaves
open, as a Markdown table, independently of the simulator.

    python3 scripts/chain-variants.py NASA-iPSC-1993-3.swf.gz
"""

import gzip
import math
import sys


def jobs(path):
    """Processors and run time of the jobs that ran."""
    with gzip.open(path, "rt", errors="replace") as lines:
        for line in lines:
            fields = line.split(";")[0].split()
            if fields:
                used, run_time, requested = (int(float(fields[index])) for index in (4, 3, 7))
                processors = used if used > 0 else requested
                if processors > 0 and run_time >= 0:
                    yield processors, run_time


def floor(value):
    return max(value, 1).bit_length() - 1


def ceiling(value):
    return (max(value, 1) - 1).bit_length()


def states(values):
    known = {value: state for state, value in enumerate(sorted(set(values)))}
    return [known[value] for value in values]


def correlation(pairs):
    xs, ys = zip(*pairs)
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    spread = sum((a - x) ** 2 for a in xs) * sum((b - y) ** 2 for b in ys)
    return sum((a - x) * (b - y) for a, b in pairs) / math.sqrt(spread)


def main(path):
    ran = list(jobs(path))
    nearest = lambda value: round(math.log2(max(value, 1)))
    variants = [
        ("floor, as `similar` has it", floor, floor, 0),
        ("ceiling, as equation 1 is printed", ceiling, ceiling, 0),
        ("nearest power of two", nearest, nearest, 0),
        ("0 s a class of its own", floor, lambda value: floor(value) if value else -1, 0),
        ("without run times of 0 s", floor, floor, 1),
        ("without run times below 2 s", floor, floor, 2),
        ("without run times below 4 s", floor, floor, 4),
    ]
    print("| variant | jobs | run-time states | node states | cor0 | cor1 |\n|---|---|---|---|---|---|")
    for name, of_nodes, of_run_times, least in variants:
        kept = [job for job in ran if job[1] >= least]
        nodes = states([of_nodes(job[0]) for job in kept])
        run_times = states([of_run_times(job[1]) for job in kept])
        path = list(zip(nodes, run_times))
        steps = [(b[0] - a[0], b[1] - a[1]) for a, b in zip(path, path[1:])]
        changes = [step for step in steps if step[0] and step[1]]
        print(
            f"| {name} | {len(kept)} | {max(run_times) + 1} | {max(nodes) + 1} "
            f"| {correlation(path):.3f} | {correlation(changes):.3f} |"
        )


if __name__ == "__main__":
    main(sys.argv[1])
