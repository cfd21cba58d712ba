"""
Pairs: a few labels
===================

Of 500 handwritten digits, one in five is labelled. `Pairs.from_labels` turns labels into pairs that
belong together and pairs that do not. The map is judged by the rows *without* a label.
"""

import numpy as np

from sidelight import NeighborEmbedding
from sidelight.datasets import digits
from sidelight.plot import comparison
from sidelight.quality import neighbor_label_accuracy
from sidelight.side import Pairs

data = digits()
X, y = data.X[:500], data.labels[:500]

rng = np.random.default_rng(0)
named = rng.random(500) < 0.2
labels = np.where(named, y, -1)  # -1 is unknown
shuffled = labels.copy()
shuffled[named] = rng.permutation(labels[named])

maps = {
    "nothing known": NeighborEmbedding().fit(X),
    "one in five named": NeighborEmbedding().fit(X, side=Pairs.from_labels(labels)),
    "names shuffled": NeighborEmbedding().fit(X, side=Pairs.from_labels(shuffled)),
}

# %%
# How many of the rows without a label have neighbours of their own digit? Shuffled labels predict
# nothing; this is noticed, and the plain map stays as it was, to the bit.

scores = {
    name: float(neighbor_label_accuracy(model.embedding_[~named], y[~named], 5))
    for name, model in maps.items()
}
points = {name: model.embedding_ for name, model in maps.items()}
comparison(points, labels=y, scores=scores, key_title="digit")

# %%
# The model says what became of what it was told.

for name, model in maps.items():
    for told in getattr(model, "side_report_", ()):
        print(f"{name}: {told}")
