"""How many judgements of what is known hold in a map."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sidelight.core import ArrayLike, BoolArray, FloatArray, IntArray
from sidelight.neighbors import nearest_neighbors
from sidelight.quality.inputs import as_points
from sidelight.side import (
    Actions,
    Anchors,
    Attributes,
    Condition,
    Distances,
    Pairs,
    Relation,
    Sequence,
    gather_side,
    side_values,
)

#: Two rows are near in a map if nearer than this part of all pairs.
_NEAR, _NOT_FAR = 0.1, 0.5
#: Distances hold within this part, places within this part of the map's extent.
_SAME_DISTANCE, _SAME_PLACE = 0.1, 0.01
#: Numbers that differ by less than this part of themselves are equal.
_ROUNDING = 1e-9
_N_PAIRS = _N_TRIPLES = 100_000
#: Orders of the rows by which it is found what chance would give.
_N_ORDERS = 5
_N_NEIGHBORS = 10


@dataclass(frozen=True)
class Judgement:
    """How a map agrees with one thing that is known.

    Parameters
    ----------
    what : str
        What is meant by holding.
    n : int
        How many judgements there are.
    held : float
        The part of them that hold.
    chance : float
        The part that would hold if rows were shuffled; NaN where that says nothing.
    wanted : bool
        Whether a good map has much of it; of a Condition it has no more than chance.
    """

    what: str
    n: int
    held: float
    chance: float
    wanted: bool = True

    def __str__(self) -> str:
        beside = "" if np.isnan(self.chance) else f" (by chance {self.chance:.0%})"
        return f"{self.held:.0%} of {self.n}: {self.what}{beside}"


def agreement(Z: ArrayLike, side: Any) -> tuple[Judgement, ...]:
    """Count what holds in a map of what was said about its rows.

    Parameters
    ----------
    Z : array-like or frame of shape (n_samples, n_components)
        The map; the index of a frame has the labels of its rows.
    side : side information or list of it
        What is known; of a Condition, how much of it is left, which a map that leaves it out
        should have no more of than chance.  An Invariance says nothing of rows, and is passed
        over.

    Returns
    -------
    tuple of Judgement
        One for each kind of judgement about rows.

    Examples
    --------
    >>> import numpy as np
    >>> from sidelight.quality import agreement
    >>> from sidelight.side import Pairs
    >>> Z = np.array([[0.0], [0.1], [5.0], [9.0]])
    >>> for judgement in agreement(Z, Pairs(similar=[(0, 1), (0, 3)], dissimilar=[(0, 2)])):
    ...     print(judgement)
    50% of 2: similar pairs are nearer than half of all pairs (by chance 50%)
    100% of 1: dissimilar pairs are not among the nearest tenth of all pairs (by chance 90%)
    """
    points = as_points(Z, name="Z", who="agreement")
    usual = np.quantile(_pairs_of(points), [_NEAR, _NOT_FAR])
    found: list[Judgement] = []
    for value in side_values(side, "agreement"):
        kind = type(value).__name__
        told = gather_side(
            value, understands=(kind,), n_samples=len(points), who="agreement", X=Z, strict=False
        )
        if kind in told:
            found += _of(points, told[kind], usual)
    return tuple(found)


def _of(points: FloatArray, value: Any, usual: FloatArray) -> list[Judgement]:
    """The judgements of one value, beside the distances that are usual in the map."""
    if isinstance(value, Pairs):
        return _of_pairs(points, value, usual)
    if isinstance(value, Attributes):
        return [
            replace(judgement, what=f"attribute {number}: {judgement.what}")
            for number, pairs in enumerate(value.attributes)
            for judgement in _of_pairs(points, pairs, usual)
        ]
    if isinstance(value, Distances):
        apart = _apart(points, value.pairs)
        kept = np.abs(apart - value.values) <= _SAME_DISTANCE * value.values
        return [Judgement("distances within a tenth", len(kept), float(kept.mean()), np.nan)]
    if isinstance(value, Anchors):
        off = np.linalg.norm(points[value.index] - value.positions, axis=1)
        extent = float(np.linalg.norm(np.ptp(points, axis=0)))
        held = float((off <= _SAME_PLACE * extent).mean())
        return [Judgement("anchors in their places", len(off), held, np.nan)]
    if isinstance(value, Sequence):
        adjacent = value.adjacent(len(points))
        held = float((_apart(points, adjacent) < usual[1]).mean())
        what = "rows that follow one another are nearer than half of all pairs"
        return [Judgement(what, len(adjacent), held, _NOT_FAR)]
    if isinstance(value, Relation):
        return _of_relation(points, value)
    if isinstance(value, Actions):
        return _of_actions(points, value)
    return [_left_of(points, value)] if isinstance(value, Condition) else []


def _of_pairs(points: FloatArray, pairs: Pairs, usual: FloatArray) -> list[Judgement]:
    found = []
    if len(pairs.similar):
        held = float((_apart(points, pairs.similar) < usual[1]).mean())
        what = "similar pairs are nearer than half of all pairs"
        found.append(Judgement(what, len(pairs.similar), held, _NOT_FAR))
    if len(pairs.dissimilar):
        held = float((_apart(points, pairs.dissimilar) >= usual[0]).mean())
        what = "dissimilar pairs are not among the nearest tenth of all pairs"
        found.append(Judgement(what, len(pairs.dissimilar), held, 1 - _NEAR))
    return found


def _of_relation(points: FloatArray, relation: Relation) -> list[Judgement]:
    """Of two rows the one that is more alike to a third is the nearer to it: Kendall's question."""
    here, S = points[relation.rows(len(points))], relation.similarity
    one, first, second = _triples(len(S))
    more = _sign(S[one, first], S[one, second])
    told = more != 0
    if not told.any():
        return []
    one, first, second, more = one[told], first[told], second[told], more[told]
    apart = [_apart(here, np.column_stack([one, other])) for other in (first, second)]
    held = float((1 - more * _sign(*apart)).mean() / 2)
    what = "of two rows the one more alike to a third is nearer to it"
    return [Judgement(what, len(one), held, 0.5)]


def _sign(first: FloatArray, second: FloatArray) -> FloatArray:
    """Which is the greater: 1 the first, −1 the second, 0 neither but for rounding."""
    differ = np.abs(first - second) > _ROUNDING * np.maximum(first, second)
    return np.sign(first - second) * differ


def _triples(m: int) -> tuple[IntArray, IntArray, IntArray]:
    """A row and two others, all such or so many drawn ones."""
    if m * (m - 1) * (m - 2) // 2 <= _N_TRIPLES:
        one, first, second = np.indices((m, m, m)).reshape(3, -1)
        chosen = (first < second) & (one != first) & (one != second)
    else:
        one, first, second = np.random.default_rng(0).integers(m, size=(3, _N_TRIPLES))
        chosen = (first != second) & (one != first) & (one != second)
    return one[chosen], first[chosen], second[chosen]


def _of_actions(points: FloatArray, actions: Actions) -> list[Judgement]:
    """An action leads where it led from the row nearest to this one, rather than nowhere."""
    before, after = actions.transitions(len(points)).T
    rng = np.random.default_rng(0)
    foretold = _foretold(points, before, after, actions.labels)
    if not len(foretold):
        return []
    shuffled = [
        _foretold(points[rng.permutation(len(points))], before, after, actions.labels).mean()
        for _ in range(_N_ORDERS)
    ]
    what = "steps of an action are predicted by its step from the nearest row"
    return [Judgement(what, len(foretold), float(foretold.mean()), float(np.mean(shuffled)))]


def _foretold(points: FloatArray, before: IntArray, after: IntArray, labels: Any) -> BoolArray:
    """Whether each step is nearer to that of its action from the nearest other row than to none."""
    steps = points[after] - points[before]
    found = []
    for label in np.unique(labels):
        own = np.flatnonzero(labels == label)
        if len(own) < 2:
            continue
        near = nearest_neighbors(points[before[own]], 1).indices[:, 0]
        miss = np.linalg.norm(steps[own] - steps[own[near]], axis=1)
        found.append(miss < np.linalg.norm(steps[own], axis=1))
    return np.concatenate(found) if found else np.empty(0, dtype=bool)


def _left_of(points: FloatArray, condition: Condition) -> Judgement:
    """How far neighbours in the map tell the value of a known factor."""
    k = min(_N_NEIGHBORS, len(points) - 1)
    near = nearest_neighbors(points, k).indices
    values = condition.values
    if values.dtype.kind != "f":
        _, codes = np.unique(values, return_inverse=True)
        same = float((codes[near] == codes[:, None]).mean())
        shares = np.bincount(codes) / len(codes)
        what = "neighbours have the value of the known factor"
        return Judgement(what, len(codes), same, float(shares @ shares), wanted=False)
    if condition.period is not None:
        turns = 2 * np.pi * values / condition.period
        values = np.column_stack([np.cos(turns), np.sin(turns)])
    values = values.reshape(len(values), -1)
    rest = np.sum((values - values[near].mean(axis=1)) ** 2)
    total = max(float(np.sum((values - values.mean(axis=0)) ** 2)), 1e-300)
    what = "of the known factor's variance is told by neighbours"
    told = max(0.0, 1 - float(rest) / total)
    return Judgement(what, len(values), told, 0.0, wanted=False)


def _apart(points: FloatArray, pairs: IntArray) -> FloatArray:
    return np.asarray(np.linalg.norm(points[pairs[:, 0]] - points[pairs[:, 1]], axis=1))


def _pairs_of(points: FloatArray) -> FloatArray:
    """Distances of all pairs, or of so many drawn ones."""
    n = len(points)
    if n * (n - 1) // 2 <= _N_PAIRS:
        return _apart(points, np.column_stack(np.triu_indices(n, 1)))
    drawn = np.random.default_rng(0).integers(n, size=(_N_PAIRS, 2))
    return _apart(points, drawn[drawn[:, 0] != drawn[:, 1]])
