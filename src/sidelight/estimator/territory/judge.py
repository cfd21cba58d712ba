"""The map as the judge of what is said: does it foretell rows that it was not told of?

Half of the named rows are held out at a time.  A map that was told of the others, and the map that
was told nothing, both say by walks between neighbours in them to which groups these rows belong.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

from sidelight.core import FloatArray
from sidelight.estimator.territory.groups import Groups
from sidelight.estimator.territory.memberships import WALKS, memberships
from sidelight.neighbors import nearest_neighbors, symmetrise
from sidelight.similarity import gaussian_similarity

#: Standard errors by which rows that are held out must be foretold better; set on draws 310 to 357
#: of 400 digits, cells, wine, breast cancer and faces.
SURELY = 1.0
#: The same where groups have fewer rows than three, as pairs have: what half of them foretell is
#: little, and by one standard error chance passes too often.  Set on draws 700 to 704 and 740 to
#: 744 of 50 to 200 pairs of digits and cells.
SURELY_OF_PAIRS = 2.0
_SEVERAL = 3
#: Standard errors by which rows that nobody named must lie nearer to those of their territory; set
#: on PCA with 20 to 200 labels of digits, cells and wine, draws 330 to 345.
PLAINLY = 2.5
#: Where more rows than this part are of one territory, walks cannot tell them apart.
ONE_TERRITORY = 0.9


def foretells_more(groups: Groups, plain: FloatArray, told: Callable[[Groups], FloatArray]) -> bool:
    """Whether maps ``told`` of half of the rows foretell the others better than the plain one."""
    gains = []
    for held in groups.halves():
        seen, asked = groups.take(~held), groups.take(held)
        with_it, without = (
            memberships(walks_in(Z), seen).at(asked.rows).of(asked.group)
            for Z in (told(seen), plain)
        )
        gains.append(with_it - without)
    gain = np.concatenate(gains)
    several = len(groups.rows) >= _SEVERAL * len(np.unique(groups.group))
    surely = SURELY if several else SURELY_OF_PAIRS
    return bool(gain.mean() > surely * gain.std() / np.sqrt(len(gain)))


def gathers_territories(
    walks: sp.csr_array, groups: Groups, plain: FloatArray, told: FloatArray
) -> bool:
    """Whether rows that nobody named are more among their own in one map than in the other.

    Where they belong is said by walks in the data: a map that foretells the rows that are held out
    may still mix the many others.
    """
    found = memberships(walks, groups)
    asked = found.shares[:, 0] > 0.5
    asked[groups.rows] = False
    group = found.groups[asked, 0]
    # few rows, or rows of one territory, say nothing
    if len(group) < WALKS.few or np.bincount(group).max() > ONE_TERRITORY * len(group):
        return True
    k = min(5, len(group) - 1)
    among = [
        (group[nearest_neighbors(Z[asked], k).indices] == group[:, None]).mean(axis=1)
        for Z in (told, plain)
    ]
    gain = among[0] - among[1]
    return bool(gain.mean() > PLAINLY * gain.std() / np.sqrt(len(gain)))


def walks_along(lengths: sp.csr_array) -> sp.csr_array:
    """Weights of a walk along edges: the shorter, the likelier, and none is impossible."""
    walks = sp.csr_array(lengths.maximum(lengths.T))
    typical = max(float(np.median(walks.data)), 1e-300) if walks.nnz else 1.0
    walks.data = gaussian_similarity((walks.data / typical) ** 2) + 1e-3
    return walks


def walks_in(Z: FloatArray) -> sp.csr_array:
    """Weights of a walk between neighbours in a map."""
    return walks_along(symmetrise(nearest_neighbors(Z, neighbors_in(len(Z)))))


def neighbors_in(n: int) -> int:
    """How many neighbours count in a map."""
    return min(10, n - 1)
