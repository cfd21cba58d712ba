"""
Sequence: rows that follow one another
======================================

Frames of a motion that goes round, with so much noise that the way is hard to see. That adjacent
frames are near is worth saying; an order that does not show in the data changes nothing.
"""

import numpy as np

from sidelight import NeighborEmbedding
from sidelight.plot import comparison
from sidelight.side import Sequence

rng = np.random.default_rng(6)
angle = np.linspace(0, 2 * np.pi, 160)
curve = np.column_stack([np.cos(angle), np.sin(angle)])
X = curve @ rng.normal(size=(2, 12)) + 1.0 * rng.normal(size=(160, 12))

shuffled = Sequence(order=rng.permutation(160))
maps = {
    "nothing known": NeighborEmbedding().fit(X).embedding_,
    "rows in order": NeighborEmbedding().fit(X, side=Sequence()).embedding_,
    "a shuffled order": NeighborEmbedding().fit(X, side=shuffled).embedding_,
}
comparison(maps, color=np.degrees(angle), period=360, key_title="where in the round")

# %%
print(np.array_equal(maps["nothing known"], maps["a shuffled order"]))
