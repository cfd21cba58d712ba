"""The field of points by a tree of boxes: those that are far are one mass each [1]_.

A box whose largest side is at most θ times its distance acts from the mean of its points; others
are opened, down to a few points.  What that costs does not depend on how far a map extends, as a
mesh in space does.

References
----------
.. [1] J. Barnes and P. Hut (1986), "A hierarchical O(N log N) force-calculation algorithm".
   L. van der Maaten (2014), "Accelerating t-SNE using tree-based algorithms".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sidelight.core import FloatArray, IntArray, Threads, shares
from sidelight.latent.neighbor_embedding.order import morton_codes

#: Groups of places that a thread takes at once.
_SHARE = 16


@dataclass(frozen=True)
class TreeSettings:
    """How far boxes are opened.

    Chosen on Gaussian clouds of spread 0.01 to 40 (``tests/latent/neighbor_embedding``).

    Parameters
    ----------
    opening : float
        θ; below 0.57 no point is part of a box that acts on it.
    n_leaf : int
        So many points are not divided.
    """

    opening: float = 0.5
    n_leaf: int = 8


TREE = TreeSettings()


@dataclass(frozen=True)
class TreeField:
    """The points and the boxes that hold them.

    Parameters
    ----------
    Y : ndarray of shape (n, d)
        The points, along the Z-order curve.
    order : ndarray of shape (n,)
        Which they were.
    boxes : tuple of ndarray
        The first and the last of the points of every box, their mean, the largest side, and the
        next box outside.
    opening : float
        θ.
    dof : float
        ν.
    """

    Y: FloatArray
    order: IntArray
    boxes: tuple[IntArray, IntArray, FloatArray, FloatArray, IntArray]
    opening: float
    dof: float

    def at(self, A: FloatArray, pool: Threads) -> tuple[FloatArray, FloatArray]:
        """φ and ∇φ at places A, each by itself."""
        return self._walk(np.ascontiguousarray(A), 1, pool)

    def among(self, Y: FloatArray, pool: Threads) -> tuple[FloatArray, FloatArray]:
        """φ and ∇φ at the points, each without its own part, w(0) = 1."""
        from sidelight.latent.neighbor_embedding.repulsion._tree_compiled import GROUP

        values, slopes = np.empty(len(Y)), np.empty(Y.shape)
        values[self.order], slopes[self.order] = self._walk(Y[self.order], GROUP, pool)
        return values - 1.0, slopes

    def within(self, A: FloatArray) -> FloatArray:
        """Places as they are."""
        return A

    def _walk(self, A: FloatArray, together: int, pool: Threads) -> tuple[FloatArray, FloatArray]:
        from sidelight.latent.neighbor_embedding.repulsion._tree_compiled import push_by_tree

        values, slopes = np.empty(len(A)), np.empty(A.shape)
        told = (A, together, self.Y, self.boxes, self.opening, self.dof)
        groups = -(-len(A) // together)
        calls = [
            (push_by_tree, (*told, together * s.start, min(together * s.stop, len(A))))
            for s in shares(groups, max(1, -(-groups // _SHARE)))
        ]
        pool.run([(loop, (*given, values, slopes)) for loop, given in calls])
        return values, slopes


def tree_field(
    Y: FloatArray, dof: float, pool: Threads, settings: TreeSettings = TREE
) -> TreeField:
    """The field of points, by a tree of boxes around them."""
    from sidelight.latent.neighbor_embedding.repulsion._tree_compiled import grow, weigh

    n, d = Y.shape
    codes = morton_codes(Y)
    order = np.argsort(codes, kind="stable")
    points = Y[order]
    first, last = np.empty(2 * n, dtype=np.int64), np.empty(2 * n, dtype=np.int64)
    n_boxes = grow(codes[order], d, settings.n_leaf, first, last)
    middles, sides = np.empty((n_boxes, d)), np.empty(n_boxes)
    beyond = np.empty(n_boxes, dtype=np.int64)
    first, last = first[:n_boxes], last[:n_boxes]
    weigh(points, first, last, middles, sides, beyond)
    boxes = (first, last, middles, sides, beyond)
    return TreeField(points, order, boxes, settings.opening, dof)
