"""The GP-LVM's objective: value and gradient in all latent points, ten times over."""

from __future__ import annotations

import numpy as np

from benchmarks.data import low_rank
from benchmarks.row import OURS, Array, Contender, Goal, Problem, Row, no_answer

_REPEATS = 10
_NOISE = 0.1


def _start(problem: Problem) -> tuple[Array, Array]:
    """Twelve standardised columns and the first two as a map."""
    Y = np.asarray(problem.X[:, :12], dtype=np.float64)
    Y = (Y - Y.mean(axis=0)) / Y.std()
    return Y, Y[:, :2] / Y[:, :2].std()


def _ours(problem: Problem, n_inducing: int) -> Array:
    from sidelight.gaussian_process import COVARIANCES, ObservedTable
    from sidelight.latent.gplvm.objective import GPLVMObjective

    Y, Z = _start(problem)
    table = ObservedTable.of(Y)
    objective = GPLVMObjective(table, COVARIANCES["rbf"], 2, n_inducing=n_inducing)
    chosen = np.linspace(0, len(Z) - 1, n_inducing).astype(int)
    for repeat in range(_REPEATS):
        scaled = Z * (1 + 0.01 * repeat)
        x = objective.pack(scaled, scaled[chosen] if n_inducing else None)
        value, gradient = objective(x)
    return np.concatenate([[value], gradient[: Z.size]])


def exact(problem: Problem) -> Array:
    """sidelight, the exact likelihood."""
    return _ours(problem, 0)


def inducing(problem: Problem) -> Array:
    """sidelight, the bound by fifty inducing points."""
    return _ours(problem, 50)


def plain_numpy(problem: Problem) -> Array:
    """The formula written down in numpy: an inverse, and tables of differences."""
    Y, Z = _start(problem)
    n, p = Y.shape
    for repeat in range(_REPEATS):
        scaled = Z * (1 + 0.01 * repeat)
        apart = scaled[:, None, :] - scaled[None, :, :]
        smooth = np.exp(-0.5 * np.sum(apart**2, axis=2))
        K = smooth + 0.1 + (_NOISE + 1e-6) * np.eye(n)
        inverse = np.linalg.inv(K)
        A = inverse @ Y
        log_det = np.linalg.slogdet(K)[1]
        value = 0.5 * (n * p * np.log(2 * np.pi) + p * log_det + np.sum(Y * A))
        slope = 0.5 * (p * inverse - A @ A.T)
        gradient = -2 * np.einsum("ij,ijk->ik", slope * smooth, apart)
    return np.concatenate([[value], gradient.ravel()])


def _difference(problem: Problem, ours: Array, theirs: Array) -> float:
    return float(np.linalg.norm(ours - theirs) / np.linalg.norm(theirs))


GPLVM = (
    Row(
        name="gplvm-step-1000/low_rank",
        work="GP-LVM, 10 values and gradients, 1,000 × 12",
        data=low_rank,
        size=1000,
        small=150,
        warm=150,
        contenders={OURS: Contender(exact), "numpy": Contender(plain_numpy)},
        compare=_difference,
        tolerance=1e-8,
        goals=(Goal(1.5),),
    ),
    Row(
        name="gplvm-inducing-step-1000/low_rank",
        work="GP-LVM, 10 values and gradients, 50 inducing points, 1,000 × 12",
        data=low_rank,
        size=1000,
        small=150,
        warm=150,
        contenders={
            OURS: Contender(inducing),
            "sidelight exact": Contender(exact),
        },
        compare=no_answer,  # a bound: how far it lies below the likelihood is for tests
        tolerance=0.0,
        goals=(Goal(3),),
    ),
)
