"""Chebyshev filters of a sparse matrix: polynomials that let the low end of its spectrum pass.

    p(A) = T_m((c − A)/h) / T_m(c/h)

is one at zero and small on [c − h, c + h].  Filters are applied in single precision, which halves
what is moved in memory.  That is enough: of vectors V that are nearly eigenvectors, A V = V Θ + R,
only what a filter changes is computed,

    E_k = T_k(B) V − V T_k(Φ),   E_{k+1} = 2 B E_k − E_{k−1} − (2/h) R T_k(Φ),   E_1 = −R/h,

with B = (c − A)/h and Φ = (c − Θ)/h, so that what rounding takes is a share of R, however small
that is [1]_.

References
----------
.. [1] N. Kodali, K. Ramakrishnan and P. Motamarri (2025), "Residual-based Chebyshev filtered
   subspace iteration for sparse Hermitian eigenvalue problems tolerant to inexact matrix-vector
   products".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from sidelight.core import FloatArray, IntArray, Threads, shares

_SHARES = 16
_NOTHING = np.zeros((0, 0), dtype=np.float32)


@dataclass(frozen=True)
class Filter:
    """A polynomial: where what it holds back has its centre, how far that reaches, its degree."""

    centre: float
    half: float
    degree: int

    @property
    def at_zero(self) -> float:
        """T_m at zero."""
        return float(np.cosh(self.degree * np.arccosh(max(self.centre / self.half, 1.0))))


@dataclass(frozen=True)
class Matrix:
    """A symmetric sparse matrix of a size about one by its rows, and threads that share them.

    Parameters
    ----------
    indptr, indices, data : ndarray
        The rows.
    single : ndarray
        The entries in single precision.
    pool : Threads
        Rows are cut in the same way for any number of them.
    outside : ndarray, optional
        Directions that are taken off after every product, where they are no eigenvectors.
    """

    indptr: IntArray
    indices: IntArray
    data: FloatArray
    single: FloatArray
    pool: Threads
    outside: FloatArray | None = None

    @classmethod
    def of(cls, A: sp.csr_array, pool: Threads, outside: FloatArray | None = None) -> Matrix:
        """The matrix in both precisions."""
        indptr, indices = A.indptr.astype(np.int64), A.indices.astype(np.int32)
        return cls(indptr, indices, A.data, A.data.astype(np.float32), pool, outside)

    def applied(self, block: FloatArray) -> FloatArray:
        """A V, in double precision."""
        image = np.zeros(block.shape)
        now = np.ascontiguousarray(block)
        self._step(self.data, now, image, _NOTHING, _NOTHING.ravel(), 0.0, 1.0)
        return image

    def filtered(self, block: FloatArray, by: Filter) -> FloatArray:
        """p(A) V."""
        before = np.zeros(block.shape, dtype=np.float32)
        now = np.ascontiguousarray(block / by.at_zero, dtype=np.float32)
        for k in range(by.degree):
            factor = (1.0 if k == 0 else 2.0) / -by.half
            self._step(self.single, now, before, _NOTHING, _NOTHING.ravel(), by.centre, factor)
            now, before = before, now
        return now.astype(np.float64)

    def changed(self, values: FloatArray, R: FloatArray, by: Filter) -> FloatArray:
        """What p(A) V has more than V p(Θ), to a factor for each column: R = A V − V Θ."""
        lengths = np.linalg.norm(R, axis=0)
        source = np.ascontiguousarray(R / np.where(lengths > 0.0, lengths, 1.0), dtype=np.float32)
        before, now = np.zeros_like(source), source / np.float32(-by.half)
        place = (by.centre - values) / by.half
        earlier, level = np.ones_like(place), place
        for _ in range(1, by.degree):
            weights = ((2.0 / -by.half) * level).astype(np.float32)
            self._step(self.single, now, before, source, weights, by.centre, 2.0 / -by.half)
            now, before = before, now
            earlier, level = level, 2.0 * place * level - earlier
        return now.astype(np.float64)

    def _step(
        self,
        data: FloatArray,
        now: FloatArray,
        before: FloatArray,
        source: FloatArray,
        weights: FloatArray,
        centre: float,
        factor: float,
    ) -> None:
        from sidelight.solvers.eigen._filter_compiled import chebyshev_step

        told = (self.indptr, self.indices, data, now, before, source, weights, centre, factor)
        cuts = shares(len(now), _SHARES)
        self.pool.run([(chebyshev_step, (*told, cut.start, cut.stop)) for cut in cuts])
        if self.outside is not None:
            outside = self.outside.astype(now.dtype, copy=False)
            before -= outside @ (outside.T @ before)
