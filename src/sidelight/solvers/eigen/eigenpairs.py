"""The eigenpairs that maps are made of, found in one place.

Largest and smallest, standard and generalised by a diagonal, dense, sparse or an operator: one
sign rule, one rule for vectors that share an eigenvalue, values and vectors always together,
residuals measured, and a fallback instead of a failure.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from sidelight.core import FloatArray, is_sparse
from sidelight.solvers.eigen.block_lanczos import RitzPairs, largest_ritz_pairs, nearness
from sidelight.solvers.eigen.filtered import smallest_by_filters
from sidelight.solvers.eigen.rules import ONE_VALUE, fix_shared, fix_signs
from sidelight.solvers.eigen.sparse_factors import (
    WIDEST_LEVEL,
    Operator,
    inverse_of_square,
    inverse_of_symmetric,
    widest_level,
)

#: Up to this order a dense decomposition is faster than any iteration.
DENSE_ORDER = 500


@dataclass(frozen=True)
class Eigenpairs:
    """Eigenvalues and their vectors.

    Parameters
    ----------
    values : ndarray of shape (k,)
        Eigenvalues, in the order asked for.
    vectors : ndarray of shape (n, k)
        Eigenvectors in columns, signs fixed by :func:`fix_signs`.
    residuals : ndarray of shape (k,)
        ‖A v − λ B v‖ / (‖v‖ · the largest eigenvalue known), measured after the fact.
    lowest : float
        The smallest eigenvalue known of: exact for a dense solution, else an upper bound on it.
    """

    values: FloatArray
    vectors: FloatArray
    residuals: FloatArray
    lowest: float


def largest_eigenpairs(
    A: Any, n_pairs: int, *, n: int | None = None, tol: float = 1e-9, who: str = "sidelight"
) -> Eigenpairs:
    """Find the largest eigenpairs of a symmetric matrix, A v = λ v with λ₁ ≥ λ₂ ≥ ….

    Examples
    --------
    >>> import numpy as np
    >>> largest_eigenpairs(np.diag([1.0, 4.0, 2.0]), 2).values
    array([4., 2.])
    """
    apply: Operator
    if callable(A):
        if n is None:
            raise ValueError("The order n is needed where the matrix is a function.")
        apply = A
        if n <= DENSE_ORDER or n_pairs > n // 4:
            A = apply(np.eye(n))
            A = (A + A.T) / 2
    else:
        n = A.shape[0]

        def apply(block: FloatArray) -> FloatArray:
            # a float32 matrix is applied in float32: half the memory traffic
            return np.asarray(A @ block.astype(A.dtype, copy=False))

    if not callable(A) and (n <= DENSE_ORDER or n_pairs > n // 4):
        dense = A.toarray() if is_sparse(A) else A
        ascending = scipy.linalg.eigh(np.asarray(dense, dtype=np.float64), check_finite=False)
        values: FloatArray = ascending[0][::-1]
        vectors: FloatArray = ascending[1][:, ::-1]
        lowest, converged = float(values[-1]), True
        scale = max(abs(float(values[0])), abs(lowest))
        values, vectors = fix_shared(values, vectors, n_pairs, near=ONE_VALUE * scale)
    else:
        single = not callable(A) and A.dtype == np.float32
        tol = max(tol, 1e-6) if single else tol
        found = largest_ritz_pairs(apply, n, n_pairs, tol=tol)
        values, vectors = _settled(found, n_pairs, nearness(found.values, tol), tol)
        lowest, converged = found.lowest, found.converged
    vectors = fix_signs(vectors)
    residuals = _residuals(apply(vectors), values, vectors, max(abs(values[0]), abs(lowest)))
    if not converged:
        _warn(who, residuals)
    return Eigenpairs(values, vectors, residuals, lowest)


def negative_eigenvalues(A: Operator, n: int, *, n_values: int = 5) -> FloatArray:
    """Estimate the most negative eigenvalues of a symmetric operator, to a few digits."""
    found = largest_ritz_pairs(lambda block: -A(block), n, n_values, tol=1e-3, max_restarts=1)
    return np.asarray(-found.values[:n_values][found.values[:n_values] > 0])


def smallest_eigenpairs(
    A: Any,
    n_pairs: int,
    *,
    diagonal: FloatArray | None = None,
    null: FloatArray | None = None,
    tol: float = 1e-8,
    who: str = "sidelight",
) -> Eigenpairs:
    """Find the smallest eigenpairs of a positive semidefinite matrix, A v = λ B v.

    B is diagonal.  With S = B^{−½} the problem is S A S u = λ u, v = S u.  A sparse matrix is
    factored once as S A S + εI (a shift slightly below the spectrum, so that the factor exists)
    with a minimum degree ordering, and block Lanczos runs on its inverse.  Where the graph is so
    well connected that the factor would fill up, its low end is filtered out instead.

    Examples
    --------
    >>> import numpy as np
    >>> smallest_eigenpairs(np.diag([1.0, 4.0, 2.0]), 2).values
    array([1., 2.])
    """
    n = A.shape[0]
    root = np.ones(n) if diagonal is None else np.sqrt(np.asarray(diagonal, dtype=np.float64))
    known = None if null is None else np.linalg.qr(root[:, None] * null)[0]
    n_known = 0 if known is None else known.shape[1]
    converged = True
    if n <= DENSE_ORDER or n_pairs + n_known > n // 4:
        dense = np.asarray(A.toarray() if is_sparse(A) else A, dtype=np.float64)
        scaled = dense / np.outer(root, root)
        if known is not None:  # move the known vectors above everything else
            top = 2 * np.abs(scaled).sum(axis=1).max() or 1.0  # in the matrix's own units
            scaled = _deflate(scaled, known) + top * (known @ known.T)
        values, vectors = scipy.linalg.eigh(scaled, check_finite=False)
        largest, n_own = float(values[n - 1 - n_known]), n - n_known
        values, vectors = fix_shared(
            values[:n_own], vectors[:, :n_own], n_pairs, near=ONE_VALUE * largest
        )
    else:
        scaled_sparse = _scale_symmetric(A, root)
        # Gershgorin: no eigenvalue is larger, of S A S nor of B⁻¹ A, which has the same
        rows = _absolute_sums(sp.csr_array(A)) / root**2
        largest = float(min(_absolute_sums(scaled_sparse).max(), rows.max()))
        values, vectors, converged = _smallest_of_sparse(
            scaled_sparse, n_pairs, known, largest, tol, who
        )
    vectors = fix_signs(vectors / root[:, None])
    image = np.asarray(A @ vectors)
    residuals = _residuals(image, values, vectors * (root**2)[:, None], largest)
    if not converged:
        _warn(who, residuals)
    return Eigenpairs(values, vectors, residuals, float(values[0]))


def smallest_of_square(
    F: sp.csr_array, null: FloatArray, n_pairs: int, *, tol: float = 1e-8, who: str = "sidelight"
) -> Eigenpairs:
    """Find the smallest eigenpairs of FᵀF without forming it, F square and F·null = 0.

    The factors of F have far fewer entries than those of FᵀF, whose graph reaches two steps.  With
    u the left null vector of F, (FᵀF)⁻¹ on what is orthogonal to ``null`` is: solve with Fᵀ, take
    off u, solve with F.  Where that is not accurate enough FᵀF is formed after all.

    Examples
    --------
    A path's differences: FᵀF is its Laplacian, with eigenvalues 2 − 2 cos(π p / n).

    >>> import numpy as np, scipy.sparse as sp
    >>> F = sp.csr_array(np.diag([0.0, 1.0, 1.0]) - np.diag([1.0, 1.0], -1))
    >>> smallest_of_square(F, np.ones(3), 2).values.round(6)
    array([1., 3.])
    """
    n = F.shape[0]
    unit = (null / np.linalg.norm(null))[:, None]
    if n > DENSE_ORDER and n_pairs + 1 <= n // 4 and widest_level(F) <= WIDEST_LEVEL:
        # ‖F‖₂² is at most the product of its largest row and column sums
        largest = float(abs(F).sum(axis=0).max() * abs(F).sum(axis=1).max())
        apply = inverse_of_square(F, 1e-12 * float(np.sqrt(largest)))
        if apply is not None:
            width = min(n_pairs + 1, 8)
            found = largest_ritz_pairs(apply, n, n_pairs, null=unit, tol=tol, block=width)
            vectors = _settled(found, n_pairs, nearness(found.values, tol), tol)[1]
            image = F.T @ (F @ vectors)
            values = np.sort(np.einsum("ij,ij->j", vectors, image))
            residuals = _residuals(image, values, vectors, largest)
            if found.converged and residuals.max() < 1e-9:
                return Eigenpairs(values, fix_signs(vectors), residuals, float(values[0]))
    return smallest_eigenpairs(sp.csr_array(F.T @ F), n_pairs, null=unit, tol=tol, who=who)


def _smallest_of_sparse(
    A: sp.csc_array, n_pairs: int, null: FloatArray | None, largest: float, tol: float, who: str
) -> tuple[FloatArray, FloatArray, bool]:
    n = A.shape[0]
    if widest_level(A) <= WIDEST_LEVEL:
        shift = 1e-13 * largest
        factor = inverse_of_symmetric(A, shift)
        width = min(n_pairs + 1, 8)  # a solve costs in proportion to its columns
        found = largest_ritz_pairs(factor, n, n_pairs, null=null, tol=tol, block=width)
        near = nearness(found.values, tol)
    else:
        finer = 1e-2 * tol
        found = smallest_by_filters(A.T, n_pairs, null=null, largest=largest, tol=finer, who=who)
        near = np.full(found.values.shape, finer * largest)
    vectors = _settled(found, n_pairs, near, tol)[1]
    # a Rayleigh quotient has the square of the vector's error; of shared ones the order is the
    # rule's, which rounding of their quotients must not change
    values = np.sort(np.einsum("ij,ij->j", vectors, A @ vectors))
    return values, vectors, found.converged


def _settled(
    found: RitzPairs, n_pairs: int, near: FloatArray, error: float
) -> tuple[FloatArray, FloatArray]:
    return fix_shared(found.values, found.vectors, n_pairs, near=near, error=error)


def _scale_symmetric(A: Any, root: FloatArray) -> sp.csc_array:
    """S A S with S = diag(1/root): the rows of a symmetric matrix are its columns."""
    A = sp.csr_array(A)
    rows = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))
    data = A.data / (root[rows] * root[A.indices])
    return sp.csc_array((data, A.indices, A.indptr), shape=A.shape)


def _absolute_sums(A: Any) -> FloatArray:
    """Σ_j |a_ij|, summed as stored: scipy's abs sorts the indices that a copy may share."""
    lines = np.repeat(np.arange(len(A.indptr) - 1), np.diff(A.indptr))
    return np.asarray(
        np.bincount(lines, weights=np.abs(A.data), minlength=len(A.indptr) - 1), dtype=np.float64
    )


def _deflate(A: FloatArray, known: FloatArray) -> FloatArray:
    projected = A - known @ (known.T @ A)
    projected = projected - (projected @ known) @ known.T
    return np.asarray((projected + projected.T) / 2)


def _residuals(
    image: FloatArray, values: FloatArray, vectors: FloatArray, scale: float
) -> FloatArray:
    lengths = np.linalg.norm(vectors, axis=0)
    # in the unit of the matrix: squares of its entries may be too large for a number
    errors = np.linalg.norm((image - vectors * values) / max(scale, 1e-300), axis=0)
    return np.asarray(errors / np.maximum(lengths, 1e-300))


def _warn(who: str, residuals: FloatArray) -> None:
    warnings.warn(
        f"The eigenvectors of {who} did not converge: the largest relative residual is "
        f"{residuals.max():.1e}. Close eigenvalues are hard to tell apart: ask for more or fewer "
        f"components, or change the neighbourhood so that the graph is less uniform.",
        ConvergenceWarning,
        stacklevel=4,
    )
