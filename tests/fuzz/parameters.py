"""Values of constructor parameters: what an estimator declares that it admits, and the rest.

Whether a value is admitted is asked of the declaration itself, so that a new parameter is drawn
from the day it is declared.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sidelight.core.parameters import OneOf, Real, Whole

#: Enough to be a fit, and little enough for thousands of them.
QUICK: dict[str, dict[str, Any]] = {
    "ConditionalEmbedding": {"max_iter": 20},
    "KernelInformationEmbedding": {"n_steps": 3, "max_iter": 20},
    "NeighborEmbedding": {"max_iter": 60},
    "UnsupervisedKernelRegression": {"max_iter": 40},
    "GPLVM": {"max_iter": 30},
    "StochasticNeighborEmbedding": {"max_iter": 200},
    "SammonMapping": {"max_iter": 300},
    "MultipleRelationalEmbedding": {"max_iter": 200},
}
METRICS = (
    "euclidean", "cosine", "correlation", "cityblock", "manhattan", "chebyshev", "minkowski",
    "sqeuclidean", "canberra", "braycurtis", "hamming", "jaccard", "l1", "l2", "precomputed",
    "seuclidean", "mahalanobis", "haversine", "nan_euclidean", "nearness", "",
)  # fmt: skip
#: Parameters of which a list or a table may be given.
NAMED: dict[str, tuple[Any, ...]] = {
    "metric": METRICS,
    "order": ([2, 0, 1], [0, 0, 1], "reversed"),
    "init": ("random", "pca", "classical", "spectral"),
    "random_state": (0, np.int64(7), 2**31, 2**70),
    "weights": ([1.0], [1.0, 2.0], [], [-1.0], "heat", [np.nan]),
}
STRANGE: tuple[Any, ...] = (
    None, True, False, "auto", "nonsense", "", -1, 0, 0.0, 1, 2, 3, 5, 10**6, 2.5, -0.5, 1e-3,
    1e300, 1e-300, float("nan"), float("inf"), np.int64(2), np.float32(0.5), np.float64(2.0),
    [1, 2], (3,), {}, b"auto", 1 + 2j,
)  # fmt: skip


def absolute_difference(x: np.ndarray, y: np.ndarray) -> float:
    return float(np.abs(x - y).sum())


def not_a_distance(x: np.ndarray, y: np.ndarray) -> float:
    return float("nan")


def product(x: np.ndarray, y: np.ndarray) -> float:
    return float(x @ y)


FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "metric": (absolute_difference, not_a_distance),
    "kernel": (product,),
}


@dataclass(frozen=True)
class Choice:
    """Parameters that differ from the quick defaults, and those of them that are not admitted."""

    values: dict[str, Any]
    refused: tuple[str, ...] = ()
    #: Differ from the defaults in what the map is, beside how long is searched for it.
    changed: tuple[str, ...] = field(default=())


def declared(cls: type[Any]) -> dict[str, tuple[Any, ...]]:
    """What the parameters of an estimator may be, by name."""
    of_kernels = {}
    if hasattr(cls, "_open_kernel"):
        from sidelight.metric.base import KERNEL_PARAMETERS

        of_kernels = dict(KERNEL_PARAMETERS)
    return {**of_kernels, **dict(cls._parameters)}


def admitted(cls: type[Any], name: str, value: Any) -> bool:
    return any(expected.admits(value) for expected in declared(cls)[name])


def candidates(cls: type[Any], name: str, n: int) -> list[Any]:
    """Values worth trying for a parameter, admitted or not."""
    values: list[Any] = []
    for expected in declared(cls)[name]:
        if isinstance(expected, OneOf):
            values += list(expected.values) * 2
        elif isinstance(expected, Whole):
            values += [expected.low, expected.low + 1, expected.low + 2, np.int32(3), n - 1, n]
        elif isinstance(expected, Real):
            values += [expected.low + step for step in (1e-6, 0.1, 1.0, 3.0) if expected.low > -1e9]
            values += [0.5, 2.0]
    values += [*NAMED.get(name, ()), *FUNCTIONS.get(name, ())]
    if name == "init":
        values += [np.zeros((n, 2)), np.arange(2.0 * n).reshape(n, 2), np.ones((3, 2))]
    return values


def draw_parameters(rng: np.random.Generator, cls: type[Any], n: int) -> Choice:
    """Draw parameters: mostly the defaults, some that are admitted, some that are not."""
    quick = dict(QUICK.get(cls.__name__, {}))
    luck = rng.random()
    names = sorted(declared(cls))
    if luck < 0.42:
        return Choice(quick)
    if luck < 0.5:
        name = names[rng.integers(len(names))]
        wrong = [value for value in STRANGE if not admitted(cls, name, value)]
        value = wrong[rng.integers(len(wrong))]
        return Choice({**quick, name: value}, (name,), (name,))
    chosen = rng.choice(names, size=min(len(names), int(rng.integers(1, 4))), replace=False)
    values: dict[str, Any] = {}
    for name in map(str, chosen):
        fit = [value for value in candidates(cls, name, n) if admitted(cls, name, value)]
        if rng.random() < 0.1:
            fit += [value for value in STRANGE if admitted(cls, name, value)]
        if name == "max_iter":  # whoever asks for a million steps may wait for them
            fit = [value for value in fit if value != 10**6]
        if fit:
            values[name] = fit[rng.integers(len(fit))]
    return Choice({**quick, **values}, (), tuple(values))
