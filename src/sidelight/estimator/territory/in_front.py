"""A metric in front, judged by the map: what tells rows apart may still spoil a map of them.

A map of few dimensions spends them on what was said.  So it is made by the metric of half of the
named rows, and the other half is foretold in it and in the map without; the metric is used where
the map foretells more, and where rows that nobody named are more among their own.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone

from sidelight.core import FloatArray
from sidelight.estimator.territory.groups import Groups, groups_of
from sidelight.estimator.territory.judge import foretells_more, gathers_territories, walks_in
from sidelight.estimator.territory.memberships import WALKS
from sidelight.metric import EquivalenceMetric
from sidelight.side import Pairs

#: What is said where the map gains nothing.
NOT_IN_MAP = "not used: the map does not foretell the groups of rows better with a learned metric"


def shows_in_map(
    X: FloatArray, pairs: Pairs, strength: float, embed: Callable[[Any], FloatArray]
) -> bool:
    """Whether a map foretells rows better that the metric in front of it was not told of.

    Few rows, and rows that are alone in their groups, foretell nothing: then it is not judged.
    """
    groups = groups_of(pairs)
    in_company = np.bincount(groups.group)[groups.group] > 1
    if np.count_nonzero(in_company) < WALKS.few:
        return True

    def told(seen: Groups) -> FloatArray:
        metric = EquivalenceMetric(strength=strength).fit(X, side=_among(pairs, seen))
        return embed(metric.transform(X))

    plain = embed(X)
    if not foretells_more(groups, plain, told):
        return False
    return gathers_territories(walks_in(X), groups, plain, told(groups))


def plain_map(estimator: Any, X: Any) -> FloatArray:
    """The map that an estimator makes of rows of which nothing is known."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.asarray(clone(estimator).fit(X).embedding_)


def _among(pairs: Pairs, seen: Groups) -> Pairs:
    similar, dissimilar = (
        given[np.isin(given, seen.rows).all(axis=1)] for given in (pairs.similar, pairs.dissimilar)
    )
    return Pairs(similar=similar, dissimilar=dissimilar)
