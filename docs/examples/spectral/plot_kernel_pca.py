"""
Kernel PCA: two rings
=====================

No straight direction tells the inner ring from the outer. In the feature space of a Gaussian kernel
one does. The way back goes by a pre-image: the point whose features come nearest.
"""

import numpy as np
from sklearn.datasets import make_circles

from sidelight import PCA, KernelPCA
from sidelight.plot import comparison

X, ring = make_circles(400, noise=0.07, factor=0.35, random_state=0)
model = KernelPCA(2, gamma=8.0).fit(X)
maps = {"PCA": PCA(2).fit_transform(X), "kernel PCA": model.embedding_}
comparison(maps, labels=np.where(ring, "inner", "outer"))

# %%
# Noise comes off where few components are kept and the pre-image is taken.

clean = KernelPCA(6, gamma=2.0).fit(X)
maps = {"as it came": X, "there and back": clean.inverse_transform(clean.transform(X))}
comparison(maps, labels=np.where(ring, "inner", "outer"))
