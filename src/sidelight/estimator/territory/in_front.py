"""A metric in front, judged by the map: what tells rows apart may still spoil a map of them.

A map of few dimensions spends them on what was said.  So it is made by the metric of half of the
named rows, and the other half is foretold in it and in the map without; the metric is used where
the map foretells more, where rows that nobody named are more among their own, and where that is
worth the neighbours that they lose.

Few rows that are named say little of a metric.  Where walks between neighbours foretell what is
known, rows that nobody named belong to the territory of a group, and pairs of all of these rows
make a metric first; the pairs that were given make one where that does the map no good.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from sidelight.core import DisconnectedGraphError, FloatArray
from sidelight.estimator.territory.groups import Groups, groups_of
from sidelight.estimator.territory.judge import (
    gains_foretold,
    gathers_territories,
    is_worth,
    surely_more,
    walks_nearby,
)
from sidelight.estimator.territory.memberships import (
    AS_MET,
    WALKS,
    Reading,
    memberships,
    read_and_foretold,
)
from sidelight.estimator.territory.told_apart import worth_in_map
from sidelight.metric import EquivalenceMetric
from sidelight.side import Pairs

#: What is said where the map gains nothing.
NOT_IN_MAP = "not used: with a learned metric the map predicts the groups of rows no better"
#: γ of the metric of territories; 10 to 1,000 do alike, set on ClassicalMDS with 50 and 200 labels
#: of 400 digits, draws 330 to 332.
STRENGTH = 100.0
#: At most so many pairs of each sort are drawn from territories.
MOST_PAIRS = 20_000

Learn = Callable[[Groups], EquivalenceMetric]


def metric_for_map(
    X: FloatArray,
    pairs: Pairs,
    learned: EquivalenceMetric,
    embed: Callable[[Any], FloatArray],
) -> EquivalenceMetric:
    """The metric that a map gains by: of territories, else the one learned from pairs, else none.

    Few rows, and rows that are alone in their groups, foretell no groups: then the map is asked
    only which rows it tells apart.
    """
    if learned.refuted_:
        return learned
    groups = groups_of(pairs)
    if np.count_nonzero(groups.sizes > 1) < WALKS.few:
        return worth_in_map(X, pairs, learned, embed)
    walks = walks_nearby(X)
    reading, share, sure = read_and_foretold(walks, groups)
    # around groups of two a territory is the rows next to one, which say nothing of the other
    in_territories = groups.are_large and sure > WALKS.surely
    of_pairs = learned.strength_ > 0
    if not in_territories and not of_pairs:
        return learned
    plain = embed(X)

    def shows(learn: Learn, metric: EquivalenceMetric) -> bool:
        try:
            gains = gains_foretold(groups, plain, lambda seen: embed(learn(seen).transform(X)))
            if not surely_more(gains, groups):
                return False
            told = embed(metric.transform(X))
        except DisconnectedGraphError:  # by what is said, which the user need not know
            return False
        gathers = gathers_territories(walks, groups, plain, told, reading)
        return gathers and is_worth(float(gains.mean()), walks, groups, plain, told)

    if in_territories:
        wide = metric_of_territories(X, walks, groups, reading)
        if shows(lambda seen: metric_of_territories(X, walks, seen, reading), wide):
            wide.report_ = (
                f"used by the territories of {groups.n} groups of {len(groups.rows)} rows: "
                f"{share:.0%} of what is known is predicted by the rest"
            )
            return wide
    if not of_pairs:
        return learned
    alone = EquivalenceMetric(strength=learned.strength_)
    if shows(lambda seen: clone(alone).fit(X, side=_among(pairs, seen)), learned):
        return learned
    return learned.leave_out(X, NOT_IN_MAP)


def metric_of_territories(
    X: FloatArray, walks: sp.csr_array, groups: Groups, reading: Reading = AS_MET
) -> EquivalenceMetric:
    """The metric of rows in the territories of groups as if these had been named."""
    known = pairs_of_territories(walks, groups, reading)
    return EquivalenceMetric(strength=STRENGTH).fit(X, side=known)


def pairs_of_territories(
    walks: sp.csr_array, groups: Groups, reading: Reading = AS_MET
) -> Pairs | None:
    """Pairs of rows that belong to one group more than to all others, or to two that differ."""
    found = memberships(walks, groups, reading=reading)
    belongs = np.where(found.shares[:, 0] > 0.5, found.groups[:, 0], -1)
    belongs[groups.rows] = groups.group
    counts = np.bincount(belongs[belongs >= 0])
    if counts.max() < 2:
        return None
    drawn = Pairs.from_labels(belongs, max_pairs=MOST_PAIRS, random_state=0)
    if not len(drawn.dissimilar):  # of one group
        return drawn
    left, right = belongs[drawn.dissimilar].T
    differ = np.asarray(groups.differ[left, right]).ravel() > 0
    return Pairs(similar=drawn.similar, dissimilar=drawn.dissimilar[differ])


def plain_map(estimator: Any, X: Any) -> FloatArray:
    """The map that an estimator makes of rows of which nothing is known."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.asarray(clone(estimator).fit(X).embedding_)


def _among(pairs: Pairs, seen: Groups) -> Pairs | None:
    """Pairs of rows that are seen, if there are any."""
    similar, dissimilar = (
        given[np.isin(given, seen.rows).all(axis=1)] for given in (pairs.similar, pairs.dissimilar)
    )
    some = len(similar) or len(dissimilar)
    return Pairs(similar=similar, dissimilar=dissimilar) if some else None
