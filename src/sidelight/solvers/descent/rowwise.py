"""Many small minimisations at once, one for each row, by damped Newton steps.

min_z f_i(z) for i = 1 … m, each over a few variables: (H + μ·tr(H)/d·I) step = −g, where every row
has its own damping μ, less after a step that went down and more after one that did not (Levenberg
and Marquardt).  No row knows of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from sidelight.core import FloatArray, IntArray
from sidelight.solvers.choosing import first_least

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


def lowest_rows(objective: RowObjective, starts: Sequence[FloatArray]) -> FloatArray:
    """Minimise from several starts, and keep of each row the lowest place that was found.

    Examples
    --------
    >>> import numpy as np
    >>> def wells(Z, rows):
    ...     z = Z[:, 0]
    ...     gradient, curvature = 4 * z * (z**2 - 1) + 0.1, np.abs(12 * z**2 - 4)
    ...     return (z**2 - 1) ** 2 + 0.1 * z, gradient[:, None], curvature[:, None, None]
    >>> lowest_rows(wells, [np.array([[0.5]]), np.array([[-0.5]])]).round(2)
    array([[-1.01]])
    """
    found = [minimise_rows(objective, start) for start in starts]
    rows: IntArray = np.arange(len(found[0]))
    lowest = first_least(np.array([objective(places, rows)[0] for places in found]))
    return np.asarray(np.stack(found)[lowest, rows])
