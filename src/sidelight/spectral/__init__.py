"""Estimators solved by eigenvectors: every one of them is kernel PCA on its own kernel."""

from __future__ import annotations

from sidelight.spectral.pca import PCA, Seen
from sidelight.spectral.probabilistic_pca import ProbabilisticPCA

__all__ = [
    "PCA",
    "ProbabilisticPCA",
    "Seen",
]
