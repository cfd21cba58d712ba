"""Matches scaled by Sinkhorn steps: until every item sends as much as it should, or as it can."""

from __future__ import annotations

import numpy as np

from sidelight.core import FloatArray

#: Steps to balance matches.
_BALANCING_STEPS = 30
#: About this share of the items of either side is matched less than fully.
_PARTLY = 0.8
_STEPS = 500
_TOLERANCE = 1e-6
_SMALLEST_LOG = -600.0


def balance(W: FloatArray, M: FloatArray) -> FloatArray:
    """Let every item send mass one to every value, by symmetric Sinkhorn steps.

    References
    ----------
    P. A. Knight, D. Ruiz and B. Uçar (2014), "A symmetry preserving algorithm for matrix scaling".
    """
    for _ in range(_BALANCING_STEPS):
        mass = (W @ M) @ M.T
        W = W / np.sqrt(np.maximum(mass * mass.T, 1e-300))
    return W


def relaxed_transport(
    scores: FloatArray, temperature: float, strictness: float = np.inf
) -> FloatArray:
    """Transport items to alike items, as far as there are any.

    With even marginals μ, ν and scores c, the plan π maximises

        ⟨π, c⟩ − τ KL(π | κ μνᵀ) − ρ KL(π1 | μ) − ρ KL(πᵀ1 | ν),

    so that π_ab = κ μ_a ν_b f_a g_b exp(c_ab / τ) with τ log f_a + ρ log (share of a) = 0, where
    the share is the mass that is sent over μ_a.  κ, what a match is worth, is such that about a
    fifth of the shares are above one (the geometric mean of both sides' 80 % quantiles is one).
    With ρ = ∞ every share is one: the balanced transport of Sinkhorn.

    References
    ----------
    L. Chizat, G. Peyré, B. Schmitzer and F.-X. Vialard (2018), "Scaling algorithms for unbalanced
    optimal transport problems", Mathematics of Computation 87.

    Examples
    --------
    >>> import numpy as np
    >>> plan = relaxed_transport(np.array([[0.0, -9.0], [-9.0, 0.0], [-9.0, -8.0]]), 0.1, 0.1)
    >>> bool(plan.mean(axis=1)[2] < 0.01 * plan.mean(axis=1)[0])
    True
    """
    power = 1.0 if np.isinf(strictness) else strictness / (strictness + temperature)
    K = np.exp(np.maximum((scores - scores.max()) / temperature, _SMALLEST_LOG))
    f, g, worth = np.ones(len(K)), np.ones(K.shape[1]), 1.0
    for _ in range(_STEPS):
        before = f
        f = (worth * (K @ g) / len(g)) ** -power
        g = (worth * (f @ K) / len(f)) ** -power
        if power < 1:
            rows, columns = worth * f * (K @ g) / len(g), worth * g * (f @ K) / len(f)
            level = np.sqrt(np.quantile(rows, _PARTLY) * np.quantile(columns, _PARTLY))
            worth /= level
        else:
            level = 1.0
        moved = np.abs(np.log(f / before)).max() + abs(np.log(level))
        if moved < _TOLERANCE:
            break
    # one more half step, so that the equation of f holds for the worth and g that are used
    f = (worth * (K @ g) / len(g)) ** -power
    return np.asarray(worth * f[:, None] * K * g)
