"""Another map that this one is brought to: the same rows, as they were placed before."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from sidelight.core import counted
from sidelight.embedding.result import Embedding
from sidelight.side import Anchors, side_values


def told_to_align(side: Any, previous: Any, n: int, n_components: Any) -> list[Any]:
    """What is known, and that the map comes near another one: turned and scaled, never bent.

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
    places = _places_of(previous)
    if len(places) != n:
        raise ValueError(
            f"The 'align_to' argument of embed must have a place for each of the {n} rows of X, "
            f"NaN for rows that were not there. Got {counted(len(places), 'place')}."
        )
    if isinstance(n_components, Integral) and places.shape[1] != n_components:
        raise ValueError(
            f"The 'align_to' argument of embed must have n_components={n_components} columns. Got "
            f"{places.shape[1]}."
        )
    rows = np.flatnonzero(np.isfinite(places).all(axis=1))
    if not len(rows):
        raise ValueError("The 'align_to' argument of embed has no row with a place.")
    return [*known, Anchors(rows, places[rows], exact=False)]


def _places_of(previous: Any) -> Any:
    if isinstance(previous, Embedding):
        return np.asarray(previous.points, dtype=np.float64)
    if hasattr(previous, "get_params"):
        if not hasattr(previous, "embedding_"):
            raise ValueError(
                f"The 'align_to' argument of embed must be fitted. Got {previous!r}, which has no "
                f"'embedding_'."
            )
        return np.asarray(previous.embedding_, dtype=np.float64)
    try:
        places = np.asarray(previous, dtype=np.float64)
    except (TypeError, ValueError):
        places = np.empty(0)
    if places.ndim != 2:
        raise ValueError(
            f"The 'align_to' argument of embed must be an Embedding, a fitted estimator or an "
            f"array of places (n_samples, n_components). Got {type(previous).__name__}."
        )
    return places
