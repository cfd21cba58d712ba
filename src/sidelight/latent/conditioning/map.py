"""From matches to a map: eigenvectors of the matching graph, chosen, scaled and refined."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from sidelight.core import FloatArray
from sidelight.latent.conditioning.matched_axes import agree_where_matched, matched_axes
from sidelight.latent.conditioning.matches import Matching
from sidelight.latent.conditioning.objective import MatchedInformation
from sidelight.latent.conditioning.partial_matches import in_few_columns, matchings_to_try
from sidelight.latent.conditioning.prediction import Prediction
from sidelight.latent.conditioning.settings import REFINEMENT
from sidelight.latent.density import KnownFactor, squared_distances
from sidelight.latent.information import Path, Penalty
from sidelight.latent.information.conditional import ConditionalMap, first_steps
from sidelight.similarity import gaussian_similarity
from sidelight.solvers import best_of, first_least
from sidelight.solvers.descent import follow
from sidelight.solvers.eigen import largest_eigenpairs

#: Eigenvectors to choose from, beyond those that are needed (``known_factor_removed``).  With 8 a
#: clean draw in twenty-four misses the angle: 54° off, not 5°.
_SPARE = 10
#: A coordinate whose spread at one value is less than this share of all says nothing of it.
_HARDLY = 1e-3
#: Scales of the map that are tried, as inverse variances of the kernel.
_SCALES = 2.0 ** np.arange(-2, 8)
#: Scales at which finished maps are compared.
_COMPARED_SCALES = 2.0 ** np.arange(-8, 8)
#: Reaches of numbers at which finished maps are compared, times that of the factor.
_REACHES = 4.0 ** np.arange(-3, 2)
#: Eigenvectors are chosen one by one for maps of few dimensions; a map of many takes them all.
_CHOSEN_UP_TO = 3
_STEPS = 6


def map_without_factor(
    Y: FloatArray,
    factor: KnownFactor,
    n_components: int,
    *,
    alpha: float,
    penalty: Penalty,
    max_iter: int,
    tol: float,
    who: str,
) -> ConditionalMap:
    """Map items by what the factor does not say.

    The start is spectral: eigenvectors of the matching graph, orthogonal to functions of the
    factor.  Where classes are left out, several items share each value, and the eigenvectors are
    those from which items are best predicted out of others of their class (leave-one-out): the
    leading ones may go round a closed curve twice.  Two are chosen together, since a closed curve
    takes both.  The objective of matching is then ascended, and the result is kept where it
    predicts better.  Mean and spread of each coordinate are made the same in every class, or, where
    items are matched in part, in the parts that are matched.  Of several maps the one that predicts
    items best is kept.
    """
    few = n_components <= _CHOSEN_UP_TO
    matchings = matchings_to_try(Y, factor, noisy=few)
    M = matchings[-1].M
    # items of two values are compared by what their value does not say
    scores = in_few_columns(Y - Y.mean(axis=0))
    scores = scores - M @ np.linalg.lstsq(M, scores, rcond=None)[0]
    classes = factor.kind == "classes"
    judges = _judges(matchings, scores, classes)
    starts = [
        _start(matching, judge, n_components, who=who)
        for matching, judge in zip(matchings, judges, strict=True)
    ]
    if not any(matching.partial for matching in matchings):
        best = best_of(range(len(starts)), lambda i: starts[i].error)
        starts, matchings, judges = [starts[best]], [matchings[best]], [judges[best]]
    maps: list[ConditionalMap] = []
    # one item per value of the factor: left out of its own sums, it has no rival
    leave_one_out = factor.kind != "repeated"
    for matching, judge, start in zip(matchings, judges, starts, strict=True):
        judged = judge is not None
        ends = []
        for first in _first_penalties(matching, judged):
            end = _refine(
                matching,
                start.points if judged else 0.3 * start.points,
                (first, alpha),
                penalty,
                leave_one_out=leave_one_out,
                max_iter=max_iter,
                tol=tol,
                who=who,
            )
            ends.append(end)
            if end.interrupted:
                break
        found = ends[0]
        if judge is not None:
            careful = few and not matching.partial
            found = _best_end(start, ends, matching, judge, careful=careful)
        maps.append(found)
        if ends[-1].interrupted:
            break
    n_iter = sum(found.n_iter for found in maps)
    if len(maps) == 1:
        return maps[0]
    errors = []
    for judge, found in zip(judges, maps, strict=False):
        if classes and judge is not None:
            errors.append(float(judge.errors(found.points, _COMPARED_SCALES).min()))
        else:
            errors.append(error_beside_number(found.points, scores, factor))
    return replace(maps[int(first_least(np.array(errors)))], n_iter=n_iter)


def error_beside_number(Z: FloatArray, Y: FloatArray, factor: KnownFactor) -> float:
    """Measure how well items are predicted from others near in the map *and* in a known number.

    The number is there already, so that a map gains nothing by telling it.
    """
    gaps = squared_distances(factor.coordinates, factor.coordinates)
    alike = (gaussian_similarity(np.minimum(gaps / (factor.reach * t), 30.0)) for t in _REACHES)
    return min(float(Prediction.of(Y, a).errors(Z, _COMPARED_SCALES).min()) for a in alike)


def _judges(
    matchings: list[Matching], scores: FloatArray, classes: bool
) -> list[Prediction | None]:
    """What each matching's maps are judged by, where they are."""
    if classes and not any(matching.partial for matching in matchings):
        return [Prediction.of(scores, matchings[0].rivals)] * len(matchings)  # the same for all
    return [
        Prediction.of(scores, matching.rivals) if classes or matching.partial else None
        for matching in matchings
    ]


def _first_penalties(matching: Matching, judged: bool) -> tuple[float, ...]:
    """Penalties with which the ascent begins, one ascent each; zero ascends the map as it is."""
    if matching.partial:
        return (1.0, 0.0)  # partial matches leave more optima
    return (0.0,) if judged else (0.3,)


@dataclass(frozen=True)
class _Start:
    """A spectral map, and how well it predicts where that was asked."""

    points: FloatArray
    error: float


def _start(matching: Matching, judge: Prediction | None, n_components: int, *, who: str) -> _Start:
    spare = _SPARE if judge is not None and n_components <= _CHOSEN_UP_TO else 0
    n_pairs = min(n_components + spare, len(matching.W) - 2)
    if matching.partial:
        vectors = matched_axes(matching, n_pairs, who=who)
    else:
        vectors = _eigenvectors(matching, n_pairs, who)
    if judge is None:
        return _Start(vectors, np.inf)
    if not matching.partial:
        vectors = _of_all_values(vectors, matching.M, n_components)
    return _Start(*_best_predicting(_alike(vectors, matching), judge, n_components))


def _best_end(
    start: _Start,
    ends: list[ConditionalMap],
    matching: Matching,
    judge: Prediction,
    *,
    careful: bool,
) -> ConditionalMap:
    """Of the start and what it was refined to, the map that predicts best."""
    n_iter = sum(end.n_iter for end in ends)
    ends = [replace(end, points=_alike(end.points, matching), n_iter=n_iter) for end in ends]
    errors = [judge.error(end.points) for end in ends]
    best = ends[int(first_least(np.array(errors)))]
    if min(errors) < (REFINEMENT.clearly_better if careful else 1.0) * start.error:
        return best
    return replace(best, points=start.points, path=first_steps(best.path, 0), history=np.empty(0))


def _alike(Z: FloatArray, matching: Matching) -> FloatArray:
    if matching.partial:
        return agree_where_matched(Z, matching)
    return _alike_at_all_values(Z, matching.M)


def _eigenvectors(matching: Matching, n_pairs: int, who: str) -> FloatArray:
    """Leading eigenvectors of the matching graph, orthogonal to functions of the factor."""
    A, n = matching.graph(), len(matching.W)
    known, lengths, _ = np.linalg.svd(
        np.column_stack([np.ones(n), matching.M]), full_matrices=False
    )
    known = known[:, lengths > 1e-3 * lengths[0]]
    A = A - known @ (known.T @ A)
    A = A - (A @ known) @ known.T
    found = largest_eigenpairs((A + A.T) / 2, n_pairs, who=who)
    return np.asarray(found.vectors * np.sqrt(n))


def _alike_at_all_values(Z: FloatArray, M: FloatArray) -> FloatArray:
    """Give every coordinate the same mean and spread at every value of the factor.

    Without it a rare class, all of whose items match many others, would gather in the middle.
    """
    shares = M / M.sum(axis=0)
    centred = Z - M @ (shares.T @ Z)
    spread = np.sqrt(M @ (shares.T @ centred**2))
    overall = centred.std(axis=0)
    return np.asarray(centred / np.maximum(spread, 1e-6 * overall + 1e-300) * overall)


def _of_all_values(vectors: FloatArray, M: FloatArray, n_least: int) -> FloatArray:
    """Leave out vectors that tell hardly any item of some value from another: they are of others.

    Sharp matches leave groups of values that are hardly joined.
    """
    shares = M / M.sum(axis=0)
    spread = np.sqrt(shares.T @ (vectors - M @ (shares.T @ vectors)) ** 2)
    widest = spread.max(axis=1, keepdims=True)
    everywhere = np.all((spread > _HARDLY * vectors.std(axis=0)) | (widest == 0), axis=0)
    return vectors[:, everywhere] if everywhere.sum() >= n_least else vectors


def _best_predicting(
    vectors: FloatArray, judge: Prediction, n_components: int
) -> tuple[FloatArray, float]:
    """Choose eigenvectors, and their scale, by leave-one-out prediction.

    The first two are chosen together: sine and cosine of an angle share an eigenvalue, so that any
    mixture of them may be given, and are best together alone.  One of them beside one of another
    such pair turns some classes the other way, which hardly shows within each.
    """
    every = range(vectors.shape[1])
    chosen: list[int] = []
    if len(every) == n_components:
        chosen = list(every)
    while len(chosen) < n_components:
        left = [j for j in every if j not in chosen]
        more = combinations(left, 1 if chosen or n_components == 1 else 2)
        tried = [[*chosen, *further] for further in more]
        errors = [judge.errors(vectors[:, which], _SCALES).min() for which in tried]
        chosen = tried[int(first_least(np.array(errors)))]
    errors_by_scale = judge.errors(vectors[:, chosen], _SCALES)
    at = int(first_least(errors_by_scale))
    return vectors[:, chosen] * np.sqrt(_SCALES[at]), float(errors_by_scale[at])


def _refine(
    matching: Matching,
    Z: FloatArray,
    penalties: tuple[float, float],
    penalty: Penalty,
    *,
    leave_one_out: bool,
    max_iter: int,
    tol: float,
    who: str,
) -> ConditionalMap:
    first, alpha = penalties
    penalties_on_way = np.array([alpha])
    if first > 0:
        penalties_on_way = np.geomspace(max(first, alpha), max(alpha, 1e-4 * first), _STEPS)
        penalties_on_way[-1] = alpha
    path = Path(np.full(len(penalties_on_way), np.nan), penalties_on_way)  # matches have no h
    pairs = MatchedInformation(matching)
    of_one_place = pairs.information(np.zeros_like(Z), leave_one_out=leave_one_out)[0]

    def information(points: FloatArray) -> float:
        return pairs.information(points, leave_one_out=leave_one_out)[0] - of_one_place

    objectives = path.objectives(pairs, Z.shape, penalty, leave_one_out=leave_one_out)
    with warnings.catch_warnings():
        # a refinement: the spectral map is a result already
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = follow(
            objectives,
            path.n_steps,
            Z.ravel(),
            max_iter=60,
            final_max_iter=max_iter,
            tol=tol,
            stage="the map without the factor",
            who=who,
        )
    return ConditionalMap(
        found.x.reshape(Z.shape),
        information,
        first_steps(path, len(found.values)),
        -found.values - of_one_place,
        found.n_iter,
        found.interrupted,
    )
