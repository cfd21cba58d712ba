"""What is known, by row numbers of the X that it is about, ready to be cut together with it."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from sidelight.side.condition import Condition
from sidelight.side.rows import RowNames, SideInformation, labels_of_index, read_names
from sidelight.side.understanding import side_values


def aligned(side: Any, X: Any, *, names: Any = None) -> Any:
    """Name rows by their numbers in X, and say how many there are.

    scikit-learn's searches and cross-validation then cut what is known together with X, also if it
    is a list of several values.

    Parameters
    ----------
    side : side information, list of it, or None
        What is known about the rows of X, by number or by label.
    X : array, frame or None
        The data; the index of a frame of pandas has the labels of its rows.  None where relations
        are all there is, with ``names``.
    names : sequence, optional
        The labels of the rows, where X has none or others: a column of a frame of polars.

    Returns
    -------
    side information, list of it, or None
        The same.  A list that can be cut has ``shape`` and ``[rows]``, too.

    Examples
    --------
    >>> import numpy as np
    >>> from sidelight.side import Condition, Pairs, aligned
    >>> known = [Pairs(similar=[("anna", "bert")]), Condition([1.0, 2.0, 5.0])]
    >>> both = aligned(known, np.zeros((3, 2)), names=["carl", "bert", "anna"])
    >>> both[[2, 1]]
    (Pairs(1 similar, 0 dissimilar), Condition(2 rows, 1 number each))
    """
    n_samples = len(names) if X is None and names is not None else n_rows_of(X)
    found = _names_of(X, names, "aligned")
    values = []
    for value in side_values(side, "aligned"):
        numbered = value._at(found, n_samples, who="aligned")
        numbered._require_size(n_samples, "aligned")
        values.append(numbered._sized(n_samples))
    if side is None:
        return None
    return Together(values) if isinstance(side, (list, tuple)) else values[0]


def by_number(side: Any, X: Any, *, names: Any = None, who: str) -> Any:
    """Values of side information, by the row numbers of X; anything else as it is."""
    if names is not None:  # also where nothing is said by them
        _require_one_each(names, X, who)
    if isinstance(side, (list, tuple)):
        return [by_number(value, X, names=names, who=who) for value in side]
    if not isinstance(side, SideInformation):
        return side
    return side._at(_names_of(X, names, who), n_rows_of(X), who=who)


def condition_by_number(condition: Any, X: Any, *, who: str) -> Any:
    """Values of known factors, in the order of the rows of X.

    Plain ones that have labels, as a series of pandas does, go to the rows that these name, too.
    """
    if isinstance(condition, (list, tuple)):
        return [condition_by_number(value, X, who=who) for value in condition]
    labelled = labels_of_index(condition) is not None
    return by_number(Condition(condition) if labelled else condition, X, who=who)


def _names_of(X: Any, names: Any, who: str) -> RowNames | None:
    """The labels of the rows of X: as given, or its own."""
    if names is None:
        return RowNames.of(X)
    _require_one_each(names, X, who)
    return RowNames(read_names(names, kind=who))


def _require_one_each(names: Any, X: Any, who: str) -> None:
    """Refuse names that are not those of the rows."""
    count = len(names) if hasattr(names, "__len__") else None
    if count is None or (X is not None and count != n_rows_of(X)):
        got = f"{names!r}" if count is None else f"{count}"
        raise ValueError(
            f"The 'names' argument of {who} must hold one label per row of X, {n_rows_of(X)}. Got "
            f"{got}."
        )


def n_rows_of(X: Any) -> int:
    """How many rows an array or a frame has; none where it has no length."""
    shape = getattr(X, "shape", None)
    if shape:
        return int(shape[0])
    return len(X) if hasattr(X, "__len__") else 0


class Together(tuple[Any, ...]):
    """Several values of side information about the same rows, cut together."""

    __slots__ = ()

    @property
    def shape(self) -> tuple[int]:
        """The rows that they speak of."""
        return next((value.shape for value in self if hasattr(value, "shape")), (0,))

    def __getitem__(self, rows: Any) -> Any:
        if isinstance(rows, Integral):
            return super().__getitem__(int(rows))
        places = rows[0] if isinstance(rows, tuple) else rows
        return Together(value[places] if hasattr(value, "shape") else value for value in self)
