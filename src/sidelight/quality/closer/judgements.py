"""How many judgements of what is known hold in a map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sidelight.core import ArrayLike, FloatArray, IntArray
from sidelight.neighbors import nearest_neighbors
from sidelight.quality.inputs import as_points
from sidelight.side import Anchors, Condition, Distances, Pairs, gather_side, side_values

#: Two rows are near in a map if nearer than this part of all pairs.
_NEAR, _NOT_FAR = 0.1, 0.5
#: Distances hold within this part, places within this part of the map's extent.
_SAME_DISTANCE, _SAME_PLACE = 0.1, 0.01
_N_PAIRS = 100_000
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
    """

    what: str
    n: int
    held: float
    chance: float

    def __str__(self) -> str:
        beside = "" if np.isnan(self.chance) else f" (by chance {self.chance:.0%})"
        return f"{self.held:.0%} of {self.n}: {self.what}{beside}"


def agreement(Z: ArrayLike, side: Any) -> tuple[Judgement, ...]:
    """Count what holds in a map of what was said about its rows.

    Parameters
    ----------
    Z : array-like of shape (n_samples, n_components)
        The map.
    side : side information or list of it
        What is known: Pairs, Distances, Anchors; of a Condition, how much of it is left, which a
        map that leaves it out should have no more of than chance.  Other kinds are passed over.

    Returns
    -------
    tuple of Judgement
        One for each kind of judgement.

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
        gather_side(
            value, understands=(type(value).__name__,), n_samples=len(points), who="agreement"
        )
        if isinstance(value, Pairs):
            found += _of_pairs(points, value, usual)
        elif isinstance(value, Distances):
            apart = _apart(points, value.pairs)
            off = np.abs(apart - value.values) <= _SAME_DISTANCE * value.values
            found.append(Judgement("distances within a tenth", len(off), float(off.mean()), np.nan))
        elif isinstance(value, Anchors):
            off = np.linalg.norm(points[value.index] - value.positions, axis=1)
            extent = float(np.linalg.norm(np.ptp(points, axis=0)))
            held = float((off <= _SAME_PLACE * extent).mean())
            found.append(Judgement("anchors in their places", len(off), held, np.nan))
        elif isinstance(value, Condition):
            found.append(_left_of(points, value))
    return tuple(found)


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
        return Judgement(what, len(codes), same, float(shares @ shares))
    if condition.period is not None:
        turns = 2 * np.pi * values / condition.period
        values = np.column_stack([np.cos(turns), np.sin(turns)])
    values = values.reshape(len(values), -1)
    rest = np.sum((values - values[near].mean(axis=1)) ** 2)
    total = max(float(np.sum((values - values.mean(axis=0)) ** 2)), 1e-300)
    what = "of the known factor's variance is told by neighbours"
    return Judgement(what, len(values), max(0.0, 1 - float(rest) / total), 0.0)


def _apart(points: FloatArray, pairs: IntArray) -> FloatArray:
    return np.asarray(np.linalg.norm(points[pairs[:, 0]] - points[pairs[:, 1]], axis=1))


def _pairs_of(points: FloatArray) -> FloatArray:
    """Distances of all pairs, or of so many drawn ones."""
    n = len(points)
    if n * (n - 1) // 2 <= _N_PAIRS:
        return _apart(points, np.column_stack(np.triu_indices(n, 1)))
    drawn = np.random.default_rng(0).integers(n, size=(_N_PAIRS, 2))
    return _apart(points, drawn[drawn[:, 0] != drawn[:, 1]])
