"""
A biologist: cells without their batches
========================================

Cells were measured on two days, and the first picture shows the days. On the command line:

.. code-block:: text

    sidelight embed cells.csv --color-by type --ignore batch --picture plain.png
    sidelight embed cells.csv --color-by type --condition-column batch --picture cells.png
"""

import numpy as np

import sidelight
from sidelight.plot import comparison
from sidelight.side import Condition

rng = np.random.default_rng(0)
kind, batch = rng.integers(3, size=240), rng.integers(2, size=240)
cells = 5 * rng.normal(size=(3, 8))[kind] + rng.normal(size=(240, 8))
cells += 8 * batch[:, None] * rng.normal(size=8)
day = np.where(batch, "Tuesday", "Monday")

plain = sidelight.embed(cells)
clean = sidelight.embed(cells, side=Condition(day))

maps = {"as it came": plain.points, "the day left out": clean.points}
comparison(maps, labels=np.char.add("type ", kind.astype(str)))

# %%
# How much of the day is left? ``agreement`` says how often neighbours share it, beside chance.

print(clean.why)
for judgement in clean.agreement():
    print(f"{judgement.what}: {judgement.held:.2f}, by chance {judgement.chance:.2f}")
