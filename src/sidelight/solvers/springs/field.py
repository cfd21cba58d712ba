"""Gaussian fields of springs: log|L(λ) + G| and the variance of every spring's extension.

L(λ) = Σ_e λ_e (e_i − e_j)(e_i − e_j)ᵀ over the edges of a graph and G is diagonal, so that K =
(L + G)⁻¹ is the covariance of a field whose nodes are joined by springs and tied weakly to the
ground.  The variance of a spring's extension is K_ii − 2K_ij + K_jj, the derivative of log|L + G|.
Sparse elimination serves graphs whose factor stays sparse, BLAS the others; G·1 is known, so that
neither loses digits to the constant vector, along which K is large.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from sidelight.core import FloatArray, IntArray, require_memory

#: Up to so many nodes a dense inverse is faster than anything else.
_DENSE_NODES = 200
#: How much faster BLAS computes than the compiled elimination.
_BLAS_GAIN = 40.0


class Field(Protocol):
    """A field whose springs can be changed."""

    def evaluate(self, springs: FloatArray) -> tuple[float, FloatArray]:
        """Compute log|L + G| and the variances of the springs' extensions."""
        ...


def field_on(n: int, edges: IntArray, grounds: FloatArray, *, who: str) -> Field:
    """Choose how to compute with a graph: by sparse elimination or by BLAS.

    Examples
    --------
    Two nodes: |L + G| = (λ + g)² − λ², and the extension's variance is 2g/|L + G|.

    >>> import numpy as np
    >>> field = field_on(2, np.array([[0, 1]]), np.array([0.5, 0.5]), who="")
    >>> value, extensions = field.evaluate(np.array([2.0]))
    >>> round(float(np.exp(value)), 6), extensions.round(6)
    (2.25, array([0.444444]))
    """
    if n > _DENSE_NODES:
        pattern = _EliminationPattern.of(n, edges)
        if _BLAS_GAIN * pattern.work < float(n) ** 3:
            return SparseField(pattern, grounds)
    return DenseField(n, edges, grounds, who=who)


class DenseField:
    """A field computed by BLAS; its springs may be negative.

    Parameters
    ----------
    n : int
        Number of nodes.
    edges : ndarray of shape (m, 2)
        The graph.
    grounds : ndarray of shape (n,)
        The diagonal of G, positive.
    who : str
        Named in a refusal of memory.
    """

    def __init__(self, n: int, edges: IntArray, grounds: FloatArray, *, who: str) -> None:
        require_memory(
            32.0 * n * n,
            what=f"the {n} × {n} covariance",
            who=who,
            instead="Use fewer rows, or fewer neighbours: a sparse graph needs no such matrix.",
        )
        self.n, self.edges, self.grounds = n, edges, grounds
        self._total = float(grounds.sum())

    def factor(self, springs: FloatArray) -> tuple[float, FloatArray | None]:
        """Factor L + G + (τ/tr G) ggᵀ, g the diagonal of G, which has all extensions of L + G.

        K g = 1, so that the further term changes K by a constant only; it makes up for the weak
        ground along the constant vector, by a determinant 1 + τ.
        """
        i, j = self.edges.T
        n, g = self.n, self.grounds
        degrees = np.bincount(i, springs, n) + np.bincount(j, springs, n)
        weight = max(float(np.abs(degrees).mean()) * n / self._total, 1.0)
        A = np.outer(g * (weight / self._total), g)
        A[i, j] -= springs
        A[j, i] -= springs
        A[np.arange(n), np.arange(n)] += degrees + g
        try:
            R = scipy.linalg.cholesky(A, lower=True, overwrite_a=True, check_finite=False)
        except (scipy.linalg.LinAlgError, ValueError):
            return -np.inf, None
        log_determinant = 2 * float(np.log(np.diag(R)).sum()) - float(np.log1p(weight))
        return (log_determinant, R) if np.isfinite(log_determinant) else (-np.inf, None)

    def covariance(self, factor: FloatArray) -> FloatArray:
        """Invert by the factor: K up to a constant."""
        lower = np.asarray(scipy.linalg.lapack.dpotri(factor, lower=1)[0])
        K = np.tril(lower)
        return np.asarray(K + np.tril(lower, -1).T)

    def extensions(self, K: FloatArray) -> FloatArray:
        """Read the variances of the springs' extensions off K."""
        i, j = self.edges.T
        variances = np.diag(K)
        return np.asarray(variances[i] + variances[j] - 2 * K[i, j])

    def evaluate(self, springs: FloatArray) -> tuple[float, FloatArray]:
        """Compute log|L + G| and the variances of the springs' extensions."""
        log_determinant, factor = self.factor(springs)
        if factor is None:
            return log_determinant, np.zeros(len(springs))
        return log_determinant, self.extensions(self.covariance(factor))


@dataclass(frozen=True)
class _EliminationPattern:
    """The pattern of the factor, below its diagonal, and where each edge is in it."""

    order: IntArray
    indptr: IntArray
    indices: IntArray
    places: IntArray
    ends: tuple[IntArray, IntArray]

    @property
    def work(self) -> float:
        """Multiplications of an elimination."""
        return float(np.sum(np.diff(self.indptr).astype(np.float64) ** 2))

    @classmethod
    def of(cls, n: int, edges: IntArray) -> _EliminationPattern:
        """Find a minimum degree ordering and what is filled in."""
        i, j = edges.T
        ones = np.ones(2 * len(edges))
        W = sp.csc_array((ones, (np.r_[i, j], np.r_[j, i])), shape=(n, n))
        # the factor of such a matrix has no entry that cancels to zero
        A = sp.csc_array(sp.diags_array(np.asarray(W.sum(axis=0)).ravel() + 1e-2) - W)
        factor: Any = splu(
            A,
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )
        position = np.asarray(factor.perm_c, dtype=np.intp)
        lower = sp.csc_array(sp.tril(factor.L, -1))
        lower.sort_indices()
        a, b = position[i], position[j]
        low, high = np.minimum(a, b), np.maximum(a, b)
        columns = np.repeat(np.arange(n), np.diff(lower.indptr))
        keys = columns.astype(np.int64) * n + lower.indices
        places = np.searchsorted(keys, low.astype(np.int64) * n + high)
        indptr, indices = lower.indptr.astype(np.int64), lower.indices.astype(np.int64)
        return cls(np.argsort(position), indptr, indices, places, (a, b))


class SparseField:
    """A field computed by sparse elimination; its springs must not be negative.

    Parameters
    ----------
    pattern : _EliminationPattern
        Of the factor.
    grounds : ndarray of shape (n,)
        The diagonal of G, positive.
    """

    def __init__(self, pattern: _EliminationPattern, grounds: FloatArray) -> None:
        self._pattern = pattern
        self._grounds = grounds[pattern.order].astype(np.float64)

    def evaluate(self, springs: FloatArray) -> tuple[float, FloatArray]:
        """Compute log|L + G| and the variances of the springs' extensions."""
        from sidelight.solvers.springs._elimination_compiled import eliminate, selected_inverse

        pattern, n = self._pattern, len(self._grounds)
        shares = np.zeros(len(pattern.indices))
        shares[pattern.places] = springs
        pivots, excess = np.empty(n), np.empty(n)
        eliminate(pattern.indptr, pattern.indices, shares, self._grounds, pivots, excess)
        covariances, variances = np.empty_like(shares), np.empty(n)
        selected_inverse(
            pattern.indptr, pattern.indices, shares, pivots, excess, covariances, variances
        )
        a, b = pattern.ends
        extensions = variances[a] + variances[b] - 2 * covariances[pattern.places]
        return float(np.log(pivots).sum()), np.asarray(extensions)
