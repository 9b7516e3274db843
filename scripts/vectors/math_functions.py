#!/usr/bin/env python3
"""Reference values of the special functions, by mpmath with 50 digits: tests/vectors/math/functions.txt.

One line a value: the function's name, its arguments, its value, all as shortest decimals of doubles. Needs mpmath.
"""

import pathlib

from mpmath import mp, mpf

mp.dps = 50
lines = []


def put(name, *numbers):
    lines.append(" ".join([name] + [repr(float(x)) for x in numbers]))


def binomial_tails(n, k, q):
    """Pr(Bin(n, q) < k) and the rest, by summing the shorter way from the terms nearest k."""
    q = mpf(q)
    p = 1 - q

    def term(j):
        return mp.exp(mp.loggamma(n + 1) - mp.loggamma(j + 1) - mp.loggamma(n - j + 1) + j * mp.log(q) + (n - j) * mp.log(p))

    def tail(j, step):
        total, t = mpf(0), term(j)
        while 0 <= j <= n and (total == 0 or t > total * mpf(10) ** -30):
            total += t
            t *= (n - j) * q / ((j + 1) * p) if step > 0 else j * p / ((n - j + 1) * q)
            j += step
        return total

    if k > n * q:
        above = tail(k, 1)
        return 1 - above, above
    below = tail(k - 1, -1)
    return below, 1 - below


for x in [1e-3, 0.01, 0.5, 1, 2.5, 7.99, 8, 10, 15, 100, 1e4, 1e7]:
    d = mp.loggamma(mpf(x) + 1) - (mpf(x) + mpf(1) / 2) * mp.log(x) + x - mp.log(2 * mp.pi) / 2
    put("stirling_error", x, d)
for x, m in [(1, 1), (5, 4), (100, 101.5), (1e7, 9.99e6), (3, 30), (40, 2), (1e-3, 1)]:
    put("deviance", x, m, mpf(x) * mp.log(mpf(x) / mpf(m)) + mpf(m) - mpf(x))
for x in [-37, -20, -8, -3, -1.5, -0.5, 0, 0.1, 1, 2, 5, 8]:
    put("normal_cdf", x, mp.ncdf(x))
for p in [1e-300, 1e-20, 1e-8, 1e-3, 0.02, 0.05, 0.075, 0.3, 0.5, 0.7, 0.95, 0.975, 0.99, 0.999999]:
    # ncdf(x) = p by bisection
    low, high = mpf(-40), mpf(40)
    for _ in range(220):
        middle = (low + high) / 2
        if mp.ncdf(middle) < mpf(p):
            low = middle
        else:
            high = middle
    put("normal_quantile", p, low)
for a, b, x in [(0.5, 0.5, 0.3), (0.5, 4, 1e-6), (2, 3, 0.75), (30, 0.5, 0.9), (10, 10, 0.5), (200, 300, 0.41), (1000.5, 20.25, 0.97),
                (1e-2, 1e-2, 0.5), (5e-3, 100, 1e-4), (3, 1e5, 1e-5)]:
    value = mp.betainc(a, b, 0, mpf(x), regularized=True)
    put("incomplete_beta", a, b, x, value, 1 - value)
for t, v in [(0, 3), (1, 1), (-2.5, 4), (2, 58), (1.6, 1e5), (-40, 2.5), (6, 30)]:
    x = mpf(v) / (v + mpf(t) ** 2)
    tail = mp.betainc(mpf(v) / 2, mpf(1) / 2, 0, x, regularized=True) / 2
    put("student_cdf", t, v, tail if t < 0 else 1 - tail)
for n in [1, 2, 10, 59, 300, 2000, 10**5, 10**7]:
    for q in [0.05, 0.5, 0.95, 0.999]:
        sd = (n * q * (1 - q)) ** 0.5
        for z in [-6, -1.6, 0, 1.7, 5]:
            k = min(max(round(n * q + z * sd), 1), n)
            below, above = binomial_tails(n, k, q)
            put("binomial_tails", n, k, q, below, above)


def noncentral_cdf(t, v, d):
    """The integral of Phi(t s - d) over the density of s = chi_v / sqrt(v)."""
    t, v, d = mpf(t), mpf(v), mpf(d)
    constant = mp.log(2) + v / 2 * mp.log(v / 2) - mp.loggamma(v / 2)

    def f(s):
        return mp.ncdf(t * s - d) * mp.exp(constant + (v - 1) * mp.log(s) - v * s * s / 2)

    spread = 1 / mp.sqrt(2 * v)
    points = {mpf(0), mpf(1) + 45 * spread}
    for i in range(-12, 13):
        points.add(1 + i * spread)
        if t != 0:
            points.add(d / t + i / abs(t))
    points = sorted(p for p in points if 0 <= p <= 1 + 45 * spread)
    return mp.quad(f, points)


mp.dps = 30
for t, v, d in [(0, 5, 1), (2, 1, 0), (-1, 3, 0.5), (37, 1, 2.3), (15, 58, 12.6), (14, 58, 12.6), (520, 99999, 520.1),
                (522.5, 99999, 520.1), (5, 10, -2), (1000, 2, 2.8), (3, 2000, 0)]:
    put("noncentral_cdf", t, v, d, noncentral_cdf(t, v, d))

path = pathlib.Path(__file__).parents[2] / "tests/vectors/math/functions.txt"
path.write_text("\n".join(lines) + "\n")
