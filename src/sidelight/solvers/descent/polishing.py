"""The last digits of an optimum: Newton steps that look at gradients alone.

A descent ends where its value is flat to rounding, ½κδ² ≈ ε|f|: along a direction of little
curvature κ it stops a distance δ ≈ √(ε|f|/κ) off, and where it stops hangs on the last bit of every
sum.  A gradient is zero at the optimum to rounding, which is κδ ≈ ε: Newton steps

    H s = −∇f(x),   Hp ≈ (∇f(x + hp) − ∇f(x)) / h,

by conjugate gradients, bring a point from the one to the other.  One that leads up, as it may in a
bent valley, is halved.

References
----------
S. G. Nash (2000), "A survey of truncated-Newton methods".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from sidelight.core import FloatArray

#: A function of a vector that gives its value and its gradient.
Smooth: TypeAlias = Callable[[FloatArray], tuple[float, FloatArray]]
#: Newton steps at most.  Each leaves this share of the gradient, and so of the way: the one that is
#: shorter than the next share of the largest coordinate is the last.
_STEPS, _LEFT, _SHORT = 40, 1e-3, 1e-6
#: A step that leaves more of the gradient than this says that what is left is rounding.
_NO_LESS = 0.5
#: Conjugate gradients of one step at most, and how often it is halved.
_INNER, _HALVINGS = 300, 20
#: The difference of gradients is taken at this distance, relative to the largest coordinate.
_DIFFERENCE = 1e-6
#: A value that rises by this share of itself belongs to another optimum.
_ROUNDING = 1e-12
#: One that falls by so many times that has fallen.
_LOWER = 10.0


def polish(objective: Smooth, x: FloatArray) -> FloatArray:
    """Bring a point that is nearly optimal to the optimum, to the last digits that it has.

    Examples
    --------
    >>> import numpy as np
    >>> from sidelight.solvers.descent.polishing import polish
    >>> soft = np.array([1.0, 1e-6])
    >>> valley = lambda x: (float(soft @ (x - 3) ** 2), 2 * soft * (x - 3))
    >>> polish(valley, np.array([3.0, 2.999])).round(7)
    array([3., 3.])
    """
    value, gradient = objective(x)
    for _ in range(_STEPS):
        step = _newton_step(objective, x, gradient)
        rounding = _ROUNDING * (1 + abs(value))
        for _ in range(1 + _HALVINGS):
            reached, remaining = objective(x + step)
            if reached <= value + rounding:
                break
            step = step / 2
        less = _product(remaining, remaining) <= _NO_LESS**2 * _product(gradient, gradient)
        # far from the optimum of a bent valley a step goes down, and leaves as much of a slope
        if not (reached < value - _LOWER * rounding or (less and reached <= value + rounding)):
            break
        x, value, gradient = x + step, reached, remaining
        if np.abs(step).max() <= _SHORT * np.abs(x).max():
            break
    return x


def _newton_step(objective: Smooth, x: FloatArray, gradient: FloatArray) -> FloatArray:
    """Solve Hs = −g by conjugate gradients, as far as H curves upwards."""
    unit = _DIFFERENCE * (float(np.abs(x).max()) or 1.0)
    step, residual = np.zeros_like(x), -gradient
    direction = residual.copy()
    square = first = _product(residual, residual)
    for _ in range(_INNER):
        if square <= _LEFT**2 * first:
            break
        h = unit / float(np.abs(direction).max())
        image = (objective(x + h * direction)[1] - gradient) / h
        curvature = _product(direction, image)
        if not curvature > 0:
            break
        along = square / curvature
        step += along * direction
        residual = residual - along * image
        square, before = _product(residual, residual), square
        direction = residual + (square / before) * direction
    return step


def _product(a: FloatArray, b: FloatArray) -> float:
    """Σ_i a_i b_i, in numpy's own order on every processor."""
    return float(np.sum(a * b))
