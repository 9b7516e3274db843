"""What wait_bounds must print, by exact arithmetic: the tests' own binomial tails, in fractions, on sorted lists.

    wait_bounds.py history                        200 short jobs with short waits, 200 long ones with long ones, mixed
    wait_bounds.py answers REQUESTED PROCESSORS [AGE] < HISTORY
"""

import itertools
import sys
from fractions import Fraction
from math import comb

CONFIDENCE = Fraction(95, 100)


def history():
    for i in range(1, 401):
        wait = i * 7919 % 1000
        print(*((5000 + 20 * wait, 36000, 4) if i % 2 else (wait, 3600, 4)))


def tails(n, p):
    """Pr(Bin(n, p) < k) for k from 1 to n."""
    terms = (comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(n))
    return list(itertools.accumulate(terms))


def upper(n, p):
    return next((k for k, tail in enumerate(tails(n, p), 1) if tail >= CONFIDENCE), None)


def lower(n, p):
    return max((k for k, tail in enumerate(tails(n, p), 1) if 1 - tail >= CONFIDENCE), default=None)


def at_least(hits, n):
    """Clopper and Pearson's lower bound: the p with Pr(Bin(n, p) >= hits) = 1 - confidence."""
    if hits == 0:
        return 0.0
    low, high = 0.0, 1.0
    for _ in range(20):
        middle = (low + high) / 2
        if 1 - tails(n, Fraction(middle))[hits - 1] <= 1 - CONFIDENCE:
            low = middle
        else:
            high = middle
    return low


def side(name, waits, k):
    return f"  ({name}: too few waits)" if k is None else f"  {name} {waits[k - 1]:8} s"


def answers(requested, processors, age):
    jobs = [tuple(map(int, line.split())) for line in sys.stdin]
    # The clusters that there are: those of history().
    waits = sorted(wait for wait, limit, _ in jobs if (limit > 3600) == (requested > 3600))
    counted = [wait for wait in waits if wait >= age]
    n = len(counted)
    print(f"{len(jobs)} waits; for {requested} s on {processors} processors, with 95 % confidence:")
    for percent in (50, 75, 90, 95):
        quantile = Fraction(percent, 100)
        line = f"the {percent / 100:4.2f} quantile of the wait is"
        if age == 0:
            line += side("at least", waits, lower(len(waits), quantile))
        print(line + side("at most", counted, upper(n, quantile)))
    for span in (600, 3600, 14400, 86400):
        hits = sum(wait <= age + span for wait in counted)
        probability = hits / n if n else 0.0
        print(f"it starts within {span:5} s with probability {probability:5.3f}, at least {at_least(hits, n):5.3f}")


if sys.argv[1] == "history":
    history()
else:
    answers(int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]) if len(sys.argv) > 4 else 0)
