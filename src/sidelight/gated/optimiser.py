"""The descent of stochastic objectives: batch after batch, the best kept, divergence noticed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import torch

from sidelight.core import FloatArray, Interruption, report
from sidelight.gated.rows import array_of
from sidelight.gated.units import Tensor

Batch: TypeAlias = Any
#: The running size of gradients forgets as slowly as is usual, and is no smaller than this (Kingma
#: and Ba 2015).
_FORGETTING, _SMALLEST = 0.999, 1e-8


@dataclass(frozen=True)
class Course:
    """How a descent goes.

    Parameters
    ----------
    learning_rate : float
        The length of a step.
    momentum : float
        The share of the last direction that is kept.
    weight_decay : float
        The share of a weight that a step of length one takes away; longer ones take all of it.
    """

    learning_rate: float
    momentum: float
    weight_decay: float


@dataclass
class Moments:
    """The running mean of gradients and of their squares, which the next step goes on from (Adam).

    Parameters
    ----------
    first, second : dict of str to ndarray
        By the names of the weights.
    n_steps : int
        Steps so far.
    """

    first: dict[str, FloatArray] = field(default_factory=dict)
    second: dict[str, FloatArray] = field(default_factory=dict)
    n_steps: int = 0

    def copied(self) -> Moments:
        """The same, in memory of their own."""
        first, second = (
            {name: kept.copy() for name, kept in each.items()} for each in (self.first, self.second)
        )
        return Moments(first, second, self.n_steps)


@dataclass
class Running:
    """Moments while a descent goes on, as tensors where the weights are.

    Parameters
    ----------
    first, second : dict of str to Tensor
        By the names of the weights.
    n_steps : int
        Steps so far.
    """

    first: dict[str, Tensor]
    second: dict[str, Tensor]
    n_steps: int

    @classmethod
    def of(cls, moments: Moments, weights: Mapping[str, Tensor]) -> Running:
        """Those that a descent goes on from; zero where there was none."""

        def begun(kept: Mapping[str, FloatArray]) -> dict[str, Tensor]:
            return {
                name: torch.as_tensor(kept[name], device=w.device)
                if name in kept
                else torch.zeros_like(w)
                for name, w in weights.items()
            }

        return cls(begun(moments.first), begun(moments.second), moments.n_steps)

    def copied(self) -> Running:
        """The same, in memory of their own."""
        return Running(_copied(self.first), _copied(self.second), self.n_steps)

    def keep_in(self, moments: Moments) -> None:
        """What the next descent goes on from, as arrays."""
        moments.first = {name: array_of(m) for name, m in self.first.items()}
        moments.second = {name: array_of(v) for name, v in self.second.items()}
        moments.n_steps = self.n_steps

    def step(
        self,
        weights: Mapping[str, Tensor],
        length: float,
        rates: Mapping[str, float],
        course: Course,
    ) -> None:
        """w ← (1 − length decay) w − length rate m̂/√v̂.

        Rare inputs move weights as far as frequent ones; all weights lose the same share.
        """
        self.n_steps += 1
        left = max(0.0, 1.0 - length * course.weight_decay)
        unbiased = 1.0 - course.momentum**self.n_steps
        grown = 1.0 - _FORGETTING**self.n_steps
        with torch.no_grad():
            for name, w in weights.items():
                g = w.grad
                assert g is not None
                m, v = self.first[name], self.second[name]
                m.lerp_(g, 1.0 - course.momentum)
                v.mul_(_FORGETTING).addcmul_(g, g, value=1.0 - _FORGETTING)
                if course.weight_decay:
                    w.mul_(left)
                # 1/√(v̂ + ε²), in the memory of the gradient, which is done
                over = torch.add(v, _SMALLEST**2 * grown, out=g).rsqrt_()
                far = -length * rates[name] * math.sqrt(grown) / unbiased
                w.addcmul_(m, over, value=far)
                w.grad = None


@dataclass(frozen=True)
class Watch:
    """When a descent is looked at.

    Parameters
    ----------
    every : int
        Batches between two looks.
    worse : float
        It has diverged where the error is so many times that of the first look.
    least : float
        Errors below this, in squared units of outputs, are no sign of it: outputs that never change
        are reconstructed at once, and then nearly.
    behind : float
        Errors of binary units and of states cannot grow tenfold.  It has diverged, too, where a
        batch is told so many times worse than by what the descent began with, on the same rows,
        look after look.  Set on rows that are turned (draws 100 and 101): four looks in a row of
        machines that learn stay below 0.7, those of steps of 100 above 1.2.
    surprised : float
        Their errors need not even rise: weights without measure are as often right as none.  It has
        diverged, too, where −log p of a batch is so many times that of what the descent began
        with, in the same way.  Set on the same draws: steps of 10 and less stay below 1.8 in two
        looks in a row, those of 30 above 2.3 in every look.
    looks : int
        So many looks in a row, or all that there were.
    """

    every: int = 25
    worse: float = 10.0
    least: float = 1.0
    behind: float = 1.1
    surprised: float = 2.0
    looks: int = 4


_WATCH = Watch()


@dataclass(frozen=True)
class Judge:
    """What was kept from learning, to say when it is enough.

    Parameters
    ----------
    error : callable
        Of weights, on what was kept.
    patience : int
        Batches without a new best after which the descent ends.
    """

    error: Callable[[dict[str, Tensor]], float]
    patience: int


@dataclass
class Descent:
    """What a descent came to.

    Parameters
    ----------
    weights : dict of str to Tensor
        The last ones; with a judge, or after an interruption or divergence, the best that were
        looked at.  The moments that are kept are theirs.
    errors : list of float
        At every look.
    n_batches : int
        Batches taken.
    interrupted, diverged, enough : bool
        How it ended; ``enough`` where a judge said so.
    """

    weights: dict[str, Tensor]
    errors: list[float] = field(default_factory=list)
    n_batches: int = 0
    interrupted: bool = False
    diverged: bool = False
    enough: bool = False


def descend(
    loss: Callable[[dict[str, Tensor], Batch], Tensor],
    error: Callable[[Mapping[str, Tensor], Batch], float],
    weights: Mapping[str, Tensor],
    batches: Iterable[Batch],
    course: Course,
    *,
    moments: Moments,
    rates: Mapping[str, float],
    stage: str,
    total: int | None = None,
    first: float | None = None,
    judge: Judge | None = None,
    surprise: Callable[[Mapping[str, Tensor], Batch], float] | None = None,
    watch: Watch = _WATCH,
) -> Descent:
    """Lower a loss batch by batch; with a known total steps shrink to nothing from its half on.

    Each weight goes its own share of a step, ``rates``.

    A loss that draws is no measure of how far things have come; ``error`` is one, on the batch or
    on what a judge has kept, and ``first`` is what it was at the beginning, where that is not here.
    ``surprise`` is −log p of a batch, for errors that have a bound.
    """
    moving = {name: w.detach().clone().requires_grad_() for name, w in weights.items()}
    found, best, best_at, behind = Descent(_copied(moving)), math.inf, 0, 0
    running = Running.of(moments, moving)
    kept, batch = running.copied(), None

    def fell_behind() -> bool:
        """Whether the batch is told worse than by the weights that the descent began with.

        The same rows are asked of both: rows that are harder than the first are no sign of it.
        """
        least = max(first or 0.0, watch.least)
        return not error(moving, batch) <= watch.behind * max(error(weights, batch), least)

    def is_startled() -> bool:
        """Whether it is told so, and with confidence."""
        if surprise is None:
            return False
        begun = max(surprise(weights, batch), watch.least)
        return not surprise(moving, batch) <= watch.surprised * begun

    with Interruption() as interruption:
        for batch in batches:
            if found.n_batches % watch.every == 0:
                now = error(moving, batch) if judge is None else judge.error(moving)
                first = now if first is None else first
                if not now <= watch.worse * max(first, watch.least):  # or not a number
                    found.diverged = True
                    break
                found.errors.append(now)
                startled = is_startled()
                if now < best and not startled:
                    best, best_at, behind = now, found.n_batches, 0
                    found.weights, kept = _copied(moving), running.copied()
                else:
                    behind = behind + 1 if startled or fell_behind() else 0
                report(stage, found.n_batches, total, now)
                found.diverged = behind == watch.looks
                found.enough = judge is not None and found.n_batches - best_at >= judge.patience
                if found.diverged or found.enough:
                    break
            left = 1.0 if total is None else min(1.0, 2.0 * (1.0 - found.n_batches / total))
            try:
                loss(moving, batch).backward()
            except RuntimeError:  # torch draws nothing by probabilities that are no numbers
                if math.isfinite(error(moving, batch)):
                    raise
                found.diverged = True
                break
            running.step(moving, course.learning_rate * left, rates, course)
            found.n_batches += 1
    found.interrupted = bool(interruption)
    if found.n_batches and not (found.interrupted or found.diverged or found.enough):
        since = min(len(found.errors) - 1, watch.looks - 1)
        found.diverged = not all(bool(torch.isfinite(w).all()) for w in moving.values()) or (
            behind >= since and (is_startled() or fell_behind())
        )
        if not found.diverged and (judge is None or judge.error(moving) < best):
            found.weights, kept = _copied(moving), running
    kept.keep_in(moments)
    return found


def _copied(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name: w.detach().clone() for name, w in weights.items()}
