"""
Probabilistic PCA: gaps in the table
====================================

PCA as a density. A third of all entries is missing; the likelihood of what is there is all that
is needed, and nothing is filled in beforehand.
"""

import numpy as np
from sklearn.datasets import load_wine

from sidelight import PCA, ProbabilisticPCA
from sidelight.plot import comparison
from sidelight.quality import procrustes

wine = load_wine()
X = (wine.data - wine.data.mean(axis=0)) / wine.data.std(axis=0)
gaps = X.copy()
gaps[np.random.default_rng(0).random(X.shape) < 1 / 3] = np.nan

whole = PCA(2).fit(X).embedding_
model = ProbabilisticPCA(2).fit(gaps)
filled = np.where(np.isnan(gaps), np.nanmean(gaps, axis=0), gaps)
maps = {
    "PCA, nothing missing": whole,
    "a third missing": model.embedding_,
    "means filled in, then PCA": PCA(2).fit(filled).embedding_,
}
scores = {name: f"off by {procrustes(Z, whole).residual:.2f}" for name, Z in maps.items()}
comparison(maps, labels=np.char.add("wine ", wine.target.astype(str)), scores=scores)

# %%
# It is a density: rows can be scored, and new ones drawn.

print(model.score_samples(X[:3]).round(1))
print(model.sample(2, random_state=0).round(1))
