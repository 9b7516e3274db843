"""Times scipy's binom.ppf for the index of a .95 confidence bound on the .95 quantile: microseconds a call.

    python scripts/bench-wait.py [N...]

One more wait makes n + 1 of them, and the index is asked for again: every call has another n. Needs scipy.
"""

import sys
import time

import scipy
from scipy.stats import binom

CALLS = 300

for n in map(int, sys.argv[1:] or ["59", "1000", "100000", "10000000"]):
    best = float("inf")
    for _ in range(5):
        begun = time.perf_counter()
        for more in range(CALLS):
            binom.ppf(0.95, n + more, 0.95)
        best = min(best, (time.perf_counter() - begun) / CALLS)
    print(f"scipy {scipy.__version__} binom.ppf, n = {n}: {1e6 * best:.1f} us")
