"""
A roboticist: where am I, and how do I get there
================================================

A camera, a log of commands, no odometry.

.. code-block:: text

    sidelight embed frames.csv --action-column action --picture map.png
"""

import numpy as np

from sidelight import ActionRespectingEmbedding
from sidelight.datasets import image_walk
from sidelight.plot import scatter
from sidelight.side import Actions

rng = np.random.default_rng(0)
round_trip = ["right"] * 5 + ["up"] * 4 + ["left"] * 5 + ["down"] * 4
walk = image_walk("texture", [*round_trip, "right", "right", "up", "up"])
model = ActionRespectingEmbedding(2).fit(walk.X, side=Actions(walk.extras["actions"]))
scatter(model.embedding_, color=np.arange(len(walk.X)), key_title="frame")

# %%
# A plan, a prediction, and where a noisy frame was seen.

print("from the first frame to the last:", model.plan(0, len(walk.X) - 1))
print("frame 3, then up, looks like frame", model.predict(3, "up"))
seen = walk.X[7] + 0.02 * rng.normal(size=walk.X.shape[1])
print("off by", np.linalg.norm(model.transform(seen[None]) - model.embedding_[7]).round(3))
