"""The map as the judge of what is said: does it foretell rows that it was not told of?

Half of the named rows are held out at a time.  A map that was told of the others, and the map that
was told nothing, both say by walks between neighbours in them to which groups these rows belong.

Rows of which nobody said anything cannot be asked.  A map that tells three groups apart may heap
all others, so what rows that are held out gain must be worth the neighbours that others lose.

Half of a group of two says nothing of who is similar.  So of such groups, as pairs make them, half
are held out whole, and what counts is how many rows lie nearer to one of two than the other does.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from sidelight.core import FloatArray, IntArray, row_blocks
from sidelight.estimator.territory.groups import SEVERAL, Groups
from sidelight.estimator.territory.memberships import AS_MET, WALKS, Reading, memberships
from sidelight.neighbors import nearest_neighbors, symmetrise
from sidelight.similarity import gaussian_similarity

#: Standard errors by which rows that are held out must be foretold better; set on draws 310 to 357
#: of 400 digits, cells, wine, breast cancer and faces.
SURELY = 1.0
#: The same where groups have fewer rows than three, as pairs make them: what half of them say is
#: little, and by one standard error chance passes too often.  Checked on draws 600 to 605 and 700
#: to 704 of 20 to 200 pairs of cells and faces, which chose how twos are held out.
SURELY_OF_PAIRS = 2.0
#: Standard errors by which rows that nobody named must lie nearer to those of their territory; set
#: on PCA with 20 to 200 labels of digits, cells and wine, draws 330 to 345.
PLAINLY = 2.5
#: Where more rows than this part are of one territory, walks cannot tell them apart.
ONE_TERRITORY = 0.9
#: Whose distance is the scale of a row, and c: set on 400 digits, also of MNIST, with 50 and 200
#: labels, draws 1000 to 1002, and on 2,000.
NEARBY, SHARPLY = 5, 4.0
#: So many times as many rows are looked through in a map for neighbours in the data.
WIDER = 3


def foretells_more(groups: Groups, plain: FloatArray, told: Callable[[Groups], FloatArray]) -> bool:
    """Whether maps ``told`` of half of the rows foretell the others better than the plain one."""
    return surely_more(gains_foretold(groups, plain, told), groups)


def surely_more(gains: FloatArray, groups: Groups) -> bool:
    """Whether rows that were held out gained more than chance gives."""
    return _is_gain(gains, SURELY if _say_much(groups) else SURELY_OF_PAIRS)


def gains_foretold(
    groups: Groups, plain: FloatArray, told: Callable[[Groups], FloatArray]
) -> FloatArray:
    """By how much better maps ``told`` of half of the rows foretell each of the others."""
    gains = []
    for held in groups.halves() if groups.are_large else groups.whole_halves():
        seen, asked = groups.take(~held), groups.take(held)
        maps = told(seen), plain
        if groups.are_large:
            with_it, without = (
                memberships(walks_in(Z), seen).at(asked.rows).of(asked.group) for Z in maps
            )
        else:
            with_it, without = (nearness(Z, asked.twos()) for Z in maps)
        gains.append(with_it - without)
    return np.concatenate(gains)


def nearness(Z: FloatArray, twos: IntArray) -> FloatArray:
    """Minus the logarithm of how manyth of all rows one of two is to the other, for each two.

    Examples
    --------
    >>> import numpy as np
    >>> Z = np.array([[0.0], [1.0], [3.0], [3.5]])
    >>> np.exp(-2 * nearness(Z, np.array([[0, 1], [0, 2]]))).round(1)  # 1st of 1st, 2nd of 3rd
    array([1., 6.])
    """
    found = np.zeros(len(twos))
    for block in row_blocks(len(twos), 16.0 * len(Z)):
        for one, other in (twos[block].T, twos[block].T[::-1]):
            lengths = cdist(Z[one], Z)
            own = lengths[np.arange(len(one)), other]
            found[block] -= np.log(np.sum(lengths <= own[:, None], axis=1) - 1) / 2
    return found


def gathers_territories(
    walks: sp.csr_array,
    groups: Groups,
    plain: FloatArray,
    told: FloatArray,
    reading: Reading = AS_MET,
) -> bool:
    """Whether rows that nobody named are more among their own in one map than in the other.

    Where they belong is said by walks in the data: a map that foretells the rows that are held out
    may still mix the many others.  Around groups of two there are too few to be asked.
    """
    if not groups.are_large:
        return True
    found = memberships(walks, groups, reading=reading)
    asked = found.shares[:, 0] > 0.5
    asked[groups.rows] = False
    group = found.groups[asked, 0]
    # few rows, or rows of one territory, say nothing: then groups must have said enough
    if len(group) < WALKS.few or np.bincount(group).max() > ONE_TERRITORY * len(group):
        return _say_much(groups)
    k = min(5, len(group) - 1)
    among = [
        (group[nearest_neighbors(Z[asked], k).indices] == group[:, None]).mean(axis=1)
        for Z in (told, plain)
    ]
    return _is_gain(among[0] - among[1], PLAINLY)


def is_worth(
    gain: float, walks: sp.csr_array, groups: Groups, plain: FloatArray, told: FloatArray
) -> bool:
    """Whether rows that are held out gain as large a share as others lose of their neighbours.

    The gain of groups of two is no share, and few others say nothing.
    """
    others = np.setdiff1d(np.arange(len(plain)), groups.rows)
    if len(others) < WALKS.few or not groups.are_large:
        return True
    return gain >= share_kept(walks, plain, others) - share_kept(walks, told, others)


def share_kept(walks: sp.csr_array, Z: FloatArray, rows: IntArray) -> float:
    """The share of the neighbours of rows, along walks, that are among their nearest in a map.

    Examples
    --------
    >>> import numpy as np
    >>> import scipy.sparse as sp
    >>> path = sp.csr_array(np.eye(9, k=1) + np.eye(9, k=-1))
    >>> share_kept(path, np.arange(9.0)[:, None], np.arange(9))
    1.0
    """
    n = len(Z)
    near = nearest_neighbors(Z, min(WIDER * neighbors_in(n), n - 1)).indices[rows]
    ends = np.arange(0, near.size + 1, near.shape[1])
    found = sp.csr_array((np.ones(near.size), near.ravel(), ends), shape=(len(rows), n))
    known = walks[rows]
    known.data = np.ones(known.nnz)
    return float(known.multiply(found).sum() / max(known.sum(), 1.0))


def _say_much(groups: Groups) -> bool:
    """Whether groups have several rows each, those of rows that are alone counted too."""
    return groups.are_large and len(groups.rows) >= SEVERAL * len(np.unique(groups.group))


def _is_gain(gain: FloatArray, errors: float) -> bool:
    """Whether the mean is above nothing by so many standard errors."""
    return bool(gain.mean() > errors * gain.std() / np.sqrt(len(gain)))


def walks_along(lengths: sp.csr_array) -> sp.csr_array:
    """Weights of a walk along edges: the shorter, the likelier, and none is impossible."""
    walks = sp.csr_array(lengths.maximum(lengths.T))
    typical = max(float(np.median(walks.data)), 1e-300) if walks.nnz else 1.0
    walks.data = gaussian_similarity((walks.data / typical) ** 2) + 1e-3
    return walks


def walks_in(Z: FloatArray) -> sp.csr_array:
    """Weights of a walk between neighbours in a map."""
    return walks_along(symmetrise(nearest_neighbors(Z, neighbors_in(len(Z)))))


def walks_nearby(X: FloatArray) -> sp.csr_array:
    """Weights of a walk between neighbours in the data, exp(−c d²/(σ_i σ_j)).

    σ is how far the fifth nearest of a row is: in data of many features all neighbours are nearly
    as far, and what tells them apart is little beside it.
    """
    near = nearest_neighbors(X, neighbors_in(len(X)))
    walks = symmetrise(near)
    typical = max(float(np.median(walks.data)), 1e-300)
    sizes = near.distances[:, min(NEARBY, near.distances.shape[1]) - 1] / typical
    rows = np.repeat(np.arange(len(X)), np.diff(walks.indptr))
    # of rows that are the same many times over nothing else is near
    scales = np.maximum(sizes[rows] * sizes[walks.indices], 1e-12)
    walks.data = gaussian_similarity(SHARPLY * (walks.data / typical) ** 2 / scales) + 1e-3
    return walks


def neighbors_in(n: int) -> int:
    """How many neighbours count in a map."""
    return min(10, n - 1)
