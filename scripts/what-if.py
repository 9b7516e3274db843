#!/usr/bin/env python3
"""The answers of `surefill what-if` to traces, as a table and in the sentences that it prints: results/what-if.md.

    what-if.py TRACE [TRACE...]    a trace may be followed by options of its own: 'log.swf.gz --procs 430'

Needs surefill in the PATH; half an hour on two processors for the ten traces.
"""

import json
import pathlib
import subprocess
import sys

WIDEST = 200
VERDICTS = {
    "explained": "can tell",
    "unexplained": "cannot tell: too little explained",
    "exceeded": "cannot tell: too much explained",
    "short": "nothing to save",
}


def asked(trace, options, output):
    words = ["surefill", "what-if", trace, *options, "--quiet", output]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def span(seconds):
    """Seconds in the unit that the command writes them in."""
    if seconds <= -0.5:
        return f"-{span(-seconds)}"
    for below, unit, name, digits in ((0.5, 1, "s", 0), (90, 1, "s", 0), (5400, 60, "min", 0), (129600, 3600, "h", 1)):
        if seconds < below:
            return f"{seconds / unit:.{digits}f} {name}"
    return f"{seconds / 86400:.1f} d"


def share(figure):
    return "" if figure is None else f", {figure['value'] * 100:.0f} %"


def saved(seconds, part):
    ends = seconds["ci95"]
    interval = f" ({span(ends['low'])} to {span(ends['high'])})" if ends else ""
    return span(seconds["value"]) + interval + share(part)


def row(name, answer):
    scored, anchored = answer["scored"], answer["anchored"]
    if scored is None:
        return [name, "cannot tell: no waits recorded", "-", "-", "-", "-", "-"]
    told = scored["verdict"] == "explained"
    explained = scored["explained"]
    counts = answer["replay"]
    known = 2 * counts["without_limit"] >= counts["jobs"]
    return [
        name,
        VERDICTS[scored["verdict"]] + (", by run times known" if known and told else ""),
        span(scored["recorded_s"]),
        "-" if explained is None else f"{explained['value'] * 100:.0f} %",
        saved(scored["saved_s"], scored["saved"]) if told else "-",
        saved(anchored["run_times"]["saved_s"], anchored["run_times"]["saved"]),
        saved(anchored["expected"]["saved_s"], anchored["expected"]["saved"]),
    ]


TITLES = [
    "trace",
    "verdict",
    "people waited",
    "EASY's replay explains",
    "`fair` saves a job (95 % interval)",
    "recorded schedule, run times known",
    "recorded schedule, as `fair` expected",
]


def main():
    answers = []
    for trace in sys.argv[1:]:
        path, *options = trace.split()
        name = pathlib.Path(path).name.removesuffix(".gz").removesuffix(".swf")
        answer = json.loads(asked(path, options, "--json"))
        sentences = asked(path, options, "--brief").splitlines()
        # The first, and that on the recorded schedule where there is one.
        count = 2 if sentences[1].startswith("In the recorded schedule") else 1
        answers.append((" ".join([name, *options]), row(name, answer), sentences[:count]))
    rows = [TITLES, *(row for _, row, _ in answers)]
    assert all(len(cell) <= WIDEST for row in rows for cell in row)
    print("| " + " | ".join(rows[0]) + " |")
    print("|" + "---|" * len(TITLES))
    for cells in rows[1:]:
        print("| " + " | ".join(cells) + " |")
    for heading, _, sentences in answers:
        print(f"\n## {heading}\n")
        print("\n\n".join(sentences))


main()
