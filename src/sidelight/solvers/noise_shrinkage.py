"""White noise taken off a table by shrinking its singular values."""

from __future__ import annotations

import numpy as np

from sidelight.core import FloatArray
from sidelight.solvers.white_noise import noise_level


def shrink_noise(Y: FloatArray) -> FloatArray:
    """Estimate the table beneath white noise, with the least expected squared error.

    In units of the noise, a singular value y of the centred table becomes
    √((y² − β − 1)² − 4β) / y, or zero where y ≤ 1 + √β, with β the ratio of the table's sides.
    The noise is measured by the median singular value, which is noise where fewer than half are
    signal; a table of low rank without noise is left as it is.

    References
    ----------
    M. Gavish and D. L. Donoho (2017), "Optimal shrinkage of singular values".
    M. Gavish and D. L. Donoho (2014), "The optimal hard threshold for singular values is 4/√3".

    Examples
    --------
    >>> import numpy as np
    >>> from sidelight.solvers import shrink_noise
    >>> rng = np.random.default_rng(0)
    >>> clean = np.outer(rng.standard_normal(80), np.ones(200))
    >>> noisy = clean + rng.standard_normal(clean.shape)
    >>> [round(float(np.mean((Y - clean) ** 2)), 2) for Y in (noisy, shrink_noise(noisy))]
    [0.99, 0.03]
    """
    n, p = Y.shape
    mean = Y.mean(axis=0)
    U, lengths, V = np.linalg.svd(Y - mean, full_matrices=False)
    rank, longer = min(n - 1, p), max(n - 1, p)
    if rank < 1:
        return Y
    beta = rank / longer
    unit = noise_level(lengths[:rank], beta)
    if unit <= 1e-12 * lengths[0]:
        return Y
    y = lengths / unit
    inside = np.maximum((y**2 - beta - 1) ** 2 - 4 * beta, 0.0)
    shrunk = np.where(y > 1 + np.sqrt(beta), np.sqrt(inside) / np.maximum(y, 1e-300), 0.0)
    return np.asarray(mean + (U * (unit * shrunk)) @ V)
