"""Several known factors: matched together, or one of them matched and the others taken out.

Classes together are the classes of their combinations.  Numbers and angles have no such product
that comes again, so that one factor alone is matched: the one that lies farthest apart by
:class:`~sidelight.FactorRemoval`, which takes the others out in front.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from sidelight.core import FloatArray
from sidelight.latent.density import ROWS_PER_CLASS, KnownFactor
from sidelight.metric import FactorRemoval
from sidelight.side import Condition
from sidelight.solvers import first_least


def matched_alone(X: FloatArray, conditions: Sequence[Condition], *, who: str) -> int | None:
    """Which of several factors is matched while the others are taken out; None for all of them."""
    if len(conditions) < 2:
        return None
    kinds = [KnownFactor.of(condition, who=who).kind for condition in conditions]
    if all(kind == "classes" for kind in kinds):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that no shift undoes it is what is asked
        apart = [FactorRemoval().fit(X, side=one).separation_ for one in conditions]
    return int(first_least(-np.array(apart)))


def combined(factors: Sequence[KnownFactor], *, who: str) -> KnownFactor:
    """Classes of several factors as one factor, whose classes are their combinations."""
    if len(factors) == 1:
        return factors[0]
    codes = np.column_stack([factor.coordinates.argmax(axis=1) for factor in factors])
    found, which = np.unique(codes, axis=0, return_inverse=True)
    n, m = len(codes), len(found)
    if n < ROWS_PER_CLASS * m:
        raise ValueError(
            f"The {len(factors)} Conditions given to {who} have {m} combinations of their classes "
            f"in {n} rows: too few, {n / m:.1f} each, to match items across them, which takes "
            f"{ROWS_PER_CLASS}. Give more rows or fewer classes, or take one of the Conditions out "
            f"in front with FactorRemoval."
        )
    names = tuple(
        tuple(factor.names[code] for factor, code in zip(factors, row, strict=True))
        for row in found
    )
    one_hot = np.eye(m)[which.ravel()]
    return KnownFactor("classes", one_hot, names, None, (), (), factors[0].reach)
