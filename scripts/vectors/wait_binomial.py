#!/usr/bin/env python3
"""Reference indices of the binomial method.

tests/vectors/wait/exact.txt: by exact rational arithmetic for every n up to 2,000. A line: kind, quantile, confidence, the
first n with a bound, its index k, and for every later n one bit (in hexadecimal, padded at the end): whether k grew by one.

tests/vectors/wait/large.txt: by scipy's binom.ppf for large n, its index and the one below checked with mpmath's 50 digits. A
line: n, quantile, confidence, upper index, lower index.

Needs mpmath and scipy. Takes about a minute.
"""

import pathlib
from fractions import Fraction

from mpmath import mp, mpf
from scipy.stats import binom

FOLDER = pathlib.Path(__file__).parents[2] / "tests/vectors/wait"
LAST = 2000


def counts(q, holds):
    """For n = 1..LAST the smallest m with holds(Pr(Bin(n, q) <= m)), by recurrences over integers with denominator d^n:
    F(n, m) = d F(n - 1, m) - a f(n - 1, m) and f(n, m) = f(n - 1, m) n b / (n - m)."""
    a, d = q.numerator, q.denominator
    b = d - a
    state = None
    for n in range(1, LAST + 1):
        if state is None:
            # Is Pr(Bin(n, q) <= n - 1) = 1 - q^n enough?
            scale = d**n
            if not holds(scale - a**n, scale):
                yield n, n
                continue
            m, total = n - 1, scale - a**n
            term = n * a ** (n - 1) * b
            while m > 0 and holds(total - term, scale):
                total -= term
                term = term * m * b // ((n - m + 1) * a)
                m -= 1
        else:
            m, term, total, scale = state
            total = d * total - a * term
            scale *= d
            term = term * n * b // (n - m)
            while not holds(total, scale):
                term = term * (n - m) * a // ((m + 1) * b)
                m += 1
                total += term
        state = m, term, total, scale
        yield n, m


def upper(q, c):
    """k - 1 = the smallest m with Pr(Bin(n, q) <= m) >= C; no bound when m = n."""
    for n, m in counts(q, lambda total, scale: total * c.denominator >= scale * c.numerator):
        yield n, m + 1 if m < n else None


def lower(q, c):
    """The largest k with Pr(Bin(n, q) >= k) >= C, mirrored: n + 1 - k successes of 1 - q."""
    for n, k in upper(1 - q, c):
        yield n, n + 1 - k if k is not None else None


def row(kind, q, c):
    indices = {"upper": upper, "lower": lower}[kind](Fraction(q), Fraction(c))
    first, bits, last = None, "", None
    for n, k in indices:
        if k is None:
            assert first is None
        elif first is None:
            first, last = (n, k), k
        else:
            assert k - last in (0, 1)
            bits += str(k - last)
            last = k
    bits += "0" * (-len(bits) % 4)
    digits = "".join(f"{int(bits[i:i + 4], 2):x}" for i in range(0, len(bits), 4))
    return f"{kind} {q!r} {c!r} {first[0]} {first[1]} {digits}"


def exact():
    pairs = [(q, c) for q in (0.05, 0.25, 0.5, 0.9, 0.95) for c in (0.5, 0.95)]
    pairs += [(0.95, 0.8), (0.95, 0.99), (0.99, 0.95), (0.999, 0.6), (0.3, 0.2)]
    lines = [row(kind, q, c) for kind in ("upper", "lower") for q, c in pairs]
    (FOLDER / "exact.txt").write_text("\n".join(lines) + "\n")


def tail(n, k, q):
    """Pr(Bin(n, q) < k), from the terms below k."""
    q = mpf(q)
    term = mp.exp(mp.loggamma(n + 1) - mp.loggamma(k) - mp.loggamma(n - k + 2) + (k - 1) * mp.log(q) + (n - k + 1) * mp.log(1 - q))
    total, j = mpf(0), k - 1
    while j >= 0 and (term > total * mpf(10) ** -30 or total == 0 or j > n * q):
        total += term
        term *= j * (1 - q) / ((n - j + 1) * q)
        j -= 1
    return total


def large():
    mp.dps = 50
    lines = []
    for n in (2001, 10_000, 100_000, 123_457, 1_000_000, 9_999_999, 10_000_000):
        for q, c in ((0.95, 0.95), (0.5, 0.95), (0.99, 0.9), (0.05, 0.99), (0.75, 0.5)):
            up = int(binom.ppf(c, n, q)) + 1
            assert tail(n, up, q) >= c > tail(n, up - 1, q)
            low = int(binom.ppf(1 - c, n, q))
            low += tail(n, low + 1, q) <= 1 - mpf(c)
            assert tail(n, low, q) <= 1 - mpf(c) < tail(n, low + 1, q)
            lines.append(f"{n} {q!r} {c!r} {up} {low}")
    (FOLDER / "large.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    exact()
    large()
