"""
Distances: a metric that agrees with a few measured ones
========================================================

The features have the wrong units: some columns count too much, some too little. A hundred pairs
were measured by hand. `DistanceMetric` finds the metric that agrees with them, with a certificate.
"""

import numpy as np

from sidelight import ClassicalMDS
from sidelight.metric import DistanceMetric
from sidelight.plot import comparison
from sidelight.quality import procrustes
from sidelight.side import Distances

rng = np.random.default_rng(2)
truth = rng.uniform(-1, 1, size=(200, 2)) * [2.0, 1.0]
X = np.column_stack([0.5 * truth[:, 0], 2 * truth[:, 1], rng.normal(size=(200, 3))])

pairs = rng.choice(200, size=(100, 2), replace=True)
pairs = pairs[pairs[:, 0] != pairs[:, 1]]
values = np.linalg.norm(truth[pairs[:, 0]] - truth[pairs[:, 1]], axis=1)
known = Distances(pairs, values)
wrong = Distances(pairs, rng.permutation(values))

# %%
# The map is judged by how far it is from the places that the distances were measured between.

maps = {
    "nothing known": ClassicalMDS(2).fit(X).embedding_,
    "100 distances": ClassicalMDS(2).fit(X, side=known).embedding_,
    "100 shuffled distances": ClassicalMDS(2).fit(X, side=wrong).embedding_,
}
missed = {name: f"misses {procrustes(Z, truth).residual:.2f}" for name, Z in maps.items()}
comparison(maps, color=truth[:, 0], scores=missed, key_title="true place, first coordinate")

# %%
# The learned matrix weighs the columns: the first, which was far too quiet, counts most.

metric = DistanceMetric().fit(X, side=known)
print(np.diag(metric.metric_).round(2))
