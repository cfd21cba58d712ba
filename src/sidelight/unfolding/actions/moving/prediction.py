"""Where an action leads, out of the places that are known (section 4.2.3)."""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

from sidelight.core import FloatArray, IntArray


def nearest_places(Z: FloatArray, targets: FloatArray) -> tuple[IntArray, FloatArray]:
    """Find the known place nearest to each target."""
    distances, nodes = cKDTree(Z).query(targets)
    return np.asarray(nodes, dtype=np.intp), np.asarray(distances)


def agreeing_places(
    Z: FloatArray, before: IntArray, after: IntArray, here: FloatArray
) -> tuple[IntArray, FloatArray]:
    """Find the known place whose distances agree best with those that an action keeps.

        p = argmin_k Σ_j (‖z − z_{before(j)}‖ − ‖z_k − z_{after(j)}‖)²

    ((4.6), corrected: argmin.)

    Examples
    --------
    >>> import numpy as np
    >>> Z = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0]])
    >>> agreeing_places(Z, np.array([0, 1]), np.array([1, 2]), Z[2:3])[0]
    array([3])
    """
    kept, candidates = cdist(here, Z[before]), cdist(Z, Z[after])
    squares = cdist(kept, candidates, "sqeuclidean") / len(before)
    nodes = np.argmin(squares, axis=1)
    return nodes, np.asarray(np.sqrt(squares[np.arange(len(nodes)), nodes]))
