"""Newton's method for springs of free sign, with or without a penalty on their strengths.

The Hessian of −log|L(λ) + G| by λ_e and λ_f is the square of the covariance of the two extensions.
With a penalty ρ|λ_e| the quadratic model is minimised together with it, coordinate by coordinate,
so that springs become exactly zero (as for sparse inverse covariances: Hsieh and others 2014,
"QUIC").  Without one there need not be an optimum: where the distances on the edges admit no
covariance that is positive definite the likelihood grows for ever, and that is noticed by the
springs that grow with it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg

from sidelight.core import FloatArray, IntArray, Interruption, report, require_memory
from sidelight.solvers.springs.field import DenseField

#: λ c is about one per node at an optimum; where it comes to this there is none.
_DIVERGED = 1e6
#: Most sweeps over the coordinates of a quadratic model.
_SWEEPS = 100
#: The least share of a Newton step that is tried.
_SMALLEST_STEP = 1e-10


@dataclass(frozen=True)
class FreeSprings:
    """What Newton's method found.

    Parameters
    ----------
    strengths : ndarray of shape (m,)
        λ.
    log_determinant : float
        log|L + G|.
    extensions : ndarray of shape (m,)
        Variances of the springs' extensions.
    residual : float
        The largest violation of the conditions of optimality, relative to c + ρ.
    history : ndarray
        Values on the way.
    diverged : bool
        Whether there is no optimum.
    interrupted : bool
        Whether the user stopped it, so that these are the best springs so far.
    """

    strengths: FloatArray
    log_determinant: float
    extensions: FloatArray
    residual: float
    history: FloatArray
    diverged: bool
    interrupted: bool = False


def newton_springs(
    field: DenseField,
    squares: FloatArray,
    penalty: FloatArray | float,
    *,
    start: FloatArray | None = None,
    tol: float,
    max_iter: int,
    stage: str,
    who: str,
) -> FreeSprings:
    """Minimise −log|L(λ) + G| + Σ c_e λ_e + Σ ρ_e |λ_e| over all λ.

    Examples
    --------
    Three points on a line have distances that leave no freedom; points off it do.

    >>> import numpy as np
    >>> field = DenseField(3, np.array([[0, 1], [1, 2], [0, 2]]), np.full(3, 1e-6), who="")
    >>> options = {"tol": 1e-8, "max_iter": 100, "stage": "", "who": ""}
    >>> newton_springs(field, np.array([1.0, 1.0, 4.0]), 0.0, **options).diverged
    True
    >>> newton_springs(field, np.array([1.0, 1.0, 3.0]), 0.0, **options).strengths.round(3)
    array([ 2.   ,  2.   , -0.667])
    """
    m = len(squares)
    require_memory(
        24.0 * m * m,
        what=f"the {m} × {m} Hessian of the springs",
        who=who,
        instead="Use fewer neighbours, or signs='nonnegative'.",
    )
    scale = squares + penalty
    cost = squares / scale  # of u = λ (c + ρ); the penalty's share is what is missing to one
    share = penalty / scale
    penalised = bool(np.any(share > 0))
    alike = np.full(m, (field.n - 1) / m)
    u = alike if start is None else start * scale
    log_determinant, factor = field.factor(u / scale)
    if factor is None:  # another ground than that of the start
        u, start = alike, None
        log_determinant, factor = field.factor(u / scale)
    assert factor is not None
    value = -log_determinant + float(cost @ u + share @ np.abs(u))
    history = [value]
    with Interruption() as interruption:
        while len(history) <= max_iter and float(np.abs(u).max()) <= _DIVERGED:
            K = field.covariance(factor)
            slope = cost - field.extensions(K) / scale
            gradient = _one_sided(u, slope, share)
            residual = float(np.abs(gradient).max())
            if residual <= tol:
                break
            moving = np.flatnonzero((u != 0) | (gradient != 0))
            H = _hessian(K, field.edges[moving], scale[moving])
            direction = np.zeros(m)
            if penalised:
                direction[moving] = _penalised(H, slope[moving], share[moving], u[moving], residual)
                size = share @ (np.abs(u + direction) - np.abs(u))
                promised = float(slope @ direction + size)
            else:
                direction[moving] = _newton(H, gradient[moving])
                promised = float(gradient @ direction)
            step = 1.0
            while step > _SMALLEST_STEP:
                trial = u + step * direction
                log_determinant, candidate = field.factor(trial / scale)
                if candidate is not None:
                    new = -log_determinant + float(cost @ trial + share @ np.abs(trial))
                    if new <= value + 1e-4 * step * promised:
                        break
                step /= 2
            else:
                break
            u, value, factor = trial, new, candidate
            history.append(value)
            report(stage, len(history) - 1, None, -value)
    diverged = float(np.abs(u).max()) > _DIVERGED
    if interruption and (diverged or (len(history) == 1 and start is None)):
        interruption.go_on()  # springs that are all alike are no fit
    log_determinant, factor = field.factor(u / scale)
    assert factor is not None
    extensions = field.extensions(field.covariance(factor))
    residual = float(np.abs(_one_sided(u, cost - extensions / scale, share)).max())
    found = (u / scale, log_determinant, extensions, residual, np.array(history), diverged)
    return FreeSprings(*found, bool(interruption))


def polish_springs(field: DenseField, costs: FloatArray, u: FloatArray) -> FloatArray:
    """Take Newton steps in the springs λ = u/c > 0 that hold, as long as they help.

    Examples
    --------
    >>> import numpy as np
    >>> field = DenseField(2, np.array([[0, 1]]), np.full(2, 1e-9), who="")
    >>> polish_springs(field, np.array([4.0]), np.array([0.9])).round(6)
    array([1.])
    """
    best, before = u, np.inf
    for _ in range(5):
        _, factor = field.factor(u / costs)
        if factor is None:
            break
        K = field.covariance(factor)
        gradient = 1.0 - field.extensions(K) / costs
        residual = float(np.abs(np.minimum(u, gradient)).max())
        if not residual < before:
            break
        best, before = u, residual
        held = np.flatnonzero((u > 0) | (gradient < 0))
        u = u.copy()
        u[held] += _newton(_hessian(K, field.edges[held], costs[held]), gradient[held])
        u = np.maximum(u, 0.0)
    return best


def _one_sided(u: FloatArray, slope: FloatArray, share: FloatArray) -> FloatArray:
    """The steepest slope where |u| has a corner: zero where neither side leads down."""
    up, down = slope + share, slope - share
    at_corner = np.where(up < 0, up, np.where(down > 0, down, 0.0))
    return np.asarray(np.where(u > 0, up, np.where(u < 0, down, at_corner)))


def _hessian(K: FloatArray, edges: IntArray, scale: FloatArray) -> FloatArray:
    i, j = edges.T
    across = K[i] - K[j]
    H = across[:, i] - across[:, j]
    root = 1 / np.sqrt(scale)
    H *= root[:, None]
    H *= root
    return np.asarray(H * H)


def _newton(H: FloatArray, gradient: FloatArray) -> FloatArray:
    H[np.arange(len(H)), np.arange(len(H))] *= 1 + 1e-12
    try:
        factor = scipy.linalg.cho_factor(H, overwrite_a=True, check_finite=False)
        return -np.asarray(scipy.linalg.cho_solve(factor, gradient, check_finite=False))
    except scipy.linalg.LinAlgError:  # a direction of no curvature: down the gradient
        return -gradient


def _penalised(
    H: FloatArray, slope: FloatArray, share: FloatArray, u: FloatArray, residual: float
) -> FloatArray:
    from sidelight.solvers.springs._soft_thresholds_compiled import penalised_step

    precision = 0.01 * min(residual, 0.1)  # as good as the model is
    d = np.asarray(penalised_step(H, slope, share, u, precision, _SWEEPS))
    # where the sweeps have found the signs, one solution with them is exact
    kept = np.flatnonzero(u + d)
    signs = np.sign((u + d)[kept])
    gone = np.where(u + d == 0, -u, 0.0)
    right = slope[kept] + share[kept] * signs + H[kept] @ gone
    exact = gone.copy()
    exact[kept] = _newton(np.ascontiguousarray(H[np.ix_(kept, kept)]), right)
    return exact if np.array_equal(np.sign((u + exact)[kept]), signs) else d
