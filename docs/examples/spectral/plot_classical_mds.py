"""
Classical MDS: a map from distances
===================================

Only distances are given: how far it is from each of forty places to each other one along a grid of
streets. City-block distances are not Euclidean, and the negative eigenvalues say by how much.
"""

import warnings

import numpy as np

from sidelight import ClassicalMDS
from sidelight.plot import eigenvalues, scatter

rng = np.random.default_rng(0)
places = rng.uniform(0, 10, size=(40, 2))
D = np.abs(places[:, None] - places[None]).sum(axis=2)

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # that the distances are not Euclidean
    model = ClassicalMDS(2, metric="precomputed").fit(D)
scatter(model.embedding_, color=places[:, 0], key_title="west to east")

# %%
eigenvalues(np.linalg.eigvalsh(model.kernel())[::-1], n_kept=2)

# %%
# A new place needs its distances to the forty.

new = np.array([[5.0, 5.0]])
print(model.transform(np.abs(new[:, None] - places[None]).sum(axis=2)).round(2))
