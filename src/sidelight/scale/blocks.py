"""Dask arrays as blocks of whole rows, and work on each that says where it failed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from sidelight.core import FloatArray, MissingExtraError, is_sparse

# Errors that keep their kind when the block is named; the others may need other arguments.
_KINDS = (ValueError, TypeError, MemoryError, ArithmeticError)


@dataclass(frozen=True)
class Place:
    """Which block of a table, and which of its rows.

    Parameters
    ----------
    number : int
        The block, counted from 0.
    start, stop : int
        Its rows.
    """

    number: int
    start: int
    stop: int

    def __str__(self) -> str:
        return f"block {self.number} (rows {self.start:,} to {self.stop - 1:,})"


def dask_arrays() -> Any:
    """The module of Dask arrays, imported where it is used."""
    try:
        import dask.array
    except ImportError:
        raise MissingExtraError("dask", "scale", "Work on tables in blocks") from None
    return dask.array


def in_whole_rows(array: Any, *, who: str, name: str = "array") -> Any:
    """Check a Dask array, and cut it into blocks of whole rows of known length."""
    arrays = dask_arrays()
    if not isinstance(array, arrays.Array):
        hint = "A Dask frame gives one by to_dask_array(lengths=True); an array in memory is made "
        raise TypeError(
            f"The {name!r} argument of {who} must be a Dask array. Got a {type(array).__name__}. "
            f"{hint}one by dask.array.from_array(X, chunks=(100_000, -1))."
        )
    if array.ndim != 2:
        raise ValueError(
            f"The {name!r} argument of {who} must be of shape (n_samples, n_features). Got shape "
            f"{array.shape} instead. For a single column write {name}.reshape(-1, 1)."
        )
    if array.dtype.kind not in "biuf":
        raise TypeError(
            f"The {name!r} argument of {who} must hold real numbers. Got the type {array.dtype}."
        )
    if np.isnan(array.shape).any():
        array = array.copy().compute_chunk_sizes()  # which would change the caller's own
    if array.shape[0] == 0 or array.shape[1] == 0:
        raise ValueError(f"The {name!r} argument of {who} holds no values: {array.shape}.")
    return array if len(array.chunks[1]) == 1 else array.rechunk({1: -1})


def places_of(array: Any) -> list[Place]:
    """The blocks of an array that :func:`in_whole_rows` gave."""
    stops = np.cumsum(array.chunks[0]).tolist()
    return [
        Place(number, stop - length, stop)
        for number, (stop, length) in enumerate(zip(stops, array.chunks[0], strict=True))
    ]


def dense_block(block: Any) -> Any:
    """A block written out: chunks may be sparse or masked."""
    if is_sparse(block):
        return block.toarray()
    if isinstance(block, np.ma.MaskedArray):
        return np.ma.filled(block.astype(np.float64), np.nan)
    return np.asarray(block)


def finite_rows(X: FloatArray) -> FloatArray:
    """Refuse a block with a row that is not finite."""
    finite = np.isfinite(X).all(axis=1)
    if not finite.all():
        raise ValueError(
            f"row {int(np.argmin(finite))} of the block holds NaN or an infinity. Fill it in, or "
            f"leave the row out."
        )
    return X


def on_block(
    function: Callable[..., Any], block: Any, place: Place, *given: Any, who: str, name: str
) -> Any:
    """Do something with a block; an error of it says which block that was."""
    try:
        return function(dense_block(block), *given)
    except Exception as error:
        message = f"{who} failed at {place} of {name!r}: {error}"
        kind = next((kind for kind in _KINDS if type(error) is kind), None)
        raise (kind or RuntimeError)(message) from error


def summed_up(
    array: Any,
    function: Callable[..., Any],
    joined: Callable[[Any, Any], Any],
    *given: Any,
    who: str,
    name: str = "array",
) -> Any:
    """What a function finds in each block, joined two by two in the order of the blocks.

    The order is that of the rows, whoever finishes first, so that sums are the same to the bit.
    """
    from dask import delayed

    work = delayed(on_block)
    found = [
        work(function, block, place, *given, who=who, name=name)
        for block, place in zip(array.to_delayed().ravel(), places_of(array), strict=True)
        if place.stop > place.start
    ]
    join = delayed(_reduced)
    while len(found) > 1:
        found = [join(joined, found[i : i + 8]) for i in range(0, len(found), 8)]
    return found[0].compute()


def _reduced(joined: Callable[[Any, Any], Any], found: list[Any]) -> Any:
    return reduce(joined, found)
