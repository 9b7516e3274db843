#!/usr/bin/env python3
"""Draws README's picture: mean waits of EASY++ and the presets against EASY's, one group of bars a trace.

    surefill compare ... --policies easy,easy++,fair,fast --json > compared.json
    python3 scripts/first-picture.py compared.json ... > docs/waits.svg

Reads the JSON of `surefill compare`, one file or several; the policy called easy is the base, and a trace under which nobody waits is
left out. `--table` prints README's table instead. Colours follow the reader's light or dark scheme.
"""

import json
import sys
from html import escape

LEFT, TOP, ROW, BAR, RIGHT = 118, 64, 15, 12, 60
SCALE = 4.6  # pixels a percent
LOWEST, HIGHEST = -70, 40
# A workload under which jobs wait less than this on average, in seconds, has nothing to gain.
SHORTEST = 60

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
    return policy.get("preset") or policy["policy"]


def short(trace):
    parts = trace.removesuffix(".gz").removesuffix(".swf").split("-")
    return " ".join(part for part in parts[:2])


def table(traces):
    """README's table: changes against EASY in percent, the longest wait as a factor."""
    print("| workload | mean wait under EASY | EASY++ | **`fair`**, the default | `fast` | `fair`, 99th percentile | `fair`, longest wait |")
    print("|---|---|---|---|---|---|---|")
    for trace in traces:
        policies = {label(p): p for p in trace["policies"]}
        easy = policies["easy"]
        if easy["mean_wait_s"] < SHORTEST:
            continue
        change = lambda name, key: f"{100 * (policies[name][key] / easy[key] - 1):+.0f} %"
        cells = [change(name, "mean_wait_s") for name in ("easy++", "fair", "fast")]
        cells[1] = f"**{cells[1]}**"
        cells += [change("fair", "p99_wait_s"), f"x{policies['fair']['max_wait_s'] / easy['max_wait_s']:.2f}"]
        print(f"| {short(trace['trace'])} | {easy['mean_wait_s'] / 60:.0f} min | {' | '.join(cells)} |")


def main(arguments):
    paths = [argument for argument in arguments if argument != "--table"]
    traces = [trace for path in paths for trace in json.load(open(path))["traces"]]
    if "--table" in arguments:
        table(traces)
        return
    series = [label(p) for p in traces[0]["policies"] if label(p) != "easy"]
    groups = []
    for trace in traces:
        waits = {label(p): p["mean_wait_s"] for p in trace["policies"]}
        if waits["easy"] < SHORTEST:
            continue
        groups.append((short(trace["trace"]), [100 * (waits[name] / waits["easy"] - 1) for name in series]))
    x = lambda percent: LEFT + (min(max(percent, LOWEST), HIGHEST) - LOWEST) * SCALE
    height = TOP + len(groups) * (ROW * len(series) + 12) + 26
    width = x(HIGHEST) + RIGHT
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" role="img" aria-labelledby="t d">',
        '<title id="t">Mean waits against EASY backfilling</title>',
        f'<desc id="d">{escape("; ".join(f"{n}: " + ", ".join(f"{s} {v:+.0f} %" for s, v in zip(series, vs)) for n, vs in groups))}</desc>',
        f"<style>{STYLE}</style>",
        f'<text x="{LEFT}" y="20">Mean wait against EASY, in percent: further left is shorter</text>',
    ]
    at = LEFT
    for index, name in enumerate(series):
        out.append(f'<rect class="series{index}" x="{at}" y="32" width="12" height="12"/>')
        out.append(f'<text x="{at + 17}" y="43">{escape(name)}</text>')
        at += 40 + 9 * len(name)
    for tick in range(LOWEST + 10, HIGHEST + 1, 20):
        out.append(f'<line class="{"axis" if tick == 0 else "grid"}" x1="{x(tick)}" x2="{x(tick)}" y1="{TOP - 6}" y2="{height - 22}"/>')
        out.append(f'<text class="small" x="{x(tick)}" y="{height - 8}" text-anchor="middle">{f"{tick:+d}" if tick else "0"} %</text>')
    out.append(f'<line class="axis" x1="{x(0)}" x2="{x(0)}" y1="{TOP - 6}" y2="{height - 22}"/>')
    y = TOP
    for name, values in groups:
        out.append(f'<text x="{LEFT - 12}" y="{y + ROW * len(series) / 2 + 5}" text-anchor="end">{escape(name)}</text>')
        for index, value in enumerate(values):
            left, right = sorted((x(0), x(value)))
            out.append(f'<rect class="series{index}" x="{left:.1f}" y="{y}" width="{max(right - left, 1):.1f}" height="{BAR}"/>')
            anchor, place = ("end", left - 4) if value < 0 else ("start", right + 4)
            out.append(f'<text class="small" x="{place:.1f}" y="{y + 10}" text-anchor="{anchor}">{value:+.0f}</text>')
            y += ROW
        y += 12
    out.append("</svg>")
    print("\n".join(out))


if __name__ == "__main__":
    main(sys.argv[1:])
