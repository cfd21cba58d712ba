"""What pairs say of the rows that they name: which are of one group, and which groups differ."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from sidelight.core import BoolArray, IntArray
from sidelight.side import Pairs

#: Groups of so many rows can be cut in half, and each half foretells the other.
SEVERAL = 3


@dataclass(frozen=True)
class Groups:
    """Which of the rows that are named belong together, and which groups differ.

    Parameters
    ----------
    rows : ndarray of shape (m,)
        The rows.
    group : ndarray of shape (m,)
        The group of each.
    differ : csr_array of shape (g, g)
        Whether two groups are said to differ.
    """

    rows: IntArray
    group: IntArray
    differ: sp.csr_array

    @property
    def n(self) -> int:
        """How many groups."""
        return int(self.differ.shape[0])

    @property
    def sizes(self) -> IntArray:
        """How many rows the group of each row has."""
        return np.asarray(np.bincount(self.group)[self.group])

    @property
    def are_large(self) -> bool:
        """Whether most groups have several rows, as labels make them; pairs make groups of two."""
        counts = np.unique(self.group, return_counts=True)[1]
        return bool(not (counts > 1).any() or np.median(counts[counts > 1]) >= SEVERAL)

    def halves(self) -> tuple[BoolArray, BoolArray]:
        """Which rows to hold out: two halves that cut every group, as evenly as it goes."""
        order = np.argsort(self.group, kind="stable")
        half = np.empty(len(self.rows), dtype=np.bool_)
        half[order] = np.arange(len(order)) % 2 == 0
        return half, ~half

    def whole_halves(self) -> tuple[BoolArray, BoolArray]:
        """Which rows to hold out: two halves that cut no group, and the rows that are alone."""
        half, in_company = np.empty(len(self.rows), dtype=np.bool_), self.sizes > 1
        for rows in (in_company, ~in_company):
            half[rows] = np.unique(self.group[rows], return_inverse=True)[1] % 2 == 0
        return half, ~half

    def twos(self) -> IntArray:
        """Pairs of rows of one group, as many as tell who belongs together."""
        order = np.argsort(self.group, kind="stable")
        rows, same = self.rows[order], np.diff(self.group[order]) == 0
        return np.column_stack([rows[:-1][same], rows[1:][same]])

    def take(self, named: BoolArray) -> Groups:
        """Some of the rows, in the same groups."""
        return replace(self, rows=self.rows[named], group=self.group[named])


def groups_of(pairs: Pairs) -> Groups:
    """Put together what similar pairs join; dissimilar ones say which groups differ."""
    rows = pairs.rows
    similar, dissimilar = (np.searchsorted(rows, p) for p in (pairs.similar, pairs.dissimilar))
    m = len(rows)
    joined = sp.csr_array((np.ones(len(similar)), (similar[:, 0], similar[:, 1])), shape=(m, m))
    n_groups, group = connected_components(joined, directed=False)
    left, right = group[dissimilar[:, 0]], group[dissimilar[:, 1]]
    apart = left != right
    half = sp.csr_array(
        (np.ones(apart.sum()), (left[apart], right[apart])), shape=(n_groups, n_groups)
    )
    differ = sp.csr_array(half + half.T)
    differ.data[:] = 1.0
    return Groups(rows, group.astype(np.intp), differ)


def pairs_of_points(pairs: Pairs, inverse: IntArray) -> Pairs | None:
    """Pairs of rows as pairs of distinct points; those of copies say nothing."""
    similar, dissimilar = (inverse[p] for p in (pairs.similar, pairs.dissimilar))
    similar, dissimilar = (p[p[:, 0] != p[:, 1]] for p in (similar, dissimilar))
    if not len(similar) and not len(dissimilar):
        return None
    return Pairs(similar=similar, dissimilar=dissimilar)
