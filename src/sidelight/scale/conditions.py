"""Known factors of the rows of a Dask array, cut into the blocks of that array."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from sidelight.scale.blocks import dask_arrays
from sidelight.side import Condition, SideInformation

#: Makes what a model is told of the values of one block.
Stated = Callable[[Any], Any]


def cut_with_rows(condition: Any, array: Any, *, who: str) -> tuple[list[Any], Stated]:
    """The values of each factor as a Dask array of columns, and what a block of them is told as."""
    several = isinstance(condition, (list, tuple)) and any(
        isinstance(one, (SideInformation, dask_arrays().Array)) for one in condition
    )
    parts = list(condition) if several else [condition]
    values = [part.values if isinstance(part, Condition) else part for part in parts]
    cut = [_in_blocks(each, array, who=who) for each in values]
    flat = [np.ndim(each) == 1 for each in values]
    # of several each is a Condition; one that was given as values is told as values
    states = [_restated(part, wrap=several) for part in parts]
    return cut, partial(_told, flat=flat, states=states, several=several)


def _in_blocks(values: Any, array: Any, *, who: str) -> Any:
    """Values as columns, in blocks as long as those of the array."""
    arrays = dask_arrays()
    if not isinstance(values, arrays.Array):
        values = np.asarray(values)
    elif np.isnan(values.shape).any():
        values = values.copy().compute_chunk_sizes()  # which would change the caller's own
    if values.ndim not in (1, 2) or len(values) != array.shape[0]:
        raise ValueError(
            f"The 'condition' argument of {who} must hold one value per row of 'array', "
            f"{array.shape[0]}. Got values of shape {values.shape}. Give those of these rows, in "
            f"their order."
        )
    columns = values.reshape(-1, 1) if values.ndim == 1 else values
    chunks = (array.chunks[0], columns.shape[1])
    if isinstance(columns, arrays.Array):
        return columns.rechunk(chunks)
    return arrays.from_array(columns, chunks=chunks)


def _restated(part: Any, *, wrap: bool) -> Stated | None:
    if isinstance(part, Condition):
        return partial(Condition, period=part.period, kernel=part.kernel)
    return Condition if wrap else None


def _told(
    blocks: list[Any], *, flat: list[bool], states: list[Stated | None], several: bool
) -> Any:
    told = []
    for block, is_flat, state in zip(blocks, flat, states, strict=True):
        values = np.asarray(block)[:, 0] if is_flat else np.asarray(block)
        told.append(values if state is None else state(values))
    return told if several else told[0]
