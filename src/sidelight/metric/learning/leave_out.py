"""How strong should pairs act?  As strong as they foretell what is said of rows left out.

Where pairs come from labels every row is in many of them, so that a pair left out is still known
through its rows: judged by pairs left out, every strength looks well, and random labels as well as
true ones.  Therefore *rows* are left out, a fifth of the named ones at a time: the metric is
learned from the pairs among the others, and each row left out is asked how often one that was
called like it is nearer than one that was called unlike it (the area under the curve), where near
is counted in rows that were not seen either.  Where the best strength tells rows apart clearly
better than the Euclidean metric does, the smallest within one standard error of it is taken;
otherwise none: knowledge that does not foretell other knowledge is not used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from sidelight.core import BoolArray, FloatArray, IntArray, comparable, evenly_spaced
from sidelight.metric.learning.pair_graph import folds_of_rows
from sidelight.metric.learning.safe_pairs import EquivalenceProblem, safe_metric
from sidelight.metric.learning.scatter import PairScatter, Spread
from sidelight.solvers import first_least


@dataclass(frozen=True)
class LeaveOutSettings:
    """How strengths are judged.

    ``pairs_for_one`` was set on seeds 110 to 115, ``foretold`` on 120 to 125 of digits, wine,
    breast cancer and cells, which the experiment pair_metric_safety does not show.

    Parameters
    ----------
    strengths : tuple of float
        γ, those that are tried.
    pairs_for_one : float
        So many independent pairs allow a strength of one, twice as many one of two.  Ten labels of
        breast cancer are told apart best at γ = 100, where the map of the other rows is lost.
    always : float
        The strength that any number of pairs allows.
    overwhelming : float
        Standard errors by which a larger strength must be better than all that are allowed.
    most_apart : float
        The largest strength of dissimilar pairs alone.
    foretold : float
        Standard errors of the difference by which rows left out must be told apart better than
        without the pairs.  With two, one shuffled set in six was used; with three, one in forty.
    by_chance : float
        Standard deviations of shuffled knowledge by which they must be told apart better.
    shuffles, shuffled_rows : int
        How often knowledge is shuffled for it, and among how many rows at most.
    folds : int
        The part of the named rows that is left out at a time is one of so many.
    rows : int
        At most so many rows are asked.
    others : int
        Each about at most so many others.
    reference : int
        Rows that stand for any row.
    certain : float
        The standard error below which pairs are said to have nothing to do with the rows.
    """

    strengths: tuple[float, ...] = (0.0, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0)
    pairs_for_one: float = 5.0
    always: float = 0.3
    overwhelming: float = 4.0
    most_apart: float = 1.0
    foretold: float = 3.0
    by_chance: float = 2.0
    shuffles: int = 20
    shuffled_rows: int = 200
    folds: int = 5
    rows: int = 400
    others: int = 1000
    reference: int = 200
    certain: float = 0.08

    def trusted(self, independent: int) -> int:
        """How many of the strengths so many independent pairs are trusted with."""
        most = max(independent / self.pairs_for_one, self.always)
        return sum(strength <= most for strength in self.strengths)


SETTINGS = LeaveOutSettings()


@dataclass(frozen=True)
class StrengthChoice:
    """A strength, and how often rows left out were told apart with it and without.

    Parameters
    ----------
    strength : float
        γ.
    with_it, without : float
        Areas under the curve at γ and at zero.
    best : float
        The largest area at any strength.
    error : float
        Its standard error.
    """

    strength: float
    with_it: float
    without: float
    best: float
    error: float

    @property
    def refuted(self) -> bool:
        """Whether it is certain that the pairs have nothing to do with the rows."""
        return self.error < SETTINGS.certain and self.best < 0.5 + 2 * self.error


@dataclass(frozen=True)
class NamedRows:
    """Rows that pairs name, in the coordinates of a space, and rows that stand for any row.

    Parameters
    ----------
    Z : ndarray of shape (m, r)
        Coordinates.
    similar, dissimilar : ndarray of int of shape (l, 2)
        Pairs of rows of Z.
    reference : ndarray of int
        Rows of Z that stand for any.
    """

    Z: FloatArray
    similar: IntArray
    dissimilar: IntArray
    reference: IntArray

    def problem(
        self, spread: Spread, n_outside: int, left_out: BoolArray | None = None
    ) -> EquivalenceProblem:
        """What the pairs say, without those of rows left out."""
        similar, dissimilar = (
            PairScatter.of(self.Z, said if left_out is None else said[~left_out[said].any(axis=1)])
            for said in (self.similar, self.dissimilar)
        )
        return EquivalenceProblem(similar, dissimilar, spread, n_outside)

    def folds(self, n_folds: int, rng: np.random.Generator) -> IntArray:
        """The fold of every named row, else −1; two that name only each other share one."""
        pairs = np.vstack([self.similar, self.dissimilar])
        return folds_of_rows(pairs, len(self.Z), n_folds, rng)

    def likeness(self) -> sp.csr_array:
        """+1 where a row was called like another, −1 where unlike."""
        return likeness_of(self.similar, self.dissimilar, len(self.Z))


def likeness_of(similar: IntArray, dissimilar: IntArray, n: int) -> sp.csr_array:
    """+1 where a row was called like another, −1 where unlike."""
    pairs = np.vstack([similar, dissimilar])
    signs = np.repeat([1.0, -1.0], [len(similar), len(dissimilar)])
    half = sp.coo_array((signs, (pairs[:, 0], pairs[:, 1])), shape=(n, n))
    return sp.csr_array(half + half.T)


def choose_strength(
    named: NamedRows,
    spread: Spread,
    rng: np.random.Generator,
    settings: LeaveOutSettings = SETTINGS,
) -> StrengthChoice:
    """Choose the smallest strength that tells rows left out apart as well as the best does."""
    problem = named.problem(spread, 0)
    alone = problem.similar.count == 0
    strengths = [s for s in settings.strengths if s <= settings.most_apart or not alone]
    areas = np.hstack(list(_areas_left_out(named, spread, strengths, rng, settings)))
    means = areas.mean(axis=1)
    chance = spread_by_chance(named, rng, settings)
    errors = np.maximum(_standard_errors(areas, 0.5), chance)
    said = problem.dissimilar if alone else problem.similar
    best = int(first_least(-means[: settings.trusted(said.rank)]))
    boldest = int(first_least(-means))
    if means[boldest] > means[best] + settings.overwhelming * errors[boldest]:
        best = boldest
    chosen = 0
    difference = float(_standard_errors(areas[best] - areas[0], 0.25))
    gain = means[best] - max(means[0], 0.5)  # worse than a coin is no better than a coin
    if gain > settings.foretold * difference and gain > settings.by_chance * chance:
        chosen = 1 + int(np.flatnonzero(means[1:] >= means[best] - errors[best] - 1e-9)[0])
    with_it, without, most = (float(means[k]) for k in (chosen, 0, best))
    return StrengthChoice(strengths[chosen], with_it, without, most, float(errors[best]))


def _standard_errors(values: FloatArray, doubt: float) -> FloatArray:
    """Of means over the last axis; few may agree by chance, so one more is counted, in doubt."""
    n = values.shape[-1]
    return np.asarray(np.sqrt((values.var(axis=-1) + doubt**2 / (n + 1)) / n))


def spread_by_chance(
    named: NamedRows, rng: np.random.Generator, settings: LeaveOutSettings
) -> float:
    """The standard deviation of the mean area where what is said is said of shuffled rows.

    Rows are not told apart one by one: where a few are called unlike all others, and happen to lie
    at the margin, all areas rise together.
    """
    asked = np.unique(np.vstack([named.similar, named.dissimilar]))
    n = len(asked)
    asked = asked[evenly_spaced(n, settings.shuffled_rows)]
    places = _places(named.Z[asked], named.Z[asked])
    likeness = named.likeness()[asked][:, asked]
    everyone = np.arange(len(asked))
    means = []
    for _ in range(settings.shuffles):
        order = rng.permutation(len(asked))
        near, far = _compared(likeness[order][:, order], everyone, everyone, everyone >= 0)
        means.append(float(rank_areas(places, near, far).mean()))
    return float(np.std(means) * np.sqrt(len(asked) / n))


def _areas_left_out(
    named: NamedRows,
    spread: Spread,
    strengths: list[float],
    rng: np.random.Generator,
    settings: LeaveOutSettings,
) -> Iterator[FloatArray]:
    """Areas of the rows left out, fold by fold, (n_strengths, n_rows)."""
    fold_of = named.folds(settings.folds, rng)
    likeness = named.likeness()
    asked = np.flatnonzero(fold_of >= 0)
    asked = asked[evenly_spaced(len(asked), settings.rows)]
    for fold in range(settings.folds):
        rows = asked[fold_of[asked] == fold]
        if len(rows) == 0:
            continue
        partners = np.unique(likeness[rows].indices)
        partners = partners[evenly_spaced(len(partners), settings.others)]
        others = np.union1d(partners, asked)
        near, far = _compared(likeness, rows, others, fold_of >= 0)
        if not (near.any(axis=1) & far.any(axis=1)).all():
            others = np.union1d(others, named.reference)
            near, far = _compared(likeness, rows, others, fold_of >= 0)
        unseen = named.reference[fold_of[named.reference] < 0]
        unseen = np.concatenate([rows, np.setdiff1d(unseen, rows)])
        mapped = mapping_by_strength(named.problem(spread, 0, fold_of == fold))
        yield np.array(
            [
                rank_areas(
                    _places(mapped(named.Z[unseen], s), mapped(named.Z[others], s))[: len(rows)],
                    near,
                    far,
                )
                for s in strengths
            ]
        )


def _places(unseen: FloatArray, others: FloatArray) -> FloatArray:
    """How many of the rows that were not seen are nearer to each of the others, (unseen, others).

    The metric was fitted to the others: those that it drew together are near to all rows, whatever
    was said of them.  Places among rows not seen do not show it.
    """
    from scipy.stats import rankdata  # the whole of it takes a while

    return np.asarray(rankdata(comparable(cdist(unseen, others)), axis=0))


def _compared(
    likeness: sp.csr_array, rows: IntArray, others: IntArray, named: BoolArray
) -> tuple[BoolArray, BoolArray]:
    """Which others should be near to each row and which far.

    Where none was called unlike (or like) a row, it is compared with named rows of which nothing
    was said: rows that nobody named may differ from all that somebody did.  Where something was
    said of all named ones, any row will do.
    """
    said = likeness[rows][:, others].toarray()
    near, far = said > 0, said < 0
    unknown = (said == 0) & (rows[:, None] != others)
    unsaid = unknown & named[others]
    unsaid = np.where(unsaid.any(axis=1, keepdims=True), unsaid, unknown)
    near = np.where(near.any(axis=1, keepdims=True), near, unsaid)
    far = np.where(far.any(axis=1, keepdims=True), far, unsaid)
    return near, far


def areas_in(distances: FloatArray, likeness: sp.csr_array) -> FloatArray:
    """How often, for each row among all of them, one unlike it is farther than one like it.

    Examples
    --------
    >>> import numpy as np
    >>> places = np.array([0.0, 1.0, 3.0])
    >>> likeness = likeness_of(np.array([[0, 1]]), np.array([[0, 2], [1, 2]]), 3)
    >>> areas_in(np.abs(places[:, None] - places), likeness)
    array([1. , 1. , 0.5])
    """
    everyone = np.arange(len(distances))
    return rank_areas(distances, *_compared(likeness, everyone, everyone, everyone >= 0))


def rank_areas(distances: FloatArray, near: BoolArray, far: BoolArray) -> FloatArray:
    """How often, in each row, a distance of the far is larger than one of the near.

    Examples
    --------
    >>> import numpy as np
    >>> near, far = np.array([[True, True, False]]), np.array([[False, False, True]])
    >>> rank_areas(np.array([[1.0, 3.0, 2.0]]), near, far)
    array([0.5])
    """
    from scipy.stats import rankdata  # the whole of it takes a while

    compared = np.where(near | far, distances, np.inf)
    ranks = np.where(far, rankdata(compared, axis=1), 0.0)
    n_near, n_far = near.sum(axis=1), far.sum(axis=1)
    wins = ranks.sum(axis=1) - n_far * (n_far + 1) / 2
    some = n_near * n_far > 0
    return np.asarray(np.where(some, wins / np.where(some, n_near * n_far, 1), 0.5))


def mapping_by_strength(
    problem: EquivalenceProblem,
) -> Callable[[FloatArray, float], FloatArray]:
    """Map rows so that distances are those of the safe metric, for any strength.

    With M_s = VμVᵀ the metric is A = V s (I + (γ/κ)VᵀDV) s Vᵀ, s = 1/(1 + γμ/κ): one decomposition
    serves every strength.
    """
    if problem.similar.count == 0:
        return lambda Z, strength: Z @ _root_of(problem, strength)
    values, vectors = scipy.linalg.eigh(problem.similar.mean, check_finite=False)
    between = vectors.T @ problem.between @ vectors

    def mapped(Z: FloatArray, strength: float) -> FloatArray:
        weight = strength / problem.spread.kappa
        shrunk = (Z @ vectors) / (1 + weight * np.maximum(values, 0))
        wide = weight * between
        wide[np.diag_indices(len(wide))] += 1
        return np.asarray(shrunk @ scipy.linalg.cholesky(wide, lower=True, check_finite=False))

    return mapped


def _root_of(problem: EquivalenceProblem, strength: float) -> FloatArray:
    """A root of the metric of dissimilar pairs alone; of no pairs, the Euclidean one."""
    if strength == 0 or problem.dissimilar.count == 0:
        return np.eye(len(problem.spread.inside))
    A = safe_metric(problem, strength).inner
    return np.asarray(scipy.linalg.cholesky(A, lower=True, check_finite=False))
