"""Rows, outputs and mapping units as a machine can take them, and what is said where it cannot."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from sklearn.utils.validation import check_array, validate_data

from sidelight.core import (
    FloatArray,
    IntArray,
    Whole,
    explain_table,
    of_moderate_size,
    refuse_without_effect,
)
from sidelight.gated.units import Tensor, Units


def read_table(model: Any, X: Any, *, reset: bool) -> FloatArray:
    """X as a table of finite numbers, with the columns of the fit where there was one."""
    if isinstance(X, Iterator):
        raise TypeError(
            f"{type(model).__name__} expects X to be a table of shape (n_samples, n_features). "
            f"Got an iterator. Batches from an iterator go to partial_fit, where there is one."
        )
    try:
        table = np.asarray(validate_data(model, X, reset=reset, dtype=np.float64))
    except (TypeError, ValueError) as error:
        raise explain_table(error, X, who=type(model).__name__) from error
    return np.asarray(of_moderate_size(table, who=type(model).__name__))


def read_outputs(
    Y: Any,
    units: Callable[[FloatArray], Units],
    *,
    who: str,
    n_rows: int | None = None,
    n_columns: int | None = None,
) -> FloatArray:
    """Y as a table of what its units can be, a row of each input."""
    try:
        y = np.asarray(check_array(Y, dtype=np.float64, input_name="Y"))
    except (TypeError, ValueError) as error:
        raise explain_table(error, Y, who=who, name="Y", columns="n_outputs") from error
    if n_rows is not None and len(y) != n_rows:
        raise ValueError(
            f"{who} expects Y to have a row for each of the {n_rows} rows of X. Got {len(y)} rows. "
            f"Row i of Y is what becomes of row i of X."
        )
    if n_columns is not None and y.shape[1] != n_columns:
        raise ValueError(
            f"{who} expects Y to have the {n_columns} columns it was fitted with. "
            f"Got {y.shape[1]} columns."
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


def read_mappings(Z: Any, n_mappings: int, n_rows: int, *, who: str) -> Tensor:
    """Mapping units, a row of each input or one row for all."""
    try:
        z = np.asarray(check_array(Z, dtype=np.float32, input_name="Z"))
    except (TypeError, ValueError) as error:
        raise explain_table(error, Z, who=who, name="Z", columns="n_components") from error
    if z.shape[1] != n_mappings or len(z) not in (1, n_rows):
        raise ValueError(
            f"{who} expects Z to hold {n_mappings} mapping units of each of {n_rows} rows of X, or "
            f"one row for all. Got an array of shape {z.shape}."
        )
    return torch.as_tensor(np.broadcast_to(z, (n_rows, n_mappings)).copy())


def read_row_pairs(pairs: Any, n: int, m: int, *, who: str) -> tuple[IntArray, IntArray]:
    """Row numbers of two tables, pair by pair."""
    try:
        i, j = (np.asarray(rows, dtype=np.intp) for rows in pairs)
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
    refuse_idle_patience(model)
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


def read_batch(batch: Any, *, who: str) -> tuple[Any, Any]:
    """A batch of a stream: a pair, or rows that stand alone."""
    if not isinstance(batch, tuple):
        return batch, None
    if len(batch) != 2:
        raise ValueError(
            f"{who} expects batches to be pairs (X, Y), or tables of rows that stand alone. "
            f"Got a tuple of {len(batch)}."
        )
    return batch[0], batch[1]


def refuse_idle_patience(model: Any) -> None:
    """Refuse to wait for what nobody judges."""
    if model.validation_fraction is None:
        refuse_without_effect(model, ["n_iter_no_change"], "without a validation_fraction")


def generator_of(rng: np.random.Generator) -> torch.Generator:
    """Draws of torch, from those of numpy."""
    return torch.Generator().manual_seed(int(rng.integers(2**63)))


def in_double(t: Tensor) -> FloatArray:
    """An array in double precision."""
    return np.asarray(t.numpy(), dtype=np.float64)
