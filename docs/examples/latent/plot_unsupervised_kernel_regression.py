"""
Unsupervised kernel regression: a curve through noise
=====================================================

Latent points are moved until the items can be predicted from them by a smooth regression. Its way
back is the definition of the method, and draws the principal curve of a noisy S.
"""

import numpy as np

from sidelight import UnsupervisedKernelRegression
from sidelight.datasets import noisy_s
from sidelight.plot import scatter

data = noisy_s(200, random_state=0)
model = UnsupervisedKernelRegression(1).fit(data.X)
Z = model.embedding_[:, 0]

ax = scatter(data.X, color=Z, key_title="latent point")
curve = model.inverse_transform(np.linspace(Z.min(), Z.max(), 200)[:, None])
ax.plot(*curve.T, color="black", linewidth=1.5)
