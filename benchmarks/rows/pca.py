"""Principal component analysis of many rows in float32."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.agreement import map_difference
from benchmarks.data import digits_50, low_rank_single, mnist_pixels_single
from benchmarks.row import OURS, Array, Contender, Goal, Limit, Problem, Row


def ours(problem: Problem, n_components: int) -> Array:
    """sidelight."""
    from sidelight import PCA

    return np.asarray(PCA(n_components).fit_transform(problem.X))


def sklearn_pca(problem: Problem, n_components: int, svd_solver: str) -> Array:
    """scikit-learn with one of its solvers."""
    from sklearn.decomposition import PCA

    pca = PCA(n_components, svd_solver=svd_solver, random_state=0)
    return np.asarray(pca.fit_transform(problem.X))


def _contenders(n_components: int) -> dict[str, Contender]:
    peers = {
        f"sklearn {solver}": Contender(
            partial(sklearn_pca, n_components=n_components, svd_solver=solver),
            slow=solver in ("randomized", "arpack"),
            must_agree=solver == "covariance_eigh",
        )
        for solver in ("auto", "covariance_eigh", "randomized", "arpack")
    }
    return {OURS: Contender(partial(ours, n_components=n_components))} | peers


_AT_70000 = tuple(
    Row(
        name=f"pca-{n_components}-70000/{name}",
        work=f"PCA, 70,000 × 784, float32, {n_components} components",
        data=data,
        size=70_000,
        small=2000,
        contenders=_contenders(n_components),
        compare=map_difference,
        tolerance=1e-3,
        goals=(Goal(1),),
        real_data=real_data,
    )
    for n_components, name, data, real_data in (
        (2, "mnist_pixels", mnist_pixels_single, "mnist_t10k"),
        (50, "mnist_pixels", mnist_pixels_single, "mnist_t10k"),
        (50, "low_rank", low_rank_single, None),
    )
)

PRINCIPAL_COMPONENTS = (
    *_AT_70000,
    Row(
        name="pca-2-1000000/digits_50",
        work="PCA, 1,000,000 × 50, 2 components",
        data=digits_50,
        size=1_000_000,
        small=2_000,
        contenders={
            OURS: Contender(partial(ours, n_components=2)),
            "sklearn covariance_eigh": Contender(
                partial(sklearn_pca, n_components=2, svd_solver="covariance_eigh")
            ),
        },
        compare=map_difference,
        tolerance=1e-3,
        limit=Limit(seconds=300, megabytes=6_000),
        real_data="mnist_t10k",
    ),
)
