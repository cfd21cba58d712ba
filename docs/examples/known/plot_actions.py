"""
Actions: a map one can act in
=============================

A camera wanders over a picture. It records what it saw and the names of the buttons that were
pressed; nothing says what the buttons do. In the map every action is one rigid motion, so that one
can predict and plan, also through places that were never visited.
"""

from sidelight import PCA, ActionRespectingEmbedding
from sidelight.datasets import image_walk
from sidelight.plot import comparison, scatter
from sidelight.side import Actions

steps = ["up"] * 6 + ["right"] * 4 + ["down"] * 6 + ["up"] * 3 + ["left"] * 4
walk = image_walk("texture", steps)
model = ActionRespectingEmbedding(2).fit(walk.X, side=Actions(walk.extras["actions"]))

maps = {"PCA of the pictures": PCA(2).fit_transform(walk.X), "actions respected": model.embedding_}
comparison(maps, color=list(range(len(walk.X))), key_title="frame")

# %%
# What the camera saw, at the places of the map.

scatter(model.embedding_, images=walk.X, image_shape=walk.image_shape)

# %%
# Which buttons undo each other was found, not told; so was the way over the gap of the A.

print(model.inverses_)
print("from frame 9, left leads to frame", model.predict(9, "left"))
print("from frame 0 to frame 16:", model.plan(0, 16))
