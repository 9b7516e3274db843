#!/usr/bin/env python3
"""Reference fits of the parametric rivals, by scipy: tests/vectors/wait/rivals.txt.

A line: quantile, confidence, log-normal bound, log-uniform quantile, Weibull shape, scale and quantile, then the waits. Needs numpy
and scipy.
"""

import pathlib

import numpy as np
from scipy.optimize import brentq
from scipy.stats import nct, norm

random = np.random.default_rng(4)
lines = []
for n, q, c in [(2, 0.95, 0.95), (5, 0.5, 0.9), (20, 0.95, 0.95), (60, 0.95, 0.95), (59, 0.9, 0.5), (40, 0.3, 0.2)]:
    waits = np.round(random.lognormal(5, 2, n), 1)
    x = np.maximum(waits, 1)
    y = np.log(x)
    factor = nct.ppf(c, n - 1, norm.ppf(q) * np.sqrt(n)) / np.sqrt(n)
    normal = np.exp(y.mean() + factor * y.std(ddof=1))
    uniform = np.exp(y.min() + q * (y.max() - y.min()))
    z = x / x.max()
    shape = brentq(lambda k: np.sum(z**k * y) / np.sum(z**k) - 1 / k - y.mean(), 0.01, 100, xtol=1e-14, rtol=1e-14)
    scale = np.mean(x**shape) ** (1 / shape)
    weibull = scale * (-np.log1p(-q)) ** (1 / shape)
    numbers = [q, c, normal, uniform, shape, scale, weibull, *waits]
    lines.append(" ".join(repr(float(number)) for number in numbers))
path = pathlib.Path(__file__).parents[2] / "tests/vectors/wait/rivals.txt"
path.write_text("\n".join(lines) + "\n")
