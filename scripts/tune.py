#!/usr/bin/env python3
"""The tables of results/tune.md from the shards that scripts/tune.sh has made in a folder: fits across traces, and the frontier of
gain, 99th percentile and longest wait."""
import json
import math
import sys
from pathlib import Path


def rows(name):
    found = {}
    for path in sorted(Path(sys.argv[1]).glob(name + "-[0-9]*.json")):
        for _, row in json.loads(path.read_text())["cells"]:
            found[row["setting"]["index"]] = row
    return found


def over(row, traces):
    """Geometric means of the two mean waits over EASY's, worst 99th percentile and longest wait over EASY's."""
    of = [row["traces"][trace]["whole"] for trace in traces]
    gains = [math.exp(sum(math.log(one[key]) for one in of) / len(of)) for key in ("mean", "geometric")]
    return gains + [max(one[key] for one in of) for key in ("p99", "longest")]


def gain(measures):
    return math.sqrt(measures[0] * measures[1])


def surpasses(one, other):
    own, others = (gain(one), *one[2:]), (gain(other), *other[2:])
    return all(a <= b for a, b in zip(own, others)) and own != others


def cells(measures):
    mean, geometric, p99, longest = measures
    return f"{100 * (mean - 1):+.1f} | {100 * (geometric - 1):+.1f} | {100 * (p99 - 1):+.1f} | {longest:.2f}"


def setting(row):
    def powers(of):
        return f"{of['run_time']:g}/{of['processors']:g}/{of['age_unit_s']:g}/{of['age']:g}"

    own = row["setting"]
    name = "`delay`" if own["index"] == 0 else own["index"]
    return f"{name} | {powers(own['queue'])} | {powers(own['candidates'])} | {own['tau']:g} | {own['guard']:g} | {own['front']:g}"


fitted, held = rows("fit"), rows("held")
both = sorted(set(fitted) & set(held))
all_four = range(4)
of = {index: {"four": over(fitted[index], all_four), "held": over(held[index], all_four),
              "even": over(fitted[index], (0, 2)), "odd": over(fitted[index], (1, 3))} for index in both}

print(f"{len(both)} settings. Fits:\n")
measures = "mean [%] | geometric [%] | worst p99 [%] | worst longest [x]"
print(f"| fitted on, reported on | p99 at most [%] | longest at most [x] | setting | fitted: {measures} | reported: {measures} |")
print("|---|" + "---:|" * 11)
for name, fit, report in [("CTC and SDSC SP2; KTH and Blue", "even", "odd"), ("KTH and Blue; CTC and SDSC SP2", "odd", "even"),
                          ("these four; the other four", "four", "held")]:
    for p99, longest in [(1.0, 1.1), (1.05, 1.2), (1.1, 1.25)]:
        fair = [index for index in both if of[index][fit][2] <= p99 and of[index][fit][3] <= longest]
        found = f"| {name} | {100 * (p99 - 1):+.0f} | {longest} "
        if fair:
            best = min(fair, key=lambda index: gain(of[index][fit]))
            print(f"{found}| {best or '`delay`'} | {cells(of[best][fit])} | {cells(of[best][report])} |")
        else:
            print(found + "| none within them |" + " |" * 8)

print("\nThe frontier on the four fitted traces: no other setting gains as much with neither a higher 99th percentile nor a longer "
      "longest wait. Powers are run time, processors, age's unit in seconds, age.\n")
print(f"| setting | queue | candidates | tau | guard | front | {measures} | other four: {measures} |")
print("|---|---|---|" + "---:|" * 11)
frontier = [a for a in both if not any(surpasses(of[b]["four"], of[a]["four"]) for b in both)]
for index in sorted(frontier, key=lambda index: gain(of[index]["four"])):
    print(f"| {setting(fitted[index])} | {cells(of[index]['four'])} | {cells(of[index]['held'])} |")
better = [index for index in both if surpasses(of[index]["four"], of[0]["four"])]
elsewhere = [index for index in both if surpasses(of[index]["held"], of[0]["held"])]
print(f"\nSettings that surpass `delay` on the four fitted traces: {len(better)}; on the other four: {len(elsewhere)}.")
