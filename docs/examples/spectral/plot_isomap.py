"""
Isomap: the roll unrolled
=========================

Points on a sheet that was rolled up. Straight lines cut through the roll; paths from neighbour to
neighbour stay on it, and their lengths are the distances on the sheet.
"""

from sidelight import PCA, Isomap
from sidelight.datasets import swiss_roll
from sidelight.plot import comparison, scatter
from sidelight.quality import procrustes

data = swiss_roll(1200, random_state=0)
scatter(data.X, color=data.truth[:, 0], key_title="along the sheet")

# %%
model = Isomap(2, n_neighbors=10).fit(data.X)
fast = Isomap(2, n_neighbors=10, n_landmarks=100).fit(data.X)
maps = {
    "PCA": PCA(2).fit_transform(data.X),
    "Isomap": model.embedding_,
    "100 landmarks": fast.embedding_,
}
missed = {n: f"misses {procrustes(Z, data.truth).residual:.3f}" for n, Z in maps.items()}
comparison(maps, color=data.truth[:, 0], scores=missed, key_title="along the sheet")

# %%
# New points fall where they belong, each by itself.

print(model.transform(data.X[:2] + 0.05).round(2))
print(model.embedding_[:2].round(2))
