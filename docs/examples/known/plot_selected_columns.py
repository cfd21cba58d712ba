"""
Columns: which of many make the distances
=========================================

Ten columns were measured, and two of them say where things are. A hundred distances between the
places are known. `DistanceSelection` finds the columns that they are made of.
"""

import numpy as np

from sidelight import ClassicalMDS
from sidelight.metric import DistanceSelection
from sidelight.plot import comparison
from sidelight.quality import procrustes
from sidelight.side import Distances

rng = np.random.default_rng(3)
truth = rng.uniform(-1, 1, size=(200, 2)) * [2.0, 1.0]
X = np.column_stack([rng.normal(size=(200, 4)), truth, rng.normal(size=(200, 4))])

pairs = rng.choice(200, size=(100, 2))
pairs = pairs[pairs[:, 0] != pairs[:, 1]]
values = np.linalg.norm(truth[pairs[:, 0]] - truth[pairs[:, 1]], axis=1)

# %%
# Columns 4 and 5 are chosen. Distances that are given to the wrong pairs choose nothing: all
# columns are kept, and the report says so.

chosen = DistanceSelection().fit(X, side=Distances(pairs, values))
shuffled = DistanceSelection().fit(X, side=Distances(pairs, rng.permutation(values)))
print(chosen.get_support(indices=True), chosen.report_)
print(shuffled.get_support(indices=True), shuffled.report_)

# %%
# A map of the chosen columns beside one of all.

maps = {
    "all columns": ClassicalMDS(2).fit(X).embedding_,
    "two chosen": ClassicalMDS(2).fit(chosen.transform(X)).embedding_,
    "by shuffled distances": ClassicalMDS(2).fit(shuffled.transform(X)).embedding_,
}
missed = {name: f"misses {procrustes(Z, truth).residual:.2f}" for name, Z in maps.items()}
comparison(maps, color=truth[:, 0], scores=missed, key_title="true place, first coordinate")
