"""Whether items lie along a curve: their minimum spanning tree hardly branches."""

from __future__ import annotations

import numpy as np
from scipy.sparse.csgraph import minimum_spanning_tree

from sidelight.core import FloatArray, evenly_spaced
from sidelight.latent.density import squared_distances

#: More items than this are judged on a sample of them, spread evenly.
_JUDGED = 1000
#: Fewer say nothing: a tree of few items has few leaves, whatever they are.
_FEWEST = 20
#: Of points in the plane 0.22 are leaves, in more dimensions more: J. M. Steele, L. A. Shepp and
#: W. F. Eddy (1987), "On the number of leaves of a Euclidean minimal spanning tree".
_MOST_LEAVES = 1 / 8


def lies_along_curve(Y: FloatArray) -> bool:
    """Tell whether items follow one another along a curve, open or closed.

    A dense sequence (a motion, an object that turns) is a curve in any number of dimensions: the
    minimum spanning tree goes from each item to the next, and has few leaves beside its two ends.

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
    # zero would say that there is no edge, and so would anything below 1e-8, whatever the unit
    tree = minimum_spanning_tree(1 + squared / squared.max()).tocoo()
    degrees = np.bincount(np.concatenate([tree.row, tree.col]), minlength=len(rows))
    n_leaves = int(np.count_nonzero(degrees == 1))
    return n_leaves - 2 < _MOST_LEAVES * len(rows)
