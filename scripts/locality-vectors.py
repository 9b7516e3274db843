#!/usr/bin/env python3
"""Expected mutual information by scikit-learn, for papers/tests/locality.rs.

Writes papers/tests/vectors/expected_information.json: the jobs of every group (as counts of every bin), and in bits the
mutual information and its expectation over all shuffles (Vinh, Epps & Bailey 2010). Made with scikit-learn 1.9.1:

    pip install scikit-learn
    python3 scripts/locality-vectors.py > papers/tests/vectors/expected_information.json
"""

import json
import math

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.metrics import mutual_info_score
from sklearn.metrics.cluster import expected_mutual_information

random = np.random.default_rng(2006)


def vector(table):
    jobs = int(table.sum())
    naive = mutual_info_score(None, None, contingency=csr_matrix(table))
    expected = expected_mutual_information(csr_matrix(table), jobs)
    return {
        "table": table.tolist(),
        "information": naive / math.log(2),
        "expected": expected / math.log(2),
    }


def table(groups, bins, jobs, skew):
    """Groups and bins of very different sizes, related by chance and by place."""
    of_groups = random.zipf(skew, groups).astype(float)
    of_bins = random.zipf(skew, bins).astype(float)
    share = np.outer(of_groups, of_bins) * (1 + 3 * np.eye(groups, bins))
    counts = random.multinomial(jobs, (share / share.sum()).ravel()).reshape(groups, bins)
    counts = counts[counts.sum(axis=1) > 0]
    return counts[:, counts.sum(axis=0) > 0]


SHAPES = [(2, 2, 4, 2.0), (3, 5, 20, 1.5), (30, 4, 60, 1.5), (40, 12, 500, 1.5), (8, 30, 3000, 1.3), (60, 20, 20000, 1.3)]
print(json.dumps([vector(table(*shape)) for shape in SHAPES], separators=(",", ":")))
