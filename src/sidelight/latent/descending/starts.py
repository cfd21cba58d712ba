"""Where a descent begins, and how its result is turned: one set of axes for equal maps."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from sidelight.core import Expected, FloatArray, IntArray, Matching, OneOf, random_generator
from sidelight.latent.descending.backward_start import backward_start
from sidelight.mapping import kernel_coordinates
from sidelight.similarity import Centring, choice_probabilities, kernel_from_distances
from sidelight.solvers.eigen import column_signs, largest_eigenpairs

STARTS = ("classical", "backward", "random")
#: Places of the rows, given as they are.
_ARRAY = Matching(
    lambda v: hasattr(v, "__len__") and not hasattr(v, "fit_transform") and not isinstance(v, str),
    "an array of shape (n_samples, n_components)",
)
#: What the 'init' of an estimator may be, beside a name: made from the rows, or given.
MADE_OR_GIVEN: tuple[Expected, ...] = (
    Matching(lambda v: hasattr(v, "fit_transform"), "an embedding estimator"),
    _ARRAY,
)
#: What it may be where the rows are known by their distances.
INIT: tuple[Expected, ...] = (OneOf(STARTS), _ARRAY)


def classical_start(D: FloatArray, n_components: int, *, who: str) -> FloatArray:
    """Scale distances classically: the principal components, where they are Euclidean."""
    K = kernel_from_distances(D)
    operator = Centring.of(K).operator(K)
    pairs = largest_eigenpairs(operator, n_components, n=len(D), who=who)
    return kernel_coordinates(np.maximum(pairs.values, 0.0), pairs.vectors)


def starting_points(
    init: Any,
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
    if not isinstance(init, str):
        return given_points(init, (n, n_components), who=who)
    if init == "classical":
        return classical_start(D, n_components, who=who) / unit
    if init == "backward":
        points = backward_start(choice_probabilities(D, bandwidth), n_components, who=who).vectors
    else:
        points = random_points(n, n_components, random_state)
    # the mean squared distance between points is twice their total variance
    wanted = float(np.mean(D**2)) / (2 * unit**2)
    return np.asarray(points * np.sqrt(wanted / max(float(points.var(axis=0).sum()), 1e-300)))


def random_points(n: int, n_components: int, random_state: Any) -> FloatArray:
    """Draw points from the standard Gaussian."""
    return random_generator(random_state).standard_normal((n, n_components))


def given_points(
    init: Any,
    shape: tuple[int, int],
    *,
    rows: FloatArray | None = None,
    order: IntArray | None = None,
    who: str,
) -> FloatArray:
    """Take the places that are given, or that an estimator makes of the rows.

    ``order`` is that of the rows in those of X, for which places are given.
    """
    if hasattr(init, "fit_transform"):
        init, order = clone(init).fit_transform(rows), None
    points = np.asarray(init)
    if points.shape != shape or points.dtype.kind not in "biuf" or not np.isfinite(points).all():
        raise ValueError(
            f"The 'init' parameter of {who} must give finite numbers of shape "
            f"(n_samples, n_components) = {shape}. Got the shape {points.shape} of dtype "
            f"{points.dtype}."
        )
    if not np.ptp(points, axis=0).any():
        raise ValueError(
            f"The 'init' parameter of {who} must give places that differ. Got {len(points)} that "
            f"are all the same, which no step tells apart."
        )
    return np.array(points if order is None else points[order], dtype=np.float64)


def principal_turn(Z: FloatArray) -> FloatArray:
    """Centre points and turn them to their principal axes, signs by the one rule."""
    Z = Z - Z.mean(axis=0)
    values, axes = np.linalg.eigh(Z.T @ Z)
    turned = Z @ axes[:, np.argsort(values)[::-1]]
    return np.asarray(turned * column_signs(turned))
