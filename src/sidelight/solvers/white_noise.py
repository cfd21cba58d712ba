"""What white noise makes of singular values, and how strong it is.

A table of n × p independent numbers of variance σ², β = min(n, p)/max(n, p), has singular values
between σ√max(n, p)·(1 ± √β), distributed by the law of Marchenko and Pastur.

References
----------
M. Gavish and D. L. Donoho (2014), "The optimal hard threshold for singular values is 4/√3".
"""

from __future__ import annotations

import numpy as np

from sidelight.core import FloatArray

_GRID = 2001


def noise_level(singular: FloatArray, beta: float) -> float:
    """Measure σ√max(n, p) by the median singular value, noise where fewer than half are signal.

    Examples
    --------
    >>> noise = np.random.default_rng(0).normal(0, 3, (400, 100))
    >>> level = noise_level(np.linalg.svd(noise, compute_uv=False), 100 / 400)
    >>> round(float(level / np.sqrt(400)), 1)
    3.0
    """
    return float(np.median(singular) / np.sqrt(median_of_noise(beta)))


def hard_threshold(beta: float) -> float:
    """The threshold on singular values of least squared error, in units of the noise level."""
    return float(np.sqrt(2 * (beta + 1) + 8 * beta / (beta + 1 + np.sqrt(beta**2 + 14 * beta + 1))))


def median_of_noise(beta: float) -> float:
    """Compute the median of the Marchenko–Pastur law of squared singular values."""
    low, high = (1 - np.sqrt(beta)) ** 2, (1 + np.sqrt(beta)) ** 2
    # x = low + (high − low)(1 − cos θ)/2: the density is smooth in θ at both ends
    theta = (np.arange(_GRID) + 0.5) * np.pi / _GRID
    x = low + (high - low) * (1 - np.cos(theta)) / 2
    mass = np.cumsum(np.sin(theta) ** 2 / x)
    return float(np.interp(0.5, (mass - 0.5 * np.sin(theta) ** 2 / x) / mass[-1], x))
