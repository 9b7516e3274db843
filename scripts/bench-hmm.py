"""Times hmmlearn's Baum-Welch round: microseconds per slot and round, to stand beside the library's own figure.

    python scripts/bench-hmm.py [FILE] [--rounds R] [--repeat K] [--json]

FILE (standard input without it) is one JSON object with `states`, `bins`, `load` ("none" or "poisson", default "none") and
`observations`: per slot a list of [bin, number of jobs]. A file of tests/vectors/hmm/ will do, its other keys are not read.
Training begins at the thesis's static initial values (Algorithm 3), uniform start and transition, and priors that add
nothing. Four things are timed, the best of K fits of R rounds each:

  log, scaling          hmmlearn as it comes (MultinomialHMM or PoissonHMM) with either implementation of its recursions
  log, scaling (lean)   the same recursions in C, but emissions as one product of matrices instead of scipy's densities,
                        which leave out what does not depend on the state: what hmmlearn could do at its best

`scaling` fails where a slot's emission underflows in every state; that is said, not hidden. Needs hmmlearn 0.3.3.
"""

import argparse
import json
import logging
import sys
import time
import warnings

import hmmlearn
import numpy
from hmmlearn import base, hmm


class Lean(base.BaseHMM):
    """hmmlearn's recursions and M-step under emissions B^x (with a Poisson load if `rate` is set)."""

    def _check(self):
        pass

    def _init(self, x, lengths=None):
        pass

    def _compute_log_likelihood(self, x):
        logs = x @ numpy.log(self.emissionprob_).T
        if self.rate is not None:
            logs += x.sum(axis=1)[:, None] * numpy.log(self.rate) - self.rate
        return logs

    def _initialize_sufficient_statistics(self):
        return super()._initialize_sufficient_statistics() | {"obs": 0.0, "post": 0.0}

    def _accumulate_sufficient_statistics(self, stats, x, lattice, posteriors, forward, backward):
        super()._accumulate_sufficient_statistics(stats, x, lattice, posteriors, forward, backward)
        stats["obs"] += posteriors.T @ x
        stats["post"] += posteriors.sum(axis=0)

    def _do_mstep(self, stats):
        super()._do_mstep(stats)
        jobs = stats["obs"].sum(axis=1)
        self.emissionprob_ = numpy.maximum(stats["obs"] / jobs[:, None], 1e-300)
        if self.rate is not None:
            self.rate = jobs / stats["post"]


def static(states, bins):
    """Algorithm 3 with the bounds i N / M that are meant."""
    b = numpy.zeros((states, bins))
    for i in range(states):
        first, end = i * bins // states, (i + 1) * bins // states
        b[i] = 1.0 / (end - first + bins)
        b[i, first:end] *= 2
    return b


def model(lean, implementation, load, x, states, rounds):
    common = dict(n_iter=rounds, tol=-numpy.inf, init_params="", implementation=implementation, startprob_prior=1.0, transmat_prior=1.0)
    b, rate = static(states, x.shape[1]), numpy.full(states, x.sum() / len(x))
    if lean:
        m = Lean(n_components=states, params="st", **common)
        m.emissionprob_, m.rate = b, rate if load == "poisson" else None
    elif load == "poisson":
        m = hmm.PoissonHMM(n_components=states, lambdas_prior=0.0, lambdas_weight=0.0, **common)
        m.lambdas_ = rate[:, None] * b
    else:
        m = hmm.MultinomialHMM(n_components=states, n_trials=x.sum(axis=1), **common)
        m.emissionprob_ = b
    m.startprob_ = numpy.full(states, 1.0 / states)
    m.transmat_ = numpy.full((states, states), 1.0 / states)
    return m


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="?", type=argparse.FileType(), default=sys.stdin)
    parser.add_argument("--rounds", type=int, default=3, help="rounds a fit")
    parser.add_argument("--repeat", type=int, default=3, help="fits, of which the fastest counts")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of lines")
    options = parser.parse_args()
    logging.getLogger("hmmlearn").setLevel(logging.CRITICAL)
    warnings.filterwarnings("ignore", category=RuntimeWarning)

    data = json.load(options.file)
    load, states = data.get("load", "none"), data["states"]
    if load not in ("none", "poisson"):
        sys.exit(f"load {load}: hmmlearn has none and poisson")
    x = numpy.zeros((len(data["observations"]), data["bins"]), dtype=int)
    for t, slot in enumerate(data["observations"]):
        for j, count in slot:
            x[t, j] += count
    result = {"hmmlearn": hmmlearn.__version__, "states": states, "bins": data["bins"], "slots": len(x), "jobs": int(x.sum()), "load": load}
    if not options.json:
        print(", ".join(f"{key} {value}" for key, value in result.items()))
    for lean in (False, True):
        for implementation in ("log", "scaling"):
            best, failure = float("inf"), None
            for _ in range(options.repeat):
                m = model(lean, implementation, load, x, states, options.rounds)
                began = time.perf_counter()
                try:
                    m.fit(x)
                except ValueError as error:
                    failure = str(error)
                    break
                best = min(best, time.perf_counter() - began)
                if m.monitor_.iter != options.rounds:
                    failure = f"stopped after {m.monitor_.iter} rounds"
                elif not numpy.isfinite(m.monitor_.history[-1]):
                    failure = "log-likelihood is not finite"
            name = implementation + (" (lean)" if lean else "")
            figure = None if failure else best / options.rounds / len(x) * 1e6
            result[name] = {"us_per_slot_and_round": figure, "failure": failure}
            if not options.json:
                print(f"{name:15} {f'{figure:8.3f} us per slot and round' if figure else 'fails: ' + failure}")
    if options.json:
        print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
