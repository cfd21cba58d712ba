"""Block Lanczos: the largest eigenpairs of a symmetric operator that can only be applied.

A block of vectors meets the matrix at once, so that each pass over a large matrix in memory
feeds several directions, and eigenvalues of multiplicity up to the block's width are found (a
circle's eigenvalues come in pairs).  The basis is kept orthogonal in full: the matrices at hand
are far more expensive to apply than a few hundred vectors are to orthogonalise.

References
----------
G. H. Golub and R. Underwood (1977), "The block Lanczos method for computing eigenvalues".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.linalg

from sidelight.core import FloatArray, one_blas_thread, report
from sidelight.solvers.eigen.rules import ONE_VALUE, reach_of_last, shared_values

#: A block is made wider up to this where an eigenvalue may have more vectors than it has.
_WIDEST = 32


@dataclass(frozen=True)
class RitzPairs:
    """What the iteration found.

    Parameters
    ----------
    values : ndarray of shape (k,)
        The largest Ritz values, descending; beside those asked for, those that share the last one.
    vectors : ndarray of shape (n, k)
        Their orthonormal vectors.
    lowest : float
        The smallest Ritz value seen: an upper bound on the smallest eigenvalue.
    n_applications : int
        How many blocks met the operator.
    converged : bool
        Whether every wanted residual went below the tolerance.
    """

    values: FloatArray
    vectors: FloatArray
    lowest: float
    n_applications: int
    converged: bool


def largest_ritz_pairs(
    apply: Callable[[FloatArray], FloatArray],
    n: int,
    n_pairs: int,
    *,
    null: FloatArray | None = None,
    tol: float = 1e-10,
    block: int | None = None,
    max_dimension: int = 240,
    max_restarts: int = 60,
    start: FloatArray | None = None,
) -> RitzPairs:
    """Find the largest eigenpairs of a symmetric operator by block Lanczos with restarts."""
    room = n - (0 if null is None else null.shape[1])
    width = min(block or min(n_pairs + 2, 8), room)
    with one_blas_thread():  # products with a few vectors at a time
        while True:
            found = _iterate(
                apply, n, n_pairs, null, tol, width, max_dimension, max_restarts, start
            )
            if start is not None or not found.converged or _most_shared(found, tol) < width:
                return found
            # a block spans no more of an eigenvalue's vectors than it has itself, but for rounding
            if 2 * width > min(_WIDEST, room):
                return found
            width *= 2


def nearness(values: FloatArray, tol: float) -> FloatArray:
    """How near to a Ritz value another one is the same, as far as the iteration can tell."""
    magnitudes = np.abs(values)
    return np.asarray(np.maximum(tol * magnitudes, ONE_VALUE * magnitudes.max(initial=0.0)))


def _most_shared(found: RitzPairs, tol: float) -> int:
    """How many pairs share one value, at most; zero, which most may share, does not count."""
    near = nearness(found.values, tol)
    groups = [g for g in shared_values(found.values, near) if abs(found.values[g.start]) > near[0]]
    return max((group.stop - group.start for group in groups), default=0)


def _iterate(
    apply: Callable[[FloatArray], FloatArray],
    n: int,
    n_pairs: int,
    null: FloatArray | None,
    tol: float,
    width: int,
    max_dimension: int,
    max_restarts: int,
    start: FloatArray | None,
) -> RitzPairs:
    room = n - (0 if null is None else null.shape[1])
    if max_restarts:  # what is kept, and room to go on from it
        max_dimension = max(max_dimension, 2 * n_pairs + 5 * width)
    max_dimension = min(max_dimension, room)
    rng = np.random.default_rng(0)  # a fixed start: the same answer every time
    basis = np.empty((n, max_dimension), order="F")
    projected = np.zeros((max_dimension, max_dimension))
    first = rng.standard_normal((n, width)) if start is None else start
    new = orthonormal(first, basis[:, :0], null, rng)
    size = n_applications = n_restarts = 0
    lowest = np.inf
    while True:
        stop = size + new.shape[1]
        basis[:, size:stop] = new
        image = np.asarray(apply(new), dtype=np.float64)
        n_applications += 1
        if null is not None:
            image -= null @ (null.T @ image)
        coefficients = basis[:, :stop].T @ image
        projected[:stop, size:stop] = coefficients
        projected[size:stop, :stop] = coefficients.T
        image -= basis[:, :stop] @ coefficients
        values, rotation = scipy.linalg.eigh(projected[:stop, :stop])
        lowest = min(lowest, float(values[0]))
        values, rotation = values[::-1], rotation[:, ::-1]
        seen = slice(0, n_pairs + width)  # those wanted, and those that may share the last one
        # ‖A v − θ v‖ = ‖(the part of A·(last block) outside the basis) · (last rows)‖
        outside = np.linalg.qr(image, mode="r")
        residuals = np.linalg.norm(outside @ rotation[size:stop, seen], axis=0)
        scale = max(float(np.abs(values).max()), np.finfo(float).tiny)
        goal = np.maximum(tol * np.abs(values[seen]), 1e-14 * scale)
        doubts = np.maximum(residuals, nearness(values[seen], tol))
        reach = reach_of_last(values[seen], doubts, n_pairs) if stop >= n_pairs else n_pairs
        done = residuals <= goal
        converged = stop >= n_pairs and bool(done[:n_pairs].all())
        size = stop
        if (
            (converged and done[:reach].all())
            or size >= room
            or (size + width > max_dimension and n_restarts == max_restarts)
        ):
            break
        if size + width > max_dimension:
            # keep the best vectors; the part outside them is spanned by the last image alone
            keep = min(n_pairs + width, size - width)
            basis[:, :keep] = basis[:, :size] @ rotation[:, :keep]
            projected[:] = 0
            projected[np.arange(keep), np.arange(keep)] = values[:keep]
            size = keep
            n_restarts += 1
            report("eigenvectors", n_restarts, None, float(residuals[:n_pairs].max() / scale))
        new = orthonormal(image, basis[:, :size], null, rng)[:, : room - size]
    kept = reach if done[:reach].all() or size >= room else n_pairs
    vectors = basis[:, :size] @ rotation[:, :kept]
    return RitzPairs(values[:kept], vectors, lowest, n_applications, converged or size >= room)


def orthonormal(
    block: FloatArray, basis: FloatArray, null: FloatArray | None, rng: np.random.Generator
) -> FloatArray:
    """Orthonormalise a block against the basis; directions that vanish are drawn anew."""
    block = np.array(block, dtype=np.float64)
    for _ in range(3):
        for known in (null, basis):
            if known is not None and known.shape[1]:
                block -= known @ (known.T @ block)
        scale = np.linalg.norm(block, axis=0)
        block /= np.where(scale > 0, scale, 1.0)
        orthonormal, triangle = np.linalg.qr(block)
        lost = np.abs(np.diag(triangle)) < 1e-8
        if not lost.any():
            return np.asarray(orthonormal)
        block = np.asarray(orthonormal)
        block[:, lost] = rng.standard_normal((block.shape[0], int(lost.sum())))
    return np.asarray(np.linalg.qr(block)[0])
