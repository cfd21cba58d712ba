"""Coordinates from partial matches: no offset and no change of scale where items are matched.

With all items matched with all values these are the eigenvectors orthogonal to functions of the
factor, and coordinates of the same mean and spread at every value.
"""

from __future__ import annotations

import numpy as np

from sidelight.core import FloatArray
from sidelight.latent.conditioning.matches import Matching
from sidelight.solvers.eigen import largest_eigenpairs

#: Eigenvalues crowd below one where groups are hardly joined; the axes are a start only.
_TOLERANCE = 1e-5


def matched_axes(matching: Matching, n_axes: int, *, who: str) -> FloatArray:
    """Find the smoothest coordinates on the matching graph without an offset between values.

    Maximise zᵀAz / zᵀDz, A the graph and D its degrees, such that zᵀ(D − A)M = 0: the sum of
    differences along all edges between a value and the others vanishes.
    """
    A = matching.graph()
    degrees = A.sum(axis=1)
    root = 1 / np.sqrt(np.maximum(degrees, 1e-12))
    known = np.column_stack([degrees, _differences(A, matching.M)]) * root[:, None]
    axes, lengths, _ = np.linalg.svd(known, full_matrices=False)
    axes = axes[:, lengths > 1e-3 * lengths[0]]
    A = A * root[:, None] * root
    A = A - axes @ (axes.T @ A)
    A = A - (A @ axes) @ axes.T
    found = largest_eigenpairs((A + A.T) / 2, n_axes, tol=_TOLERANCE, who=who)
    vectors = found.vectors * root[:, None]
    return np.asarray(vectors / vectors.std(axis=0))


def agree_where_matched(Z: FloatArray, matching: Matching) -> FloatArray:
    """Give every value the scale and the offset with which matched items agree.

    Scales make the spreads of the matched parts of any two values alike, in least squares of
    their logarithms; offsets then minimise Σ_ab A_ab ‖z_a − z_b‖², A the graph.
    """
    A, M = matching.graph(), matching.M
    weights = (A @ M)[:, None, :] * M[:, :, None]  # of a, its value, the other value
    mass = weights.sum(axis=0)
    np.fill_diagonal(mass, 0.0)
    weights = weights / np.maximum(weights.sum(axis=0), 1e-300)
    means = np.einsum("aij,ad->ijd", weights, Z)
    squares = np.einsum("aij,ad->ijd", weights, Z**2) - means**2
    logs = np.log(np.maximum(squares, 1e-12 * Z.var(axis=0) + 1e-300)) / 2
    between = np.diag(mass.sum(axis=1)) - mass
    excess = np.einsum("ij,ijd->id", mass, logs - logs.transpose(1, 0, 2))
    scales = np.exp(-_solved(between, excess))
    overall = (Z - M @ ((M / M.sum(axis=0)).T @ Z)).std(axis=0)
    scaled = Z * (M @ scales)
    offsets = _solved(M.T @ _differences(A, M), M.T @ _differences(A, scaled))
    found = scaled - M @ offsets
    found -= found.mean(axis=0)
    spread = (found - M @ ((M / M.sum(axis=0)).T @ found)).std(axis=0)
    return np.asarray(found / np.maximum(spread, 1e-300) * overall)


def _differences(A: FloatArray, V: FloatArray) -> FloatArray:
    """(D − A)V."""
    return np.asarray(A.sum(axis=1)[:, None] * V - A @ V)


def _solved(A: FloatArray, b: FloatArray) -> FloatArray:
    """The shortest solution of equations that leave a constant free."""
    return np.asarray(np.linalg.lstsq(A, b, rcond=1e-10)[0])
