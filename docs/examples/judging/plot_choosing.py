"""
Choosing: neighbours, dimensions, methods
=========================================

Parameters are chosen by rows that were left out, together with what is known about them.
"""

import numpy as np

from sidelight import Isomap
from sidelight.datasets import swiss_roll
from sidelight.model_selection import search
from sidelight.plot import scatter
from sidelight.quality import intrinsic_dimension

data = swiss_roll(900, random_state=0)
print(f"the data fill {float(intrinsic_dimension(data.X)):.1f} dimensions")

found = search(Isomap(2), {"n_neighbors": [5, 10, 40]}, data.X, cv=3)
for parameters, scores in found.table:
    print(parameters, np.mean(scores).round(3))
print("taken:", found.parameters)

# %%
scatter(found.model.embedding_, color=data.truth[:, 0], key_title="along the sheet")
