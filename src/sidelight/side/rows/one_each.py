"""Values of which every row has one: whose they are, by label or in their order."""

from __future__ import annotations

from typing import Any

import numpy as np

from sidelight.core import IntArray
from sidelight.side.rows.called import list_numbers
from sidelight.side.rows.naming import RowNames, labels_of_index, listed_labels, read_names


def names_of_values(values: Any, names: Any, *, kind: str, count: int) -> tuple[Any, ...] | None:
    """The labels of the rows that values belong to: as given, or those of their own index."""
    found = labels_of_index(values) if names is None else names
    if found is None:
        return None
    labels = read_names(found, kind=kind)
    if len(labels) != count:
        raise ValueError(
            f"The 'names' argument of {kind} must hold one label per value, {count}. Got "
            f"{len(labels)}."
        )
    return labels


def place_of_every(own: tuple[Any, ...], names: RowNames, *, kind: str, who: str) -> IntArray:
    """For every row of X its place in the labels of the values, which must have it once."""
    in_order = (
        f"Where the values are those of the rows in their order, give them without labels: "
        f"{kind}(values.to_numpy())."
    )
    known = RowNames(own)
    lost = [label for label in names.labels if label not in known.places]
    if lost:
        raise ValueError(
            f"The {kind} given to {who} must be known for every row of X. It has labels, and none "
            f"for the rows {listed_labels(lost)} of X. {in_order}"
        )
    twice = sorted(known.repeated & set(names.labels), key=str)
    if twice:
        raise ValueError(
            f"The {kind} given to {who} has more than one value for the labels "
            f"{listed_labels(twice)} of X. {in_order}"
        )
    return np.array([known.places[label] for label in names.labels], dtype=np.int64)


def require_known(rows: IntArray, *, kind: str) -> None:
    """Refuse rows of which there is no value."""
    if np.any(rows < 0):
        raise ValueError(
            f"{kind}.within takes rows of which the value is known. It is not known for "
            f"{list_numbers(np.flatnonzero(rows < 0))} of those asked for."
        )
