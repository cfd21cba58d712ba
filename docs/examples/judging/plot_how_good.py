"""
How good is a map: four looks
=============================

Neighbourhoods of every size, distances, single points, and what is the same in another draw.
"""

import numpy as np

from sidelight import PCA, Isomap, NeighborEmbedding
from sidelight.datasets import digits
from sidelight.plot import coranking_curves, scatter
from sidelight.quality import coranking_curves as measure
from sidelight.quality import point_quality, quality_report, stability

data = digits()
X, y = data.X[:500], data.labels[:500]
models = {"PCA": PCA(2), "Isomap": Isomap(2), "neighbour embedding": NeighborEmbedding()}
maps = {name: model.fit(X).embedding_ for name, model in models.items()}

coranking_curves({name: measure(X, Z) for name, Z in maps.items()})

# %%
# One map in figures …

Z = maps["neighbour embedding"]
print(quality_report(X, Z))

# %%
# … and point by point: which ones to mistrust.

kept = point_quality(X, Z).kept
scatter(Z, color=kept, key_title="neighbours kept")

# %%
# How much of the map is there again when a fifth of the rows is left out?

again = stability(Isomap(2), X, n_draws=3)
print("share of neighbours that two maps have in common:", np.round(again.by_rows, 2))
