"""From Pairs and X to the problem that the closed forms solve."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sidelight.core import FloatArray, evenly_spaced
from sidelight.metric.learning.leave_out import SETTINGS, NamedRows, StrengthChoice, choose_strength
from sidelight.metric.learning.safe_pairs import InnerMetric, safe_metric, thesis_metric
from sidelight.metric.learning.scatter import Spread
from sidelight.metric.learning.space import Space
from sidelight.side import Pairs


@dataclass(frozen=True)
class LearnedFromPairs:
    """A metric learned from pairs.

    Parameters
    ----------
    metric : InnerMetric or None
        On the coordinates of the space; None for the Euclidean one.
    strength : float
        The γ used; infinite in the thesis's form, which has no prior.
    choice : StrengthChoice or None
        How the strength was chosen, where it was not given.
    all_alike : bool
        Whether there were no pairs, as of a relation in which no two rows are more alike.
    """

    metric: InnerMetric | None
    strength: float
    choice: StrengthChoice | None = None
    all_alike: bool = False

    def report(self) -> str:
        """What became of the pairs, in a sentence."""
        if self.all_alike:
            return "not used: all rows are equally alike"
        if self.choice is None:
            return f"used at the strength {self.strength:g}, which was given"
        told = f"rows left out are told apart {self.choice.without:.0%} of the time without them"
        if self.strength == 0:
            return f"not used: {told}, and no better with them (± {self.choice.error:.0%})"
        return (
            f"used at the strength {self.strength:g}: {told}, {self.choice.with_it:.0%} with them"
        )


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
    if not len(pairs.rows):
        return LearnedFromPairs(None, 0.0, all_alike=True)
    named = named_rows(X, pairs, space)
    problem = named.problem(spread, space.n_outside)
    if loss == "thesis":
        return LearnedFromPairs(thesis_metric(problem), float("inf"))
    choice = choose_strength(named, spread, rng) if isinstance(strength, str) else None
    used = float(strength) if choice is None else choice.strength
    if used == 0:
        return LearnedFromPairs(None, 0.0, choice)
    return LearnedFromPairs(safe_metric(problem, used).scaled_to(spread), used, choice)


def named_rows(X: FloatArray, pairs: Pairs, space: Space) -> NamedRows:
    """The rows that pairs name and some that stand for any, in the coordinates of a space."""
    reference = evenly_spaced(len(X), SETTINGS.reference)
    rows = np.union1d(pairs.rows, reference)
    similar, dissimilar = (
        np.searchsorted(rows, said) for said in (pairs.similar, pairs.dissimilar)
    )
    return NamedRows(
        space.coordinates(X[rows]), similar, dissimilar, np.searchsorted(rows, reference)
    )
