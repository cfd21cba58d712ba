"""Where a descent begins, and how its result is turned: one set of axes for equal maps."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from sidelight.core import Expected, FloatArray, IntArray, Matching, OneOf, random_generator
from sidelight.latent.descending.backward_start import backward_start
from sidelight.mapping import kernel_coordinates
from sidelight.neighbors import distinct_rows
from sidelight.similarity import Centring, choice_probabilities, kernel_from_distances
from sidelight.solvers.eigen import column_signs, largest_eigenpairs, settled_axes

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

#: How far points step aside, as a part of their spread.
_ASIDE = 1e-6

#: How points that a descent begins with are made, by the name of the way.
Ways: TypeAlias = Mapping[str, Callable[[], FloatArray]]


def starting_points(
    init: Any,
    ways: Ways,
    shape: tuple[int, int],
    *,
    rows: FloatArray | None = None,
    order: IntArray | None = None,
    who: str,
) -> FloatArray:
    """Make the points that a descent begins with in the way that is named, or take given ones."""
    if isinstance(init, str):
        return ways[init]()
    return given_points(init, shape, rows=rows, order=order, who=who)


def ways_by_distances(
    D: FloatArray,
    n_components: int,
    *,
    bandwidth: float,
    unit: float = 1.0,
    random_state: Any,
    who: str,
) -> Ways:
    """The ways that distances leave open, each with the spread of the items in the map's unit."""

    def spread_like_items(Z: FloatArray) -> FloatArray:
        # the mean squared distance between points is twice their total variance
        wanted = float(np.mean(D**2)) / (2 * unit**2)
        return np.asarray(Z * np.sqrt(wanted / max(float(Z.var(axis=0).sum()), 1e-300)))

    def backward() -> FloatArray:
        return backward_start(choice_probabilities(D, bandwidth), n_components, who=who).vectors

    return {
        "classical": lambda: classical_start(D, n_components, who=who) / unit,
        "backward": lambda: spread_like_items(backward()),
        "random": lambda: spread_like_items(random_points(len(D), n_components, random_state)),
    }


def classical_start(D: FloatArray, n_components: int, *, who: str) -> FloatArray:
    """Scale distances classically: the principal components, where they are Euclidean."""
    K = kernel_from_distances(D)
    operator = Centring.of(K).operator(K)
    pairs = largest_eigenpairs(operator, n_components, n=len(D), who=who)
    return kernel_coordinates(np.maximum(pairs.values, 0.0), pairs.vectors)


def principal_points(Y: FloatArray, n_components: int) -> FloatArray:
    """The principal components, or probabilistic ones where entries are missing.

    Dimensions beyond those that rows can have are zero.
    """
    from sidelight.spectral import PCA, ProbabilisticPCA

    kept = min(n_components, *Y.shape)
    method = ProbabilisticPCA if np.isnan(Y).any() else PCA
    with warnings.catch_warnings():  # a start need not have converged
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", UserWarning)
        Z = np.asarray(method(kept).fit_transform(Y))
    return np.pad(Z, ((0, 0), (0, n_components - kept)))


def step_aside(rows: FloatArray, n_components: int) -> FloatArray:
    """A small step of every point, as a part of their spread, the same for equal rows.

    What a rule makes of a grid or a ring is as symmetric as they are.  Points that mirror each
    other, or coincide, would stay so but for rounding, which is another one on every processor:
    they leave such a saddle by this step instead.

    Examples
    --------
    >>> import numpy as np
    >>> step = step_aside(np.array([[1.0], [3.0], [1.0]]), 2)
    >>> bool((step[0] == step[2]).all()), bool(0 < np.abs(step[0] - step[1]).min() < 1e-5)
    (True, True)
    """
    alike = distinct_rows(rows).inverse
    shape = (len(rows), n_components)
    return np.asarray(_ASIDE * np.random.default_rng(0).standard_normal(shape)[alike])


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
    turned = Z @ settled_axes(Z)
    return np.asarray(turned * column_signs(turned))
