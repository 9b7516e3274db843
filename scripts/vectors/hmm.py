"""Test vectors for the hidden Markov model of run times (Nissimov 2006, chapter 3).

Written from the thesis and Rabiner (1989) alone, so that it can judge the library. Observations are slots; a slot is a sparse
list of (run-time bin, number of jobs). In state i a slot has the emission

    Pr(O_t | i) = Pr(l_t | i) * prod_j B_ij^x_jt,        l_t = sum_j x_jt,

with no multinomial coefficient; Pr(l | i) is 1 (load model none), e^-lambda lambda^l / l! (poisson) or p (1-p)^l (geometric).

Every number comes from forward and backward recursions in 50 decimal digits, rounded to doubles at the very end. Before
a file is written they are checked against
  * hmmlearn 0.3.3 (MultinomialHMM, PoissonHMM; the geometric load through hmmlearn's own recursions and M-step with this
    script's emissions), made plain maximum likelihood: Dirichlet priors of 1 add nothing, Poisson priors 0. The coefficients
    that hmmlearn has and the thesis has not (l! / prod x! for none, and for poisson) are subtracted;
  * enumeration of all state sequences, where there are at most 5000.

Run from the repository's root, hmmlearn 0.3.3 and mpmath 1.4 at hand (see tests/vectors/README.md):

    python scripts/vectors/hmm.py
"""

import itertools
import json
import logging
import pathlib
import random
import sys
import warnings

import hmmlearn
import numpy
from hmmlearn import base, hmm
from mpmath import mp, mpf

HMMLEARN = "0.3.3"
OUT = pathlib.Path("tests/vectors/hmm")
ROUNDS = (1, 5)
mp.dps = 50


# The model in 50 digits


class Model:
    def __init__(self, load, start, transition, emission, parameter):
        self.load = load
        self.start = [mpf(x) for x in start]
        self.transition = [[mpf(x) for x in row] for row in transition]
        self.emission = [[mpf(x) for x in row] for row in emission]
        self.parameter = [mpf(x) for x in parameter]
        self.states = range(len(start))
        self.bins = range(len(emission[0]))

    def slot(self, i, slot):
        jobs = sum(count for _, count in slot)
        p = mpf(1)
        if self.load == "poisson":
            p = mp.exp(-self.parameter[i]) * self.parameter[i] ** jobs / mp.factorial(jobs)
        elif self.load == "geometric":
            p = self.parameter[i] * (1 - self.parameter[i]) ** jobs
        for j, count in slot:
            p *= self.emission[i][j] ** count
        return p

    def slots(self, observations):
        return [[self.slot(i, slot) for i in self.states] for slot in observations]

    def maximised(self, observations, gamma, xi):
        """The M-step of one round. gamma[t][i]; xi[i][j] summed over t = 1 .. T-1."""
        weight = [sum(g[i] for g in gamma) for i in self.states]
        jobs = [
            sum(g[i] * sum(c for _, c in slot) for g, slot in zip(gamma, observations)) for i in self.states
        ]
        emission = [[mpf(0)] * len(self.bins) for _ in self.states]
        for i in self.states:
            for g, slot in zip(gamma, observations):
                for j, count in slot:
                    emission[i][j] += g[i] * count / jobs[i]
        if self.load == "poisson":
            parameter = [jobs[i] / weight[i] for i in self.states]
        elif self.load == "geometric":
            parameter = [weight[i] / (weight[i] + jobs[i]) for i in self.states]
        else:
            parameter = []
        transition = [[x / sum(row) for x in row] for row in xi]
        return Model(self.load, gamma[0], transition, emission, parameter)


def expectation(model, observations):
    """Likelihood, filtered probabilities after the last slot, gamma, summed xi: Rabiner's recursions, unscaled."""
    b, states, last = model.slots(observations), model.states, len(observations) - 1
    alpha = [[model.start[i] * b[0][i] for i in states]]
    for t in range(1, last + 1):
        alpha.append(
            [mp.fdot(alpha[-1], [row[j] for row in model.transition]) * b[t][j] for j in states]
        )
    beta = [[mpf(1)] * len(states)]
    for t in range(last, 0, -1):
        ahead = [b[t][j] * beta[0][j] for j in states]
        beta.insert(0, [mp.fdot(model.transition[i], ahead) for i in states])
    likelihood = sum(alpha[last])
    gamma = [[x * y / likelihood for x, y in zip(a, c)] for a, c in zip(alpha, beta)]
    xi = [
        [
            model.transition[i][j]
            * mp.fsum(alpha[t][i] * b[t + 1][j] * beta[t + 1][j] for t in range(last))
            / likelihood
            for j in states
        ]
        for i in states
    ]
    return likelihood, [x / likelihood for x in alpha[last]], gamma, xi


def viterbi(model, observations):
    """The most likely path, its probability and how much less likely the best path through another predecessor is (log)."""
    b, states = model.slots(observations), model.states
    best = [model.start[i] * b[0][i] for i in states]
    back, margins = [], []
    for t in range(1, len(observations)):
        came = [sorted(states, key=lambda i: best[i] * model.transition[i][j], reverse=True) for j in states]
        margins.append(
            [(best[c[0]] * model.transition[c[0]][j], best[c[1]] * model.transition[c[1]][j]) for j, c in enumerate(came)]
        )
        best = [best[c[0]] * model.transition[c[0]][j] * b[t][j] for j, c in enumerate(came)]
        back.append([c[0] for c in came])
    order = sorted(best, reverse=True)
    gaps = [(order[0], order[1])]
    path = [best.index(order[0])]
    for row, margin in zip(reversed(back), reversed(margins)):
        gaps.append(margin[path[0]])
        path.insert(0, row[path[0]])
    margin = min((mp.log(x / y) for x, y in gaps if y > 0), default=mp.inf)
    return path, order[0], margin


def train(model, observations, rounds):
    """Models after each round and the log-likelihoods before the first and after every round."""
    models, likelihoods = [model], []
    for _ in range(rounds):
        likelihood, _, gamma, xi = expectation(models[-1], observations)
        likelihoods.append(mp.log(likelihood))
        models.append(models[-1].maximised(observations, gamma, xi))
    likelihoods.append(mp.log(expectation(models[-1], observations)[0]))
    assert all(y >= x for x, y in zip(likelihoods, likelihoods[1:])), "a round lowered the likelihood"
    return models, likelihoods


# Judge one: enumeration of all state sequences


def enumeration(model, observations):
    b, states, slots = model.slots(observations), model.states, range(len(observations))
    total, best, best_path = mpf(0), mpf(-1), None
    gamma = [[mpf(0)] * len(states) for _ in slots]
    xi = [[mpf(0)] * len(states) for _ in states]
    for path in itertools.product(states, repeat=len(observations)):
        p = model.start[path[0]]
        for t in slots:
            p *= b[t][path[t]] * (model.transition[path[t - 1]][path[t]] if t else 1)
        total += p
        if p > best:
            best, best_path = p, path
        for t in slots:
            gamma[t][path[t]] += p
            if t:
                xi[path[t - 1]][path[t]] += p
    gamma = [[x / total for x in row] for row in gamma]
    return total, gamma[-1], gamma, [[x / total for x in row] for row in xi], list(best_path), best


# Judge two: hmmlearn


def coefficients(load, observations):
    """Logarithm of what hmmlearn multiplies into the likelihood and the thesis does not: l! / prod x!."""
    return sum(
        mp.log(mp.factorial(sum(c for _, c in slot))) - sum(mp.log(mp.factorial(c)) for _, c in slot)
        for slot in observations
    ) if load != "geometric" else mpf(0)


def dense(observations, bins):
    x = numpy.zeros((len(observations), bins), dtype=int)
    for t, slot in enumerate(observations):
        for j, count in slot:
            x[t, j] += count
    return x


class Geometric(base.BaseHMM):
    """hmmlearn's recursions and M-step for start and transition under the thesis's emission with geometric load."""

    def _check(self):
        pass

    def _init(self, x, lengths=None):
        pass

    def _compute_log_likelihood(self, x):
        with numpy.errstate(divide="ignore", invalid="ignore"):
            terms = x[:, None, :] * numpy.log(self.emissionprob_)[None, :, :]
        bins = numpy.where(x[:, None, :] == 0, 0.0, terms).sum(axis=2)
        load = x.sum(axis=1)[:, None] * numpy.log1p(-self.p_) + numpy.log(self.p_)
        return bins + load

    def _initialize_sufficient_statistics(self):
        stats = super()._initialize_sufficient_statistics()
        return stats | {"obs": 0.0, "post": 0.0}

    def _accumulate_sufficient_statistics(self, stats, x, lattice, posteriors, forward, backward):
        super()._accumulate_sufficient_statistics(stats, x, lattice, posteriors, forward, backward)
        stats["obs"] += posteriors.T @ x
        stats["post"] += posteriors.sum(axis=0)

    def _do_mstep(self, stats):
        super()._do_mstep(stats)
        jobs = stats["obs"].sum(axis=1)
        self.emissionprob_ = stats["obs"] / jobs[:, None]
        self.p_ = stats["post"] / (stats["post"] + jobs)


def learner(model, rounds):
    common = dict(startprob_prior=1.0, transmat_prior=1.0, n_iter=rounds, tol=-numpy.inf, init_params="", implementation="log")
    b = numpy.array(model.emission, dtype=float)
    parameter = numpy.array(model.parameter, dtype=float)
    if model.load == "none":
        h = hmm.MultinomialHMM(n_components=len(b), params="ste", **common)
        h.emissionprob_ = b
    elif model.load == "poisson":
        h = hmm.PoissonHMM(n_components=len(b), params="stl", lambdas_prior=0.0, lambdas_weight=0.0, **common)
        h.lambdas_ = parameter[:, None] * b
    else:
        h = Geometric(n_components=len(b), params="st", **common)
        h.emissionprob_, h.p_ = b, parameter
    h.startprob_ = numpy.array(model.start, dtype=float)
    h.transmat_ = numpy.array(model.transition, dtype=float)
    return h


def learned(h, load):
    """hmmlearn's parameters as (start, transition, emission, load parameter)."""
    if load == "poisson":
        rate = h.lambdas_.sum(axis=1)
        return h.startprob_, h.transmat_, h.lambdas_ / rate[:, None], rate
    return h.startprob_, h.transmat_, h.emissionprob_, h.p_ if load == "geometric" else numpy.zeros(0)


def close(name, what, ours, theirs, tolerance):
    ours, theirs = numpy.array(ours, dtype=float), numpy.array(theirs, dtype=float)
    worst = numpy.max(numpy.abs(ours - theirs) / numpy.maximum(1.0, numpy.abs(ours)), initial=0.0)
    if not worst <= tolerance:
        sys.exit(f"{name}: {what} differs by {worst:.3g} (allowed {tolerance:g})")
    return worst


def parameters(m):
    return m.start, m.transition, m.emission, m.parameter


def judge(name, model, observations, result, path, path_probability, models, likelihoods):
    likelihood, filtered, gamma, xi = result
    said = []
    if len(model.states) ** len(observations) <= 5000:
        worst = mpf(0)
        for m, expected in zip(models, likelihoods):
            total, f, g, x, p, best = enumeration(m, observations)
            own = expectation(m, observations)
            for a, b in [([own[0] / total], [1]), (own[1], f), (sum(own[2], []), sum(g, [])), (sum(own[3], []), sum(x, []))]:
                worst = max(worst, max(abs(u - v) for u, v in zip(a, b)))
            worst = max(worst, abs(mp.log(total) - expected))
            if m is model:
                assert p == path and abs(best / path_probability - 1) < mpf("1e-40"), f"{name}: Viterbi"
        assert worst < mpf("1e-40"), f"{name}: enumeration differs by {worst}"
        said.append(f"enumeration {float(worst):.0e}")

    x = dense(observations, len(model.bins))
    constant = coefficients(model.load, observations)
    worst = 0.0
    h = learner(model, 1)
    if model.load == "none":
        h.n_trials = x.sum(axis=1)
    score, posteriors = h.score_samples(x)
    best, states = h.decode(x, algorithm="viterbi")
    worst = max(worst, close(name, "log-likelihood", mp.log(likelihood), score - float(constant), 1e-12))
    worst = max(worst, close(name, "gamma", gamma, posteriors, 1e-10))
    worst = max(worst, close(name, "filtered", filtered, posteriors[-1], 1e-10))
    worst = max(worst, close(name, "Viterbi probability", mp.log(path_probability), best - float(constant), 1e-12))
    assert list(states) == path, f"{name}: Viterbi path"
    for rounds in range(1, len(models)):
        h = learner(model, rounds)
        if model.load == "none":
            h.n_trials = x.sum(axis=1)
        h.fit(x)
        for what, a, b in zip(("start", "transition", "emission", "load"), parameters(models[rounds]), learned(h, model.load)):
            worst = max(worst, close(name, f"{what} after {rounds}", a, b, 1e-10))
        assert h.monitor_.iter == rounds, f"{name}: hmmlearn stopped after {h.monitor_.iter} rounds"
        worst = max(worst, close(name, "trained log-likelihood", likelihoods[rounds], h.score(x) - float(constant), 1e-12))
    said.append(f"hmmlearn {worst:.0e}")
    print(f"{name}: {', '.join(said)}")


# Cases


def distribution(rng, length, sharpness, zeros=()):
    """Random probabilities in units of 2^-16: doubles that sum to one exactly."""
    weights = [0.0 if k in zeros else rng.random() ** sharpness + 1e-3 for k in range(length)]
    units = [0 if k in zeros else max(1, int(w / sum(weights) * 65536)) for k, w in enumerate(weights)]
    units[units.index(max(units))] += 65536 - sum(units)
    return [u / 65536 for u in units]


def sticky(rng, states, stay, zeros):
    rows = []
    for i in range(states):
        row = distribution(rng, states, 2.0, [j for k, j in zeros if k == i])
        units = [round(u * 65536 * (1 - stay)) for u in row]
        units[i] += 65536 - sum(units)
        rows.append([u / 65536 for u in units])
    return rows


def draw(rng, probabilities):
    u = rng.random()
    for k, p in enumerate(probabilities):
        u -= p
        if u < 0:
            return k
    return max(range(len(probabilities)), key=lambda k: probabilities[k])


def walk(rng, start, transition, emission, loads, slots, crowds=()):
    """Observations drawn from a model whose state i sends loads[i](rng) jobs a slot; `crowds` forces the load of some slots."""
    state, observations = draw(rng, start), []
    for t in range(slots):
        jobs = dict(crowds).get(t, loads[state](rng))
        counts = {}
        for _ in range(jobs):
            j = draw(rng, emission[state])
            counts[j] = counts.get(j, 0) + 1
        observations.append(sorted(counts.items()))
        state = draw(rng, transition[state])
    return observations


def geometric(p):
    def load(rng):
        n = 0
        while rng.random() > p:
            n += 1
        return n

    return load


def case(name, about, seed, load, states, bins, slots, empty, stay=0.5, sharpness=2.0, crowds=(), zeros=((), (), ()), shown=()):
    """A true model draws the observations; another random model is the one given in the file."""
    rng = random.Random(seed)
    truth = (
        distribution(rng, states, 1.0),
        sticky(rng, states, max(stay, 0.8), ()),
        [distribution(rng, bins, 6.0) for _ in range(states)],
    )
    loads = [geometric(min(0.98, max(0.1, empty + 0.3 * (rng.random() - 0.5)))) for _ in range(states)]
    observations = walk(rng, *truth, loads, slots, crowds)
    for j in range(bins):  # a bin without any job would leave an all-zero column to train
        if not any(k == j for slot in observations for k, _ in slot):
            t = rng.randrange(slots)
            observations[t] = sorted(observations[t] + [(j, 1)])
    parameter = {
        "none": [],
        "poisson": [round(1024 * (0.2 + 3 * rng.random())) / 1024 for _ in range(states)],
        "geometric": [round(1024 * (0.15 + 0.7 * rng.random())) / 1024 for _ in range(states)],
    }[load]
    model = Model(
        load,
        distribution(rng, states, 1.0, zeros[0]),
        sticky(rng, states, stay, zeros[1]),
        [distribution(rng, bins, sharpness, [j for k, j in zeros[2] if k == i]) for i in range(states)],
        parameter,
    )
    result = expectation(model, observations)
    path, path_probability, margin = viterbi(model, observations)
    assert margin > 1e-6, f"{name}: the most likely path is not unique enough ({float(margin):.1g})"
    models, likelihoods = train(model, observations, max(ROUNDS))
    judge(name, model, observations, result, path, path_probability, models, likelihoods)

    f = lambda x: [f(y) for y in x] if isinstance(x, (list, tuple)) else float(x)
    text = {
        "name": name,
        "about": about,
        "load": load,
        "states": states,
        "bins": bins,
        "slots": slots,
        "start": f(model.start),
        "transition": f(model.transition),
        "emission": f(model.emission),
        "load_parameter": f(model.parameter),
        "observations": observations,
        "log_likelihood": f(mp.log(result[0])),
        "filtered": f(result[1]),
        "gamma": [{"slot": t, "probabilities": f(result[2][t])} for t in shown or range(slots)],
        "viterbi": {"log_probability": f(mp.log(path_probability)), "path": path},
        "log_likelihoods": f(likelihoods),
        "trained": [
            {
                "rounds": r,
                "start": f(models[r].start),
                "transition": f(models[r].transition),
                "emission": f(models[r].emission),
                "load_parameter": f(models[r].parameter),
            }
            for r in ROUNDS
        ],
    }
    lines = ",\n".join(f"{json.dumps(k)}: {json.dumps(v, allow_nan=False)}" for k, v in text.items())
    (OUT / f"{name}.json").write_text("{\n" + lines + "\n}\n")


def main():
    if hmmlearn.__version__ != HMMLEARN:
        sys.exit(f"hmmlearn {HMMLEARN} is wanted, {hmmlearn.__version__} is here")
    logging.getLogger("hmmlearn").setLevel(logging.CRITICAL)
    warnings.filterwarnings("ignore", category=RuntimeWarning)
    OUT.mkdir(parents=True, exist_ok=True)
    for k, load in enumerate(("none", "poisson", "geometric")):
        case(f"tiny-2-{load}", "two states, enumerable", 10 + k, load, 2, 3, 10, 0.4)
        case(f"tiny-3-{load}", "three states, enumerable", 20 + k, load, 3, 5, 7, 0.35)
        case(f"tiny-4-{load}", "four states, enumerable", 30 + k, load, 4, 4, 6, 0.3)
        case(
            f"zeros-3-{load}",
            "three states, some start, transition and emission probabilities zero, enumerable",
            40 + k, load, 3, 4, 7, 0.3,
            zeros=((1,), ((0, 2), (2, 1)), ((0, 3), (1, 0))),
        )
        case(f"middle-4-{load}", "four states, 200 slots", 50 + k, load, 4, 6, 200, 0.5, shown=(0, 1, 50, 99, 150, 198, 199))
        case(
            f"large-16-{load}",
            "sixteen states, 400 slots, most of them empty, some crowded (20 to 300 jobs)",
            60 + k, load, 16, 24, 400, 0.8,
            stay=0.7, sharpness=1.0, crowds=((37, 25), (120, 300), (121, 60), (260, 20), (399, 45)),
            shown=(0, 36, 37, 120, 121, 200, 399),
        )


if __name__ == "__main__":
    main()
