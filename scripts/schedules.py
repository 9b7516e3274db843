#!/usr/bin/env python3
"""What README and results/schedules.md show of the plan and of the delay rule's presets, from the JSON of `surefill compare`, one file or several.

    schedules.py picture compared.json ... > docs/waits.svg     mean waits of EASY++, the delay rule and the plan, one group of bars a trace
    schedules.py first compared.json ...                        README's table
    schedules.py tails compared.json ...                        the plan by trace: mean, geometric mean, 99th percentile, longest wait
    schedules.py widths compared.json ...                       the plan by trace and by the width of the jobs
    schedules.py lengths compared.json ...                      the plan by trace and by the run time of the jobs, and by user
    schedules.py halves compared.json ...                       the plan by trace and half: mean wait of the first and the second half of the jobs
    schedules.py rivals compared.json ...                       all policies: mean, geometric mean, tail
    schedules.py quarters compared.json ...                     policies under a site's priorities, by quarter of the priority at submission
    schedules.py points compared.json ...                       site factors under a site's priorities, by the run time in them
    schedules.py settings presets.json setting.json ...         settings of the rule, on the traces that the presets were chosen on
                                                                and on the others

EASY by the limits in the order of submission is the base, of quarters and points EASY in the order of the priorities. Colours of the picture follow the reader's light or dark scheme.
"""

import json
import math
import statistics
import sys
from html import escape
from pathlib import Path

LEFT, TOP, ROW, BAR, RIGHT = 118, 64, 15, 12, 60
SCALE = 4.6  # pixels a percent
LOWEST, HIGHEST = -70, 40
SHOWN = ("easy++", "delay", "fair", "fast")
# Student's t for a two-sided 95 % interval by degrees of freedom: seeds less one.
STUDENT = {1: 12.71, 2: 4.30, 3: 3.18, 4: 2.78, 5: 2.57, 6: 2.45, 7: 2.36, 8: 2.31, 9: 2.26}

STYLE = """
text { font: 13px system-ui, sans-serif; fill: #24292f }
.small { font-size: 12px; fill: #57606a }
.axis { stroke: #8c959f; stroke-width: 1 }
.grid { stroke: #d0d7de; stroke-width: 1 }
.series0 { fill: #8c959f } .series1 { fill: #0969da } .series2 { fill: #bf5b04 } .series3 { fill: #1a7f37 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .small { fill: #9198a1 } .axis { stroke: #9198a1 } .grid { stroke: #3d444d }
  .series0 { fill: #9198a1 } .series1 { fill: #4493f8 } .series2 { fill: #e0823d } .series3 { fill: #3fb950 }
}"""


def label(policy):
    """The policy as a reader knows it: its name, and its order or predictor where they are not its own."""
    own = {"easy": "fcfs", "easy++": "sjbf", "conservative": "fcfs", "lookahead": "fcfs", "selective": "fcfs"}
    name = policy.get("preset") or ("delay" if policy["policy"] == "prob" else policy["policy"])
    order = policy["order"]
    order = order.split(" fairshare=")[0]  # priorities with numbers of their own
    if name in ("fair", "fast"):
        own = policy["predictor"] == "contexts"
        name = name if own else f"{name}, predictor {policy['predictor']}"
        name = name if order == "fcfs" else f"{name}, order {order}"
        return f"{name}, {policy['plan']}" if policy.get("plan") else name
    return name if own.get(policy["policy"], name) == order else f"{name}, order {order}"


def by_label(trace):
    return {label(policy): policy for policy in trace["policies"]}


def short(trace):
    parts = trace.removesuffix(".gz").removesuffix(".swf").split("-")
    return " ".join(parts[:2])


def change(own, easy):
    return f"{100 * (own / easy - 1):+.0f} %"


def first(traces):
    """README's table: changes against EASY in percent, the longest wait as a factor."""
    print("| workload | EASY's mean wait | EASY++ | `delay` | **`fair`** | `fast` | `fair`: 99th percentile | `fair`: longest wait |")
    print("|---|---|---|---|---|---|---|---|")
    for trace in traces:
        policies = by_label(trace)
        easy = policies["easy"]
        cells = [change(policies[name]["mean_wait_s"], easy["mean_wait_s"]) for name in SHOWN]
        cells[2] = f"**{cells[2]}**"
        cells.append(change(policies["fair"]["p99_wait_s"], easy["p99_wait_s"]))
        cells.append(f"x{policies['fair']['max_wait_s'] / easy['max_wait_s']:.2f}")
        print(f"| {short(trace['trace'])} | {easy['mean_wait_s'] / 60:.0f} min | {' | '.join(cells)} |")


def tails(traces):
    """Changes against EASY in percent by trace, the longest wait as a factor: the plan and the delay rule, then what predictions are worth."""
    for names in (("delay", "fair", "delay-fast", "fast"), ("easy++", "fair, predictor limit", "fast, predictor limit", "fair, predictor clairvoyant")):
        print("| workload | mean wait under EASY | " + " | ".join(f"`{name}`" for name in names) + " |")
        print("|---|---|" + "---|" * len(names))
        for trace in traces:
            policies = by_label(trace)
            easy = policies["easy"]
            cells = []
            for name in names:
                changes = [change(policies[name][key], easy[key])[:-2] for key in ("mean_wait_s", "geomean_wait_s", "p99_wait_s")]
                cells.append(" / ".join(changes) + f" / x{policies[name]['max_wait_s'] / easy['max_wait_s']:.2f}")
            print(f"| {short(trace['trace'])} | {easy['mean_wait_s'] / 60:.0f} min | {' | '.join(cells)} |")
        print()


def widths(traces):
    """Mean waits of the plan's jobs against EASY's by their share of the machine, in percent, and how many there are a seed."""
    print("| workload | up to 1/64 of the machine | up to 1/16 | up to a quarter | wider: `fair` | wider: `fast` | how many are wider |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for trace in traces:
        policies = by_label(trace)
        easy, plan, fast = (policies[name]["fairness"]["by_width"] for name in ("easy", "fair", "fast"))
        cell = lambda own, base: change(own["mean_wait_s"], base["mean_wait_s"]) if base["mean_wait_s"] else ""
        cells = [cell(*pair) for pair in zip(plan, easy, strict=True)] + [cell(fast[-1], easy[-1])]
        print(f"| {short(trace['trace'])} | {' | '.join(cells)} | {easy[-1]['jobs']} |")


def lengths(traces):
    """Mean waits of the plan's jobs against EASY's by their run time, in percent; users with 100 jobs or more whose mean wait is longer."""
    names = ("fair", "fast")
    heads = [f"{head}: `fair` / `fast`" for head in ("up to 10 min", "up to 1 h", "up to 6 h", "longer")]
    print("| workload | " + " | ".join(heads) + " | users who wait longer: `fair` / `fast` | worst user: `fair` / `fast` |")
    print("|---|" + "---|" * (len(heads) + 2))
    for trace in traces:
        policies = by_label(trace)
        of = lambda name, kind: policies[name]["fairness"][kind]
        cells = []
        for index, base in enumerate(of("easy", "by_run_time")):
            waits = [of(name, "by_run_time")[index]["mean_wait_s"] for name in names]
            cells.append(" / ".join(change(wait, base["mean_wait_s"]) if base["mean_wait_s"] else "" for wait in waits))
        # A user with fewer jobs says little, and one who never waits has no ratio.
        users = [group["mean_wait_s"] if group["jobs"] >= 100 else 0 for group in of("easy", "by_user")]
        ratios = [[own["mean_wait_s"] / base for own, base in zip(of(name, "by_user"), users, strict=True) if base > 0] for name in names]
        cells.append(" / ".join(f"{sum(ratio > 1 for ratio in own)}" for own in ratios) + f" of {len(ratios[0])}")
        cells.append(" / ".join(f"x{max(own):.2f}" if own else "" for own in ratios))
        print(f"| {short(trace['trace'])} | {' | '.join(cells)} |")


def halves(traces):
    """Mean waits against EASY's of the first half of the jobs and of the second, in percent."""
    names = ("delay", "fair", "delay-fast", "fast")
    print("| workload | mean wait under EASY, first and second half | " + " | ".join(f"`{name}`" for name in names) + " |")
    print("|---|---|" + "---|" * len(names))
    for trace in traces:
        of = lambda name: [half["mean_wait_s"] for half in by_label(trace)[name]["fairness"]["by_half"]]
        easy = of("easy")
        base = " / ".join(f"{wait / 60:.{0 if wait >= 60 else 1}f}" for wait in easy)
        cells = [" / ".join(change(own, base)[:-2] if base else "" for own, base in zip(of(name), easy, strict=True)) for name in names]
        print(f"| {short(trace['trace'])} | {base} min | {' | '.join(cells)} |")


def paired(own, easy):
    """The change of the mean wait, and half the width of its 95 % interval over the seeds, in percent."""
    changes = [100 * (a / b - 1) for a, b in zip(own["mean_waits_s"], easy["mean_waits_s"], strict=True)]
    half = STUDENT[len(changes) - 1] * statistics.stdev(changes) / math.sqrt(len(changes))
    return f"{statistics.mean(changes):+.1f} ± {half:.1f}"


def rivals(traces):
    """All policies against EASY: mean wait a trace, and over all traces the means and the worst tails."""
    names = [name for name in by_label(traces[0]) if name != "easy"]
    print("Mean wait against EASY's in percent, seed by seed, with the 95 % interval over the seeds (the table above divides the means over\nall seeds):\n")
    print("| policy | " + " | ".join(short(trace["trace"]) for trace in traces) + " |")
    print("|---|" + "---:|" * len(traces))
    for name in names:
        cells = [paired(by_label(trace)[name], by_label(trace)["easy"]) for trace in traces]
        print(f"| {name} | " + " | ".join(cells) + " |")
    print("\nOver all traces: geometric means of the changes, and the trace with the worst tail:\n")
    print("| policy | mean wait [%] | geometric mean wait [%] | 99th percentile, worst trace [%] | longest wait, worst trace [x] |")
    print("|---|---:|---:|---:|---:|")
    for name in names:
        ratio = lambda key: [by_label(trace)[name][key] / by_label(trace)["easy"][key] for trace in traces]
        total = lambda key: f"{100 * (statistics.geometric_mean(ratio(key)) - 1):+.1f}"
        worst = lambda key: max(zip(ratio(key), (short(trace["trace"]) for trace in traces)))
        tail, where = worst("p99_wait_s")
        longest, there = worst("max_wait_s")
        print(f"| {name} | {total('mean_wait_s')} | {total('geomean_wait_s')} | {100 * tail - 100:+.0f} ({where}) | {longest:.2f} ({there}) |")


def quarters(traces):
    """Changes against EASY in the order of a site's priorities, by quarter of the priority at submission, and the quarters that lose."""
    total = lambda ratios: f"{100 * (statistics.geometric_mean(ratios) - 1):+.0f}"
    percent = lambda ratio: f"{100 * (ratio - 1):+.0f}"
    base = [trace["policies"][0] for trace in traces]
    heads = ["mean wait [%]", "geometric mean [%]", "99th percentile, worst [%]", "longest, worst [x]"]
    heads += ["lowest quarter [%]", "second [%]", "third [%]", "highest [%]", "quarters that wait longer by 2 % and a minute"]
    print("| policy | " + " | ".join(heads) + " |")
    print("|---|" + "---:|" * (len(heads) - 1) + "---|")
    for index in range(1, len(traces[0]["policies"])):
        own = [trace["policies"][index] for trace in traces]
        ratios = lambda key: [a[key] / b[key] for a, b in zip(own, base)]
        names = [short(trace["trace"]) for trace in traces]
        worst = lambda key: max(zip(ratios(key), names))
        tail, longest = worst("p99_wait_s"), worst("max_wait_s")
        cells = [total(ratios("mean_wait_s")), total(ratios("geomean_wait_s"))]
        cells += [f"{percent(tail[0])} ({tail[1]})", f"{longest[0]:.2f} ({longest[1]})"]
        losers = []
        for quarter in range(4):
            groups = [(a["fairness"]["by_priority"][quarter], b["fairness"]["by_priority"][quarter]) for a, b in zip(own, base)]
            # Where half the jobs have the lowest priority, no job is in the second quarter.
            known = [(a["mean_wait_s"], b["mean_wait_s"], name) for (a, b), name in zip(groups, names) if b["mean_wait_s"] > 0]
            cells.append(total([a / b for a, b, _ in known]))
            longer = [(a / b, a - b, name) for a, b, name in known if a / b > 1.02 and a - b > 60]
            losers += [f"{name} {quarter + 1}: {percent(ratio)} %, {more / 60:.1f} min" for ratio, more, name in longer]
        cells.append("; ".join(losers) or "none")
        print(f"| {label(own[0])} | " + " | ".join(cells) + " |")
    print("\nBy trace, mean wait, and the quarters from the lowest to the highest:\n")
    names = [label(policy) for policy in traces[0]["policies"][1:]]
    print("| workload | mean wait under EASY, and its quarters [min] | " + " | ".join(names) + " |")
    print("|---|---|" + "---|" * len(names))
    for trace in traces:
        easy, *others = trace["policies"]
        waits = lambda policy: [policy["mean_wait_s"]] + [group["mean_wait_s"] for group in policy["fairness"]["by_priority"]]
        changes = lambda policy: [percent(a / b) if b > 0 else "" for a, b in zip(waits(policy), waits(easy))]
        first = [f"{wait / 60:.0f}" for wait in waits(easy)]
        rows = [first] + [changes(policy) for policy in others]
        cells = [f"{mean} ({' / '.join(quarters)})" for mean, *quarters in rows]
        print(f"| {short(trace['trace'])} | " + " | ".join(cells) + " |")


def points(traces):
    """Changes against EASY in the order of a site's priorities, by order: mean, tails, quarters of the priority, short and wide jobs."""
    total = lambda ratios: f"{100 * (statistics.geometric_mean(ratios) - 1):+.0f}" if ratios else ""
    base = [trace["policies"][0] for trace in traces]
    names = [short(trace["trace"]) for trace in traces]
    heads = ["mean wait [%]", "geometric mean [%]", "99th percentile, worst [%]", "longest, worst [x]", "quarters of the priority, from the lowest [%]"]
    heads += ["up to 10 min [%]", "longer than 6 h [%]", "wider than a quarter [%]", "mean wait, worst [%]"]
    print("| order | " + " | ".join(heads) + " |")
    print("|---|" + "---:|" * len(heads))
    called = lambda policy: f"`{policy['order'].split(' ')[0]}`"
    for index in range(1, len(traces[0]["policies"])):
        own = [trace["policies"][index] for trace in traces]
        ratios = lambda key: [a[key] / b[key] for a, b in zip(own, base)]
        worst = lambda key: max(zip(ratios(key), names))
        tail, longest, mean = worst("p99_wait_s"), worst("max_wait_s"), worst("mean_wait_s")

        def of(kind, group):
            pairs = [(a["fairness"][kind][group]["mean_wait_s"], b["fairness"][kind][group]["mean_wait_s"]) for a, b in zip(own, base)]
            # A minute's mean wait or less has no ratio worth a mean.
            return total([a / b for a, b in pairs if a > 0 and b > 60])

        cells = [total(ratios("mean_wait_s")), total(ratios("geomean_wait_s")), f"{100 * tail[0] - 100:+.0f} ({tail[1]})", f"{longest[0]:.2f} ({longest[1]})"]
        cells.append(" / ".join(of("by_priority", quarter) for quarter in range(4)))
        cells += [of("by_run_time", 0), of("by_run_time", -1), of("by_width", -1), f"{100 * mean[0] - 100:+.0f} ({mean[1]})"]
        print(f"| {called(own[0])} | " + " | ".join(cells) + " |")
    print("\nMean wait by trace, and that of jobs of up to 10 min, in percent:\n")
    print("| order | " + " | ".join(names) + " |")
    print("|---|" + "---:|" * len(names))
    first = lambda policy: policy["fairness"]["by_run_time"][0]["mean_wait_s"]
    print("| EASY in that order [min] | " + " | ".join(f"{easy['mean_wait_s'] / 60:.0f} ({first(easy) / 60:.0f})" for easy in base) + " |")
    for index in range(1, len(traces[0]["policies"])):
        own = [trace["policies"][index] for trace in traces]
        cells = [f"{change(a['mean_wait_s'], b['mean_wait_s'])[:-2]} ({change(first(a), first(b))[:-2]})" for a, b in zip(own, base)]
        print(f"| {called(own[0])} | " + " | ".join(cells) + " |")


def settings(files):
    """The presets, then each setting of the rule beside EASY in its order; the base is EASY in the order of submission."""
    base, rows = [], []
    for name, traces in files.items():
        for index in range(len(traces[0]["policies"])):
            policies = [trace["policies"][index] for trace in traces]
            if name == "presets" and index == 0:
                base = policies
                continue
            own = policies[0]["preset"] or "delay"
            if name == "presets":
                title = f"`{own}`" if policies[0]["predictor"] != "limit" else f"`{own}:limit`, no predictions"
            else:
                title = f"{name}: EASY in its order" if index == 0 else name
            rows.append((title, policies))

    def group(policies, chosen):
        pairs = [(policies[i], base[i]) for i in chosen]
        ratios = lambda key: [own[key] / easy[key] for own, easy in pairs]
        total = lambda key: f"{100 * math.exp(statistics.mean(map(math.log, ratios(key)))) - 100:+.1f}"
        worst = lambda key: max(zip(ratios(key), (short(easy["trace"]) for _, easy in pairs)))
        tail, longest = worst("p99_wait_s"), worst("max_wait_s")
        return [total("mean_wait_s"), total("geomean_wait_s"), f"{100 * tail[0] - 100:+.1f} ({tail[1]})", f"{longest[0]:.2f} ({longest[1]})"]

    heads = ["mean wait [%]", "geometric mean [%]", "99th percentile, worst [%]", "longest, worst [x]"]
    print("| setting | " + " | ".join(heads + [f"other four: {head}" for head in heads]) + " |")
    print("|---|" + "---:|" * (2 * len(heads)))
    for title, policies in rows:
        print(f"| {title} | " + " | ".join(group(policies, range(4)) + group(policies, range(4, len(base)))) + " |")


def picture(traces):
    """The bars of README's first screen, as SVG."""
    groups = []
    for trace in traces:
        waits = {name: policy["mean_wait_s"] for name, policy in by_label(trace).items()}
        groups.append((short(trace["trace"]), [100 * (waits[name] / waits["easy"] - 1) for name in SHOWN]))
    x = lambda percent: LEFT + (min(max(percent, LOWEST), HIGHEST) - LOWEST) * SCALE
    height = TOP + len(groups) * (ROW * len(SHOWN) + 12) + 26
    width = x(HIGHEST) + RIGHT
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" role="img" aria-labelledby="t d">',
        '<title id="t">Mean waits against EASY backfilling</title>',
        f'<desc id="d">{escape("; ".join(f"{n}: " + ", ".join(f"{s} {v:+.0f} %" for s, v in zip(SHOWN, vs)) for n, vs in groups))}</desc>',
        f"<style>{STYLE}</style>",
        f'<text x="{LEFT}" y="20">Mean wait against EASY, in percent: further left is shorter</text>',
    ]
    at = LEFT
    for index, name in enumerate(SHOWN):
        out.append(f'<rect class="series{index}" x="{at}" y="32" width="12" height="12"/>')
        out.append(f'<text x="{at + 17}" y="43">{escape(name)}</text>')
        at += 40 + 9 * len(name)
    for tick in range(LOWEST + 10, HIGHEST + 1, 20):
        out.append(f'<line class="{"axis" if tick == 0 else "grid"}" x1="{x(tick)}" x2="{x(tick)}" y1="{TOP - 6}" y2="{height - 22}"/>')
        out.append(f'<text class="small" x="{x(tick)}" y="{height - 8}" text-anchor="middle">{f"{tick:+d}" if tick else "0"} %</text>')
    out.append(f'<line class="axis" x1="{x(0)}" x2="{x(0)}" y1="{TOP - 6}" y2="{height - 22}"/>')
    y = TOP
    for name, values in groups:
        out.append(f'<text x="{LEFT - 12}" y="{y + ROW * len(SHOWN) / 2 + 5}" text-anchor="end">{escape(name)}</text>')
        for index, value in enumerate(values):
            left, right = sorted((x(0), x(value)))
            out.append(f'<rect class="series{index}" x="{left:.1f}" y="{y}" width="{max(right - left, 1):.1f}" height="{BAR}"/>')
            anchor, place = ("end", left - 4) if value < 0 else ("start", right + 4)
            out.append(f'<text class="small" x="{place:.1f}" y="{y + 10}" text-anchor="{anchor}">{value:+.0f}</text>')
            y += ROW
        y += 12
    out.append("</svg>")
    print("\n".join(out))


def main(arguments):
    kinds = {"picture": picture, "first": first, "tails": tails, "widths": widths, "lengths": lengths, "halves": halves, "rivals": rivals, "quarters": quarters, "points": points, "settings": settings}
    if len(arguments) < 2 or arguments[0] not in kinds:
        sys.exit(__doc__)
    files = {}
    for path in map(Path, arguments[1:]):
        files[path.stem] = json.loads(path.read_text(encoding="utf-8"))["traces"]
    kinds[arguments[0]](files if arguments[0] == "settings" else [trace for traces in files.values() for trace in traces])


if __name__ == "__main__":
    main(sys.argv[1:])
