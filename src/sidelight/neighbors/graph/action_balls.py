"""Neighbourhoods built from actions: as wide at each row as its own steps (section 4.2.1)."""

from __future__ import annotations

import numpy as np

from sidelight.core import FloatArray, IntArray


def action_neighbors(
    D: FloatArray, transitions: IntArray, *, window: int = 1, common: bool = True
) -> IntArray:
    """Join rows that lie in each other's ball, the ball that holds what actions reach from them.

    The ball of row i has the radius r_i = max ‖x_i − x_k‖ over the rows k within ``window``
    actions of it, and i and j are neighbours where ‖x_i − x_j‖ ≤ min(r_i, r_j) ((4.1), corrected:
    within T actions, and the ball is closed; as printed the ball of T = 1 is empty).

    Examples
    --------
    The third step is longer than the others, so that it reaches beyond one row.

    >>> import numpy as np
    >>> x = np.array([0.0, 1.0, 2.0, 5.0])
    >>> D = np.abs(x[:, None] - x)
    >>> steps = np.array([[0, 1], [1, 2], [2, 3]])
    >>> action_neighbors(D, steps, common=False).tolist()
    [[0, 1], [1, 2], [2, 3]]
    >>> len(action_neighbors(D, steps))
    5
    """
    n = len(D)
    step = np.eye(n, dtype=bool)
    step[transitions[:, 0], transitions[:, 1]] = step[transitions[:, 1], transitions[:, 0]] = True
    within = step
    for _ in range(window - 1):
        within = (within.astype(np.float32) @ step.astype(np.float32)) > 0
    radius = np.where(within, D, 0.0).max(axis=1)
    joined = np.minimum(radius[:, None], radius) >= D
    if common:
        joined = joined | ((joined.astype(np.float32) @ joined.astype(np.float32)) > 0)
    i, j = np.nonzero(np.triu(joined, 1))
    return np.column_stack([i, j])
