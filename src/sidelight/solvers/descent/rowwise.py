"""Many small minimisations at once, one for each row, by damped Newton steps.

min_z f_i(z) for i = 1 … m, each over a few variables: (H + μ·tr(H)/d·I) step = −g, where every row
has its own damping μ, less after a step that went down and more after one that did not (Levenberg
and Marquardt).  No row knows of the others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from sidelight.core import FloatArray, IntArray

#: Takes places (k, d) and the rows they belong to; gives values, gradients and curvatures, the
#: last symmetric and positive semidefinite.
RowObjective: TypeAlias = Callable[
    [FloatArray, IntArray], tuple[FloatArray, FloatArray, FloatArray]
]

_LEAST, _MOST = 1e-12, 1e12


@np.errstate(over="ignore", invalid="ignore")  # where it is flat a step may be far too long
def minimise_rows(
    objective: RowObjective, start: FloatArray, *, max_iter: int = 200, tol: float = 1e-11
) -> FloatArray:
    """Minimise a function of each row.

    Examples
    --------
    >>> import numpy as np
    >>> goals = np.array([[1.0], [5.0]])
    >>> def squares(Z, rows):
    ...     gap = Z - goals[rows]
    ...     return gap[:, 0] ** 2, 2 * gap, np.full((len(rows), 1, 1), 2.0)
    >>> minimise_rows(squares, np.zeros((2, 1))).ravel().round(6)
    array([1., 5.])
    """
    Z = np.array(start, dtype=np.float64)
    m, d = Z.shape
    rows: IntArray = np.arange(m)
    damping = np.full(m, 1e-3)
    value, gradient, curvature = objective(Z, rows)
    for _ in range(max_iter):
        size = np.maximum(np.trace(curvature, axis1=1, axis2=2) / d, np.finfo(float).tiny)
        shift = (damping[rows] * size)[:, None, None] * np.eye(d)
        step = -np.linalg.solve(curvature + shift, gradient[:, :, None])[:, :, 0]
        trial = Z[rows] + step
        new_value, new_gradient, new_curvature = objective(trial, rows)
        down = new_value <= value  # a value that is not a number is not down
        Z[rows[down]] = trial[down]
        damping[rows] = np.clip(
            np.where(down, damping[rows] / 10, damping[rows] * 10), _LEAST, _MOST
        )
        value = np.where(down, new_value, value)
        gradient = np.where(down[:, None], new_gradient, gradient)
        curvature = np.where(down[:, None, None], new_curvature, curvature)
        short = np.linalg.norm(step, axis=1) <= tol * np.maximum(
            1.0, np.linalg.norm(Z[rows], axis=1)
        )
        going = ~short & (damping[rows] < _MOST)
        if not going.any():
            break
        rows, value = rows[going], value[going]
        gradient, curvature = gradient[going], curvature[going]
    return Z
