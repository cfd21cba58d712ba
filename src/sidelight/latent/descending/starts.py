"""Where a descent begins, and how its result is turned: one set of axes for equal maps."""

from __future__ import annotations

from typing import Any

import numpy as np

from sidelight.core.arrays import FloatArray
from sidelight.core.parameters import Expected, Matching, OneOf, random_generator
from sidelight.latent.descending.backward_start import backward_start
from sidelight.mapping.nystrom import kernel_coordinates
from sidelight.similarity.centring import Centring, kernel_from_distances
from sidelight.similarity.neighbor_choice import choice_probabilities
from sidelight.solvers.eigen.eigenpairs import column_signs, largest_eigenpairs

STARTS = ("classical", "backward", "random")
#: What the 'start' parameter of an estimator may be.
START: tuple[Expected, ...] = (
    OneOf(STARTS),
    Matching(
        lambda v: hasattr(v, "__len__") and not isinstance(v, str),
        "an array of shape (n_samples, n_components)",
    ),
)


def classical_start(D: FloatArray, n_components: int, *, who: str) -> FloatArray:
    """Scale distances classically: the principal components, where they are Euclidean."""
    K = kernel_from_distances(D)
    operator = Centring.of(K).operator(K)
    pairs = largest_eigenpairs(operator, n_components, n=len(D), who=who)
    return kernel_coordinates(np.maximum(pairs.values, 0.0), pairs.vectors)


def starting_points(
    start: Any,
    D: FloatArray,
    n_components: int,
    *,
    bandwidth: float,
    unit: float = 1.0,
    random_state: Any,
    who: str,
) -> FloatArray:
    """Make the points that a descent begins with."""
    n = len(D)
    if not isinstance(start, str):
        return _given_points(start, (n, n_components), who)
    if start == "classical":
        return classical_start(D, n_components, who=who) / unit
    if start == "backward":
        points = backward_start(choice_probabilities(D, bandwidth), n_components, who=who).vectors
    else:
        points = random_generator(random_state).standard_normal((n, n_components))
    # the mean squared distance between points is twice their total variance
    wanted = float(np.mean(D**2)) / (2 * unit**2)
    return np.asarray(points * np.sqrt(wanted / max(float(points.var(axis=0).sum()), 1e-300)))


def _given_points(start: Any, shape: tuple[int, int], who: str) -> FloatArray:
    points = np.asarray(start)
    if points.shape != shape or points.dtype.kind not in "biuf" or not np.isfinite(points).all():
        raise ValueError(
            f"The 'start' parameter of {who} must hold finite numbers of shape "
            f"(n_samples, n_components) = {shape}. Got the shape {points.shape} of dtype "
            f"{points.dtype}."
        )
    if not np.ptp(points, axis=0).any():
        raise ValueError(
            f"The 'start' parameter of {who} must hold points that differ. Got {len(points)} that "
            f"are all the same, which no step tells apart. Use start='classical' or 'random'."
        )
    return np.array(points, dtype=np.float64)


def principal_turn(Z: FloatArray) -> FloatArray:
    """Centre points and turn them to their principal axes, signs by the one rule."""
    Z = Z - Z.mean(axis=0)
    values, axes = np.linalg.eigh(Z.T @ Z)
    turned = Z @ axes[:, np.argsort(values)[::-1]]
    return np.asarray(turned * column_signs(turned))
