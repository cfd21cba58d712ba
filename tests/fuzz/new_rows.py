"""New rows as they come: in another container, with their columns in disorder, with names."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.fuzz.containers import Labelled, Wrapped, frame, memory_map
from tests.fuzz.follow_ups import Fitted
from tests.fuzz.oracle import FaultFoundError, require_close, require_equal

#: Containers in which the same numbers stand.
SAME: dict[str, Callable[[np.ndarray], Any]] = {
    "lists": np.ndarray.tolist,
    "a list of arrays": list,
    "columns one behind the other": np.asfortranarray,
    "steps backwards": lambda X: X[::-1].copy()[::-1],
    "steps of two": lambda X: np.repeat(X, 2, axis=0)[::2],
    "a memory map": memory_map,
    "big-endian": lambda X: X.astype(">f8"),
    "an array of its own class": lambda X: X.view(Labelled),
    "what can be made an array": Wrapped,
    "objects": lambda X: X.astype(object),
    "masked, and nothing is": lambda X: np.ma.masked_array(X, mask=False),
    "a frame without names": lambda X: frame(X, columns=range(X.shape[1])),
    "a frame, index twice": lambda X: frame(X, columns=range(X.shape[1]), index=[3] * len(X)),
}


def new_rows_in_another_container(case: Fitted) -> None:
    new = case.given.new
    if case.given.kind != "dense" or case.given.parameters:
        return
    placed = case.call(case.model.transform, new)
    if placed is None:
        return
    name = str(case.rng.choice(list(SAME)))
    other = case.call(case.model.transform, SAME[name](new))
    if other is None:
        raise FaultFoundError(f"new rows, {name}, were refused")
    require_close(np.asarray(other), placed, case.size, 1e-9, f"new rows, {name}")


def new_columns_in_disorder(case: Fitted) -> None:
    """Named columns are found by their names, or refused; none is taken by its place."""
    new = case.given.new
    names = list(getattr(case.model, "feature_names_in_", ()))
    if len(names) < 2 or not hasattr(new, "columns") or case.given.parameters:
        return
    placed = case.call(case.model.transform, new)
    if placed is None:
        return
    plain, case.plain = case.plain, False  # they may be refused
    order = case.rng.permutation(len(names))
    while (order == np.arange(len(names))).all():
        order = case.rng.permutation(len(names))
    pick = new.select if hasattr(new, "select") else new.__getitem__  # of arrow and polars
    other = case.call(case.model.transform, pick([names[i] for i in order]))
    if other is not None:
        require_close(np.asarray(other), np.asarray(placed), case.size, 1e-9, "columns in disorder")
    case.plain = plain
    case.must_refuse("new rows without a column,", case.model.transform, pick(names[1:]))


def labels_stay_with_their_rows(case: Fitted) -> None:
    new = case.given.new
    if not hasattr(new, "index") or not hasattr(new, "iloc"):
        return
    labelled = new.set_axis([f"row {i}" for i in range(len(new))], axis=0)
    placed = case.call(case.model.transform, labelled)
    if placed is None:
        return
    case.model.set_output(transform="pandas")
    framed = case.call(case.model.transform, labelled)
    case.model.set_output(transform="default")
    if list(framed.index) != list(labelled.index):
        raise FaultFoundError("the rows of the frame have lost their labels")


def copied(case: Fitted) -> None:
    from tests.fuzz.follow_ups import portrait

    expected = portrait(case, case.model)
    require_equal(portrait(case, copy.deepcopy(case.model)), expected, "copied")


OF_NEW_ROWS: tuple[Callable[[Fitted], None], ...] = (
    new_rows_in_another_container,
    new_columns_in_disorder,
    labels_stay_with_their_rows,
    copied,
)
