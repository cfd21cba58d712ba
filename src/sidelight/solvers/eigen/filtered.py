"""The smallest eigenpairs of a large sparse matrix that cannot be factored, by filters.

A Chebyshev polynomial that is small on all but the low end of the spectrum makes the wanted
eigenvalues large and far apart; block Lanczos on the polynomial of the matrix needs a few steps and
few vectors in memory.  What it finds says where the next filter begins.

References
----------
Y. Zhou, Y. Saad, M. L. Tiago and J. R. Chelikowsky (2006), "Self-consistent-field calculations
using Chebyshev-filtered subspace iteration".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import reverse_cuthill_mckee

from sidelight.core import (
    FloatArray,
    IntArray,
    Threads,
    count_threads,
    report,
    require_memory,
    shares,
)
from sidelight.solvers.eigen.block_lanczos import RitzPairs, largest_ritz_pairs
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
        Blocks of a basis, between two filters, at most: as many as the last ones say will do.
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
    steps: int = 4
    gain: float = 100.0
    degree: int = 300
    filters: int = 60


DEFAULT = Filtering()


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
    widest = max(settings.widest, n_pairs + settings.guards + LANES)
    require_memory(
        24.0 * A.nnz + 8.0 * n * (settings.steps + 6) * widest,
        what=f"{settings.steps * widest} vectors of {n:,} numbers, and two copies of a matrix",
        who=who,
        instead="Take a sample of the rows, and place the others by transform.",
    )
    order = reverse_cuthill_mckee(A, symmetric_mode=True)  # near rows meet near in memory
    A = sp.csr_array(A[order][:, order])
    known = None if null is None else null[order]
    rng = np.random.default_rng(0)
    n_applied, converged, steps, last_error = 0, False, settings.steps, np.inf
    centre, half, degree = largest / 2, largest / 2, 1  # no filter at first
    vectors: FloatArray = rng.standard_normal((n, -(-(n_pairs + settings.guards) // LANES) * LANES))
    with Threads(count_threads(None, who=who)) as pool:
        outside = _moved(A, known, largest)
        matrix = Matrix(
            A.indptr.astype(np.int64), A.indices.astype(np.int32), A.data, pool, outside
        )
        for number in range(settings.filters + 1):
            width = vectors.shape[1]
            found = largest_ritz_pairs(
                partial(matrix.filtered, centre=centre, half=half, degree=degree),
                n,
                width,
                null=known,
                tol=0.0,
                block=width,
                max_dimension=steps * width,
                max_restarts=0,
                start=vectors,
            )
            n_applied += degree * found.n_applications
            values, vectors, residuals = _rayleigh_ritz(A, found.vectors[:, :width], outside)
            doubts = np.maximum(residuals, tol * largest)
            reach = reach_of_last(values, doubts, n_pairs)
            error = float(residuals[:reach].max()) / largest
            report("eigenvectors", number, None, error)
            converged = error <= tol
            if converged:
                break
            steps = _steps_left(steps, last_error / error, error / tol, settings.steps)
            last_error = error
            # the null space of a matrix may be larger than what is known of it
            cut = min(max(float(values[-1]), 1e-12 * largest), 0.9 * largest)
            centre, half = (largest + cut) / 2, (largest - cut) / 2
            degree = int(np.ceil(np.arccosh(settings.gain) / np.arccosh(centre / half)))
            degree = min(max(degree, 2), settings.degree)
            wanted = values[n_pairs - 1]
            settled = error * largest < wanted  # before that all Ritz values are alike
            if settled and values[-1] < settings.crowded * wanted and width < settings.widest:
                vectors = np.hstack([vectors, rng.standard_normal((n, LANES))])
    back = np.empty((n, reach))
    back[order] = vectors[:, :reach]
    return RitzPairs(values[:reach], back, float(values[0]), n_applied, converged)


@dataclass(frozen=True)
class Matrix:
    """A sparse matrix by its rows, and threads that share them.

    Parameters
    ----------
    indptr, indices, data : ndarray
        The rows.
    pool : Threads
        Rows are cut in the same way for any number of them.
    outside : ndarray, optional
        Directions that are taken off after every product, where they are no eigenvectors.
    """

    indptr: IntArray
    indices: IntArray
    data: FloatArray
    pool: Threads
    outside: FloatArray | None = None

    def filtered(self, block: FloatArray, centre: float, half: float, degree: int) -> FloatArray:
        """Apply T_m((centre − A) / half), scaled to one at zero."""
        from sidelight.solvers.eigen._filter_compiled import chebyshev_step

        n = len(self.indptr) - 1
        rows = (self.indptr, self.indices, self.data)
        before = np.zeros(block.shape)
        now = np.ascontiguousarray(block) / np.cosh(degree * np.arccosh(centre / half))
        for step in range(degree):
            factor = (1.0 if step == 0 else 2.0) / -half
            self.pool.run(
                [
                    (chebyshev_step, (*rows, now, before, centre, factor, share.start, share.stop))
                    for share in shares(n, 16)
                ]
            )
            if self.outside is not None:
                before -= self.outside @ (self.outside.T @ before)
            now, before = before, now
        return np.asarray(now)


def _steps_left(steps: int, gained: float, wanted: float, most: int) -> int:
    """How many steps gain what is wanted, if so many have gained so much."""
    if not 1.0 < gained < np.inf:
        return most
    return int(np.clip(np.ceil(steps * np.log(wanted) / np.log(gained)), 1, most))


def _moved(A: sp.csr_array, known: FloatArray | None, largest: float) -> FloatArray | None:
    """The known vectors, where they are no eigenvectors: polynomials of A would mix them in."""
    if known is None:
        return None
    image = np.asarray(A @ known)
    moved = np.linalg.norm(image - known @ (known.T @ image), axis=0)
    return known if float(moved.max(initial=0.0)) > 1e-10 * largest else None


def _rayleigh_ritz(
    A: sp.csr_array, basis: FloatArray, outside: FloatArray | None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The eigenpairs of a matrix in a subspace, ascending, and how far they are off."""
    image = np.asarray(A @ basis)
    if outside is not None:
        image -= outside @ (outside.T @ image)
    values, rotation = np.linalg.eigh(basis.T @ image)
    vectors = basis @ rotation
    residuals = np.linalg.norm(image @ rotation - vectors * values, axis=0)
    return values, vectors, residuals
