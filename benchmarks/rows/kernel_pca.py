"""Kernel PCA with a Gaussian kernel of the same width for all."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.agreement import map_difference
from benchmarks.data import mnist_30, swiss_roll
from benchmarks.row import OURS, Array, Contender, Goal, Problem, Row


def ours(problem: Problem) -> Array:
    """sidelight."""
    from sidelight import KernelPCA

    return np.asarray(KernelPCA(2, kernel="rbf", gamma=problem.gamma).fit_transform(problem.X))


def sklearn_kernel_pca(problem: Problem, eigen_solver: str) -> Array:
    """scikit-learn with one of its solvers."""
    from sklearn.decomposition import KernelPCA

    kernel_pca = KernelPCA(
        n_components=2,
        kernel="rbf",
        gamma=problem.gamma,
        eigen_solver=eigen_solver,
        random_state=0,
    )
    return np.asarray(kernel_pca.fit_transform(problem.X))


def _sklearn(eigen_solver: str, *, slow: bool = False, must_agree: bool = True) -> Contender:
    run = partial(sklearn_kernel_pca, eigen_solver=eigen_solver)
    return Contender(run, slow=slow, must_agree=must_agree)


_CONTENDERS = {
    OURS: Contender(ours),
    "sklearn arpack": _sklearn("arpack"),
    "sklearn randomized": _sklearn("randomized", slow=True, must_agree=False),
}
_WITH_DENSE = _CONTENDERS | {"sklearn dense": _sklearn("dense", slow=True)}

KERNEL_PCA = (
    Row(
        name="kernel-pca-5000/swiss_roll",
        work="Kernel PCA (RBF), n = 5,000",
        data=swiss_roll,
        size=5000,
        small=400,
        contenders=_WITH_DENSE,
        compare=map_difference,
        tolerance=1e-3,
        goals=(Goal(4),),
    ),
    Row(
        name="kernel-pca-10000/swiss_roll",
        work="Kernel PCA (RBF), n = 10,000",
        data=swiss_roll,
        size=10_000,
        small=400,
        contenders=_CONTENDERS,
        compare=map_difference,
        tolerance=1e-3,
        goals=(Goal(4),),
    ),
    Row(
        name="kernel-pca-10000/mnist_30",
        work="Kernel PCA (RBF), n = 10,000",
        data=mnist_30,
        size=10_000,
        small=400,
        contenders=_CONTENDERS,
        compare=map_difference,
        tolerance=1e-3,
        goals=(Goal(4),),
        real_data="mnist_t10k",
    ),
)
