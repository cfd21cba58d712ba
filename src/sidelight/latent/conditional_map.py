"""From matches to a map: eigenvectors of the matching graph, chosen, scaled and refined."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial.distance import pdist
from scipy.stats import spearmanr
from sklearn.exceptions import ConvergenceWarning

from sidelight.arrays import BoolArray, FloatArray
from sidelight.latent.conditional_matching import CLASS_TEMPERATURES, Matching, match_items
from sidelight.latent.data_kernels import squared_distances
from sidelight.latent.information_path import Path
from sidelight.latent.known_factor import KnownFactor
from sidelight.latent.matched_information import MatchedInformation
from sidelight.latent.noise_shrinkage import shrink_noise
from sidelight.latent.penalties import Penalty
from sidelight.solvers.continuation import follow
from sidelight.solvers.eigen import largest_eigenpairs

#: Eigenvectors to choose from, beyond those that are needed.
_SPARE = 8
#: Scales of the map that are tried, as inverse variances of the kernel.
_SCALES = 2.0 ** np.arange(-2, 8)
#: Eigenvectors are chosen one by one for maps of few dimensions; a map of many takes them all.
_CHOSEN_UP_TO = 3
_JUDGED_AXES = 30
_FIRST_PENALTY = 0.3
#: A refined map of few dimensions is kept where it predicts better by this factor and its distances
#: rank like those of the spectral map: torn by chasing noise, a map can predict better, too.
_CLEARLY_BETTER, _SAME_MAP = 0.95, 0.6
_STEPS = 6


@dataclass(frozen=True)
class ConditionalMap:
    """A map without a known factor.

    Parameters
    ----------
    points : ndarray of shape (n, d)
        Latent points, for a kernel of bandwidth one.
    value : float
        J there, less the penalty.
    history : ndarray of shape (n_steps,)
        The objective along the refinement.
    n_iter : int
        Its iterations.
    """

    points: FloatArray
    value: float
    history: FloatArray
    n_iter: int


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
    leading ones may go round a closed curve twice.  The objective of matching is then ascended,
    and the result is kept where it predicts better and is still the same map.  Mean and spread of
    each coordinate are made the same in every class.

    Parameters
    ----------
    Y : ndarray of shape (n, p)
        The data.
    factor : KnownFactor
        What to leave out.
    n_components : int
        d.
    alpha : float
        The final penalty λ.
    penalty : callable
        Σ ω(z_a) and its gradient.
    max_iter : int
        Most iterations of the last step.
    tol : float
        Of each descent.
    who : str
        The estimator, for messages.

    Returns
    -------
    ConditionalMap
        The map.
    """
    candidates = []
    Y_judged = _leading_scores(Y)
    same = factor.memberships() @ factor.memberships().T > 0.5
    judged = factor.kind == "classes"
    chosen = judged and n_components <= _CHOSEN_UP_TO
    for matching in _matchings(Y, factor, n_components):
        spare = _SPARE if chosen else 0
        n_pairs = min(n_components + spare, len(Y) - 2)
        vectors = _eigenvectors(matching, n_pairs, who)
        if judged:
            vectors = _alike_at_all_values(vectors, matching.M)
        Z = vectors[:, :n_components]
        error = np.inf
        if judged:
            Z, error = _best_predicting(vectors, Y_judged, same, n_components)
        candidates.append((error, Z, matching))
    error, Z, matching = min(candidates, key=lambda candidate: candidate[0])
    refined = _refine(
        matching,
        Z if judged else 0.3 * Z,
        alpha if judged else max(_FIRST_PENALTY, alpha),
        alpha,
        penalty,
        # one item per value of the factor: left out of its own sums, it would have no rival
        leave_one_out=factor.kind != "repeated",
        max_iter=max_iter,
        tol=tol,
        who=who,
    )
    if judged:
        refined = replace(refined, points=_alike_at_all_values(refined.points, matching.M))
    if judged and not (
        prediction_error(refined.points, Y_judged, same)
        < (_CLEARLY_BETTER if chosen else 1) * error
        and (not chosen or spearmanr(pdist(Z), pdist(refined.points)).statistic > _SAME_MAP)
    ):
        value = MatchedInformation(matching).information(Z)[0] - alpha * penalty(Z)[0]
        return ConditionalMap(Z, value, refined.history, refined.n_iter)
    return refined


def _matchings(Y: FloatArray, factor: KnownFactor, n_components: int) -> list[Matching]:
    """Matches to choose from: the prediction of items tells the best."""
    if factor.kind != "classes":
        return match_items(Y, factor)
    if n_components > _CHOSEN_UP_TO:
        # eigenvectors are not chosen: the coolest and the warmest lead astray
        return match_items(Y, factor, temperatures=CLASS_TEMPERATURES[2:-1])
    shrunk, classes = np.empty_like(Y), factor.memberships().argmax(axis=1)
    for value in np.unique(classes):
        shrunk[classes == value] = shrink_noise(Y[classes == value])
    return match_items(Y, factor) + match_items(shrunk, factor)


def prediction_error(Z: FloatArray, Y: FloatArray, same: BoolArray) -> float:
    """Measure how well every item is predicted from others of its class near it in the map.

    Parameters
    ----------
    Z : ndarray of shape (n, d)
        Latent points; the kernel's bandwidth is one.
    Y : ndarray of shape (n, p)
        The data.
    same : ndarray of shape (n, n)
        Which items share a class.

    Returns
    -------
    float
        The mean squared error of leave-one-out predictions.
    """
    return _errors(squared_distances(Z, Z), Y, same, np.ones(1))[0]


def _errors(D: FloatArray, Y: FloatArray, same: BoolArray, scales: FloatArray) -> list[float]:
    others = same & ~np.eye(len(D), dtype=bool)
    distances = np.where(others, D, np.inf)
    nearest = distances.min(axis=1, keepdims=True)
    nearest[~np.isfinite(nearest)] = 0.0
    errors = []
    for scale in scales:
        k = np.exp(-scale * (distances - nearest))
        total = k.sum(axis=1, keepdims=True)
        predicted = (k / np.maximum(total, 1e-300)) @ Y
        errors.append(float(np.mean((Y - predicted) ** 2)))
    return errors


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


def _leading_scores(Y: FloatArray) -> FloatArray:
    """Scores on the leading principal axes, in which items are predicted for a judgement."""
    centred = Y - Y.mean(axis=0)
    if Y.shape[1] <= _JUDGED_AXES:
        return np.asarray(centred)
    U, lengths, _ = np.linalg.svd(centred, full_matrices=False)
    return np.asarray(U[:, :_JUDGED_AXES] * lengths[:_JUDGED_AXES])


def _best_predicting(
    vectors: FloatArray, Y: FloatArray, same: BoolArray, n_components: int
) -> tuple[FloatArray, float]:
    """Choose eigenvectors one by one, and their scale, by leave-one-out prediction."""
    chosen: list[int] = []
    D: FloatArray = np.zeros((len(Y), len(Y)))
    errors = [np.inf]
    if vectors.shape[1] == n_components:
        chosen = list(range(n_components))
        D = squared_distances(vectors, vectors)
    while len(chosen) < n_components:
        best = (np.inf, -1)
        for j in set(range(vectors.shape[1])) - set(chosen):
            column = vectors[:, [j]]
            errors = _errors(D + squared_distances(column, column), Y, same, _SCALES)
            best = min(best, (min(errors), j))
        chosen.append(best[1])
        column = vectors[:, [best[1]]]
        D += squared_distances(column, column)
    errors = _errors(D, Y, same, _SCALES)
    at = int(np.argmin(errors))
    return vectors[:, chosen] * np.sqrt(_SCALES[at]), errors[at]


def _refine(
    matching: Matching,
    Z: FloatArray,
    first_alpha: float,
    alpha: float,
    penalty: Penalty,
    *,
    leave_one_out: bool,
    max_iter: int,
    tol: float,
    who: str,
) -> ConditionalMap:
    path = Path.between((1.0, first_alpha), (1.0, alpha), _STEPS if first_alpha > alpha else 1)
    objectives = path.objectives(
        MatchedInformation(matching), Z.shape, penalty, leave_one_out=leave_one_out
    )
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
    return ConditionalMap(found.x.reshape(Z.shape), -found.value, -found.values, found.n_iter)
