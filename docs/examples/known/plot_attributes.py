"""
Attributes: two distinctions at once
====================================

Items differ in two respects, and neither is the one with most variance. Each respect is said by its
own pairs; `Attributes` keeps both, where a single set of pairs would contradict itself.
"""

import numpy as np

from sidelight import PCA
from sidelight.metric import MultiAttributeMetric
from sidelight.plot import comparison
from sidelight.side import Attributes, Pairs

rng = np.random.default_rng(1)
shape, colour = rng.integers(2, size=(2, 300))
X = rng.normal(size=(300, 10)) * np.r_[np.full(4, 4.0), np.ones(6)]  # four loud columns say nothing
X[:, 5] += 4 * shape
X[:, 8] += 4 * colour
kind = np.array(["round red", "round blue", "long red", "long blue"])[2 * shape + colour]

told = rng.random(300) < 0.3
known = Attributes(
    [Pairs.from_labels(np.where(told, shape, -1)), Pairs.from_labels(np.where(told, colour, -1))]
)
metric = MultiAttributeMetric().fit(X, side=known)

# %%
# The metric is learned in front; what follows may be any method. Here PCA looks at rows of which
# nothing was said.

rest = ~told
maps = {
    "nothing known": PCA(2).fit_transform(X[rest]),
    "shape and colour told": PCA(2).fit_transform(metric.transform(X[rest])),
}
comparison(maps, labels=kind[rest])
