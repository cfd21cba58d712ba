"""Hybrid embedding: one map, and a path of several α, against the closed form on dense matrices."""

from __future__ import annotations

import numpy as np

from benchmarks.agreement import map_difference, neighbor_graph
from benchmarks.data import swiss_roll
from benchmarks.row import OURS, Array, Contender, Goal, Problem, Row

_NEIGHBORS = 12
_ALPHAS = (0.1, 0.3, 0.5, 0.7, 0.9)


def ours(problem: Problem) -> Array:
    """sidelight: B is only applied."""
    from sidelight import HybridEmbedding

    hybrid = HybridEmbedding(2, locality="laplacian", n_neighbors=_NEIGHBORS)
    return np.asarray(hybrid.fit_transform(problem.X))


def ours_along(problem: Problem) -> Array:
    """sidelight, the maps of five α side by side."""
    from sidelight import HybridEmbedding

    hybrid = HybridEmbedding(2, locality="laplacian", n_neighbors=_NEIGHBORS)
    return np.hstack([at.embedding_ for at in hybrid.alpha_path(problem.X, _ALPHAS)])


def dense(problem: Problem, alphas: tuple[float, ...] = (0.5,)) -> Array:
    """The closed form by NumPy and SciPy: all paths, M, L, and the top of a dense B for every α."""
    import scipy.linalg
    import scipy.sparse as sp
    from scipy.sparse.csgraph import shortest_path
    from sklearn.neighbors import kneighbors_graph

    X, n = problem.X, len(problem.X)
    lengths = kneighbors_graph(X, _NEIGHBORS, mode="distance")
    D = shortest_path(lengths, directed=False)
    M = -0.5 * D**2
    M -= M.mean(axis=0)
    M -= M.mean(axis=1, keepdims=True)
    W = neighbor_graph(X, _NEIGHBORS)
    L = sp.diags_array(np.asarray(W.sum(axis=1)).ravel()) - sp.csr_array(W)
    top = scipy.linalg.eigh(M, subset_by_index=(n - 1, n - 1))[0][0]
    stiffest = sp.linalg.eigsh(L, 1, which="LA", return_eigenvectors=False)[0]
    maps = []
    for alpha in alphas:
        B = (1 - alpha) * M
        B -= alpha / 2 * top / stiffest * L.toarray()
        B -= np.abs(B).sum(axis=0).max() / n  # the constant below all others
        values, vectors = scipy.linalg.eigh(B, subset_by_index=(n - 2, n - 1), overwrite_a=True)
        lengths = np.sqrt(np.maximum(values[::-1], 0) / (1 - alpha))
        maps.append(vectors[:, ::-1] * lengths)
    return np.hstack(maps)


def dense_along(problem: Problem) -> Array:
    """The same for five α."""
    return dense(problem, _ALPHAS)


HYBRID_EMBEDDING = (
    Row(
        name="hybrid-3000/swiss_roll",
        work="Hybrid of Isomap and Laplacian eigenmaps, n = 3,000",
        data=swiss_roll,
        size=3000,
        small=400,
        contenders={OURS: Contender(ours), "dense eigenvectors": Contender(dense, slow=True)},
        compare=map_difference,
        tolerance=1e-5,
        goals=(Goal(3.0),),
    ),
    Row(
        name="hybrid-path-3000/swiss_roll",
        work="Hybrid, five α, n = 3,000",
        data=swiss_roll,
        size=3000,
        small=400,
        contenders={
            OURS: Contender(ours_along),
            "dense eigenvectors": Contender(dense_along, slow=True),
        },
        compare=map_difference,
        tolerance=1e-5,
        goals=(Goal(5.0),),
    ),
)
