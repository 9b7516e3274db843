#!/usr/bin/env python2
"""Writes regression.json: what the authors' program of Gaussier et al. 2015 predicts, example by example.

    python2 simulator/tests/vectors/regression.py FOLDER/simulation/pyss/src/predictors > simulator/tests/vectors/regression.json

FOLDER is a copy of predictsim (https://github.com/jad-darrous/predictsim), which is a program for Python 2. The loss, step size
and regularisation are those of its configuration with the paper's E-Loss: right side the square, left side the amount, weight
1 + log(m r).
"""
import json
import math
import random
import sys

sys.path.insert(0, sys.argv[1])
from valopt.algos.nag import NAG  # noqa: E402
from valopt.losses.composite import CompositeLoss  # noqa: E402
from valopt.losses.losscurves.abs import Abscurve  # noqa: E402
from valopt.losses.losscurves.square import Squarecurve  # noqa: E402
from valopt.losses.regularizations.l2 import L2  # noqa: E402
from valopt.losses.regularized_loss import RegularizedLoss  # noqa: E402
from valopt.models.linear_model import LinearModel  # noqa: E402

DIMENSIONS = 6
draw = random.Random(5)
model = LinearModel(DIMENSIONS)
loss = CompositeLoss(model, Squarecurve(model, 1), Abscurve(model, 1), 0)
learner = NAG(model, RegularizedLoss(model, loss, L2(), 4000000000), 5000)
examples = []
for number in range(300):
    limit = draw.choice([600, 3600, 86400])
    run_time, processors = max(1, int(limit * draw.random() ** 3)), draw.choice([1, 2, 8, 64])
    x = [1.0, limit, processors, run_time * draw.random(), limit * processors, draw.uniform(-1, 1) if number > 10 else 0.0]
    predicted = learner.predict(x)
    weight = 1 + math.log(processors * run_time)
    learner.fit(x, run_time, w=weight)
    examples.append([x, run_time, weight, predicted])
json.dump(examples, sys.stdout)
print("")
