"""
Spectral backward mapping: coordinates that are functions
=========================================================

The codes that a smoother of the data reproduces best. New rows need no further rule: the map *is* a
function of the data, and is drawn here over half of the rows that it never saw.
"""

from sidelight import SpectralBackwardMapping
from sidelight.datasets import digits
from sidelight.plot import comparison

data = digits()
chosen = data.labels < 5
X, y = data.X[chosen], data.labels[chosen]
seen, new = slice(0, 450), slice(450, None)

maps = {}
for basis in ("linear", "kernel", "regression"):
    model = SpectralBackwardMapping(2, basis=basis).fit(X[seen])
    maps[basis] = model.transform(X[new])
comparison(maps, labels=y[new], key_title="digit")
