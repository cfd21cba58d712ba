"""The axes that a map is shown on: the principal ones, and a rule where those are not told."""

from __future__ import annotations

import numpy as np

from sidelight.core import FloatArray
from sidelight.solvers.eigen.rules import settling_turn, shared_values

#: Lengths of axes nearer than this, in units of the longest, are one: more than rounding and less
#: than what a descent leaves undone.
ONE_LENGTH = 1e-6
#: Axes shorter than this, in units of the longest, are rounding.
_FLAT = 1e-13


def settled_axes(Z: FloatArray, *, near: float = ONE_LENGTH) -> FloatArray:
    """The principal axes of centred points, in columns, whatever turn the points came in.

    Z = U S Vᵀ, and V are the axes.  Where points are as long along several of them (a ring), the
    first goes to the point that is farthest out there, the next to that farthest from the first,
    and so on; of points that are alike to ``near`` the first counts.

    Examples
    --------
    >>> import numpy as np
    >>> square = np.array([[0.6, 0.8], [-0.8, 0.6], [-0.6, -0.8], [0.8, -0.6]])
    >>> (square @ settled_axes(square)).round(12) + 0.0
    array([[ 1.,  0.],
           [ 0.,  1.],
           [-1.,  0.],
           [ 0., -1.]])
    """
    none = np.zeros((max(Z.shape[1] - len(Z), 0), Z.shape[1]))  # of few points all axes, too
    _, lengths, turns = np.linalg.svd(np.vstack([Z, none]), full_matrices=False)
    axes = np.array(turns.T)
    longest = float(lengths.max(initial=0.0))
    for group in shared_values(lengths, near * longest):
        if group.stop - group.start > 1:
            flat = lengths[group.start] <= _FLAT * longest
            V = axes[:, group]  # along flat axes no point is anywhere: as the coordinates go
            axes[:, group] = V @ settling_turn(V if flat else Z @ V, V.shape[1], near)
    return axes
