"""
Relation: alike in another respect
==================================

The rows are pictures of turned digits; how bright each was printed is a second respect, known of a
third of the rows. One map holds both, and says which of its dimensions serves which.
"""

import numpy as np

from sidelight import MultipleRelationalEmbedding
from sidelight.datasets import rotated_digits
from sidelight.plot import scatter
from sidelight.side import Relation

data = rotated_digits(6, n_rotations=120, random_state=0)
rng = np.random.default_rng(5)
light = rng.uniform(0.3, 1.0, size=120)
X = data.X * light[:, None]

told = np.arange(0, 120, 3)
brightness = Relation.from_values(light[told], index=told)
model = MultipleRelationalEmbedding(3, random_state=0).fit(X, side=brightness)

# %%
# What the pictures and the relation make of each dimension.

print(model.relevance_.round(2))

# %%
# The dimension that the relation cares most about, against the one it cares least about. Rows that
# the relation did not name find their place by the pictures.

order = np.argsort(-model.relevance_[1])
Z = model.embedding_[:, [order[-1], order[0]]]
scatter(Z, color=light, key_title="brightness", axis_names=("by the pictures", "by the relation"))
