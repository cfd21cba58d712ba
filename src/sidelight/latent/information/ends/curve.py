"""Whether items lie along a curve: their minimum spanning tree hardly branches."""

from __future__ import annotations

import numpy as np
from scipy.sparse.csgraph import minimum_spanning_tree

from sidelight.core import FloatArray, evenly_spaced
from sidelight.latent.density import squared_distances
from sidelight.neighbors import edge_matrix
from sidelight.solvers import ranks_to_rounding

#: More items than this are judged on a sample of them, spread evenly.
_JUDGED = 1000
#: Fewer say nothing: a tree of few items has few leaves, whatever they are.
_FEWEST = 20
#: Of points in the plane 0.22 are leaves, in more dimensions more: J. M. Steele, L. A. Shepp and
#: W. F. Eddy (1987), "On the number of leaves of a Euclidean minimal spanning tree".
_MOST_LEAVES = 1 / 8
#: So many trees are counted where lengths are equal.
_TREES = 5


def lies_along_curve(Y: FloatArray) -> bool:
    """Tell whether items follow one another along a curve, open or closed.

    A dense sequence (a motion, an object that turns) is a curve in any number of dimensions: the
    minimum spanning tree goes from each item to the next, and has few leaves beside its two ends.
    Where lengths are equal (a grid) there are many such trees, some of them combs: a few of those
    are counted that equal lengths in a random order give.

    Examples
    --------
    >>> import numpy as np
    >>> from sidelight.latent.information.ends import lies_along_curve
    >>> t = np.linspace(0, 6, 60)
    >>> lies_along_curve(np.column_stack([np.cos(t), np.sin(t), np.cos(2 * t)]))
    True
    >>> lies_along_curve(np.random.default_rng(0).standard_normal((60, 3)))
    False
    """
    distinct = np.unique(Y, axis=0)
    if len(distinct) < _FEWEST:
        return False
    rows = evenly_spaced(len(distinct), _JUDGED)
    squared = squared_distances(*[distinct[rows] - distinct.mean(axis=0)] * 2)
    return _count_leaves(squared / squared.max()) - 2 < _MOST_LEAVES * len(rows)


def _count_leaves(squared: FloatArray) -> float:
    """The mean number of leaves of minimum spanning trees; the largest distance is one."""
    n = len(squared)
    # zero would say that there is no edge, and so would anything below 1e-8, whatever the unit
    longest = float(minimum_spanning_tree(1 + squared).data.max()) - 1
    left, right = np.nonzero(np.triu(squared <= longest * (1 + 1e-9) + 1e-14, 1))
    size = ranks_to_rounding(squared[left, right])
    rng = np.random.default_rng(0)
    counts = []
    for _ in range(1 if size.max() == len(size) - 1 else _TREES):
        place = np.empty(len(size))
        place[np.lexsort((rng.permutation(len(size)), size))] = np.arange(1.0, len(size) + 1)
        tree = minimum_spanning_tree(edge_matrix(left, right, place, (n, n))).tocoo()
        degrees = np.bincount(np.concatenate([tree.row, tree.col]), minlength=n)
        counts.append(np.count_nonzero(degrees == 1))
    return float(np.mean(counts))
