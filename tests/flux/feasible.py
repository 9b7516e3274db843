# SPDX-License-Identifier: MIT OR Apache-2.0
"""Asks the scheduler whether random jobspecs can ever run, and compares with flux-core's pool: flux python feasible.py R COUNT SEED"""

import json
import random
import sys

import flux
from flux.resource.Rv1Pool import Rv1Pool


def count(draw, most):
    number = draw.randint(1, most)
    forms = number, number, {"min": number}, {"min": number, "max": number + 2}, f"{number}-{number + 1}", f"{number}+", str(number)
    return draw.choice(forms)


def shape(draw):
    parts = [{"type": "core", "count": count(draw, 9)}]
    if draw.random() < 0.3:
        parts.append({"type": "gpu", "count": count(draw, 3)})
    slot = {"type": "slot", "label": "task", "count": count(draw, 12), "with": parts}
    if draw.random() < 0.3:
        return [{**slot, "exclusive": draw.random() < 0.2}]
    # Flux's pool looks at one slot of a node that is wanted whole: shapes.sh has such jobs.
    exclusive = draw.random() < 0.3
    slot["count"] = 1 if exclusive else count(draw, 3)
    return [{"type": "node", "count": count(draw, 7), "exclusive": exclusive, "with": [slot]}]


def constraint(draw, depth=0):
    kind = draw.choice(("properties", "hostlist", "ranks") if depth == 3 else ("properties", "hostlist", "ranks", "and", "or", "not"))
    if kind == "properties":
        return {kind: draw.sample(("big", "old", "small", "^big", "^old", "none", "^none"), draw.randint(0, 2))}
    if kind == "hostlist":
        return {kind: draw.sample(("n[0-3]", "n5", "n[4,6]", "m0"), draw.randint(1, 2))}
    if kind == "ranks":
        return {kind: [draw.choice(("0-3", "5", "4,6", "9"))]}
    return {kind: [constraint(draw, depth + 1) for _ in range(1 if kind == "not" else draw.randint(1, 3))]}


def main():
    with open(sys.argv[1]) as file:
        pool = Rv1Pool(json.load(file))
    draw, handle, can = random.Random(int(sys.argv[3])), flux.Flux(), 0
    for _ in range(int(sys.argv[2])):
        system = {"duration": 60}
        if draw.random() < 0.7:
            system["constraints"] = constraint(draw)
        spec = {"version": 1, "resources": shape(draw), "tasks": [{"command": ["true"], "slot": "task"}], "attributes": {"system": system}}
        try:
            pool.check_feasibility(pool.parse_resource_request(spec))
            wanted = None
        except Exception as exc:
            wanted = str(exc)
        try:
            handle.rpc("feasibility.check", {"jobspec": spec}).get()
            got = None
        except OSError as exc:
            got = str(exc)
        can += got is None
        if (wanted is None) != (got is None):
            print(f"{json.dumps(spec['resources'])} {json.dumps(system)}: by Flux's pool {wanted or 'it can'}, by the scheduler {got or 'it can'}")
            return 1
    print(f"{sys.argv[2]} random jobspecs, {can} of which can run, are judged as by Flux's own pool")
    return 0


sys.exit(main())
