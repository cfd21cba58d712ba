"""What all models share while they learn: a course, rows kept to judge, how it ended."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeAlias

import numpy as np
import torch
from sklearn.exceptions import ConvergenceWarning

from sidelight.core import (
    SHARE,
    FloatArray,
    IntArray,
    Interruption,
    Matching,
    OneOf,
    Real,
    Whole,
    counted,
    warn,
)
from sidelight.gated.optimiser import Course, Descent, Judge, Moments, descend
from sidelight.gated.rows import array_of
from sidelight.gated.units import Tensor

Pair: TypeAlias = tuple[FloatArray, FloatArray]
#: A batch, and how many rows it has.
Part: TypeAlias = tuple[Any, int]
_PART = Matching(
    lambda value: Real(0, open_below=True).admits(value) and value < 1, "a float in (0, 1)"
)
#: The parameters of learning.
LEARNING: dict[str, Any] = {
    "learning_rate": (Real(0, open_below=True),),
    "momentum": (SHARE,),
    "weight_decay": (Real(0),),
    "batch_size": (Whole(1),),
    "max_iter": (Whole(1),),
    "validation_fraction": (_PART, OneOf((None,))),
    "n_iter_no_change": (Whole(1),),
}


class Learner(Protocol):
    """A model as a value: weights by name, and the share of a step that each goes."""

    def tensors(self) -> dict[str, Tensor]:
        """The weights, for torch."""
        ...

    def rates(self) -> dict[str, float]:
        """The share of a step that each weight goes."""
        ...


@dataclass(frozen=True)
class Objective:
    """What a model lowers, and by what it is looked at.

    Parameters
    ----------
    stage : str
        What this is called while it goes on.
    loss : callable
        Of weights and a batch, with a gradient.
    error : callable
        Of weights and a batch: how far things have come.
    surprise : callable, optional
        Of weights and a batch: −log p, where errors have a bound.
    """

    stage: str
    loss: Callable[[dict[str, Tensor], Any], Tensor]
    error: Callable[[Mapping[str, Tensor], Any], float]
    surprise: Callable[[Mapping[str, Tensor], Any], float] | None = None


def rows_in_turn(
    n: int, size: int, total: int, rng: np.random.Generator, device: torch.device
) -> Iterator[Tensor]:
    """Rows in a new order each time that all were seen, so many at a time.

    Those that are left of an order, too few for a batch, come first in the next, which has them
    last: a step of full length that sees one row would undo what others have learned.
    """
    order: IntArray = np.arange(0)
    for _ in range(total):
        if len(order) < min(size, n):
            new = rng.permutation(n)
            again = np.isin(new, order)
            order = np.concatenate([order, new[~again], new[again]])
        rows, order = order[:size], order[size:]
        yield torch.from_numpy(rows).to(device)


def kept_rows(model: Any, n: int, rng: np.random.Generator) -> tuple[slice | IntArray, IntArray]:
    """The rows that learn, and those that ``validation_fraction`` keeps to judge."""
    if model.validation_fraction is None:
        return slice(None), np.arange(0)  # a slice makes no copy of all rows
    kept = max(1, round(model.validation_fraction * n))
    if kept >= n:
        raise ValueError(
            f"{type(model).__name__} has {n} rows, and validation_fraction="
            f"{model.validation_fraction:g} leaves none to learn from. Give more rows, or "
            f"validation_fraction=None."
        )
    order = rng.permutation(n)
    return np.sort(order[kept:]), np.sort(order[:kept])


def learn(
    model: Any,
    learner: Learner,
    objective: Objective,
    batches: Iterable[Any],
    moments: Moments,
    *,
    total: int | None = None,
    kept: list[Part] | None = None,
    rate: float | None = None,
) -> dict[str, FloatArray]:
    """Lower an objective by the parameters of an estimator; give the weights, say how it ended.

    ``kept`` does not learn, and judges, part by part; ``rate`` the length of a step where the
    estimator leaves it open.
    """
    rate = model.learning_rate if rate is None else rate
    before = getattr(model, "history_", np.empty(0))
    judge = None
    if kept:
        judge = Judge(partial(_mean_error, objective, kept), model.n_iter_no_change)
    done = descend(
        objective.loss,
        objective.error,
        learner.tensors(),
        batches,
        Course(rate, model.momentum, model.weight_decay),
        moments=moments,
        rates=learner.rates(),
        stage=objective.stage,
        total=total,
        first=float(before[0]) if len(before) else None,
        judge=judge,
        surprise=objective.surprise,
    )
    model.n_iter_ = getattr(model, "n_iter_", 0) + done.n_batches
    model.history_ = np.append(before, done.errors)
    _say_how_it_ended(done, rate, who=type(model).__name__)
    return {name: array_of(w) for name, w in done.weights.items()}


def _mean_error(objective: Objective, parts: list[Part], weights: dict[str, Tensor]) -> float:
    """The error of a row, the mean of all parts."""
    sizes = [size for _, size in parts]
    return float(np.average([objective.error(weights, part) for part, _ in parts], weights=sizes))


def _say_how_it_ended(done: Descent, learning_rate: float, *, who: str) -> None:
    """Warn of learning that was interrupted, or that a step too long made worse."""
    so_far = f"after {counted(done.n_batches, 'batch', 'batches')}"
    if done.interrupted:
        kept = f"{who} was interrupted {so_far}; the best weights so far are kept."
        Interruption.warn(kept, stacklevel=5)
    elif done.diverged:
        warn(
            f"{who} diverged {so_far} with learning_rate={learning_rate:g}; the best weights "
            f"before are kept. Lower the 'learning_rate' to a tenth.",
            ConvergenceWarning,
        )
