"""Pairs, or batches of them as they come, into a learned machine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import torch
from sklearn.exceptions import ConvergenceWarning

from sidelight.core import FloatArray, Interruption, warn
from sidelight.gated.machine import Machine
from sidelight.gated.objective import Contrast
from sidelight.gated.optimiser import Course, Descent, Moments, descend
from sidelight.gated.units import Tensor

Pair: TypeAlias = tuple[FloatArray, FloatArray]
#: Inputs, outputs, and the rows they come from where chains go on from their last end.
Batch: TypeAlias = tuple[Tensor, Tensor, Any]

STAGE = "contrastive divergence"


def shuffled_batches(
    machine: Machine, X: FloatArray, Y: FloatArray, size: int, total: int, rng: np.random.Generator
) -> Iterator[Batch]:
    """Rows in a new order each time that all were seen, so many at a time."""
    x, y = _arranged(machine, X, Y)
    order: Any = []
    for _ in range(total):
        if not len(order):
            order = torch.from_numpy(rng.permutation(len(Y)))
        rows, order = order[:size], order[size:]
        yield (x[rows], y[rows], rows) if machine.n_inputs else (x, y[:, rows], rows)


def given_batches(machine: Machine, pairs: Iterable[Pair]) -> Iterator[Batch]:
    """Batches as they come."""
    for X, Y in pairs:
        yield (*_arranged(machine, X, Y), None)


def _arranged(machine: Machine, X: FloatArray, Y: FloatArray) -> tuple[Tensor, Tensor]:
    """One output of each input; without inputs all of them of the same, empty one."""
    y = machine.output_scale(Y)
    if machine.n_inputs:
        return machine.input_scale(X), y.unsqueeze(1)
    return torch.empty(1, 0), y.unsqueeze(0)


def learn(
    machine: Machine,
    contrast: Contrast,
    batches: Iterable[Batch],
    course: Course,
    moments: Moments,
    *,
    total: int | None = None,
    first: float | None = None,
    chains: Tensor | None = None,
) -> tuple[Machine, Descent]:
    """Lower the contrast; chains, one of each row of the data, go on where there are any."""

    def loss(weights: dict[str, Tensor], batch: Batch) -> Tensor:
        x, y, rows = batch
        begin = None if chains is None else chains[rows].view_as(y)
        found, ends = contrast(weights, x, y, begin)
        if chains is not None:
            chains[rows] = ends.reshape(len(rows), -1)
        return found

    def error(weights: dict[str, Tensor], batch: Batch) -> float:
        return contrast.error(weights, *batch[:2])

    done = descend(
        loss,
        error,
        machine.tensors(),
        batches,
        course,
        moments=moments,
        rates=machine.rates(),
        stage=STAGE,
        total=total,
        first=first,
    )
    learned = {name: w.numpy() for name, w in done.weights.items()}
    return replace(machine, weights=learned), done


def say_how_it_ended(done: Descent, learning_rate: float, *, who: str) -> None:
    """Warn of learning that was interrupted, or that a step too long made worse."""
    so_far = f"after {done.n_batches} batches"
    if done.interrupted:
        kept = f"{who} was interrupted {so_far}; the best weights so far are kept."
        Interruption.warn(kept, stacklevel=4)
    elif done.diverged:
        warn(
            f"{who} diverged {so_far} with learning_rate={learning_rate:g}; the best weights "
            f"before are kept. Lower the 'learning_rate' to a tenth.",
            ConvergenceWarning,
        )
