"""The smoothest backward mapping: a spectral embedding, and a start for the methods that descend.

With g(x) = Σ_j b(x, x_j) z_j as the mapping from data to the map, the points that reproduce
themselves best minimise

    Σ_i ‖z_i − Σ_j B_ij z_j‖² = ‖(I − B) Z‖²  over  ZᵀZ = I, 1ᵀZ = 0

(latent-factor thesis eq. 2.24 to 2.27, corrected): the eigenvectors of (I − B)ᵀ(I − B) with the
smallest eigenvalues, the constant left out.  They are the *largest* eigenvectors of
I − (I − B)ᵀ(I − B) = B + Bᵀ − BᵀB, and those of B itself where B is symmetric with eigenvalues in
[0, 1] (the text says the smallest, which would be the roughest functions).

References
----------
P. Meinicke, S. Klanke, R. Memisevic and H. Ritter (2005), "Principal surfaces from unsupervised
kernel regression".
"""

from __future__ import annotations

import numpy as np

from sidelight.core import FloatArray
from sidelight.solvers.eigen import Eigenpairs, largest_eigenpairs


def backward_start(B: FloatArray, n_components: int, *, who: str = "sidelight") -> Eigenpairs:
    """Find the centred, orthonormal points that the mapping reproduces best.

    Examples
    --------
    On a ring the smoothest functions are a sine and a cosine.

    >>> import numpy as np
    >>> angle = np.arange(12) * np.pi / 6
    >>> K = np.exp(np.cos(angle[:, None] - angle))
    >>> Z = backward_start(K / K.sum(axis=1, keepdims=True), 2).vectors
    >>> np.linalg.norm(Z, axis=1).round(6).tolist()[:3]
    [0.408248, 0.408248, 0.408248]
    """
    n = len(B)
    if not 1 <= n_components < n:
        raise ValueError(
            f"The backward start of {who} needs 1 ≤ n_components < n. Got n_components="
            f"{n_components} for n={n} rows. Ask for fewer components."
        )

    def apply(block: FloatArray) -> FloatArray:
        centred = block - block.mean(axis=0)
        image = B @ centred
        out = image + B.T @ (centred - image)
        out -= out.mean(axis=0)
        # the constant is moved below everything else: no value is less than 1 − ‖I − B‖²
        return np.asarray(out - floor * np.broadcast_to(block.mean(axis=0), block.shape))

    size = float(np.abs(B).sum(axis=0).max() * np.abs(B).sum(axis=1).max())
    floor = (1.0 + np.sqrt(size)) ** 2
    return largest_eigenpairs(apply, n_components, n=n, who=who)
