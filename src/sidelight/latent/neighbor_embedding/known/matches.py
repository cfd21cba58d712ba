"""Which rows match across the values of a known factor, and which values that may be said of.

A row of value a and one of value v match where each is among the nearest of the other's value.  A
kind of item that v has too is matched there about as often as rows of a match one another; of one
that v lacks few rows are, since the rows that are nearest to them have nearer ones.  Around a row

    matches with v ≥ ½ matches within a

says that v has its kind.  Two values are balanced where half of the rows of both match, more by far
than have neighbours there already, and where their distances have the same order in both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from sidelight.core import BoolArray, IntArray, comparable, evenly_spaced
from sidelight.estimator import Points
from sidelight.neighbors import Neighbors
from sidelight.solvers import agreement_beyond_chance


@dataclass(frozen=True)
class BalanceSettings:
    """When and how rows find neighbours across values.

    Set on blood cells in simulated batches and on digits with backgrounds or other contrasts, draws
    0 to 11 and, for ``beyond``, 5000 to 7009.

    Parameters
    ----------
    asked, gate, rows, shuffles : int, float, int, int
        The nearest neighbours that are asked for the factor, the standard deviations by which they
        must agree in it better than shuffled ones, of how many rows, and how often.
    most_values : int
        A factor of more values is left to what acts in front,
    fewest : int
        as are values of fewer rows.
    work : float
        n² p up to which all rows are compared with those of other values.
    matches : int
        Neighbours of each value that may match a row.
    around : int
        Neighbours of its own value that speak for a row.
    alike, smaller : float, float
        How often they must match, by how often rows match within their value; of a smaller value
        less often by its size, down to this.  At 0.5 a pair of batches that
        bend cells was balanced of which one match in seven was of the same type.
    half : float
        The share of the rows of both values that must match: fewer do of digits that are turned or
        inverted.
    beyond : float
        How much more that share must be than that of the other value among neighbours, by what a
        perfect mixture would give: values that are nearly mixed have little to mend, and where few
        rows match that are not mixed, they are often of kinds that the other value lacks.
    order, pairs : float, int
        The rank correlation of distances among matched rows in both values, and of how many pairs.
    least : float
        The least perplexity of choices among the rows of one value.
    """

    asked: int = 10
    gate: float = 4.0
    rows: int = 5_000
    shuffles: int = 100
    most_values: int = 12
    fewest: int = 20
    work: float = 4e12
    matches: int = 5
    around: int = 15
    alike: float = 0.5
    smaller: float = 0.7
    half: float = 0.5
    beyond: float = 0.25
    order: float = 0.6
    pairs: int = 2_000
    least: float = 2.0


BALANCE = BalanceSettings()


@dataclass(frozen=True)
class Matches:
    """Who matches whom.

    Parameters
    ----------
    own : Neighbors
        Of all rows, within their value; unused places are infinitely far.
    around : csr_array of shape (n, n)
        Ones at every row and its nearest of the same value.
    pairs : csr_array of shape (n, n)
        Ones at the rows that match, within values too.
    accepted : ndarray of shape (n, n_values)
        The values in which a row finds neighbours, beside its own.
    """

    own: Neighbors
    around: sp.csr_array
    pairs: sp.csr_array
    accepted: BoolArray


def shows_among_neighbors(near: Neighbors, values: IntArray, settings: BalanceSettings) -> bool:
    """Whether neighbours agree in a factor more than shuffled ones do."""
    rows = evenly_spaced(len(values), settings.rows)
    asked = near.indices[rows, : settings.asked]

    def agreement(whose: IntArray) -> float:
        said = values[whose]
        return float(np.count_nonzero(said[asked] == said[rows, None])) / asked.size

    return agreement_beyond_chance(agreement, len(values), settings.shuffles) > settings.gate


def match_across(
    points: Points, near: Neighbors, values: IntArray, settings: BalanceSettings
) -> Matches:
    """Match rows across values, and say which of these values can be believed."""
    own, arrows = _lists(points, values, max(near.indices.shape[1], settings.around), settings)
    pairs = sp.csr_array(arrows.multiply(arrows.T))
    around = _around(own, settings.around)
    there = kinds_there(pairs, around, values, settings)
    accepted = _values_to_balance(points, near, pairs, values, there, settings)
    return Matches(own, around, pairs, accepted)


def _lists(
    points: Points, values: IntArray, wide: int, settings: BalanceSettings
) -> tuple[Neighbors, sp.csr_array]:
    """The nearest of every row in its own value, and who of each value may match it."""
    n, few = len(values), settings.matches
    own = Neighbors(np.zeros((n, wide), dtype=np.intp), np.full((n, wide), np.inf))
    heads, tails = [], []
    for value in np.flatnonzero(np.bincount(values) > settings.fewest):
        there, others = np.flatnonzero(values == value), np.flatnonzero(values != value)
        among = points.take(there)
        found = among.nearest(min(wide, len(there) - 1))
        own.indices[there, : found.indices.shape[1]] = there[found.indices]
        own.distances[there, : found.indices.shape[1]] = found.distances
        across = among.nearest(few, points.take(others))
        heads += [np.repeat(there, few), np.repeat(others, few)]
        tails += [there[found.indices[:, :few]].ravel(), there[across.indices].ravel()]
    i, j = np.concatenate(heads), np.concatenate(tails)
    return own, sp.csr_array((np.ones(len(i)), (i, j)), shape=(n, n))


def _around(own: Neighbors, k: int) -> sp.csr_array:
    """Every row and its nearest of the same value."""
    n = len(own.indices)
    near = np.isfinite(own.distances[:, :k])
    rows = np.concatenate([np.arange(n), np.repeat(np.arange(n), near.sum(axis=1))])
    columns = np.concatenate([np.arange(n), own.indices[:, :k][near]])
    return sp.csr_array((np.ones(len(rows)), (rows, columns)), shape=(n, n))


def kinds_there(
    pairs: sp.csr_array, around: sp.csr_array, values: IntArray, settings: BalanceSettings
) -> BoolArray:
    """Which other values have the kind of a row: the rows around it match there as at home."""
    n, counts = len(values), np.bincount(values)
    rows = np.repeat(np.arange(n), np.diff(pairs.indptr))
    place = rows * len(counts) + values[pairs.indices]
    met = np.bincount(place, minlength=n * len(counts)).reshape(n, len(counts))
    often = around @ met.astype(np.float64)
    at_home = often[np.arange(n), values]
    # few rows cannot match all of many
    fewer = np.clip(counts[None, :] / counts[values][:, None], settings.smaller, 1.0)
    there = often >= settings.alike * fewer * at_home[:, None]
    many = counts > settings.fewest
    there &= (often > 0) & many & many[values][:, None]
    there[np.arange(n), values] = False
    return np.asarray(there)


def _values_to_balance(
    points: Points,
    near: Neighbors,
    pairs: sp.csr_array,
    values: IntArray,
    there: BoolArray,
    settings: BalanceSettings,
) -> BoolArray:
    """Leave the values out that are mixed already, or whose matches cannot be believed."""
    counts, accepted = np.bincount(values), there.copy()
    rows = np.repeat(np.arange(len(values)), np.diff(pairs.indptr))
    for a, v in zip(*np.tril_indices(len(counts), -1), strict=True):
        one, other = (values == a) & there[:, v], (values == v) & there[:, a]
        share = min(one.sum() / counts[a], other.sum() / counts[v])
        believed = share >= settings.half
        if believed and share >= mixture(near, one, other) + settings.beyond:
            between = one[rows] & other[pairs.indices]
            matched = np.column_stack([rows[between], pairs.indices[between]])
            believed = _order_agrees(points, matched, settings) >= settings.order
        else:
            believed = False
        if not believed:
            accepted[values == a, v] = accepted[values == v, a] = False
    return accepted


def mixture(near: Neighbors, one: BoolArray, other: BoolArray) -> float:
    """How often neighbours among some rows and others are of the others, by what chance gives."""
    both, found = one | other, []
    for here, there in ((one, other), (other, one)):
        listed = near.indices[here]
        chance = there.sum() / both.sum()
        found.append(there[listed].sum() / max(both[listed].sum(), 1) / chance)
    return float(np.round(np.mean(found), 6))


def _order_agrees(points: Points, matched: IntArray, settings: BalanceSettings) -> float:
    """The rank correlation of ‖x_i − x_l‖ and ‖x_j − x_m‖ over matches i, j and l, m."""
    from scipy.stats import rankdata  # the whole of it takes a while

    if not len(matched):
        return 0.0
    drawn = np.random.default_rng(0).integers(len(matched), size=(settings.pairs, 2))
    one, other = matched[drawn[:, 0]], matched[drawn[:, 1]]
    differ = (one != other).all(axis=1)
    if differ.sum() < 3:
        return 0.0
    lengths = [points.lengths(one[differ, side], other[differ, side]) for side in (0, 1)]
    ranks = [rankdata(comparable(length)) for length in lengths]
    left, right = (rank - rank.mean() for rank in ranks)
    size = np.sqrt(np.sum(left**2) * np.sum(right**2))
    # rounded, so that all processors decide alike
    return float(np.round(np.sum(left * right) / max(size, 1e-300), 6))
