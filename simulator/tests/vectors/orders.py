#!/usr/bin/env python3
"""Writes orders.json: queue orders computed from the formulas as the papers print them (queue_orders.rs names the papers).

python3 simulator/tests/vectors/orders.py > simulator/tests/vectors/orders.json
"""
import json
import math
import random
import sys

random.seed(1)
cases = []
for _ in range(60):
    r, n = random.choice([1, 60, 3600, 86400, random.randrange(1, 10**6)]), random.choice([1, 2, 8, random.randrange(1, 5000)])
    w, s = random.choice([0, 1, 7200, random.randrange(10**6)]), random.randrange(1, 10**8)
    cases.append({
        "r": r, "n": n, "w": w, "s": s,
        "sjf": r, "ljf": -r, "lxf": -(w + r) / r, "wfp3": -((w / r) ** 3) * n,
        "unicef": None if n == 1 else -w / (math.log2(n) * r),
        "f1": math.log10(r) * n + 8.70e2 * math.log10(s),
        "f2": math.sqrt(r) * n + 2.56e4 * math.log10(s),
        "f3": r * n + 6.86e6 * math.log10(s),
        "f4": r * math.sqrt(n) + 5.30e5 * math.log10(s),
    })

# Times, users, processors. What is used in a second counts with the decay from its middle on.
jobs = [(0, 5000, 1, 4), (100, 90000, 2, 64), (3000, 40000, 1, 16), (50000, 50001, 3, 7), (60000, 700000, 3, 1)]
now, half = 650000, 7 * 86400
usage = {}
for start, end, user, processors in jobs:
    seconds = (0.5 ** ((now - t - 0.5) / half) for t in range(start, min(end, now)))
    usage[user] = usage.get(user, 0.0) + processors * math.fsum(seconds)
events = [[start, user, processors, "start"] for start, end, user, processors in jobs]
events += [[end, user, processors, "end"] for start, end, user, processors in jobs if end <= now]
json.dump({
    "formulas": cases,
    "fair_share": {"now": now, "events": sorted(events), "usage": sorted(usage.items())},
}, sys.stdout)
print()
