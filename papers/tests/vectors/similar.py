"""Makes similar.json: what SciPy says of small samples, for tests/similar.rs. SciPy 1.17, NumPy 2.4."""

import json

import numpy as np
from scipy.stats import ks_2samp, pearsonr

rng = np.random.default_rng(2004)
cases = []
for size_a, size_b, most in [(1, 1, 5), (5, 9, 4), (40, 25, 12), (60, 60, 100_000), (80, 31, 2)]:
    a = rng.integers(1, most + 1, size_a)
    b = rng.integers(1, most + 1, size_b)
    other = rng.integers(0, 1000, size_a)
    centred = a - a.mean()
    constant = size_a < 2 or np.ptp(a) == 0
    cases.append(
        {
            "a": a.tolist(),
            "b": b.tolist(),
            "other": other.tolist(),
            "ks": float(ks_2samp(a, b, method="asymp").statistic),
            "correlation": None if constant else float(pearsonr(a, other).statistic),
            "autocorrelation": None
            if constant
            else float(np.dot(centred[:-1], centred[1:]) / np.dot(centred, centred)),
        }
    )
with open("similar.json", "w") as out:
    json.dump(cases, out)
    out.write("\n")
