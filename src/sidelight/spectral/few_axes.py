"""A few principal axes of very many rows in single precision, without their scatter matrix.

The axes of some of the rows are nearly those of all.  Block Lanczos begins with them, and with a
direction at random, in which there is something of every axis that the sample lacks.  It reads all
rows once a step, a block of them in the cache for both products of Xᵀ (X V).  How many steps that
takes is foretold by the spectrum of the sample.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sidelight.core import FloatArray
from sidelight.solvers.eigen import RitzPairs, largest_ritz_pairs

#: One row of so many is in the sample, and that has more rows than columns.
_SAMPLED = 16
#: So many axes at most, with fewer columns the scatter matrix costs less.
_MOST_AXES, _FEWEST_COLUMNS = 4, 513
#: Vectors that go along, and rows that are read at once.
_VECTORS, _ROWS = 8, 1024
#: The residual, as a share of an eigenvalue: rounding in single precision is a third of it.
_TOL = 3e-7
#: More steps than these cost as much as the scatter matrix.
_STEPS = 7
#: What the axes of a sample are off by, and the least share of the largest eigenvalue, and of it
#: between two, that can be told from rounding.
_OFF, _LEAST, _APART = 0.1, 0.1, 1e-3


@dataclass(frozen=True)
class FewAxes:
    """The leading axes of rows.

    Parameters
    ----------
    mean : ndarray of shape (p,)
        Of the rows.
    total : float
        Σ ‖x_i − m‖².
    pairs : RitzPairs
        The largest of the scatter matrix.
    """

    mean: FloatArray
    total: float
    pairs: RitzPairs


def few_axes(X: FloatArray, n_axes: int) -> FewAxes | None:
    """Find axes of rows where a few readings of them do; None where the scatter costs less."""
    n, p = X.shape
    few = n_axes <= _MOST_AXES and p >= _FEWEST_COLUMNS and n >= _SAMPLED * p
    if not few or X.dtype != np.float32 or not X.flags.c_contiguous:
        return None
    rng = np.random.default_rng(0)
    sample = X[np.sort(rng.choice(n, n // _SAMPLED, replace=False))]
    with np.errstate(over="ignore", invalid="ignore"):
        start = _start(sample, n_axes, rng)
        if start is None:
            return None
        mean, total = _mean_and_total(X)
    if not np.isfinite(total):
        return None

    def apply(V: FloatArray) -> FloatArray:
        axes = np.ascontiguousarray(V.T, dtype=np.float32)
        offset = (mean @ V).astype(np.float32)[:, None]
        image = np.zeros(axes.shape)
        for first in range(0, n, _ROWS):
            rows = X[first : first + _ROWS]
            image += (axes @ rows.T - offset) @ rows
        # Xᵀs − m(1ᵀs): the second term vanishes but for rounding
        return image.T

    found = largest_ritz_pairs(
        apply,
        p,
        n_axes,
        tol=_TOL,
        block=_VECTORS,
        start=start,
        max_dimension=_VECTORS * (_STEPS + 1),
        max_restarts=0,
    )
    values = found.values
    shared = len(values) > n_axes or (-np.diff(values) < _APART * values[0]).any()
    if shared or not found.converged:
        return None
    return FewAxes(mean, total, found)


def _start(sample: FloatArray, n_axes: int, rng: np.random.Generator) -> FloatArray | None:
    """The axes of a sample, if they say that few steps from them will do."""
    mean, spread = sample.mean(axis=0), sample.var(axis=0).sum()
    # far from the origin single precision has no digits left for what rows differ by
    if not float(mean @ mean) <= 4 * float(spread) < np.inf:
        return None
    centred = sample - mean
    scatter = (centred.T @ centred).astype(np.float64)
    if not np.isfinite(scatter).all():
        return None
    found = largest_ritz_pairs(lambda V: scatter @ V, len(mean), _VECTORS, tol=1e-2)
    values, vectors = found.values[: _VECTORS - 1], found.vectors[:, : _VECTORS - 1]
    wanted, beyond = float(values[n_axes - 1]), float(values[-1])
    if not wanted > max(beyond, _LEAST * float(values[0])):
        return None
    gap = (wanted - beyond) / max(beyond, 1e-300)
    # by how much Chebyshev's polynomials tell what is wanted from what lies beyond, a step
    gained = 1 + 2 * gap + 2 * np.sqrt(gap * (1 + gap))
    steps = np.log(_OFF / _TOL) / np.log(gained)
    return np.column_stack([vectors, rng.standard_normal(len(mean))]) if steps <= _STEPS else None


def _mean_and_total(X: FloatArray) -> tuple[FloatArray, float]:
    """The mean of rows not far from the origin, and Σ ‖x_i − m‖²."""
    n, p = X.shape
    sums, squares = np.zeros(p), 0.0
    for first in range(0, n, _ROWS):
        rows = X[first : first + _ROWS]
        sums += np.ones(len(rows), dtype=rows.dtype) @ rows
        squares += float(np.vdot(rows, rows))
    mean = sums / n
    return mean, squares - n * float(mean @ mean)
