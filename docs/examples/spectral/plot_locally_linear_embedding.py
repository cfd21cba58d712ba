"""
Locally linear embedding: the same mixtures
===========================================

Each point of an S-shaped sheet is written as a mixture of its neighbours; the map keeps the
mixtures. How many neighbours there are decides how far the map can see.
"""

from sidelight import LocallyLinearEmbedding
from sidelight.datasets import s_curve
from sidelight.plot import comparison

data = s_curve(1000, random_state=1)
maps = {
    f"{k} neighbours": LocallyLinearEmbedding(2, n_neighbors=k).fit(data.X).embedding_
    for k in (6, 12, 40)
}
comparison(maps, color=data.truth[:, 0], key_title="along the S")
