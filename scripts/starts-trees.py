#!/usr/bin/env python3
"""Predicted starts beside those of boosted trees that are fitted again and again (results/starts.md).

    surefill start-times TRACE --overrun cut --jobs starts.csv; surefill simulate TRACE --overrun cut --jobs jobs.csv
    starts-trees.py NAME starts.csv jobs.csv        # a row of the table; needs scikit-learn and pandas

The trees (HistGradientBoostingRegressor of scikit-learn, one a level, by the pinball loss) predict the logarithm of the rest
of the wait at submission from the state of the machine and its queue, the job, the start by limits and the history of waits;
in the second form from the scheduler's levels too. They are fitted anew at every thousandth answer, to those of the last
20,000 answers whose job has started by then; from the thousandth on they are compared, on the same answers as the
scheduler's reported levels.
"""

import sys

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingRegressor

LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
EVERY, MOST = 1000, 20_000
SHORT = 60


def queue_states(jobs, asked, numbers):
    """The state of the machine at each time of asking: what waits and what runs, by number, processors and work to the limits."""
    submit, start, end = (jobs[name].to_numpy() for name in ("submit", "start", "end"))
    processors, limit = (jobs[name].to_numpy() for name in ("processors", "limit"))
    place = {number: index for index, number in enumerate(jobs["number"])}
    rows = []
    order = np.argsort(submit, kind="stable")
    longest = int((end - submit).max())
    sorted_submit = submit[order]
    for time, number in zip(asked, numbers):
        own = place[number]
        first, last = np.searchsorted(sorted_submit, (time - longest, time + 1))
        near = order[first:last]
        waits = near[start[near] > time]
        runs = near[(start[near] <= time) & (end[near] > time)]
        left = np.maximum(start[runs] + limit[runs] - time, 1) * processors[runs]
        work = limit[waits] * processors[waits]
        smaller = processors[waits] <= processors[own]
        rows.append(
            (
                processors[own],
                limit[own],
                processors[own] * limit[own],
                len(waits),
                processors[waits].sum(),
                work.sum(),
                work[smaller].sum(),
                smaller.sum(),
                len(runs),
                processors[runs].sum(),
                left.sum(),
                np.median(limit[waits]) if len(waits) else 0,
                (time // 3600) % 24,
                (time // 86400) % 7,
            )
        )
    return np.array(rows, dtype=float)


def pinball(levels, waited):
    above = waited[:, None] - levels
    return np.where(above > 0, np.array(LEVELS) * above, (np.array(LEVELS) - 1) * above).mean(axis=1)


def fitted(inputs, target, asked, known):
    """The trees' levels of each answer from the first refit on; not a number before."""
    predicted = np.full((len(target), len(LEVELS)), np.nan)
    for begin in range(EVERY, len(target), EVERY):
        past = np.flatnonzero(known[:begin] <= asked[begin])[-MOST:]
        block = slice(begin, begin + EVERY)
        if len(past) < EVERY // 2:
            continue
        for place, level in enumerate(LEVELS):
            trees = HistGradientBoostingRegressor(
                loss="quantile", quantile=level, max_iter=150, learning_rate=0.06, max_leaf_nodes=15, min_samples_leaf=20, random_state=1
            )
            trees.fit(inputs[past], target[past])
            predicted[block, place] = np.exp(trees.predict(inputs[block])) - SHORT
    return np.sort(np.maximum(predicted, 0), axis=1)


def main():
    name, starts, jobs = sys.argv[1:]
    answers = pd.read_csv(starts)
    answers = answers[answers["occasion"] == "submission"]
    columns = [f"within_at_{level}" for level in LEVELS]
    of = {method: rows.set_index("job") for method, rows in answers.groupby("predicted_by")}
    reported = of["reported"].sort_values("asked", kind="stable")
    numbers = reported.index.to_numpy()
    asked, waited = reported["asked"].to_numpy(), reported["waited"].to_numpy()
    history = of["history of waits"].reindex(numbers)[columns].to_numpy()
    limits = of["limits alone"].loc[numbers][columns[2]].to_numpy()
    state = queue_states(pd.read_csv(jobs, comment="#"), asked, numbers)
    plain = np.column_stack([state, np.log(limits + SHORT), np.log(history + SHORT)])
    own = np.log(of["scenarios"].loc[numbers][columns].to_numpy() + SHORT)
    target = np.log(waited + SHORT)
    without = fitted(plain, target, asked, asked + waited)
    beside = fitted(np.column_stack([plain, own]), target, asked, asked + waited)
    compared = ~np.isnan(without[:, 0])
    loss = lambda levels: f"{pinball(levels[compared].astype(float), waited[compared]).mean() / 60:.1f}"
    within = lambda levels: 100 * ((waited >= levels[:, 0]) & (waited <= levels[:, 4]))[compared].mean()
    ours = reported[columns].to_numpy()
    cells = [name, f"{compared.sum()}", loss(ours), loss(without), loss(beside)]
    cells += [f"{within(levels):.1f} %" for levels in (ours, without, beside)]
    print("| " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
