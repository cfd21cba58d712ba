"""
Anchors: rows with a place
==========================

A sheet bent into an S. Isomap finds its shape, but not where it lies, how large it is or which way
is up. Six rows whose place is known bring the whole map there; new rows go the same way.
"""

import numpy as np

from sidelight import Isomap
from sidelight.datasets import s_curve
from sidelight.plot import scatter
from sidelight.side import Anchors

data = s_curve(600, random_state=0)
places = 10 * data.truth[:, ::-1] + [100.0, 50.0]  # in somebody's coordinates
rng = np.random.default_rng(0)
rows = rng.choice(600, size=6, replace=False)

model = Isomap(2).fit(data.X, side=Anchors(rows, places[rows]))
off = np.linalg.norm(model.embedding_ - places, axis=1)
print(f"anchored rows are off by {off[rows].max():.1e}, the others by {np.median(off):.2f}")

# %%
ax = scatter(model.embedding_, color=off, key_title="distance from the true place")
ax.scatter(*places[rows].T, s=70, facecolors="none", edgecolors="black", linewidths=1.5)
