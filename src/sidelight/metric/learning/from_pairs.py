"""From Pairs and X to the problem that the closed forms solve."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sidelight.core import FloatArray
from sidelight.metric.learning.leave_out import ENOUGH_PAIRS, choose_strength
from sidelight.metric.learning.pair_graph import graph_rank
from sidelight.metric.learning.safe_pairs import (
    EquivalenceProblem,
    InnerMetric,
    few_pairs_metric,
    safe_metric,
    thesis_metric,
)
from sidelight.metric.learning.scatter import Spread
from sidelight.metric.learning.space import Space
from sidelight.side import Pairs

#: Pairs drawn at random where no dissimilar pair is known.
RANDOM_PAIRS = 1000
#: γ where there are too few pairs to choose it by.
FEW_PAIRS_STRENGTH = 1.0


@dataclass(frozen=True)
class LearnedFromPairs:
    """A metric learned from pairs.

    Parameters
    ----------
    metric : InnerMetric
        On the coordinates of the space.
    strength : float
        The γ used; infinite in the thesis's form, which has no prior.
    """

    metric: InnerMetric
    strength: float


def learn_from_pairs(
    X: FloatArray,
    pairs: Pairs,
    space: Space,
    spread: Spread,
    *,
    loss: str,
    strength: float | str,
    rng: np.random.Generator,
) -> LearnedFromPairs:
    """Learn the metric of one set of pairs."""

    drawn = rng.integers(len(X), size=(0 if len(pairs.dissimilar) else RANDOM_PAIRS, 2))
    sets = pairs.similar, pairs.dissimilar, drawn[drawn[:, 0] != drawn[:, 1]]
    rows, ends = np.unique(np.vstack(sets), return_inverse=True)
    Z = space.coordinates(X[rows])
    ends = ends.reshape(-1, 2)
    similar, dissimilar, random = np.split(
        Z[ends[:, 0]] - Z[ends[:, 1]], np.cumsum([len(one) for one in sets])[:2]
    )
    problem = EquivalenceProblem(
        similar,
        dissimilar,
        graph_rank(pairs.similar),
        graph_rank(pairs.dissimilar),
        spread,
        space.n_outside,
    )
    if loss == "thesis":
        return LearnedFromPairs(thesis_metric(problem), float("inf"))
    if isinstance(strength, str) and 0 < problem.similar_rank < ENOUGH_PAIRS:
        metric = few_pairs_metric(problem, FEW_PAIRS_STRENGTH).scaled_to(spread)
        return LearnedFromPairs(metric, FEW_PAIRS_STRENGTH)
    if isinstance(strength, str):
        strength = choose_strength(problem, random)
    return LearnedFromPairs(safe_metric(problem, strength).scaled_to(spread), float(strength))
