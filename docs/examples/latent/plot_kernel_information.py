"""
Kernel information embedding: the map that tells most
=====================================================

Latent points that have the most information about the data, under a limit to their power. The joint
density gives both mappings, and a density over the map.
"""

import numpy as np

from sidelight import KernelInformationEmbedding
from sidelight.datasets import noisy_s
from sidelight.plot import scatter

data = noisy_s(250, noise=0.15, random_state=0)
model = KernelInformationEmbedding(1).fit(data.X)
Z = model.embedding_[:, 0]
print(f"information {model.objective_:.2f} nats, bandwidth {model.bandwidth_:.2f}")

ax = scatter(data.X, color=Z, key_title="latent point")
curve = model.inverse_transform(np.linspace(Z.min(), Z.max(), 200)[:, None])
ax.plot(*curve.T, color="black", linewidth=1.5)
