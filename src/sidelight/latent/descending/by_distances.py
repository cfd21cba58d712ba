"""Latent methods that see the data through the distances between items."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sidelight.core import (
    COMPONENTS,
    FUNCTION,
    RANDOM_STATE,
    FloatArray,
    Matching,
    OneOf,
    Real,
    Whole,
    require_memory,
)
from sidelight.estimator import Points, matches
from sidelight.neighbors import DistinctRows

DISTANCE_PARAMETERS: dict[str, Any] = {
    "n_components": COMPONENTS,
    "metric": (Matching(lambda v: isinstance(v, str), "the name of a metric"), FUNCTION),
    "max_iter": (Whole(1),),
    "tol": (Real(0, open_below=True),),
    "warm_start": (OneOf((True, False)),),
    "random_state": (RANDOM_STATE,),
}


def distance_table(
    points: Points, n_components: int, *, n_tables: int = 4
) -> tuple[FloatArray, DistinctRows]:
    """All distances between rows, and which rows are the same; ``n_tables`` are held at once."""
    who, n = points.who, points.n
    check_components(n_components, n, who=who)
    require_memory(
        8.0 * n_tables * n * n,
        what=f"{n_tables} tables of {n} × {n} numbers",
        who=who,
        instead="Fit a sample of the rows and transform() the others.",
    )
    distinct, D = points.distinct(), points.table()
    D = (D + D.T) / 2
    # products leave a trace of rounding between equal rows
    D[np.equal.outer(distinct.inverse, distinct.inverse)] = 0.0
    if not D.any():
        raise ValueError(
            f"{who} needs at least two distinct rows. Got {n} rows that are all the same "
            f"(n_samples={n}): their distances say nothing."
        )
    return D, distinct


def check_components(n_components: int, n: int, *, who: str) -> None:
    """Refuse more dimensions than there are rows."""
    if n_components > n:
        raise ValueError(
            f"The 'n_components' parameter of {who} must be at most n_samples={n}. Got "
            f"{n_components} instead."
        )


@dataclass(frozen=True)
class AmongPlaced:
    """New points among placed ones: at the place of a point that they are, else by a rule.

    Parameters
    ----------
    among : Points
        The points that distances are measured to.
    places : ndarray of shape (n, d)
        Where they are.
    rule : callable
        From distances to all points, (m, n), to places.
    """

    among: Any
    places: FloatArray
    rule: Callable[[FloatArray], FloatArray]

    def __call__(self, new: Any) -> FloatArray:
        """Place new points, each by itself."""
        match, which = matches(self.among.nearest(1, new))
        places: FloatArray = self.places[which]
        if not match.all():
            places[~match] = self.rule(self.among.table(new)[~match])
        return places
