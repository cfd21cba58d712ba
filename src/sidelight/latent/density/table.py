"""Items that are known by how alike they are: a table of similarities in the place of features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sidelight.core import BoolArray, FloatArray
from sidelight.similarity import gaussian_similarity

#: Similarities below this are taken for it: nothing is infinitely far.
_LEAST = 1e-300
#: What may be off by rounding; of what is nearer than the second two items are the same.
_ROUNDING, _SAME = 1e-6, 1e-12


@dataclass(frozen=True)
class TableKernel:
    """Given: k(y, y')^{1/h}, k from a table.  No space is known, and so no integral of it.

    An item is its number, and −log k to all items that were fitted: those of two items are found
    in the row of the one by the number of the other.
    """

    by_table: ClassVar[bool] = True
    reach: ClassVar[float] = float("inf")

    def dissimilarities(self, A: FloatArray, B: FloatArray) -> FloatArray:
        """Look up −log k."""
        return np.asarray(A[:, 1 + B[:, 0].astype(np.intp)])

    def spread(self, Y: FloatArray) -> float:
        """Compute the mean of −log k."""
        return float(self.dissimilarities(Y, Y).mean())

    def missed(self, weights: FloatArray, Y: FloatArray, dissimilarities: FloatArray) -> float:
        """Compute the mean of Σ_b w_ab d_ab − ½ Σ_bc w_ab w_ac d_bc: d are squared distances."""
        crossed = np.sum(weights * (weights @ dissimilarities)) / 2
        return float(np.sum(weights * dissimilarities) - crossed) / len(Y)

    def same(self, Y: FloatArray, items: FloatArray, apart: FloatArray) -> BoolArray:
        """Those that are as alike to an item as it is to itself."""
        return np.asarray(apart <= _SAME)

    def values(self, dissimilarities: FloatArray, bandwidth: float) -> FloatArray:
        """Compute k^{1/h}."""
        return gaussian_similarity(dissimilarities, bandwidth)

    def log_values(self, dissimilarities: FloatArray, bandwidth: float) -> FloatArray:
        """Compute log k / h."""
        return np.asarray(-dissimilarities / bandwidth)

    def log_normaliser(self, bandwidth: float, seen: BoolArray | None = None) -> Any:
        """There is none."""
        raise NotImplementedError

    def around(
        self, rows: FloatArray, bandwidth: float, rng: np.random.Generator, among: FloatArray
    ) -> FloatArray:
        """There are no items but those of the table."""
        raise NotImplementedError


def items_of_table(K: FloatArray, *, who: str, new: bool = False) -> FloatArray:
    """Items by their numbers and −log k; new ones have no number.

    Examples
    --------
    >>> import numpy as np
    >>> items_of_table(np.array([[1.0, 0.5], [0.5, 1.0]]), who="example").round(2)
    array([[0.  , 0.  , 0.69],
           [1.  , 0.69, 0.  ]])
    """
    if K.min() < -_ROUNDING or K.max() > 1 + _ROUNDING:
        raise ValueError(
            f"With kernel='precomputed', {who} expects similarities between 0 and 1. Got values "
            f"from {K.min():.9g} to {K.max():.9g}. Divide K_ij by √(K_ii K_jj), or, of distances, "
            f"take exp(−d²)."
        )
    if not new and not (
        np.allclose(K, K.T, rtol=0, atol=_ROUNDING)
        and np.allclose(np.diagonal(K), 1.0, rtol=0, atol=_ROUNDING)
    ):
        raise ValueError(
            f"With kernel='precomputed', {who} expects a symmetric table with ones on its "
            f"diagonal: how alike items are to one another and to themselves. Divide K_ij by "
            f"√(K_ii K_jj)."
        )
    apart = -np.log(np.clip(K, _LEAST, 1.0))
    if new:
        return np.column_stack([np.full(len(K), -1.0), apart])
    apart = (apart + apart.T) / 2
    np.fill_diagonal(apart, 0.0)
    return np.column_stack([np.arange(float(len(K))), apart])
