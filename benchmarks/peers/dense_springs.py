"""Maximum entropy unfolding as one would write it first: a dense inverse and L-BFGS-B in λ."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from sklearn.neighbors import NearestNeighbors

from benchmarks.row import Array


def dense_map(X: Array, n_neighbors: int, gamma: float) -> Array:
    """Fit springs λ ≥ 0 by their likelihood, and give the map of the covariance.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Rows.
    n_neighbors : int
        Neighbours of each row.
    gamma : float
        γ of a whole row, that of a feature over p.

    Returns
    -------
    ndarray of shape (n, 2)
        The two leading coordinates.
    """
    n = len(X)
    near = NearestNeighbors(n_neighbors=n_neighbors).fit(X).kneighbors_graph(mode="distance")
    i, j = np.nonzero(np.triu(near.maximum(near.T).toarray()))
    squares = np.sum((X[i] - X[j]) ** 2, axis=1)

    def precision(springs: Array) -> Array:
        P = np.diag(np.bincount(i, springs, n) + np.bincount(j, springs, n) + gamma)
        P[i, j] = P[j, i] = -springs
        return P

    def value(springs: Array) -> tuple[float, Array]:
        P = precision(springs)
        K = np.linalg.inv(P)
        variances = np.diag(K)
        slope = squares - (variances[i] + variances[j] - 2 * K[i, j])
        return float(squares @ springs - np.linalg.slogdet(P)[1]), slope

    found = minimize(
        value,
        1 / squares,
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, None)] * len(squares),
        options={"gtol": 1e-4 * float(squares.mean()), "ftol": 1e-10, "maxiter": 1000},
    )
    K = np.linalg.inv(precision(found.x))
    J = np.eye(n) - 1 / n
    values, vectors = np.linalg.eigh(J @ K @ J)
    return np.asarray(vectors[:, :-3:-1] * np.sqrt(values[:-3:-1]))
