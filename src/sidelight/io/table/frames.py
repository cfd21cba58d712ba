"""Frames of pandas, polars or pyarrow: the columns of numbers, the others set aside by name."""

from __future__ import annotations

from typing import Any

import numpy as np

from sidelight.io.table.columns import listed


def numbers_of_frame(frame: Any) -> tuple[Any, str]:
    """Give a frame of numbers alone, of the same library, and say what was set aside.

    A frame of numbers without gaps is given back as it is; where values may be missing (nullable
    integers) they become floats with NaN.  Without narwhals, and for what only looks like a frame,
    nothing is done: the estimator says what is wrong.
    """
    try:
        import narwhals.stable.v1 as nw
    except ImportError:
        return frame, ""
    try:
        table = nw.from_native(frame, eager_only=True)
    except TypeError:
        return frame, ""
    kinds = {name: table[name].dtype for name in table.columns}
    numbers = [name for name, kind in kinds.items() if kind.is_numeric() or kind == nw.Boolean]
    words = [name for name in table.columns if name not in numbers]
    if not numbers:
        raise ValueError(
            f"The frame has no column of numbers to work on. It has {listed(words, 'column')}. "
            f"Give its numbers as numbers, not as text."
        )
    note = f"Set aside {listed(words, 'column')}: not numbers." if words else ""
    arrow = table.implementation.is_pyarrow()  # which scikit-learn does not read
    if not words and not arrow and not any(table[name].null_count() for name in numbers):
        return frame, note
    plain = [table[name].cast(nw.Float64).to_numpy() for name in numbers]
    X = np.column_stack([np.asarray(column, dtype=np.float64) for column in plain])
    if arrow:
        return X, note
    return nw.from_numpy(X, numbers, backend=table.implementation).to_native(), note
