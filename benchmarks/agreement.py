"""By how much two answers differ, up to what is free in them."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import dijkstra
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors

from benchmarks.row import Array, Problem
from sidelight.quality import coranking_curves, neighbor_label_accuracy, procrustes


def map_difference(problem: Problem, ours: Array, theirs: Array) -> float:
    """‖Z − Z'‖ / ‖Z'‖ of centred maps, the sign of each axis being free."""
    ours, theirs = ours - ours.mean(axis=0), theirs - theirs.mean(axis=0)
    signs = np.where(np.einsum("ij,ij->j", ours, theirs) < 0, -1.0, 1.0)
    return float(np.linalg.norm(ours * signs - theirs) / np.linalg.norm(theirs))


def subspace_difference(problem: Problem, ours: Array, theirs: Array) -> float:
    """The sine of the largest angle between the spaces that two maps span.

    Scale and rotation are free.
    """
    ours = np.linalg.qr(ours - ours.mean(axis=0))[0]
    theirs = np.linalg.qr(theirs - theirs.mean(axis=0))[0]
    return float(np.linalg.norm(ours - theirs @ (theirs.T @ ours), ord=2))


def residual_ratio(problem: Problem, ours: Array, theirs: Array) -> float:
    """How many times farther from the truth our map is than theirs (1: equally far).

    The distance is what is left after turning and scaling the map onto the truth.
    """
    assert problem.truth is not None
    ours_left = procrustes(ours, problem.truth).residual
    return ours_left / procrustes(theirs, problem.truth).residual


def residual_variance_ratio(
    problem: Problem, ours: Array, theirs: Array, n_neighbors: int
) -> float:
    """How many times more of the geodesic distances our map leaves unexplained than theirs.

    What a map leaves is 1 − ρ², ρ the correlation of distances in the map with lengths of paths
    (Tenenbaum, de Silva and Langford 2000), here from a hundred rows to all.
    """
    near = NearestNeighbors(n_neighbors=n_neighbors).fit(problem.X)
    lengths = near.kneighbors_graph(mode="distance")
    rows = np.linspace(0, len(ours) - 1, 100).astype(int)
    along = dijkstra(lengths.maximum(lengths.T), indices=rows)

    def unexplained(Z: Array) -> float:
        straight = cdist(Z[rows], Z)
        reached = np.isfinite(along)
        return 1.0 - float(np.corrcoef(straight[reached], along[reached])[0, 1]) ** 2

    return unexplained(ours) / unexplained(theirs)


def value_difference(problem: Problem, ours: Array, theirs: Array) -> float:
    """|v − v'| / v of two optima, the first number of each answer."""
    return float(abs(ours.flat[0] - theirs.flat[0]) / abs(ours.flat[0]))


def relative_distances(problem: Problem, ours: Array, theirs: Array) -> float:
    """The largest relative difference between the distances to the nearest neighbours."""
    return float(np.max(np.abs(ours - theirs) / np.maximum(theirs, np.finfo(float).tiny)))


def missed_neighbors(problem: Problem, ours: Array, theirs: Array) -> float:
    """The share of the true neighbours (indices, row by row) that was not found."""
    hits = sum(len(np.intersect1d(a, b)) for a, b in zip(ours, theirs, strict=True))
    return 1.0 - hits / theirs.size


def missed_by_peer(problem: Problem, ours: Array, theirs: Array) -> float:
    """The share of the true neighbours that a peer missed, also if it finds more than we do."""
    return missed_of_sample(problem, theirs)


def missed_of_sample(problem: Problem, found: Array, n_sampled: int = 500) -> float:
    """The share of the true neighbours of some rows that was not found."""
    rows = np.linspace(0, len(found) - 1, min(n_sampled, len(found))).astype(int)
    k = found.shape[1]
    true = _others(NearestNeighbors(n_neighbors=k + 1, algorithm="brute"), problem.X, rows)
    return missed_neighbors(problem, found[rows], true)


def _others(search: NearestNeighbors, X: Array, rows: Array) -> Array:
    """The nearest of some rows, without themselves."""
    near = search.fit(X).kneighbors(X[rows], return_distance=False)
    last = np.argsort(near == rows[:, None], axis=1, kind="stable")
    return np.asarray(np.take_along_axis(near, last, axis=1)[:, :-1])


def near_in_map(problem: Problem, Z: Array, k: int = 15) -> tuple[float, Array, Array]:
    """The share of k nearest neighbours that a map keeps, of some rows; these, and the nearest."""
    from sidelight.neighbors import nearest_neighbors

    rows = np.linspace(0, len(Z) - 1, min(2_000, len(Z))).astype(int)
    near = [nearest_neighbors(A, k + 1, queries=A[rows]).indices for A in (problem.X, Z)]
    kept = np.mean([len(np.intersect1d(a, b)) - 1 for a, b in zip(*near, strict=True)]) / k
    return float(kept), rows, np.where(near[1][:, 0] == rows, near[1][:, 1], near[1][:, 0])


def fewer_kept_than_axes(problem: Problem, answer: Array) -> float:
    """By how many more neighbours the first columns of the data keep, which are principal axes."""
    plain = np.ascontiguousarray(problem.X[:, : answer.shape[1]])
    return near_in_map(problem, plain)[0] - near_in_map(problem, answer)[0]


def worse_area(problem: Problem, ours: Array, theirs: Array) -> float:
    """By how much the area under R_NX of their map exceeds that of ours."""
    return _area(problem.X, theirs) - _area(problem.X, ours)


def worse_classes(problem: Problem, ours: Array, theirs: Array) -> float:
    """By how much the accuracy by the nearest point in their map exceeds that in ours."""
    assert problem.labels is not None
    accuracy = [neighbor_label_accuracy(Z, problem.labels).accuracy for Z in (ours, theirs)]
    return float(accuracy[1] - accuracy[0])


def worse_map(problem: Problem, ours: Array, theirs: Array) -> float:
    """By how much their map is better than ours: in area or in accuracy, whichever is more."""
    measures = (worse_area, worse_classes)
    return max(measure(problem, ours, theirs) for measure in measures)


def _area(X: Array, Z: Array) -> float:
    return coranking_curves(X, Z, max_samples=2_000).auc


def fewer_kept(problem: Problem, ours: Array, theirs: Array, n_new: int, k: int = 15) -> float:
    """By how many more of the neighbours their map of old and new rows keeps, as a share.

    The last rows are new; their nearest old ones are compared in the data and in the map.
    """

    def kept(Z: Array) -> float:
        near = [
            NearestNeighbors(n_neighbors=k).fit(A[:-n_new]).kneighbors(A[-n_new:])[1]
            for A in (problem.X, Z)
        ]
        return 1.0 - missed_neighbors(problem, near[1], near[0])

    return kept(theirs) - kept(ours)


def neighbor_graph(X: Array, n_neighbors: int) -> sp.csr_array:
    """Join every row with its nearest neighbours, both ways, with weight one."""
    near = NearestNeighbors(n_neighbors=n_neighbors).fit(X).kneighbors_graph()
    W = sp.csr_array(near.maximum(near.T))
    W.indices, W.indptr = W.indices.astype(np.int32), W.indptr.astype(np.int32)
    return W


def rayleigh_quotients(W: sp.csr_array, Y: Array) -> tuple[Array, float]:
    """The eigenvalues of L y = λ R y that a map stands for, and how well it solves it.

    Parameters
    ----------
    W : sparse array of shape (n, n)
        Weights; R holds their row sums, L = R − W.
    Y : ndarray of shape (n, p)
        The map.

    Returns
    -------
    values : ndarray of shape (p,)
        yᵀ L y / yᵀ R y, ascending.
    residual : float
        The largest ‖R^{−½} (L y − λ R y)‖ / ‖R^{½} y‖.
    """
    degrees = np.asarray(W.sum(axis=1)).ravel()
    Y = Y - (degrees @ Y) / degrees.sum()
    LY, RY = degrees[:, None] * Y - W @ Y, degrees[:, None] * Y
    values = np.einsum("ij,ij->j", Y, LY) / np.einsum("ij,ij->j", Y, RY)
    root = np.sqrt(degrees)[:, None]
    errors = np.linalg.norm((LY - values * RY) / root, axis=0) / np.linalg.norm(RY / root, axis=0)
    return np.sort(values), float(errors.max())


def laplacian_difference(problem: Problem, ours: Array, theirs: Array, n_neighbors: int) -> float:
    """How far eigenvalues differ (relative to ours), or our residual where that is larger.

    Both are measured on one graph, made here from the data.
    """
    W = neighbor_graph(problem.X, n_neighbors)
    values, residual = rayleigh_quotients(W, ours)
    others, _ = rayleigh_quotients(W, theirs)
    return max(float(np.max(np.abs(others - values) / values)), residual)
