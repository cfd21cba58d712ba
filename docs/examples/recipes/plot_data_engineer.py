"""
A data engineer: new rows into an old map
=========================================

A map is fitted once and kept; files that come later are placed in it, block by block, each row by
itself.

.. code-block:: text

    sidelight embed day0.parquet -o map.parquet --model map.sidelight
    sidelight transform map.sidelight day1.parquet -o placed.parquet
"""

import tempfile
from pathlib import Path

import numpy as np

import sidelight
from sidelight.plot import scatter

rng = np.random.default_rng(4)
centres = 6 * rng.normal(size=(3, 5))
kinds = [rng.integers(3, size=300) for _ in range(3)]
days = [centres[kind] + rng.normal(size=(300, 5)) for kind in kinds]

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "map.sidelight"
    sidelight.save(sidelight.embed(days[0]).model, path)
    model = sidelight.load(path)  # plain arrays and JSON, no pickle

maps = {f"day {i}": model.transform(day) for i, day in enumerate(days)}
for (name, Z), kind in zip(maps.items(), kinds, strict=True):
    print(name, Z.shape, "rows of kind 0 lie around", Z[kind == 0].mean(axis=0).round(1))

# %%
# The days lie on one another.

scatter(np.vstack(list(maps.values())), labels=np.repeat(list(maps), 300))
