"""What the data ask for and nobody has said: each once, with what to type."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sidelight.core import FloatArray, IntArray, evenly_spaced, is_sparse
from sidelight.embedding.tokens import angles, nuisances, one_after_another
from sidelight.estimator import is_precomputed

#: Counts: from so many columns on, so many zeros, small numbers otherwise.
_COUNTED_COLUMNS, _ZEROS, _SMALL = 20, 0.6, 3
#: One column has this part of the variance of all, and so many times the deviation of the least.
_MOST_VARIANCE, _TIMES = 0.9, 30.0
_LOOKED_AT, _HEAD = 2_000, 200
#: Numbers that are written out of sparse rows to look at them.
_MOST_NUMBERS = 10_000_000
#: Of constant columns among more than these, as pixels are, none is spoken of.
_FEW_COLUMNS = 30


def hints_for(
    X: Any,
    *,
    names: Sequence[str] | None = None,
    metric: Any = None,
    images: bool = False,
    beside: Mapping[str, npt.NDArray[Any]] | None = None,
    known: Collection[str] = (),
) -> tuple[str, ...]:
    """Look at data for what their owner might want to say.

    ``beside`` are columns that were set aside and nobody asked for, ``known`` the kinds of what was
    said.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = np.column_stack([np.arange(100), 20 * rng.normal(size=(100, 3))])
    >>> for hint in hints_for(X, names=["id", "a", "b", "c"]):
    ...     print(hint)
    The column 'id' counts the rows and is used as data. Leave it out: --ignore id, X.drop.
    """
    if is_precomputed(metric) or len(np.shape(X)) != 2 or images:
        return ()
    from sidelight.io.table import said_of_texts

    texts = tuple(filter(None, [said_of_texts(beside or {})]))
    looked_at, head = _looked_at(X)
    try:
        some, first = (_taken(X, rows) for rows in (looked_at, head))
    except (TypeError, ValueError):  # the estimator says what is wrong with it
        return ()
    if min(some.shape) < 2:
        return texts
    called = list(map(str, names)) if names is not None and len(names) == some.shape[1] else None
    counted = [] if metric is not None else _counts(some)
    numbering = _numbering(first, called)
    found = [*texts, *counted, *numbering, *([] if counted else _scales(some, called))]
    found += _constant(X, some, called)
    if np.isnan(some).any() or np.isnan(first).any():
        return tuple(found)
    if "Condition" not in known:
        found += angles(some, called)
        found += nuisances(
            some, called, {name: np.asarray(v)[looked_at] for name, v in (beside or {}).items()}
        )
    if not {"Sequence", "Actions"} & set(known) and not numbering:
        found += one_after_another(first)
    return tuple(found)


def _looked_at(X: Any) -> tuple[IntArray, IntArray]:
    """Rows from everywhere, and the first; fewer of a sparse table that is very wide."""
    n, d = np.shape(X)
    most = max(_MOST_NUMBERS // max(d, 1), 2) if is_sparse(X) else n
    return evenly_spaced(n, min(_LOOKED_AT, most)), np.arange(n)[: min(_HEAD, most)]


def _taken(X: Any, rows: IntArray) -> FloatArray:
    some = X[rows].toarray() if is_sparse(X) else np.asarray(X)[rows]
    return np.asarray(some, dtype=np.float64)


def _counts(X: FloatArray) -> list[str]:
    if X.shape[1] < _COUNTED_COLUMNS or (X < 0).any() or np.isnan(X).any():
        return []
    seen = X[X > 0]
    whole = bool(np.all(seen == np.round(seen)))
    if not whole or (X == 0).mean() < _ZEROS or not len(seen) or np.median(seen) > _SMALL:
        return []
    if (seen == 1).all():  # marks of yes and no, not counts
        return []
    return [
        "The numbers look like counts, most of them zero: rows that differ in their total alone "
        "are far apart. Proportions are compared by metric='cosine' (--metric cosine)."
    ]


def _numbering(X: FloatArray, names: list[str] | None) -> list[str]:
    """Columns that count the rows."""
    steps = np.diff(X, axis=0)
    even = np.abs(steps - steps[:1]) <= 1e-9 * np.abs(steps[:1])
    counting = np.flatnonzero(even.all(axis=0) & (steps[0] != 0))
    if names is None or not len(counting) or len(X) < 20 or X.shape[1] == len(counting):
        return []
    return [
        f"The column {names[c]!r} counts the rows and is used as data. Leave it out: "
        f"--ignore {names[c]}, X.drop."
        for c in counting[:1]
    ]


def _constant(X: Any, some: FloatArray, names: list[str] | None) -> list[str]:
    """A column of one value among few columns; images have such, and nobody minds them."""
    same = np.flatnonzero((some == some[:1]).all(axis=0))
    if names is None or is_sparse(X) or not 0 < len(same) < some.shape[1] <= _FEW_COLUMNS:
        return []
    column, name = np.asarray(X)[:, same[0]], names[same[0]]
    if not (column == column[0]).all():
        return []
    return [
        f"The column {name!r} has one value in all rows, and tells nothing. Leave it out: "
        f"--ignore {name}, X.drop."
    ]


def _scales(X: FloatArray, names: list[str] | None) -> list[str]:
    variances = np.nan_to_num(np.nanvar(X, axis=0))
    varied = variances[variances > 0]
    if len(varied) < 2:
        return []
    part, times = varied.max() / varied.sum(), np.sqrt(varied.max() / varied.min())
    if part < _MOST_VARIANCE or times < _TIMES:
        return []
    which = int(np.argmax(variances))
    column = f"The column {names[which]!r}" if names else f"Column {which + 1}"
    return [
        f"{column} has {part:.0%} of the variance of all, so that the map shows little else. If "
        f"its unit is not that of the others, bring all to one scale: --standardize, or "
        f"sklearn.preprocessing.scale(X)."
    ]
