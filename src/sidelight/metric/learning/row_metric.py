"""A learned metric as it acts on rows: x ↦ A^{½}x, the way back, and A written out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg

from sidelight.core import FloatArray
from sidelight.metric.learning.safe_pairs import InnerMetric
from sidelight.metric.learning.space import KernelSpace, Space


@dataclass(frozen=True)
class RowMetric:
    """A metric B on the coordinates of a space, c outside them; all that a fit leaves behind.

    Parameters
    ----------
    space : Space
        The coordinates.
    learned : InnerMetric
        B and c.
    root : ndarray of shape (r, r)
        B^{½}.
    """

    space: Space
    learned: InnerMetric
    root: FloatArray

    @classmethod
    def of(cls, space: Space, learned: InnerMetric) -> RowMetric:
        """Take the root of a metric, once."""
        return cls(space, learned, _power(learned.inner, 0.5))

    def map(self, X: FloatArray) -> FloatArray:
        """X A^{½}: rows whose Euclidean distances are the learned ones."""
        return self.space.apply(X, self.root, float(np.sqrt(self.learned.outside)))

    def undo(self, Z: FloatArray) -> FloatArray | None:
        """Z A^{−½}; None where the metric is singular."""
        inner, outside = self.learned.inner, self.learned.outside
        values = np.linalg.eigvalsh(inner)
        if self.space.n_outside:
            values = np.append(values, outside)
        if values.min() <= 1e-12 * values.max():
            return None
        back = 1 / np.sqrt(outside) if outside > 0 else 0.0
        return self.space.apply(Z, _power(inner, -0.5), float(back))

    @property
    def by_kernel(self) -> bool:
        """Whether the coordinates are in a kernel's feature space."""
        return isinstance(self.space, KernelSpace)

    @property
    def order(self) -> int:
        """The order of A: features, or the rows that a kernel is expanded in."""
        return len(self.space.rows) if isinstance(self.space, KernelSpace) else self.space.n_out

    def matrix(self) -> FloatArray:
        """A."""
        return self.space.matrix(self.learned.inner, self.learned.outside)


def _power(A: FloatArray, exponent: float) -> FloatArray:
    if not len(A):  # an empty span, of which SciPy before 1.14 asks no eigenvalues
        return A
    values, vectors = scipy.linalg.eigh(A, check_finite=False)
    # the root of rounding, 1e-16, would be 1e-8
    values = np.where(values > 1e-13 * values.max(initial=0.0), values, 0.0)
    powers = values**exponent
    return np.asarray((vectors * powers) @ vectors.T)
