"""
Pairs: a learned metric
=======================

Three groups differ in two quiet columns; four loud ones say nothing. The pairs among forty rows
are enough to learn a metric that turns the loud columns down, and any method may follow.
"""

import numpy as np

from sidelight import PCA
from sidelight.metric import EquivalenceMetric
from sidelight.plot import comparison
from sidelight.quality import neighbor_label_accuracy
from sidelight.side import Pairs

rng = np.random.default_rng(0)
group = rng.integers(3, size=240)
X = rng.normal(size=(240, 8)) * np.r_[np.full(4, 5.0), np.ones(4)]
X[:, 5:7] += 4 * np.array([[0, 0], [1, 0], [0, 1]])[group]

told = np.arange(240) < 40
known = Pairs.from_labels(np.where(told, group, -1))
shuffled = Pairs.from_labels(np.where(told, rng.permutation(group), -1))

rest = ~told
maps = {"nothing known": PCA(2).fit_transform(X[rest])}
for name, side in {"40 rows named": known, "names shuffled": shuffled}.items():
    metric = EquivalenceMetric().fit(X, side=side)
    maps[name] = PCA(2).fit_transform(metric.transform(X[rest]))

# %%
# Only rows that are in no pair are drawn.

scores = {n: float(neighbor_label_accuracy(Z, group[rest], 5)) for n, Z in maps.items()}
comparison(maps, labels=np.char.add("group ", group[rest].astype(str)), scores=scores)
