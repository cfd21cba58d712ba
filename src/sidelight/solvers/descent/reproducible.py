"""Limited-memory quasi-Newton steps that have the same bits on every processor.

A library adds up in the order that suits a processor.  Where an objective has very many optima, the
last bit of a sum decides within a hundred iterations which of them is found; here every sum has one
order, so that an objective of which that is true as well leads to one optimum.

References
----------
J. Nocedal and S. J. Wright (2006), "Numerical Optimization", sections 3.5 and 7.2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from sidelight.core import FloatArray

#: A step is long enough where the value falls by this share of what the slope promises, and the
#: slope to this share of itself.
_FALL, _LEVEL = 1e-3, 0.9
#: Lengths that are tried at most, how much longer one may be than the last, and how near to the
#: ends of a bracket.
_TRIED, _LONGER, _INSIDE = 20, 4.0, 0.1
#: A change of the gradient that bends upwards by less than this share of itself is rounding.
_BENT = 1e-16


class Place(NamedTuple):
    """A place on the way, at a length along the step."""

    length: float
    value: float
    along: float
    x: FloatArray
    gradient: FloatArray


def descend_reproducibly(
    objective: Callable[[FloatArray], tuple[float, FloatArray]],
    x: FloatArray,
    after: Callable[[FloatArray], None],
    *,
    max_iter: int,
    memory: int,
) -> bool:
    """Step downhill, ``after`` each step saying so; tell whether there was one more to take.

    ``after`` may raise ``StopIteration`` to end it.

    Examples
    --------
    >>> import numpy as np
    >>> seen = []
    >>> bowl = lambda x: (float(((x - 3) ** 2).sum()), 2 * (x - 3))
    >>> descend_reproducibly(bowl, np.zeros(2), seen.append, max_iter=50, memory=5)
    False
    >>> seen[-1].round(6)
    array([3., 3.])
    """
    from sidelight.solvers.descent._steps_compiled import downhill, product

    n = len(x)
    steps, changes, bends = np.empty((memory, n)), np.empty((memory, n)), np.empty(memory)
    kept: list[int] = []
    value, gradient = objective(x)
    for number in range(max_iter):
        order = np.array(kept, dtype=np.intp)
        direction = downhill(gradient, steps, changes, bends, order)
        slope = product(gradient, direction)
        if not slope < 0:
            return False
        first = 1.0 if kept else min(1.0, 1.0 / float(np.sqrt(-slope)))
        here = Place(0.0, value, slope, x, gradient)
        found = _along(objective, here, direction, first)
        if found is None:
            return False
        at = number % memory
        steps[at], changes[at] = found.x - x, found.gradient - gradient
        bends[at] = product(steps[at], changes[at])
        kept = [one for one in kept if one != at]
        if bends[at] > _BENT * product(changes[at], changes[at]):
            kept.append(at)
        x, value, gradient = found.x, found.value, found.gradient
        try:
            after(x)
        except StopIteration:
            return True
    return True


def _along(
    objective: Callable[[FloatArray], tuple[float, FloatArray]],
    here: Place,
    direction: FloatArray,
    length: float,
) -> Place | None:
    """A place on a line where value and slope have fallen enough; None where none is lower."""
    from sidelight.solvers.descent._steps_compiled import product

    low, high = here, None
    for _ in range(_TRIED):
        x = here.x + length * direction
        value, gradient = objective(x)
        tried = Place(length, value, product(gradient, direction), x, gradient)
        if value > here.value + _FALL * length * here.along or value >= low.value:
            high = tried
        elif abs(tried.along) <= -_LEVEL * here.along:
            return tried
        else:
            ahead = 1.0 if high is None else high.length - low.length
            high, low = (low if tried.along * ahead >= 0 else high), tried
        length = _LONGER * low.length if high is None else _between(low, high)
    return None if low is here else low


def _between(low: Place, high: Place) -> float:
    """The length at which the cubic through two places is lowest, well inside of them."""
    width = high.length - low.length
    bend = low.along + high.along - 3 * (high.value - low.value) / width
    square = bend * bend - low.along * high.along
    if square >= 0:
        root = float(np.sqrt(square)) * (1.0 if width > 0 else -1.0)
        under = high.along - low.along + 2 * root
        share = 1 - (high.along + root - bend) / under if under != 0 else 0.5
    else:
        share = 0.5
    return low.length + width * min(max(share, _INSIDE), 1 - _INSIDE)
