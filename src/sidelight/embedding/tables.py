"""A map as a frame, and what the frame of the data says beside its numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sidelight.core import MissingExtraError

if TYPE_CHECKING:
    from sidelight.embedding.result import Embedding


def as_frame(result: Embedding) -> Any:
    """Coordinates by the names of their columns, then what was set aside."""
    names = map(str, result.model.get_feature_names_out())
    columns: dict[str, Any] = dict(zip(names, result.points.T, strict=True))
    for name, values in set_aside(result).items():
        columns[name if name not in columns else f"{name} (data)"] = values
    if result.frame is None or _is_pandas(result.frame):
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
    import narwhals.stable.v1 as nw

    table = nw.from_native(result.frame, eager_only=True)
    used = set(map(str, getattr(result.data, "columns", ())))
    used |= set(getattr(result.model, "feature_names_in_", ()))
    found = {
        str(name): np.asarray(column.to_numpy())
        for name, column in zip(table.columns, table.iter_columns(), strict=True)
        if str(name) not in used and not (column.dtype.is_numeric() and not used)
    }
    return {
        name: values
        for name, values in found.items()
        if result.names is None or list(values) != list(result.names)
    }


def column_named(frame: Any, name: Any) -> npt.NDArray[Any] | None:
    """A column of a frame; None where that is not what was meant."""
    if frame is None or not isinstance(name, str):
        return None
    import narwhals.stable.v1 as nw

    table = nw.from_native(frame, eager_only=True)
    return np.asarray(table[name].to_numpy()) if name in table.columns else None


def _is_pandas(frame: Any) -> bool:
    return type(frame).__module__.split(".")[0] == "pandas"


def _index(pd: Any, result: Embedding) -> Any:
    return None if result.names is None else pd.Index(list(result.names))
