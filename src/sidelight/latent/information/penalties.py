"""What keeps latent points together: without it they would fly apart, for nothing but noise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from sidelight.core import FloatArray

#: From latent points (n, d) to Σ_a ω(z_a) and its gradient (n, d).
Penalty: TypeAlias = Callable[[FloatArray], tuple[float, FloatArray]]


def l2_penalty(Z: FloatArray) -> tuple[float, FloatArray]:
    """Compute Σ_a ‖z_a‖², N times the latent power tr(C_Z)."""
    return float(np.sum(Z**2)), 2 * Z


def l4_penalty(Z: FloatArray) -> tuple[float, FloatArray]:
    """Compute Σ_a Σ_j z_aj⁴, whose level sets are rounded boxes along the axes."""
    with np.errstate(over="ignore"):  # a step that is far too long costs infinitely much
        squares = Z**2  # other powers differ in the last bit between processors
        return float(np.sum(squares**2)), 4 * squares * Z


def about_mean(penalty: Penalty) -> Penalty:
    """Σ_a ω(z_a − z̄), where points that are held keep the mean of all from the origin."""

    def penalise(Z: FloatArray) -> tuple[float, FloatArray]:
        paid, slope = penalty(Z - Z.mean(axis=0))
        return paid, slope - slope.mean(axis=0)

    return penalise


def nothing_beside(Z: FloatArray) -> tuple[float, FloatArray]:
    """Add no further term."""
    return 0.0, np.zeros_like(Z)


PENALTIES: dict[str, Penalty] = {"l2": l2_penalty, "l4": l4_penalty}


def penalty_for(penalty: Any) -> Penalty:
    """Find a penalty by its name; a function is one already."""
    return PENALTIES[penalty] if isinstance(penalty, str) else penalty
