"""What acts in front, judged by a map: what it tells apart must be worth what rows lose by it.

What is said in front has shown in rows left out of the *data*.  One in a hundred shuffled relations
does that too, and a true one may spend both dimensions of a map on one distinction of several.  So
half of the rows that are named is held out: the metric is learned from the others at the same
strength, and in the map that it makes each row held out is asked how often another row held out
that was called like it is nearer than one that was called unlike it, a, for every distinction by
itself.  With a′ of the map without, and q, q′ the shares of their neighbours in the data that rows
of which nothing was said find in the maps of all that was said and of nothing,

    mean(a − a′) > s standard errors for every distinction,
    2 mean(a − a′) ≥ q′ − q,    2a − 1 being nothing by chance and one where all is told,

or it is left out.  Where rows are few nothing is sure.  A distinction that could not be learned
beside others need not gain if there is nothing of it to lose: if a′ is surely no more than ½, and
walks between neighbours do not foretell it, for areas are of all distances and see little of them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy.spatial.distance import cdist

from sidelight.core import BoolArray, DisconnectedGraphError, FloatArray, IntArray, evenly_spaced
from sidelight.estimator.territory.groups import groups_of
from sidelight.estimator.territory.judge import walks_in
from sidelight.estimator.territory.memberships import WALKS, foretold
from sidelight.metric import EquivalenceMetric, MultiAttributeMetric
from sidelight.metric.learning import areas_in, folds_of_rows, likeness_of
from sidelight.neighbors import nearest_neighbors
from sidelight.side import Attributes, Pairs, Relation

#: What is said where no map is worth it.
NOT_WORTH_IT = (
    "not used: with a learned metric the map tells rows left out apart no better, or by less than "
    "other rows lose of their neighbours"
)

Metric: TypeAlias = EquivalenceMetric | MultiAttributeMetric


@dataclass(frozen=True)
class FrontSettings:
    """When a map is worth its metric.

    Set on PCA of 60 and 200 digits, cells, wine, breast cancer and faces with 20 to 100 rows of two
    attributes, classes by name or a number, draws 5200 to 5315.

    Parameters
    ----------
    surely : float
        s, standard errors by which rows held out must be told apart better.
    doubt : float
        The deviation of one more gain that is counted, since few may agree by chance.
    few : int
        Fewer rows of which nothing was said say nothing: then all rows are asked.
    neighbors, wider : int
        Nearest neighbours in the data that are looked for among so many times as many in a map.
    rows, held : int
        At most so many rows are asked for their neighbours, and so many of a half are held out.
    """

    surely: float = 2.0
    doubt: float = 0.25
    few: int = 20
    neighbors: int = 10
    wider: int = 3
    rows: int = 1000
    held: int = 400


FRONT = FrontSettings()


def worth_in_map(
    X: FloatArray,
    said: Pairs | Attributes | Sequence[Relation],
    learned: Metric,
    embed: Callable[[FloatArray], FloatArray],
    settings: FrontSettings = FRONT,
) -> Metric:
    """The metric where a map is worth it, the Euclidean one where it is not."""
    if not np.any(learned.strength_):
        return learned
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        judge = FrontJudge.of(X, distinctions_of(said, len(X)), embed, settings)
        worth = judge.is_worth(learned)
    return learned if worth else learned.leave_out(X, NOT_WORTH_IT)


def distinctions_of(said: Pairs | Attributes | Sequence[Relation], n_rows: int) -> list[Pairs]:
    """Every distinction that is made by one kind of side information."""
    if isinstance(said, Pairs):
        return [said]
    if isinstance(said, Attributes):
        return list(said.attributes)
    return [relation.pairs(n_rows) for relation in said]


@dataclass(frozen=True)
class FrontJudge:
    """A map without knowledge, and what is asked of one with it.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Rows.
    said : list of Pairs
        What is said of them, one for each distinction.
    half : ndarray of int of shape (n,)
        The half of every row that is named, else −1.
    embed : callable
        The map of rows.
    plain : ndarray of shape (n, d)
        The map of X.
    others, near : ndarray of int
        Rows that are asked for their neighbours, and these in X.
    settings : FrontSettings
        When a map is worth its metric.
    """

    X: FloatArray
    said: list[Pairs]
    half: IntArray
    embed: Callable[[FloatArray], FloatArray]
    plain: FloatArray
    others: IntArray
    near: IntArray
    settings: FrontSettings

    @classmethod
    def of(
        cls,
        X: FloatArray,
        said: list[Pairs],
        embed: Callable[[FloatArray], FloatArray],
        settings: FrontSettings,
    ) -> FrontJudge:
        """Cut the rows in halves, make the map without knowledge, and find neighbours in X."""
        named = np.vstack([given for one in said for given in (one.similar, one.dissimilar)])
        half = folds_of_rows(named, len(X), 2, np.random.default_rng(0))
        others = np.flatnonzero(half < 0)
        others = others if len(others) >= settings.few else np.arange(len(X))
        others = others[evenly_spaced(len(others), settings.rows)]
        near = _nearest(X, others, settings.neighbors)
        return cls(X, said, half, embed, embed(X), others, near, settings)

    def is_worth(self, learned: Metric) -> bool:
        """Whether every distinction gains surely, and all together as much as others lose."""
        try:
            gains = self._gains(learned)
            if not gains:
                return False
            lost = self._kept(self.plain) - self._kept(self.embed(learned.transform(self.X)))
        except DisconnectedGraphError:  # by what is said, which the user need not know
            return False
        return 2 * float(np.mean(gains)) >= lost

    def _gains(self, learned: Metric) -> list[float]:
        """By how much each distinction is told better; none where one of them is not surely."""
        halves = (self.half == 0, self.half == 1)
        maps = []
        for held in halves:
            seen = learned.of_some(self.X, [_among(one, ~held) for one in self.said])
            maps.append(self.embed(seen.transform(self.X)))
        gains, strengths = [], np.atleast_1d(learned.strength_)
        for one, strength in zip(self.said, strengths, strict=True):
            if not len(one.rows):  # of a relation in which no two rows are more alike
                continue
            without = [self._areas(one, self.plain, held) for held in halves]
            told = [self._areas(one, Z, held) for Z, held in zip(maps, halves, strict=True)]
            gain = np.concatenate(told) - np.concatenate(without)
            must_gain = strength > 0 or self._shows(one, np.concatenate(without))
            if must_gain and not self._surely(gain):
                return []
            gains.append(float(gain.mean()))
        return gains

    def _shows(self, said: Pairs, areas: FloatArray) -> bool:
        """Whether a map without a distinction tells it, or neighbours in the data do."""
        return self._surely(areas - 0.5) or (
            foretold(walks_in(self.X), groups_of(said))[1] > WALKS.surely
        )

    def _surely(self, more: FloatArray) -> bool:
        """Whether the mean is above nothing, one more counted that is in doubt."""
        more, s = np.append(more, 0.0), self.settings
        error = np.sqrt((more.var() + s.doubt**2 / len(more)) / len(more))
        return bool(more.mean() > s.surely * error)

    def _areas(self, said: Pairs, Z: FloatArray, held: BoolArray) -> FloatArray:
        """How often, for each row held out, one that is alike is nearer than one that is not."""
        rows = said.rows[held[said.rows]]
        rows = rows[evenly_spaced(len(rows), self.settings.held)]
        likeness = likeness_of(said.similar, said.dissimilar, len(Z))[rows][:, rows]
        return areas_in(cdist(Z[rows], Z[rows]), likeness)

    def _kept(self, Z: FloatArray) -> float:
        """The share of neighbours in the data that are among more of them in a map."""
        s = self.settings
        found = _nearest(Z, self.others, s.wider * s.neighbors)
        return float(np.mean((self.near[:, :, None] == found[:, None, :]).any(axis=2)))


def _nearest(Z: FloatArray, rows: IntArray, k: int) -> IntArray:
    """The nearest of some rows, with themselves."""
    return nearest_neighbors(Z, min(k + 1, len(Z)), queries=Z[rows]).indices


def _among(said: Pairs, seen: BoolArray) -> Pairs:
    """What is said of some rows among themselves."""
    similar, dissimilar = (
        given[seen[given].all(axis=1)] for given in (said.similar, said.dissimilar)
    )
    return Pairs(similar=similar, dissimilar=dissimilar)
