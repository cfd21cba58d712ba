"""Pairs, or batches of them as they come, for contrastive divergence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import torch

from sidelight.core import FloatArray, row_blocks
from sidelight.gated.boltzmann.contrast import Contrast
from sidelight.gated.boltzmann.machine import Machine
from sidelight.gated.premapping import Weights
from sidelight.gated.training import Objective, Pair, Part, rows_in_turn
from sidelight.gated.units import Tensor

#: Inputs, outputs, and the rows they come from where chains go on from their last end.
Batch: TypeAlias = tuple[Tensor, Tensor, Any]


@dataclass(frozen=True)
class Rates:
    """The length of a step where none is given.

    Parameters
    ----------
    from_data : float
        Of chains that begin at the data, which no step can leave behind.
    persistent : float
        Of chains that go on.  Steps of 0.1 outrun them: weights grow until chains stand still, and
        then grow on.  Set between 0.01, 0.03 and 0.1 by the exact KL(data ‖ model) of six binary
        columns, two of them copies.
    """

    from_data: float = 0.1
    persistent: float = 0.02

    def chosen(self, given: float | str, *, persistent: bool) -> float:
        """What is given, or what chains can follow."""
        if not isinstance(given, str):
            return float(given)
        return self.persistent if persistent else self.from_data


RATES = Rates()


def first_chains(
    machine: Machine, Y: FloatArray, size: int, last: FloatArray | None = None
) -> Tensor:
    """Where chains that go on begin: one at each row; ``size`` among rows that stand alone.

    Or where they ended the ``last`` time.
    """
    if last is not None:
        return torch.tensor(last, device=machine.device)
    rows = np.arange(len(Y)) if machine.n_inputs else np.arange(size) * len(Y) // size
    return machine.outputs(Y[rows])


def shuffled_batches(
    machine: Machine, X: FloatArray, Y: FloatArray, size: int, total: int, rng: np.random.Generator
) -> Iterator[Batch]:
    """Rows in a new order each time that all were seen, so many at a time."""
    x, y = arranged(machine, X, Y)
    for rows in rows_in_turn(len(Y), size, total, rng, machine.device):
        if machine.n_inputs:
            yield x.index_select(0, rows), y.index_select(0, rows), rows
        else:
            yield x, y.index_select(1, rows), rows


def given_batches(machine: Machine, pairs: Iterable[Pair]) -> Iterator[Batch]:
    """Batches as they come."""
    for X, Y in pairs:
        yield (*arranged(machine, X, Y), None)


def arranged(machine: Machine, X: FloatArray, Y: FloatArray) -> tuple[Tensor, Tensor]:
    """One output of each input; without inputs all of them of the same, empty one."""
    y = machine.outputs(Y)
    if machine.n_inputs:
        return machine.inputs(X), y.unsqueeze(1)
    return torch.empty(1, 0, device=machine.device), y.unsqueeze(0)


def judging_parts(machine: Machine, X: FloatArray, Y: FloatArray) -> list[Part]:
    """Pairs that do not learn, in blocks."""
    each = machine.bytes_of_an_input if machine.n_inputs else 4.0 * 4 * machine.n_outputs
    return [
        (arranged(machine, X[rows], Y[rows]), rows.stop - rows.start)
        for rows in row_blocks(len(Y), each)
    ]


def divergence(
    contrast: Contrast, chains: Tensor | None = None, *, of_rows: bool = True
) -> Objective:
    """The contrast as an objective; chains go on from their last ends where there are any.

    Where rows stand alone all chains are of the same distribution, and each of them moves at every
    step.  Where there are inputs a chain belongs to its own (``of_rows``).
    """

    def loss(weights: dict[str, Tensor], batch: Batch) -> Tensor:
        x, y, rows = batch
        if chains is None:
            return contrast(weights, x, y)[0]
        moved = rows if of_rows else slice(None)
        begin = chains[moved]
        found, ends = contrast(weights, x, y, begin.unsqueeze(1 if of_rows else 0))
        chains[moved] = ends.reshape(begin.shape)
        return found

    def error(weights: Weights, batch: Batch) -> float:
        return contrast.error(weights, *batch[:2])

    def surprise(weights: Weights, batch: Batch) -> float:
        return contrast.surprise(weights, *batch[:2])

    bounded = contrast.units.kind in ("binary", "multinomial")
    return Objective("contrastive divergence", loss, error, surprise if bounded else None)
