"""A map as a frame, and what the frame or the file of the data says beside its numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
import numpy.typing as npt

from sidelight.core import FloatArray, IntArray, MissingExtraError

if TYPE_CHECKING:
    from sidelight.embedding.result import Embedding
    from sidelight.io.table import Table


def as_frame(result: Embedding) -> Any:
    """Coordinates by the names of their columns, then what was set aside."""
    names = map(str, result.model.get_feature_names_out())
    columns: dict[str, Any] = dict(zip(names, result.points.T, strict=True))
    for name, values in set_aside(result).items():
        columns[name if name not in columns else f"{name} (data)"] = values
    if result.frame is None or is_table(result.frame) or _is_pandas(result.frame):
        try:
            import pandas as pd  # type: ignore[import-untyped]
        except ImportError:
            raise MissingExtraError("pandas", "tables", "Embedding.to_frame") from None
        index = getattr(result.frame, "index", None) if result.names is None else None
        return pd.DataFrame(columns, index=_index(pd, result) if index is None else index)
    import narwhals.stable.v1 as nw

    named = {} if result.names is None else {"name": list(result.names)}
    backend = nw.from_native(result.frame, eager_only=True).implementation
    return nw.from_dict({**named, **columns}, backend=backend).to_native()


def set_aside(result: Embedding) -> dict[str, npt.NDArray[Any]]:
    """The columns of the data's frame that the model did not work on, by name."""
    if result.frame is None:
        return {}
    found = dict(result.frame.labels) if is_table(result.frame) else _not_used(result)
    return {name: values for name, values in found.items() if not are_names(values, result.names)}


def are_names(values: Any, names: Any) -> bool:
    """Whether a column holds what the rows are called; cells may be arrays, and compare as such."""
    return names is not None and list(map(str, values)) == list(map(str, names))


def _not_used(result: Embedding) -> dict[str, npt.NDArray[Any]]:
    import narwhals.stable.v1 as nw

    table = nw.from_native(result.frame, eager_only=True)
    used = set(map(str, getattr(result.data, "columns", ())))
    used |= set(getattr(result.model, "feature_names_in_", ()))
    if result.coder is not None:  # words stay beside the map, as those of a file do
        used = {name for name in result.coder.columns if table[name].dtype.is_numeric()}
    return {
        str(name): np.asarray(column.to_numpy())
        for name, column in zip(table.columns, table.iter_columns(), strict=True)
        if str(name) not in used
        and not (column.dtype.is_numeric() and not used and result.coder is None)
    }


def column_named(frame: Any, name: Any) -> npt.NDArray[Any] | None:
    """A column of a frame; None where that is not what was meant."""
    if frame is None or not isinstance(name, str):
        return None
    if is_table(frame):
        from sidelight.io.table import with_gaps

        if name in frame.column_names:
            return frame.select([name])[:, 0]
        return with_gaps(frame.labels[name]) if name in frame.labels else None
    import narwhals.stable.v1 as nw

    table = nw.from_native(frame, eager_only=True)
    return np.asarray(table[name].to_numpy()) if name in table.columns else None


def names_of_columns(frame: Any) -> list[str]:
    """All columns of a frame, or of the table of a file."""
    if is_table(frame):
        return [*frame.column_names, *frame.labels]
    named = getattr(frame, "column_names", None)  # of pyarrow
    return list(map(str, frame.columns if named is None else named))


def rows_of_frame(frame: Any, rows: IntArray) -> Any:
    """Some rows of a frame, or of the table of a file."""
    if is_table(frame):
        return frame.within(rows)
    import narwhals.stable.v1 as nw

    return nw.from_native(frame, eager_only=True)[rows.tolist()].to_native()


def with_numbers(frame: Any, X: FloatArray, names: tuple[str, ...] | None) -> Any:
    """The table of a file with other numbers; a frame stays as it came."""
    return replace(frame, X=X, column_names=names or ()) if is_table(frame) else frame


def is_table(frame: Any) -> TypeGuard[Table]:
    """Whether data came in a file."""
    from sidelight.io.table import Table

    return isinstance(frame, Table)


def _is_pandas(frame: Any) -> bool:
    return type(frame).__module__.split(".")[0] == "pandas"


def _index(pd: Any, result: Embedding) -> Any:
    return None if result.names is None else pd.Index(list(result.names))
