"""What the objective of several relations leaves open is fixed by a rule."""

from __future__ import annotations

import numpy as np

from sidelight.core import FloatArray
from sidelight.latent.descending import principal_turn
from sidelight.solvers.eigen import column_signs


def settled(Z: FloatArray, R: FloatArray, *, data_first: bool) -> tuple[FloatArray, FloatArray]:
    """Fix the middle, the signs, the order and the units of the dimensions."""
    if len(R) == 1:
        return principal_turn(Z), np.ones(R.shape)
    unit = np.maximum(np.abs(R).max(axis=0), 1e-300)
    points, scales = (Z - Z.mean(axis=0)) * unit, np.abs(R) / unit
    order = _order(scales * points.std(axis=0), data_first)
    points = points[:, order]
    return points * column_signs(points), scales[:, order]


def _order(relevance: FloatArray, data_first: bool) -> list[int]:
    """Give each relation in turn the dimension it makes most of; the rest by the data."""
    told = relevance[1:] if data_first else relevance
    order: list[int] = []
    left = set(range(relevance.shape[1]))
    for row in told:
        if left:
            best = max(sorted(left), key=lambda axis, row=row: float(row[axis]))  # type: ignore[misc]
            order.append(best)
            left.remove(best)
    return order + sorted(left, key=lambda axis: -float(relevance[0, axis]))
