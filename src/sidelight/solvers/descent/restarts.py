"""Several starts of one descent: all are tried roughly, and what may be the best goes on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sidelight.core import FloatArray, Interruption
from sidelight.solvers.choosing import best_of, first_least
from sidelight.solvers.descent.quasi_newton import Descent, Objective, minimise

#: Steps whose gain is averaged before a rough descent is at rest: the first ones, out of the flat
#: middle where random starts lie, gain next to nothing.
_PATIENCE = 3
#: A rough descent may end so many times its tolerance above its optimum, by chance: all starts
#: that are no farther from the lowest one go on to the fine tolerance.
_OPEN = 300.0


@dataclass(frozen=True)
class Pause:
    """Where descents from several starts were left.

    Parameters
    ----------
    number : int
        The start under way, from 0; the number of starts where the best one was going on.
    x : ndarray of shape (n_parameters,)
        Where it was.
    values : ndarray of shape (number,)
        What those before it came to.
    best : ndarray of shape (n_parameters,)
        Where the lowest of those ended; empty where there is none.
    """

    number: int
    x: FloatArray
    values: FloatArray
    best: FloatArray


@dataclass(frozen=True)
class Restarts:
    """What several starts came to.

    Parameters
    ----------
    best : Descent
        The lowest one, all the way, of what was done in this call.
    values : ndarray of shape (n_starts_tried,)
        What each start came to before the best went on.
    pause : Pause or None
        Where to go on, if that was interrupted or not enough.
    """

    best: Descent
    values: FloatArray
    pause: Pause | None


def best_of_starts(
    objective: Objective,
    starts: Sequence[FloatArray],
    *,
    max_iter: int,
    rough: float,
    tol: float,
    stage: str,
    who: str,
    left_off: Pause | None = None,
    polished: bool = False,
) -> Restarts:
    """Descend from several starts to a rough tolerance, and from the best of them to a fine one.

    Those that the rough one cannot tell from the best go on as well; what is left where one is
    interrupted is the best so far.  A start that is alone goes to the fine one at once.  A
    ``polished`` end is where the gradient is zero.

    Examples
    --------
    Of two wells the lower one is found.

    >>> import numpy as np
    >>> well = lambda x: (float((x**2 - 1) @ (x**2 - 1) + 0.1 * x.sum()), 4 * x * (x**2 - 1) + 0.1)
    >>> starts = [np.array([0.5]), np.array([-0.5])]
    >>> found = best_of_starts(
    ...     well, starts, max_iter=50, rough=1e-3, tol=1e-12, stage="wells", who="example"
    ... )
    >>> found.best.x.round(2), found.values.round(2)
    (array([-1.01]), array([ 0.1, -0.1]))
    """

    def descend(start: FloatArray, to: float, **manner: Any) -> Descent:
        return minimise(objective, start, max_iter=max_iter, tol=to, stage=stage, who=who, **manner)

    nothing: FloatArray = np.empty(0)
    left = Pause(0, starts[0], nothing, nothing) if left_off is None else left_off
    values, tried = list(left.values), list[Descent]()
    if len(left.best):
        lowest = np.array([min(values)])
        tried.append(Descent(left.best, float(lowest[0]), lowest, 0, 0, True))
    alone = len(starts) == 1
    pause: Pause | None
    for number in range(left.number, len(starts)):
        before = _lowest(tried).x if tried else nothing
        start = left.x if number == left.number else starts[number]
        with Interruption() as interruption:
            found = (
                descend(start, tol, polished=polished)
                if alone
                else descend(start, max(rough, tol), patience=_PATIENCE)
            )
            tried.append(found)
        if interruption:  # before this start had a value
            if not tried:
                interruption.go_on()
            interruption.warn(
                f"{who} was interrupted after {number} of {len(starts)} starts of {stage}; the "
                f"best so far is kept.",
                stacklevel=3,
            )
            pause = Pause(number, start, np.array(values), before)
            return Restarts(replace(_lowest(tried), interrupted=True), np.array(values), pause)
        if found.interrupted or alone:
            pause = None if found.converged else Pause(number, found.x, np.array(values), before)
            return Restarts(_lowest(tried), np.array([*values, found.value]), pause)
        values.append(found.value)
    came_to = np.array([found.value for found in tried])
    first = int(first_least(came_to))
    best, ended = tried[first], dict[int, Descent]()
    near = best.value + _OPEN * max(rough, tol) * max(abs(best.value), 1.0)
    with Interruption() as interruption:
        chosen = np.flatnonzero(came_to <= near).tolist()
        for number in sorted(chosen, key=lambda number: bool(number != first)):
            rough_end = tried[number]
            start = left.x if left.number == len(starts) else rough_end.x
            finer = descend(start, tol, polished=polished)
            ended[number] = _one_after_the_other(rough_end, finer)
            if finer.interrupted:
                break
    if interruption:
        interruption.warn(
            f"{who} was interrupted after all starts of {stage}; the best so far is kept.",
            stacklevel=3,
        )
        pause = Pause(len(starts), best.x, np.array(values), best.x)
        return Restarts(replace(best, interrupted=True), np.array(values), pause)
    whole = replace(
        _lowest([ended[number] for number in sorted(ended)]), interrupted=finer.interrupted
    )
    pause = None if whole.converged else Pause(len(starts), whole.x, np.array(values), whole.x)
    return Restarts(whole, np.array(values), pause)


def _one_after_the_other(before: Descent, after: Descent) -> Descent:
    """Two descents, the second from where the first one ended, as one."""
    return replace(
        after,
        history=np.concatenate([before.history[:-1], after.history]),
        n_iter=before.n_iter + after.n_iter,
        n_evaluations=before.n_evaluations + after.n_evaluations,
    )


def _lowest(tried: list[Descent]) -> Descent:
    return best_of(tried, lambda found: found.value)
