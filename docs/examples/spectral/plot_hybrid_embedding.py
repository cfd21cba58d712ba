"""
Hybrid embedding: from Isomap to LLE
====================================

One objective keeps distances along the sheet, one keeps each point among its neighbours; α says how
much of either. Both ends and everything between have a closed form.
"""

from sidelight import HybridEmbedding
from sidelight.datasets import swiss_roll
from sidelight.plot import comparison
from sidelight.quality import procrustes

data = swiss_roll(800, random_state=2)
maps = {
    f"α = {alpha}": HybridEmbedding(2, alpha=alpha, balance="map").fit(data.X).embedding_
    for alpha in (0.0, 0.2, 0.5)
}
missed = {n: f"misses {procrustes(Z, data.truth).residual:.2f}" for n, Z in maps.items()}
comparison(maps, color=data.truth[:, 0], scores=missed, key_title="along the sheet")
