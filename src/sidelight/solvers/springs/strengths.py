"""The most likely springs of a Gaussian field: a convex problem in the strengths of the springs.

    min_λ  −log|L(λ) + G| + Σ_e c_e λ_e + Σ_e ρ_e |λ_e|

with c_e > 0 the measured squared lengths.  With λ ≥ 0 there is always a minimum, and the variables
u_e = (c_e + ρ_e) λ_e make it a well-scaled one: the derivative by u_e is 1 − v_e/(c_e + ρ_e), v_e
the variance of the spring's extension.  At the minimum v_e = c_e + ρ_e where u_e > 0 and v_e ≤
c_e + ρ_e where u_e = 0; Σ_e u_e is close to the number of nodes.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import Bounds, OptimizeResult, minimize
from sklearn.exceptions import ConvergenceWarning

from sidelight.core import FloatArray, IntArray, Interruption, counted, report
from sidelight.solvers.springs.field import DenseField, field_on
from sidelight.solvers.springs.free_signs import newton_springs, polish_springs

SIGNS = ("nonnegative", "free")
STAGE = "maximum likelihood of the springs"
#: Multiplicative steps before the quasi-Newton method: they sort out the slack springs.
_SORTING_STEPS = 10
#: Up to so many springs Newton's method ends what the quasi-Newton method began.
_POLISHED = 1500
#: Pairs of differences that the quasi-Newton method remembers.
_MEMORY = 20


@dataclass(frozen=True)
class Springs:
    """The most likely springs.

    Parameters
    ----------
    strengths : ndarray of shape (m,)
        λ.
    log_determinant : float
        log|L + G|.
    extensions : ndarray of shape (m,)
        The variances v of the springs' extensions.
    value : float
        The function minimised.
    bound : float
        With λ ≥ 0, a proven lower bound on it; −∞ otherwise.
    residual : float
        The largest violation of the conditions of optimality, relative to c + ρ.
    history : ndarray of shape (n_iter + 1,)
        The values on the way.
    n_iter : int
        Steps.
    converged : bool
        Whether the residual reached the tolerance.
    diverged : bool
        Whether springs of free sign have no optimum, so that these are those with λ ≥ 0.
    interrupted : bool
        Whether the user stopped it, so that these are the best springs so far.
    """

    strengths: FloatArray
    log_determinant: float
    extensions: FloatArray
    value: float
    bound: float
    residual: float
    history: FloatArray
    n_iter: int
    converged: bool
    diverged: bool = False
    interrupted: bool = False


def fit_springs(
    n: int,
    edges: IntArray,
    squares: FloatArray,
    grounds: FloatArray,
    *,
    penalty: float | FloatArray = 0.0,
    signs: str = "nonnegative",
    start: FloatArray | None = None,
    tol: float = 1e-4,
    max_iter: int = 1000,
    who: str = "fit_springs",
) -> Springs:
    """Find the most likely springs.

    Examples
    --------
    On a tree every spring has its own extension: λ_e = 1/c_e where the ground is weak.

    >>> import numpy as np
    >>> tree = np.array([[0, 1], [1, 2], [1, 3]])
    >>> found = fit_springs(4, tree, np.array([1.0, 4.0, 0.5]), np.full(4, 1e-9), tol=1e-8)
    >>> found.strengths.round(6)
    array([1.  , 0.25, 2.  ])
    """
    prices = np.broadcast_to(np.asarray(penalty, dtype=np.float64), squares.shape)
    task = _Task(n, edges, squares, grounds, prices, start, tol, max_iter, who)
    if signs == "free":
        found = _free(task)
        if found is not None:
            return found
        warnings.warn(
            f"The springs of {who} with free signs have no optimum: the likelihood grows without "
            f"end, as the distances between neighbours leave the points no freedom. The springs "
            f"are the most likely ones that are not negative. Use fewer neighbours, data of more "
            f"features, penalty > 0, or signs='nonnegative'.",
            ConvergenceWarning,
            stacklevel=3,
        )
    return _nonnegative(task, diverged=signs == "free")


@dataclass(frozen=True)
class _Task:
    """What is to be solved, and how well."""

    n: int
    edges: IntArray
    squares: FloatArray
    grounds: FloatArray
    prices: FloatArray
    start: FloatArray | None
    tol: float
    max_iter: int
    who: str


def _nonnegative(task: _Task, *, diverged: bool) -> Springs:
    n, costs = task.n, task.squares + task.prices
    field = field_on(n, task.edges, task.grounds, who=task.who)

    def evaluate(u: FloatArray) -> tuple[float, FloatArray]:
        log_determinant, extensions = field.evaluate(u / costs)
        return -log_determinant + float(u.sum()), 1.0 - extensions / costs

    alike = np.full(len(costs), (n - 1) / len(costs))
    trail = _Trail(alike if task.start is None else np.maximum(task.start, 0.0) * costs)
    with Interruption() as interruption:
        _descend(evaluate, trail, task)
    if interruption and len(trail.values) < (2 if task.start is None else 1):
        interruption.go_on()  # springs that are all alike are no fit
    interrupted = bool(interruption)
    u = trail.u
    residual = _residual(u, evaluate(u)[1])
    unfinished = residual > task.tol and not interrupted and len(trail.values) <= task.max_iter
    if unfinished and max(n, int(np.count_nonzero(u))) <= _POLISHED:
        # values are known to some digits only, and the last steps are made without them
        u = polish_springs(DenseField(n, task.edges, task.grounds, who=task.who), costs, u)
        residual = _residual(u, evaluate(u)[1])
    log_determinant, extensions = field.evaluate(u / costs)
    value = -log_determinant + float(u.sum())
    found = Springs(
        u / costs,
        log_determinant,
        extensions,
        value,
        value - _gap(n, u, extensions / costs),
        residual,
        np.array(trail.values),
        len(trail.values) - 1,
        residual <= task.tol,
        diverged,
        interrupted,
    )
    if interrupted or not found.converged:
        _warn(found, task)
    return found


class _Trail:
    """The last point of a descent and the values on the way; every step is reported."""

    def __init__(self, u: FloatArray) -> None:
        self.u, self.values = u, list[float]()

    def follow(self, u: FloatArray, value: float) -> None:
        self.u = u
        self.values.append(value)
        report(STAGE, len(self.values) - 1, None, -value)


def _descend(
    evaluate: Callable[[FloatArray], tuple[float, FloatArray]], trail: _Trail, task: _Task
) -> None:
    """Go down to the optimum over u ≥ 0."""
    value, gradient = evaluate(trail.u)
    trail.follow(trail.u, value)
    n_sorting = _SORTING_STEPS if task.start is None else 0
    for _ in range(n_sorting):  # u ← u·v/c never raises the value, and keeps u > 0
        u = trail.u * (1.0 - gradient)
        value, gradient = evaluate(u)
        trail.follow(u, value)

    def follow(intermediate_result: OptimizeResult) -> None:
        trail.follow(np.array(intermediate_result.x), float(intermediate_result.fun))

    for _ in range(3):  # a memory that has gone stale is dropped
        left = task.max_iter + n_sorting + 1 - len(trail.values)
        if left < 1 or _residual(trail.u, evaluate(trail.u)[1]) <= task.tol:
            return
        minimize(
            evaluate,
            trail.u,
            jac=True,
            method="L-BFGS-B",
            bounds=Bounds(0.0, np.inf),
            callback=follow,
            options={
                "maxcor": _MEMORY,
                "maxiter": left,
                "maxfun": 4 * left,
                "ftol": 0.0,
                "gtol": task.tol,
            },
        )


def _free(task: _Task) -> Springs | None:
    found = newton_springs(
        DenseField(task.n, task.edges, task.grounds, who=task.who),
        task.squares,
        task.prices,
        start=task.start,
        tol=task.tol,
        max_iter=task.max_iter,
        stage=STAGE,
        who=task.who,
    )
    if found.diverged:
        return None
    strengths = found.strengths
    cost = float(task.squares @ strengths + task.prices @ np.abs(strengths))
    result = Springs(
        strengths,
        found.log_determinant,
        found.extensions,
        cost - found.log_determinant,
        -np.inf,
        found.residual,
        found.history,
        len(found.history) - 1,
        found.residual <= task.tol,
        interrupted=found.interrupted,
    )
    if result.interrupted or not result.converged:
        _warn(result, task)
    return result


def _residual(u: FloatArray, gradient: FloatArray) -> float:
    """How far −gradient would move u, at most: zero at the optimum alone."""
    return float(np.abs(np.minimum(u, gradient)).max())


def _gap(n: int, u: FloatArray, ratios: FloatArray) -> float:
    """How far the value is above a bound that no springs fall below.

    The dual is max log|K| + n − tr(G K) over K with extensions of at most c + ρ.  Shrinking K, off
    its constant part, by s = max v/(c + ρ) makes it feasible; tr(L K) = Σ u v/(c + ρ).
    """
    s = max(float(ratios.max()), 1.0)
    inside = float(u @ ratios)  # n − 1 less the ground's share of the trace
    rest = n - 1 - inside
    return max(float(u.sum()) + (n - 1) * float(np.log(s)) - (n - 1) + rest / s, 0.0)


def _warn(found: Springs, task: _Task) -> None:
    if found.interrupted:
        Interruption.warn(
            f"The fit of {task.who} was interrupted after {counted(found.n_iter, 'step')}; the "
            f"best springs "
            f"so far are kept, optimal to {found.residual:.1e} where tol={task.tol:g} was asked "
            f"for.",
            stacklevel=5,
        )
        return
    warnings.warn(
        f"The springs of {task.who} are optimal to {found.residual:.1e} after {found.n_iter} "
        f"steps, and tol={task.tol:g} was asked for. Raise max_iter or tol.",
        ConvergenceWarning,
        stacklevel=5,
    )
