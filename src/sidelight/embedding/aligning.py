"""Another map that this one is brought to: the same rows, as they were placed before."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np

from sidelight.core import FloatArray, counted
from sidelight.side import Anchors, listed_labels, places_of_map, side_values

_WHAT = "The 'align_to' argument of embed"


def told_to_align(
    side: Any, previous: Any, n: int, n_components: Any, names: Sequence[Any] | None = None
) -> list[Any]:
    """What is known, and that the map comes near another one: turned and scaled, never bent.

    Rows that have names in both maps are the same by name.

    Examples
    --------
    >>> told_to_align(None, [[0.0, 1.0], [float("nan")] * 2, [2.0, 1.0]], 3, 2)
    [Anchors(2 rows in 2 dimensions, nearly)]
    """
    known = side_values(side, "embed")
    if any(isinstance(value, Anchors) for value in known):
        raise ValueError(
            "embed got Anchors and 'align_to', and both say where the map goes. Leave one out."
        )
    places, labels = places_of_map(previous, what=_WHAT)
    if names is not None and labels is not None and _are_names(names) and _are_names(labels):
        places = _by_name(places, labels, names)
    if len(places) != n:
        raise ValueError(
            f"{_WHAT} must have a place for each of the {n} rows of X, NaN for rows that were not "
            f"there. Got {counted(len(places), 'place')}."
        )
    if isinstance(n_components, Integral) and places.shape[1] != n_components:
        raise ValueError(
            f"{_WHAT} must have n_components={n_components} columns. Got {places.shape[1]}."
        )
    rows = np.flatnonzero(np.isfinite(places).all(axis=1))
    if not len(rows):
        raise ValueError(f"{_WHAT} has no row with a place.")
    return [*known, Anchors(rows, places[rows], exact=False, by="row", n_rows=n)]


def _are_names(labels: Sequence[Any]) -> bool:
    """Whether labels tell rows apart."""
    return len(set(labels)) == len(labels)


def _by_name(places: FloatArray, labels: Sequence[Any], names: Sequence[Any]) -> FloatArray:
    """The places of the rows of X, NaN where the other map has none of that name.

    Rows that are merely counted are the same in their order, and there must be as many of them.
    """
    counted = [tuple(each) == tuple(range(len(each))) for each in (labels, names)]
    row_of = {label: row for row, label in enumerate(labels)}
    rows = np.array([row_of.get(name, len(places)) for name in names])
    found = bool((rows < len(places)).any())
    if (all(counted) and len(labels) != len(names)) or (any(counted) and not found):
        return places
    if not found:
        raise ValueError(
            f"{_WHAT} has none of the rows of X by name: it has {listed_labels(labels)}, and X "
            f"{listed_labels(names)}. Give its places as an array where the order is the same."
        )
    return np.asarray(np.vstack([places, np.full((1, places.shape[1]), np.nan)])[rows])
