#!/usr/bin/env python3
"""The tables of results/starts.md, from what `surefill start-times --json` prints, one trace after the other.

    for trace in ...; do surefill start-times $trace --overrun cut --json; done | starts.py
"""

import json
import sys

METHODS = ("scenarios", "reported", "limits", "history")
OCCASIONS = {"submission": "at submission", "later": "every six hours"}


def short(study):
    name = " ".join(study["trace"].removesuffix(".gz").removesuffix(".swf").split("-")[:2])
    return name if study["each"] == 1 else f"{name} (one of {study['each']})"


def minutes(measures, key):
    cells = [f"{measures[method][key] / 60:.0f}" for method in METHODS]
    cells[1] = f"**{cells[1]}**"
    return ", ".join(cells)


def reliance(studies):
    print()
    print(
        "| trace | asked | 90 % is wide, median [min] | worst 300 answers in 90 % | by the level .75 | that level of the mean wait | largest median of the longest wait | "
        "the median moves in an hour: scenarios, reported, limits, history [min] |"
    )
    print("|---|---|---:|---:|---:|---:|---:|---|")
    for study in studies:
        for occasion, words in OCCASIONS.items():
            measures = {measure["method"]: measure for measure in study["measures"] if measure["occasion"] == occasion}
            reported = measures["reported"]
            worst = "-" if reported["worst_block"] is None else f"{100 * reported['worst_block']:.0f} %"
            moves = "-" if reported["moves_s_an_hour"] is None else minutes(measures, "moves_s_an_hour")
            ratios = [f"x{reported[key]:.2f}" for key in ("promised_ratio", "largest_ratio")]
            width = f"{reported['median_width_s'] / 60:.0f}"
            cells = [short(study), words, width, worst, f"{100 * reported['by_promised']:.1f} %", *ratios, moves]
            print("| " + " | ".join(cells) + " |")


def main():
    text, place, decoder = sys.stdin.read(), 0, json.JSONDecoder()
    studies = []
    print(
        "| trace | asked | answers | pinball loss: scenarios, reported, limits, history [min] | in 50 % | in 90 % | by the median | "
        "mean error: scenarios, reported, limits, history [min] | within a factor of 2 |"
    )
    print("|---|---|---:|---|---:|---:|---:|---|---:|")
    while text[place:].strip():
        place += len(text[place:]) - len(text[place:].lstrip())
        study, place = decoder.raw_decode(text, place)
        studies.append(study)
        for occasion, words in OCCASIONS.items():
            measures = {measure["method"]: measure for measure in study["measures"] if measure["occasion"] == occasion}
            reported = measures["reported"]
            shares = [f"{100 * reported[key]:.1f} %" for key in ("within_half", "within_most", "by_median", "within_factor_2")]
            cells = [short(study), words, str(reported["predictions"]), minutes(measures, "pinball_s"), *shares[:3]]
            print("| " + " | ".join([*cells, minutes(measures, "mean_error_s"), shares[3]]) + " |")
    reliance(studies)


if __name__ == "__main__":
    main()
