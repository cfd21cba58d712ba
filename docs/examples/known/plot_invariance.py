"""
Invariance: the same picture, moved
===================================

Digits that slid about on a larger canvas. To Euclidean distance a digit and its shifted copy have
little in common; to a distance that forgives small shifts they are neighbours.
"""

import numpy as np

from sidelight import NeighborEmbedding
from sidelight.datasets import shifted_digits
from sidelight.plot import comparison, scatter
from sidelight.quality import neighbor_label_accuracy
from sidelight.side import Invariance
from sidelight.transforms import Shift

data = shifted_digits([0, 1, 4, 7], canvas=(8, 14), n_examples=6, random_state=3)
known = Invariance(Shift(direction="horizontal"), image_shape=data.image_shape)

plain = NeighborEmbedding().fit(data.X)
told = NeighborEmbedding().fit(data.X, side=known)

maps = {"nothing known": plain.embedding_, "shifts forgiven": told.embedding_}
scores = {name: float(neighbor_label_accuracy(Z, data.labels, 5)) for name, Z in maps.items()}
comparison(maps, labels=data.labels, scores=scores, key_title="digit")

# %%
# The rows themselves, where the second map puts them.

scatter(told.embedding_, images=data.X, image_shape=data.image_shape, labels=data.labels)

# %%
# The knowledge acts in the distances, and so it is there for new rows as well.

print(told.side_report_[0].place)
print(np.abs(told.transform(data.X[:3]) - told.embedding_[:3]).max())
