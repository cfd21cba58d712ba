"""What a semidefinite solver returns, and how it says that it stopped too early."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from sidelight.arrays import FloatArray
from sidelight.solvers.eigen import fix_signs


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
    """

    factor: FloatArray
    objective: float
    dual_bound: float
    gap: float
    multipliers: FloatArray
    n_iter: int
    converged: bool
    history: FloatArray


def warn_if_not_converged(result: SemidefiniteResult, *, tol: float, who: str) -> None:
    """Say that the gap is wider than was asked for, and what to change.

    Parameters
    ----------
    result : SemidefiniteResult
        What was found.
    tol : float
        The relative gap that was asked for.
    who : str
        Named in the warning.
    """
    if not result.converged:
        warnings.warn(
            f"The kernel of {who} is certified to a relative gap of {result.gap:.1e} after "
            f"{result.n_iter} steps, and tol={tol:g} was asked for; violation_ says by how much "
            f"it misses its constraints. Raise tol or max_iter, or use fewer neighbours.",
            ConvergenceWarning,
            stacklevel=3,
        )


def principal_axes(R: FloatArray, mass: FloatArray) -> FloatArray:
    """Centre a layout and turn it to its principal axes, each node counted by its mass.

    Parameters
    ----------
    R : ndarray of shape (n, r)
        A layout.
    mass : ndarray of shape (n,)
        Positive.

    Returns
    -------
    ndarray of shape (n, r)
        The same distances.
    """
    R = R - (mass @ R) / mass.sum()
    axes = np.linalg.svd(np.sqrt(mass)[:, None] * R, full_matrices=False)[2]
    return fix_signs(np.asarray(R @ axes.T))
