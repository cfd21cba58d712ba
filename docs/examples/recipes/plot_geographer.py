"""
A geographer: towns from the distances between them
===================================================

A square frame of distances, whose rows have names. It is recognised as what it is; three towns
whose place is known, and which are called by their names, turn the map the right way up.

.. code-block:: text

    sidelight embed distances.csv --name-column town --anchors places.csv --picture towns.png
"""

import numpy as np
import pandas as pd
from scipy.spatial.distance import pdist, squareform

import sidelight
from sidelight.side import Anchors

rng = np.random.default_rng(3)
towns = ["Ash", "Birch", "Cedar", "Elm", "Fir", "Hazel", "Larch", "Maple", "Oak", "Pine", "Yew"]
places = 100 * rng.random((11, 2))
frame = pd.DataFrame(squareform(pdist(places)), index=towns, columns=towns)

result = sidelight.embed(frame)
print(result.why)
result.plot()

# %%
anchors = Anchors(["Ash", "Fir", "Oak"], places[[0, 4, 8]])
placed = sidelight.embed(frame, side=anchors)
placed.plot(title="in kilometres, north up")

# %%
print("off by at most", np.abs(placed.points - places).max().round(6))
