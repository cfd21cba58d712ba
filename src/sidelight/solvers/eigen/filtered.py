"""The smallest eigenpairs of a large sparse matrix that cannot be factored, by filters.

A Chebyshev polynomial that is small on all but the low end of the spectrum makes the wanted
eigenvalues large and far apart; what it makes of a few vectors, and of that again, spans a space
that holds them nearly.  What is found there says where the next filter begins.

References
----------
Y. Zhou, Y. Saad, M. L. Tiago and J. R. Chelikowsky (2006), "Self-consistent-field calculations
using Chebyshev-filtered subspace iteration".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.csgraph import reverse_cuthill_mckee

from sidelight.core import (
    FloatArray,
    IntArray,
    Threads,
    count_threads,
    one_blas_thread,
    report,
    require_memory,
)
from sidelight.solvers.eigen.block_lanczos import RitzPairs, orthonormal
from sidelight.solvers.eigen.chebyshev import Filter, Matrix
from sidelight.solvers.eigen.rules import reach_of_last


@dataclass(frozen=True)
class Filtering:
    """How filters are chosen; set on neighbourhood graphs of digits, 20,000 to 10⁶ rows.

    Parameters
    ----------
    guards : int
        Vectors beyond those wanted, at least: what lies close above them is told apart.
    crowded, widest : float, int
        Where the largest Ritz value of a block is not so many times the largest wanted there are
        more vectors, up to this many.
    steps : int
        How often a filter is applied, at most: as often as the last ones say will do.
    gain : float
        How much more a filter lets pass at zero than above its cut.
    degree : int
        Of a filter, at most.
    filters : int
        How many, at most.
    """

    guards: int = 6
    crowded: float = 2.0
    widest: int = 32
    steps: int = 3
    gain: float = 100.0
    degree: int = 300
    filters: int = 60


DEFAULT = Filtering()
#: The least eigenvalue of a Gram matrix of unit vectors by which these are made orthonormal.
_TOLD_APART = 1e-10


def smallest_by_filters(
    A: Any,
    n_pairs: int,
    *,
    null: FloatArray | None,
    largest: float,
    tol: float,
    who: str = "eigenpairs",
    settings: Filtering = DEFAULT,
) -> RitzPairs:
    """Find the smallest eigenpairs of a symmetric matrix whose spectrum is in [0, largest].

    Ritz values are never below the eigenvalues that they stand for, so that a filter which cuts at
    the largest of a block lets all of the smallest pass.  It ends when ‖A v − λ v‖ ≤ tol · largest.
    """
    from sidelight.solvers.eigen._filter_compiled import LANES

    A = sp.csr_array(A)
    n = A.shape[0]
    room = n - (0 if null is None else null.shape[1])
    widest = max(settings.widest, n_pairs + settings.guards + LANES)
    require_memory(
        28.0 * A.nnz + 8.0 * n * (settings.steps + 7) * widest,
        what=f"{(settings.steps + 1) * widest} vectors of {n:,} numbers, and copies of a matrix",
        who=who,
        instead="Take a sample of the rows, and place the others by transform.",
    )
    rng = np.random.default_rng(0)
    n_applied, converged, steps, last_error = 0, False, settings.steps, np.inf
    now = Filter(0.5, 0.5, 1)  # none at first
    start = rng.standard_normal((n, -(-(n_pairs + settings.guards) // LANES) * LANES))
    order = reverse_cuthill_mckee(A, symmetric_mode=True)  # near rows meet near in memory
    null = None if null is None else null[order]
    with Threads(count_threads(None, who=who)) as pool, one_blas_thread():
        A = _reordered(A, order)
        A.data /= largest
        matrix = Matrix.of(A, pool, _moved(A, null))
        vectors = orthonormal(start, start[:, :0], null, rng)
        values, vectors, R = _rayleigh_ritz(matrix, vectors)
        for number in range(settings.filters + 2):
            residuals = np.linalg.norm(R, axis=0)
            reach = reach_of_last(values, np.maximum(residuals, tol), n_pairs)
            error = float(residuals[:reach].max())
            report("eigenvectors", number, None, error)
            converged = error <= tol
            if converged or number > settings.filters:
                break
            if number:
                steps = _steps_left(steps, last_error / error, error / tol, settings.steps)
                now = _filter_above(float(values[-1]), settings)
                wanted = values[n_pairs - 1]
                settled = error < wanted  # before that all Ritz values are alike
                crowded = values[-1] < settings.crowded * wanted
                if settled and crowded and vectors.shape[1] < settings.widest:
                    more = orthonormal(rng.standard_normal((n, LANES)), vectors, null, rng)
                    values, vectors, R = _rayleigh_ritz(matrix, np.hstack([vectors, more]))
            last_error = error
            steps = min(steps, room // vectors.shape[1] - 1)  # a basis has no more vectors
            values, vectors, R = _widened(matrix, values, vectors, R, null, now, steps, rng)
            n_applied += now.degree * steps
    back = np.empty((n, reach))
    back[order] = vectors[:, :reach]
    values = largest * values[:reach]
    return RitzPairs(values, back, float(values[0]), n_applied, converged)


def _reordered(A: sp.csr_array, order: IntArray) -> sp.csr_array:
    """Rows and columns in another order."""
    from sidelight.solvers.eigen._filter_compiled import reorder

    rank = np.empty_like(order)
    rank[order] = np.arange(len(order), dtype=order.dtype)
    indptr, indices, data = (np.empty_like(part) for part in (A.indptr, A.indices, A.data))
    reorder(A.indptr, A.indices, A.data, order, rank, indptr, indices, data)
    return sp.csr_array((data, indices, indptr), shape=A.shape)


def _filter_above(value: float, settings: Filtering) -> Filter:
    """The filter that holds back what is above a value."""
    # the null space of a matrix may be larger than what is known of it
    cut = min(max(value, 1e-12), 0.9)
    centre, half = (1.0 + cut) / 2, (1.0 - cut) / 2
    degree = int(np.ceil(np.arccosh(settings.gain) / np.arccosh(centre / half)))
    return Filter(centre, half, min(max(degree, 2), settings.degree))


def _widened(
    matrix: Matrix,
    values: FloatArray,
    vectors: FloatArray,
    R: FloatArray,
    null: FloatArray | None,
    by: Filter,
    steps: int,
    rng: np.random.Generator,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The Ritz pairs of vectors, of what a filter makes of them, and of that again."""
    n, width = vectors.shape
    basis = np.empty((n, (steps + 1) * width), order="F")
    projected = np.zeros((basis.shape[1], basis.shape[1]))
    basis[:, :width], projected[:width, :width] = vectors, np.diag(values)
    new = matrix.changed(values, R, by)
    for step in range(steps):
        size, stop = (step + 1) * width, (step + 2) * width
        new = _made_orthonormal(new, basis[:, :size], null, rng)
        basis[:, size:stop] = new
        coefficients = basis[:, :stop].T @ matrix.applied(new)
        projected[:stop, size:stop] = coefficients
        projected[size:stop, :stop] = coefficients.T
        if step + 1 < steps:
            new = matrix.filtered(new, by)
    rotation = scipy.linalg.eigh(projected, subset_by_index=(0, width - 1))[1]
    return _rayleigh_ritz(matrix, basis @ rotation)


def _made_orthonormal(
    block: FloatArray, basis: FloatArray, null: FloatArray | None, rng: np.random.Generator
) -> FloatArray:
    """A basis of what a block has beside others, by two Cholesky factors where these tell it."""
    new = block
    for _ in range(2):
        for known in (null, basis):
            if known is not None:
                new = new - known @ (known.T @ new)
        gram = new.T @ new
        size = np.sqrt(np.diag(gram))
        if not size.all():
            return orthonormal(block, basis, null, rng)
        values, turn = np.linalg.eigh(gram / np.outer(size, size))
        if values[0] < _TOLD_APART:
            return orthonormal(block, basis, null, rng)
        new = new @ (turn / np.sqrt(values) / size[:, None])
    return new


def _rayleigh_ritz(matrix: Matrix, basis: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The eigenpairs of a matrix in a subspace, ascending, and A V − V Θ."""
    image = matrix.applied(basis)
    values, rotation = np.linalg.eigh(basis.T @ image)
    vectors = basis @ rotation
    return values, vectors, image @ rotation - vectors * values


def _steps_left(steps: int, gained: float, wanted: float, most: int) -> int:
    """How many steps gain what is wanted, if so many have gained so much."""
    if not 1.0 < gained < np.inf:
        return most
    return int(np.clip(np.ceil(steps * np.log(wanted) / np.log(gained)), 1, most))


def _moved(A: sp.csr_array, known: FloatArray | None) -> FloatArray | None:
    """The known vectors, where they are no eigenvectors: polynomials of A would mix them in."""
    if known is None:
        return None
    image = np.asarray(A @ known)
    moved = np.linalg.norm(image - known @ (known.T @ image), axis=0)
    return known if float(moved.max(initial=0.0)) > 1e-10 else None
