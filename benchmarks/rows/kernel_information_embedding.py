"""Kernel information embedding: ten times the objective and its gradient, and many rows."""

from __future__ import annotations

import numpy as np

from benchmarks.agreement import map_difference
from benchmarks.data import swiss_roll
from benchmarks.row import OURS, Array, Contender, Goal, Problem, Row, no_answer

EVALUATIONS = 10
_STEP = 1e-3


def _start(problem: Problem) -> tuple[Array, float]:
    """Latent points that are the same for all, and a bandwidth of the data's scale."""
    Z = np.random.default_rng(0).standard_normal((len(problem.X), 2))
    return Z, float(problem.X.var(axis=0).sum() / 4)


def ours(problem: Problem) -> Array:
    """sidelight."""
    from sidelight.latent.density.kernels import GaussianKernel
    from sidelight.latent.information.mutual_information_near import pairs_of

    Z, h = _start(problem)
    kernel = GaussianKernel(problem.X.shape[1])
    pairs = pairs_of(problem.X, kernel, n_threads=1, who="benchmark")
    K = pairs.kernel(h)
    for _ in range(EVALUATIONS):
        Z = Z + _STEP * pairs.information(Z, K)[1]
    return Z


def numpy_tables(problem: Problem) -> Array:
    """The formulas as printed, on full tables."""
    Z, h = _start(problem)
    K = np.exp(-_squared(problem.X) / h)
    for _ in range(EVALUATIONS):
        k = np.exp(-_squared(Z))
        joint = 1 / (k * K).sum(axis=1)
        latent = 1 / k.sum(axis=1)
        C = k * (K * (joint[:, None] + joint) - latent[:, None] - latent)
        Z = Z + _STEP * 2 * (C @ Z - C.sum(axis=1)[:, None] * Z)
    return Z


def _squared(A: Array) -> Array:
    norms = (A**2).sum(axis=1)
    return np.asarray(np.maximum(norms[:, None] + norms - 2 * A @ A.T, 0))


def many_rows(problem: Problem) -> Array:
    """A whole fit with kernels of finite support."""
    from sidelight import KernelInformationEmbedding

    model = KernelInformationEmbedding(
        kernel="quartic", bandwidth=8.0, alpha=0.003, n_steps=15, max_iter=30, tol=1e-5, n_jobs=1
    )
    return np.asarray(model.fit_transform(problem.X))


KERNEL_INFORMATION_EMBEDDING = (
    Row(
        name="information-gradient-4000/swiss_roll",
        work="Information and gradient, ten times, n = 4,000",
        data=swiss_roll,
        size=4000,
        small=300,
        contenders={OURS: Contender(ours), "numpy tables": Contender(numpy_tables)},
        compare=map_difference,
        tolerance=1e-6,
        goals=(Goal(10),),
    ),
    Row(
        name="information-map-20000/swiss_roll",
        work="Kernel information embedding, finite support, n = 20,000",
        data=swiss_roll,
        size=20_000,
        small=300,
        contenders={OURS: Contender(many_rows, slow=True)},
        compare=no_answer,
        tolerance=1.0,
    ),
)
