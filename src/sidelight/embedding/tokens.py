"""Tokens of things that nobody has said: angles, nuisances, an order of the rows.

Each is told by the neighbours of rows, beside what chance would give, and by no name alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from sidelight.core import FloatArray, IntArray, evenly_spaced

#: Rows whose neighbours are looked at, and how many of each.
_ROWS, _NEIGHBORS, _LEAST = 600, 10, 60
#: Where angles begin and come round: degrees and radians, from zero or around it.
_CIRCLES = ((0.0, 360.0), (-180.0, 360.0), (0.0, 2 * np.pi), (-np.pi, 2 * np.pi))
#: An angle fills so much of its circle; its ends are not much farther than tenths side by side,
#: and nearer than any two rows.
_FILLED, _BESIDE, _APART = 0.9, 1.3, 0.75
_MOST_ANGLES = 8
#: Names of what is seldom what a map should show.
_NUISANCES = re.compile(
    r"(batch|plate|speaker|subject|participant|session|site|camera|device|donor|lab|scanner|"
    r"operator|hospital|machine|instrument|chip|lane|annotator|run)([_ ]?(id|no|nr|number))?"
)
#: A nuisance has at most so many values, the least with so many rows, and shows so clearly: what
#: is left to chance of neighbours of another value.
_MOST_VALUES, _LEAST_ROWS, _LEFT = 20, 5, 0.5
#: In a recording rows are so much nearer to the next than to any, and to the fourth after it.
_TO_ANY, _TO_FOURTH, _SMOOTH = 0.25, 0.6, 0.8
#: A column in the order of the rows to this rank correlation is what the table is sorted by.
_SORTED = 0.9


def angles(X: FloatArray, names: list[str] | None) -> list[str]:
    """Columns that fill a circle, of which the rows at both ends are neighbours by the others."""
    if names is None or len(X) < _LEAST or X.shape[1] < 2:
        return []
    filled = []
    for column, values in enumerate(X.T):
        for start, period in _CIRCLES:
            turn = (values - start) / period
            inside = bool(turn.min() >= 0 and turn.max() <= 1)
            if inside and np.ptp(turn) >= _FILLED:
                filled.append((column, start, period, turn))
    if len(filled) > _MOST_ANGLES:  # a unit that all columns have
        return []
    for column, start, period, turn in filled:
        if _comes_round(X, column, turn):
            return [_said_of_angle(names[column], start, period)]
    return []


def _comes_round(X: FloatArray, column: int, turn: FloatArray) -> bool:
    """Whether the first tenth of the circle is as near to the last as to the second."""
    rows = evenly_spaced(len(X), _ROWS)
    Z = _scaled(np.delete(X, column, axis=1)[rows])
    tenth = np.minimum(10 * turn[rows], 9).astype(int)
    if np.bincount(tenth, minlength=10)[[0, 1, 8, 9]].min() < _LEAST_ROWS or not Z.shape[1]:
        return False
    D = np.sqrt(np.maximum(_squared_distances(Z), 0.0))
    ends, beside, other_side = (
        D[np.ix_(tenth == one, tenth == other)].mean() for one, other in ((0, 9), (0, 1), (8, 9))
    )
    return bool(ends < _BESIDE * (beside + other_side) / 2 and ends < _APART * D.mean())


def _said_of_angle(name: str, start: float, period: float) -> str:
    written = {360.0: "360"}.get(period, "6.2832")
    return (
        f"The column {name!r} goes from {start:.4g} to {start + period:.4g}, and rows at its two "
        f"ends are alike, as with an angle, which comes round. Give its sine and cosine in its "
        f"place, or leave it out of the map: side=Condition({name}, period={written}), "
        f"--condition-column {name} --condition-period {written}."
    )


def called_nuisance(name: str) -> bool:
    """Whether a column is called as what a map should seldom show."""
    return _NUISANCES.fullmatch(name.strip().lower()) is not None


def nuisances(
    X: FloatArray, names: list[str] | None, beside: Mapping[str, npt.NDArray[Any]]
) -> list[str]:
    """Columns called as nuisances are, of which the rows of one value keep to themselves."""
    if len(X) < _LEAST:
        return []
    data = {name: X[:, place] for place, name in enumerate(names or [])}
    for name, values in {**data, **beside}.items():
        if not called_nuisance(name):
            continue
        others = X[:, [other != name for other in names or []]] if name in data else X
        share, chance = _kept_together(others, values)
        if 1 - share > _LEFT * (1 - chance):
            continue
        used = " and is used as data" if name in data else ""
        return [
            f"Of the neighbours of rows {share:.0%} are of their own {name!r}{used}, by chance "
            f"{chance:.0%}. If the map should not show that: side=Condition({name}), "
            f"--condition-column {name}."
        ]
    return []


def _kept_together(X: FloatArray, values: npt.NDArray[Any]) -> tuple[float, float]:
    """How many neighbours have the value of a row, and how many would by chance."""
    rows = evenly_spaced(len(X), _ROWS)
    _, which, counts = np.unique(values[rows].astype(str), return_inverse=True, return_counts=True)
    if not 2 <= len(counts) <= _MOST_VALUES or counts.min() < _LEAST_ROWS or not X.shape[1]:
        return 0.0, 0.0
    near = _neighbors(X[rows])
    chance = float(((counts / counts.sum()) ** 2).sum())
    return float((which[near] == which[:, None]).mean()), chance


def one_after_another(X: FloatArray) -> list[str]:
    """Rows that are near to the next one, and less to those after it."""
    Z = _scaled(X)
    if len(Z) < _LEAST or Z.shape[1] < 2:
        return []
    steps = (np.diff(Z, axis=0) ** 2).mean(axis=0)  # 2 where rows come in any order
    ranks = _scaled(Z.argsort(axis=0).argsort(axis=0).astype(np.float64))
    rises = np.abs(_scaled(np.arange(len(Z), dtype=np.float64)[:, None]).T @ ranks)[0] / len(Z)
    smooth = (steps < 2 * _TO_ANY) & (rises < _SORTED)
    next_, fourth = (np.linalg.norm(Z[lag:] - Z[:-lag], axis=1).mean() for lag in (1, 4))
    if smooth.mean() < _SMOOTH or next_ > _TO_FOURTH * fourth:
        return []
    return [
        "Rows are near to those that follow them, as in a recording. If their order means "
        "something: side=Sequence(), --sequence-column with the column that orders them."
    ]


def _neighbors(X: FloatArray) -> IntArray:
    Z = _scaled(X)
    D = _squared_distances(Z)
    np.fill_diagonal(D, np.inf)
    count = min(_NEIGHBORS, len(Z) - 1)
    return np.asarray(np.argpartition(D, count - 1, axis=1)[:, :count])


def _squared_distances(Z: FloatArray) -> FloatArray:
    squares = (Z**2).sum(axis=1)
    return np.asarray(squares[:, None] + squares - 2 * Z @ Z.T)


def _scaled(X: FloatArray) -> FloatArray:
    """Columns of variance 1; without those of one value."""
    deviations = X.std(axis=0)
    varied = deviations > 1e-12 * np.abs(X).max(axis=0)
    return np.asarray((X[:, varied] - X[:, varied].mean(axis=0)) / deviations[varied])
