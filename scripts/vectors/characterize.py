"""Test vectors for section 3.5 of Nissimov 2006: distributions of loads by maximum likelihood, durations of states.

Samples are drawn here (Python's generator, fixed seeds). Likelihoods are scipy's own densities and distribution functions,
discretised as p(n) = F(n+1) - F(n), and maximised with scipy's Nelder-Mead from several starts, in the parameters as they are
printed (a, k, mu, sigma, s); then polished by a second run. The bias corrections are computed from their definitions, the
expected number of non-empty bins both as the sum and, in 2000 digits, by the thesis's alternating closed form.

Run from the repository's root (see tests/vectors/README.md):

    python scripts/vectors/characterize.py
"""

import collections
import json
import math
import pathlib
import random

import numpy
from mpmath import mp, mpf
from scipy import optimize, special, stats

OUT = pathlib.Path("tests/vectors/characterize")


def histogram(values):
    return sorted(collections.Counter(values).items())


def maximum(ln_probability, starts, transform):
    """The best parameters and their log-likelihood; `transform` maps free numbers to parameters."""

    def cost(u):
        with numpy.errstate(all="ignore"):
            value = -ln_probability(*transform(u))
        return value if math.isfinite(value) else 1e300

    best = None
    for start in starts:
        u = numpy.array(start, dtype=float)
        for _ in range(3):
            u = optimize.minimize(cost, u, method="Nelder-Mead", options=dict(xatol=1e-12, fatol=1e-12, maxiter=10000, maxfev=10000)).x
        if best is None or cost(u) < cost(best):
            best = u
    return [float(x) for x in transform(best)], -cost(best)


def fits(bins):
    n = numpy.array([b[0] for b in bins], dtype=float)
    count = numpy.array([b[1] for b in bins], dtype=float)
    total = count.sum()
    mean = (n * count).sum() / total
    smallest = n[0]

    def between(d):
        """ln(F(n+1) - F(n)) from whichever tail is smaller."""
        def ln(*parameters):
            low, high = d(*parameters).cdf, d(*parameters).sf
            p = numpy.where(low(n) > 0.5, high(n) - high(n + 1), low(n + 1) - low(n))
            return (count * numpy.log(p)).sum()
        return ln

    exp = numpy.exp
    out = {
        "poisson": ([mean], (count * stats.poisson(mean).logpmf(n)).sum()),
        "geometric": ([1 / (1 + mean)], (count * stats.geom(1 / (1 + mean), loc=-1).logpmf(n)).sum()),
        "zeta": maximum(
            lambda s: -(count * (s * numpy.log(n + 1))).sum() - total * numpy.log(special.zeta(s)),
            [[0.0], [1.0], [-2.0]],
            lambda u: [1 + exp(u[0])],
        ),
        "log-normal": maximum(
            between(lambda mu, sigma: stats.lognorm(sigma, scale=exp(mu))),
            [[m, s] for m in (math.log(mean + 0.1) - 1, math.log(mean + 0.1)) for s in (-0.5, 0.5)],
            lambda u: [u[0], exp(u[1])],
        ),
        # k below n_min + 1, else the smallest load would be impossible.
        "pareto": maximum(
            between(lambda a, k: stats.pareto(a, scale=k)),
            [[a, v] for a in (-0.5, 0.5, 1.5) for v in (-1.0, 1.0)],
            lambda u: [exp(u[0]), smallest + special.expit(u[1]) if smallest else special.expit(u[1])],
        ),
        # Lomax in scipy.
        "shifted-pareto": maximum(
            between(lambda a, k: stats.lomax(a, scale=k)),
            [[a, k] for a in (0.0, 1.0, 2.0) for k in (math.log(mean + 0.1), math.log(mean + 0.1) + 1.5)],
            lambda u: [exp(u[0]), exp(u[1])],
        ),
    }
    entropy = -(count / total * numpy.log2(count / total)).sum()
    return [
        {
            "family": family,
            "parameters": [float(p) for p in parameters],
            "log_likelihood": float(value),
            "kl_bits": float(-value / total / math.log(2) - entropy),
        }
        for family, (parameters, value) in out.items()
    ]


def loads(name, about, values):
    bins = histogram(values)
    return {"name": name, "about": about, "bins": bins, "fits": fits(bins)}


def durations(name, values):
    bins = histogram(values)
    total = len(values)
    p = mpf(total) / sum(values)
    entropy = -sum(mpf(c) / total * mp.log(mpf(c) / total, 2) for _, c in bins)
    cross = -sum(mpf(c) / total * mp.log(p * (1 - p) ** (n - 1) if n > 1 else p, 2) for n, c in bins)
    m, term, n = mpf(0), mpf(1), 0
    while term > mpf(10) ** -30:
        term = 1 - (1 - p * (1 - p) ** n) ** total
        m, n = m + term, n + 1
    with mp.workdps(2000):
        exact = mpf(total) / sum(values)
        closed = -sum(mp.binomial(total, k) * (-exact) ** k / (1 - (1 - exact) ** k) for k in range(1, total + 1))
        assert abs(closed - m) < mpf(10) ** -20, (closed, m)
    bias = lambda m: (m - 1) / (2 * total * mp.log(2))
    return {
        "name": name,
        "bins": bins,
        "p": float(p),
        "nonempty_geometric": float(m),
        "kl_bits": float(cross - entropy),
        "kl_simple_bits": float(cross - entropy - bias(len(bins))),
        "kl_geometric_bits": float(cross - entropy - bias(m)),
    }


def geometric(rng, p):
    return int(math.log(1 - rng.random()) / math.log(1 - p))


def main():
    mp.dps = 50
    rng = random.Random(2006)
    lomax = lambda a, k: int(k * ((1 - rng.random()) ** (-1 / a) - 1))
    load = [
        loads("poisson", "binomial, nearly Poisson of mean 4", [sum(rng.random() < 0.04 for _ in range(100)) for _ in range(900)]),
        loads("heavy", "shifted Pareto, a 1.3, k 2", [lomax(1.3, 2) for _ in range(1500)]),
        loads("log-normal", "log-normal, mu 1.2, sigma 0.8", [int(math.exp(rng.gauss(1.2, 0.8))) for _ in range(1200)]),
        loads("sparse", "one slot in eight holds jobs, some many", [lomax(1.1, 3) if rng.random() < 0.12 else 0 for _ in range(3000)]),
        loads("no-empty", "at least three jobs", [3 + lomax(2.0, 4) for _ in range(500)]),
        loads("few", "twelve slots", [0, 0, 1, 0, 2, 0, 0, 1, 5, 0, 3, 14]),
        loads("mixed", "two geometric distributions", [geometric(rng, 0.5) if rng.random() < 0.7 else geometric(rng, 0.04) for _ in range(2000)]),
    ]
    duration = [
        durations("few", [1, 1, 2, 1, 4, 1, 1, 9]),
        durations("many", [1 + geometric(rng, 0.15) for _ in range(700)]),
        durations("long", [1 + geometric(rng, 0.01) for _ in range(60)]),
        durations("heavy", [1 + lomax(1.2, 2) for _ in range(300)]),
    ]
    OUT.mkdir(parents=True, exist_ok=True)
    for name, cases in (("loads", load), ("durations", duration)):
        text = ",\n".join(json.dumps(case, allow_nan=False) for case in cases)
        (OUT / f"{name}.json").write_text(f"[\n{text}\n]\n")


if __name__ == "__main__":
    main()
