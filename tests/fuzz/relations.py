"""How the map of changed data must follow from the map of the data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from sidelight import quality
from tests.fuzz.follow_ups import Fitted, places, portrait
from tests.fuzz.inputs import GAPS
from tests.fuzz.oracle import FaultFoundError, about, is_clear, require_close, watched
from tests.fuzz.parameters import admitted, candidates, declared

#: How long or by which arithmetic is searched: the map is meant to be the same.
ARITHMETIC = (
    "tol", "max_iter", "neighbors", "n_jobs", "random_state", "warm_start", "dtype", "method",
    "on_disconnected", "n_landmarks", "n_inducing", "order", "start", "init", "merge",
    "validation_fraction",
)  # fmt: skip

#: Other names of the default, or of what has the same neighbours.
SAME = ("'sqeuclidean'", "'l2'", "'euclidean'", "'fixed_point'", "'gaussian'", "[]")


def _plain_rows(case: Fitted) -> bool:
    changed = set(case.choice.changed)
    return case.plain and case.given.kind == "dense" and not changed and case.side is None


#: The report's objective adds squares of lengths to squares of their squares; without a
#: transformation, whose coefficients have no unit, the map depends on that of the data.
OF_A_UNIT = ("LocalTangentSpaceEmbedding",)


def moved_data_give_the_same_map(case: Fitted) -> None:
    """Adding a number to a column changes no distance."""
    if not _plain_rows(case) or case.entry.family == "latent":
        return
    X = np.asarray(case.given.X)
    steps = np.zeros(X.shape[1])
    steps[0] = 16.0
    moved = case.fit(case.fresh(), X + steps)
    Z, other = places(case.model, X), places(moved, X + steps)
    if case.entry.family == "metric":
        Z, other = cdist(Z, Z), cdist(other, other)
    require_close(np.abs(other), np.abs(Z), case.size, 1e-6, "X moved by a number")


def rows_in_another_order_give_the_same_map(case: Fitted) -> None:
    """Nothing depends on which row comes first; descents and searches may end elsewhere."""
    if not _plain_rows(case) or case.entry.family != "spectral":
        return
    X = np.asarray(case.given.X)
    if _cuts_through_shared_eigenvalue(case, X):
        return
    order = case.rng.permutation(len(X))
    Z, other = places(case.model, X)[order], places(case.fit(case.fresh(), X[order]), X[order])
    require_close(cdist(other, other), cdist(Z, Z), case.size, 1e-6, "rows in another order")


def _cuts_through_shared_eigenvalue(case: Fitted, X: np.ndarray) -> bool:
    """Whether the next component is as good as the last, so that a rule chooses between them."""
    values = getattr(case.model, "eigenvalues_", None)
    if values is None:
        return False
    wider = case.fresh().set_params(n_components=len(values) + 1)
    try:
        with watched(case.name):
            more = wider.fit(X, side=case.side).eigenvalues_
    except ValueError:  # there are no more
        return False
    return bool(np.isclose(more[-1], more[-2], rtol=1e-8, atol=1e-12 * abs(more[0])))


def another_unit_gives_the_same_map(case: Fitted) -> None:
    """Powers of two change no rounding, so that only a constant with a unit can change the map."""
    if not _plain_rows(case) or case.entry.name in OF_A_UNIT:
        return
    X = np.asarray(case.given.X)
    factor = float(2.0 ** case.rng.choice([-12, -5, 6, 14]))
    Z, other = places(case.model, X), places(case.fit(case.fresh(), X * factor), X * factor)
    if Z.shape != other.shape:
        raise FaultFoundError(f"X × {factor:g}: {other.shape[1]} components, not {Z.shape[1]}")
    ratio = float((other * Z).sum() / (Z * Z).sum())
    require_close(other, ratio * Z, abs(ratio) * case.size, 1e-6, f"X × {factor:g}")


def a_parameter_changes_something_or_is_refused(case: Fitted) -> None:
    if not case.plain or case.given.kind != "dense":
        return
    if case.entry.family == "metric" and case.side is None:
        return  # nothing is learned, so that nothing matters
    cls, own = type(case.model), case.model.get_params(deep=False)
    names = [n for n in sorted(declared(cls)) if n not in ARITHMETIC]
    name = str(case.rng.choice(names))
    fit = [v for v in candidates(cls, name, case.given.n) if admitted(cls, name, v)]
    fit = [v for v in fit if repr(v) != repr(own[name]) and repr(v) not in SAME]
    fit = [v for v in fit if not (np.isscalar(v) and v == own[name])]
    if not fit or name in ("n_components", "n_neighbors"):
        return
    value = fit[case.rng.integers(len(fit))]
    if name == "side_as" and not _says(case.side, ("Pairs", "Distances")):
        return  # how pairs and distances are taken
    try:
        other = case.fresh().set_params(**{name: value})
        with watched(case.name) as warned:
            other.fit(case.given.X, side=case.side, **case.given.fit)
        after = portrait(case, other)
    except FaultFoundError:
        raise
    except Exception as error:
        lack = is_clear(error, case.name, case.arguments)
        if lack:
            raise FaultFoundError(f"{name}={value!r}: {lack}: {about(error)}") from error
        return
    if np.array_equal(getattr(case.model, f"{name}_", None), value):
        return  # what "auto" had chosen
    if getattr(case.model, "removed_", True) is False:
        return  # a factor that is left in, as the report says
    before = portrait(case, case.model)
    if not set(warned) - set(case.warned) and _same(before, after):
        raise FaultFoundError(f"the parameter {name}={value!r} has no effect, and nothing is said")


def _says(side: Any, kinds: tuple[str, ...]) -> bool:
    """Whether knowledge of one of these kinds is among what is said."""
    values = side if isinstance(side, (list, tuple)) else [side]
    return any(type(value).__name__ in kinds for value in values)


def _same(before: dict[str, Any], after: dict[str, Any]) -> bool:
    if set(before) != set(after):
        return False
    return all(
        type(after[name]) is type(value) and np.array_equal(after[name], value)
        for name, value in before.items()
    )


def its_quality_is_judged(case: Fitted) -> None:
    """A report of finite figures, or a clear refusal, of the data beside the map."""
    if not hasattr(case.model, "embedding_") or case.given.parameters:
        return
    if (
        case.given.kind in GAPS
        or "sparse" in case.given.kind
        or not np.isfinite(case.model.embedding_).all()
    ):
        return
    try:
        with watched("quality_report"):
            report = quality.quality_report(case.given.X, case.model.embedding_)
    except FaultFoundError as fault:
        raise FaultFoundError(f"quality_report: {fault}") from fault
    except Exception as error:
        lack = is_clear(error, "quality_report", ("X", "Z"))
        if lack or case.plain:
            raise FaultFoundError(f"quality_report: {lack}: {about(error)}") from error
        return
    figures = [value for value in vars(report).values() if isinstance(value, float)]
    if case.plain and not np.isfinite(figures).all():
        raise FaultFoundError(f"quality_report of good data: {report}")


def its_density(case: Fitted) -> None:
    if "density" not in case.entry.gives:
        return
    for name, argument in (
        ("score_samples", case.given.new),
        ("density", places(case.model, case.given.X)[:2]),
        ("sample", 3),
    ):
        method = getattr(case.model, name, None)
        if method is None or (case.given.parameters and name != "density"):
            continue  # distances and graphs have no rows of features to be dense
        answer = case.call(method, argument)
        if answer is None:
            continue
        answer = answer[0] if isinstance(answer, tuple) else answer
        if np.isnan(np.asarray(answer, dtype=float)).any():
            raise FaultFoundError(f"{name} gives NaN")


RELATIONS: tuple[Callable[[Fitted], None], ...] = (
    moved_data_give_the_same_map,
    rows_in_another_order_give_the_same_map,
    another_unit_gives_the_same_map,
    a_parameter_changes_something_or_is_refused,
    its_quality_is_judged,
    its_density,
)
