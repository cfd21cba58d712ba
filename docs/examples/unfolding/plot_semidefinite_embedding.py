"""
Semidefinite embedding: pulled apart
====================================

Of all kernels that keep neighbours as near as they are, the one with the largest variance. The
solution comes with a proof of how near it is to the optimum.
"""

from sidelight import Isomap, SemidefiniteEmbedding
from sidelight.datasets import rotated_digits, swiss_roll
from sidelight.plot import comparison, scatter
from sidelight.quality import procrustes

data = swiss_roll(500, random_state=0)
model = SemidefiniteEmbedding(2, n_neighbors=6).fit(data.X)
print(f"variance {model.objective_:.4g}, at most {model.dual_bound_:.4g}: gap {model.gap_:.0e}")

maps = {"Isomap": Isomap(2, n_neighbors=6).fit(data.X).embedding_, "unfolded": model.embedding_}
missed = {n: f"misses {procrustes(Z, data.truth).residual:.2f}" for n, Z in maps.items()}
comparison(maps, color=data.truth[:, 0], scores=missed, key_title="along the sheet")

# %%
# A closed chain of pictures, pulled apart, is a circle.

turned = rotated_digits(2, n_rotations=60, random_state=0)
ring = SemidefiniteEmbedding(2, n_neighbors=4).fit(turned.X)
scatter(ring.embedding_, images=turned.X, image_shape=turned.image_shape)
