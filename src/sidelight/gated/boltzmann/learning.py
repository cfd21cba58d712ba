"""Pairs, or batches of them as they come, for contrastive divergence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

import numpy as np
import torch

from sidelight.core import FloatArray
from sidelight.gated.boltzmann.contrast import Contrast
from sidelight.gated.boltzmann.machine import Machine
from sidelight.gated.training import Objective, Pair, rows_in_turn
from sidelight.gated.units import Tensor

#: Inputs, outputs, and the rows they come from where chains go on from their last end.
Batch: TypeAlias = tuple[Tensor, Tensor, Any]


def shuffled_batches(
    machine: Machine, X: FloatArray, Y: FloatArray, size: int, total: int, rng: np.random.Generator
) -> Iterator[Batch]:
    """Rows in a new order each time that all were seen, so many at a time."""
    x, y = arranged(machine, X, Y)
    for rows in rows_in_turn(len(Y), size, total, rng):
        yield (x[rows], y[rows], rows) if machine.n_inputs else (x, y[:, rows], rows)


def given_batches(machine: Machine, pairs: Iterable[Pair]) -> Iterator[Batch]:
    """Batches as they come."""
    for X, Y in pairs:
        yield (*arranged(machine, X, Y), None)


def arranged(machine: Machine, X: FloatArray, Y: FloatArray) -> tuple[Tensor, Tensor]:
    """One output of each input; without inputs all of them of the same, empty one."""
    y = machine.output_scale(Y)
    if machine.n_inputs:
        return machine.input_scale(X), y.unsqueeze(1)
    return torch.empty(1, 0), y.unsqueeze(0)


def divergence(contrast: Contrast, chains: Tensor | None = None) -> Objective:
    """The contrast as an objective; chains, one of each row, go on where there are any."""

    def loss(weights: dict[str, Tensor], batch: Batch) -> Tensor:
        x, y, rows = batch
        begin = None if chains is None else chains[rows].view_as(y)
        found, ends = contrast(weights, x, y, begin)
        if chains is not None:
            chains[rows] = ends.reshape(len(rows), -1)
        return found

    def error(weights: dict[str, Tensor], batch: Batch) -> float:
        return contrast.error(weights, *batch[:2])

    return Objective("contrastive divergence", loss, error)
