"""What is done with a fitted model, and what must hold then."""

from __future__ import annotations

import pickle
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import pdist
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import sidelight
from sidelight.core import rows_in
from tests.fuzz.inputs import GAPS, Given
from tests.fuzz.oracle import (
    ARGUMENTS,
    FaultFoundError,
    about,
    is_clear,
    require_close,
    require_equal,
    watched,
)
from tests.fuzz.parameters import Choice, admitted, candidates, declared, draw_parameters


@dataclass
class Fitted:
    """A fitted model, what it was fitted to, and whether all of that was plain and good."""

    entry: Any
    model: Any
    given: Given
    choice: Choice
    side: Any
    plain: bool
    warned: list[str]
    rng: np.random.Generator

    @property
    def name(self) -> str:
        return str(self.entry.name)

    @property
    def arguments(self) -> tuple[str, ...]:
        return (*declared(type(self.model)), *ARGUMENTS)

    @property
    def size(self) -> float:
        """The size of the map."""
        return float(np.nanmax(np.abs(places(self.model, self.given.X)), initial=0)) or 1.0

    def fresh(self) -> Any:
        return clone(self.model)

    def fit(self, model: Any, X: Any = None) -> Any:
        with watched(self.name):
            X = self.given.X if X is None else X
            return model.fit(X, side=self.side, **self.given.fit)

    def call(self, method: Callable[..., Any], *arguments: Any) -> Any:
        """Call a method: None where it was refused clearly, and that was not out of place."""
        try:
            with watched(self.name):
                return method(*arguments)
        except FaultFoundError:
            raise
        except Exception as error:
            lack = is_clear(error, self.name, self.arguments)
            if lack or self.plain:
                lack = lack or "refused what is good"
                raise FaultFoundError(f"{method.__name__}: {lack}: {about(error)}") from error
            return None

    def must_refuse(self, what: str, method: Callable[..., Any], *arguments: Any) -> None:
        try:
            with watched(self.name):
                method(*arguments)
        except FaultFoundError:
            raise
        except Exception as error:
            lack = is_clear(error, self.name, self.arguments)
            if lack:
                raise FaultFoundError(f"{what}: {lack}: {about(error)}") from error
            return
        raise FaultFoundError(f"{what} was accepted by {method.__name__}")


def places(model: Any, X: Any) -> np.ndarray:
    return np.asarray(model.embedding_ if hasattr(model, "embedding_") else model.transform(X))


def portrait(case: Fitted, model: Any) -> dict[str, Any]:
    """All that a fitted model says: arrays, or the words of a refusal."""
    asked: dict[str, Callable[[], Any]] = {
        "transform": lambda: model.transform(case.given.new),
    }
    if hasattr(model, "embedding_"):
        asked["embedding_"] = lambda: model.embedding_.copy()
        asked["inverse_transform"] = lambda: model.inverse_transform(_finite(model.embedding_)[:3])
    for name in ("eigenvalues_", "objective_", "log_likelihood_", "metric_"):
        if hasattr(model, name):
            asked[name] = lambda name=name: np.array(getattr(model, name))
    if _has_kernel(case, model):
        asked["kernel()"] = lambda: model.kernel()
    drawn: dict[str, Any] = {}
    for name, ask in asked.items():
        try:
            with watched(case.name):
                answer = ask()
                drawn[name] = np.asarray(answer.toarray() if sp.issparse(answer) else answer)
        except FaultFoundError as fault:
            raise FaultFoundError(f"{name}: {fault}") from fault
        except Exception as error:
            lack = is_clear(error, case.name, case.arguments)
            if lack:
                raise FaultFoundError(f"{name}: {lack}: {about(error)}") from error
            drawn[name] = f"{type(error).__name__}: {error}"
    return drawn


def _has_kernel(case: Fitted, model: Any) -> bool:
    """Whether ``kernel`` is a method: the metrics have a parameter of that name."""
    return callable(getattr(model, "kernel", None)) and case.entry.family != "metric"


def _finite(Z: np.ndarray) -> np.ndarray:
    return Z[np.isfinite(Z).all(axis=1)]


def _array(table: Any) -> np.ndarray:
    table = table.toarray() if sp.issparse(table) else table
    return np.asarray(table, dtype=float)


def training_rows_are_where_they_are(case: Fitted) -> None:
    if not hasattr(case.model, "embedding_") or "ConvergenceWarning" in case.warned:
        return
    if case.given.kind in GAPS:
        return  # what is not known of a row is not known when it is new
    if case.given.kind == "a table, rounded" or _rows_of_one_direction(case):
        return  # rows that differ are at distance zero, and so said to be one
    placed = case.call(case.model.transform, case.given.X)
    if placed is not None:
        Z = case.model.embedding_
        require_close(placed, Z, case.size, case.given.exactness, "transform(X_train)")


def _rows_of_one_direction(case: Fitted) -> bool:
    """Whether different rows are at distance zero from one another by their metric."""
    metric = getattr(case.model, "metric", "")
    if not isinstance(metric, str) or metric not in ("cosine", "correlation"):
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that columns of words are left out
        X = _array(rows_in(case.given.X, who="it")[0])
    X = np.unique(X.reshape(len(X), -1), axis=0)
    X = X - X.mean(axis=1, keepdims=True) if metric == "correlation" else X
    lengths = np.linalg.norm(X, axis=1)
    X = X / np.where(lengths > 0, lengths, 1.0)[:, None]
    return bool(pdist(X).min(initial=np.inf) < 1e-6)


def each_row_by_itself(case: Fitted) -> None:
    new = case.given.new
    together = case.call(case.model.transform, new)
    if together is None:
        return
    if not np.isfinite(together).all() and case.plain:
        raise FaultFoundError("new rows have no finite place")
    rows = [new[i : i + 1] for i in range(2)]
    alone = np.vstack([case.call(case.model.transform, row) for row in rows])
    exactness = 1e-6 if case.entry.family == "latent" else 1e-9
    exactness = max(exactness, 1e-3 * case.given.exactness)
    far = float(np.nanmax(np.abs(np.asarray(together, dtype=float)), initial=0))
    size = max(case.size, far)
    require_close(alone, np.asarray(together)[:2], size, exactness, "a row placed alone")


def the_same_again(case: Fitted) -> None:
    expected = portrait(case, case.model)
    require_equal(portrait(case, case.fit(case.fresh())), expected, "fitted again")


def saved_and_loaded(case: Fitted) -> None:
    expected = portrait(case, case.model)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.sidelight"
        try:
            sidelight.save(case.model, path)
        except (ValueError, TypeError) as error:
            if "function" in str(error) or "callable" in str(error):
                return  # a function is code, and files hold none
            raise FaultFoundError(f"save: {about(error)}") from error
        loaded = sidelight.load(path)
    found = portrait(case, loaded)
    if isinstance(found.get("kernel()"), str):
        expected.pop("kernel()")  # linear maps are kept in a file without the rows
    require_equal(found, expected, "saved and loaded")


def pickled(case: Fitted) -> None:
    expected = portrait(case, case.model)
    again = pickle.loads(pickle.dumps(case.model))
    require_equal(portrait(case, again), expected, "pickled")


def refitted_after_other_data_and_parameters(case: Fitted) -> None:
    """A model that was fitted to something else before, or refused it, is as a fresh one."""
    expected = portrait(case, case.model)
    model, own = case.fresh(), case.model.get_params(deep=False)
    other = draw_parameters(case.rng, type(model), case.given.n)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            other_rows = case.rng.standard_normal((case.given.n, 3))
            model.set_params(**{"metric": "cityblock"} if "metric" in own else {})
            model.set_params(**other.values).fit(other_rows)
    except Exception:
        pass  # other cases judge that
    model.set_params(**own)
    # what is made on the way may lie otherwise in memory, where sums begin at another entry; new
    # rows are placed by steps down to 1e-11 of the map
    require_equal(portrait(case, case.fit(model)), expected, "refitted", within=1e-12)


def a_refused_refit_changes_nothing(case: Fitted) -> None:
    expected, model = portrait(case, case.model), case.model
    bad = [np.full((6, 3), np.inf), np.full((6, 3), "word"), np.empty((0, 3)), np.zeros(5)]
    case.must_refuse("a bad X", model.fit, bad[case.rng.integers(4)])
    require_equal(portrait(case, model), expected, "after a refused fit")
    with_side = partial(model.fit, np.eye(7, 9) + 1.0, side=object())
    with_side.__name__ = "fit"  # type: ignore[attr-defined]
    case.must_refuse("side=object()", with_side)
    require_equal(portrait(case, model), expected, "after refused knowledge")
    name = str(case.rng.choice(sorted(declared(type(model)))))
    own = model.get_params(deep=False)[name]
    wrong = object()
    model.set_params(**{name: wrong})
    case.must_refuse(f"{name}=object()", model.fit, case.given.X)
    model.set_params(**{name: own})
    require_equal(portrait(case, model), expected, "after refused parameters")


def parameters_set_without_a_fit(case: Fitted) -> None:
    expected, cls = portrait(case, case.model), type(case.model)
    own = case.model.get_params(deep=False)
    changed: dict[str, Any] = {}
    for name in declared(cls):
        fit = [v for v in candidates(cls, name, case.given.n) if admitted(cls, name, v)]
        fit = [v for v in fit if repr(v) != repr(own[name])]
        if fit and case.rng.random() < 0.7:
            changed[name] = fit[case.rng.integers(len(fit))]
    case.model.set_params(**changed)
    require_equal(portrait(case, case.model), expected, f"after set_params({', '.join(changed)})")
    case.model.set_params(**own)


def data_written_over(case: Fitted) -> None:
    X = case.given.X
    if not isinstance(X, np.ndarray) and not (sp.issparse(X) and hasattr(X, "indptr")):
        return
    X = X.copy()
    model = case.fit(case.fresh(), X)
    expected = portrait(case, model)
    values = X.data if sp.issparse(X) else X
    if values.dtype.kind == "O" or not values.flags.writeable:
        return
    values[...] = values[::-1].copy()
    if sp.issparse(X):
        X.indices[...] = X.indices[::-1].copy()
    model.__dict__.pop("_smoother", None)
    require_equal(portrait(case, model), expected, "X written over after fit")


def map_written_over(case: Fitted) -> None:
    if not hasattr(case.model, "embedding_"):
        return
    model = case.fresh()
    with watched(case.name):
        Z = model.fit_transform(case.given.X, side=case.side, **case.given.fit)
    expected = portrait(case, model)
    Z = np.asarray(Z)
    if Z.flags.writeable:
        Z[...] = 0.0
        require_equal(portrait(case, model), expected, "fit_transform's result written over")


def dense_and_sparse_swapped(case: Fitted) -> None:
    new = case.given.new
    if "graph" in case.given.kind or not (sp.issparse(new) or isinstance(new, np.ndarray)):
        return
    if new.ndim > 2:  # images, of which there are no sparse ones
        return
    if not sp.issparse(new) and new.dtype not in (np.float64, np.float32, np.int64):
        return
    placed = case.call(case.model.transform, new)
    swapped = new.toarray() if sp.issparse(new) else sp.csr_array(new)
    plain, case.plain = case.plain, False  # what takes no sparse rows may refuse them
    other = case.call(case.model.transform, swapped)
    case.plain = plain
    if placed is not None and other is not None:
        exactness = max(case.given.exactness, 1e-7)
        require_close(other, placed, case.size, exactness, "new rows in the other container")


def other_precision(case: Fitted) -> None:
    new = case.given.new
    if not isinstance(new, np.ndarray) or new.dtype != np.float64 or "1e" in case.given.kind:
        return
    if not 1e-30 < np.abs(new).max() < 1e30:
        return
    placed = case.call(case.model.transform, new)
    single = case.call(case.model.transform, new.astype(np.float32))
    if placed is None or single is None:
        return
    if np.asarray(single).dtype.kind != "f" or np.shape(single) != np.shape(placed):
        raise FaultFoundError(f"float32 rows are placed as {np.asarray(single).dtype}")


def rows_that_cannot_be_placed(case: Fitted) -> None:
    """New rows with other columns, holes, words, or none at all."""
    width, transform = case.model.n_features_in_, case.model.transform
    new = np.abs(case.rng.standard_normal((3, width)))
    wrong: dict[str, Any] = {
        "too narrow": new[:, :-1],
        "too wide": np.column_stack([new, new]),
        "infinite": new * np.inf,
        "text": np.full(new.shape, "word"),
        "one-dimensional": new[0],
        "no rows": new[:0],
        "None": None,
        "complex": new * 1j,
        "images of another size": np.ones((3, width, 2)),
    }
    if not case.model.__sklearn_tags__().input_tags.allow_nan:
        wrong["NaN"] = new * np.nan
    if width == 1:
        wrong.pop("too narrow")
    for name in case.rng.choice(list(wrong), size=3, replace=False):
        case.must_refuse(f"new rows, {name},", transform, wrong[str(name)])


def the_way_back(case: Fitted) -> None:
    model = case.model
    if not hasattr(model, "inverse_transform"):
        return
    if getattr(model, "removed_", False):  # by values of the factor, which new rows must bring
        return
    Z = _finite(places(model, case.given.X))[:3]
    # a singular metric has none, and neither has a table without its items
    case.plain = case.plain and case.entry.family != "metric" and not case.given.parameters
    back = case.call(model.inverse_transform, Z)
    if back is not None:
        back = _array(back)
        if len(back) != len(Z) or not np.isfinite(back).all():
            raise FaultFoundError(
                f"the way back is {back.shape}, finite: {np.isfinite(back).all()}"
            )
    case.must_refuse("Z with too many columns", model.inverse_transform, np.hstack([Z, Z]))
    case.must_refuse("Z with NaN", model.inverse_transform, Z * np.nan)
    case.must_refuse("flat Z", model.inverse_transform, Z[0])
    case.must_refuse("Z of text", model.inverse_transform, Z.astype(str).astype(object) + "x")


def the_kernel(case: Fitted) -> None:
    model = case.model
    if not _has_kernel(case, model):
        return
    K = case.call(model.kernel)
    if K is None:
        return
    K = _array(K)
    n, size = case.given.n, float(np.abs(K).max()) or 1.0
    if K.shape != (n, n) or not np.isfinite(K).all():
        raise FaultFoundError(f"kernel() is {K.shape} for {n} rows, or not finite")
    require_close(K, K.T, size, 1e-7, "kernel() is not symmetric")
    # of rows that are rounded themselves a mean is no more exact
    exactness = max(1e-6, 1e-2 * case.given.exactness)
    require_close(K.mean(axis=0), np.zeros(n), size, exactness, "kernel() is not centred")


def names_and_frames(case: Fitted) -> None:
    if not hasattr(case.model, "get_feature_names_out"):
        return
    names = case.model.get_feature_names_out()
    placed = case.call(case.model.transform, case.given.new)
    if placed is None:
        return
    if len(names) != np.shape(placed)[1]:
        raise FaultFoundError(f"{len(names)} names for {np.shape(placed)[1]} columns")
    library = str(case.rng.choice(["pandas", "polars", "default"]))
    case.model.set_output(transform=library)
    framed = case.call(case.model.transform, case.given.new)
    case.model.set_output(transform="default")
    if library != "default" and list(framed.columns) != list(names):
        raise FaultFoundError("the columns of the frame are not the feature names")
    require_close(np.asarray(framed), np.asarray(placed), case.size, 0.0, "in a frame")


def parameters_are_those_given(case: Fitted) -> None:
    params = case.model.get_params(deep=False)
    for name, value in {**case.choice.values, **case.given.parameters}.items():
        if name not in case.given.parameters and params[name] is not value:
            raise FaultFoundError(f"fit replaced the parameter {name}")


def not_fitted_is_said(case: Fitted) -> None:
    """Nothing was fitted, or the first fit was refused: the methods say so."""
    model = case.fresh()
    if case.rng.random() < 0.5:
        case.must_refuse("NaN everywhere and infinity", model.fit, [[np.nan, np.inf], [1.0, 2.0]])
    flat = np.zeros((2, 2))
    for name, arguments in (("transform", (flat,)), ("inverse_transform", (flat,)), ("kernel", ())):
        method = getattr(model, name, None)
        if not callable(method) or (name == "kernel" and case.entry.family == "metric"):
            continue
        try:
            method(*arguments)
        except NotFittedError:
            continue
        except Exception as error:
            raise FaultFoundError(f"{name} of what is not fitted: {about(error)}") from error
        raise FaultFoundError(f"{name} of what is not fitted gives an answer")


FOLLOW_UPS: tuple[Callable[[Fitted], None], ...] = (
    training_rows_are_where_they_are,
    each_row_by_itself,
    the_same_again,
    saved_and_loaded,
    pickled,
    refitted_after_other_data_and_parameters,
    a_refused_refit_changes_nothing,
    parameters_set_without_a_fit,
    data_written_over,
    map_written_over,
    dense_and_sparse_swapped,
    other_precision,
    rows_that_cannot_be_placed,
    the_way_back,
    the_kernel,
    names_and_frames,
    parameters_are_those_given,
    not_fitted_is_said,
)
