"""Rows, outputs and mapping units as a machine can take them, and what is said where it cannot."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import torch
from sklearn.utils.validation import check_array, validate_data

from sidelight.core import (
    FloatArray,
    IntArray,
    Whole,
    counted,
    explain_table,
    of_moderate_size,
    read_rows,
    refuse_without_effect,
    rows_in,
    unmasked,
)
from sidelight.gated.units import Tensor, Units


def read_table(model: Any, X: Any, *, reset: bool) -> FloatArray:
    """X as a table of finite numbers, with the columns of the fit where there was one."""
    if is_stream(X):
        got = "an iterator" if isinstance(X, Iterator) else f"batches in a {type(X).__name__}"
        raise TypeError(
            f"{type(model).__name__} expects X to be a table of shape (n_samples, n_features). "
            f"Got {got}. Batches from an iterator go to partial_fit, where there is one."
        )
    try:
        X = read_rows(model, X, reset=reset)
        table = np.asarray(validate_data(model, X, reset=reset, dtype=np.float64))
    except (TypeError, ValueError) as error:
        raise explain_table(error, X, who=type(model).__name__, in_pairs=True) from error
    return np.asarray(of_moderate_size(table, who=type(model).__name__))


def without_labels(Y: Any) -> Any:
    """Outputs; None where Y holds labels, as pipelines hand them on.

    Labels are words or whole numbers in one dimension.
    """
    try:
        given = None if Y is None else np.asarray(Y)
    except (TypeError, ValueError):  # no table, which is said where outputs are read
        return Y
    if given is None or given.ndim != 1:
        return Y
    real = given.dtype.kind in "fc"
    return Y if real and not np.array_equal(given, np.floor(given.real)) else None


def read_outputs(
    Y: Any,
    units: Callable[[FloatArray], Units],
    *,
    who: str,
    n_rows: int | None = None,
    n_columns: int | None = None,
) -> FloatArray:
    """Y as a table of what its units can be, a row of each input; images are rows of pixels."""
    try:
        Y, _ = rows_in(Y, who=who, name="Y")
        y = np.asarray(check_array(Y, dtype=np.float64, input_name="Y"))
    except (TypeError, ValueError) as error:
        raise explain_table(error, Y, who=who, name="Y", columns="n_outputs") from error
    if n_rows is not None and len(y) != n_rows:
        raise ValueError(
            f"{who} expects Y to have a row for each of the {n_rows} rows of X. Got "
            f"{counted(len(y), 'row')}. Row i of Y is what becomes of row i of X."
        )
    if n_columns is not None and y.shape[1] != n_columns:
        raise ValueError(
            f"{who} expects Y to have the {counted(n_columns, 'column')} it was fitted with. "
            f"Got {counted(y.shape[1], 'column')}."
        )
    y = np.asarray(of_moderate_size(y, who=who, name="Y"))
    return admitted_values(y, units(y), who=who, name="Y", parameter="output")


def admitted_values(
    rows: FloatArray, units: Units, *, who: str, name: str, parameter: str
) -> FloatArray:
    """Values as units take them; those that they cannot take are refused."""
    expected = units.fault(rows)
    if expected:
        raise ValueError(
            f"With {parameter}={units.kind!r}, {who} expects {name} to hold {expected}. Got values "
            f"from {rows.min():.9g} to {rows.max():.9g}. Bring them there, or take "
            f"{parameter}='gaussian' for real numbers."
        )
    return units.admitted(rows)


def read_mappings(Z: Any, n_mappings: int, n_rows: int | None, *, who: str) -> Tensor:
    """Mapping units, a row of each input or one row for all; as many as come where none is said."""
    try:
        z = np.asarray(check_array(unmasked(Z), dtype=np.float32, input_name="Z"))
    except (TypeError, ValueError) as error:
        raise explain_table(error, Z, who=who, name="Z", columns="n_components") from error
    n_rows = len(z) if n_rows is None else n_rows
    if z.shape[1] != n_mappings or len(z) not in (1, n_rows):
        raise ValueError(
            f"{who} expects Z to hold {n_mappings} mapping units of each of {n_rows} rows of X, or "
            f"one row for all. Got an array of shape {z.shape}."
        )
    return torch.as_tensor(np.broadcast_to(z, (n_rows, n_mappings)).copy())


def read_row_pairs(pairs: Any, n: int, m: int, *, who: str) -> tuple[IntArray, IntArray]:
    """Row numbers of two tables, pair by pair."""
    try:
        i, j = map(_row_numbers, pairs)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"The 'pairs' argument of {who} must be two arrays of row numbers. Got {pairs!r}."
        ) from error
    fine = i.ndim == 1 and i.shape == j.shape
    if not fine or (len(i) and (min(i.min(), j.min()) < 0 or i.max() >= n or j.max() >= m)):
        raise ValueError(
            f"The 'pairs' argument of {who} must be two arrays of as many row numbers, below {n} "
            f"and below {m}. Got arrays of shapes {i.shape} and {j.shape}."
        )
    return i, j


def _row_numbers(rows: Any) -> IntArray:
    """Whole numbers, of whatever type; what is between them is refused, not rounded."""
    given = np.asarray(rows)
    found = given.astype(np.intp)
    if not np.array_equal(found, given):
        raise ValueError("They are not whole.")
    return found


def refuse_idle_parameters(model: Any, *, alone: bool) -> None:
    """Refuse parameters that would do nothing."""
    kinds = (model.output, model.output if model.input == "same" else model.input)
    if model.output != "gaussian" and hasattr(model, "nu"):
        refuse_without_effect(model, ["nu"], f"with output={model.output!r}")
    if "multinomial" not in kinds:
        refuse_without_effect(model, ["n_states"], "without multinomial units")
    if alone:
        names = [n for n in ("input", "n_factors", "premapping") if hasattr(model, n)]
        refuse_without_effect(model, names, "on rows that stand alone: give X and Y")
    if getattr(model, "persistent", False) and model.chain_ends == "mean":
        raise ValueError(
            f"The 'chain_ends' parameter of {type(model).__name__} must be 'auto' or 'sample' with "
            f"persistent=True, for a chain cannot go on from a mean. Got 'mean' instead."
        )


def check_whole(value: Any, least: int, *, who: str, name: str) -> None:
    """Refuse an argument that is no whole number from the least one on."""
    if not Whole(least).admits(value):
        raise ValueError(
            f"The '{name}' argument of {who} must be {Whole(least)}. Got {value!r} instead."
        )


def is_stream(X: Any) -> bool:
    """Tell batches, from an iterator, in a list or in a loader, from a table."""
    if isinstance(X, list):
        return bool(X) and (_holds_tables(X[0]) or _dimension(X[0]) == 2)
    is_table = any(hasattr(X, name) for name in ("__array__", "shape", "__dataframe__"))
    return isinstance(X, Iterable) and not (is_table or isinstance(X, (str, bytes, tuple, Mapping)))


def _dimension(rows: Any) -> int:
    """Of an array, or of what would be one; none where it would not."""
    try:
        return int(np.ndim(rows))
    except (TypeError, ValueError):
        return 0


def _holds_tables(batch: Any) -> bool:
    return isinstance(batch, (list, tuple)) and bool(batch) and _dimension(batch[0]) == 2


def read_batch(batch: Any, *, who: str) -> tuple[Any, Any]:
    """A batch of a stream: a pair, or rows that stand alone."""
    if not isinstance(batch, tuple) and not _holds_tables(batch):
        return batch, None
    if len(batch) == 1:  # as a loader of torch gives a table by itself
        return batch[0], None
    if len(batch) != 2:
        raise ValueError(
            f"{who} expects batches to be pairs (X, Y), or tables of rows that stand alone. "
            f"Got a {type(batch).__name__} of {len(batch)}."
        )
    return batch[0], batch[1]


class ReadBatches(Iterator[Any]):
    """The batches of a stream, read; one that cannot be had ends them, and is kept to be raised.

    Parameters
    ----------
    stream : iterable
        Of what ``read`` takes.
    read : callable
        Of a batch.
    who : str
        Who reads them.
    """

    def __init__(self, stream: Iterable[Any], read: Callable[[Any], Any], *, who: str) -> None:
        self._stream, self._read, self._who = iter(stream), read, who
        self.n_read = 0
        self.fault: Exception | None = None

    def __next__(self) -> Any:
        """The next batch that can be read."""
        if self.fault is not None:
            raise StopIteration
        try:
            found = self._read(next(self._stream))
        except StopIteration:
            raise
        except Exception as error:
            self.fault = self._told(error)
            raise StopIteration from error
        self.n_read += 1
        return found

    def _told(self, error: Exception) -> Exception:
        """Which batch it was; an error that is not of reading stays what it is, with a note."""
        before = f"what was learned from the {self.n_read} before is kept"
        where = f"batch {self.n_read + 1}" + (f" ({before})" if self.n_read else "")
        if type(error) not in (TypeError, ValueError):
            error.add_note(f"This came of {where} of the stream given to {self._who}.")
            return error
        told = type(error)(f"{self._who} cannot take {where}: {error}")
        told.__cause__ = error
        return told


def refuse_idle_patience(model: Any, *, judged: bool) -> None:
    """Refuse to wait for what nobody judges, and to keep rows where others do."""
    if judged and hasattr(model, "validation_fraction"):
        refuse_without_effect(model, ["validation_fraction"], "with validation= in fit")
    if not judged and getattr(model, "validation_fraction", None) is None:
        missing = "a validation_fraction or " if hasattr(model, "validation_fraction") else ""
        refuse_without_effect(model, ["n_iter_no_change"], f"without {missing}validation= in fit")
