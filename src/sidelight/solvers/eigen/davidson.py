"""Davidson's method: the largest eigenpairs of a symmetric operator whose inverse is half known.

A basis grows by the residuals of the wanted pairs, as they are and corrected by an approximate
inverse.  Where the inverse is good a few steps suffice, however close the eigenvalues are; where
it is of no use the residuals alone span what block Lanczos would.

References
----------
E. R. Davidson (1975), "The iterative calculation of a few of the lowest eigenvalues and
corresponding eigenvectors of large real-symmetric matrices".
"""

from __future__ import annotations

import numpy as np
import scipy.linalg

from sidelight.core import FloatArray, one_blas_thread, report
from sidelight.solvers.eigen.block_lanczos import RitzPairs
from sidelight.solvers.eigen.rules import ONE_VALUE, fix_shared, reach_of_last
from sidelight.solvers.eigen.sparse_factors import Operator

#: Pairs beyond those wanted that are looked at: they may share the last one's eigenvalue.
_SPARE = 4


def largest_by_corrections(
    apply: Operator,
    start: FloatArray,
    n_pairs: int,
    *,
    correct: Operator | None = None,
    null: FloatArray | None = None,
    tol: float = 1e-8,
    floor: float = 1e-12,
    max_dimension: int = 160,
    max_steps: int = 400,
) -> RitzPairs:
    """Find the largest eigenpairs of a symmetric operator from a start that is not far off.

    A pair is found where its residual is below ``tol`` times the distance to the next eigenvalue,
    which bounds the angle of its vector, or below ``floor`` times the largest of all.  Vectors of
    shared eigenvalues are those of the rule.

    Examples
    --------
    >>> import numpy as np
    >>> A = np.diag(np.arange(50.0))
    >>> start = np.eye(50)[:, -3:] + 0.1
    >>> largest_by_corrections(lambda block: A @ block, start, 2).values.round(6)
    array([49., 48.])
    """
    with one_blas_thread():
        return _grow(apply, start, n_pairs, correct, null, tol, floor, max_dimension, max_steps)


def _grow(
    apply: Operator,
    start: FloatArray,
    n_pairs: int,
    correct: Operator | None,
    null: FloatArray | None,
    tol: float,
    floor: float,
    max_dimension: int,
    max_steps: int,
) -> RitzPairs:
    n = len(start)
    basis = _independent(start, np.empty((n, 0)), null)
    image = np.asarray(apply(basis), dtype=np.float64)
    lowest, step = np.inf, 0
    while True:
        projected = basis.T @ image
        values, rotation = scipy.linalg.eigh((projected + projected.T) / 2)
        values, rotation = values[::-1], rotation[:, ::-1]
        lowest = min(lowest, float(values[-1]))
        seen = min(n_pairs + _SPARE, len(values))
        vectors = basis @ rotation[:, :seen]
        residuals = image @ rotation[:, :seen] - vectors * values[:seen]
        if null is not None:
            residuals -= null @ (null.T @ residuals)
        sizes = np.linalg.norm(residuals, axis=0)
        scale = max(float(np.abs(values).max()), np.finfo(float).tiny)
        near = max(ONE_VALUE, 100 * floor) * scale
        wanted = seen
        if seen >= n_pairs:
            wanted = reach_of_last(values[:seen], np.maximum(sizes, near), n_pairs)
        vectors, residuals, sizes = vectors[:, :wanted], residuals[:, :wanted], sizes[:wanted]
        open_pairs = sizes > np.maximum(tol * _gaps(values, wanted), floor * scale)
        found = wanted >= n_pairs and not open_pairs.any()
        if found or step == max_steps:
            break
        step += 1
        report("eigenvectors", step, None, float(sizes.max() / scale))
        if basis.shape[1] > max_dimension:
            keep = n_pairs + start.shape[1]
            basis, image = basis @ rotation[:, :keep], image @ rotation[:, :keep]
        residuals = residuals[:, open_pairs] if open_pairs.any() else residuals
        residuals /= np.linalg.norm(residuals, axis=0)
        ways = [residuals] if correct is None else [correct(residuals), residuals]
        new = _independent(np.hstack(ways), basis, null)
        if not new.shape[1]:
            found = True  # nothing is left outside the basis
            break
        basis = np.hstack([basis, new])
        image = np.hstack([image, np.asarray(apply(new), dtype=np.float64)])
    settled = fix_shared(values[:wanted], vectors, n_pairs, near=near, error=tol)
    return RitzPairs(*settled, lowest, step, found)


def _gaps(values: FloatArray, wanted: int) -> FloatArray:
    """How far each of the first eigenvalues is from the nearest other one."""
    steps = -np.diff(values)
    if not len(steps):
        return np.zeros(wanted)
    apart = np.minimum(np.append(np.inf, steps), np.append(steps, np.inf))
    return np.asarray(apart[:wanted])


def _independent(block: FloatArray, basis: FloatArray, null: FloatArray | None) -> FloatArray:
    """What of a block is new, orthonormal."""
    block = np.array(block, dtype=np.float64)
    for _ in range(2):
        scale = np.linalg.norm(block, axis=0)
        block = block[:, scale > 0] / scale[scale > 0]
        for known in (null, basis):
            if known is not None and known.shape[1]:
                block -= known @ (known.T @ block)
        left, size, _ = np.linalg.svd(block, full_matrices=False)
        block = left[:, size > 1e-10 * max(float(size.max(initial=0.0)), 1e-300)]
        block = block if (size.max(initial=0.0)) > 1e-12 else block[:, :0]
    return np.asarray(block)
