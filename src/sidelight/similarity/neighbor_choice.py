"""The probability that one item picks another as its neighbour.

P_ij ∝ exp(−d_ij²/σ²) over all j (latent-factor thesis eq. 4.1), with one bandwidth σ² for all
items, or with one for each such that every item has the same number of effective neighbours, its
perplexity exp(−Σ_j P_ij log P_ij); then no item picks itself (Hinton and Roweis).

References
----------
G. Hinton and S. Roweis (2003), "Stochastic neighbor embedding".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sidelight.core import FloatArray
from sidelight.similarity.gaussian import gaussian_shares, gaussian_similarity

#: The default bandwidth is this share of the mean squared distance between items.
WIDE = 0.15
_STEPS = 200


def wide_bandwidth(D: FloatArray) -> float:
    """Choose a bandwidth so wide that items far apart are told from items farther apart."""
    n = len(D)
    mean = float(np.einsum("ij,ij->", D, D)) / max(n * (n - 1), 1)
    return WIDE * mean if mean > 0 else 1.0


def choice_probabilities(D: FloatArray, bandwidth: Any) -> FloatArray:
    """Turn distances into probabilities of being picked, by one bandwidth or one for each row.

    Examples
    --------
    >>> import numpy as np
    >>> choice_probabilities(np.array([[0.0, 1.0]]), 1.0).round(4)
    array([[0.7311, 0.2689]])
    """
    return gaussian_shares(D**2, np.reshape(bandwidth, (-1, 1)))


def normalise_rows(S: FloatArray) -> FloatArray:
    """Turn similarities into probabilities of being picked."""
    sums = S.sum(axis=1, keepdims=True)
    return np.asarray(S / np.where(sums > 0, sums, 1.0))


def perplexity_bandwidths(D: FloatArray, perplexity: float) -> FloatArray:
    """Find the bandwidth of each row that gives it a number of effective neighbours.

    The entropy of a row falls steadily with 1/σ², which is bisected on a logarithmic scale.

    Examples
    --------
    >>> import numpy as np
    >>> D = np.array([[1.0, 2.0, 3.0, 4.0]])
    >>> P = choice_probabilities(D, perplexity_bandwidths(D, 2.0))
    >>> float(np.exp(-np.sum(P * np.log(P))).round(6))
    2.0
    """
    squared = D**2
    squared = squared - squared.min(axis=1, keepdims=True)
    there = np.isfinite(squared)
    scale = np.where(there, squared, 0.0).sum(axis=1) / np.maximum(there.sum(axis=1), 1)
    scale = np.where(scale > 0, scale, 1.0)
    squared = np.where(there, squared / scale[:, None], np.inf)
    low, high = np.full(len(D), -30.0), np.full(len(D), 30.0)  # of log σ², in units of the scale
    goal = np.log(perplexity)
    finite = np.where(there, squared, 0.0)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        width = np.exp(middle)
        E = gaussian_similarity(squared, width[:, None])
        sums = E.sum(axis=1)
        entropy = np.log(sums) + np.einsum("ij,ij->i", E, finite) / (width * sums)
        wide = entropy > goal
        high, low = np.where(wide, middle, high), np.where(wide, low, middle)
        if np.max(high - low) < 1e-13:
            break
    return np.asarray(scale * np.exp((low + high) / 2))
