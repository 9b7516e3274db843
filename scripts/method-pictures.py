#!/usr/bin/env python3
"""Draws the pictures of docs/method.md: scripts/method-pictures.py writes docs/first-passage.svg and docs/conditioned.svg.

The second shows Algorithm 5 on a distribution over seven bins, computed here.
"""
import math
import pathlib

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs"
HEAD = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 {height}" role="img" aria-labelledby="t d">
<title id="t">{title}</title>
<desc id="d">{about}</desc>
<style>
text {{ font: 14px sans-serif; fill: #1b1b1b; }} .line {{ stroke: #1b1b1b; fill: none; }} .thin {{ stroke: #888; fill: none; }}
.one {{ stroke: #0072b2; fill: none; stroke-width: 3; }} .two {{ stroke: #d55e00; fill: none; stroke-width: 3; stroke-dasharray: 9 4; }}
.bar {{ fill: #8fb8d4; }} .left {{ fill: #0072b2; }}
@media (prefers-color-scheme: dark) {{ text {{ fill: #e6e6e6; }} .line {{ stroke: #e6e6e6; }} .thin {{ stroke: #999; }} }}
</style>
"""


def text(x, y, words, anchor="start"):
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}">{words}</text>\n'


def path(points, kind):
    return f'<path class="{kind}" d="M' + "L".join(f"{x:.1f} {y:.1f}" for x, y in points) + '"/>\n'


def stairs(steps, last, x, y):
    """Corners of a step function from (time, value) pairs."""
    points, value = [], 0
    for time, new in steps:
        points += [(x(time), y(value)), (x(time), y(new))]
        value = new
    return [(x(0), y(0)), *points, (x(last), y(value))]


def first_passage():
    # Processors; the head lacks 6, the candidate has 4 and ends at 70.
    lacks, wide, ends, last = 6, 4, 70, 100
    x, y = (lambda time: 60 + time * 4.6), (lambda released: 270 - released * 18)
    out = HEAD.format(
        height=320, title="When a candidate delays the head job",
        about="Processors released over time in two possible futures. The head job lacks 6; with the candidate running it lacks "
              "10. In the first future the releases first pass 6 by reaching 11: the head job starts then, with or without the "
              "candidate. In the second they reach 8, between 6 and 10, before the candidate ends: the head job waits until "
              "the candidate ends.")
    out += path([(x(0), y(13)), (x(0), y(0)), (x(last), y(0))], "line")
    for value, words in [(lacks, "c_q = 6"), (lacks + wide, "c_q + k = 10")]:
        out += path([(x(0), y(value)), (x(last), y(value))], "thin") + text(x(last) + 6, y(value) + 5, words)
    out += path([(x(ends), y(13)), (x(ends), y(0))], "thin") + text(x(ends), y(0) + 18, "the candidate ends", "middle")
    out += path(stairs([(15, 3), (40, 11), (80, 12)], last, x, y), "one")
    out += path(stairs([(25, 4), (50, 8), (85, 11.5)], last, x, y), "two")
    out += text(x(40) - 6, y(11) - 6, "no delay", "end") + text(x(50) + 6, y(8) - 6, "delay")
    out += text(x(last), y(0) + 36, "time", "end") + text(8, y(13) + 4, "S(t)")
    return out + "</svg>\n"


def conditioned():
    edges = [1, 10, 60, 300, 1800, 7200, 28800, 86400]
    shares = [0.06, 0.14, 0.2, 0.22, 0.18, 0.13, 0.07]
    age, limit = 600, 14400
    left = []
    for low, high, share in zip(edges, edges[1:], shares):
        a, b = max(low, age), min(high, limit)
        left.append(share * math.log(b / a) / math.log(high / low) if b > a else 0.0)
    total = sum(left)
    x, y = (lambda seconds: 50 + math.log(seconds) / math.log(86400) * 570), (lambda share: 230 - share * 330)
    out = HEAD.format(
        height=290, title="A run time conditioned on age and limit",
        about="Seven logarithmic bins of a run time from a second to a day, pale as predicted at submission, dark as predicted for "
              "a job that has run for ten minutes and has a limit of four hours: only what lies between is left, scaled so that "
              "it adds up to 1.")
    for index, (low, high) in enumerate(zip(edges, edges[1:])):
        out += f'<rect class="bar" x="{x(low):.1f}" y="{y(shares[index]):.1f}" width="{x(high) - x(low) - 2:.1f}" height="{230 - y(shares[index]):.1f}"/>\n'
        if left[index]:
            a, b, share = max(low, age), min(high, limit), left[index] / total
            out += (f'<rect class="left" fill-opacity="0.55" x="{x(a):.1f}" y="{y(share):.1f}" width="{x(b) - x(a):.1f}" '
                    f'height="{230 - y(share):.1f}"/>\n')
    for seconds, words in [(1, "1 s"), (60, "1 min"), (1800, "30 min"), (7200, "2 h"), (86400, "1 d")]:
        out += text(x(seconds), 250, words, "middle")
    for seconds, words, anchor in [(age, "age ", "end"), (limit, " limit", "start")]:
        out += path([(x(seconds), 30), (x(seconds), 230)], "line") + text(x(seconds) + (-5 if anchor == "end" else 5), 42, words, anchor)
    return out + text(620, 275, "run time", "end") + "</svg>\n"


(DOCS / "first-passage.svg").write_text(first_passage())
(DOCS / "conditioned.svg").write_text(conditioned())
