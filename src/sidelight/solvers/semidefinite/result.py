"""What a semidefinite solver returns, and what it says where it stopped, or was stopped, early."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from sidelight.core import FloatArray, Interruption, counted
from sidelight.solvers.eigen import fix_signs, settled_axes

#: Where a fit is interrupted its kernel is kept if it is proven to come this close to the best: to
#: half of what any kernel can reach.  The maps of earlier steps show nothing yet.
_WORTH_KEEPING = 1.0


@dataclass(frozen=True)
class SemidefiniteResult:
    """A feasible kernel with a bound on what any kernel can reach.

    Parameters
    ----------
    factor : ndarray of shape (n, r)
        R with K = R Rᵀ, centred, principal axes in columns, the largest first.
    objective : float
        The value reached by K.
    dual_bound : float
        No feasible kernel has a larger value.
    gap : float
        (dual_bound − objective) / |objective|.
    multipliers : ndarray of shape (m,)
        One per constraint, y.
    n_iter : int
        Newton steps.
    converged : bool
        Whether the gap reached the tolerance.
    history : ndarray of shape (n_levels, 2)
        The value and the estimated relative gap at every level of the barrier.
    stopped : Interruption, optional
        What the user stopped it by, where this is the best so far.
    """

    factor: FloatArray
    objective: float
    dual_bound: float
    gap: float
    multipliers: FloatArray
    n_iter: int
    converged: bool
    history: FloatArray
    stopped: Interruption | None = None

    @property
    def interrupted(self) -> bool:
        """Whether the user stopped it."""
        return bool(self.stopped)


def worth_keeping(result: SemidefiniteResult, *, feasible: bool) -> bool:
    """Say whether what an interrupted solver has is a kernel to go by."""
    return bool(feasible and result.gap <= _WORTH_KEEPING)


def second_try(
    found: SemidefiniteResult, again: Callable[[], SemidefiniteResult]
) -> SemidefiniteResult:
    """Try another method, unless the user has had enough; the first result is there to keep."""
    if found.interrupted:
        return found
    with Interruption() as stopped:
        other = again()
    if stopped:
        return replace(found, stopped=stopped)
    if other.interrupted and found.gap < other.gap:
        return replace(found, stopped=other.stopped)
    return other


def warn_of_the_end(result: SemidefiniteResult, *, tol: float, who: str) -> None:
    """Say that the fit was interrupted, or that the gap is wider than was asked for."""
    if result.interrupted:
        Interruption.warn(
            f"{who} was interrupted after {counted(result.n_iter, 'step')}; the best kernel so "
            f"far is kept, "
            f"certified to a relative gap of {result.gap:.1e} where tol={tol:g} was asked for.",
            stacklevel=3,
        )
    elif not result.converged:
        warnings.warn(
            f"The kernel of {who} is certified to a relative gap of {result.gap:.1e} after "
            f"{counted(result.n_iter, 'step')}, and tol={tol:g} was asked for; violation_ says by "
            f"how much it misses its constraints. Raise tol or max_iter, or use fewer neighbours.",
            ConvergenceWarning,
            stacklevel=3,
        )


def principal_axes(R: FloatArray, mass: FloatArray) -> FloatArray:
    """Centre a layout and turn it to its principal axes, each node counted by its mass."""
    R = R - (mass @ R) / mass.sum()
    return fix_signs(np.asarray(R @ settled_axes(np.sqrt(mass)[:, None] * R)))
