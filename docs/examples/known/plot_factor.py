"""
Condition: batches taken out of a table
=======================================

Three kinds of cells were measured in two batches, and the batch is the loudest thing in the table.
`FactorRemoval` subtracts what the batch does to each kind; any method may follow.
"""

import numpy as np

from sidelight import PCA, FactorRemoval
from sidelight.plot import comparison
from sidelight.side import Condition

rng = np.random.default_rng(4)
kind, batch = rng.integers(3, size=300), rng.integers(2, size=300)
X = 4 * rng.normal(size=(3, 8))[kind] + rng.normal(size=(300, 8))
X += 9 * batch[:, None] * rng.normal(size=8)
names = np.array(["first batch", "second batch"])[batch]

removal = FactorRemoval().fit(X, side=Condition(names))
clean = removal.transform(X, condition=names)

# %%
maps = {"as it came": PCA(2).fit_transform(X), "batch taken out": PCA(2).fit_transform(clean)}
comparison(maps, labels=np.char.add("kind ", kind.astype(str)))

# %%
comparison(maps, labels=names)
