"""Ridge regression by one decomposition, and its items left out one by one."""

from __future__ import annotations

import numpy as np
import pytest

from sidelight.solvers import RidgeSystem

RNG = np.random.default_rng(3)
FEATURES = RNG.normal(size=(12, 5))
K = FEATURES @ FEATURES.T
WHOLE = RidgeSystem.of(K + np.diag(RNG.random(12)))
LOW = RidgeSystem(*(lambda U, s, _: (s**2, U))(*np.linalg.svd(FEATURES, full_matrices=False)))


@pytest.mark.parametrize("system", [WHOLE, LOW], ids=["all eigenvectors", "few of them"])
@pytest.mark.parametrize("shape", [(12,), (12, 3)])
def test_items_are_left_out_as_if_they_had_not_been_there(system, shape):
    full = (system.vectors * system.values) @ system.vectors.T
    y = RNG.normal(size=shape)
    assert np.allclose(system.solve(y, 0.3), np.linalg.solve(full + 0.3 * np.eye(12), y))
    assert np.allclose(system.apply(y[..., 0] if y.ndim > 1 else y), full @ y.reshape(12, -1)[:, 0])
    for i in range(12):
        others = np.delete(np.arange(12), i)
        within = full[np.ix_(others, others)] + 0.3 * np.eye(11)
        predicted = full[i, others] @ np.linalg.solve(within, y[others])
        assert np.allclose(system.leave_one_out(y, 0.3)[i], y[i] - predicted)


def test_the_ridge_that_predicts_best():
    y = FEATURES @ RNG.normal(size=5) + RNG.normal(size=12)
    ridges = np.geomspace(1e-3, 1e3, 13)
    errors = [np.sum(LOW.leave_one_out(y, ridge) ** 2) for ridge in ridges]
    assert LOW.best_ridge(y, ridges) == ridges[int(np.argmin(errors))]
    assert 0 < int(np.argmin(errors)) < 12


def test_the_mean_eigenvalue_counts_those_that_are_zero():
    assert np.isclose(LOW.mean_eigenvalue, np.trace(K) / 12)
