"""
A geographer: towns from the distances between them
===================================================

A square table of distances and the names of its rows. It is recognised as what it is; three towns
whose place is known turn the map the right way up.

.. code-block:: text

    sidelight embed distances.csv --precomputed --anchors places.csv --picture towns.png
"""

import numpy as np
from scipy.spatial.distance import pdist, squareform

import sidelight
from sidelight.side import Anchors

rng = np.random.default_rng(3)
towns = ["Ash", "Birch", "Cedar", "Elm", "Fir", "Hazel", "Larch", "Maple", "Oak", "Pine", "Yew"]
places = 100 * rng.random((11, 2))
D = squareform(pdist(places))

result = sidelight.embed(D, names=towns)
print(result.why)
result.plot()

# %%
anchors = Anchors(["Ash", "Fir", "Oak"], places[[0, 4, 8]])
placed = sidelight.embed(D, names=towns, side=anchors, method="mds")
placed.plot(title="in kilometres, north up")

# %%
print("off by at most", np.abs(placed.points - places).max().round(6))
