"""How far a step of the dense method may go, and what it solves for."""

from __future__ import annotations

import numpy as np
import scipy.linalg
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

from sidelight.core import FloatArray
from sidelight.solvers.semidefinite.dual_bound import lowest_eigenvalue

#: From this size on the length of a step is found by Lanczos' method.
_LANCZOS_FROM = 120


def symmetric(X: FloatArray) -> FloatArray:
    """Take the symmetric part."""
    return np.asarray((X + X.T) / 2)


def factor_positive(M: FloatArray, largest: float) -> tuple[FloatArray, bool]:
    """Factor M, with as little added to its diagonal as makes it positive."""
    diagonal = np.diagonal(M).copy()
    for added in (1e-15, 1e-13, 1e-11, 1e-9):
        np.fill_diagonal(M, diagonal * (1 + 1e-14) + added * largest)
        try:
            factor: tuple[FloatArray, bool] = scipy.linalg.cho_factor(
                M, lower=True, check_finite=False
            )
        except np.linalg.LinAlgError:
            continue
        return factor
    raise np.linalg.LinAlgError


def reach_of_matrix(root: FloatArray, change: FloatArray) -> float:
    """Find the step that makes root rootᵀ + α·change singular."""
    n = len(root)
    if n >= _LANCZOS_FROM:

        def scaled(v: FloatArray) -> FloatArray:
            u = scipy.linalg.solve_triangular(root, v, lower=True, trans="T", check_finite=False)
            return np.asarray(
                scipy.linalg.solve_triangular(root, change @ u, lower=True, check_finite=False)
            )

        start = np.random.default_rng(0).standard_normal(n)
        operator = LinearOperator((n, n), matvec=scaled, dtype=np.float64)
        try:
            values, vectors = eigsh(operator, k=1, which="SA", tol=1e-2, v0=start, maxiter=20)
            error = float(np.linalg.norm(scaled(vectors[:, 0]) - values[0] * vectors[:, 0]))
            lowest = float(values[0]) - error
            return -1 / lowest if lowest < 0 else np.inf
        except ArpackError:  # the spectrum is crowded: take it as a whole
            pass
    whole = scipy.linalg.solve_triangular(root, change, lower=True, check_finite=False)
    whole = scipy.linalg.solve_triangular(root, whole.T, lower=True, check_finite=False)
    lowest = lowest_eigenvalue(symmetric(whole))
    return -1 / lowest if lowest < 0 else np.inf


def reach_of_numbers(values: FloatArray, change: FloatArray) -> float:
    """Find the step that makes the first of positive numbers zero."""
    down = change < 0
    return float(np.min(-values[down] / change[down], initial=np.inf))
